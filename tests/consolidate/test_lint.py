"""The linter says what is wrong with a record among its neighbours, and refuses only what a change brings."""

import datetime as dt
from dataclasses import replace

import pytest

from memkit.consolidate import lint as linting
from memkit.consolidate.lint import RULES, lint_record, new_errors
from memkit.consolidate.neighbours import Neighbours
from memkit.model.record import Record
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns

DAY = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
GOOD = Record(
    "use-utc",
    "lesson",
    "# Use UTC\n\nStore instants.",
    created_at=DAY,
    updated_at=DAY,
    sources=("Mara",),
    triggers=("time",),
)
SCRUBBER = Scrubber(shipped_patterns())
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def old(slug, **more):
    return replace(GOOD, slug=slug, **more)


def codes(record, *others):
    return [(finding.code, finding.field) for finding in lint_record(record, Neighbours([*others, record]), SCRUBBER)]


CASES = {
    "nothing": (GOOD, (), []),
    "bad slug": (replace(GOOD, slug="Use UTC"), (), [("bad-slug", "slug")]),
    "reference that is no slug": (
        replace(GOOD, supersedes=("No Slug",)), (), [("bad-value", "supersedes"), ("dangling-reference", "supersedes")],
    ),
    "tag of two lines": (replace(GOOD, tags=("a\nb",)), (), [("bad-value", "tags")]),
    "blank trigger": (replace(GOOD, triggers=(" ",)), (), [("bad-value", "triggers")]),
    "count": (replace(GOOD, reinforcement_count=-1), (), [("bad-value", "reinforcement_count")]),
    "long body": (replace(GOOD, body="x " * 10_001), (), [("body-too-long", "body")]),
    "empty body": (replace(GOOD, body=" "), (), [("empty-body", "body")]),
    "no dates": (replace(GOOD, updated_at=None), (), [("no-dates", "created_at")]),
    "dates": (replace(GOOD, updated_at=DAY - dt.timedelta(1)), (), [("dates-out-of-order", "updated_at")]),
    "no sources": (replace(GOOD, sources=()), (), [("no-sources", "sources")]),
    "lesson without triggers": (replace(GOOD, triggers=()), (), [("no-triggers", "triggers")]),
    "preference without triggers": (replace(GOOD, kind="preference", triggers=()), (), []),
    "many tags": (replace(GOOD, tags=tuple(f"t{i}" for i in range(33))), (), [("too-many", "tags")]),
    "many triggers": (replace(GOOD, triggers=tuple(f"t{i}" for i in range(33))), (), [("too-many", "triggers")]),
    "twin": (GOOD, (replace(GOOD, kind="domain"),), [("same-slug", "slug")]),
    "dangling": (replace(GOOD, supersedes=("gone",)), (), [("dangling-reference", "supersedes")]),
    "own successor": (
        replace(GOOD, status="superseded", superseded_by="use-utc"), (), [("circular-reference", "supersedes")],
    ),
    "superseded by nothing": (replace(GOOD, status="superseded"), (), [("status-contradicts", "status")]),
    "active and superseded": (
        replace(GOOD, superseded_by="newer"), (old("newer", supersedes=("use-utc",)),), [("status-contradicts", "status")],
    ),
    "one-sided": (replace(GOOD, supersedes=("older",)), (old("older"),), [("one-sided-reference", "supersedes")]),
    "both sides": (
        replace(GOOD, supersedes=("older",)), (old("older", status="superseded", superseded_by="use-utc"),), [],
    ),
    "plural": (replace(GOOD, slug="shared-locks"), (old("shared-lock"),), [("similar-slug", "slug")]),
    "hyphen": (replace(GOOD, slug="re-index"), (old("reindex"),), [("similar-slug", "slug")]),
    "one word more": (
        replace(GOOD, slug="never-retry-a-charge"), (old("never-retry-a-charge-twice"),), [("similar-slug", "slug")],
    ),
    "similar to a superseded one": (
        replace(GOOD, slug="shared-locks"),
        (old("shared-lock", status="superseded", superseded_by="x"),), [],
    ),
    "similar to what it replaced": (
        replace(GOOD, slug="shared-locks", supersedes=("shared-lock",)),
        (old("shared-lock", status="superseded", superseded_by="shared-locks"),), [],
    ),
    "other names": (replace(GOOD, slug="retry-a-charge"), (old("keep-a-charge"),), []),
    "secret in the body": (replace(GOOD, body=f"# Use\n\nkey {TOKEN}"), (), [("secret", "body")]),
    "secret in a trigger": (replace(GOOD, triggers=(f"use {TOKEN}",)), (), [("secret", "triggers")]),
    "secret in another key": (replace(GOOD, extra={"note": {"x": [TOKEN]}}), (), [("secret", "extra")]),
}  # fmt: skip


