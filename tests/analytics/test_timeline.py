"""The timeline and what was in force, against a second implementation that goes through decisions one by one."""

import collections
import datetime as dt
import json
import random

import pytest

from memkit.analytics.facts import read_facts
from memkit.analytics.frames import frame_schemas
from memkit.analytics.timeline import in_force, timeline
from memkit.analytics.tripwires import marks
from memkit.clock import UTC
from memkit.errors import InvalidInputError
from memkit.present import register, render
from tests.stores import NOW, new, put

assert register.SHEETS
NOTHING = frame_schemas()["marks"].empty_table()
DAY = dt.timedelta(days=1)


def start_of(day):
    return dt.datetime.combine(day, dt.time(), UTC)


def put_random(store, source, n):
    """Decisions with and without days, replaced singly and in chains; (id, begins, ends or None, is end known)."""
    made = []
    for i in range(n):
        day = None if source.random() < 0.2 else (NOW - source.randrange(900) * DAY).date()
        stored = source.randrange(900)
        replaced = source.sample(range(i), min(i, source.choice([0, 0, 1, 2])))
        status = source.choice(["accepted"] * 5 + ["deprecated", "rejected", "proposed", "superseded"])
        more = {"decidedOn": day.isoformat()} if day else {}
        request = new(f"d{i}", "text", days_ago=stored, title=f"d{i}", status=status,
                      supersedes=[f"d{r}" for r in replaced], **more)  # fmt: skip
        (entry_id,) = put(store, request)
        begins = start_of(day) if day else NOW - stored * DAY
        made.append({"id": entry_id, "begins": begins, "status": status, "by": []})
        if status not in ("rejected", "proposed"):
            for r in replaced:
                made[r]["by"].append(i)
    lives = {}
    for each in made:
        ends = max(min(made[i]["begins"] for i in each["by"]), each["begins"]) if each["by"] else None
        if each["by"] or each["status"] not in ("rejected", "proposed"):
            known = ends is not None or each["status"] == "accepted"
            lives[each["id"]] = (each["begins"], ends, known)
    return lives


def held_at(lives, moment):
    return {i for i, (begins, ends, _) in lives.items() if begins <= moment and (ends is None or ends > moment)}


