"""Records stand beside entries: in views of their own, in recall, in decisions; and are looked at again when they change."""

import datetime as dt
import random

import pytest

from memkit.catalog import record_entries
from memkit.consolidate.consolidating import consolidate
from memkit.errors import MemkitWarning
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import records
from tests.analytics.naive import Naive

DAY = dt.timedelta(days=1)


@pytest.fixture
def opened(root, project, clock, tmp_path):
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    return lambda: open_memory(project, root=root, enabled=True, clock=clock, environment=environment)


@pytest.fixture
def mem(opened):
    with opened() as memory:
        yield memory


def write(mem, title, body, kind="lesson", **more):
    return mem.records.write(kind, title=title, body=body, sources=["Mara"], triggers=["a new depot"], **more)


def test_a_record_is_a_hit_beside_entries_with_every_reason(mem, clock):
    receipt = mem.store(question="Which retry policy?", result={"conclusion": "Exponential backoff."})
    write(mem, "Retry only idempotent calls", "A retry billed a courier twice.", tags=["billing"])
    clock.advance(40 * DAY)
    hits = mem.recall("retry")
    assert {hit.id: hit.kind for hit in hits} == {
        "memory/retry-only-idempotent-calls.md": "lesson",
        receipt.id: "entry",
    }
    hit = next(hit for hit in hits if hit.kind == "lesson")
    assert (hit.question, hit.summary) == ("Retry only idempotent calls", "A retry billed a courier twice.")
    assert (hit.panel_id, hit.tags, hit.age_label) == ("record:lesson", ("billing",), "Stored 40 days ago")
    assert sum(c.value for c in hit.contributions) == pytest.approx(hit.score)
    assert {fragment.field for fragment in hit.fragments} == {"question", "synthesis"}
    assert [h.id for h in mem.recall("depot")] == ["memory/retry-only-idempotent-calls.md"]
    assert [h.kind for h in mem.recall("retry", panel="record:lesson")] == ["lesson"]
    assert [h.kind for h in mem.recall("courier", any_tag="billing")] == ["lesson"]
    assert mem.recall("retry").to_arrow().column("kind").to_pylist() == [hit.kind for hit in hits]


@pytest.mark.parametrize("seed", range(3))
def test_scores_over_entries_and_records_agree_with_the_naive_formula(mem, seed):
    rng = random.Random(seed)
    words = [f"{a}{b}" for a in ("ka", "lo", "mi", "nu") for b in ("ba", "de", "fi", "go")]

    def text(k):
        return " ".join(rng.choices(words, weights=range(1, len(words) + 1), k=k))

    for _ in range(12):
        mem.store(question=text(4), result={"conclusion": text(5), "synthesis": {"content": text(20)}}, tags=[text(1)])
        write(mem, text(4), text(20), kind=rng.choice(["lesson", "decision", "domain"]), tags=[text(1)])
    read = records.read_all(mem.paths)
    entries = [mem.get(line.id) for line in mem.list()]
    entries += [record_entries.entry_of(mem._store, file, file.record, {}) for file in read.files]
    naive = Naive(entries)
    for _ in range(5):
        query = text(3)
        expected = {k: v for k, v in naive.scores(query).items() if v > 0}
        for _ in range(2):  # from DuckDB, then from memory
            hits = mem.recall(query, limit=100)
            assert {hit.id: hit.score for hit in hits} == pytest.approx(expected)


def test_a_superseded_record_stands_behind_its_successor(mem):
    write(mem, "Retry everything", "A storm of retries.")
    write(mem, "Retry with a key", "Send an idempotency key.", supersedes=["retry-everything"])
    (hit,) = mem.recall("storm")
    assert (hit.id, hit.matched_through) == ("memory/retry-with-a-key.md", "memory/retry-everything.md")
    hits = mem.recall("storm", include_superseded=True)
    assert [(h.id, h.status) for h in hits] == [
        ("memory/retry-with-a-key.md", "accepted"), ("memory/retry-everything.md", "superseded"),
    ]  # fmt: skip
    assert mem.recall("storm").missed[0].ids == ("memory/retry-everything.md",)


