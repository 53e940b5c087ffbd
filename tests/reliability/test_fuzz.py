"""Any bytes in any file, any text as a question: only typed errors, no hang, bounded memory."""

import json
import os
import pathlib
import random
import shutil
import tempfile
import time

import pytest

from memkit.errors import MemkitError
from memkit.store import quarantine
from memkit.store.status import status_of
from memkit.store.verify import verify
from tests.reliability import account, fuzzing
from tests.reliability.account import pick
from tests.reliability.program import main
from tests.reliability.stores import new, open_store, quietly
from tests.reliability.test_kill_rounds import drain, fork

INPUTS = pick(20_000, 1_000_000)
NAMES = (
    "index line", "envelope", "store.json", "log line", "quarantine note", "generation", "lock note", "request", "project path",
    "question", "settings file", "consent in a settings file", "manifest", "decision record", "panel result",
    "record", "staging file", "dead letter", "session file",
)  # fmt: skip
SECONDS = min(pick(60, 1500), account.SECONDS / len(NAMES))


def in_children(name: str, n: int) -> list[dict]:
    """Run one target in two processes of their own, each with its own store and seed."""

    def work(seed):
        def run(tell):
            base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
            folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-fuzz-", dir=base))
            try:
                with quietly():
                    target = next(each for each in fuzzing.targets(folder) if each.name == name)
                tell(json.dumps(fuzzing.run(target, n // 2 + n % 2, seed, seconds=SECONDS)))
            except BaseException as error:
                tell(
                    json.dumps({"target": name, "inputs": 0, "problems": [repr(error)[:300]], "slowest": 0, "grown": 0})
                )
            finally:
                shutil.rmtree(folder, ignore_errors=True)

        return run

    children = [fork(work(seed)) for seed in range(2)]
    told = [drain(reading) for _, reading in children]
    for child, _ in children:
        os.waitpid(child, 0)
    return [json.loads(line) for lines in told for line in lines] or [
        {"target": name, "inputs": 0, "problems": ["the process died"], "slowest": 0, "grown": 0}
    ]


@pytest.mark.promise("P8")
@pytest.mark.parametrize("name", NAMES)
def test_any_bytes_give_a_typed_answer_in_time(cases, name):
    found = in_children(name, INPUTS)
    for each in found:
        cases.passed += each["inputs"] - min(each["inputs"], len(each["problems"]))
        cases.failures += [f"{name}: {problem}" for problem in each["problems"]]
    n = sum(each["inputs"] for each in found)
    if n < INPUTS:
        cases.skip(f"cut after {SECONDS:.0f} s of processor: {name}, {INPUTS - n:,} of {INPUTS:,} inputs", INPUTS - n)
    cases.figure(
        f"{name}: {sum(each['inputs'] for each in found):,} inputs, slowest {max(each['slowest'] for each in found) * 1000:.0f} ms,"
        f" {max(each['grown'] for each in found)} MB more"
    )


@pytest.mark.promise("P8")
def test_every_target_is_run(scratch):
    with quietly():
        assert {target.name for target in fuzzing.targets(scratch)} == set(NAMES)


@pytest.mark.promise("P8")
def test_any_text_as_a_question_is_answered(scratch, cases):
    """From above, over a real store: recall never raises, and takes its words as words."""
    from memkit.opening import open_memory
    from memkit.settings import Environment

    project = scratch / "project"
    project.mkdir()
    environment = Environment(home=scratch, config_file=scratch / "config.toml")
    rng = random.Random(2)
    seeds = [
        b"don't \"x roll-back k:v (y foo AND * ^ ~ NEAR/2 %_ \\ MB/s 'OR 1=1 -- ", b"which queue", "報表 火曜 점검".encode(),
        b"queue OR 1=1; drop table entries", b"word " * 200,
    ]  # fmt: skip
    with open_memory(project, root=scratch / "root", enabled=True, environment=environment) as mem:
        questions = ["", "   ", "?!", "x" * 580_000, "word " * 5_000, "a" * 100_000, "\0", "\ud800", "'" * 1000]
        questions += [fuzzing.mutate(rng, seeds).decode("utf-8", "replace") for _ in range(pick(400, 20_000))]
        for stage in ("empty", "one"):
            for question in questions:
                found = []
                try:
                    with quietly():
                        mem.recall(question)
                except MemkitError as error:
                    found = [] if "\ud800" in question else [f"{type(error).__name__}: {error}"]
                except Exception as error:
                    found = [f"{type(error).__name__}: {error}"]
                cases.add(found, name=f"{stage} store, {question[:60]!a}")
            if stage == "empty":
                mem.store(question="Which queue?", result={"conclusion": "Keep it."})
                questions = questions[: pick(200, 20_000)]
        assert mem.recall("queue")[0].question == "Which queue?"


@pytest.mark.promise("P8")
def test_a_result_of_many_tiny_values_stays_within_its_memory(cases):
    """32 MB of JSON can be ten times that in memory; such a file is refused before it is parsed."""

    def work(tell):
        from memkit.model import jsontext

        shapes = {
            "objects": b'{"a":[' + b"{}," * 9_000_000 + b"{}]}",
            "lists": b'{"a":[' + b"[]," * 9_000_000 + b"[]]}",
            "texts": b'{"a":[' + b'"ab",' * 5_000_000 + b'"ab"]}',
            "numbers": b'{"a":[' + b"1.5," * 7_000_000 + b"1.5]}",
            "keys": b"{" + b",".join(b'"%d":0' % i for i in range(2_500_000)) + b"}",
        }
        before = fuzzing.memory("VmRSS")
        for name, data in shapes.items():
            pathlib.Path("/proc/self/clear_refs").write_text("5")
            try:
                jsontext.loads_object(data)
                told = "read"
            except jsontext.JsonDamage:
                told = "refused"
            tell(json.dumps([name, told, fuzzing.memory("VmHWM") - before]))

    child, reading = fork(work)
    lines = [json.loads(line) for line in drain(reading)]
    os.waitpid(child, 0)
    cases.add([] if len(lines) == 5 else [f"{lines}"])
    for name, told, grown in lines:
        cases.add([] if grown <= 300 else [f"{grown} MB more ({told})"], name=name)


LARGE = pick(40, 100)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "victim", ["index", "entry", "store.json", "generation", "log", "note", "lock", "manifest", "state"]
)
def test_any_number_of_bytes_in_a_file_stay_cheap(scratch, cases, victim):
    """Looking at a store takes little more than reading its bytes, whatever they are and however many."""
    store = open_store(scratch / "root")
    receipts = store.store_many([new(f"m{i}") for i in range(3)])
    paths = store.paths
    quarantine.put(paths, b"x", file="x", start=0, reason="r", moved_at=store.clock.now())
    file = {
        "index": paths.index, "entry": paths.entry_file(receipts[0].id), "store.json": paths.store_json, "generation": paths.generation,
        "log": paths.log_file(f"{store.clock.now():%Y-%m-%d}"), "note": next(paths.quarantine.glob("*.json")),
        "lock": paths.index_lock, "manifest": paths.manifest, "state": paths.acknowledgements,
    }[victim]  # fmt: skip
    file.parent.mkdir(exist_ok=True, mode=0o700)
    read_whole = victim in {"index", "log", "state"}
    block = random.Random(1).randbytes(1 << 20)
    contents = {
        "random": lambda: block * LARGE, "nul": lambda: bytes(LARGE << 20), "objects": lambda: b"{}" * (LARGE << 19),
        "lines": lambda: b"x\n" * (LARGE << 19), "numbers": lambda: b"9" * (LARGE << 20), "brackets": lambda: b"[" * (LARGE << 20),
        "braces": lambda: b"{\n" * (LARGE << 19), "empty objects": lambda: b"{}\n" * (LARGE * (1 << 20) // 3),
        "empty lines": lambda: b" \n" * (LARGE << 19),
    }  # fmt: skip
    for name, make in contents.items():
        file.write_bytes(make())
        os.chmod(file, 0o600)
        child, reading = fork(looks(scratch / "root", LARGE if read_whole else 0))
        lines = drain(reading)
        os.waitpid(child, 0)
        problem, grown, took = json.loads(lines[0]) if lines else ["the process died", 0, 0]
        found = [problem] if problem else []
        found += [f"{grown} MB more than its bytes"] if grown > 300 - (LARGE if read_whole else 0) else []
        found += [f"{took:.1f} s"] if took > LARGE / 10 else []  # four looks, one second each for 40 MB
        cases.add(found, name=f"{victim}, {name}")
        if took > 0.5 or grown > 50:
            cases.figure(f"{LARGE} MB of {name} in {victim}: {grown} MB more, {took:.1f} s for four looks")


def looks(root, size: int):
    """Reads, status, verify and info of a store: what went wrong, MB beyond `size`, seconds."""

    def work(tell):
        store = open_store(root)
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        before, began = fuzzing.memory("VmRSS"), time.process_time()
        problem = ""
        with quietly():
            for ask in (
                store.read_index,
                lambda: status_of(store, enabled=True, enabled_by="test"),
                lambda: verify(store),
                store.info,
            ):
                try:
                    ask()
                except MemkitError:
                    continue
                except BaseException as error:
                    problem = f"{type(error).__name__}: {error}"
        tell(json.dumps([problem, fuzzing.memory("VmHWM") - before - size, time.process_time() - began]))

    return work


if __name__ == "__main__":
    main(__file__)
