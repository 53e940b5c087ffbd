"""`what_we_decided` and `project_summary`: decisions only, chains head first, with days, dissent and verdicts."""

import datetime as dt
import json
import random

import pytest

from memkit import clock
from memkit.analytics.decided import what_we_decided
from memkit.clock import UTC
from memkit.errors import InvalidInputError
from memkit.store.audit_log import read_events
from tests.deciding.conftest import AS_OF, FACTS, opened
from tests.stores import NOW, new, open_catalog, open_store, put


def test_the_head_of_a_chain_comes_first_with_everything_that_matters(wherry):
    decided = wherry.what_we_decided("database", facts=FACTS)
    first, second, third = decided[:3]
    assert first.title == "Shard the database by depot"
    assert first.label == "Decided 263 days ago, stored 76 days ago"
    assert [other.title for other in first.predecessors] == [second.title, third.title]
    assert first.successors == ()
    assert first.conclusion.startswith("Chosen option")
    assert (second.status, third.status) == ("superseded", "superseded")
    assert second.successors[-1].id == first.id
    assert {wire.verdict for wire in first.tripwires} == {"tripped", "armed", "unknown"}


def test_a_panel_brings_its_confidence_and_its_dissent(wherry):
    row = next(row for row in wherry.what_we_decided("map tiles") if row.panel_id == "consensus")
    assert (row.final_score, row.judge_confidence) == (66.0, 78.0)
    assert row.minority_positions[0].startswith("Sceptic: October has five weekends")
    assert row.unresolved_disputes == ("How many views are people reloading while they wait.",)


@pytest.mark.parametrize("limit", range(1, 9))
def test_the_limit_never_changes_who_stands_before_whom(wherry, limit):
    rows = wherry.what_we_decided("database", limit=limit)
    assert [row.id for row in rows] == [row.id for row in wherry.what_we_decided("database", limit=8)][:limit]


def test_since_days_counts_from_the_decision_not_from_storage(wherry):
    assert wherry.what_we_decided("database", since_days=30).rows == ()
    found = wherry.what_we_decided("database", since_days=300)
    assert [row.title for row in found] == ["Shard the database by depot"]
    assert {cause.cause: cause.count for cause in found.missed}["before-since"] == 2
    assert len(wherry.what_we_decided("database", since_days=600)) == 3


def test_what_replaced_a_decision_of_the_days_asked_about_is_shown_with_it(see_decisions):
    catalog, put_in = see_decisions
    old = put_in("Which queue at first?", "Rabbit", decidedOn="2026-11-20")
    head = put_in("Which queue now?", "Kafka", supersedes=[old], decidedOn="2026-01-01")
    found = decide(catalog(), "queue", since_days=30)
    assert [row.id for row in found] == [head, old]


def test_entries_of_other_panels_are_no_decisions_and_are_counted(see_decisions):
    catalog, put_in = see_decisions
    kept = put_in("Which queue?", "Kafka")
    put_in("A chat about the queue", "nothing", panel="chat")
    found = decide(catalog(), "queue")
    assert [row.id for row in found] == [kept]
    assert [(cause.cause, cause.count) for cause in found.missed] == [("no-decision", 1)]


def test_a_topic_of_very_common_words_is_answered_and_said_to_be_one(see_decisions):
    catalog, put_in = see_decisions
    for n in range(30):
        put_in(f"What do we do about the {n}?", "We do the one and the other.")
    found = decide(catalog(), "the and we do", limit=5)
    assert len(found) == 5
    assert [cause.cause for cause in found.missed] == ["common-words"]
    assert "Only common words" in found.to_text()


def test_a_topic_without_words_says_so(see_decisions):
    catalog, put_in = see_decisions
    put_in("Which queue?", "Kafka")
    assert [cause.cause for cause in decide(catalog(), "?!").missed] == ["empty-query"]
    assert "No decision about" in decide(catalog(), "?!").to_text()


