"""A stand-in for Memory that answers from values a test sets and remembers how it was called."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace

from memkit.analytics.recall_result import Missed, RecallResult
from memkit.clock import UTC
from memkit.errors import ConfirmationError, EntryNotFoundError, NotEnabledError
from memkit.importers.detect import Candidate, Detection
from memkit.importers.report import FileAccount, ImportReport
from memkit.model.entry import StoredEntry
from memkit.model.index_line import IndexLine
from memkit.model.problem import Problem
from memkit.model.status import Status
from memkit.store.consent import ConsentReceipt
from memkit.store.listing import EntryList
from memkit.store.receipt import StoreReceipt
from memkit.store.repair import RepairAction, RepairReport
from memkit.store.wipe import WipeReceipt

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KEY = "0123456789ab"
ID = "0198f3a2b4c57d10a1b2c3d4e5f60718"
PROBLEM = Problem("torn-tail", "index.jsonl", "bytes after the last newline", "memkit repair --apply", "", 120, 131)


class FakeMemory:
    """Answers of one project's memory; attributes are the answers."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict]] = []
        self.enabled = True
        self.question = "Which queue?"
        self.n_entries = 2
        self.n_damaged = 0
        self.moving: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.problems: list[Problem] = []
        self.problems_left: tuple[Problem, ...] = ()
        self.missed: tuple[Missed, ...] = ()
        self.rows: list[dict] = [{"n": 1}]
        self.candidates: tuple[Candidate, ...] = (Candidate("beads", 1, "a.jsonl", "lines of issues"),)
        self.on_recall = lambda: None

    def open(self, call, *, while_disabled):
        self.calls.append(("open", {"project": call.project, "root": call.root, "while_disabled": while_disabled}))
        if not self.enabled and not while_disabled:
            raise NotEnabledError("memory is off for /p", remedy="Run `memkit enable`.")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.calls.append(("close", {}))

    def _entry(self, **more) -> StoredEntry:
        values = {
            "id": ID, "stored_at_ms": 1_780_000_000_000, "project_key": KEY, "project_path": "/p",
            "panel_id": "consensus", "question": self.question, "tags": (), "result": {}, **more,
        }  # fmt: skip
        return StoredEntry(**values)

    def status(self) -> Status:
        return Status(
            project_path="/p", project_key=KEY, enabled=self.enabled, enabled_by="default", root="/r",
            folder=f"/r/{KEY}", exists=True, as_of=NOW, n_entries=self.n_entries,
            n_damaged=self.n_damaged, n_bytes=2048,
            last_stored_at=NOW - dt.timedelta(days=3) if self.n_entries else None, notes=self.notes,
        )  # fmt: skip

    def consent(self, project, *, enabled) -> ConsentReceipt:
        self.calls.append(("consent", {"project": project, "enabled": enabled}))
        before, self.enabled = self.enabled, enabled
        return ConsentReceipt("/p", enabled, before, "/home/me/config.toml")

    def about_to_prune(self, entries):
        return self.moving

    def store_many(self, entries, *, prune=False):
        self.calls.append(("store_many", {"entries": entries}))
        return [StoreReceipt(self._entry(question=entry["question"]), {"jwt": 1}) for entry in entries]

    def recall(self, query, **options) -> RecallResult:
        self.calls.append(("recall", {"query": query, **options}))
        self.on_recall()
        return RecallResult(query, tuple(query.split()), (), self.missed, NOW, n_entries=self.n_entries)

    def list(self) -> EntryList:
        line = IndexLine(ID, 1_780_000_000_000, KEY, "consensus", self.question, ())
        return EntryList((line,), NOW)

    def read(self, entry_id) -> StoredEntry:
        if entry_id != ID:
            raise EntryNotFoundError(f"no entry {entry_id}", remedy="`memkit list` names them.")
        return self._entry()

    def sql(self, query, params=None):
        self.calls.append(("sql", {"query": query, "params": params}))
        arrow = SimpleNamespace(to_pylist=lambda: self.rows)
        return SimpleNamespace(
            columns=tuple(self.rows[0]), to_arrow=lambda: arrow, to_text=lambda: repr(self.rows), gaps=()
        )

    def verify(self, *, progress=None):
        return self.problems

    def repair(self, *, dry_run, progress=None) -> RepairReport:
        actions = tuple(RepairAction(p.code, p.file, "move the bytes to quarantine") for p in self.problems)
        return RepairReport(dry_run, actions, self.problems_left, NOW)

    def wipe(self, *, confirm) -> WipeReceipt:
        self.calls.append(("wipe", {"confirm": confirm}))
        if confirm not in {KEY, "p"}:
            raise ConfirmationError(f"wiping needs the project's key or folder name, got {confirm!r}")
        return WipeReceipt(KEY, 2, 3, 4096)

    def import_from(self, kind, path, *, dry_run, limit, progress, prune=False) -> ImportReport:
        self.calls.append(("import_from", {"kind": kind, "path": path, "dry_run": dry_run, "limit": limit}))
        return ImportReport(kind, path, (FileAccount("0001.md", "imported"),), dry_run)

    def detect(self, path) -> Detection:
        self.calls.append(("detect", {"path": path}))
        return Detection(path, self.candidates, 1)
