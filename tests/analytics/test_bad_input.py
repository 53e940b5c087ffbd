"""Stores and questions nobody hopes for: answered in bounded time and memory, with the reason said. Small sizes here."""

import time

import pytest

from memkit.snapshot.absorbing import absorb
from memkit.testing import temp_memory_root

# Of the processor, generous: these take tens of milliseconds, and would take minutes if something grew out of hand.
SECONDS = 10.0


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        yield memory


@pytest.fixture(autouse=True)
def bounded():
    began = time.process_time()
    yield
    assert time.process_time() - began < 6 * SECONDS


def within(call):
    began = time.process_time()
    found = call()
    assert time.process_time() - began < SECONDS
    return found


def test_identical_entries_tie_and_the_newest_come_first(mem):
    stored = mem.store_many([{"question": "Which queue?", "result": {"conclusion": "The same queue."}}] * 1000)
    absorb(mem._store)
    found = within(lambda: mem.recall("queue same", limit=50))
    assert len({hit.score for hit in found}) == 1
    assert len(found) == 50
    assert [hit.id for hit in found] == sorted(
        (receipt.id for receipt in stored), key=lambda i: (-mem.get(i).stored_at_ms, i)
    )[:50]
    assert [missed.cause for missed in found.missed] == ["common-words"]


def test_an_entry_of_five_megabytes_is_found_by_its_last_word(mem):
    text = " ".join(f"word{i % 5000}" for i in range(580_000)) + " zeppelin"
    assert len(text) > 5_000_000
    within(lambda: mem.store(question="Which long text?", result={"synthesis": {"content": text}}))
    mem.store(question="Which short text?", result={"conclusion": "A word."})
    (hit,) = within(lambda: mem.recall("zeppelin"))
    assert "zeppelin" in hit.fragments[0].text
    assert len(hit.summary) <= 1_200
    assert sum(len(fragment.text) for fragment in hit.fragments) < 1_000
    assert within(lambda: mem.recall("word7 word8"))[0].id == hit.id


def test_a_question_of_five_thousand_words_counts_its_first_64_and_says_so(mem):
    mem.store(question="Which word3 and word4999?", result={})
    found = within(lambda: mem.recall(" ".join(f"word{i}" for i in range(5000))))
    assert len(found.terms) == 64
    assert {part.token for part in found[0].contributions} == {"word3"}
    (capped,) = [missed for missed in found.missed if missed.cause == "terms-capped"]
    assert capped.count == 5000 - 64
    assert "64" in capped.detail


@pytest.mark.parametrize("options", [{}, {"fuzzy": True}, {"stemming": "english"}], ids=["plain", "fuzzy", "stemming"])
def test_a_question_of_words_that_stand_everywhere_says_that_its_order_says_little(mem, options):
    mem.store_many([{"question": f"Which of the {i} and why is it?", "result": {}} for i in range(200)])
    found = within(lambda: mem.recall("of the and is it why which", **options))
    assert len(found) == 20
    assert "common-words" in {missed.cause for missed in found.missed}


def spelled(i):
    return "term" + f"{i:x}".translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop")) + "q"


def test_a_vocabulary_of_many_different_words_is_searched_in_every_way(mem):
    for start in range(0, 21_000, 3_000):
        text = " ".join(map(spelled, range(start, start + 3_000)))
        mem.store(question=f"Which {start}?", result={"synthesis": {"content": text}})
    absorb(mem._store, minimum=1)
    mem.refresh()
    word = spelled(4660)
    assert len(within(lambda: mem.recall(word))) == 1
    assert len(within(lambda: mem.recall(f"{word[:-1]}z", fuzzy=True)))
    assert len(within(lambda: mem.recall(word, stemming="english"))) == 1
    (missed, *_) = within(lambda: mem.recall(f"{word}xyz")).missed
    assert missed.cause == "token-not-in-corpus"
    many = " ".join(f"{spelled(i)[:-1]}z" for i in range(4096, 4160))
    assert len(within(lambda: mem.recall(many, fuzzy=True)))
