"""Forms of a word: the terms of a corpus that a stemmer cuts down to the same stem.

Stems are worked out when a question is asked, over the different terms of the corpus, and kept until that changes.
Postings hold whole words, so a snapshot serves every language and none; the forms found for a word of the question
count together as that word, which gives the scores an index of stems would give.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memkit.errors import InvalidInputError, MissingExtraError
from memkit.snapshot.columns import numbers_of

if TYPE_CHECKING:
    import pyarrow as pa
    import Stemmer

    from memkit.catalog.sight import Sight

NONE = "none"


class Forms:
    """The terms of a corpus by their stem, in one language.

    Args:
        language: A name of Snowball's.
        terms: The different terms of the corpus, as an Arrow array.

    Raises:
        MissingExtraError: PyStemmer is not installed.
        InvalidInputError: PyStemmer knows no such language.
    """

    def __init__(self, language: str, terms: pa.StringArray) -> None:
        import numpy as np

        self.terms = terms
        self._stemmer = _stemmer(language)
        # Numbers instead of a dictionary of texts: two million terms take 16 MB.
        stems = np.fromiter((hash(self.stem(str(term))) for term in terms.to_pylist()), np.int64, len(terms))
        self._order = np.argsort(stems, kind="stable")
        self._stems = stems[self._order]

    def stem(self, term: str) -> str:
        """The stem of a term; one with other characters than letters is its own."""
        return str(self._stemmer.stemWord(term)) if term.isalpha() else term

    def of(self, term: str) -> list[str]:
        """The terms of the corpus with the same stem, in order of the alphabet."""
        stem = self.stem(term)
        first, last = self._stems.searchsorted(hash(stem)), self._stems.searchsorted(hash(stem), side="right")
        found = [str(each) for each in self.terms.take(numbers_of(self._order[first:last])).to_pylist()]
        return sorted(each for each in found if self.stem(each) == stem)  # another stem may have the same hash

    def distinct(self, terms: Iterable[str]) -> list[str]:
        """The first term of each stem, in order: what has one stem is one word of a question."""
        firsts: dict[str, str] = {}
        for term in terms:
            firsts.setdefault(self.stem(term), term)
        return list(firsts.values())


def forms(sight: Sight, language: str) -> Forms:
    """The forms of the words a catalog shows; worked out again when its rows have changed."""
    kept = sight.memory.get("forms")
    if kept is None or kept[0] != (language, sight.n_changes):
        kept = sight.memory["forms"] = ((language, sight.n_changes), Forms(language, sight.vocabulary()))
    found: Forms = kept[1]
    return found


def _stemmer(language: str) -> Stemmer.Stemmer:
    try:
        import Stemmer
    except ImportError as error:
        raise MissingExtraError(
            "PyStemmer is not installed", remedy='Install it with: pip install "memkit[stemming]"'
        ) from error
    known = Stemmer.algorithms()
    if language not in known:
        raise InvalidInputError(
            f"there is no stemmer for {language!r:.60}", field="stemming", remedy=f"One of: none, {', '.join(known)}."
        )
    return Stemmer.Stemmer(language)
