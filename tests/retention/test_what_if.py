"""Looking ahead changes nothing and says what would be."""

import datetime as dt

import pytest

from memkit.errors import InvalidInputError
from memkit.store import saved_queries
from memkit.store.repair import repair
from memkit.store.verify import verify


@pytest.fixture
def mem(open_mem, fill):
    memory = open_mem(max_age_days="none", max_results="none")
    memory.ids = fill(memory, 6)
    return memory


def test_two_policies_are_compared_entry_by_entry(mem):
    found = mem.retention.compare({"max_age_days": 10}, {"max_age_days": 3})
    assert [(row.before.entry_id, row.before.verdict, row.after.verdict) for row in found.rows] == [
        (mem.ids[0], "keep", "due"), (mem.ids[1], "keep", "due"), (mem.ids[2], "keep", "due"),
    ]  # fmt: skip
    assert found.moved == 3
    assert found.n_bytes == sum(mem.paths.entry_file(i).stat().st_size for i in mem.ids[:3])
    assert found.to_dict()["changes"][0]["after"]["verdict"] == "due"
    assert "3 entries judged differently" in found.to_text()


def test_a_calendar_says_on_which_day_what_gets_due(mem, clock):
    found = mem.retention.calendar(clock.now() + dt.timedelta(days=4), {"max_age_days": 4, "max_results": "none"})
    today = clock.now().date()
    assert [(row.day, [each.entry_id for each in row.due]) for row in found.rows] == [
        (today, mem.ids[:2]),
        *((today + dt.timedelta(days=n), [mem.ids[1 + n]]) for n in range(1, 5)),
    ]
    assert found.to_dict()["days"][0]["due"][0]["entry_id"] == mem.ids[0]
    assert "6 entries due" in found.to_text()


def test_a_calendar_knows_when_trash_may_be_erased(mem, clock):
    mem.retention.review({"max_age_days": 5}).apply()
    found = mem.retention.calendar(clock.now() + dt.timedelta(days=60), {"max_age_days": "none"})
    assert [(row.day, [each.entry_id for each in row.expired]) for row in found.rows] == [
        (clock.now().date() + dt.timedelta(days=30), [mem.ids[0]])
    ]


def test_a_calendar_of_the_past_is_refused(mem):
    with pytest.raises(InvalidInputError):
        mem.retention.calendar("2020-01-01")


def test_the_impact_on_saved_queries_is_told_with_the_reason(mem):
    mem.queries.add("queue")
    mem.queries.add("nothing of the kind")
    review = mem.retention.review({"max_age_days": 5})
    found = mem.retention.impact(review, limit=5)
    queue, other = found.rows
    assert not other.is_changed
    assert [(entry_id, "stored 5 days ago" in why) for _, entry_id, _, why in queue.lost] in ([], [(mem.ids[0], True)])
    assert found.n_due == 1
    whole = mem.retention.impact(review, limit=10).rows[0]
    assert [entry_id for _, entry_id, _, _ in whole.lost] == [mem.ids[0]]
    assert "gone" in mem.retention.impact(review).to_text()
    assert len(mem.recall("queue")) == 6


def test_saved_queries_are_durable_lines(mem):
    assert mem.queries.add("  retry   policy ") == "retry policy"
    mem.queries.add("retry policy")
    mem.queries.add("queue")
    assert mem.queries.list() == ("retry policy", "queue")
    mem.queries.drop("retry policy")
    assert mem.queries.list() == ("queue",)
    with pytest.raises(InvalidInputError, match="not saved"):
        mem.queries.drop("retry policy")
    for bad in ("", "  ", "x" * 1_001):
        with pytest.raises(InvalidInputError):
            mem.queries.add(bad)


def test_a_damaged_saved_query_is_told_and_moved_aside(mem):
    mem.queries.add("queue")
    with mem.paths.saved_queries.open("ab") as file:
        file.write(b'{"query": 5}\n')
    assert [problem.code for problem in verify(mem._store)] == ["damaged-query"]
    repair(mem._store, dry_run=False)
    assert verify(mem._store) == []
    assert saved_queries.read(mem.paths)[0] == ["queue"]


def test_the_views_show_trash_and_pins(mem):
    mem.retention.pin(mem.ids[1], "kept")
    mem.retention.hold(mem.ids[2], "held")
    mem.retention.review({"max_age_days": 5}).apply()
    assert [row["entry_id"] for row in mem.sql("select * from trash")] == [mem.ids[0]]
    assert [(row["kind"], row["entry_id"]) for row in mem.retention.pins()] == [
        ("hold", mem.ids[2]),
        ("pin", mem.ids[1]),
    ]
    mem.retention.unpin(mem.ids[1], "no more")
    assert len(mem.retention.pins()) == 1


def test_what_a_policy_names_and_no_entry_has_is_pointed_out(open_mem, fill):
    mem = open_mem(max_age_days="none", max_results="none")
    fill(mem, 2, panel="architects", tags=["queue"])
    limits = {"max_results": 5}
    said = " ".join(
        mem.retention.review({"panels": {"architect": limits, "architects": limits}, "tags": {"queues": limits}})
        .to_text()
        .split()
    )
    assert "No entry has the panel architect: is it written so? There are: architects." in said
    assert "No entry has the tag queues: is it written so? There are: queue." in said
    assert "No entry has the panel architects:" not in said
