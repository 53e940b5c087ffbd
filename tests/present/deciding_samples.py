"""Values to show that speak of decisions: verdicts, histories, what was decided, a summary."""

import datetime as dt

import pyarrow as pa

from memkit.analytics.calibration import Calibration, CalibrationBin, DissentRow
from memkit.analytics.chains import Chain, ChainMember, Chains, OpenLink
from memkit.analytics.decided import Decided, DecidedRow, Related
from memkit.analytics.recall_result import Missed
from memkit.analytics.retention_review import ReviewRow, RuleTrace
from memkit.analytics.summary import ProjectSummary
from memkit.analytics.timeline import Held, InForce, Timeline, TimelineBucket
from memkit.analytics.tripwire_result import Backtest, Firing, Judgement, TripwireHistory, TripwireReport, TripwireRow
from memkit.clock import UTC
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.conditions import Condition, read_condition
from memkit.model.tripwire import Reading, Tripwire

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
STORED = dt.datetime(2026, 9, 15, 8, 30, tzinfo=UTC)
FIRED = dt.datetime(2026, 11, 28, 17, tzinfo=UTC)
READINGS = (
    Reading("write_qps", FIRED - dt.timedelta(days=1), 5268.0, "/s"),
    Reading("ferrule", FIRED, 2.0, "version", "2.10"),
)
TRIPPED = Judgement("tripped", "met", "above 5,000 in all 56 readings", FIRED, READINGS)


def row(text="write QPS sustains >5k for 24h", judgement=TRIPPED, **changes):
    values = {
        "id": "0f5ed5613a61",
        "entry_id": "019a0147ee217c5599f0c1d97e3b8a41",
        "project_key": "3f9ac2017be4",
        "title": "Shard the database by depot",
        "status": "accepted",
        "ordinal": 1,
        "condition": read_condition(text),
        "judgement": judgement,
    }
    return TripwireRow(**{**values, **changes})


def acknowledgement(**changes):
    values = {"tripwire_id": "0f5ed5613a61", "entry_id": "019a0147ee21", "evidence": "e" * 32, "at": FIRED}
    return Acknowledgement(**{**values, "reason": "More shards arrive on Monday", **changes})


def report(**changes):
    rows = (
        row(),
        row(
            "team grows past 12 engineers", Judgement("armed", "unmet", "11 engineers on 2026-11-01"), id="a4ed64a3bdc0"
        ),
        row("anybody complains", Judgement("unknown", "unread", "cannot be read as metric, operator and value")),
        row("map spend exceeds $900", acknowledged=acknowledgement(), id="95edd050f603"),
    )
    values = {"rows": rows, "as_of": NOW, "facts": "6,645 rows of 24 metrics", "notes": ("Its times have no zone.",)}
    return TripwireReport(**{**values, "n_left_out": 3, **changes})


def backtest(**changes):
    firing = Firing(FIRED, NOW, "reading", READINGS[0], READINGS[0], 3, 5268.0, 7907.0)
    rows = (
        TripwireHistory(row(), STORED, (Firing(STORED - dt.timedelta(days=9), STORED, "gap"), firing)),
        TripwireHistory(row("once ferrule reaches 3.0", Judgement("armed", "unmet", "2.8")), STORED),
    )
    values = {"rows": rows, "as_of": NOW, "first_at": STORED, "facts": "6,645 rows", "notes": ()}
    return Backtest(**{**values, **changes})


def decided_row(**changes):
    values = {
        "id": "019a0147ee217c5599f0c1d97e3b8a41",
        "project_key": "3f9ac2017be4",
        "title": "Shard the database by depot",
        "question": "How does the database carry the peak?",
        "conclusion": "Three shards, keyed by depot.",
        "status": "accepted",
        "decided_on": dt.date(2026, 9, 11),
        "stored_at": STORED,
        "age_days": 76.1,
        "label": "Decided 80 days ago, stored 76 days ago",
        "final_score": 84.0,
        "judge_confidence": 78.5,
        "minority_positions": ("Positions should leave the database first.",),
        "unresolved_disputes": ("Who pays for the followers?",),
        "tripwires": (Tripwire("shard skew exceeds 35%", "tripped", "36 on 2026-11-29", "0f5ed5613a61", FIRED),),
        "predecessors": (Related("0198b7d11a2c7f60b3e2c1d97e3b8a03", "Partition by day"),),
        "successors": (),
        "panel_id": "architecture",
        "source_path": "docs/adr/0028-shard.md",
        "score": 6.4,
    }
    return DecidedRow(**{**values, **changes})


