"""Looking for a few words finds exactly the tokens that reading the whole text finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.model import tokens

WORDS = ["auth", "Author", "authToken", "auth_token", "HTTPServer", "re-index", "3.11", "A1B", "Zz", "node.js", "don't"]
OTHERS = [
    "決定事項",
    "ｗｉｄｅ",
    "½",
    "é",
    "É",
    "ß",
    "İ",
    "\u212a",
    "\xa0",
    "—",
    "“",
    "_",
    "-",
    ".",
    " ",
    " ",
    "\n",
    "x" * 70,
]
PIECES = st.sampled_from([*WORDS, *OTHERS])


@given(st.lists(PIECES, max_size=12).map("".join), st.data())
def test_locating_is_filtering(text, data):
    found = tokens.tokenize(text)
    assert tokens.terms(text) == [token.term for token in found]
    known = sorted({token.term for token in found})
    wanted = set(data.draw(st.lists(st.sampled_from(known), max_size=3))) if known else set()
    assert tokens.locate(text, wanted | {"absent"}) == [token for token in found if token.term in wanted]


@pytest.mark.parametrize("text", ["RetryPolicy", "auth_token", "Which A1B re-index's 3.11?"])
def test_plain_text_reads_the_same_with_and_without_the_short_cut(text):
    assert tokens.terms(text) == [token.term for token in tokens._tokens(text)]
