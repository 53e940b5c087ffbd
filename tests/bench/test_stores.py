"""The generated stores that are measured hold what memkit itself would have written."""

import hashlib

import pytest

from memkit.model.entry import StoredEntry
from memkit.model.index_line import line_for
from tests.bench import bench_bad
from tests.bench.stores import Corpus, open_at, write


@pytest.mark.parametrize("words", [40, 150])
def test_a_generated_store_is_byte_for_byte_what_memkit_writes(tmp_path, words):
    corpus = Corpus(1_000, words)
    write(tmp_path, corpus)
    with open_at(tmp_path) as mem:
        paths = mem.paths
        lines = []
        for item in corpus:
            entry = StoredEntry(
                item.id,
                item.stored_ms,
                paths.key,
                paths.project_path,
                item.panel,
                item.question,
                item.tags,
                item.result,
            )
            data = entry.to_bytes()
            assert paths.entry_file(item.id).read_bytes() == data
            lines.append(line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest()))
        assert paths.index.read_bytes() == b"".join(lines)
        assert mem.verify() == []


def test_a_generated_store_says_what_storing_the_same_says(tmp_path):
    corpus = Corpus(6_000, 40)
    write(tmp_path / "made", corpus)
    items = list(corpus)[4_990:5_010]
    with open_at(tmp_path / "made") as made, open_at(tmp_path / "stored") as stored:
        assert len(made.list()) == 6_000
        requests = [
            {"question": i.question, "result": i.result, "panel_id": i.panel, "tags": list(i.tags)} for i in items
        ]
        for item, receipt in zip(items, stored.store_many(requests), strict=True):
            one, other = made.get(item.id).to_envelope(), stored.get(receipt.id).to_envelope()
            of_the_moment = ("id", "storedAt", "projectKey", "projectPath")
            assert {k: v for k, v in one.items() if k not in of_the_moment} == {
                k: v for k, v in other.items() if k not in of_the_moment
            }


@pytest.mark.parametrize("kind", sorted(bench_bad.KINDS))
def test_what_bad_input_is_made_of_is_what_it_is_called(kind):
    corpus = bench_bad.KINDS[kind](30, bench_bad.WORDS)
    items = list(corpus)
    texts = [f"{item.question} {item.recommendation} {item.prose}".replace("?", "").split() for item in items]
    different = {word for text in texts for word in text}
    assert len({item.id for item in items}) == len(items)
    assert {
        "all the same": all(text == texts[0] for text in texts),
        "stop words alone": different <= set(bench_bad.STOP_WORDS),
        "no word twice": len(different) == sum(map(len, texts)) == 30 * bench_bad.WORDS,
    }[kind]
    assert bench_bad.QUESTIONS[kind](corpus).split()[0] in different
