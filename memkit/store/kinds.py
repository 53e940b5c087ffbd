"""Every kind of file that may stand in a project's store, and how the bytes of an entry leave it.

`docs/reference/files.md` shows the same list to people; a test compares the two. A new file joins here first: what it
is (truth, derived from truth, observed, or a lock) and which eraser takes an entry's bytes out of it. Erasing and the
byte scan after it walk this list, so a file that is not in it cannot be vouched for.

In a pattern, `<id>` is an entry's id, `<hex>` hexadecimal digits, `<key>` a project's key, `YYYY-MM-DD` a day, and any
other name in angle brackets one component of a path.
"""

from __future__ import annotations

import re
import stat
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from memkit.store import look
from memkit.store.paths import StorePaths

Role = Literal["truth", "derived", "observed", "lock"]
Eraser = Literal[
    "no text", "entry file", "index line", "segments", "lines", "reasons", "candidates", "trash", "quarantine",
    "log text", "a person", "leftover", "wipe",
]  # fmt: skip
ERASERS: dict[Eraser, str] = {
    "no text": "it never holds text of an entry",
    "entry file": "the file is removed",
    "index line": "its line is left out of the index, which is written anew",
    "segments": "the segments that hold it are written again without it",
    "lines": "lines that name it or quote it are left out",
    "reasons": "reasons that hold a fragment of it are replaced; the line stays",
    "candidates": "candidates that name it or quote it are left out; the file goes when none is left",
    "trash": "its file is removed, and its text from what was written down about it",
    "quarantine": "bytes that hold it are removed, with their note",
    "log text": "texts that quote it are replaced; the event stays, with ids and counts",
    "a person": "records are a person's own; those that cite it or quote it are listed",
    "leftover": "it is removed once its writer is gone",
    "wipe": "the wipe is carried to its end",
}
"""What each eraser does, in a few words."""

TEMP_NAME = re.compile(r"\..+\.(?P<pid>[0-9]{1,10})-[0-9a-f]{16}\.tmp", re.ASCII | re.DOTALL)
"""Names of memkit's temporary files."""
_PLACEHOLDERS = {"<id>": "[a-z0-9]{8,128}", "<hex>": "[0-9a-f]+", "<key>": "[0-9a-f]{12}"}
_PLACEHOLDER = re.compile(r"<[a-z_]+>|YYYY-MM-DD")


@dataclass(frozen=True)
class Kind:
    """One kind of file.

    Attributes:
        pattern: Its path from the project's folder in the store.
        role: What it is worth: `truth` is lost with it, `derived` can be made again, `observed` tells what happened.
        meaning: What it holds, in a few words.
        eraser: How the bytes of an entry leave it; see `ERASERS`.
    """

    pattern: str
    role: Role
    meaning: str
    eraser: Eraser

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        parts = []
        position = 0
        for match in _PLACEHOLDER.finditer(self.pattern):
            parts.append(re.escape(self.pattern[position : match.start()]))
            word = match.group()
            parts.append("[0-9]{4}-[0-9]{2}-[0-9]{2}" if word[0] == "Y" else _PLACEHOLDERS.get(word, "[^/]+"))
            position = match.end()
        parts.append(re.escape(self.pattern[position:]))
        return re.compile("".join(parts), re.ASCII)

    def matches(self, relative: str) -> bool:
        """Whether a file of this path (from the project's folder, with `/`) is of this kind."""
        return self._regex.fullmatch(relative) is not None


