"""What a word is, for storing and for asking."""

import itertools
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.model import tokens
from memkit.model.tokens import MAX_TERM_CHARS, query_terms, terms, tokenize

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cn"]))
LIKELY = st.text(st.sampled_from("abAB12 _-.'’‐\n(ßéÉı字東かガｶﾞ한ไก้½ﬁⅣＡ़िİ🙂\u200b\u0301"), max_size=40)
ASCII = st.text(st.characters(max_codepoint=127))
WORDS = st.text("abcABC012_-.' /", max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(" .,;-_ ", [], id="marks only"),
        pytest.param("The answer is 42.", ["the", "answer", "is", "42"], id="a sentence"),
        pytest.param("author", ["author"], id="a longer word is another word"),
        pytest.param("auth_token", ["auth", "token", "authtoken"], id="snake case"),
        pytest.param("re-index", ["re", "index", "reindex"], id="a hyphen"),
        pytest.param("RetryPolicy", ["retry", "policy", "retrypolicy"], id="camel case"),
        pytest.param("HTTPServer", ["http", "server", "httpserver"], id="an acronym before a word"),
        pytest.param("parseHTML5Doc", ["parse", "html5", "doc", "parsehtml5doc"], id="an acronym inside"),
        pytest.param("node.js", ["node", "js", "node.js"], id="a dot keeps its place"),
        pytest.param("3.11", ["3", "11", "3.11"], id="a version is not 311"),
        pytest.param("don't", ["don", "t", "dont"], id="an apostrophe"),
        pytest.param("don’t", ["don", "t", "dont"], id="a typographic apostrophe"),
        pytest.param("re‐index re‑index", ["re", "index", "reindex"] * 2, id="hyphens of typography"),
        pytest.param("SCREAMING", ["screaming"], id="capitals are one word"),
        pytest.param("a.b.c", ["a", "b", "c", "a.b.c"], id="three parts"),
        pytest.param("end. Next", ["end", "next"], id="a full stop joins nothing"),
        pytest.param("-flag--x_", ["flag", "x"], id="marks at the edges"),
        pytest.param("ＡＵＴＨ", ["auth"], id="fullwidth"),
        pytest.param("ﬁle", ["file"], id="a ligature"),
        pytest.param("Straße", ["strasse"], id="sharp s"),
        pytest.param("STRASSE straße", ["strasse", "strasse"], id="both spellings"),
        pytest.param("½", ["1", "2"], id="a fraction gives its digits"),
        pytest.param("Ⅳ", ["iv"], id="a Roman numeral"),
        pytest.param("東京都", ["東京", "京都"], id="Han in pairs"),
        pytest.param("字", ["字"], id="a single character"),
        pytest.param("データベース", ["デー", "ータ", "タベ", "ベー", "ース"], id="Katakana in pairs"),
        pytest.param("ﾃﾞｰﾀ", ["デー", "ータ"], id="halfwidth Katakana"),
        pytest.param("데이터", ["데이", "이터"], id="Hangul in pairs"),
        pytest.param(unicodedata.normalize("NFD", "데이터"), ["데이", "이터"], id="Hangul in letters"),
        pytest.param("PostgreSQLを使う", ["postgre", "sql", "postgresql", "を使", "使う"], id="Latin beside Kana"),
        pytest.param("हिन्दी", ["हिन्दी"], id="Devanagari with its marks"),
        pytest.param("naïve café", ["naïve", "café"], id="accents stay"),
        pytest.param("🙂 ok", ["ok"], id="a pictograph is no word"),
    ],
)
def test_a_text_gives_these_terms(text, expected):
    assert terms(text) == expected
    assert [token.term for token in tokenize(text)] == expected


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("reindex", "re-index"),
        ("re-index", "reindex"),
        ("retry policy", "RetryPolicy"),
        ("RETRYPOLICY", "retry_policy"),
        ("cafe\u0301", "café"),
        ("東京", "東京都"),
        ("ｐｏｓｔｇｒｅｓ", "Postgres"),
        ("STRASSE", "Straße"),
    ],
)
def test_each_spelling_finds_the_other(asked, stored):
    assert set(terms(asked)) & set(terms(stored))


@pytest.mark.parametrize(
    ("asked", "stored"), [("auth", "author"), ("cat", "concatenate"), ("311", "3.11"), ("京", "東京都")]
)
def test_a_part_of_a_word_finds_nothing(asked, stored):
    assert not set(terms(asked)) & set(terms(stored))


def letters(text: str) -> str:
    kept = (char for char in text if char.isalnum() or unicodedata.category(char)[0] in "LNM")
    return unicodedata.normalize("NFKC", "".join(kept))


@given(st.one_of(TEXT, LIKELY))
@example("İstanbul")
@example("ﬁ½Ⅳ㍿")
@example("ガ" + "\u3099" * 3)
def test_a_token_stands_where_it_says(text):
    for token in tokenize(text):
        assert 0 <= token.start < token.end <= len(text)
        written = text[token.start : token.end]
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", written).casefold())
        assert letters(token.term)
        assert letters(token.term) in letters(folded)


@given(st.one_of(TEXT, LIKELY))
def test_tokens_come_in_the_order_of_the_text(text):
    found = tokenize(text)
    assert all(left.end <= right.end for left, right in itertools.pairwise(found))


@given(st.one_of(TEXT, LIKELY))
def test_terms_are_the_terms_of_the_tokens(text):
    assert terms(text) == [token.term for token in tokenize(text)]


@given(st.one_of(ASCII, WORDS))
@example("aB")
@example("ABc")
@example("a1B")
@example("a" * 70)
def test_plain_ascii_takes_a_short_way_to_the_same_tokens(text):
    assert tokenize(text) == list(tokens._tokens(text))


@given(
    st.lists(
        st.sampled_from(["café", "É", "Å", "東京", "ガ", "한국", "각", "ไก้", "हिन्दी", "ạ̈", "x", "_", "-", " "])
    ).map("".join)
)
def test_the_terms_do_not_depend_on_composition(text):
    composed = {*terms(unicodedata.normalize("NFC", text))}
    assert composed == {*terms(unicodedata.normalize("NFD", text))}


@given(st.text("abAB12_-.' éß東かガ한ก", max_size=40))
def test_a_term_tokenised_again_is_among_its_own_terms(text):
    for term in terms(text):
        only_marks = not any(char.isalnum() for char in term)
        assert only_marks or "." in term or len(term) == MAX_TERM_CHARS or term in terms(term)


@given(st.one_of(TEXT, LIKELY))
def test_a_term_is_folded_and_not_too_long(text):
    for term in terms(text):
        assert 0 < len(term) <= MAX_TERM_CHARS
        assert term == unicodedata.normalize("NFKC", term)


@given(WORDS, WORDS)
def test_texts_apart_by_a_space_do_not_touch(left, right):
    assert terms(f"{left} {right}") == terms(left) + terms(right)


@given(st.text("東京都大阪かなカナ", min_size=2, max_size=20))
def test_text_without_spaces_gives_every_pair_once(text):
    assert terms(text) == [a + b for a, b in itertools.pairwise(text)]


@pytest.mark.parametrize(
    ("query", "cap", "expected"),
    [
        ("a b a c", 10, (["a", "b", "c"], 0)),
        ("a b a c", 2, (["a", "b"], 1)),
        ("", 5, ([], 0)),
        ("A a Ａ", 5, (["a"], 0)),
        ("a b", 0, ([], 2)),
    ],
)
def test_a_question_asks_each_term_once_up_to_the_cap(query, cap, expected):
    assert query_terms(query, cap) == expected