def test_two_decisions_that_supersede_each_other_are_both_shown(see_decisions):
    catalog, put_in = see_decisions
    put_in("Queue one", "Kafka", title="one", supersedes=["two"])
    put_in("Queue two", "Rabbit", title="two", supersedes=["one"])
    found = decide(catalog(), "queue")
    assert {row.title for row in found} == {"one", "two"}
    assert found.to_text().count("in a circle") == 2


def test_both_successors_of_a_fork_stand_before_it(see_decisions):
    catalog, put_in = see_decisions
    old = put_in("queue queue queue queue: the old one", "queue")
    left = put_in("The queue of the left", "Kafka", supersedes=[old])
    right = put_in("Right", "Rabbit", supersedes=[old], tags=("queue",))
    rows = [row.id for row in decide(catalog(), "queue")]
    assert rows[-1] == old
    assert set(rows[:2]) == {left, right}


@pytest.mark.parametrize("seed", range(5))
def test_no_superseded_decision_is_ever_ahead_of_what_replaced_it(see_decisions, seed):
    catalog, put_in = see_decisions
    source = random.Random(seed)
    ids = []
    for n in range(40):
        words = " ".join(
            source.choice(["queue", "database", "shard", "cache", "depot"]) for _ in range(source.randrange(1, 6))
        )
        replaced = source.sample(ids, min(len(ids), source.choice([0, 0, 0, 1, 1, 2])))
        ids.append(put_in(f"{words} {n}", words, supersedes=replaced))
    everything = [row.id for row in decide(catalog(), "queue database shard", limit=1000)]
    for limit in (1, 3, 7, 40):
        rows = decide(catalog(), "queue database shard", limit=limit).rows
        assert [row.id for row in rows] == everything[:limit]
        shown = [row.id for row in rows]
        assert len(set(shown)) == len(shown)
        for row in rows:
            later = [other.id for other in row.successors if other.id in shown]
            assert all(shown.index(other) < shown.index(row.id) for other in later)
            if row.status == "superseded":
                assert later


@pytest.mark.parametrize(("name", "value"), [("limit", 0), ("limit", 1001), ("limit", "5"), ("since_days", -1)])
def test_an_impossible_option_is_named(wherry, name, value):
    with pytest.raises(InvalidInputError) as caught:
        wherry.what_we_decided("database", **{name: value})
    assert caught.value.field == name


def test_asking_is_noted_once_in_the_audit_log(own_copy):
    before = len(read_events(own_copy.paths)[0])
    own_copy.what_we_decided("database")
    events = read_events(own_copy.paths)[0][before:]
    assert [(event["op"], event["text"]["query"]) for event in events] == [("decided", "database")]


def test_the_answer_is_plain_data_and_a_table(wherry):
    found = wherry.what_we_decided("database", facts=FACTS)
    assert json.loads(json.dumps(found.to_dict()))["decisions"][0]["tripwires"][0]["verdict"] == "tripped"
    frame = found.to_pandas()
    assert list(frame["n_tripped"]) == [1, 0, 0]


def test_the_summary_counts_what_there_is(wherry):
    summary = wherry.project_summary(facts=FACTS)
    assert (summary.n_entries, summary.n_decisions, summary.n_in_force) == (72, 72, 56)
    assert dict(summary.panels) == {"adr": 50, "consensus": 22}
    assert dict(summary.statuses)["superseded"] == 10
    assert summary.first_decided_on == dt.date(2025, 5, 15)
    assert [row.text for row in summary.tripped] == [
        "write QPS sustains >5k for 24h",
        "map tile spend exceeds $900/month",
    ]
    assert [row.text for row in summary.revisit_due] == ["revisit by 2026-10-01"]
    assert dict(summary.tripwires) == {"tripped": 3, "armed": 30, "unknown": 59}
    json.dumps(summary.to_dict())


