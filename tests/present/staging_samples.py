"""Candidates for the tests of what is seen of them."""

import datetime as dt

from memkit.clock import UTC
from memkit.consolidate.extract import ExtractionReport
from memkit.consolidate.recover import LeftLetter, RecoverReport
from memkit.consolidate.remind import Reminder
from memkit.consolidate.staged import StagedCandidate, StagedList
from memkit.model.candidate import Candidate, Evidence
from memkit.model.problem import Problem
from memkit.model.session import Session
from memkit.store.deadletters import DeadLetter

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def candidate(**changes):
    values = {
        "category": "lessons", "title": "Measure the lease first", "summary": "Measure.",
        "body": "Measure the lease before blaming it.\n\n- twice\n- with a clock", "triggers": ("lease", "blame"), "tags": ("outbox",),
        "tripwires": ("load exceeds 5/s for 1h",), "evidence": (Evidence(3, 4, "Lesson: measure", 7, 9, {"role": "user"}),),
        "reconcile_attempts": 2, "supersedes": ("blame-the-lease",), "scope": "team",
    }  # fmt: skip
    return Candidate(**{**values, **changes})


def session(**changes):
    values = {
        "id": "0199f2c4", "format": "pi", "path": "/home/me/s.jsonl", "sha256": "0" * 64, "n_bytes": 1, "turns": (),
        "branch": "aaaa", "branches": ("aaaa", "bbbb"), "skipped": {"tool-output": 1204, "torn-line": 1},
    }  # fmt: skip
    return Session(**{**values, **changes})


def report(**changes):
    values = {
        "dry_run": False, "session": session(), "extractor": "rules", "n_turns": 13, "n_read": 5, "candidates": (candidate(),),
        "as_of": NOW, "n_staged_before": 2, "n_stored": 1, "passed_over": {"question": 3, "to-do": 1}, "masked": {"jwt": 2},
        "file": "staging/0199f2c4.json", "quarantined": "q",
    }  # fmt: skip
    return ExtractionReport(**{**values, **changes})


def row(**changes):
    values = {"key": "5f0c2a11d2e3f405", "session_id": "0199f2c4", "candidate": candidate(), "file": "staging/0199f2c4.json",
              "since": NOW, "attempts": 2}  # fmt: skip
    return StagedCandidate(**{**values, **changes})


def dead(**changes):
    return row(file="deadletter/x.json", reason="model_error: timeout", **changes)


def recovery(**changes):
    letter = DeadLetter("s", "", 3, "model_error: timeout", "lessons", candidate(), name="x.json")
    left = (LeftLetter("deadletter/y.json", "no-text: nothing said"),)
    values = {"dry_run": True, "recovered": (letter,), "n_known": 2, "left": left, "n_filtered": 1, "as_of": NOW}
    return RecoverReport(**{**values, **changes})


PROBLEM = Problem("damaged-staging", "staging/x.json", "the file is empty")


def everyday():
    """One of each kind, by name, with words that must be seen of it."""
    return {
        "extraction": (report(), ["Extraction: 1 candidate", "0199f2c4", "5 new turns of 13", "1 of 2 branches", "aaaa",
            "Measure the lease first", "lesson", "2 attempts", "with a clock", "lease, blame", "load exceeds 5/s for 1h",
            "turns 3 to 4, lines 7 to 9", "user", "Lesson: measure", "2 staged from this session before",
            "1 in the words of what is stored", "question 3, to do 1", "tool output 1,204, torn line 1", "jwt 2",
            "quarantine", "blame-the-lease", "team", "outbox"]),
        "dry-extraction": (report(dry_run=True), ["Extraction (dry run)", "Nothing was written."]),
        "many-candidates": (report(candidates=(candidate(),) * 30), ["and 10 more candidates"]),
        "no-candidates": (report(candidates=(), n_staged_before=0, n_stored=0, passed_over={}, masked={}, quarantined="",
            session=session(skipped={}, branches=())), ["0 candidates"]),
        "recovery": (recovery(), ["Recovery (dry run): 1 dead letter back in staging", "model_error 1", "2 dead letters staged already",
            "1 dead letter not asked for", "Nothing was written.", "Left as they are (1)", "deadletter/y.json", "nothing said"]),
        "reminder": (Reminder("build", "idle", 1, 3, ("Keep the queue",)), ["1 decision and 3 lessons not yet in memory", "Keep the queue"]),
        "staged": (StagedList((row(), row(since=None)), (PROBLEM,), NOW), ["2 candidates", "lessons 2", "5f0c2a11d2e3f405",
            "Measure the lease first", "2026-11-30 12:00 UTC", "Cannot be read (1)", "the file is empty"]),
        "nothing-staged": (StagedList((), (), NOW), ["No candidates"]),
        "dead-letters": (StagedList((dead(),), (), NOW, dead=True), ["1 dead letter", "model_error: timeout"]),
        "candidate": (candidate(), ["Candidate", "Measure the lease first"]),
        "staged-candidate": (row(), ["Candidate", "0199f2c4", "5f0c2a11d2e3f405", "staging/0199f2c4.json"]),
        "dead-letter": (dead(), ["Dead letter", "model_error: timeout"]),
    }  # fmt: skip


def hostile(text):
    """Every kind with `text` wherever text from outside can stand."""
    evil = candidate(
        title=text, summary=text, body=text + "!", triggers=(text,), tags=(text,), tripwires=(text,), supersedes=(text,),
        scope=text, evidence=(Evidence(1, 1, text, extra={"role": text}),),
    )  # fmt: skip
    said = session(id=text, path=text, branch=text, skipped={text: 1})
    waiting = row(key=text, session_id=text, candidate=evil, file=text, reason=text)
    found = StagedList((waiting,), (Problem(text, text, text),), NOW, dead=True)
    return {
        "extraction": report(
            session=said, extractor=text, candidates=(evil,), passed_over={text: 1}, masked={text: 1}, file=text
        ),
        "candidate": evil,
        "recovery": recovery(left=(LeftLetter(text, text),)),
        "reminder": Reminder(text, text, 1, 1, (text,)),
        "staged": found,
        "staged-candidate": waiting,
    }