def test_a_link_is_followed_only_to_a_record_of_that_name_and_never_to_a_document(mem):
    mem.store(question="use-utc", result={"title": "use-utc", "conclusion": "clocks"}, panel_id="adr")
    by_hand(mem, "memory/newer.md", "---\nkind: lesson\nsupersedes: [use-utc]\n---\n# Newer\n\nclocks\n")
    mem.refresh()
    assert {h.kind for h in mem.recall("clocks")} == {"entry", "lesson"}


def by_hand(mem, path, text):
    file = mem.paths.folder / path
    file.parent.mkdir(exist_ok=True, mode=0o700)
    file.write_text(text)
    file.chmod(0o600)
    return file


def test_a_decision_record_is_a_decision_with_conclusion_tripwires_and_days(mem, clock):
    write(
        mem, "Keep PostgreSQL", "We keep it.\n\n## Tripwire conditions\n\n- p95 latency > 300 ms\n", kind="decision",
        extra={"decided_on": "2026-10-01"},
    )  # fmt: skip
    write(mem, "Not a decision", "PostgreSQL has a lock manager.", kind="domain")
    (row,) = mem.sql("from decisions").rows
    assert (row["entry_id"], row["status"], row["panel_id"]) == (
        "memory/keep-postgresql.md",
        "accepted",
        "record:decision",
    )
    assert (row["conclusion"], row["decided_on"], row["tripwires"]) == (
        "We keep it.", dt.date(2026, 10, 1), ["p95 latency > 300 ms"],
    )  # fmt: skip
    (decided,) = mem.what_we_decided("postgresql")
    assert (decided.id, decided.conclusion) == ("memory/keep-postgresql.md", "We keep it.")
    facts = [{"metric": "p95 latency", "at": clock.now() - DAY, "value": 400, "unit": "ms"}]
    (wire,) = mem.tripwires.check(facts)
    assert wire.verdict == "tripped"
    mem.tripwires.acknowledge(wire.id, "Seen.", facts=facts)
    assert mem.tripwires.check(facts).rows[0].acknowledged
    assert mem.verify() == []


def test_a_superseded_decision_record_ends_when_its_successor_was_written(mem, clock):
    write(mem, "Keep it", "We keep it.", kind="decision")
    clock.advance(10 * DAY)
    write(mem, "Drop it", "We drop it.", kind="decision", supersedes=["keep-it"])
    rows = mem.sql(
        "select entry_id, date_diff('day', begins_at, ends_at) as lasted, ended_by from decision_lives order by begins_at"
    ).rows
    assert rows[0] == {"entry_id": "memory/keep-it.md", "lasted": 10, "ended_by": "memory/drop-it.md"}


def test_entries_and_projects_count_no_records(mem):
    mem.store(question="Which queue?", result={"conclusion": "Keep it."})
    write(mem, "Use UTC", "Store instants.")
    assert mem.sql("select count(*) as n from entries").rows == [{"n": 1}]
    assert [(r["n_entries"], r["n_live"]) for r in mem.sql("from projects").rows] == [(1, 1)]
    assert len(mem.list()) == 1


def test_the_view_has_every_record_and_quarantine_every_damaged_one(mem, clock):
    write(mem, "Use UTC", "Store instants.", tags=["time"])
    write(mem, "Nine depots", "There are nine.", kind="domain")
    by_hand(mem, "memory/broken.md", "---\nkind: [lesson\n---\n")
    mem.refresh()
    clock.advance(3 * DAY)
    rows = mem.sql("select path, kind, title, tags, age_days, body from records order by path").rows
    assert [tuple(row.values()) for row in rows] == [
        ("knowledge/nine-depots.md", "domain", "Nine depots", [], 3.0, "# Nine depots\n\nThere are nine."),
        ("memory/use-utc.md", "lesson", "Use UTC", ["time"], 3.0, "# Use UTC\n\nStore instants."),
    ]
    assert [(r["code"], r["file"]) for r in mem.sql("from quarantine").rows] == [("damaged-record", "memory/broken.md")]


