"""`mem.records`: what is done with records; each operation is linted, durable, and in the audit log.

A record is also a file that people edit by hand. What a person changed is noticed at the next look and said once in the
log (`external_edit`). An edit is made for what was last read here: if the file has changed since, it is refused.

Operations on one record hold the canonical-writer lock only for their own time; where somebody else holds it they fail
at once and name the holder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Final

from memkit import clock as clocks
from memkit.consolidate.lint import LintReport, lint, lint_record, new_errors
from memkit.consolidate.neighbours import Neighbours
from memkit.consolidate.record_fields import Texts, body_of, extra_of, status_of, texts_of
from memkit.consolidate.record_results import (
    DeletedRecords,
    RecordHit,
    RecordHits,
    RecordList,
    RecordReceipt,
    ShownRecord,
)
from memkit.consolidate.shortlist import Shortlist
from memkit.errors import InvalidInputError, LintError, LockedError, MemkitError, RecordNotFoundError, StoreError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.frozen import FrozenMapping
from memkit.model.lint_finding import Finding
from memkit.model.record import Record, normal_body, record_path, title_of
from memkit.model.slugs import free_slug, require_slug
from memkit.store import canonical, deleted_records, external_edits, look, record_events, record_sets, records
from memkit.store.lock import HeldLock
from memkit.store.records import RecordFile, RecordFiles, RecordsRead, folder_of
from memkit.store.store import Store

MAX_LIMIT: Final = 1_000
MAX_NAMED: Final = 12
MAX_REASON_CHARS: Final = 2_000
_UNCHANGED: Final[Any] = object()


class RecordTools:
    """See the module; made by Memory."""

    def __init__(self, store: Store, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._files = RecordFiles(store.paths)
        self._read: dict[str, str] = {}  # the bytes last read or written here, by path
        self._shortlist: tuple[RecordsRead, Shortlist, dict[str, RecordFile]] | None = None

    def __repr__(self) -> str:
        return f"<RecordTools of {self._store.paths.project_path!r}>"

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, kind: str, slug: str) -> ShownRecord:
        """One record; that it was read is written down in the audit log.

        Args:
            kind: `lesson`, `preference`, `decision` or `domain`.
            slug: Its name.

        Raises:
            RecordNotFoundError: there is none of this kind and name.
            DamagedError: its file cannot be read as a record; it is kept.
        """
        with self._audited("record_usage", "read", kind=kind, slug=slug) as said:
            self._look_for_edits()
            file = self._saw(records.read(self._store.paths, folder_of(kind), slug))
            shown = self._shown(file, records.require(self._store.paths, file))
            said["result_count"] = 1
        self._store.firings.note("read", [shown.record.path])
        return shown

    def find(self, slug: str) -> ShownRecord:
        """One record by its name alone; otherwise as `read`."""
        require_slug(slug)
        with self._audited("record_usage", "read", slug=slug) as said:
            self._look_for_edits()
            file = self._saw(records.find(self._store.paths, slug))
            shown = self._shown(file, records.require(self._store.paths, file))
            said |= {"kind": shown.record.kind, "result_count": 1}
        self._store.firings.note("read", [shown.record.path])
        return shown

    def kind_of(self, slug: str) -> str:
        """The kind of a record, for a tool that is about to change it; nobody has read it by that.

        Raises:
            RecordNotFoundError: there is none of this name.
            DamagedError: its file cannot be read as a record; it is kept.
        """
        require_slug(slug)
        return records.require(self._store.paths, records.find(self._store.paths, slug)).kind

    def list(self, kind: str | None = None, *, status: str | None = None) -> RecordList:
        """All records, newest first, and the files that could not be read as one.

        Args:
            kind: Only records of this kind.
            status: Only `active` or `superseded` ones.

        Raises:
            InvalidInputError: a kind or status that does not exist.
        """
        if kind is not None:
            folder_of(kind)
        if status not in {None, "active", "superseded"}:
            raise InvalidInputError(f"{status!r:.40} is neither active nor superseded", field="status")
        read = self._look_for_edits()
        rows = [self._shown(file, file.record) for file in map(self._saw, read.files) if file.record is not None]
        chosen = [r for r in rows if kind in {None, r.record.kind} and status in {None, r.record.status}]
        chosen.sort(key=lambda r: (-_ms(r.record), r.record.path))
        asked = FrozenMapping(
            {name: value for name, value in (("kind", kind), ("status", status)) if value is not None}
        )
        return RecordList(tuple(chosen), read.problems, self._store.clock.now(), asked)

    def query(self, text: str, kind: str | None = None, *, limit: int = 10) -> RecordHits:
        """Active records that share words with a text, best first; for a full answer with entries use `recall`.

        Args:
            text: Any text.
            kind: Only records of this kind.
            limit: 1 to 1,000.

        Raises:
            InvalidInputError: an option out of its range.
        """
        jsontext.require_text(text, "text")
        if kind is not None:
            folder_of(kind)
        if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MAX_LIMIT:
            raise InvalidInputError(f"{limit!r:.40} is not 1 to {MAX_LIMIT:,}", field="limit")
        about = {"kind": kind} if kind else {}
        with self._audited("record_usage", "query", query=text, **about) as said:
            shortlist, files = self._shortlisted()
            found = shortlist.find(text, MAX_LIMIT, kind=kind)
            rows = [
                RecordHit(record, file.sha256 or "", match.score, match.words, rank)
                for rank, match in enumerate(found[:limit], start=1)
                if (file := files[match.path]) and (record := file.record) is not None
            ]
            said["result_count"] = len(rows)
        n_matched = len(found) if len(found) < MAX_LIMIT else None
        now, asked = self._store.clock.now(), FrozenMapping({"kind": kind} if kind else {})
        return RecordHits(tuple(rows), text, len(shortlist), now, n_matched, asked)

    def lint(self) -> LintReport:
        """What the linter has to say about every record; changes none."""
        return lint(self._store, self._look_for_edits())

    # -- writing -------------------------------------------------------------------------------------------------

    def write(
        self,
        kind: str,
        slug: str | None = None,
        *,
        body: str,
        title: str | None = None,
        sources: Texts = (),
        triggers: Texts = (),
        tags: Texts = (),
        supersedes: Texts = (),
        extra: Mapping[str, Any] | None = None,
        reason: str = "",
    ) -> RecordReceipt:
        """Write a new record; it is on disk when this returns.

        Args:
            kind: `lesson`, `preference`, `decision` or `domain`.
            slug: Its name; made from the title by default.
            body: Markdown.
            title: Put above the body as a heading, where the body has none.
            sources: Where it comes from.
            triggers: Situations in which it should come to mind.
            tags: Words to find it by.
            supersedes: Names of records it replaces; they are marked as superseded by it, all together or not at all.
            extra: Further keys of the front matter, plain data.
            reason: Why, for the audit log.

        Raises:
            LintError: its `findings` say what is wrong; nothing was written.
            ConflictError: there is a record of this name.
            LockedError: somebody else writes records.
            StoreError: the disk or a permission stood in the way.
        """
        folder = folder_of(kind)
        text = body_of(body, title)
        with self._changing("write", kind, slug or "", reason) as (held, said):
            read = self._files.read_all()
            neighbours = Neighbours(read.records)
            if slug is None:
                taken = {file.name for file in read.files}
                slug = free_slug(title or title_of(text), taken, fallback=kind)
            said |= {"slug": slug, "path": record_path(kind, slug)}
            now = self._store.clock.now()
            record = Record(
                slug=slug,
                kind=kind,  # type: ignore[arg-type]  # folder_of has looked
                body=text,
                created_at=now,
                updated_at=now,
                sources=texts_of(sources, "sources"),
                supersedes=texts_of(supersedes, "supersedes"),
                triggers=texts_of(triggers, "triggers"),
                tags=texts_of(tags, "tags"),
                extra=extra_of(extra or {}),
            )
            older = [(file, file.record) for file in read.files if file.record and file.name in record.supersedes]
            flipped = [
                (replace(each, status="superseded", superseded_by=slug, updated_at=now), file.sha256)
                for file, each in older
                if each.is_active and each.slug != slug
            ]
            for _, each in older:  # they are about to say so too
                if each.slug != slug:
                    neighbours.put(replace(each, superseded_by=slug))
            findings = self._linted(record, neighbours, (), said)
            there = records.read(self._store.paths, folder, slug)
            for file in [*([there] if there.state == "missing" else []), *(file for file, _ in older)]:
                self._settle(held, file)
            kept, *others = record_sets.put_all(self._store, held, [(record, None), *flipped])
            said["after_hash"] = kept.after_hash
            self._read |= {each.record.path: each.after_hash for each in (kept, *others)}
            said["_then"] = [record_events.superseded(each) for each in others]
            also = tuple(each.record.path for each in others)
        return RecordReceipt("write", kept.record, record.path, None, kept.after_hash, findings, also)

    def edit(
        self,
        kind: str,
        slug: str,
        *,
        body: str = _UNCHANGED,
        status: str = _UNCHANGED,
        sources: Texts = _UNCHANGED,
        triggers: Texts = _UNCHANGED,
        tags: Texts = _UNCHANGED,
        supersedes: Texts = _UNCHANGED,
        superseded_by: str | None = _UNCHANGED,
        extra: Mapping[str, Any] = _UNCHANGED,
        expected_hash: str | None = None,
        reason: str = "",
    ) -> RecordReceipt:
        """Change a record; what is not given stays, and so does every line that says it.

        Args:
            kind: Of the record.
            slug: Its name.
            body: The whole new text.
            status: `active` or `superseded`.
            sources: All of them.
            triggers: All of them.
            tags: All of them.
            supersedes: All of them.
            superseded_by: The name of its successor, or None; the status follows unless it is given.
            extra: Further keys to set; a value of None takes a key away.
            expected_hash: SHA-256 of the bytes the change is made for; by default those last read or written here.
            reason: Why, for the audit log.

        Raises:
            ConflictError: the file has other bytes by now; nothing was written.
            LintError: the change brings errors that were not there before; nothing was written.
            RecordNotFoundError, DamagedError: there is no such record, or it cannot be read.
            LockedError: somebody else writes records.
        """
        folder = folder_of(kind)
        require_slug(slug)
        with self._changing("edit", kind, slug, reason) as (held, said):
            file = records.read(self._store.paths, folder, slug)
            self._settle(held, file)
            before = records.require(self._store.paths, file)
            said |= {"kind": before.kind, "path": before.path, "before_hash": file.sha256}
            _require_kind(before, kind)
            known = expected_hash or self._read.get(before.path) or file.sha256
            wanted = {
                "body": body if body is _UNCHANGED else normal_body(jsontext.require_text(body, "body")),
                "status": status if status is _UNCHANGED else status_of(status),
                "superseded_by": superseded_by,
                **{
                    name: value if value is _UNCHANGED else texts_of(value, name)
                    for name, value in (
                        ("sources", sources), ("triggers", triggers), ("tags", tags), ("supersedes", supersedes)
                    )
                },
            }  # fmt: skip
            changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not _UNCHANGED}
            if "superseded_by" in changes and "status" not in changes:
                changes["status"] = "superseded" if changes["superseded_by"] else "active"
            if extra is not _UNCHANGED:
                merged = {**before.extra, **extra_of(extra)}
                changes["extra"] = FrozenMapping({key: value for key, value in merged.items() if value is not None})
            record = replace(before, **changes)
            if record != before:
                record = replace(record, updated_at=self._store.clock.now())
            neighbours = Neighbours(self._files.read_all().records)
            earlier = lint_record(before, neighbours, self._store.scrubber)
            findings = self._linted(record, neighbours, earlier, said)
            kept = records.put(self._store, held, record, expected_hash=known)
            said |= {"before_hash": kept.before_hash, "after_hash": kept.after_hash}
            self._read[record.path] = kept.after_hash
        return RecordReceipt("edit", kept.record, record.path, kept.before_hash, kept.after_hash, findings)

    def delete(self, kind: str, slug: str, *, reason: str, expected_hash: str | None = None) -> RecordReceipt:
        """Move a record to `trash/records/`, whether it can be read or not; it is there, with its reason, until erased.

        Args:
            kind: Of the record.
            slug: Its name.
            reason: Why; kept beside the bytes.
            expected_hash: SHA-256 of the bytes that are meant; by default those last read or written here, if any were.

        Raises:
            RecordNotFoundError: there is no such record.
            ConflictError: the file has other bytes by now; nothing was moved.
            InvalidInputError: no reason.
            LockedError: somebody else writes records.
        """
        folder = folder_of(kind)
        require_slug(slug)
        why = jsontext.require_text(reason, "reason").strip()
        if not why or len(why) > MAX_REASON_CHARS:
            raise InvalidInputError(
                f"has {len(why):,} characters",
                field="reason",
                remedy=f"Say why in 1 to {MAX_REASON_CHARS:,} characters.",
            )
        with self._changing("delete", kind, slug, why) as (held, said):
            file = records.read(self._store.paths, folder, slug)
            self._settle(held, file)
            if file.record is not None:
                _require_kind(file.record, kind)
            known = expected_hash or self._read.get(file.path)
            clean = self._store.scrubber.scrub_text(why).text
            gone = deleted_records.remove(self._store, held, folder, slug, expected_hash=known, reason=clean)
            said |= {"path": gone.path, "before_hash": gone.before_hash}
            self._read.pop(gone.path, None)
        left = self._naming(slug)
        return RecordReceipt("delete", file.record, gone.path, gone.before_hash, None, left, kept_as=gone.kept_as)

    def deleted(self) -> DeletedRecords:
        """Records that were deleted and lie in the trash, the last deleted first; `restore` puts one back."""
        return DeletedRecords(tuple(deleted_records.listed(self._store.paths)), self._store.clock.now())

    def restore(self, slug: str, *, kind: str | None = None, reason: str = "") -> RecordReceipt:
        """Put the record of this name that was deleted last back where it was, byte by byte.

        Args:
            slug: Its name.
            kind: Of the record, where one of each folder was deleted.
            reason: Why, for the audit log.

        Raises:
            RecordNotFoundError: none of this name lies in the trash; the remedy names what does.
            ConflictError: another record of its name is there; nothing was moved.
            LockedError: somebody else writes records.
        """
        folder = None if kind is None else folder_of(kind)
        require_slug(slug)
        with self._changing("write", kind or "", slug, reason or "restored") as (held, said):
            trash = deleted_records.listed(self._store.paths)
            mine = [each for each in trash if each.slug == slug and folder in {None, each.folder}]
            if not mine:
                names = ", ".join(dict.fromkeys(each.slug for each in trash[:MAX_NAMED]))
                raise RecordNotFoundError(
                    f"no record {slug} lies in the trash",
                    field="slug",
                    remedy=f"There are: {names}." if names else "No record was deleted.",
                )
            there = records.read(self._store.paths, mine[0].folder, slug)  # a call that was cut off put it back
            said |= {"path": mine[0].path, "before_hash": there.sha256}
            file = deleted_records.put_back(self._store, held, mine[0])
            said |= {"after_hash": file.sha256, "kind": file.record.kind if file.record else None}
            self._read.pop(file.path, None)
        findings: tuple[Finding, ...] = ()
        if file.record is not None:
            findings = lint_record(file.record, Neighbours(self._files.read_all().records), self._store.scrubber)
        return RecordReceipt("restore", file.record, file.path, None, file.sha256, findings)

    # -- inside --------------------------------------------------------------------------------------------------

    def _look_for_edits(self) -> RecordsRead:
        """Read all records; what a person changed is said in the audit log, once."""
        read = self._files.read_all()
        if (read.files or look.exists(self._store.paths.record_hashes)) and self._store.exists:
            with suppress(StoreError):  # what was seen cannot be read: left to the next look
                external_edits.notice(self._store, read, self._store.seen_records.read())
        return read

    def _shortlisted(self) -> tuple[Shortlist, dict[str, RecordFile]]:
        """The active records by their words, kept for as long as no file changes."""
        read = self._look_for_edits()
        if self._shortlist is None or self._shortlist[0] is not read:
            self._shortlist = (read, Shortlist(read.records), {file.path: file for file in read.files})
        return self._shortlist[1:]

    def _saw(self, file: RecordFile) -> RecordFile:
        """Remember which bytes were shown: an edit is made for them."""
        if file.sha256 is not None:
            self._read[file.path] = file.sha256
        return file

    def _shown(self, file: RecordFile, record: Record) -> ShownRecord:
        return ShownRecord(record, file.sha256 or "", self._store.clock.now())

    def _settle(self, held: HeldLock, file: RecordFile) -> None:
        external_edits.settle_one(self._store, held, file)

    def _naming(self, slug: str) -> tuple[Finding, ...]:
        """What the linter now says about records that name one that is gone."""
        read = self._files.read_all()
        neighbours = Neighbours(read.records)
        naming = [each for each in read.records if slug in {*each.supersedes, each.superseded_by}]
        found = [f for each in naming for f in lint_record(each, neighbours, self._store.scrubber)]
        return tuple(f for f in found if f.code == "dangling-reference" and f.detail.endswith(f" {slug}"))

    def _linted(
        self, record: Record, neighbours: Neighbours, before: Iterable[Finding], said: dict[str, Any]
    ) -> tuple[Finding, ...]:
        """What the linter says; errors that were not there before refuse the write."""
        findings = lint_record(record, neighbours, self._store.scrubber)
        errors = new_errors(findings, tuple(before))
        if errors:
            said |= {"reason": "linter_failed", "findings": [finding.code for finding in errors]}
            first = errors[0]
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise LintError(
                f"{first.code}: {first.detail}{more}",
                file=record_path(record.kind, record.slug),
                field=first.field or None,
                remedy=first.remedy or "Mend the record, then write it again.",
                findings=findings,
            )
        return findings

    @contextmanager
    def _changing(self, op: str, kind: str, slug: str, reason: str) -> Iterator[tuple[HeldLock, dict[str, Any]]]:
        """Hold the lock and write the event while it is held; the block fills in what it learns."""
        about = {"kind": kind, "slug": slug, **({"reason": reason} if reason else {})}
        said: dict[str, Any] = dict(about)
        try:
            with canonical.writing(self._store, f"records {op}") as held:
                yield held, said
                then = said.pop("_then", ())
                record_events.say(self._store, held, [_done("record_operation", op, said), *then])
        except MemkitError as error:
            self._failed("record_operation", op, about, said, error)
            raise
        finally:
            self._changed()

    @contextmanager
    def _audited(self, event: Any, op: str, **about: Any) -> Iterator[dict[str, Any]]:
        """One event for the block, whatever comes of it; nothing is written for a project without a store."""
        said: dict[str, Any] = dict(about)
        try:
            yield said
        except MemkitError as error:
            self._failed(event, op, about, said, error)
            raise
        self._record(_done(event, op, said))

    def _failed(self, event: Any, op: str, about: Mapping[str, Any], said: dict[str, Any], error: MemkitError) -> None:
        said.pop("_then", None)
        if said.get("reason") == about.get("reason"):
            said["reason"] = "lock_held" if isinstance(error, LockedError) else error.code
        self._record(Event(event, op, "failed", said))

    def _record(self, *events: Event) -> None:
        if self._store.exists:
            self._store.audit.record(*events)


def _done(event: Any, op: str, said: Mapping[str, Any]) -> Event:
    return Event(event, op, detail={key: value for key, value in said.items() if value is not None})


def _ms(record: Record) -> int:
    at = record.updated_at or record.created_at
    return clocks.to_ms(at) if at else 0


def _require_kind(record: Record, kind: str) -> None:
    if record.kind != kind:
        raise InvalidInputError(f"{record.slug} is a {record.kind}, not a {kind}", field="kind")
