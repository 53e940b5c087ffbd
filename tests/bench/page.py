"""`python -m tests.bench.page FILE...` writes the tables of docs/concepts/performance.md anew from what was measured.

Each FILE was written by `python -m tests.bench --sizes ... --json FILE` or by `--bad ... --json FILE`; of two with the
same size, the later one counts. What stands between the marks is replaced, all other text is left as it is.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tests.bench.bench_sizes import LONGEST, MEMKIT, MIXES
from tests.bench.rivals import Fts5, Fts5Filled, Scan

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "concepts" / "performance.md"
Row = Mapping[str, Any]
_HEADS = {Fts5Filled.name: "FTS5, filled at once"}


def tables(measured: Sequence[Row], bad: Row | None) -> dict[str, str]:
    """Markdown by the name of its place in the page."""
    found = {"questions": "\n\n".join(map(_questions, measured)), "ratios": _ratios(measured)}
    found |= {"more": _by_size(measured, _MORE), "writing": _by_size(measured, _WRITING)}
    return found | ({"bad": _bad(bad)} if bad else {})


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _median(row: Row | None) -> float | None:
    return row["cpu"]["median"] if row and row.get("cpu") else None


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value * 1e3:,.1f}"


def _questions(measured: Row) -> str:
    systems = measured["systems"]
    shown = [name for name, row in systems.items() if "recall" in row]
    rows = [[mix, *(_ms(_median(systems[name]["recall"].get(mix))) for name in shown)] for mix in MIXES]
    rows.append(["first hit of a new process", *(_ms(_median(systems[name].get("cold"))) for name in shown)])
    rows.append(
        ["MB of memory at most", *(f"{(systems[n].get('memory') or {}).get('peak_mb', 0):,.0f}" for n in shown)]
    )
    rows.append(["MB on disk", *(f"{systems[name]['disk_mb']:,.0f}" for name in shown)])
    rows[-2] = [cell if cell != "0" else "" for cell in rows[-2]]
    rows[-1] = [cell if cell != "0" else "" for cell in rows[-1]]
    words = f"{measured['size']:,} entries of {measured['words']} words:"
    text = f"{words}\n\n{_table(['', *(_HEADS.get(name, name) for name in shown)], rows)}"
    stopped = [name for name, row in systems.items() if row.get("stopped")]
    if stopped:
        text += f"\n\nStopped, because filling them took more than {LONGEST:.0f} s by the clock: {', '.join(stopped)}."
    return text


def _ratios(measured: Sequence[Row]) -> str:
    rows = []
    for each in measured:
        systems = each["systems"]
        cells = [f"{each['size']:,}"]
        for rival, upside_down in ((Scan.name, False), (Fts5Filled.name, True)):
            found = [
                ours / theirs if upside_down else theirs / ours
                for mix in MIXES
                if mix != "a word nobody wrote"
                and (ours := _median(systems[MEMKIT]["recall"].get(mix)))
                and (theirs := _median(systems.get(rival, {}).get("recall", {}).get(mix)))
            ]
            cells.append(f"{min(found):,.1f} to {max(found):,.1f}" if found else "")
        rows.append(cells)
    return _table(["entries", "times faster than the index scan", "times as long as FTS5, filled at once"], rows)


def _more(name: str) -> Callable[[Row], str]:
    return lambda each: _ms(_median(each["systems"][MEMKIT]["more"].get(name)))


def _store(name: str) -> Callable[[Row], str]:
    return lambda each: _ms(each["store"][name]["cpu"])


_MORE: dict[str, Callable[[Row], str]] = {
    "a panel and a tag": _more("recall, a panel and a tag"),
    "other spellings (`fuzzy`)": _more("recall, fuzzy"),
    "a half-life": _more("recall, half-life"),
    "what was decided": _more("what was decided"),
    "an aggregate in SQL": _more("SQL aggregate"),
    "retention review": _more("retention review"),
}
_WRITING: dict[str, Callable[[Row], str]] = {
    "durable store of one entry, times the bare system calls, by the clock": lambda each: (
        f"{_one(each, MEMKIT) / _one(each, 'bare system calls'):.1f}"
    ),
    "durable store of one entry, ms by the clock": lambda each: _ms(_one(each, MEMKIT)),
    "the same in FTS5": lambda each: _ms(_one(each, Fts5.name) or _one(each, Fts5Filled.name)),
    "40 entries at once, times faster than one by one": lambda each: (
        f"{_one(each, MEMKIT) / each['store']['batch, each']:.1f}"
    ),
    "making the snapshot, s": lambda each: f"{each['systems'][MEMKIT]['fill']['cpu']:,.1f}",
    "MB of memory at most, doing so": lambda each: f"{each['systems'][MEMKIT]['fill']['peak_mb']:,.0f}",
    "taking 100 new entries into it": _store("absorb 100"),
    "of making it": lambda each: f"{each['store']['absorb 100']['cpu'] / each['systems'][MEMKIT]['fill']['cpu']:.1%}",
    "refresh after that": _store("refresh after that"),
    "a question after a store of one's own": _store("recall after it"),
    "snapshot, as a share of the JSON it covers": lambda each: f"{each['snapshot_share']:.0%}",
}


def _one(each: Row, name: str) -> float:
    return (each["store"]["one by one"].get(name) or {}).get("median", 0.0)


def _by_size(measured: Sequence[Row], lines: Mapping[str, Callable[[Row], str]]) -> str:
    head = ["", *(f"{each['size']:,}" for each in measured)]
    return _table(head, [[name, *(cell(each) for each in measured)] for name, cell in lines.items()])


def _bad(bad: Row) -> str:
    rows = []
    for name, row in bad.items():
        if isinstance(row, dict) and "made" in row:
            made, asked = row["made"], row["asked"]
            cells = [f"{made['cpu']:.1f}", f"{made['peak_mb']:,.0f}", _ms(asked["median"]), f"{asked['peak_mb']:,.0f}"]
            rows.append([f"{row['entries']:,} entries, {name}", *cells])
    text = _table(["", "snapshot, s", "MB at most", "question", "MB at most"], rows)
    told = [bad[name] for name in ("long entry", "long question") if name in bad]
    lines = [f"- {each['said']}: {_ms(each['cpu'])}, at most {each['peak_mb']:,.0f} MB" for each in told]
    return "\n".join([text, "", *lines])


def main(files: Sequence[str]) -> int:
    measured: dict[int, Row] = {}
    bad: Row | None = None
    for file in files:
        found = json.loads(pathlib.Path(file).read_text("utf-8"))
        measured |= {each["size"]: each for each in found.get("sizes", ())}
        bad = found if "vocabulary" in found else bad
    text = PAGE.read_text("utf-8")
    for name, table in tables([measured[size] for size in sorted(measured)], bad).items():
        pattern = re.compile(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        text, n = pattern.subn(lambda match, table=table: f"{match[1]}\n{table}\n\n{match[2]}", text)
        if n != 1:
            print(f"{PAGE}: {n} places for {name}")
            return 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