def decided(**changes):
    old = decided_row(
        id="0198b7d11a2c7f60b3e2c1d97e3b8a03", title="Partition by day", status="superseded", tripwires=(),
        successors=(Related("019a0147ee217c5599f0c1d97e3b8a41", "Shard the database by depot"),), predecessors=(),
        minority_positions=(), unresolved_disputes=(), decided_on=None, label="Stored 76 days ago",
    )  # fmt: skip
    missed = (Missed("no-decision", "2 entries of panels whose entries are not decisions.", ("019a0147ee22",), 2),)
    values = {"topic": "database", "rows": (decided_row(), old), "missed": missed, "as_of": NOW}
    return Decided(**{**values, **changes})


def review_row(**changes):
    values = {
        "entry_id": "019a0147ee217c5599f0c1d97e3b8a99", "title": "Letters by post", "panel_id": "adr", "tags": (),
        "stored_at": STORED, "age_days": 366.0, "n_bytes": 900, "verdict": "due",
        "rules": (RuleTrace("max_age_days", True, "stored 366 days ago, the limit is 365 days"),), "due_at": FIRED,
        "days_left": -1.0, "group": "all others", "place": 70, "successors": (), "replaces": None, "n_tripwires": 0,
    }  # fmt: skip
    return ReviewRow(**{**values, **changes})


def summary(**changes):
    due = row("revisit by 2026-10-01", Judgement("tripped", "due", "the date has passed", FIRED))
    values = {
        "project_path": "/home/ada/parcels",
        "as_of": NOW,
        "n_entries": 74,
        "n_live": 70,
        "n_unreadable": 1,
        "first_stored_at": STORED,
        "last_stored_at": STORED,
        "n_decisions": 60,
        "n_in_force": 48,
        "n_undated": 2,
        "first_decided_on": dt.date(2025, 5, 15),
        "last_decided_on": dt.date(2026, 11, 19),
        "panels": (("adr", 50), ("consensus", 20)),
        "statuses": (("accepted", 48), ("superseded", 12)),
        "records": (("lesson", 5), ("decision", 2)),
        "tags": (("photos", 2),),
        "n_tags": 9,
        "tripwires": (("tripped", 2), ("armed", 30), ("unknown", 59)),
        "tripped": (row(),),
        "revisit_due": (due,),
        "checked": True,
        "n_due": 4,
        "next_moved": (review_row(),),
    }
    return ProjectSummary(**{**values, **changes})


def timeline(**changes):
    moments = [FIRED, FIRED + dt.timedelta(hours=1)]
    events = pa.table(
        {
            "happened_at": pa.array(moments, pa.timestamp("us", "UTC")), "kind": ["superseded", "tripped"],
            "entry_id": ["019a0147ee21", "019a0147ee22"], "title": ["Partition by day", "Shard by depot"],
            "detail": ["0198b7d11a2c", "write QPS sustains >5k"], "project_key": ["3f9ac2017be4"] * 2,
        }
    )  # fmt: skip
    rows = tuple(TimelineBucket(dt.date(2026, month, 1), 3, 1, 0, 2, month, 1) for month in range(1, 12))
    values = {"rows": rows, "since": None, "until": NOW, "bucket": "month", "data": events, "checked": True}
    return Timeline(**{**values, **changes})


def held(**changes):
    values = {
        "entry_id": "019a0147ee217c5599f0c1d97e3b8a41", "project_key": "3f9ac2017be4", "title": "Shard by depot",
        "decided_on": dt.date(2026, 9, 11), "begins_at": STORED, "ends_at": None, "ended_by": None, "is_certain": True,
        "panel_id": "adr",
    }  # fmt: skip
    return Held(**{**values, **changes})