KINDS: tuple[Kind, ...] = (
    Kind("store.json", "truth", "format version, project, time of creation", "no text"),
    Kind("results/<id>.json", "truth", "one entry in its envelope", "entry file"),
    Kind("index.jsonl", "derived", "one line per entry", "index line"),
    Kind("index.generation", "derived", "raised before the index is rewritten", "no text"),
    Kind("snapshots/manifest.json", "derived", "what the snapshot covers, its files", "segments"),
    Kind("snapshots/entries-<hex>.parquet", "derived", "one row per entry", "segments"),
    Kind("snapshots/postings-<hex>.parquet", "derived", "one row per word and entry", "segments"),
    Kind("snapshots/words-<hex>.arrow", "derived", "the entries of each word, for ranking", "segments"),
    Kind("snapshots/vectors.parquet", "derived", "a vector for each entry, of an embedder", "segments"),
    Kind("snapshots/retention.json", "derived", "when the next entry can be due", "no text"),
    Kind("staging/<session_id>.json", "truth", "candidates of one session", "candidates"),
    Kind("deadletter/<name>.json", "truth", "a candidate that could not be reconciled", "candidates"),
    Kind("memory/<slug>.md", "truth", "a lesson, preference or decision record", "a person"),
    Kind("knowledge/<slug>.md", "truth", "a record of domain knowledge", "a person"),
    Kind("trash/records/<file>", "truth", "a record that a person deleted, and why", "a person"),
    Kind("trash/<id>.json", "truth", "a pruned entry in its envelope", "trash"),
    Kind("trash/plans.jsonl", "truth", "which plan moved which entry", "trash"),
    Kind("trash/<name>.kept", "truth", "what stood where an envelope was to be moved", "trash"),
    Kind("state/acknowledgements.jsonl", "truth", "acknowledged tripwires", "lines"),
    Kind("state/pins.jsonl", "truth", "which entries stay, and why", "lines"),
    Kind("state/holds.jsonl", "truth", "which entries must stay, and why", "lines"),
    Kind("state/receipts.jsonl", "truth", "what plans moved, back or for good, by id", "no text"),
    Kind("state/queries.jsonl", "truth", "saved queries", "lines"),
    Kind("state/record_hashes.jsonl", "observed", "hashes of records that memkit has seen", "no text"),
    Kind("state/erasures.jsonl", "truth", "which entries were erased, when and why", "reasons"),
    Kind("state/erasing.json", "truth", "the erasure under way; stands until it is done", "no text"),
    Kind("state/ledger.jsonl", "truth", "what became of each candidate, by keys, names and hashes", "no text"),
    Kind("memory/.<name>.pending", "truth", "new bytes of a record, on their way into place", "a person"),
    Kind("knowledge/.<name>.pending", "truth", "the same of knowledge", "a person"),
    Kind("state/<name>.jsonl", "truth", "what people said about entries", "lines"),
    Kind("firings.jsonl", "truth", "who recalled or read what", "lines"),
    Kind("quarantine/<name>.bin", "truth", "damaged bytes", "quarantine"),
    Kind("quarantine/<name>.json", "truth", "where damaged bytes stood, and why they were moved", "quarantine"),
    Kind("_logs/memory-YYYY-MM-DD.log", "observed", "audit events of one day", "log text"),
    Kind("_logs/memory-YYYY-MM-DD.parquet", "observed", "audit events of one closed day", "log text"),
    Kind("_logs/compacted.json", "observed", "which days became Parquet files, and their hashes", "no text"),
    Kind("_logs/current.log", "observed", "a link to the newest day", "no text"),
    Kind("_logs/audit.lock", "lock", "of all days' logs", "no text"),
    Kind(".memkit.lock", "lock", "of the index", "no text"),
    Kind(".snapshot.lock", "lock", "of the snapshot", "no text"),
    Kind(".import.lock", "lock", "of imports", "no text"),
    Kind("canonical-writer.lock", "lock", "of records", "no text"),
    Kind(".firings.lock", "lock", "of firings", "no text"),
    Kind(".sentinel.lock", "lock", "the file whose second name is the sentinel", "no text"),
    Kind("index.jsonl.lock", "lock", "stands only while a line is appended", "no text"),
    Kind(".wiped-<key>/<name>", "truth", "entries a wipe took away and has not yet removed", "wipe"),
)
"""Every kind; the first that matches counts."""

TEMPORARY = Kind(
    ".<name>.<pid>-<hex>.tmp",
    "derived",
    "a write under way, beside the file it is for; left over after a crash",
    "leftover",
)


def kind_of(relative: str) -> Kind | None:
    """The kind of the file at this path from the project's folder, or None where memkit knows no such file."""
    if TEMP_NAME.fullmatch(relative.rpartition("/")[2]):
        return TEMPORARY
    return next((kind for kind in KINDS if kind.matches(relative)), None)


def kinds_erased_by(eraser: Eraser) -> tuple[Kind, ...]:
    """The kinds that one eraser looks after."""
    return tuple(kind for kind in (*KINDS, TEMPORARY) if kind.eraser == eraser)


def unknown_files(paths: StorePaths) -> list[str]:
    """Files of a store that are of no known kind, by their path from the project's folder; links are named too."""
    return [
        paths.relative(path)
        for path, info in look.tree(paths.folder)
        if not stat.S_ISDIR(info.st_mode) and kind_of(paths.relative(path)) is None
    ]
