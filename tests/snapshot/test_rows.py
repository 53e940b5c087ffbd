"""Rows hold each term of each text as often as `tokens.terms` finds it, however many are taken apart at once."""

import random
from collections import Counter

import pytest

from memkit.model import tokens
from memkit.model.decision import FIELDS, recall_fields
from memkit.snapshot import rows
from memkit.snapshot.pieces import numbered
from memkit.snapshot.rows import RowBuilder, word_of
from tests.stores import new, open_store, put

ODD = (
    "",
    "-",
    "a--b _c_ d_e-f.g'h  i.j. 'k' l-",
    "RetryPolicy HTTPServer node.js 3.11 re-index auth_token's",
    "naïve Straße ½ 東京都 ｶﾞ x_東 é-a",
    "x" * 200 + " " + "y-" * 90 + "z",
    "a\nb\r\nc\td\x00e\x7ff",
)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_many_texts_taken_apart_at_once_give_the_pieces_of_each(ascii_only):
    rng = random.Random(5)
    letters = "aZ9 _-.'\n,(" + ("" if ascii_only else "é東")
    texts = [*ODD, *("".join(rng.choices(letters, k=rng.randrange(40))) for _ in range(400))]
    texts = [text for text in texts if text.isascii() or not ascii_only]
    spelled, numbers, counts = numbered(texts)
    assert len(set(spelled)) == len(spelled)
    at = 0
    for text, count in zip(texts, counts.tolist(), strict=True):
        assert [spelled[number] for number in numbers[at : at + count]] == tokens.pieces(text)
        at += count
    assert at == len(numbers)


def test_no_texts_have_no_pieces():
    spelled, numbers, counts = numbered([])
    assert (spelled, len(numbers), len(counts)) == ([], 0, 0)


@pytest.mark.parametrize("block", [1, 100, 10**9])
def test_rows_count_each_term_of_each_field(root, project, clock, monkeypatch, block):
    monkeypatch.setattr(rows, "BLOCK_CHARS", block)
    rng = random.Random(9)
    store = open_store(root, project, clock)
    put(
        store,
        *(
            new(f"Q {i} {rng.choice(ODD)}", f"{rng.choice(ODD)} said {rng.choice(ODD)}", tags=[f"t-{i}"])
            for i in range(30)
        ),
    )
    builder = RowBuilder()
    expected = {}
    lengths = {}
    for doc, line in enumerate(store.read_index().lines, 70):
        entry = store.read_entry(line.id)
        builder.add(doc, entry)
        for field, text in recall_fields(entry).items():
            lengths[doc, field] = len(tokens.terms(text))
            for term, n in Counter(tokens.terms(text)).items():
                expected[doc, term, field] = n
    made = builder.build()
    found = made.postings.to_pylist()
    assert [(row["word"], row["doc"]) for row in found] == sorted((row["word"], row["doc"]) for row in found)
    assert all(row["word"] == word_of(row["term"]) for row in found)
    assert {(row["doc"], row["term"], f): row[f"tf_{f}"] for row in found for f in FIELDS if row[f"tf_{f}"]} == expected
    for row in (*found, *made.entries.to_pylist()):
        assert [row[f"len_{field}"] for field in FIELDS] == [lengths[row["doc"], field] for field in FIELDS]


def test_nothing_added_makes_no_rows():
    made = RowBuilder().build()
    assert (made.entries.num_rows, made.postings.num_rows) == (0, 0)