def test_records_that_nothing_confirmed_for_a_month_are_low_signal(mem, clock):
    write(mem, "Use UTC", "Store instants.")
    write(mem, "Old and replaced", "x")
    clock.advance(29 * DAY)
    write(mem, "Fresh", "x", supersedes=["old-and-replaced"])
    assert len(mem.sql("from low_signal_records")) == 0
    clock.advance(2 * DAY)
    assert [(r["slug"], r["n_sources"]) for r in mem.sql("from low_signal_records").rows] == [("use-utc", 1)]
    mem.recall("instants")
    assert [(r["id"], r["op"], r["rank"]) for r in mem.sql("from firings").rows] == [("memory/use-utc.md", "recall", 1)]
    consolidate(mem._store, [])
    mem.refresh()
    (row,) = mem.sql("from low_signal_records").rows
    assert (row["n_recalled"], row["reinforcement_count"], row["only_recalled"]) == (1, 1, True)
    assert len(mem.sql("from firings")) == 0
    by_hand(mem, "memory/use-utc.md", "---\nkind: lesson\nreinforcement_count: 2\ncreated_at: 2026-01-01\n---\nx\n")
    mem.refresh()
    assert len(mem.sql("from low_signal_records")) == 0


def test_own_writes_are_seen_at_once_and_edits_by_others_after_a_refresh(mem, opened):
    mem.recall("warm")
    write(mem, "Use UTC", "Store instants.")
    assert len(mem.recall("instants")) == 1
    mem.records.edit("lesson", "use-utc", body="# Use UTC\n\nStore moments.")
    assert [len(mem.recall(word)) for word in ("instants", "moments")] == [0, 1]
    with opened() as other:
        other.records.delete("lesson", "use-utc", reason="Wrong.")
        write(other, "Another", "zones")
    with pytest.warns(MemkitWarning, match="skipped memory/use-utc.md"):
        assert len(mem.recall("moments")) == 0
    mem.refresh()
    assert [len(mem.recall(word)) for word in ("moments", "zones")] == [0, 1]


def test_an_edit_that_keeps_the_title_is_shown_as_the_file_is_now(mem):
    write(mem, "Use UTC", "Store instants.")
    mem.recall("instants")
    file = mem.paths.memory / "use-utc.md"
    file.write_text(file.read_text().replace("Store instants.", "Store moments."))
    (hit,) = mem.recall("instants")
    assert hit.summary == "Store moments."
    mem.refresh()
    assert len(mem.recall("instants")) == 0


def test_a_snapshot_never_holds_a_record(mem, opened):
    from memkit.snapshot.absorbing import absorb

    for i in range(3):
        mem.store(question=f"Which queue {i}?", result={"conclusion": "Keep it."})
    write(mem, "Use UTC", "Store instants of a queue.")
    absorb(mem._store, minimum=1)
    with opened() as other:
        assert len(other.recall("queue")) == 4
        write(other, "Use zones", "A queue of zones.")
        assert len(other.recall("queue")) == 5
        assert other.sql("select count(*) as n from entries").rows == [{"n": 3}]
    assert mem.verify() == []


def test_a_recall_says_how_many_of_what_it_searched_are_records(mem):
    mem.store(question="Which queue?", result={"conclusion": "Keep it."})
    before = mem.recall("queue")
    assert (before.n_entries, before.n_records) == (1, 0)
    assert "in 1 entry." in before.to_text()
    mem.records.write("lesson", title="Watch the queue", body="It fills on Mondays.", sources=["Mara"])
    found = mem.recall("queue")
    assert (found.n_entries, found.n_records) == (2, 1)
    assert "2 hits in 1 entry and 1 record." in found.to_text()
    assert "1 entry and 1 record searched" in mem.recall("zeppelin").to_text()
