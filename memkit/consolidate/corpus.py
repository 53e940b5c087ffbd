"""The records a run works on: read once, kept true while the run changes them, before the changes are on disk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from memkit.consolidate.neighbours import Neighbours
from memkit.consolidate.shortlist import Likeness, Shortlist
from memkit.errors import StoreIOError
from memkit.model import tokens
from memkit.model.candidate import KIND_OF, Candidate, said_digest
from memkit.model.record import Record, read_record, record_hash, write_record
from memkit.store import records
from memkit.store.paths import StorePaths
from memkit.store.pending import NewBytes
from memkit.store.records import RECORD_FOLDERS

MAX_SHORTLIST = 5
# Below this share two texts on one topic are hardly ever about one matter; measured in docs/concepts/consolidation.md.
LEAST_ALIKE = 0.2
# A short text is never alike to a long one; with this share of the shorter one in the longer, it may be about it.
LEAST_INSIDE = 0.5
LEAST_COMMON = 3
_ALL = 1 - 1e-9
# Above this share a text says again what was superseded; to take it up anew is for a person to say.
SAYS_AGAIN = 0.5
_CATEGORY = {kind: category for category, kind in KIND_OF.items()}


@dataclass(frozen=True, slots=True)
class Held:
    """A record, and the bytes it was read from or will have."""

    record: Record
    data: bytes
    sha256: str


@dataclass(frozen=True, slots=True)
class Near:
    """A record that a candidate may be about.

    Attributes:
        record: The record.
        sha256: Of its bytes.
        alike: How alike the two are, 0 to 1.
        words: Words they share, the most telling first.
        is_same: Whether they say the same, word for word.
    """

    record: Record
    sha256: str
    alike: float
    words: tuple[str, ...]
    is_same: bool = False


class Corpus:
    """See the module."""

    def __init__(self, paths: StorePaths) -> None:
        self._paths = paths
        self._held: dict[str, Held] = {}
        self._names: set[str] = set()
        self._titled: dict[str, set[str]] = defaultdict(set)  # folded title -> paths
        self._same: dict[str, str] = {}  # digest of what a record says -> its path, active ones first
        read = records.read_all(paths)
        unreadable = next((file for file in read.files if file.state == "unreadable"), None)
        for problem in read.problems if read.is_partial else ():
            if problem.file in RECORD_FOLDERS:
                raise StoreIOError(problem.detail, file=paths.folder / problem.file, remedy=problem.remedy or None)
        if unreadable is not None:  # what it says decides what candidates are; an error of the disk is no answer
            records.require(paths, unreadable)
        self.problems = read.problems  # of files that say nothing, to whoever compares with them
        self._names |= {file.name for file in read.files}
        for file in read.files:
            if file.record is not None and file.data is not None and file.sha256 is not None:
                self._held[file.path] = Held(file.record, file.data, file.sha256)
        for held in sorted(self._held.values(), key=lambda each: (not each.record.is_active, each.record.path)):
            self._index(held.record)
        self._shortlist = Shortlist(held.record for held in self._held.values())
        self._past = Shortlist(replace(held.record, status="active") for held in self._held.values() if _is_past(held))
        self.neighbours = Neighbours([held.record for held in self._held.values()])

    def __len__(self) -> int:
        return len(self._shortlist)

    @property
    def names(self) -> set[str]:
        """Names that are taken, of damaged records too."""
        return self._names

    def get(self, path: str) -> Held | None:
        """The record at a path, as the run has it."""
        return self._held.get(path)

    def named(self, name: str) -> list[Held]:
        """Records with this slug, or else with this title; any standing."""
        wanted = name.strip().casefold()
        by_slug = [held for folder in RECORD_FOLDERS if (held := self._held.get(f"{folder}/{wanted}.md")) is not None]
        return by_slug or [self._held[path] for path in sorted(self._titled.get(wanted, ()))]

    def near(self, candidate: Candidate) -> tuple[Near, ...]:
        """The records a candidate may be about, the likest first.

        Those of its kind that are in force and alike enough, or where most of the shorter text stands in the longer;
        those it names, the one that says the same, and superseded ones that it says again.
        """
        text = tokens.terms("\n".join((candidate.title, candidate.text, *candidate.triggers, *candidate.tags)))
        found = self._shortlist.find(text, MAX_SHORTLIST, kind=candidate.kind)
        words = {match.path: match.words for match in found}
        same = self.same(candidate)
        named = {held.record.path for name in candidate.supersedes for held in self.named(name)}
        compared = self._shortlist.compare(text, {*words, *named, *([same] if same else [])})
        alike = {path: found.alike for path, found in compared.items()}
        paths = {path for path, found in compared.items() if _may_be_about(found)} | named | ({same} if same else set())
        if len(self._past):
            past = self._past.find(text, MAX_SHORTLIST, kind=candidate.kind)
            words |= {match.path: match.words for match in past}
            again = self._past.alike(text, {match.path for match in past} | (paths - set(alike)))
            alike |= again
            paths |= {path for path, share in again.items() if share >= SAYS_AGAIN}
        rows = [
            Near(held.record, held.sha256, alike.get(path, 0.0), words.get(path, ()), is_same=path == same)
            for path in paths
            if (held := self._held.get(path)) is not None
        ]
        return tuple(sorted(rows, key=lambda row: (not row.is_same, -row.alike, row.record.path)))

    def same(self, candidate: Candidate) -> str | None:
        """The record that says the same, word for word, active ones first."""
        for text in (candidate.text, body_of(candidate)):
            path = self._same.get(said_digest(candidate.category, text))
            if path is not None:
                return path
        return None

    def put(self, record: Record) -> NewBytes:
        """Take a record as it shall be; the bytes it needs.

        Raises:
            RecordDamage: it has no form on disk.
        """
        before = self._held.get(record.path)
        data = write_record(record, before.data if before else None)
        kept = read_record(record.folder, record.slug, data)
        held = Held(kept, data, record_hash(data))
        self._take(held)
        return NewBytes(record.path, data, before.sha256 if before else None)

    def take_back(self, path: str) -> None:
        """See a record again as it is on disk."""
        self._forget(path)
        folder, _, name = path.partition("/")
        file = records.read(self._paths, folder, name.removesuffix(".md"))
        if file.record is not None and file.data is not None and file.sha256 is not None:
            self._take(Held(file.record, file.data, file.sha256))

    def _forget(self, path: str) -> None:
        held = self._held.pop(path, None)
        if held is not None:
            self.neighbours.drop(held.record)
            self._titled[held.record.title.casefold()].discard(path)
        self._shortlist.drop(path)
        self._past.drop(path)
        self._same = {digest: where for digest, where in self._same.items() if where != path}

    def _take(self, held: Held) -> None:
        record = held.record
        before = self._held.get(record.path)
        if before is not None:
            self._titled[before.record.title.casefold()].discard(record.path)
        self._held[record.path] = held
        self._names.add(record.slug)
        self._shortlist.put(record)
        if _is_past(held):
            self._past.put(replace(record, status="active"))
        self.neighbours.put(record)
        self._index(record)

    def _index(self, record: Record) -> None:
        self._titled[record.title.casefold()].add(record.path)
        category = _CATEGORY[record.kind]
        for text in (record.body, _without_heading(record.body)):
            digest = said_digest(category, text)
            other = self._held.get(self._same.get(digest, ""))
            if other is None or (record.is_active and not other.record.is_active):
                self._same[digest] = record.path


def _may_be_about(found: Likeness) -> bool:
    if found.alike >= LEAST_ALIKE:
        return True
    # One word in common says nothing, however short the text; two do where they are all there is.
    least = LEAST_COMMON if found.inside < _ALL else 2
    return found.inside >= LEAST_INSIDE and found.n_common >= least


def _is_past(held: Held) -> bool:
    return not held.record.is_active


def _without_heading(body: str) -> str:
    first, _, rest = body.partition("\n")
    return rest.strip() if first.startswith("#") and rest.strip() else body


def body_of(candidate: Candidate) -> str:
    """What the record of a candidate says: its title as a heading, its text, a decision's tripwires."""
    text = candidate.text.strip()
    title = " ".join(candidate.title.split())
    same = said_digest(candidate.category, title) == said_digest(candidate.category, text)
    parts = [f"# {title}"] if title and not text.startswith("#") else []
    if not same or not parts:
        parts.append(_begun(text))
    missing = [wire for wire in candidate.tripwires if wire not in text]
    if missing:
        parts.append("## Tripwire conditions\n\n" + "\n".join(f"- {' '.join(wire.split())}" for wire in missing))
    return "\n\n".join(parts)


def _begun(text: str) -> str:
    """A text that stood behind a label, beginning as a sentence does; what is no plain word stays as it is."""
    first = text.split(maxsplit=1)[0].rstrip(",;:.") if text else ""
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


def joined(old: str, new: str) -> str:
    """Two texts as one, without repeating paragraphs of the first; the first one's heading stays."""
    known = {_folded(part) for part in old.split("\n\n")}
    fresh = [part for part in _without_heading(new).split("\n\n") if part.strip() and _folded(part) not in known]
    return "\n\n".join([old.strip(), *fresh])


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def with_source(record: Record, source: str, most: int = 50) -> Record:
    """The record with one more source, unless it has it or has too many."""
    if source in record.sources or len(record.sources) >= most:
        return record
    return replace(record, sources=(*record.sources, source))


def hashes(near: tuple[Near, ...]) -> Mapping[str, str]:
    """SHA-256 by path."""
    return {row.record.path: row.sha256 for row in near}
