"""`mem.tripwires` on the samples: verdicts, evidence, history, acknowledgements, and where verdicts appear."""

import collections
import csv
import dataclasses
import datetime as dt
import json

import pandas as pd
import pytest

from memkit.clock import UTC
from memkit.errors import FactsError, InvalidInputError, MemkitWarning
from memkit.store.audit_log import read_events
from tests.deciding.conftest import AS_OF, FACTS, SAMPLES, opened

MIDNIGHT = dt.datetime(2026, 11, 30, tzinfo=UTC)


def expected():
    with (SAMPLES / "tripwires.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["document"].startswith("wherry/")]


def test_every_sample_tripwire_has_the_verdict_it_deserves(wherry):
    report = wherry.tripwires.check(FACTS, as_of=MIDNIGHT, include_superseded=True)
    stored = {row.entry_id: row.title for row in report}
    assert len(stored) == 58
    verdicts = {(row.text, row.verdict) for row in report}
    assert verdicts == {(row["text"], row["verdict"]) for row in expected()}
    assert len(report) == len(expected())
    assert report.counts == collections.Counter(row["verdict"] for row in expected())


def test_what_speaks_comes_first_with_its_evidence(wherry):
    report = wherry.tripwires.check(FACTS)
    assert [(row.text, row.verdict) for row in report[:3]] == [
        ("write QPS sustains >5k for 24h", "tripped"),
        ("map tile spend exceeds $900/month", "tripped"),
        ("revisit by 2026-10-01", "tripped"),
    ]
    first = report[0]
    assert first.since == dt.datetime(2026, 11, 28, 17, tzinfo=UTC)
    assert first.evidence[0].at == dt.datetime(2026, 11, 27, 17, tzinfo=UTC)
    assert min(reading.value for reading in first.evidence) == 5268
    assert report.speaking == report.rows[:3]
    assert report.n_left_out == 31
    assert {row.status for row in report} <= {"accepted", "unknown"}


def test_one_decision_has_a_tripped_an_armed_and_an_unknown_condition(wherry):
    report = wherry.tripwires.check(FACTS)
    found = {row.verdict: row.reason for row in report if row.title == "Shard the database by depot"}
    assert found == {
        "tripped": "above 5,000 in all 56 readings since 2026-11-27 17:00Z, so for 24h since 2026-11-28 17:00Z",
        "armed": "26.5 % on 2026-11-29",
        "unknown": "no facts named pgtiller",
    }


def test_without_facts_only_days_are_judged(wherry):
    report = wherry.tripwires.check()
    assert {row.condition.kind for row in report if row.verdict != "unknown"} == {"date"}
    assert [row.text for row in report.speaking] == ["revisit by 2026-10-01"]
    assert {row.judgement.cause for row in report if row.verdict == "unknown"} == {"no-facts", "unread"}


@pytest.mark.parametrize("as_of", ["2027-01-01", dt.date(2027, 1, 1), dt.datetime(2027, 1, 1, tzinfo=UTC)])
def test_another_moment_may_be_asked_about(wherry, as_of):
    report = wherry.tripwires.check(FACTS, as_of=as_of)
    assert report.as_of == dt.datetime(2027, 1, 1, tzinfo=UTC)
    due = [row.text for row in report.speaking if row.condition.revisit_on]
    assert due == ["revisit by 2026-12-31", "revisit by 2026-12-31", "revisit by 2026-12-15", "revisit by 2026-10-01"]


def test_a_moment_before_every_reading_and_every_decision_is_answered(wherry):
    report = wherry.tripwires.check(FACTS, as_of="2001-01-01")
    assert report.counts["tripped"] == 0
    assert "no-readings" in {row.judgement.cause for row in report}


@pytest.mark.parametrize("as_of", [dt.datetime(2027, 1, 1), "soon", "2027-13-01"])
def test_a_moment_that_is_none_is_refused(wherry, as_of):
    with pytest.raises(InvalidInputError) as caught:
        wherry.tripwires.check(as_of=as_of)
    assert caught.value.field == "as_of"


def test_the_back_test_says_when_each_would_have_fired(wherry):
    backtest = wherry.tripwires.backtest(FACTS, as_of=MIDNIGHT)
    fired = {h.row.text: [f.fired_at.date().isoformat() for f in h.since_decided] for h in backtest if h.firings}
    assert fired == {
        "scan_events table exceeds 120 GB": ["2025-08-10"],
        "on-call pages exceed 6/week for 4 weeks": [],
        "scan ingest lag exceeds 90 s for 2 days": ["2025-12-10"],
        "revisit by 2026-10-01": ["2026-10-01"],
        "map tile spend exceeds $900/month": ["2026-10-31"],
        "write QPS sustains >5k for 24h": ["2026-11-28"],
    }
    lag = next(h for h in backtest if h.row.text.startswith("scan ingest lag")).firings[0]
    assert (lag.ended_by, lag.ended_at) == ("reading", dt.datetime(2025, 12, 12, tzinfo=UTC))
    assert backtest.to_pandas().shape[0] == 6
    json.dumps(backtest.to_dict())


def test_the_report_is_a_table_and_plain_data(wherry):
    report = wherry.tripwires.check(FACTS)
    frame = report.to_pandas()
    assert list(frame["verdict"].value_counts().sort_index()) == [30, 3, 59]
    tripped = frame[frame["metric"] == "write_qps"].iloc[0]
    assert (tripped["operator"], tripped["value"], tripped["window_seconds"]) == (">", 5000, 86400)
    assert json.loads(json.dumps(report.to_dict()))["n_speaking"] == 3


def test_verdicts_appear_on_hits_cards_and_what_we_decided(wherry):
    wherry.tripwires.check(FACTS)
    hit = next(hit for hit in wherry.recall("shard database depot") if hit.question.startswith("Shard the database"))
    assert {wire.verdict for wire in hit.tripwires} == {"tripped", "armed", "unknown"}
    assert "1 of 3 tripwires tripped" in hit.to_text()
    row = next(row for row in wherry.decisions() if row.title == "Shard the database by depot")
    assert {wire.verdict for wire in row.judged} == {"tripped", "armed", "unknown"}
    assert [wire.text for wire in row.judged] == list(row.tripwires)
    decided = wherry.what_we_decided("database")
    assert {wire.verdict for wire in decided[0].tripwires} == {"tripped", "armed", "unknown"}
    json.dumps(hit.to_dict())


def test_facts_may_come_from_the_settings(sample_root):
    with opened(sample_root, line=f'[tripwires]\nfacts = "{FACTS}"') as mem:
        assert len(mem.tripwires.check().speaking) == 3
        assert "tripped" in mem.recall("shard database depot").to_text()


def test_a_name_in_the_settings_leads_to_the_facts(sample_root, tmp_path):
    frame = pd.read_csv(FACTS).replace({"metric": {"write_qps": "db.writes"}})
    frame.to_csv(tmp_path / "facts.csv", index=False)
    lines = f'[tripwires]\nfacts = "{tmp_path}/facts.csv"\n[tripwires.metrics]\n"write QPS" = "db.writes"\nteam = "not there"'
    with opened(sample_root, line=lines) as mem:
        report = mem.tripwires.check()
        assert "write QPS sustains >5k for 24h" in [row.text for row in report.speaking]
        assert (
            f"The setting tripwires.metrics names 'not there', which {tmp_path}/facts.csv does not have."
            in report.notes
        )
        assert mem.tripwires.backtest().notes == report.notes
        assert "not there" not in " ".join(mem.tripwires.check(FACTS).notes)


def test_a_facts_file_of_the_settings_that_is_gone_warns_and_recall_goes_on(sample_root):
    with opened(sample_root, line='[tripwires]\nfacts = "/nowhere/facts.csv"') as mem:
        with pytest.warns(MemkitWarning, match="tripwires are not checked"):
            assert mem.recall("database")
        with pytest.raises(FactsError, match=r"facts\.csv"):
            mem.tripwires.check()


def test_facts_of_a_call_are_remembered_and_new_ones_take_their_place(wherry):
    assert len(wherry.tripwires.check(FACTS).speaking) == 3
    assert len(wherry.tripwires.check().speaking) == 3
    calm = [{"metric": "write_qps", "at": AS_OF, "value": 5}]
    assert len(wherry.tripwires.check(calm).speaking) == 1


def test_an_acknowledged_tripwire_is_silent_until_its_evidence_changes(own_copy):
    frame = pd.read_csv(FACTS)
    row = own_copy.tripwires.check(frame).speaking[0]
    said = own_copy.tripwires.acknowledge(row.id[:6], "More shards arrive on Monday.")
    assert (said.tripwire_id, said.entry_id) == (row.id, row.entry_id)
    again = own_copy.tripwires.check()
    silent = next(r for r in again if r.id == row.id)
    assert (silent.verdict, silent.speaks, silent.acknowledged) == ("tripped", False, said)
    assert len(again.speaking) == 2
    assert "More shards arrive on Monday." in again.to_html()

    def reading(hour, value):
        return {"metric": "write_qps", "at": f"2026-11-30T{hour:02}:00:00Z", "value": value, "unit": None}

    longer = pd.concat([frame, pd.DataFrame([reading(h, 6000) for h in range(1, 9)])])
    assert len(own_copy.tripwires.check(longer).speaking) == 2
    fallen = pd.concat([frame, pd.DataFrame([reading(h, 10 if h == 1 else 6000) for h in range(1, 24)])])
    assert len(own_copy.tripwires.check(fallen, as_of="2026-11-30T23:00Z").speaking) == 2
    risen = pd.concat(
        [fallen, pd.DataFrame([{**reading(0, 6000), "at": f"2026-12-01T{h:02}:00:00Z"} for h in range(4)])]
    )
    report = own_copy.tripwires.check(risen, as_of="2026-12-01T03:00Z")
    assert row.id in [r.id for r in report.speaking]

    event = read_events(own_copy.paths)[0][-1]
    assert (event["op"], event["tripwire_id"], event["text"]["reason"]) == (
        "acknowledge",
        row.id,
        "More shards arrive on Monday.",
    )
    assert own_copy.tripwires.acknowledged() == (said,)
    assert own_copy.verify() == []


def test_where_all_that_tripped_is_acknowledged_the_title_says_so(own_copy):
    for row in own_copy.tripwires.check(FACTS).speaking:
        own_copy.tripwires.acknowledge(row.id, "Known.")
    said = own_copy.tripwires.check().to_text()
    assert "None of 92 tripwires tripped that is not acknowledged" in said
    assert "3 of the tripped acknowledged" in said


def test_an_acknowledgement_outlives_the_memory_that_wrote_it(own_copy, tmp_path):
    row = own_copy.tripwires.check(FACTS).speaking[0]
    own_copy.tripwires.acknowledge(row.id, "Known.")
    own_copy.close()
    with opened(tmp_path) as again:
        assert row.id not in [r.id for r in again.tripwires.check(FACTS).speaking]
        (hit,) = [h for h in again.recall("shard database depot") if h.id == row.entry_id]
        assert "acknowledged" in hit.to_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (lambda report: "ffffffffffff", "no tripwire is named"),
        (lambda report: "", "no tripwire is named"),
        (lambda report: report[5].id, "the tripwire is armed"),
        (lambda report: report[-1].id, "the tripwire is unknown"),
    ],
    ids=["nobody", "nothing", "armed", "unknown"],
)
def test_only_a_tripped_tripwire_that_is_named_can_be_acknowledged(own_copy, name, words):
    report = own_copy.tripwires.check(FACTS)
    with pytest.raises(InvalidInputError, match=words) as caught:
        own_copy.tripwires.acknowledge(name(report), "because")
    assert caught.value.field == "id"
    assert own_copy.tripwires.acknowledged() == ()


