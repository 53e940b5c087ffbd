"""The lists of words beside a segment say what its postings say, and are mapped, not read."""

import random

import numpy as np
import pytest

from memkit.model.decision import FIELDS
from memkit.snapshot.rows import RowBuilder, posting_schema, word_of
from memkit.snapshot.words import encode_words, open_words, words_of
from tests.stores import new, open_store, put


def spelled_out(words):
    """(term, field, doc, count) of every list."""
    return sorted(
        (term, field, int(doc) + words.first, int(count))
        for field, lists in zip(FIELDS, words.fields, strict=True)
        for i, term in enumerate(words.terms.to_pylist())
        for doc, count in zip(
            lists.docs[lists.starts[i] : lists.starts[i + 1]].tolist(),
            lists.counts[lists.starts[i] : lists.starts[i + 1]].tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("first", [0, 70_000])
def test_lists_hold_what_the_rows_hold_and_survive_the_file(root, project, clock, tmp_path, first):
    rng = random.Random(3)
    store = open_store(root, project, clock)
    put(store, *(new(f"q {rng.randrange(9)}", "word " * rng.randrange(1, 400) + str(i), tags=["t"]) for i in range(30)))
    builder = RowBuilder()
    for doc, line in enumerate(store.read_index().lines, first):
        builder.add(doc, store.read_entry(line.id))
    rows = builder.build().postings
    made = words_of(rows, first)
    expected = sorted(
        (row["term"], field, row["doc"], row[f"tf_{field}"])
        for row in rows.to_pylist()
        for field in FIELDS
        if row[f"tf_{field}"]
    )
    file = tmp_path / "words.arrow"
    file.write_bytes(encode_words(made))
    for words in (made, open_words(file)):
        assert spelled_out(words) == expected
        assert words.words.tolist() == sorted(word_of(term) for term in words.terms.to_pylist())
        assert words.n_docs.tolist() == [
            sum(row["term"] == t for row in rows.to_pylist()) for t in words.terms.to_pylist()
        ]
        assert words.fields[0].docs.dtype == np.uint8
    assert open_words(file, 1000).first == first + 1000


def test_no_rows_make_no_words(tmp_path):
    file = tmp_path / "words.arrow"
    file.write_bytes(encode_words(words_of(posting_schema().empty_table())))
    assert spelled_out(open_words(file)) == []
