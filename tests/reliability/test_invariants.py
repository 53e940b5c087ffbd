"""The invariants I1 to I9, each broken in every way that has a name: `verify` says so, and looking changes no byte.

I1 what was acknowledged can be read · I2 an entry is wholly there or wholly absent · I3 index lines parse or are damage
with a place · I4 each line has its entry · I5 no id twice · I6 a snapshot matches its hashes or is not used · I7 the log
tells each removal · I8 narrow modes and no files but memkit's · I9 looking, and opening twice, changes nothing.
"""

import pathlib
import shutil

import pytest

from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.snapshot.absorbing import absorb
from memkit.store.audit_log import AuditLog, read_events
from tests.reliability.program import main
from tests.reliability.stores import fingerprint, quietly

N = 4


class Whole:
    """A project with `N` entries, a snapshot of them, and a copy for each case."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        (folder / "project").mkdir(parents=True)
        with self.memory() as mem:
            mem.store_many(
                [{"question": f"Which queue {i}?", "result": {"conclusion": f"Keep it {i}."}} for i in range(N)]
            )
            self.paths = mem.paths
            absorb(mem._store, minimum=1)

    def memory(self, *, looks: bool = False):
        """Opened as usual, or as by those who only look."""
        environment = Environment(home=self.folder, config_file=self.folder / "config.toml")
        return open_memory(
            self.folder / "project", root=self.folder / "root", enabled=True, environment=environment, even_if_off=looks
        )

    def said(self) -> set[str]:
        """The codes `verify` gives, and that it changed nothing while it looked."""
        with quietly(), self.memory(looks=True) as mem:
            before = fingerprint(mem.paths.folder)
            found = {problem.code for problem in mem.verify()}
            assert fingerprint(mem.paths.folder) == before, "verify changed a byte"
        return found

    @property
    def entry(self) -> pathlib.Path:
        return min(self.paths.results.glob("*.json"))

    @property
    def lines(self) -> list[bytes]:
        return self.paths.index.read_bytes().split(b"\n")[:-1]

    def put_lines(self, *lines: bytes, end: bytes = b"\n") -> None:
        self.paths.index.write_bytes(b"\n".join(lines) + end)

    def segment(self) -> pathlib.Path:
        return min(self.paths.snapshots.glob("*.parquet"))


def flip(path: pathlib.Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 8
    path.write_bytes(data)


def link(path: pathlib.Path) -> None:
    away = path.parents[3] / "away"
    path.rename(away)
    path.symlink_to(away)


def add(path: pathlib.Path, data: bytes = b"x") -> None:
    path.touch(0o600)
    path.write_bytes(data)


BREAKS = {
    "I1 an entry is gone": ("line-without-file", lambda w: w.entry.unlink()),
    "I1 an entry is cut": ("damaged-entry", lambda w: w.entry.write_bytes(w.entry.read_bytes()[:50])),
    "I1 an entry is another": ("hash-mismatch", lambda w: w.entry.write_bytes(w.entry.read_bytes().replace(b"Keep", b"Drop"))),
    "I1 a link stands for an entry": ("not-a-file", lambda w: link(w.entry)),
    "I2 a write that never finished": ("leftover-temp", lambda w: add(w.entry.with_name(f".{w.entry.name}.{2**22 + 1}-{'ab' * 8}.tmp"))),
    "I2 an entry without a line": ("orphan-entry", lambda w: w.put_lines(*w.lines[1:])),
    "I2 an entry of NUL": ("damaged-entry", lambda w: w.entry.write_bytes(bytes(w.entry.stat().st_size))),
    "I3 a line of junk": ("damaged-line", lambda w: w.put_lines(b"{junk", *w.lines)),
    "I3 a torn tail": ("torn-tail", lambda w: w.put_lines(*w.lines, b'{"id":"torn', end=b"")),
    "I3 two objects on one line": ("glued-line", lambda w: w.put_lines(w.lines[0] + w.lines[1], *w.lines[2:])),
    "I3 no index": ("index-missing", lambda w: w.paths.index.unlink()),
    "I3 a line that says something else": ("line-differs", lambda w: w.put_lines(w.lines[0].replace(b"Which", b"Whose"), *w.lines[1:])),
    "I4 a line without its entry": ("line-without-file", lambda w: w.entry.unlink()),
    "I5 a line twice": ("repeated-line", lambda w: w.put_lines(*w.lines, w.lines[0])),
    "I6 one bit of a segment": ("snapshot-segment-damaged", lambda w: flip(w.segment())),
    "I6 a segment is gone": ("snapshot-segment-missing", lambda w: w.segment().unlink()),
    "I6 the manifest is cut": ("snapshot-manifest-damaged", lambda w: w.paths.manifest.write_bytes(w.paths.manifest.read_bytes()[:99])),
    "I8 a file others may read": ("wide-mode", lambda w: w.entry.chmod(0o644)),
    "I8 a folder others may enter": ("wide-mode", lambda w: w.paths.results.chmod(0o755)),
    "I8 a copy of a sync tool": ("stray-file", lambda w: add(w.paths.folder / "index (1).jsonl")),
    "I8 a file of somebody else among the entries": ("stray-file", lambda w: add(w.paths.results / "notes.txt")),
    "I9 a wipe that was cut off": ("unfinished-wipe", lambda w: w.paths.results.rename(w.paths.wiped)),
    "I9 no number of the index": ("generation-damaged", lambda w: add(w.paths.generation, b"many")),
}  # fmt: skip


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    folder = tmp_path_factory.mktemp("invariants") / "whole"
    Whole(folder)
    return folder


@pytest.fixture
def whole(template, tmp_path):
    copy = Whole.__new__(Whole)
    copy.folder = template
    shutil.copytree(template / "root", tmp_path / "kept", symlinks=True)
    with copy.memory() as mem:
        copy.paths = mem.paths
    yield copy
    shutil.rmtree(template / "root")
    (tmp_path / "kept").rename(template / "root")


@pytest.mark.promise("P5")
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_invariant_is_named_and_nothing_is_changed_by_looking(whole, name):
    code, break_it = BREAKS[name]
    assert whole.said() == set()
    break_it(whole)
    assert code in whole.said()
    with whole.memory() as mem, quietly():
        if code not in {"stray-file", "not-a-file"}:  # these are left to a person
            mem.repair(dry_run=False)
            absorb(mem._store, minimum=1)
    left = whole.said()
    assert left == ({code} if code in {"stray-file", "not-a-file"} else set())


@pytest.mark.promise("P5")
def test_i7_the_log_tells_a_removal_and_this_would_notice_if_not(whole, monkeypatch):
    def removals():
        return [event for event in read_events(whole.paths)[0] if event.get("op") == "wipe"]

    with whole.memory() as mem:
        mem.wipe(confirm=mem.paths.key)
    assert len(removals()) == 1
    with whole.memory() as mem:
        mem.store(question="again", result={})
        monkeypatch.setattr(AuditLog, "record", lambda *_, **__: None)
        mem.wipe(confirm=mem.paths.key)
    assert removals() == []


@pytest.mark.promise("P5")
@pytest.mark.parametrize("name", [None, *BREAKS], ids=lambda name: name or "sound")
def test_i9_a_second_opening_finds_nothing_to_do(whole, name):
    if name:
        BREAKS[name][1](whole)
    with quietly():
        whole.memory().close()
        before = fingerprint(whole.paths.folder)
        for _ in range(2):
            whole.memory().close()
    assert fingerprint(whole.paths.folder) == before


@pytest.mark.promise("P0")
def test_each_invariant_is_broken_somewhere():
    named = {name.split()[0] for name in BREAKS} | {"I7"}
    assert named == {f"I{i}" for i in range(1, 10)}


if __name__ == "__main__":
    main(__file__)
