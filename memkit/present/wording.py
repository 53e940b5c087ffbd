"""How the same thing is said in every place: times, counts, states, ids."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence

from memkit import clock
from memkit.display import count as count  # noqa: PLC0414 - how it is said, in one place with the rest
from memkit.model.tripwire import Tripwire
from memkit.present.blocks import Block, Bullets, Chip, Fact, Inline, Line, Para, Piece, Tone, joined
from memkit.present.safe import say

# Shape and word say the same as the colour does.
_VERDICTS: dict[str, tuple[str, Tone]] = {"tripped": ("▲", "bad"), "armed": ("●", "good"), "unknown": ("○", "calm")}
_STATUSES: dict[str, tuple[str, Tone]] = {
    "accepted": ("✓", "good"),
    "proposed": ("◇", "warn"),
    "rejected": ("✕", "plain"),
    "deprecated": ("▽", "warn"),
    "superseded": ("↷", "warn"),
}
# What set off that entries were moved to the trash.
PRUNED_BY = {"store": "a store", "apply": "a review", "repair": "a repair"}
MAX_TRIPWIRES = 8
MAX_IDS = 5
MAX_TAGS = 12


def moment(instant: dt.datetime) -> str:
    """`2026-11-30 12:00 UTC`."""
    return f"{instant.astimezone(clock.UTC):%Y-%m-%d %H:%M} UTC"


_NEW_LINE = re.compile(r"\n(?=[ \t]*(?:[-*+•>|#]|\d{1,3}[.)][ \t]|\n|$))|(?<=\n)\n")


_HEADING = re.compile(r"^(#{1,6} [^\n]*)\n", re.MULTILINE)
_FRONT_MATTER = re.compile(r"---\n(?:[^\n]*\n){1,60}?---\n")


def unwrapped(text: str) -> str:
    """Text with the line breaks its author meant: paragraphs and lists stay, lines wrapped at some width are joined.

    Front matter stays as it is, and so does text with code in it.
    """
    if "```" in text or "~~~" in text:
        return text
    text = text.replace("\r\n", "\n")
    matter = _FRONT_MATTER.match(text)
    head = matter.group() if matter else ""
    kept = [" ".join(part.split()) for part in _NEW_LINE.split(_HEADING.sub(r"\1\n\n", text[len(head) :]))]
    return head + "\n".join(part for part in kept if part)


def step(words: str, terminal: str, python: str) -> Line:
    """What can be done, and how: in a terminal, or in Python."""
    return (f"{words}: ", say(terminal, 120, "code"), ", or ", say(python, 120, "code"))


def first_steps() -> tuple[Line, ...]:
    """What somebody does next whose memory holds nothing."""
    return (
        step("To take in decisions you have", "memkit import adr FOLDER", 'mem.import_adr("docs/decisions")'),
        step("To store a result", "memkit store FILE", "mem.store(question=..., result={...})"),
    )


def some_of(shown: int, held: int, matched: int | None, noun: str, plural: str | None = None) -> str:
    """`73 hits`, `20 of 73 hits`, or `20 hits (there are more)` where nobody has counted.

    Args:
        shown: How many can be seen.
        held: How many the result holds.
        matched: How many there would be without a limit; None where nobody has counted.
        noun: What they are.
        plural: Several of them.
    """
    if matched is None:
        return f"{count(shown, noun, plural)} (there are more)"
    n = max(held, matched)
    return f"{shown:,} of {count(n, noun, plural)}" if shown < n else count(n, noun, plural)


def gap_lines(gaps: Sequence[str]) -> list[Line]:
    """What cannot be read and may be missing from an answer, where it is seen first."""
    if not gaps:
        return []
    said = joined([_coded(gap) for gap in gaps], " ")
    return [(Chip("not all can be read", "▲", "bad"), Piece(":", "sep"), " ", *said)]


def _coded(text: str) -> Line:
    """A sentence of ours, with what stands between backticks as code."""
    out: list[Inline] = []
    for n, part in enumerate(text.split("`")):
        # What `say` makes of a text has no space at its ends.
        said = say(part, 300, "code" if n % 2 else "plain")
        out += [" " * part.startswith(" "), said, " " * part.endswith(" ")] if part.strip() else [part]
    return tuple(piece for piece in out if piece)


def narrowed(asked: Mapping[str, object]) -> list[Line]:
    """Where nothing is left: what was asked for, and that asking for less of it shows more; nothing without filters."""
    said: list[Line] = [
        (f"{name.replace('_', ' ')} ", say(_asked_words(value), 80, "code")) for name, value in asked.items()
    ]
    if not said:
        return []
    return [("Asked for only: ", *joined(said, ", "), "."), ("Ask without that, or for more, to see what there is.",)]


def _asked_words(value: object) -> str:
    if isinstance(value, dt.datetime):
        return moment(value)
    return " or ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def size(n_bytes: int) -> str:
    """Bytes in words: `120.6 KiB`."""
    import humanize

    return humanize.naturalsize(n_bytes, binary=True)


def share(ratio: float) -> str:
    """A ratio of 0..1 in whole per cent, rounded down, so that 100 % means all."""
    return f"{int(100 * ratio + 1e-9)} %"


def points(value: float) -> str:
    """A score: two decimals, or two digits where that would be nothing."""
    return f"{value:.2f}" if value == 0 or abs(value) >= 0.005 else f"{value:.2g}"


def whole(value: float) -> str:
    """A number of 0 to 100 without needless decimals."""
    return f"{value:.10g}" if value == int(value) else f"{value:.1f}"


def status_chip(status: str) -> Chip:
    """The state of a decision as a chip."""
    shape, tone = _STATUSES.get(status, ("○", "calm"))
    return Chip("status unknown" if status == "unknown" else say(status, 20).text, shape, tone)


def verdict_chip(verdict: str) -> Chip:
    """A tripwire's verdict as a chip."""
    shape, tone = _VERDICTS.get(verdict, ("○", "calm"))
    return Chip(say(verdict, 20).text, shape, tone)


