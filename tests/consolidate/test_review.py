"""A person says what each candidate is; nothing is written before apply, and what they saw is checked."""

import pytest

import memkit.present  # noqa: F401 - draws what is shown
from memkit.consolidate.balance import balance
from memkit.consolidate.review import Review
from memkit.display import mimebundle
from memkit.errors import InvalidInputError, LockedError
from memkit.store import canonical
from tests.consolidate.test_reconcile import LEASE, fates, keep, made, read, stage, tree
from tests.stores import open_store


@pytest.fixture
def store(root, project, clock):
    store = open_store(root, project, clock)
    keep(store, "lease", f"# Lease\n\n{LEASE}\n\nIt takes an hour.")
    stage(store, "s1", made("lessons", f"{LEASE} But look at the network first."), made("domain", "Ferries run daily."))
    return store


def test_it_shows_candidates_beside_the_records_near_them(store):
    review = Review(store)
    lesson, domain = review
    assert [near.record.slug for near in lesson.shortlist] == ["lease"]
    assert domain.shortlist == ()
    text = " ".join(review.to_text().split())
    for words in ("turns 3 to 4", "lease", "network first", lesson.key, "No record is near it"):
        assert words in text
    assert review.to_dict()["items"][0]["shortlist"][0]["path"] == "memory/lease.md"


@pytest.mark.parametrize(
    ("decision", "fate"),
    [("distinct", "added"), ("duplicate", "duplicate"), ("supersedes", "superseding"), ("merge", "merged"), ("discard", "discarded")],
)  # fmt: skip
def test_nothing_is_applied_before_apply_and_then_only_what_was_decided(store, decision, fate):
    before = tree(store)
    review = Review(store)
    review.decide(review[0].key, decision)
    assert tree(store) == before
    report = review.apply()
    assert fates(report) == [(fate, "")]
    assert [item.waiting.candidate.category for item in review] == ["domain"]
    assert dict(review.decided) == {}
    assert balance(store.paths).is_even


def test_a_candidate_that_no_record_is_near_can_be_discarded(store):
    review = Review(store)
    review.decide(review[1].key[:8], "discard")
    assert fates(review.apply()) == [("discarded", "")]


def test_a_merge_takes_the_text_of_the_person(store):
    review = Review(store)
    review.decide(
        review[0].key, "merge", "lease", body="# Lease\n\nMeasure, then look at the network.", reason="one topic"
    )
    report = review.apply()
    assert read(store, report.written[0].partition("/")[2].removesuffix(".md")).body.endswith("look at the network.")
    assert report.rows[0].why == "one topic"


def test_a_record_edited_since_it_was_shown_makes_a_conflict(store):
    review = Review(store)
    path = store.paths.memory / "lease.md"
    path.write_text(path.read_text() + "\nEdited by hand.\n")
    edited = path.read_bytes()
    review.decide(review[0].key, "supersedes")
    assert fates(review.apply()) == [("conflict", "record_edited")]
    assert path.read_bytes() == edited
    assert "Edited by hand" in review[0].shortlist[0].record.body
    review.decide(review[0].key, "supersedes")
    assert fates(review.apply()) == [("superseding", "")]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("ffffffff", "distinct"), "key"),
        (("", "distinct"), "key"),
        ((0, "eat"), "decision"),
        ((0, "merge", "elsewhere"), "target"),
        ((1, "duplicate"), "target"),
        ((0, "distinct", "lease"), "target"),
    ],
    ids=["unknown key", "no key", "unknown word", "a record that was not shown", "no record near", "needless target"],
)
def test_what_cannot_be_meant_is_refused_at_once(store, words, field):
    review = Review(store)
    key, *rest = words
    with pytest.raises(InvalidInputError) as caught:
        review.decide(review[key].key if isinstance(key, int) else key, *rest)
    assert caught.value.field == field
    assert not review.decided


def test_taken_back_is_not_applied(store):
    review = Review(store)
    review.decide(review[0].key, "discard").undecide(review[0].key)
    assert review.apply().rows == ()
    assert len(review) == 2


def test_what_was_decided_stays_decided_while_another_writer_is_at_work(store):
    review = Review(store)
    review.decide(review[0].key, "discard")
    with canonical.writing(store, "consolidate"), pytest.raises(LockedError):
        review.apply()
    assert fates(review.apply()) == [("discarded", "")]


# -- buttons -----------------------------------------------------------------------------------------------------


def test_buttons_say_the_same_as_the_methods(store):
    pytest.importorskip("ipywidgets", reason="the extra for notebooks is not installed")
    from memkit.present.review import Buttons

    review = Review(store)
    buttons = Buttons(review)
    lesson, domain = review.items
    assert len(buttons.buttons) == 10
    assert buttons.buttons[domain.key, "merge"].disabled
    assert buttons.apply_button.disabled
    buttons.buttons[lesson.key, "merge"].click()
    assert review.decided[lesson.key].target == "memory/lease.md"
    assert "decided: merge lease" in buttons.states[lesson.key].value
    assert buttons.apply_button.description == "Apply 1"
    with canonical.writing(store, "consolidate"):
        buttons.apply_button.click()
    assert "consolidate" in buttons.message.value
    buttons.apply_button.click()
    assert fates(review.report) == [("merged", "")]
    assert "merged" in buttons.message.value
    assert len(buttons.buttons) == 5


def test_a_button_takes_back_and_a_reason_is_kept(store):
    pytest.importorskip("ipywidgets", reason="the extra for notebooks is not installed")
    from memkit.present.review import Buttons

    review = Review(store)
    buttons = Buttons(review)
    key = review[0].key
    buttons.reasons[key].value = " said twice "
    buttons.buttons[key, "discard"].click()
    assert review.decided[key].reason == "said twice"
    buttons.backs[key].click()
    assert review.value == {}
    assert buttons.backs[key].disabled
    labelled = [
        *buttons.reasons.values(),
        *buttons.targets.values(),
        *buttons.backs.values(),
        *buttons.buttons.values(),
    ]
    assert all(control.description for control in labelled)


def test_what_waits_is_a_data_frame_with_what_was_decided(store):
    review = Review(store)
    review.decide(review[0].key, "discard")
    frame = review.to_pandas()
    assert list(frame["key"]) == [item.key for item in review]
    assert list(frame["decision"]) == ["discard", ""]


def test_a_still_picture_stands_beside_the_buttons(store):
    pytest.importorskip("ipywidgets", reason="the extra for notebooks is not installed")
    bundle = mimebundle(Review(store))
    assert {"text/plain", "text/html", "application/vnd.jupyter.widget-view+json"} <= set(bundle)
    assert "<script" not in bundle["text/html"]
