"""SQLite's FTS5 and bm25s over the same texts, asked for any of a question's words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping

Search = Callable[[str], list[str]]
# More than are counted: where several texts belong together, they are one answer.
MOST = 50


def fts5(texts: Mapping[str, str], tokenizer: str) -> Search:
    """FTS5 with this tokenizer; its own bm25()."""
    db = sqlite3.connect(":memory:")
    db.execute(f"create virtual table t using fts5(id unindexed, body, tokenize = '{tokenizer}')")
    db.executemany("insert into t values (?, ?)", texts.items())

    def search(question: str) -> list[str]:
        words = dict.fromkeys(re.findall(r"\w+", question))
        match = " OR ".join(f'"{word}"' for word in words)
        sql = "select id from t where t match ? order by bm25(t), rowid limit ?"
        return [found for (found,) in db.execute(sql, (match, MOST))] if words else []

    return search


def bm25s(texts: Mapping[str, str], *, stem: bool) -> Search:
    """bm25s with its defaults (English stop words), with or without PyStemmer's English stemmer."""
    import bm25s as library
    import Stemmer

    stemmer = Stemmer.Stemmer("english") if stem else None
    names = list(texts)
    index = library.BM25()
    index.index(
        library.tokenize(list(texts.values()), stopwords="en", stemmer=stemmer, show_progress=False),
        show_progress=False,
    )

    def search(question: str) -> list[str]:
        tokens = library.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
        if not tokens.vocab or not set(tokens.vocab) & set(index.vocab_dict):
            return []
        docs, scores = index.retrieve(tokens, k=min(MOST, len(names)), show_progress=False)
        return [names[doc] for doc, value in zip(docs[0], scores[0], strict=True) if value > 0]

    return search