def truncated(day, bucket):
    return {
        "day": day,
        "week": day - dt.timedelta(days=day.weekday()),
        "month": day.replace(day=1),
        "quarter": day.replace(month=3 * ((day.month - 1) // 3) + 1, day=1),
        "year": day.replace(month=1, day=1),
    }[bucket]


@pytest.mark.parametrize("bucket", ["day", "week", "month", "quarter", "year"])
@pytest.mark.parametrize("seed", range(3))
def test_every_stretch_counts_what_happened_in_it_and_what_held_at_its_end(store, see, seed, bucket):
    lives = put_random(store, random.Random(seed), 50)
    found = timeline(see(store), NOTHING, as_of=NOW, bucket=bucket)
    counts = collections.Counter()
    for begins, ends, _ in lives.values():
        counts["decided", truncated(begins.date(), bucket)] += 1
        if ends is not None and ends <= NOW:
            counts["superseded", truncated(ends.date(), bucket)] += 1
    for this, following in zip(found, [*found[1:], None], strict=True):
        end = start_of(following.begins_on) - dt.timedelta(microseconds=1) if following else NOW
        assert this.decided == counts.pop(("decided", this.begins_on), 0)
        assert this.superseded == counts.pop(("superseded", this.begins_on), 0)
        held = held_at(lives, end)
        assert this.in_force == sum(lives[i][2] for i in held)
        assert this.uncertain == sum(not lives[i][2] for i in held)
    assert not counts
    assert len({row.begins_on for row in found}) == len(found)


@pytest.mark.parametrize("seed", range(6))
def test_what_was_in_force_is_what_had_begun_and_not_ended(store, see, seed):
    source = random.Random(50 + seed)
    lives = put_random(store, source, 40)
    catalog = see(store)
    for _ in range(15):
        moment = NOW - source.randrange(900 * 24) * dt.timedelta(hours=1)
        found = in_force(catalog, moment, as_of=NOW)
        if found.is_available:
            assert {row.entry_id for row in found} == held_at(lives, moment)
            assert all(row.is_certain == lives[row.entry_id][2] for row in found)
            assert all(row.ends_at == lives[row.entry_id][1] for row in found)
        else:
            assert moment < min(begins for begins, _, _ in lives.values())


def test_before_the_first_decision_the_answer_is_not_available_rather_than_empty(store, see):
    put(store, new("Which queue?", decidedOn="2026-01-15"))
    found = in_force(see(store), dt.datetime(2025, 1, 1, tzinfo=UTC), as_of=NOW)
    assert (found.is_available, found.rows) == (False, ())
    assert found.reason == "This memory begins on 2026-01-15; what held before is not known."
    assert found.to_dict()["decisions"] is None


def test_an_empty_memory_knows_of_no_past(store, see):
    catalog = see(store)
    assert not in_force(catalog, NOW, as_of=NOW).is_available
    assert timeline(catalog, NOTHING, as_of=NOW).rows == ()


def test_the_future_is_not_available(store, see):
    put(store, new("Which queue?"))
    assert in_force(see(store), NOW + 3 * DAY, as_of=NOW).reason == "That moment lies ahead."


def test_entries_that_cannot_be_read_are_said_to_be_missing(store, see):
    kept, gone = put(store, new("Which queue?", decidedOn="2026-01-15"), new("Which licence?"))
    store.paths.entry_file(gone).unlink()
    found = in_force(see(store), NOW, as_of=NOW)
    assert [row.entry_id for row in found] == [kept]
    assert "1 entry is not read here: the file is gone" in found.reason


def test_a_timeline_may_begin_and_end_anywhere_and_counts_only_between(store, see):
    for month in range(1, 11):
        put(store, new(f"d{month}", decidedOn=f"2026-{month:02}-15"))
    since, until = dt.datetime(2026, 3, 1, tzinfo=UTC), dt.datetime(2026, 5, 20, tzinfo=UTC)
    found = timeline(see(store), NOTHING, as_of=NOW, since=since, until=until)
    assert [(row.begins_on.month, row.decided, row.in_force) for row in found] == [(3, 1, 3), (4, 1, 4), (5, 1, 5)]
    assert [event.at.month for event in found.events] == [3, 4, 5]


def test_tripwires_are_marked_the_first_time_they_tripped_since_the_decision(store, see):
    wires = ["load exceeds 5", "revisit by 2026-06-01", "load exceeds 50", "someone complains"]
    put(store, new("Which queue?", decidedOn="2026-03-01", tripwires=wires))
    catalog = see(store)

    def reading(day, value):
        return {"metric": "load", "at": dt.datetime.fromisoformat(f"{day}T00:00:00+00:00"), "value": value}

    early = [reading("2026-01-01", 9), reading("2026-02-01", 1)]
    table = [*early, reading("2026-04-01", 9), reading("2026-05-01", 1), reading("2026-07-01", 9)]
    facts = read_facts(catalog, table)
    found = timeline(catalog, marks(catalog, facts, as_of=NOW), as_of=NOW)
    assert [(e.at.date().isoformat(), e.kind, e.detail) for e in found.events if e.kind != "decided"] == [
        ("2026-04-01", "tripped", "load exceeds 5"),
        ("2026-06-01", "revisit-due", "revisit by 2026-06-01"),
    ]
    assert [(row.tripped, row.revisit_due) for row in found[:4]] == [(0, 0), (1, 0), (0, 0), (0, 1)]
    held = read_facts(catalog, [reading("2026-01-01", 9)])
    (mark,) = [m for m in marks(catalog, held, as_of=NOW).to_pylist() if m["kind"] == "tripped"]
    assert mark["happened_at"] == dt.datetime(2026, 3, 1, tzinfo=UTC)


def test_two_decisions_that_replaced_each_other_both_hold(store, see):
    put(store, new("One", title="one", supersedes=["two"]), new("Two", title="two", supersedes=["one"]))
    assert len(in_force(see(store), NOW, as_of=NOW)) == 2


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"bucket": "fortnight"}, "bucket"),
        ({"since": NOW, "until": NOW - DAY}, "since"),
        ({"since": dt.datetime(1990, 1, 1, tzinfo=UTC), "bucket": "day"}, "bucket"),
    ],
)
def test_an_impossible_timeline_is_refused(store, see, options, field):
    put(store, new("Which queue?"))
    with pytest.raises(InvalidInputError) as caught:
        timeline(see(store), NOTHING, as_of=NOW, **options)
    assert caught.value.field == field