def member(**changes):
    values = {
        "entry_id": "019a0147ee217c5599f0c1d97e3b8a41", "title": "Shard by depot", "status": "accepted",
        "decided_on": dt.date(2026, 9, 11), "position": 2, "is_head": True, "is_circular": False,
        "begins_at": STORED,
    }  # fmt: skip
    return ChainMember(**{**values, **changes})


def chains(**changes):
    old = member(title="Partition by day", status="superseded", position=1, is_head=False, decided_on=None)
    link = OpenLink(
        "019a", "Send inline", "superseded_by", "ADR-0021", "ambiguous", ("019b", "019c"), "2 records have this number"
    )
    rows = (Chain("019a", "3f9a", (old, member())), Chain("019b", "3f9a", (member(is_circular=True),) * 20))
    values = {"rows": rows, "open_links": (link,), "as_of": NOW, "n_alone": 59, "data": pa.table({"n": [1]})}
    return Chains(**{**values, **changes})


def calibration(**changes):
    bins = tuple(
        CalibrationBin(measure, 60.0, 80.0, n, n - 1, 0, 1, 71.0, 0.9, 0.5, 0.99)
        for measure, n in (("final score", 4), ("judge confidence", 40))
    )
    voices = (
        DissentRow("model", "tallow-9", 17, 1, 8, 1, 0.125, 0.02, 0.47),
        DissentRow("persona", "sceptic", 6, 0, 0, 0, None, None, None),
    )
    return Calibration(**{"rows": bins, "dissent": voices, "as_of": NOW, "checked": False, "n_panels": 22, **changes})


def everyday():
    """One of each kind, by name, with words that must be seen of it."""
    return {
        "tripwires": (report(), ["1 of 4 tripwires tripped", "write QPS sustains >5k for 24h", "above 5,000 in all 56 readings",
            "since 2026-11-28 17:00 UTC", "yesterday", "5,268/s", "2.10", "0f5ed5613a61", "Shard the database by depot", "armed",
            "11 engineers", "cannot be read", "acknowledged", "More shards arrive on Monday", "6,645 rows",
            "Its times have no zone.", "3 tripwires of decisions not in force"]),
        "quiet-tripwires": (report(rows=report().rows[1:3]), ["None of 2 tripwires tripped"]),
        "no-tripwires": (report(rows=()), ["No tripwires"]),
        "backtest": (backtest(), ["1 of 2 tripwires would have fired", "2026-09-06", "3 readings, 5,268 to 7,907",
            "1 since decided", "1 tripwire never fired"]),
        "acknowledgement": (acknowledgement(), ["0f5ed5613a61", "More shards arrive on Monday"]),
        "decided": (decided(), ["database", "Shard the database by depot", "Three shards, keyed by depot.",
            "Decided 80 days ago (2026-09-11), stored 76 days ago", "84", "78.5", "Positions should leave the database first.",
            "Who pays", "tripped", "36 on 2026-11-29", "Partition by day", "superseded", "no 2", "Not a decision",
            "docs/adr/0028-shard.md"]),
        "nothing-decided": (decided(rows=(), missed=()), ["No decision about “database”"]),
        "decided-row": (decided_row(), ["Shard the database by depot", "Decided 80 days ago (2026-09-11)"]),
        "summary": (summary(), ["Decisions of parcels", "48 of 60 in force", "2025-05-15 to 2026-11-19 (11 days ago)",
            "2 without a day", "70 live entries", "3 older editions", "adr 50", "photos 2", "and 8 more", "write QPS sustains",
            "revisit by 2026-10-01", "Due to be looked at again", "Letters by post", "and 3 more to the trash",
            "the limit is 365 days", "lesson 5"]),
        "timeline": (timeline(), ["Timeline: 11 months", "2026-11-01", "2026-11-28 17:00Z", "superseded", "Partition by day",
            "0198b7d11a2c", "tripped", "write QPS sustains >5k", "nobody knows since when"]),
        "no-timeline": (timeline(rows=()), ["No decision by then"]),
        "in-force": (InForce((held(), held(ends_at=NOW), held(is_certain=False)), NOW, True, "Of 1 it is not known."),
            ["In force at 2026-11-30 12:00 UTC: 3 decisions", "Shard by depot", "now", "not known", "Of 1 it is not known."]),
        "not-available": (InForce((), NOW, False, "This memory begins on 2025-05-15."), ["Not available", "2025-05-15"]),
        "chains": (chains(), ["2 chains of decisions", "59 decisions stand alone", "1 circle", "Partition by day", "8 older ones",
            "Send inline", "ambiguous", "2 records", "019c"]),
        "no-chains": (chains(rows=(), open_links=()), ["No chains"]),
        "calibration": (calibration(), ["22 scored panels", "By final score", "By judge confidence", "90 % (50 % to 99 %)",
            "too few to say", "tallow-9", "12 % (2 % to 47 %)", "sceptic", "No facts at hand"]),
        "no-calibration": (calibration(rows=(), dissent=()), ["No panel with a score"]),
        "timeline-chart": (timeline().chart(), ["How decisions came and went", "11 months up to 2026-11-30", "2026-11-01", "Perhaps"]),
        "chains-chart": (chains().chart(), ["What replaced what", "2 chains of decisions", "without 8 older ones", "Partition by day",
            "2026-09-15", "not known", "replaced", "in a circle", "holds"]),
        "calibration-chart": (calibration().chart(), ["22 scored panels", "By final score", "90 % (50 % to 99 %)", "too few"]),
        "no-chart": (chains(rows=()).chart(), ["nothing to draw"]),
        "empty-summary": (summary(n_entries=0, n_decisions=0, records=()), ["Nothing is stored"]),
    }  # fmt: skip