def test_ids_of_tripwires_are_their_own_and_stay(wherry, own_copy):
    report = wherry.tripwires.check(include_superseded=True)
    assert len({row.id for row in report}) == len(report)
    assert {row.id for row in own_copy.tripwires.check(include_superseded=True)} == {row.id for row in report}


def test_a_new_edition_of_a_document_keeps_the_ids_of_its_conditions(own_copy, tmp_path):
    before = {row.text: row.id for row in own_copy.tripwires.check() if row.title == "Shard the database by depot"}
    entry_id = next(r.entry_id for r in own_copy.tripwires.check() if r.title == "Shard the database by depot")
    entry = own_copy.get(entry_id)
    new = dataclasses.replace(entry, id="f" * 32, replaces=entry_id, stored_at_ms=entry.stored_at_ms + 1000)
    from memkit.store.new_entry import NewEntry

    own_copy._keep(
        [NewEntry(question=new.question, result=dict(new.result), panel_id=new.panel_id, tags=new.tags,
                  replaces=entry_id, source=new.source)],
        op="import", prune=True,
    )  # fmt: skip
    after = {row.text: row.id for row in own_copy.tripwires.check() if row.title == "Shard the database by depot"}
    assert after == before


def test_facts_of_one_project_do_not_judge_the_decisions_of_another(tmp_path):
    from memkit.deciding.tripwires import Tripwires
    from tests.stores import open_catalog, open_store

    own = open_store(tmp_path / "root", tmp_path / "own", type("C", (), {"now": lambda self: AS_OF})())
    with open_catalog(tmp_path, own) as catalog:
        wires = Tripwires(own, lambda: catalog)
        wires.take([{"metric": "lockers", "at": MIDNIGHT, "value": 400}])
        from memkit.analytics.tripwires import Held

        texts = ("lockers exceed 350", "revisit by 2026-10-01")
        shown = [Held("a" * 8, own.paths.key, None, texts), Held("b" * 8, "other", None, texts)]
        mine, theirs = wires.verdicts(shown, as_of=AS_OF)
    assert [wire.verdict for wire in mine] == ["tripped", "tripped"]
    assert [wire.verdict for wire in theirs] == ["unknown", "tripped"]


@pytest.mark.parametrize(
    "mapping",
    [pytest.param({"write QPS": "no_such_metric"}, id="unknown metric"), pytest.param({"write QPS": 3}, id="no text")],
)
def test_a_mapping_that_was_refused_does_not_stay_with_later_calls(wherry, mapping):
    before = wherry.tripwires.check(FACTS).counts
    with pytest.raises((FactsError, InvalidInputError)):
        wherry.tripwires.check(mapping=mapping)
    assert wherry.tripwires.check().counts == before
    assert len(wherry.timeline()) > 0
    assert wherry.what_we_decided("database").rows


def test_a_row_of_a_report_says_its_cause_in_a_word(wherry):
    assert {row.cause for row in wherry.tripwires.check(FACTS).speaking} == {"met", "due"}
