"""Histories: what eight clients did and saw, with the times; each entry must look as if one call came after another.

An entry is written once and never edited, so per id the model is small: absent, then there with one content, then
absent for ever once a wipe has taken it. A look that began after a store had returned must see it; once any look has
seen it, no later look may miss it; nobody may see it before its store began. The checker is given false histories too,
and must refuse them.
"""

import random
import time
from dataclasses import dataclass

import pytest

from memkit.errors import EntryNotFoundError
from memkit.store.repair import repair
from memkit.store.wipe import wipe
from tests.reliability.account import pick
from tests.reliability.program import main
from tests.reliability.stores import imported, new, open_store
from tests.reliability.test_concurrency import together

CLIENTS = 8
OPERATIONS_EACH = pick(80, 250)


@dataclass(frozen=True)
class Act:
    """One call of one client: what, about which entry, when it began and ended (ns), and what came back."""

    kind: str
    entry_id: str
    begin: int
    end: int
    value: str = ""


def client(root, who: str, seed: int):
    """A random mix of store, batch, import, get, list, repair; every call told with its times."""

    def work(tell):
        rng = random.Random(f"{who}-{seed}")
        store = open_store(root, wait_seconds=60)
        mine: list[str] = []
        seen: list[str] = []
        for i in range(OPERATIONS_EACH):
            kind = rng.random()
            marker = f"{who}-{i}"
            begin = time.monotonic_ns()
            if kind < 0.3 or not mine:
                request = imported(marker, replaces=rng.choice(mine)) if mine and kind < 0.08 else new(marker)
                (receipt,) = store.store_many([request])
                mine.append(receipt.id)
                tell(f"store {receipt.id} {begin} {time.monotonic_ns()} {marker}")
            elif kind < 0.6:
                entry_id = rng.choice(seen or mine)
                try:
                    value = store.read_entry(entry_id).result["marker"]
                except EntryNotFoundError:
                    value = "-"
                tell(f"get {entry_id} {begin} {time.monotonic_ns()} {value}")
            elif kind < 0.97:
                lines = store.read_index().lines
                end = time.monotonic_ns()
                there = {line.id: line.question_preview.removeprefix("question ") for line in lines}
                seen = list(there)
                tell(f"list all {begin} {end} {','.join(f'{k}={v}' for k, v in there.items())}")
            else:
                repair(store, dry_run=False)

    return work


def wiper(root, seed: int):
    def work(tell):
        rng = random.Random(seed)
        store = open_store(root, wait_seconds=60)
        for _ in range(3):
            time.sleep(rng.uniform(0.05, 0.3))
            begin = time.monotonic_ns()
            wipe(store, confirm="demo")
            tell(f"wipe all {begin} {time.monotonic_ns()} ")

    return work


def parse(told: list[list[str]]) -> tuple[list[Act], list[str]]:
    acts, errors = [], []
    for lines in told:
        for line in lines:
            if line.startswith("error"):
                errors.append(line)
                continue
            kind, entry_id, begin, end, value = line.split(" ", 4)
            acts.append(Act(kind, entry_id, int(begin), int(end), value))
    return acts, errors


def check(acts: list[Act]) -> list[str]:
    """Why the history could not have happened, id by id; an empty list means it could."""
    stores = {act.entry_id: act for act in acts if act.kind == "store"}
    wipes = sorted((act for act in acts if act.kind == "wipe"), key=lambda act: act.begin)
    looks: dict[str, list[tuple[Act, str]]] = {entry_id: [] for entry_id in stores}
    problems = []
    for act in acts:
        if act.kind == "list":
            there = dict(pair.split("=") for pair in act.value.split(",") if pair)
            problems += [f"{k} was listed and never stored" for k in there if k not in stores]
            for entry_id in stores:
                looks[entry_id].append((act, there.get(entry_id, "-")))
        elif act.kind == "get" and act.entry_id in looks:
            looks[act.entry_id].append((act, act.value))
    for entry_id, store in stores.items():
        problems += _check_one(entry_id, store, looks[entry_id], wipes)
    return problems


def _check_one(entry_id, store, looks, wipes):
    # A wipe that began after the store ended takes it for sure; one that overlapped the store may have.
    takers = [wipe for wipe in wipes if wipe.end > store.begin]
    sure = [wipe for wipe in takers if wipe.begin > store.end]
    gone_from = min((wipe.end for wipe in sure), default=None)
    may_be_gone_from = min((wipe.begin for wipe in takers), default=None)
    latest_seen = max((look.begin for look, value in looks if value != "-"), default=None)
    earliest_seen_end = min((look.end for look, value in looks if value != "-"), default=None)
    for look, value in looks:
        if value not in {"-", store.value}:
            yield f"{entry_id} holds {value}, stored was {store.value}"
        if value != "-":
            if look.end < store.begin:
                yield f"{entry_id} was seen before it was stored"
            if gone_from is not None and look.begin > gone_from:
                yield f"{entry_id} was seen after it was wiped"
            continue
        could_be_wiped = may_be_gone_from is not None and look.end > may_be_gone_from
        if could_be_wiped:
            if latest_seen is not None and latest_seen > look.end and look.begin > store.end:
                yield f"{entry_id} was gone and came back"
            continue
        if look.begin > store.end:
            yield f"{entry_id} was stored and not seen afterwards"
        elif earliest_seen_end is not None and look.begin > earliest_seen_end:
            yield f"{entry_id} was seen and then not seen"


@pytest.mark.promise("P7")
@pytest.mark.parametrize("seed", range(pick(10, 200)))
def test_a_history_could_have_happened_one_call_after_another(scratch, cases, seed):
    root = scratch / "root"
    works = [client(root, f"c{k}", seed) for k in range(CLIENTS)]
    if seed % 3 == 2:
        works.append(wiper(root, seed))
    acts, errors = parse(together(works))
    cases.add(errors[:3], name=f"seed {seed}")
    cases.add(check(acts)[:5], name=f"seed {seed}")
    cases.passed += len(acts)


def _false(*changes):
    base = [
        Act("store", "a", 10, 20, "x"),
        Act("get", "a", 30, 40, "x"),
        Act("list", "all", 30, 40, "a=x"),
        Act("wipe", "all", 100, 110),
        Act("get", "a", 120, 130, "-"),
    ]
    return [*base, *changes]


@pytest.mark.promise("P7")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (Act("get", "a", 45, 50, "-"), "not seen"),
        (Act("list", "all", 45, 50, ""), "not seen"),
        (Act("get", "a", 45, 50, "y"), "holds y"),
        (Act("get", "a", 1, 5, "x"), "before it was stored"),
        (Act("get", "a", 140, 150, "x"), "after it was wiped"),
        (Act("list", "all", 45, 50, "a=x,b=z"), "never stored"),
    ],
    ids=["lost", "lost-from-list", "other-content", "too-early", "back-after-wipe", "invented"],
)
def test_the_checker_refuses_a_false_history(change, said):
    assert check(_false()) == []
    assert any(said in problem for problem in check(_false(change)))


@pytest.mark.promise("P7")
def test_the_checker_refuses_a_flickering_entry():
    acts = [Act("store", "a", 10, 100, "x"), Act("get", "a", 20, 30, "x"), Act("get", "a", 40, 50, "-")]
    assert check(acts) == ["a was seen and then not seen"]


if __name__ == "__main__":
    main(__file__)
