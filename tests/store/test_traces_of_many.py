"""Many sequences are looked for by the longest of their words, and give what looking for each by itself gives."""

import random

from memkit.store.traces import FEW, Sequence, _standing_in

WORDS = [f"word{n:03d}{'x' * (n % 5)}".encode() for n in range(60)]


def naive(near, words):
    spaced = b" " + b" ".join(words) + b" "
    return {each.text for each in near if (b" %s " % each.text if each.words else each.text) in spaced}


def test_many_sequences_are_found_where_they_stand_and_nowhere_else():
    rng = random.Random(3)
    for _ in range(4):
        text = rng.choices(WORDS, k=400)
        near = []
        for _ in range(FEW + 40):
            parts = rng.choices(WORDS, k=3) if rng.random() < 0.5 else text[(at := rng.randrange(390)) : at + 3]
            near.append(Sequence(b" ".join(parts), frozenset(parts)))
        near.append(Sequence(b"ord00"))
        assert set(_standing_in(near, text)) == naive(near, text)
        assert set(_standing_in(near[:3], text)) >= naive(near[:3], text)
        assert set(_standing_in(near, text[:1])) == naive(near, text[:1])
