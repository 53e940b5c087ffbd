"""The samples of three projects in one memory, and the questions labelled for them."""

from __future__ import annotations

import csv
import pathlib
from collections.abc import Mapping

from memkit.memory import Memory
from tests.quality.measures import Asked
from tests.quality.systems import Collection, collect

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / "data-samples"


def fill(memory: Memory) -> Collection:
    """Import the samples; answers are named as in the labels: `0021-an`, `20260414`, `thole-0002`, `2025-06-03`."""
    for project in ("wherry", "thole", "staithe"):
        memory.import_adr(SAMPLES / project / "docs")
    memory.import_consensus(SAMPLES / "wherry" / "panels")
    return collect(memory, {row["entry_id"]: _name(row["source_path"]) for row in memory.sql(_SOURCES).rows})


_SOURCES = "select entry_id, source_path from entries order by entry_id"


def _name(source: str) -> str:
    path = pathlib.PurePath(source)
    parts = path.stem.split("-")
    if path.suffix == ".json":
        return "-".join(parts[:3])
    project = path.parts[-4]
    if project != "wherry":
        return f"{project}-{parts[0]}"
    return "-".join(parts[:2]) if parts[0] == "0021" else parts[0]


def questions(collection: Collection) -> list[Asked]:
    """The labelled questions; what a chain's older member is labelled with, its head answers."""
    shown: Mapping[str, str] = {
        name: collection.names[collection.heads.get(entry_id, entry_id)] for entry_id, name in collection.names.items()
    }
    with (HERE / "queries.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        Asked(row["kind"], row["question"], frozenset(shown[name] for name in row["relevant"].split())) for row in rows
    ]
