"""`manifest.json`: which files make up the snapshot, what they were made from, how they must look.

The manifest is read strictly: a name that could leave the folder, ranges that do not join, a number of the wrong kind
make the whole of it void, and the snapshot is ignored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from memkit.model import jsontext
from memkit.model.problem import Problem
from memkit.model.tokens import TOKENS_VERSION
from memkit.snapshot.rows import ROWS_VERSION

FORMAT_VERSION = 1
VERSIONS = (FORMAT_VERSION, ROWS_VERSION, TOKENS_VERSION)
SEGMENT_NAME = re.compile(r"(?:(?:entries|postings)-[0-9a-f]{16}\.parquet|words-[0-9a-f]{16}\.arrow)", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


class ManifestDamage(ValueError):  # noqa: N818 - a finding about a file, carried as data
    """These bytes are not a manifest memkit can follow; the message says why."""


class OtherVersion(ManifestDamage):
    """Made by another memkit with other rows or other words; not damage, but of no use to this one."""

    def __init__(self, versions: tuple[object, ...]) -> None:
        self.is_newer = any(
            isinstance(theirs, int) and theirs > ours for theirs, ours in zip(versions, VERSIONS, strict=True)
        )
        super().__init__(f"format, rows and tokens are {versions}, here {VERSIONS}")


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """One file as it must be found.

    Attributes:
        name: In the folder `snapshots`.
        rows: Its rows.
        size: Its bytes.
        sha256: Of its bytes.
    """

    name: str
    rows: int
    size: int
    sha256: str

    def fits(self, data: bytes) -> bool:
        """Whether these are the file's bytes."""
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class Segment:
    """The rows of documents `first_doc` up to, not including, `end_doc`; numbers of entries that have left are free.

    Attributes:
        first_id: Smallest id in it.
        last_id: Largest id in it.
        entries: One row per entry.
        postings: One row per term and entry.
        words: The same by word, for ranking; its rows are words.
    """

    first_doc: int
    end_doc: int
    first_id: str
    last_id: str
    entries: SegmentFile
    postings: SegmentFile
    words: SegmentFile

    @property
    def files(self) -> tuple[SegmentFile, ...]:
        """Its files."""
        return self.entries, self.postings, self.words

    @property
    def n_docs(self) -> int:
        """How many document numbers."""
        return self.end_doc - self.first_doc


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the snapshot holds.

    Attributes:
        project_key: Whose it is.
        generation: Of the index it was made from.
        covered: The byte of the index up to which it reaches.
        fingerprint: Of the index's bytes before `covered`; see `reading.index_fingerprint`.
        live: Covered entries that could be read.
        segments: In the order of their documents.
        damaged: Damaged index lines before `covered`.
    """

    project_key: str
    generation: int
    covered: int
    fingerprint: str
    live: int = 0
    segments: tuple[Segment, ...] = ()
    damaged: tuple[Problem, ...] = ()

    @property
    def n_docs(self) -> int:
        """How many documents; the number of the next one."""
        return self.segments[-1].end_doc if self.segments else 0

    @property
    def files(self) -> tuple[SegmentFile, ...]:
        """Every file named."""
        return tuple(file for segment in self.segments for file in segment.files)

    def to_bytes(self) -> bytes:
        """The file's bytes."""
        return jsontext.dumps(
            {
                "format": FORMAT_VERSION,
                "rows": ROWS_VERSION,
                "tokens": TOKENS_VERSION,
                "project_key": self.project_key,
                "generation": self.generation,
                "covered": self.covered,
                "fingerprint": self.fingerprint,
                "live": self.live,
                "segments": [asdict(segment) for segment in self.segments],
                "damaged": [problem.to_dict() for problem in self.damaged],
            }
        )


def parse_manifest(data: bytes, project_key: str) -> Manifest:
    """Read a manifest of this project.

    Raises:
        OtherVersion: other rows or another way to find words.
        ManifestDamage: anything else that cannot be followed.
    """
    try:
        raw = jsontext.loads_object(data)
    except jsontext.JsonDamage as damage:
        raise ManifestDamage(str(damage)) from damage
    versions = (raw.get("format"), raw.get("rows"), raw.get("tokens"))
    if versions != VERSIONS:
        raise OtherVersion(versions)
    if raw.get("project_key") != project_key:
        raise ManifestDamage("belongs to another project")
    segments = tuple(_segment(item) for item in _list(raw, "segments"))
    expected = 0
    for segment in segments:
        if segment.first_doc != expected or segment.end_doc <= segment.first_doc:
            raise ManifestDamage("the ranges of its segments do not join")
        if not 0 < segment.entries.rows <= segment.n_docs:
            raise ManifestDamage("a segment has more entries than documents, or none")
        expected = segment.end_doc
    names = [file.name for segment in segments for file in segment.files]
    if len(set(names)) != len(names):
        raise ManifestDamage("names a file twice")
    live = _whole(raw, "live")
    if live > expected:
        raise ManifestDamage("counts more live entries than documents")
    return Manifest(
        project_key=project_key,
        generation=_whole(raw, "generation"),
        covered=_whole(raw, "covered"),
        fingerprint=_text(raw, "fingerprint"),
        live=live,
        segments=segments,
        damaged=tuple(_problem(item) for item in _list(raw, "damaged")),
    )


def _list(raw: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = raw.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ManifestDamage(f"{key} is not a list of objects")
    return value


def _whole(raw: Mapping[str, Any], key: str) -> int:
    value = raw.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ManifestDamage(f"{key} is not a whole number")
    return value


def _text(raw: Mapping[str, Any], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str):
        raise ManifestDamage(f"{key} is not text")
    return value


def _segment(raw: Mapping[str, Any]) -> Segment:
    return Segment(
        first_doc=_whole(raw, "first_doc"),
        end_doc=_whole(raw, "end_doc"),
        first_id=_text(raw, "first_id"),
        last_id=_text(raw, "last_id"),
        entries=_file(raw.get("entries"), "entries"),
        postings=_file(raw.get("postings"), "postings"),
        words=_file(raw.get("words"), "words"),
    )


def _file(raw: object, kind: str) -> SegmentFile:
    if not isinstance(raw, dict):
        raise ManifestDamage(f"{kind} is not an object")
    file = SegmentFile(_text(raw, "name"), _whole(raw, "rows"), _whole(raw, "size"), _text(raw, "sha256"))
    if not SEGMENT_NAME.fullmatch(file.name) or not file.name.startswith(f"{kind}-"):
        raise ManifestDamage(f"{file.name[:80]!r} cannot name a file of {kind}")
    if not _SHA256.fullmatch(file.sha256):
        raise ManifestDamage("sha256 is not a SHA-256")
    return file


def _problem(raw: Mapping[str, Any]) -> Problem:
    known = {field.name for field in fields(Problem)}
    try:
        return Problem(**{key: value for key, value in raw.items() if key in known})
    except TypeError as error:
        raise ManifestDamage("a damaged line is not described") from error
