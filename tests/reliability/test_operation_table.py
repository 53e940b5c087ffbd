"""The table that drives the tiers is complete: every public operation is in it, or is shown to change nothing."""

import ast
import datetime as dt
import importlib
import inspect
import pathlib
import pkgutil
import typing

import pytest

import memkit
from memkit.clock import UTC
from memkit.memory import Memory
from memkit.retention.erase import erase
from memkit.retention.scanning import scan_for_secrets, scan_for_text, scan_for_traces
from memkit.store.repair import repair
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.status import status_of
from memkit.store.store import Store
from memkit.store.traces import Traces
from memkit.store.verify import verify
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import CHANGING, Count, installed
from tests.reliability.stores import fingerprint

ROOMS = ("store", "snapshot", "catalog", "analytics", "importers", "consolidate", "retention", "deciding")

# What a person may call that changes no file; each is called below, and nothing may be changed by it.
READING = {
    "Store.info", "Store.require_folders", "Store.read_index", "Store.read_entry", "Store.generation", "Store.exists",
    "Memory.retention", "Memory.trash", "Memory.queries", "Memory.about_to_prune", "Retention.review",
    "Retention.compare", "Retention.calendar", "Retention.impact", "Retention.explore", "Timelines.explore",
    "cards.card_of", "Retention.about_to_prune", "Retention.pins",
    "Retention.require_room", "Trash.list", "Trash.find", "SavedQueries.list", "plan.state_of", "plan.plan_of",
    "plan.marks_of", "erase.others_kept_out",
    "retention.envelope_stamps", "retention.trash_rows", "kept_and_gone.trashed", "kept_and_gone.marked",
    "what_if.impact",
    "Store.trash", "RecordTools.deleted", "naming.find_entry", "verify_trash.about_trash",
    "verify.verify", "status.status_of", "Memory.get", "Memory.list", "Memory.sql", "Memory.decisions", "Memory.status",
    "Memory.verify", "Memory.tripwires", "Memory.chains", "Memory.timeline", "Memory.in_force", "Memory.calibration",
    "Memory.project_summary", "Tripwires.check", "Tripwires.backtest", "Tripwires.acknowledged", "Tripwires.take",
    "Tripwires.marks", "Tripwires.verdicts", "Tripwires.on_hits", "Tripwires.on_decided", "Tripwires.on_decisions",
    "Memory.detect", "Memory.export", "Memory.explore", "Store.scrubbed", "Memory.is_closed",
    "Memory.staging", "Memory.mode_changed", "Staging.mode_changed", "Staging.session", "Staging.list", "Staging.balance", "Staging.source", "Staging.dead_letters", "Staging.show", "Staging.count",
    "staged.staged", "staged.dead", "reinforce.planned", "stored.stored_texts", "entries.session_of_entries",
    "Memory.records", "lint.lint", "Staging.review", "Review.item", "Review.decided",
    "Review.to_dict", "Review.to_text", "Review.to_html", "Review.to_pandas", "Review.value", "RecordTools.kind_of",
    "recover.returning",
    "Memory.audit", "Audit.path", "Audit.runs", "Audit.events", "Audit.history", "Audit.usage", "Audit.activity", "Audit.health",
    "Audit.verify", "Audit.latest", "Audit.follow", "Audit.status_line", "Audit.monitor",
    "scanning.scan_for_secrets", "scanning.scan_for_text", "scanning.scan_for_traces", "Memory.scan", "erase.find", "erase.clean_reason",
    "Memory.locks", "locks.look_at_locks", "record_entries.entry_of", "record_entries.read", "shelf.file_of",
}  # fmt: skip
# Building blocks of the operations of the table, which call them; their first argument is a store all the same.
PARTS = {
    "Retention.write_plan": "writes a file of the caller's, outside the store",
    "apply.apply_plan": "is what Retention.apply calls",
    **dict.fromkeys((f"Review.{name}" for name in ("decide", "undecide")), "is written by apply, not before"),
    "Memory.reconcile": "is a consolidation without extraction",
    "repair_trash.quarantine_lines": "part of repair",
    "repair_trash.mend_trash": "part of repair",
    "absorbing.add_line": "reads one entry into rows",
    "Memory.recall": "writes one event and its firings, as fire does; other truth is untouched, see below",
    "Memory.what_we_decided": "the same",
    "Memory.read": "the same",
    "recover.recover_held": "is what recover and consolidate call",
    "record_events.say": "is part of each change of a record",
    "record_events.catch_up": "is part of pending changes and of the first look at a record edited by hand",
    **dict.fromkeys(
        (f"RecordTools.{name}" for name in ("read", "find", "list", "query", "lint")),
        "writes one event, and says what was edited by hand, as notice-edits does",
    ),
    "opening.open_memory": "makes a Memory; sweeps and absorbs, as the table does",
    "memkit.open": "is opening.open_memory",
    "memkit.enable": "is opening.enable",
    "memkit.disable": "is opening.disable",
}