def test_the_timeline_is_a_table_and_plain_data(store, see):
    put(store, new("Which queue?", decidedOn="2026-01-15"))
    found = timeline(see(store), NOTHING, as_of=NOW)
    assert found.to_pandas()["in_force"].tolist() == [1] * 11
    assert json.loads(json.dumps(found.to_dict()))["events"][0]["kind"] == "decided"


def test_of_decisions_that_replaced_each_other_it_is_not_known_which_holds(store, see):
    put(store, new("One?", title="one", decidedOn="2026-01-15", supersedes=["two"]))
    put(store, new("Two?", title="two", decidedOn="2026-02-15", supersedes=["one"]))
    put(store, new("Three?", title="three", decidedOn="2026-03-15"))
    found = in_force(see(store), NOW, as_of=NOW)
    assert {row.title: row.is_certain for row in found} == {"one": False, "two": False, "three": True}
    assert found.reason == "Of 2 it is not known whether they still held."
    last = timeline(see(store), NOTHING, as_of=NOW)[-1]
    assert (last.in_force, last.uncertain) == (1, 2)


def test_the_audit_log_adds_what_was_stored_pruned_restored_acknowledged_and_written(tmp_path, root, project, clock):
    from memkit.model.event import Event
    from tests.stores import open_catalog, open_store

    store = open_store(root, project, clock)
    (one, other) = put(store, new("one", title="One"), new("two", title="Two"))
    log = store.audit
    log.record(Event("entry_operation", "prune", detail={"pruned": [one, other], "erased": []}))
    log.record(Event("entry_operation", "restore", detail={"restored": [other]}))
    log.record(Event("entry_operation", "acknowledge", detail={"entry_id": one, "reason": "We know."}))
    log.record(Event("record_operation", "edit", detail={"slug": "retry", "reason": "A typo."}))
    log.record(Event("record_operation", "write", status="failed", detail={"slug": "refused"}))
    log.record(Event("entry_operation", "erase", detail={"erased": 3}))
    with open_catalog(tmp_path, store) as catalog:
        found = timeline(catalog, NOTHING, as_of=clock.now())
    assert [(e.kind, e.entry_id, e.title, e.detail) for e in found.log_events] == sorted(
        [
            ("stored", one, "One", ""), ("stored", other, "Two", ""), ("pruned", one, "One", ""),
            ("pruned", other, "Two", ""), ("restored", other, "Two", ""), ("acknowledged", one, "One", "We know."),
            ("record", "retry", "retry", "edit: A typo."),
        ],
        key=lambda each: each[:2],
    )  # fmt: skip
    assert (found.missing_kinds, found.log_begins_at) == ((), NOW)
    assert "From the audit log: 2 stored, 2 pruned" in render.text(found)


def test_without_a_log_the_timeline_says_which_kinds_are_missing(tmp_path, root, project, clock):
    import shutil

    from tests.stores import open_catalog, open_store

    store = open_store(root, project, clock)
    put(store, new("one", title="One"))
    shutil.rmtree(store.paths.logs)
    with open_catalog(tmp_path, store) as catalog:
        found = timeline(catalog, NOTHING, as_of=clock.now())
    assert found.missing_kinds == ("stored", "pruned", "restored", "erased", "acknowledged", "record")
    assert found.log_events == ()
    assert "nothing is known of stored" in render.text(found)
