"""Nothing becomes a record of its own accord: only who consolidates, reviews, recovers or uses the record tools writes."""

import pathlib
import shutil
import warnings

import pytest

from memkit.errors import MemkitWarning
from memkit.opening import open_memory
from memkit.settings import Environment
from tests.consolidate.test_reconcile import LEASE, TOO_LONG, keep, made, put_raw, stage

SAMPLES = pathlib.Path(__file__).parents[1] / "data-samples"
CANONICAL = ("memory", "knowledge", "staging", "deadletter")


@pytest.fixture
def opened(tmp_path, project, clock):
    """Opens the same project again and again, with records, candidates, a dead letter and uses in it."""
    shutil.copytree(SAMPLES / "thole" / "docs" / "decisions", project / "decisions")
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")

    def again():
        return open_memory(project, root=tmp_path / "root", enabled=True, clock=clock, environment=environment)

    with again() as mem:
        store = mem._store
        keep(store, "lease", f"# Lease\n\n{LEASE}")
        keep(store, "ferries", "# Ferries\n\nThey run daily.", kind="domain")
        put_raw(store, "s0", TOO_LONG)
        mem.reconcile()
        stage(store, "s1", made("lessons", f"{LEASE} But look at the network first."), made("domain", "Piers rot."))
        mem.paths.folder.joinpath("firings.jsonl").write_bytes(b'{"slug": "lease"}\n')
    return again


def canonical(folder):
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for name in CANONICAL
        for path in sorted((folder / name).rglob("*"))
        if path.is_file()
    }


def do_nothing(mem):
    pass


def refresh(mem):
    mem.refresh()


def store(mem):
    mem.store(question="Which queue?", result={"conclusion": f"Decision: {LEASE}"})


def import_records(mem):
    mem.import_adr(pathlib.Path(mem.paths.project_path) / "decisions")
    assert len(mem.list())


def recall(mem):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemkitWarning)
        mem.recall("lease")
        mem.records.query("lease")
        mem.what_we_decided("lease")
        mem.sql("select count(*) from records")


def look(mem):
    mem.status()
    mem.verify()
    mem.staging.list()
    mem.staging.review()
    mem.staging.balance()
    mem.records.lint()
    mem.consolidate(SAMPLES / "sessions" / "2026-04-12-message-storm.jsonl", dry_run=True)
    mem.staging.recover(dry_run=True)
    mem.repair()


def load_extension(mem):
    ipython = pytest.importorskip("IPython.core.interactiveshell")
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    shell = ipython.InteractiveShell(config=settings)
    shell.run_line_magic("load_ext", "memkit")
    shell.run_line_magic("unload_ext", "memkit")


ACTS = [do_nothing, refresh, store, import_records, recall, look, load_extension]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_nothing_canonical_is_written_unasked(opened, act):
    with opened() as mem:
        folder = mem.paths.folder
        before, uses = canonical(folder), folder.joinpath("firings.jsonl").read_bytes()
        assert {name.partition("/")[0] for name in before} == set(CANONICAL)
        act(mem)
        mem.refresh()
    assert canonical(folder) == before
    assert folder.joinpath("firings.jsonl").read_bytes().startswith(uses)


def test_consolidating_does_write(opened):
    """The comparison above can fail."""
    with opened() as mem:
        before = canonical(mem.paths.folder)
        mem.consolidate()
        assert canonical(mem.paths.folder) != before
