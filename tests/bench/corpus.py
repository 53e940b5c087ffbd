"""Deterministic texts with a Zipf-like vocabulary, about 150 words each."""

import bisect
import itertools
import random

N_WORDS = 150
VOCABULARY = 20_000


class Texts:
    """Draws texts; the same seed gives the same texts."""

    def __init__(self, seed: int = 7, vocabulary: int = VOCABULARY) -> None:
        self._random = random.Random(seed)
        self._words = [self._word(i) for i in range(vocabulary)]
        self._cumulative = list(itertools.accumulate(1.0 / (rank + 2.7) for rank in range(vocabulary)))

    def _word(self, i: int) -> str:
        syllables = ("ka", "ro", "ti", "mel", "su", "dan", "vo", "pri", "lec", "ne", "ja", "gor")
        word = ""
        i += 1
        while i:
            i, rest = divmod(i, len(syllables))
            word += syllables[rest]
        return word

    def text(self, n: int = N_WORDS) -> str:
        """`n` words."""
        total = self._cumulative[-1]
        draw = self._random.random
        return " ".join(
            self._words[min(bisect.bisect(self._cumulative, draw() * total), len(self._words) - 1)] for _ in range(n)
        )

    def request(self, i: int) -> dict:
        """One result to store."""
        return {
            "question": f"{self.text(9)}?",
            "result": {"synthesis": {"content": f"{self.text(N_WORDS - 30)}\n\n## Recommendation\n\n{self.text(20)}"}},
            "panel_id": ("consensus", "adr", "review")[i % 3],
            "tags": [f"t{i % 17}", f"area-{i % 5}"],
        }

    def query(self, n: int, *, common: bool) -> str:
        """`n` words, from the 200 commonest or from rank 500 on."""
        low, high = (0, 200) if common else (500, 6000)
        return " ".join(self._words[self._random.randrange(low, high)] for _ in range(n))