def public_names() -> set[str]:
    """Methods of Memory, Store and the facades of Memory, names of the front door, functions that are given a store."""
    found = {f"memkit.{name}" for name in memkit.__all__ if inspect.isfunction(getattr(memkit, name))}
    found |= methods("Memory", Memory) | methods("Store", Store)
    for facade in facades():
        found |= methods(facade.__name__, facade)
    opening = importlib.import_module("memkit.opening")
    found |= {f"opening.{name}" for name in ("open_memory", "enable", "disable") if hasattr(opening, name)}
    for room in ROOMS:
        package = importlib.import_module(f"memkit.{room}")
        for info in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"memkit.{room}.{info.name}")
            for name, value in vars(module).items():
                if not inspect.isfunction(value) or value.__module__ != module.__name__ or name.startswith("_"):
                    continue
                parameters = list(inspect.signature(value).parameters.values())
                if parameters and str(parameters[0].annotation) in {"Store", "Memory"}:
                    found.add(f"{info.name}.{name}")
    return found


def methods(shown: str, kind: type) -> set[str]:
    """What may be called on a kind of object, its bases of this package included."""
    return {
        f"{shown}.{name}"
        for base in kind.__mro__
        if base.__module__.startswith("memkit.")
        for name, value in vars(base).items()
        if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))
    }


def facades() -> list[type]:
    """What a Memory leads to and is made with a store: areas reached as `mem.area`, and what those give out in turn."""
    found: dict[str, type] = {}
    waiting: list[type] = [Memory]
    while waiting:
        for kind in given_by(waiting.pop()):
            if kind is not Memory and kind.__name__ not in found:
                found[kind.__name__] = kind
                waiting.append(kind)
    return [found[name] for name in sorted(found)]


def given_by(kind: type) -> list[type]:
    """The classes of objects made with a store that properties and methods of this one return."""
    found = []
    for base in kind.__mro__:
        for name, value in vars(base).items():
            called = value.fget if isinstance(value, property) else value
            if name.startswith("_") or not inspect.isfunction(called) or not base.__module__.startswith("memkit."):
                continue
            given = typing.get_type_hints(called, *spaces(base)).get("return")
            if inspect.isclass(given) and given.__module__.startswith("memkit."):
                parameters = inspect.signature(given).parameters.values()
                if any(str(parameter.annotation) in {"Store", "Memory"} for parameter in parameters):
                    found.append(given)
    return found


