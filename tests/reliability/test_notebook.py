"""A notebook recalls while eight processes store: every acknowledged id is there exactly once, wherever one looks."""

import collections
import json
import os

import pytest

from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import look
from tests.reliability.account import pick
from tests.reliability.mounts import ROOT
from tests.reliability.program import main
from tests.reliability.stores import NO_RETENTION, quietly
from tests.reliability.test_kill_rounds import drain, fork

EACH = pick(200, 500)
WORD = "everywhere"
NAMES = ("amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath")
BEGIN = """
import json, memkit
from memkit.opening import open_memory
from memkit.settings import Environment
import pathlib
home = pathlib.Path({home!r})
own = Environment(home=home, config_file=home / "none", env={settings!r})
mem = open_memory({project!r}, root={root!r}, enabled=True, environment=own)
seen = set()
def recalled():
    mem.refresh()
    ids = [hit.id for name in {names!r} for hit in mem.recall(name, limit=1_000)]
    lost, twice = len(seen - set(ids)), len(ids) - len(set(ids))
    seen.update(ids)
    return ids, lost, twice
"""
LOOK = "ids, lost, twice = recalled(); print(json.dumps([len(ids), lost, twice]))"
LAST = f"""
by_recall = recalled()[0]
rows = mem.sql("select entry_id as id, count(*) as n from entries group by entry_id order by entry_id").to_arrow().to_pylist()
with_word = "select entry_id as id, count(*) as n from postings where term = '{WORD}' group by entry_id order by entry_id"
print(json.dumps([by_recall, rows, mem.sql(with_word).to_arrow().to_pylist()]))
"""


class Kernel:
    """A real notebook kernel, asked one cell at a time."""

    def __init__(self, folder) -> None:
        from jupyter_client.manager import start_new_kernel

        own = {"HOME": str(folder), "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_DATA_DIR": str(folder / "jupyter")}
        self.manager, self.client = start_new_kernel(
            kernel_name="python3", env={**os.environ, **own, "PYTHONPATH": str(ROOT)}, cwd=str(folder)
        )

    def run(self, cell: str) -> str:
        """What a cell prints; its error is raised."""
        told: list[str] = []

        def keep(message) -> None:
            if message["msg_type"] == "stream":
                told.append(message["content"]["text"])

        reply = self.client.execute_interactive(cell, output_hook=keep, timeout=120)["content"]
        assert reply["status"] == "ok", reply.get("traceback", reply)
        return "".join(told)

    def close(self) -> None:
        """End it."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def stores(project, root, environment, who: str):
    def work(tell):
        with open_memory(project, root=root, enabled=True, environment=environment) as mem:
            for i in range(EACH):
                receipt = mem.store(question=f"{WORD} {who} number{i}", result={"conclusion": "kept", "marker": who})
                tell(receipt.id)

    return work


@pytest.mark.promise("P6")
@pytest.mark.filterwarnings("default")
def test_a_notebook_recalls_while_eight_processes_store(disk, cases):
    pytest.importorskip("jupyter_client", reason="jupyter_client is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    project, root = disk / "project", disk / "root"
    project.mkdir()
    environment = Environment(home=disk, config_file=disk / "none", env=NO_RETENTION)
    kernel = Kernel(disk)
    try:
        kernel.run(
            BEGIN.format(project=str(project), root=str(root), home=str(disk), names=NAMES, settings=NO_RETENTION)
        )
        children = [fork(stores(project, root, environment, name)) for name in NAMES]
        waiting, looks, between = {child for child, _ in children}, 0, 0
        while waiting:
            n, lost, twice = json.loads(kernel.run(LOOK))
            cases.add(
                [f"{lost} hits vanished"] * bool(lost) + [f"{twice} hits twice"] * bool(twice), name=f"look {looks}"
            )
            looks, between = looks + 1, between + (0 < n < len(NAMES) * EACH)
            for child in list(waiting):
                if os.waitpid(child, os.WNOHANG)[0]:
                    waiting.remove(child)
        told = [line for _, reading in children for line in drain(reading)]
        recalled, rows, words = json.loads(kernel.run(LAST))
    finally:
        kernel.close()
    cases.add([] if len(told) == len(NAMES) * EACH else [f"{len(told)} acknowledged"], name="acknowledged")
    cases.add([] if between else [f"{looks} looks, none of them in between"], name="looks")
    with quietly(), open_memory(project, root=root, enabled=True, environment=environment) as mem:
        names = [name.removesuffix(".json") for name in look.names_in(mem.paths.results) if name.endswith(".json")]
        read = mem._store.read_index()
        listed = [line.id for line in (*read.lines, *(placed.line for placed in read.repeated))]
        problems = [f"{problem.code} {problem.file}" for problem in mem.verify()]
    by_sql = [row["id"] for row in rows for _ in range(row["n"])]
    by_word = [row["id"] for row in words for _ in range(row["n"])]
    for place, ids in (
        ("results", names), ("index", listed), ("sql", by_sql), ("postings", by_word), ("recall", recalled),
    ):  # fmt: skip
        found = collections.Counter(ids)
        wrong = [f"{entry_id} is there {found[entry_id]} times" for entry_id in told if found[entry_id] != 1]
        wrong += [f"{len(set(found) - set(told))} more than were acknowledged"] * bool(set(found) - set(told))
        cases.passed += len(told) - len(wrong)
        cases.add(wrong[:3], name=place)
    cases.add(problems, name="verify")
    cases.figure(
        f"{len(NAMES)} processes stored {len(told):,} entries while a kernel recalled {looks} times, {between} of them in between"
    )


if __name__ == "__main__":
    main(__file__)
