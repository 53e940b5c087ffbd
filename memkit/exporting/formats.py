"""How entries look in each format, as files that are written one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from memkit.exporting import columns
from memkit.exporting.report import Format, LeftOut
from memkit.importers import consensus
from memkit.importers.note import split_front
from memkit.model import jsontext
from memkit.model.decision import read_decision
from memkit.model.entry import StoredEntry
from memkit.model.result import synthesis_text

PART_ROWS: Final = 8192
PART_BYTES: Final = 64 * 1024 * 1024
_NAME: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file to be written.

    Attributes:
        name: In the export's folder.
        parts: Its bytes, one entry each where that can be said; read once.
        rows: Says, once `parts` is used up, how many entries they were.
    """

    name: str
    parts: Iterator[bytes]
    rows: Callable[[], int]


Skip = Callable[[LeftOut], None]
Plans = Callable[[Iterable[StoredEntry], str, Skip], Iterator[FilePlan]]


def jsonl(entries: Iterable[StoredEntry], folder: str, skip: Skip) -> Iterator[FilePlan]:  # noqa: ARG001
    """One envelope a line, as it is on disk; what `memkit import memkit` reads."""
    yield _counted(f"{folder}entries.jsonl", (entry.to_bytes() for entry in entries))


def parquet(entries: Iterable[StoredEntry], folder: str, skip: Skip) -> Iterator[FilePlan]:  # noqa: ARG001
    """Parts of some thousand rows in a folder named by the project's key."""
    for number, batch in enumerate(_batches(entries)):
        name = f"{folder}part-{number:05d}.parquet"
        yield FilePlan(name, iter((columns.encode([columns.row(entry) for entry in batch]),)), _told(len(batch)))


def consensus_results(entries: Iterable[StoredEntry], folder: str, skip: Skip) -> Iterator[FilePlan]:
    """One result a file, as `memkit import consensus` reads it; an entry that is none is left out."""
    for entry in entries:
        whole = {
            "panelId": entry.panel_id,
            "tags": list(entry.tags),
            "result": {"question": entry.question, **entry.result},
        }
        if not consensus.signs_of(whole):
            skip(LeftOut(entry.project_key, entry.id, "no panel's result: it has no rounds, synthesis or score"))
            continue
        text = json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        yield FilePlan(f"{folder}{entry.id}.json", iter((text.encode(),)), _told(1))


def markdown(entries: Iterable[StoredEntry], folder: str, skip: Skip) -> Iterator[FilePlan]:  # noqa: ARG001
    """One page a file, named by day and title, with what is known of the entry above its text."""
    for entry in entries:
        read = read_decision(entry)
        day = (read.decided_on or entry.stored_at.date()).isoformat()
        words = _NAME.sub("-", read.title.casefold()).strip("-_")[:60].strip("-") or "entry"
        name = f"{day}-{words}-{entry.id[-8:]}.md"
        yield FilePlan(f"{folder}{name}", iter((_page(entry).encode("utf-8"),)), _told(1))


FORMATS: Final[dict[Format, Plans]] = {
    "jsonl": jsonl,
    "parquet": parquet,
    "markdown": markdown,
    "consensus": consensus_results,
}


def _page(entry: StoredEntry) -> str:
    read = read_decision(entry)
    head: dict[str, Any] = {
        "id": entry.id,
        "title": read.title,
        "status": read.raw_status or (None if read.status == "unknown" else read.status),
        "date": read.decided_on.isoformat() if read.decided_on else None,
        "stored_at": entry.stored_at.isoformat(),
        "panel": entry.panel_id,
        "tags": list(entry.tags),
        "source": entry.source.path if entry.source else None,
        "replaces": entry.replaces,
    }
    # JSON is YAML, so any text stands in it as it is.
    lines = [
        f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items() if value not in (None, [])
    ]
    body = split_front(synthesis_text(entry.result))[1].strip("\n")
    parts = ["---", *lines, "---", ""]
    if not any(line.startswith("# ") for line in body.split("\n")):
        parts += [f"# {' '.join(read.title.split())}", ""]
    if body:
        parts += [body, ""]
    said = "".join(body.split())
    if read.conclusion and "".join(read.conclusion.split()) not in said:
        parts += ["## Decision", "", read.conclusion, ""]
    if read.tripwires and not all("".join(wire.split()) in said for wire in read.tripwires):
        parts += ["## Tripwire conditions", "", *(f"- {' '.join(wire.split())}" for wire in read.tripwires), ""]
    return "\n".join(parts)


def _batches(entries: Iterable[StoredEntry]) -> Iterator[list[StoredEntry]]:
    held: list[StoredEntry] = []
    size = 0
    for entry in entries:
        held.append(entry)
        size += len(jsontext.dumps(dict(entry.result)))
        if len(held) >= PART_ROWS or size >= PART_BYTES:
            yield held
            held, size = [], 0
    if held:
        yield held


def _counted(name: str, parts: Iterable[bytes]) -> FilePlan:
    n = 0

    def counting() -> Iterator[bytes]:
        nonlocal n
        for part in parts:
            n += 1
            yield part

    return FilePlan(name, counting(), lambda: n)


def _told(n: int) -> Callable[[], int]:
    return lambda: n