def spaces(kind: type) -> tuple[dict, dict]:
    """The names an annotation of this class may use, those imported for the type checker only included."""
    module = importlib.import_module(kind.__module__)
    names = dict(vars(module))
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memkit."):
            source = importlib.import_module(node.module)
            for alias in node.names:
                if not hasattr(source, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
                names[alias.asname or alias.name] = getattr(source, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                module_ = importlib.import_module(alias.name)
                names[alias.asname or alias.name.partition(".")[0]] = module_
    return names, names


@pytest.mark.promise("P0")
def test_every_public_operation_is_in_the_table_or_only_reads(cases):
    covered = {name for operation in OPERATIONS for name in operation.covers}
    for name in sorted(public_names()):
        known = name in covered or name in READING or name in PARTS
        cases.add([] if known else [f"add {name} to OPERATIONS, or to READING if it changes nothing"], name=name)


@pytest.mark.promise("P0")
def test_the_areas_of_a_memory_are_found():
    """Otherwise what they offer would be missing from the names above, and nobody would notice."""
    assert "Tripwires" in {kind.__name__ for kind in facades()}
    assert {"Tripwires.acknowledge", "Memory.what_we_decided", "Review.apply"} <= public_names()


@pytest.mark.promise("P0")
def test_every_name_of_the_table_exists(cases):
    names = public_names()
    loose = {"AuditLog.record", "leftovers.finish_wipe", "leftovers.sweep", "index.remove", "consent.record_consent"}
    loose |= {"AuditLog.run", "audit_forget.forget_text", "audit_days.forget_text"}
    loose |= {"leftovers.finish"}
    for operation in OPERATIONS:
        gone = [name for name in operation.covers if name not in names and name not in loose]
        cases.add([f"{name} is no public operation any more" for name in gone], name=operation.name)


@pytest.mark.promise("P0")
def test_each_operation_of_the_table_has_work_to_do(scratch, cases):
    """An operation that finds nothing to do would pass every tier without being tried."""
    for operation in OPERATIONS:
        bench = Bench(scratch / operation.name).fill()
        operation.before(bench)
        count = Count()
        with installed(count):
            operation.run(bench)
        changed = [name for name in count.names if name in CHANGING]
        cases.add([] if changed else ["it changed nothing"], name=operation.name)
        cases.add(bench.problems(operation), name=operation.name)


@pytest.mark.promise("P0")
def test_what_only_reads_changes_no_byte(scratch, cases):
    bench = Bench(scratch / "bench").fill(5)
    store = bench.store
    scrubbing = Store(store.paths, clock=store.clock, scrubber=Scrubber(shipped_patterns()))
    entry_id = next(iter(bench.ledger.must))
    readers = {
        "Store.info": store.info,
        "Store.require_folders": store.require_folders,
        "Store.read_index": store.read_index,
        "Store.read_entry": lambda: store.read_entry(entry_id),
        "Store.generation": store.generation,
        "Store.exists": lambda: store.exists,
        "verify.verify": lambda: verify(store),
        "repair.repair, dry": lambda: repair(store),
        "status.status_of": lambda: status_of(store, enabled=True, enabled_by="test"),
        "scanning.scan_for_text": lambda: scan_for_text(store, "concluded"),
        "scanning.scan_for_secrets": lambda: scan_for_secrets(scrubbing),
        "scanning.scan_for_traces": lambda: scan_for_traces(store, Traces("0" * 32, frozenset({b"concluded"}))),
        "erase.erase, dry": lambda: erase(store, entry_id),
    }
    for damage in (None, "repair-index", "repair-files", "store-without-index", "store-after-cut-wipe"):
        if damage:
            next(each for each in OPERATIONS if each.name == damage).before(bench)
        for name, read in readers.items():
            if damage == "store-after-cut-wipe" and name in {"Store.read_entry", "erase.erase, dry"}:
                continue
            if damage in {"repair-files", "store-without-index", "store-after-cut-wipe"} and name in {
                "Store.info",
                "Store.read_entry",
                "erase.erase, dry",
            }:
                continue
            before, count = fingerprint(bench.root), Count()
            with installed(count):
                read()
            changed = sorted({call for call in count.names if call in CHANGING})
            found = [f"it called {', '.join(changed)}"] if changed else []
            found += ["a byte changed"] if fingerprint(bench.root) != before else []
            cases.add(found, name=f"{name} ({damage or 'sound'})")


@pytest.mark.promise("P0")
def test_asking_a_memory_changes_no_truth(scratch, cases):
    from memkit.opening import open_memory
    from memkit.settings import Environment

    project = scratch / "project"
    project.mkdir()
    environment = Environment(home=scratch, config_file=scratch / "config.toml")
    facts = [{"metric": "queue depth", "at": dt.datetime(2031, 5, 5, tzinfo=UTC), "value": 7.0}]
    with open_memory(project, root=scratch / "root", enabled=True, environment=environment) as mem:
        receipt = mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        asks = {
            "get": lambda: mem.get(receipt.id),
            "list": mem.list,
            "recall": lambda: mem.recall("queue"),
            "decisions": mem.decisions,
            "sql": lambda: mem.sql("select count(*) from entries"),
            "status": mem.status,
            "verify": mem.verify,
            "repair, dry": mem.repair,
            "what_we_decided": lambda: mem.what_we_decided("queue"),
            "project_summary": mem.project_summary,
            "chains": mem.chains,
            "timeline": mem.timeline,
            "in_force": mem.in_force,
            "calibration": mem.calibration,
            "tripwires.check": mem.tripwires.check,
            "tripwires.backtest": lambda: mem.tripwires.backtest(facts=facts),
            "tripwires.acknowledged": mem.tripwires.acknowledged,
        }
        for name, ask in asks.items():
            before = _truth(mem.paths)
            ask()
            cases.add([] if _truth(mem.paths) == before else ["truth changed"], name=name)


def _truth(paths) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in sorted(pathlib.Path(paths.folder).rglob("*"))
        if path.is_file()
        and paths.logs not in path.parents
        and not path.name.endswith(".lock")
        and path != paths.firings  # telemetry; what is recalled is counted there
    }


if __name__ == "__main__":
    main(__file__)
