"""No hits is an answer with a cause."""

import pytest

from memkit.analytics.recall import RecallOptions, recall
from memkit.catalog.sight import Sight
from memkit.snapshot.absorbing import absorb
from tests.stores import NOW, new, open_store, put


def missed(catalog, query, elsewhere=None, **options):
    return {m.cause: m for m in recall(catalog, query, RecallOptions(**options), as_of=NOW, elsewhere=elsewhere).missed}


@pytest.mark.parametrize("query", ["", "   ", "?!… --"])
def test_a_question_without_words(store, see, query):
    put(store, new())
    assert set(missed(see(store), query)) == {"empty-query"}


def test_an_empty_store(store, see):
    assert set(missed(see(store), "anything")) == {"empty-store"}


def test_words_that_stand_nowhere_are_named_beside_those_near_them(store, see):
    put(store, new("Which database?", "migrations run"))
    found = missed(see(store), "databse zebra")
    assert set(found) == {"token-not-in-corpus"}
    assert found["token-not-in-corpus"].count == 2
    assert "'databse'" in found["token-not-in-corpus"].detail
    assert "database" in found["token-not-in-corpus"].detail.split("Near it:")[1]
    partly = missed(see(store), "database zebra")
    assert partly["token-not-in-corpus"].detail == "In no entry: 'zebra'."


@pytest.mark.parametrize(
    ("n", "query", "said"),
    [
        (20, "we use the", True),
        (20, "the zebra", True),
        (20, "the kafka", False),
        (19, "we use the", False),
    ],
    ids=["every word", "every word that was found", "one word is rare", "too few entries to say"],
)
def test_a_question_of_very_common_words_only_is_said_to_be_one(store, see, n, query, said):
    put(store, *(new(f"Do we use the {i}?", "kafka" if i % 4 == 0 else "") for i in range(n)))
    found = missed(see(store), query, limit=3)
    assert ("common-words" in found) is said
    if said:
        assert found["common-words"].detail.startswith("Every word found stands in more than half of the 20 live")


def test_more_than_64_words_are_capped_and_said(store, see):
    put(store, new("word70", "word3"))
    found = missed(see(store), " ".join(f"word{i}" for i in range(80)))
    assert found["terms-capped"].count == 16
    assert "word70" not in recall(see(store), " ".join(f"word{i}" for i in range(80)), as_of=NOW).terms


@pytest.mark.parametrize("absorbed", [True, False], ids=["in a segment", "in the tail"])
def test_words_of_an_older_edition(store, see, absorbed):
    (old,) = put(store, new("Which queue?", "obsolete thing"))
    if absorbed:
        absorb(store, minimum=1)
    put(store, new("Which queue?", "fresh thing", replaces=old))
    found = missed(see(store), "obsolete")
    assert found["replaced"].ids == (old,)
    assert "token-not-in-corpus" in found


def test_entries_nobody_can_search(store, see):
    gone, broken, later = put(store, new("A?"), new("B?"), new("C?"))
    store.paths.entry_file(gone).unlink()
    store.paths.entry_file(broken).write_bytes(b"")
    store.paths.entry_file(later).write_bytes(b'{"schemaVersion": 99, "id": "%s"}' % later.encode())
    result = recall(see(store), "whatever", as_of=NOW)
    found = {m.cause: m.ids for m in result.missed}
    assert (found["missing-file"], found["damaged"], found["newer-schema"]) == ((gone,), (broken,), (later,))
    assert len(result.warnings) == 2
    assert all("\n" not in warning for warning in result.warnings)


def test_other_projects_are_named_only_when_asked_about(store, see, root, tmp_path, clock):
    other = open_store(root, tmp_path / "other", clock)
    put(store, new("Which queue?"))
    (there,) = put(other, new("Which zebra?"))
    assert "other-project" not in missed(see(store), "zebra")
    found = missed(see(store), "zebra", elsewhere=see(other))["other-project"]
    assert found.ids == (there,)
    assert other.paths.key in found.detail


def test_ids_are_few_and_counts_are_whole(store, see):
    put(store, *(new(f"Which queue {i}?", panel="review") for i in range(30)))
    found = missed(see(store), "queue", panel="adr")["filtered-out"]
    assert (len(found.ids), found.count) == (20, 30)


def test_a_full_page_without_options_costs_no_query_once_warm(store, see, monkeypatch):
    put(store, *(new(f"Which queue {i}?") for i in range(30)))
    catalog = see(store)
    asked = []
    real = Sight.fetch
    monkeypatch.setattr(
        Sight, "fetch", lambda self, query, params=None: asked.append(query.name) or real(self, query, params)
    )
    for expected in (["cards"], [], [], []):
        recall(catalog, "queue", as_of=NOW)
        assert asked == expected
        asked.clear()