def hostile(text):
    """Every kind with `text` wherever text from outside can stand."""
    safe = text.encode("utf-8", "replace").decode()
    judgement = Judgement("tripped", "met", text, FIRED, (Reading(text, FIRED, 1.0, text, text),))
    evil = row(judgement=judgement, id=text, entry_id=text, title=text, condition=Condition(text, "unreadable"))
    known = row(judgement=judgement, title=text, acknowledged=acknowledgement(reason=text, tripwire_id=text))
    other = Related(text, text)
    evil_row = decided_row(
        id=text, title=text, question=text + "?", conclusion=text, status=text, minority_positions=(text,) * 9,
        unresolved_disputes=(text,), tripwires=(Tripwire(text, "tripped", text), Tripwire(text)), panel_id=text,
        predecessors=(other,) * 9, successors=(other,), source_path=text,
    )  # fmt: skip
    return {
        "tripwires": report(rows=(evil, known), facts=text, notes=(text,)),
        "backtest": backtest(rows=(TripwireHistory(evil, STORED, (Firing(FIRED),)),), facts=text, notes=(text,)),
        "acknowledgement": acknowledgement(tripwire_id=text, reason=text),
        "decided": decided(topic=text, rows=(evil_row,), missed=(Missed(text, text, (text,), 3),), warnings=(text,)),
        "decided-row": evil_row,
        "timeline": timeline(
            data=pa.table(
                {
                    "happened_at": pa.array([FIRED], pa.timestamp("us", "UTC")), "kind": [safe], "entry_id": [safe],
                    "title": [safe], "detail": [safe], "project_key": [safe],
                }
            )
        ),
        "in-force": InForce((held(title=text, entry_id=text),), NOW, True, text),
        "not-available": InForce((), NOW, False, text),
        "chains": chains(
            rows=(Chain(text, text, (member(title=text, entry_id=text, status=text),)),),
            open_links=(OpenLink(text, text, text, text, text, (text,), text),),
        ),
        "chains-chart": chains(rows=(Chain(text, text, (member(title=text, entry_id=text, status=text),) * 30),)).chart(),
        "calibration": calibration(dissent=(DissentRow("model", text, 1, 1, 1, 1, 1.0, 0.2, 1.0),)),
        "summary": summary(project_path=text, next_moved=(review_row(title=text),), doubts=(text,), panels=((text, 1),), statuses=((text, 1),), tags=((text, 1),), tripped=(evil,)),
    }  # fmt: skip