def tripwires(wires: Sequence[Tripwire | str]) -> tuple[Block, ...]:
    """Conditions with their verdicts; a reason that holds for all of them is said once."""
    known = [wire if isinstance(wire, Tripwire) else Tripwire(wire) for wire in wires]
    # What has tripped comes first, so that a long list never hides it.
    known.sort(key=lambda wire: ("tripped", "armed").index(wire.verdict) if wire.verdict != "unknown" else 2)
    reasons = {wire.reason for wire in known}
    common = len(reasons) == 1 and len(known) > 1
    items: list[Line] = []
    for wire in known[:MAX_TRIPWIRES]:
        item: Line = (verdict_chip(wire.verdict), Piece(": ", "sep"), say(wire.text, 240))
        if wire.acknowledged:
            item = (*item, " ", Chip("acknowledged", "✓", "calm"))
        items.append(item if common or not wire.reason else (*item, " (", say(wire.reason, 160, "dim"), ")"))
    blocks: list[Block] = [Bullets(tuple(items))]
    left = len(known) - MAX_TRIPWIRES
    if left > 0:
        blocks.append(Para((f"and {count(left, 'more tripwire')}",), "dim"))
    if common:
        blocks.append(Para((f"{'Both' if len(known) == 2 else 'All'}: ", say(known[0].reason, 160), "."), "dim"))
    return tuple(blocks)


def ids(values: Sequence[str], total: int = 0, *, most: int = MAX_IDS, places: Mapping[str, str] | None = None) -> Line:
    """Ids as code, at most `most`, how many more there are, and where one is seen in the same view."""
    out: list[Inline] = []
    for value in values[:most]:
        out += [", ", say(value, 64, "code")] if out else [say(value, 64, "code")]
        if places and value in places:
            out.append(f" ({places[value]})")
    left = max(total, len(values)) - min(most, len(values))
    if left > 0:
        out.append(f" and {left:,} more" if out else f"{left:,}")
    return tuple(out)


def tags(values: Sequence[str]) -> Line:
    """Tags, at most twelve, and how many more there are."""
    out: list[Inline] = []
    for value in values[:MAX_TAGS]:
        out += [", ", say(value, 64)] if out else [say(value, 64)]
    if len(values) > MAX_TAGS:
        out.append(f" and {len(values) - MAX_TAGS} more")
    return tuple(out)


def scores(final: float | None, judge: float | None) -> Line:
    """The panel's numbers, where there are any."""
    parts = []
    if final is not None:
        parts.append(f"panel score {whole(final)} of 100")
    if judge is not None:
        parts.append(f"judge confidence {whole(judge)} of 100")
    return (", ".join(parts),) if parts else ()


def n_tripped(wires: Sequence[Tripwire]) -> int:
    """How many have tripped."""
    return sum(wire.verdict == "tripped" for wire in wires)


def tripped_chip(wires: Sequence[Tripwire]) -> list[Line]:
    """What has tripped, said where it is seen first."""
    n = n_tripped(wires)
    return [(Chip(f"{n} of {count(len(wires), 'tripwire')} tripped", "▲", "bad"),)] if n else []


def origin(
    entry_id: str,
    panel_id: str,
    *,
    numbers: Line,
    labels: Sequence[str] = (),
    path: str | None = None,
    project: str | None = None,
) -> Line:
    """The line at the foot of a card: id, panel and its numbers, tags, document, project."""
    parts: list[Line] = [("id ", say(entry_id, 64, "code")), joined([("panel ", say(panel_id, 64)), numbers], ", ")]
    if labels:
        parts.append(("tags ", *tags(labels)))
    if path:
        parts.append(("from ", say(path, 160, "code")))
    if project:
        parts.append(("project ", say(project, 160, "code")))
    return joined(parts)


def fact(label: str, line: Line) -> list[Fact]:
    """A fact of one paragraph, or none where there is nothing to say."""
    return [Fact(label, (Para(line),))] if line else []


def kinds(counts: Iterable[tuple[str, int]]) -> Line:
    """`github-token 2, jwt 1`, most first."""
    out: list[Inline] = []
    for name, n in sorted(counts, key=lambda item: (-item[1], item[0]))[:12]:
        out += [", ", say(name, 40), f" {n:,}"] if out else [say(name, 40), f" {n:,}"]
    return tuple(out)