def test_an_empty_memory_has_an_empty_summary(see_decisions):
    from memkit.analytics.summary import summarise
    from memkit.analytics.tripwires import check

    catalog, _ = see_decisions
    report = check(catalog(), None, as_of=NOW)
    summary = summarise(catalog(), report, project_path="/p", as_of=NOW)
    assert (summary.n_entries, summary.n_decisions, summary.last_stored_at) == (0, 0, None)
    assert "Nothing is stored" in summary.to_text()


@pytest.mark.parametrize(
    ("decided_on", "words"),
    [
        (dt.date(2026, 9, 15), "Decided 76 days ago, stored 3 days ago"),
        (dt.date(2026, 11, 30), "Decided today, stored 3 days ago"),
        (dt.date(2026, 12, 3), "Decided in 3 days (clock skew?), stored 3 days ago"),
        (None, "Stored 3 days ago"),
    ],
)
def test_the_label_tells_the_day_of_the_decision_from_that_of_storage(decided_on, words):
    now = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert clock.decision_label(decided_on, now - dt.timedelta(days=3), now) == words


@pytest.fixture
def see_decisions(root, project, clock, tmp_path):
    """A store to put decisions into, and a catalog over it."""
    store = open_store(root, project, clock)
    opened = []

    def catalog():
        if not opened:
            opened.append(open_catalog(tmp_path, store))
        opened[0].refresh()
        return opened[0]

    def put_in(question, text, **more):
        return put(store, new(question, text, **more))[0]

    yield catalog, put_in
    for each in opened:
        each.close()


def decide(catalog, topic, **options):
    return what_we_decided(catalog, topic, as_of=NOW, panels=("adr", "consensus"), **options)


def test_before_the_first_decision_nothing_was_decided_and_that_is_said(wherry):
    found = wherry.what_we_decided("database", as_of="2020-01-01")
    assert found.rows == ()
    assert [(cause.cause, cause.count) for cause in found.missed] == [("after-moment", 3)]
    assert "Decided after the moment asked about" in found.to_text()
    assert "clock skew" not in found.to_text()


def test_of_an_earlier_moment_only_decisions_made_by_then_are_shown_with_what_replaced_them(wherry):
    found = wherry.what_we_decided("database", as_of="2025-06-01")
    assert [row.title for row in found] == [
        "Shard the database by depot",
        "3. One PostgreSQL server as the database for scan events",
    ]
    assert {cause.cause: cause.count for cause in found.missed}["after-moment"] == 2


def test_decision_records_are_decided_summed_up_and_put_in_chains_like_entries(own_copy):
    records = own_copy.records
    conditions = "## Tripwire conditions\n\n- write QPS sustains >5k for 24h\n"
    records.write("decision", title="One host", body=f"A lighthouse on one host.\n\n{conditions}", sources=["Mara"])
    two = {"title": "Two hosts", "body": "The lighthouse moves.", "extra": {"decided_on": "2026-11-20"}}
    records.write("decision", supersedes=["one-host"], sources=["Mara"], **two)
    records.write("lesson", title="Lighthouses", body="A lighthouse needs oil.", sources=["Mara"])
    before = own_copy.project_summary()
    found = own_copy.what_we_decided("lighthouse", facts=FACTS)
    assert [row.title for row in found] == ["Two hosts", "One host"]
    new, old = found
    assert [(other.id, other.title) for other in new.predecessors] == [("memory/one-host.md", "One host")]
    assert [other.title for other in old.successors] == ["Two hosts"]
    assert new.label.startswith("Decided 10 days ago, stored ")
    assert [wire.verdict for wire in old.tripwires] == ["tripped"]
    assert [(cause.cause, cause.ids) for cause in found.missed] == [("no-decision", ("memory/lighthouses.md",))]
    assert ["One host", "Two hosts"] in [[member.title for member in chain.members] for chain in own_copy.chains()]
    assert "memory/two-hosts.md" in [held.entry_id for held in own_copy.in_force()]
    assert before.records == (("decision", 1), ("lesson", 1))
    assert (before.n_entries, before.n_decisions, before.n_in_force) == (72, 74, 57)
    assert "decision 1, lesson 1" in before.to_text()


