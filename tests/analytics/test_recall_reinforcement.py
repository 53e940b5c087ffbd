"""Uses raise a score by a bounded share, beside the rank without them; off by default; never fed by being recalled."""

import random

import pytest

from memkit.analytics.recall import RecallOptions, recall
from memkit.errors import InvalidInputError
from memkit.opening import open_memory
from memkit.testing import temp_memory_root
from tests.analytics.naive import Naive
from tests.stores import NOW, new, put

WORDS = [f"w{i}" for i in range(12)]


def used(store, counts):
    """Let consolidating have counted these readings and recalls, by id."""
    from memkit.model.ledger import LedgerLine, Uses
    from memkit.store import canonical, pending

    uses = tuple(Uses(each, recalled, read, NOW) for each, (recalled, read) in counts.items())
    with canonical.writing(store, "test") as held:
        line = LedgerLine(event="reinforced", at=NOW, run="r", used_bytes=1, used_sha256="0" * 64, uses=uses)
        pending.commit(store, held, [(line, [])], name="r-used-0")


@pytest.mark.parametrize("seed", range(5))
def test_scores_ranks_and_ranks_without_agree_with_the_naive_formula(store, see, seed):
    rng = random.Random(seed)
    ids = put(
        store,
        *(
            new(" ".join(rng.choices(WORDS, k=4)), " ".join(rng.choices(WORDS, k=9)), days_ago=50 - i)
            for i in range(30)
        ),
    )
    reads = {each: rng.choice([0, 0, 1, 3, 40]) for each in ids}
    used(store, {each: (rng.randrange(50), n) for each, n in reads.items() if n or rng.random() < 0.5})
    entries = [store.read_entry(each) for each in ids]
    naive, times = Naive(entries), {entry.id: entry.stored_at_ms for entry in entries}
    catalog = see(store)
    for share in (0.1, 1.0):
        query = " ".join(rng.choices(WORDS, k=3))
        plain = {each: round(score, 12) for each, score in naive.scores(query).items()}
        raised = {each: score * (1 + share * reads[each] / (reads[each] + 4)) for each, score in plain.items()}

        def order(scores):
            return sorted(scores, key=lambda each: (-round(scores[each], 11), -times[each], each))

        found = recall(catalog, query, RecallOptions(reinforcement=share, limit=10), as_of=NOW)
        assert [hit.id for hit in found] == order(raised)[:10]
        ranks = {each: rank for rank, each in enumerate(order(plain), 1)}
        for hit in found:
            assert hit.score == pytest.approx(raised[hit.id])
            assert sum(part.value for part in hit.contributions) == pytest.approx(hit.score)
            assert (hit.n_uses, hit.unreinforced_rank) == (reads[hit.id], ranks[hit.id])
            assert 1 <= hit.reinforcement < 1 + share
        without = recall(catalog, query, RecallOptions(limit=10), as_of=NOW)
        assert [hit.id for hit in without] == order(plain)[:10]
        assert {(hit.reinforcement, hit.n_uses, hit.unreinforced_rank) for hit in without} == {(1.0, 0, None)}


def test_a_member_of_a_chain_is_raised_by_its_own_uses_and_the_head_shown(store, see):
    old, head = put(
        store,
        new("queue for jobs", panel="adr", status="accepted", days_ago=30),
        new("broker", panel="adr", status="accepted", days_ago=20),
    )
    other = put(store, new("queue for jobs and more words here", days_ago=10))[0]
    used(store, {other: (0, 400)})
    found = recall(see(store), "queue", RecallOptions(reinforcement=1.0, include_superseded=True), as_of=NOW)
    ranks = {hit.id: (hit.rank, hit.unreinforced_rank) for hit in found}
    assert ranks == {other: (1, 2), old: (2, 1)}
    assert head not in ranks


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), True, "much"])
def test_a_share_has_a_range(value):
    with pytest.raises(InvalidInputError) as refused:
        RecallOptions(reinforcement=value)
    assert refused.value.field == "reinforcement"


@pytest.fixture
def mem():
    with temp_memory_root() as made:
        yield made


def test_being_recalled_however_often_moves_nothing_and_reading_does(mem):
    first = mem.store(question="queue alpha", result={"conclusion": "One."}).id
    second = mem.store(question="queue beta", result={"conclusion": "Two."}).id
    before = [hit.id for hit in mem.recall("queue")]
    for _ in range(20):
        mem.recall("queue", limit=1)
    mem.consolidate()
    found = mem.recall("queue", reinforcement=1.0)
    assert [hit.id for hit in found] == before
    assert {hit.n_uses for hit in found} == {0}
    last = before[-1]
    mem.read(last)
    assert mem.recall("queue", reinforcement=1.0)[0].id == before[0], "waits to be counted"
    mem.consolidate()
    hit = mem.recall("queue", reinforcement=0.5)[0]
    assert (hit.id, hit.n_uses, hit.unreinforced_rank) == (last, 1, 2)
    assert hit.reinforcement == pytest.approx(1.1)
    assert "rank 2 without uses" in found_text(mem)
    assert {first, second} == set(before)


def found_text(mem):
    return mem.recall("queue", reinforcement=0.5).to_text()


def test_a_record_counts_confirmations_and_readings_and_no_recalls(mem):
    mem.records.write("lesson", "use-utc", title="Use UTC", body="Store instants.", sources=["a"], triggers=["time"])
    for _ in range(3):
        mem.recall("instants")
    mem.records.read("lesson", "use-utc")
    mem.consolidate()
    assert mem.records.find("use-utc").record.reinforcement_count == 4
    (hit,) = mem.recall("instants", reinforcement=0.4)
    assert (hit.n_uses, hit.reinforcement) == (1, pytest.approx(1 + 0.4 / 5))
    frame = mem.recall("instants", reinforcement=0.4).to_arrow()
    assert frame.select(["reinforcement", "n_uses", "unreinforced_rank"]).num_rows == 1


def test_get_counts_nothing_and_read_counts_nothing_while_memory_is_off(mem):
    entry = mem.store(question="queue", result={"conclusion": "One."}).id
    mem.get(entry)
    with open_memory(mem.paths.project_path, root=mem.paths.root, enabled=False, even_if_off=True) as off:
        assert off.read(entry).id == entry
    assert not mem.paths.firings.exists()
    assert mem.read(entry).id == entry
    assert mem.sql("select id, op from firings").rows == [{"id": entry, "op": "read"}]
    assert mem.audit.usage()[0].entry_id == entry
