"""What contradicts, shortens or lengthens a record is put beside it, and nothing of that is merged without a question."""

import pytest

from memkit.consolidate.adjudicate import Question, RuleAdjudicator
from memkit.consolidate.corpus import Corpus
from memkit.model.candidate import Candidate
from memkit.testing import temp_memory_root

LONG = {
    "message-cap": (
        "At most four messages per parcel and day",
        "A parcel gets at most four messages a day, counted in the transaction that marks a message as sent. In the storm "
        "of April one parcel caused 312 messages within an hour, because a lease was renewed by the worker's own clock. "
        "The support team reads the list of capped parcels each morning, and a person decides whether a fifth one is sent "
        "by hand. The cap is a setting of the depot, its default is part of the deployment, and it is checked in staging.",
    ),
    "retry-policy": (
        "Retry idempotent calls six times with full jitter",
        "Calls to the payment provider are retried at most six times with full jitter, and only with an idempotency key. "
        "Without the key a retry billed a courier twice. Timeouts grow from 200 ms to 30 s. The provider's own library "
        "retries as well and is configured to do so never, since two loops multiply. Alerts fire at five retries a minute.",
    ),
    "price-units": (
        "Prices are whole minor units plus a currency",
        "A price is an integer of minor units together with an ISO currency. Floats are refused at the border, "
        "intermediate results of VAT are rounded half even once per invoice line, and the database has a check. Reports "
        "format with the depot's locale. The old columns stay until the last app that reads them has been updated.",
    ),
}
# What is said, the record it is about.
ABOUT = {
    "short, another number": ("At most nine messages per parcel and day.", "message-cap"),
    "short, the opposite": ("No cap of messages per parcel and day.", "message-cap"),
    "short, the same": ("At most four messages per parcel and day.", "message-cap"),
    "a part of it": ("A fifth message to a capped parcel is sent by hand by a person.", "message-cap"),
    "negated": ("Never retry calls to the payment provider, not even with an idempotency key.", "retry-policy"),
    "a changed number in the middle": ("Retry idempotent calls three times with full jitter.", "retry-policy"),
    "stopped": ("Stop retrying idempotent calls with full jitter.", "retry-policy"),
    "reversed": ("Prices are floats plus a currency.", "price-units"),
    "two words, both there": ("Retry calls.", "retry-policy"),
    "no longer": ("Prices are not whole minor units.", "price-units"),
}
ELSE = {
    "one common word": "Parcels are weighed at the depot's door before they go on the van.",
    "the same people": "The support team meets on Tuesday after the stand-up.",
    "another subject, short": "Logs are JSON lines.",
    "another number of days": "Backups are kept for thirty days.",
    "common words only": "A person decides.",
}


def said(text):
    return Candidate(category="decisions", title=text.rstrip("."), body=text)


@pytest.fixture(scope="module")
def corpus():
    with temp_memory_root() as mem:
        for slug, (title, body) in LONG.items():
            mem.records.write("decision", slug, title=title, body=body, sources=["a session"])
        for i in range(30):  # words of other matters, so that rare words weigh more than common ones
            text = f"Matter {i} of the depot and the van: a person reads the list, the team decides on day {i}."
            mem.records.write("decision", f"other-{i}", title=f"Matter number {i}", body=text, sources=["a session"])
        yield Corpus(mem.paths)


@pytest.mark.parametrize("case", ABOUT)
def test_what_is_about_a_long_record_is_put_beside_it_and_left_to_somebody(corpus, case):
    text, slug = ABOUT[case]
    near = corpus.near(said(text))
    assert f"memory/{slug}.md" in [row.record.path for row in near], near
    assert RuleAdjudicator().decide(Question(said(text), "k", "s", near)) is None


@pytest.mark.parametrize("case", ELSE)
def test_what_is_about_something_else_is_near_no_long_record(corpus, case):
    near = corpus.near(said(ELSE[case]))
    assert not {f"memory/{slug}.md" for slug in LONG} & {row.record.path for row in near}


@pytest.mark.parametrize("slug", LONG)
def test_a_long_candidate_is_put_beside_the_short_record_it_holds(slug):
    title, body = LONG[slug]
    with temp_memory_root() as mem:
        mem.records.write("decision", "short", title="Short", body=f"{title}.", sources=["a session"])
        near = Corpus(mem.paths).near(Candidate(category="decisions", title=title, body=body))
        assert [row.record.slug for row in near] == ["short"]
        assert RuleAdjudicator().decide(Question(said(body), "k", "s", near)) is None


@pytest.mark.parametrize("case", ABOUT)
def test_the_whole_run_leaves_it_staged_and_the_record_as_it_was(case, tmp_path):
    text, slug = ABOUT[case]
    title, body = LONG[slug]
    with temp_memory_root() as mem:
        mem.records.write("decision", slug, title=title, body=body, sources=["a session"])
        before = (mem.paths.memory / f"{slug}.md").read_bytes()
        notes = tmp_path / "notes.md"
        notes.write_text(f"# Notes\n\nDecision: {text}\n")
        report = mem.consolidate(notes)
        waits = [("restaged", "needs_verdict")]
        assert [(row.fate, row.reason) for row in report] == ([] if text == f"{title}." else waits)
        assert (mem.paths.memory / f"{slug}.md").read_bytes() == before


def test_a_record_of_a_word_or_two_is_near_nothing_that_happens_to_hold_one_of_them():
    with temp_memory_root() as mem:
        mem.records.write("decision", "a-b", title="A", body="b c", sources=["a session"])
        corpus = Corpus(mem.paths)
        assert corpus.near(said("A query plan from staging says nothing.")) == ()
        assert corpus.near(said("A plan b of c.")) != ()