def test_the_summary_says_what_retention_moves_next(own_copy):
    now = own_copy.project_summary()
    oldest = min(own_copy.list(), key=lambda line: (line.stored_at_ms, line.id))
    assert (now.n_due, now.n_ahead, len(now.next_moved)) == (0, 72, 5)
    assert (now.next_moved[0].entry_id, now.next_moved[0].verdict) == (oldest.id, "keep")
    assert now.next_moved[0].due_at == clock.from_ms(oldest.stored_at_ms) + dt.timedelta(days=365)
    assert "nothing is due now; next by age" in now.to_text()
    later = own_copy.project_summary(as_of=AS_OF + dt.timedelta(days=300))
    assert (later.n_due, later.n_ahead) == (72, 0)
    assert "the next plan moves" in later.to_text()
    said = later.to_dict()["retention"]
    assert (said["due"], said["next"][0]["entry_id"]) == (72, oldest.id)
    assert "the limit is 365 days" in said["next"][0]["why"]
    due = own_copy.retention.review(as_of=AS_OF + dt.timedelta(days=300)).due
    assert [row.entry_id for row in due[:5]] == [row.entry_id for row in later.next_moved]


def test_a_policy_that_forgets_nothing_has_nothing_next(tmp_path):
    with opened(tmp_path, retention="[retention]\nenabled = false") as mem:
        mem.store(question="Which queue?", result={"conclusion": "None."})
        summary = mem.project_summary(as_of=AS_OF + dt.timedelta(days=9_000))
    assert (summary.n_due, summary.n_ahead, summary.next_moved) == (0, 0, ())
    assert "nothing gets due by its age" in summary.to_text()


def test_a_memory_of_records_only_is_not_an_empty_one(tmp_path):
    with opened(tmp_path) as mem:
        mem.records.write("lesson", title="Lighthouses", body="A lighthouse needs oil.", sources=["Mara"])
        assert "lesson 1" in mem.project_summary().to_text()


def test_ages_of_what_was_stored_after_the_moment_asked_about_are_explained(wherry):
    assert "some lie ahead of it" in wherry.what_we_decided("database", as_of="2025-09-01").to_text()
    assert "some lie ahead of it" not in wherry.what_we_decided("database").to_text()


def test_a_summary_of_an_earlier_moment_says_that_it_counts_what_is_stored_now(wherry):
    assert "Counts are of what is stored now" in wherry.project_summary(as_of="2020-01-01").to_text()
    assert "Counts are of" not in wherry.project_summary().to_text()


@pytest.mark.parametrize("limit", [1, 3, 10, 40])
def test_of_a_long_chain_the_newest_are_shown_head_first_without_reading_all_of_it(see_decisions, limit):
    catalog, put_in = see_decisions
    before: list[str] = []
    for i in range(120):
        day = (dt.date(2026, 1, 1) + dt.timedelta(days=i)).isoformat()
        before.append(put_in(f"Which queue, number {i}?", "Kafka", supersedes=before[-1:], decidedOn=day))
    found = decide(catalog(), "queue", limit=limit)
    assert [row.id for row in found] == before[::-1][:limit]


def test_what_was_pruned_stands_in_the_timeline_and_is_missed_in_the_past(own_copy):
    from memkit.store.prune import prune

    old = next(row for row in own_copy.decisions() if row.title.startswith("3. One PostgreSQL"))
    before = own_copy.in_force("2025-06-10")
    assert old.entry_id in {row.entry_id for row in before}
    prune(own_copy._store, {old.entry_id: ["max_age_days"]})
    own_copy.refresh()
    found = own_copy.timeline()
    assert sum(row.pruned for row in found) == 1
    (event,) = [event for event in found.events if event.kind == "pruned"]
    assert (event.entry_id, event.detail) == (old.entry_id, "max_age_days")
    assert "Pruned" in found.to_text()
    after = own_copy.in_force("2025-06-10")
    assert old.entry_id not in {row.entry_id for row in after}
    assert "1 entry is in the trash and may be missing here." in after.reason
