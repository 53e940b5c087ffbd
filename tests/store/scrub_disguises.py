"""Ways in which a secret comes along without looking like itself."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from urllib.parse import quote

from tests.store.scrub_samples import Sample


def _between(mark: str, every: int) -> Callable[[Sample], str]:
    def disguise(sample: Sample) -> str:
        pieces = [sample.secret[i : i + every] for i in range(0, len(sample.secret), every)]
        return sample.text.replace(sample.secret, mark.join(pieces))

    return disguise


def _letters(offset: dict[int, int]) -> Callable[[Sample], str]:
    return lambda sample: sample.text.replace(sample.secret, sample.secret.translate(offset))


FULLWIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
MATHEMATICAL = {
    **{ord("A") + i: 0x1D400 + i for i in range(26)},
    **{ord("a") + i: 0x1D41A + i for i in range(26)},
    **{ord("0") + i: 0x1D7CE + i for i in range(10)},
}

DISGUISES: dict[str, Callable[[Sample], str]] = {
    "as it is": lambda s: s.text,
    "in a sentence": lambda s: f"We saw {s.text}, and rotated it.",
    "at the end of a sentence": lambda s: f"It was {s.text}.",
    "in double quotes": lambda s: f'He wrote "{s.text}" there',
    "in single quotes": lambda s: f"He wrote '{s.text}' there",
    "in backticks": lambda s: f"Use `{s.text}` for now",
    "in typographic quotes": lambda s: f"He wrote “{s.text}” there",
    "in brackets": lambda s: f"(see {s.text})",
    "after an equals sign": lambda s: f"VALUE={s.text}",
    "after a colon": lambda s: f"value: {s.text}",
    "after a colon without space": lambda s: f"value:{s.text}",
    "after is": lambda s: f"the value is {s.text}",
    "in angle brackets": lambda s: f"<v>{s.text}</v>",
    "in a Markdown link": lambda s: f"[here](https://svc.invalid/{quote(s.text, safe=':/?&=+.~_-@;')})",
    "in a table": lambda s: f"| name | {s.text} | yes |",
    "in JSON": lambda s: json.dumps({"note": s.text}),
    "in JSON inside JSON": lambda s: json.dumps({"log": json.dumps({"note": s.text})}),
    "in JSON inside JSON inside JSON": lambda s: json.dumps(json.dumps(json.dumps([s.text]))),
    "after an escaped line break": lambda s: json.dumps("first line\n" + s.text),
    "as escaped code points": lambda s: "".join(f"\\u{ord(c):04x}" for c in s.text),
    "in the query of a URL": lambda s: f"https://svc.invalid/q?x={quote(s.text, safe='')}&y=1",
    "percent-encoded whole": lambda s: (
        "".join(f"%{b:02X}" if b < 128 else f"%{b:02x}" for b in s.text.encode("ascii", "ignore"))
        if s.text.isascii()
        else s.text
    ),
    "in HTML": lambda s: html.escape(s.text),
    "with zero-width spaces": _between("\u200b", 3),
    "with word joiners": _between("\u2060", 2),
    "with soft hyphens": _between("\xad", 4),
    "with byte order marks": _between("\ufeff", 5),
    "with direction marks": _between("\u202e", 3),
    "with variation selectors": _between("\ufe0f", 3),
    "with NUL bytes": _between("\x00", 3),
    "with escaped zero-width spaces": _between("\\u200b", 6),
    "with colour codes inside": _between("\x1b[0m", 7),
    "coloured": lambda s: f"\x1b[1;31m{s.text}\x1b[0m",
    "a zero-width space after a word": lambda s: f"word\u200b{s.text}",
    "fullwidth": _letters(FULLWIDTH),
    "mathematical letters": _letters(MATHEMATICAL),
    "a line separator before": lambda s: f"note\u2028{s.text}",
    "a paragraph separator after": lambda s: f"{s.text}\u2029note",
    "a next-line control before": lambda s: f"note\x85{s.text}",
    "in the trace of a shell": lambda s: f"+ set -e\n++ date\n+ export VALUE={s.text}\n+ VALUE='{s.text}'\n+ true",
    "in lines of Windows": lambda s: f"first\r\n{s.text}\r\nlast",
    "in a quoted mail": lambda s: "> " + s.text.replace("\n", "\n> "),
    "in a diff": lambda s: "+" + s.text.replace("\n", "\n+"),
    "as an error": lambda s: f"401 Client Error: bad key {s.text} for url",
    "twice": lambda s: f"{s.text} {s.text}",
}
