"""Forms of a word count as that word: what an index of stems would give, worked out from whole words."""

import random
import sys
import typing

import pytest
import Stemmer

from memkit.analytics.recall import RecallOptions, recall
from memkit.errors import InvalidInputError, MissingExtraError
from memkit.settings.schema import Stemming
from memkit.snapshot.absorbing import absorb
from memkit.testing import temp_memory_root
from tests.analytics.naive import Naive
from tests.stores import NOW, new, put


@pytest.fixture
def memory():
    with temp_memory_root() as mem:
        yield mem


ENGLISH = Stemmer.Stemmer("english")
WORDS = (
    "queue queues queued queueing retry retries retrying lock locks locked run running runs 3.11 k8s cafés café".split()
)


def stem(term):
    return ENGLISH.stemWord(term) if term.isalpha() else term


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("absorbed", [False, True], ids=["tail", "segments"])
def test_scores_and_coverage_are_those_of_an_index_of_stems(store, see, seed, absorbed):
    rng = random.Random(seed)
    for _ in range(30):
        put(store, new(f"q {' '.join(rng.choices(WORDS, k=3))}", " ".join(rng.choices(WORDS, k=rng.randrange(1, 12)))))
    if absorbed:
        absorb(store, minimum=1)
    catalog = see(store)
    naive = Naive([store.read_entry(line.id) for line in store.read_index().lines], stem=stem)
    for _ in range(6):
        query = " ".join(rng.choices([*WORDS, "absent"], k=rng.randrange(1, 5)))
        expected = naive.scores(query)
        found = recall(catalog, query, RecallOptions(limit=100, stemming="english"), as_of=NOW)
        assert {hit.id: pytest.approx(hit.score, abs=1e-9) for hit in found} == expected
        for hit in found:
            assert hit.coverage == pytest.approx(naive.coverage(hit.id, query))
            assert sum(part.value for part in hit.contributions) == pytest.approx(hit.score)


def test_the_word_found_is_shown_and_marked_as_it_is_written(memory):
    memory.store(question="Which Queue?", result={"conclusion": "Two retries, one Queue."})
    assert len(memory.recall("retrying", stemming="none")) == 0
    (hit,) = memory.recall("queues retrying", stemming="english")
    assert {part.token for part in hit.contributions} == {"queues~queue", "retrying~retries"}
    marked = {f.text[start:end] for f in hit.fragments for start, end in f.matches}
    assert marked == {"Queue", "retries"}


def test_forms_of_one_stem_in_a_question_count_once(memory):
    memory.store(question="lock", result={})
    one, two = memory.recall("lock", stemming="english"), memory.recall("locks lock locked", stemming="english")
    assert two.terms == ("locks",)
    assert one[0].score == two[0].score


def test_what_is_stored_later_has_its_forms_too(memory):
    memory.store(question="queue", result={})
    assert len(memory.recall("queueing", stemming="english")) == 1
    memory.store(question="queues", result={})
    assert len(memory.recall("queueing", stemming="english")) == 2


def test_the_setting_holds_unless_a_call_says_otherwise(tmp_path):
    from memkit.opening import open_memory
    from memkit.settings import Environment

    (tmp_path / "project").mkdir()
    environment = Environment(
        env={"MEMKIT_RECALL__STEMMING": "english"}, home=tmp_path, config_file=tmp_path / "c.toml"
    )
    with open_memory(tmp_path / "project", root=tmp_path / "root", enabled=True, environment=environment) as memory:
        memory.store(question="queue", result={"conclusion": "yes"})
        assert len(memory.recall("queueing")) == 1
        assert len(memory.what_we_decided("queueing").rows) == 1
        assert len(memory.recall("queueing", stemming="none")) == 0


def test_a_language_nobody_knows_is_named_with_those_that_are_known(memory):
    memory.store(question="queue", result={})
    with pytest.raises(InvalidInputError, match="klingon") as caught:
        memory.recall("queues", stemming="klingon")
    assert "english" in caught.value.remedy


def test_without_the_package_the_remedy_is_the_exact_install(memory, monkeypatch):
    memory.store(question="queue", result={})
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(MissingExtraError) as caught:
        memory.recall("queues", stemming="english")
    assert 'pip install "memkit[stemming]"' in caught.value.remedy
    assert len(memory.recall("queue")) == 1


def test_every_language_of_the_setting_has_a_stemmer():
    assert set(typing.get_args(Stemming)) - {"none"} <= set(Stemmer.algorithms())