@pytest.mark.parametrize(("record", "others", "expected"), CASES.values(), ids=CASES)
def test_each_rule_finds_what_it_is_for_and_nothing_else(record, others, expected):
    assert codes(record, *others) == expected


def test_every_rule_has_a_case_here():
    found = {code for *_, expected in CASES.values() for code, _ in expected}
    assert found | {"damaged"} == set(RULES)


def test_a_secret_is_never_repeated_in_what_is_said():
    (finding,) = lint_record(replace(GOOD, body=f"# Use\n\nkey {TOKEN}"), Neighbours(), SCRUBBER)
    assert TOKEN not in repr(finding)
    assert "github" in finding.detail


CIRCLES = {
    "two": {"b": {"superseded_by": "use-utc"}},
    "by the other's word": {"b": {"supersedes": ("c",)}, "c": {"superseded_by": None, "supersedes": ("use-utc",)}},
    "long": {"b": {"supersedes": ("c",)}, "c": {"supersedes": ("d",)}, "d": {"supersedes": ("use-utc",)}},
}


@pytest.mark.parametrize("others", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_is_found_whichever_side_says_so(others):
    there = [old(slug, **more) for slug, more in others.items()]
    record = replace(GOOD, supersedes=("b",), superseded_by="b" if len(others) == 1 else None)
    found = dict(codes(record, *there))
    assert "circular-reference" in found
    assert "circular-reference" not in dict(
        codes(replace(GOOD, supersedes=("b",)), old("b", supersedes=("c",)), old("c"))
    )


def test_a_circle_that_is_about_to_be_opened_is_none():
    neighbours = Neighbours([replace(GOOD, superseded_by="b"), old("b", superseded_by="use-utc")])
    assert neighbours.circle(replace(GOOD, superseded_by="b"))
    assert not neighbours.circle(replace(GOOD, superseded_by=None))


def test_a_chain_of_thousands_is_looked_through_without_recursion():
    chain = [old(f"r-{i}", supersedes=(f"r-{i + 1}",)) for i in range(5_000)]
    assert Neighbours(chain).circle(old("first", supersedes=("r-0",))) == ()


def test_neighbours_that_are_put_and_dropped_are_those_of_a_fresh_look():
    first = [old("a", superseded_by="b"), old("b"), old("shared-lock")]
    neighbours = Neighbours(first)
    neighbours.put(old("a"))
    neighbours.drop(old("shared-lock"))
    neighbours.put(old("shared-locks"))
    fresh = Neighbours([old("a"), old("b"), old("shared-locks")])
    for slug in ("a", "b", "shared-lock", "shared-locks", "sharedlock"):
        assert neighbours.named(slug) == fresh.named(slug)
        assert neighbours.similar(slug) == fresh.similar(slug)
        assert neighbours.circle(old(slug)) == fresh.circle(old(slug))
    assert len(neighbours) == len(fresh) == 3


def test_only_errors_that_a_change_brings_refuse_it():
    before = lint_record(replace(GOOD, supersedes=("gone",)), Neighbours(), SCRUBBER)
    after = lint_record(replace(GOOD, supersedes=("gone",), body=""), Neighbours(), SCRUBBER)
    assert [finding.code for finding in new_errors(after, before)] == ["empty-body"]
    assert new_errors(before, before) == ()


def test_errors_come_first():
    found = lint_record(replace(GOOD, sources=(), body=""), Neighbours(), SCRUBBER)
    assert [finding.severity for finding in found] == ["error", "warning"]
    assert linting.MAX_TRIGGERS == 32
