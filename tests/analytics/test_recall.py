"""What recall promises besides the arithmetic: whole words, chains, checks, options, reasons."""

import datetime as dt
import json
import threading

import pytest

from memkit.analytics.recall import RecallOptions, recall
from memkit.errors import InvalidInputError
from memkit.model.decision import recall_fields
from memkit.snapshot.absorbing import absorb
from tests.stores import NOW, new, open_store, put


def ask(catalog, query, **options):
    return recall(catalog, query, RecallOptions(**options), as_of=NOW)


def ids(result):
    return [hit.id for hit in result]


def causes(result):
    return {missed.cause: missed for missed in result.missed}


# -- words ----------------------------------------------------------------------------------------------------------


def test_auth_never_matches_author(store, see):
    put(store, new("Who is the author?", "The author wrote authors."))
    (kept,) = put(store, new("How do we do auth?", "auth_token in a cookie"))
    assert ids(ask(see(store), "auth")) == [kept]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("auth_token", "the authToken expires"), ("authtoken", "the auth_token expires"), ("token", "the AuthToken expires"),
        ("retry", "a RetryPolicy of three"), ("reindex", "we re-index nightly"), ("3.11", "on Python 3.11 only"),
        ("STRASSE", "an der Straße"), ("ｗｉｄｅ", "a wide column"), ("決定", "採用決定事項"), ("don't", "we don’t"),
    ],
)  # fmt: skip
def test_every_spelling_finds_the_other_and_the_fragment_is_the_stored_one(store, see, query, text):
    put(store, new("?!", text))
    (hit,) = ask(see(store), query)
    fragment = hit.fragments[0]
    assert fragment.text in text
    assert all(fragment.text[start:end] for start, end in fragment.matches)


def test_query_text_never_reaches_a_query_language(store, see):
    put(store, new("Robert'); drop table x; --", "50% * _ $1 ?"))
    assert len(ask(see(store), "'; drop table base.entry_rows; -- robert $1 %")) == 1


@pytest.mark.parametrize("query", [None, 3, b"x", "\ud800"])
def test_a_question_is_text(store, see, query):
    with pytest.raises(InvalidInputError):
        ask(see(store), query)


# -- hits -----------------------------------------------------------------------------------------------------------


def test_a_hit_says_all_there_is_to_say(store, see):
    prose = "Context first.\n\n## Recommendation\n\nKeep PostgreSQL for orders.\n\n## Tripwire conditions\n\n- load doubles\n"
    (made,) = put(
        store,
        new("Which database for orders?", prose, panel="adr", tags=["db", "orders"], days_ago=76, finalScore=81.5, decidedOn="2026-09-10",
            status="accepted"),
    )  # fmt: skip
    (hit,) = ask(see(store), "database orders postgresql zebra")
    assert (hit.id, hit.rank, hit.lexical_rank, hit.panel_id, hit.tags) == (made, 1, 1, "adr", ("db", "orders"))
    assert hit.summary == "Keep PostgreSQL for orders."
    assert (hit.age_label, hit.decided_label) == ("Stored 76 days ago", "Decided 81 days ago")
    assert hit.age_days == pytest.approx(76)
    assert (hit.decided_on, hit.final_score, hit.status) == (dt.date(2026, 9, 10), 81.5, "accepted")
    assert [(t.text, t.verdict) for t in hit.tripwires] == [("load doubles", "unknown")]
    assert hit.rank_score == hit.score
    assert 0 < hit.coverage < 1
    assert {c.token for c in hit.contributions} == {"database", "orders", "postgresql"}
    assert [c.value for c in hit.contributions] == sorted((c.value for c in hit.contributions), reverse=True)
    assert json.dumps(hit.to_dict())


def test_fragments_are_cut_from_the_stored_texts_at_word_borders(store, see):
    words = " ".join(f"filler{i}" for i in range(300))
    put(
        store,
        new(
            "Which needle is where?",
            f"{words} the needle and the Thread {words} another needle {words}",
            tags=["needle"],
        ),
    )
    (hit,) = ask(see(store), "needle thread")
    texts = recall_fields(store.read_entry(hit.id))
    assert 1 <= len(hit.fragments) <= 3
    for fragment in hit.fragments:
        whole = texts[fragment.field]
        assert whole[fragment.start : fragment.end] == fragment.text
        assert len(fragment.text) <= 200
        assert fragment.start == 0 or whole[fragment.start - 1].isspace()
        assert fragment.end == len(whole) or whole[fragment.end].isspace()
        assert {fragment.text[a:b].casefold() for a, b in fragment.matches} <= {"needle", "thread"}
    assert {"needle", "thread"} <= {hit.fragments[0].text[a:b].casefold() for a, b in hit.fragments[0].matches}


def test_more_hits_never_change_the_ones_before(store, see):
    put(store, *(new(f"Which queue {i % 5}?", "queue " * (1 + i % 4), days_ago=1 + i % 7) for i in range(60)))
    catalog = see(store)
    longest = ids(ask(catalog, "queue 3", limit=60))
    assert len(longest) == 60
    for limit in (1, 2, 7, 20, 59):
        assert ids(ask(catalog, "queue 3", limit=limit)) == longest[:limit]


# -- chains ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def chain(store):
    """Four decisions, each replacing the one before; the word is in the oldest and, weaker, in the third."""
    a = put(store, new("Which database?", "zebra zebra zebra", title="one", days_ago=40))[0]
    b = put(store, new("Which engine?", "nothing of it", title="two", supersedes=[a], days_ago=30))[0]
    c = put(store, new("Which storage?", f"zebra {'long ' * 40}", title="three", supersedes=[b], days_ago=20))[0]
    d = put(store, new("Which files?", "no such word", title="four", supersedes=[c], days_ago=10))[0]
    return a, b, c, d


@pytest.mark.parametrize("limit", [1, 5, 50])
def test_only_the_head_of_a_chain_is_shown_and_says_what_it_replaced(store, see, chain, limit):
    a, b, c, d = chain
    (hit,) = ask(see(store), "zebra", limit=limit)
    assert (hit.id, hit.supersedes, hit.superseded_by, hit.matched_through) == (d, (c, b, a), (), a)
    assert hit.contributions
    assert sum(x.value for x in hit.contributions) == pytest.approx(hit.score, abs=1e-9)
    assert hit.score == hit.rank_score
    assert hit.fragments == ()
    assert "zebra" in hit.through_fragments[0].text


def test_what_stands_behind_the_head_is_listed_as_superseded(store, see, chain):
    a, _, c, _ = chain
    missed = causes(ask(see(store), "zebra"))["superseded"]
    assert (missed.ids, missed.count) == ((a, c), 2)


def test_older_members_follow_their_head_labelled(store, see, chain):
    a, b, c, d = chain
    (other,) = put(store, new("Which animal?", f"zebra {'long ' * 200}"))
    found = ask(see(store), "zebra", include_superseded=True)
    assert ids(found) == [d, c, a, other]
    assert [hit.superseded_by for hit in found] == [(), (d,), (b, c, d), ()]
    assert [hit.status for hit in found][1:3] == ["superseded", "superseded"]
    assert [hit.rank for hit in found] == [1, 2, 3, 4]
    assert found[2].score == found[2].rank_score == found[0].rank_score > found[1].score
    assert "superseded" not in causes(found)
    assert ids(ask(see(store), "zebra", include_superseded=True, limit=2)) == [d, c]


def test_a_head_that_matches_itself_keeps_its_own_score(store, see):
    (a,) = put(store, new("Which zebra?", "zebra zebra zebra", title="one"))
    (b,) = put(store, new("Which other?", f"zebra {'long ' * 60}", supersedes=[a]))
    put(store, new("Which middle?", f"zebra {'long ' * 20}"))
    first, second = ask(see(store), "zebra")
    assert (first.id, first.matched_through) == (b, a)
    assert first.score < second.score < first.rank_score
    assert first.fragments[0].field == "synthesis"
    assert first.through_fragments


def test_a_superseded_decision_never_comes_back_whatever_the_limit_in_a_large_store(store, see):
    old = put(store, *(new(f"Which topic {i}?", f"rule{i} holds", title=f"old {i}") for i in range(150)))
    new_ids = put(
        store,
        *(
            new(f"Which topic {i}?", f"rule{i} holds no more", title=f"new {i}", supersedes=[o])
            for i, o in enumerate(old)
        ),
    )
    absorb(store)
    catalog = see(store)
    for limit in (1, 20, 300):
        found = ids(ask(catalog, "topic holds", limit=limit))
        assert set(found) <= set(new_ids)
        assert len(found) == min(limit, 150)


# -- options --------------------------------------------------------------------------------------------------------


@pytest.fixture
def varied(store):
    return put(
        store,
        new("Which queue one?", panel="adr", tags=["db", "eu"], days_ago=5),
        new("Which queue two?", panel="review", tags=["db"], days_ago=50),
        new("Which queue three?", panel="adr", tags=["ops"], days_ago=500),
        new("Which queue four?", panel="adr", tags=[], days_ago=1),
    )


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({"panel": "adr"}, {0, 2, 3}), ({"panel": "nobody"}, set()), ({"any_tag": ("db", "ops")}, {0, 1, 2}),
        ({"any_tag": "ops"}, {2}), ({"all_tags": ("db", "eu")}, {0}), ({"since_days": 10}, {0, 3}), ({"since_days": 5}, {0, 3}),
        ({"panel": "adr", "any_tag": ("db",), "since_days": 100}, {0}), ({"since_days": 0.5}, set()),
    ],
    ids=str,
)  # fmt: skip
def test_filters_keep_what_they_say_and_count_what_they_kept_out(store, see, varied, options, kept):
    found = ask(see(store), "queue", **options)
    assert set(ids(found)) == {varied[i] for i in kept}
    missed = causes(found).get("filtered-out")
    assert (missed.count if missed else 0) == 4 - len(kept)
    assert set(missed.ids if missed else ()) == {varied[i] for i in range(4)} - set(ids(found))


def test_filters_look_at_what_would_be_shown(store, see):
    (old,) = put(store, new("Which zebra?", panel="review", tags=["old"], days_ago=100))
    (head,) = put(store, new("Which other?", panel="adr", tags=["new"], supersedes=[old], days_ago=1))
    catalog = see(store)
    assert ids(ask(catalog, "zebra", panel="adr", any_tag="new", since_days=10)) == [head]
    assert ids(ask(catalog, "zebra", panel="review")) == []
    assert ids(ask(catalog, "zebra", panel="review", include_superseded=True)) == [old]
    assert ids(ask(catalog, "zebra", panel="adr", include_superseded=True)) == [head]


def test_hits_below_the_threshold_are_counted(store, see):
    put(store, new("Which queue?", "queue queue queue"), new("Other?", f"{'long ' * 300} queue"))
    catalog = see(store)
    strong, weak = ask(catalog, "queue")
    found = ask(catalog, "queue", min_score=(strong.score + weak.score) / 2)
    assert ids(found) == [strong.id]
    assert causes(found)["below-threshold"].ids == (weak.id,)
    assert causes(ask(catalog, "queue", min_score=100.0))["below-threshold"].count == 2


def test_recency_is_off_unless_asked_for_and_halves_scores(store, see):
    old, fresh, ahead = put(
        store, new("Which queue?", days_ago=400), new("Which queue?", days_ago=40), new("Which queue?", days_ago=0)
    )
    catalog = see(store)
    plain = {hit.id: hit for hit in ask(catalog, "queue")}
    assert {hit.recency for hit in plain.values()} == {1.0}
    assert len({round(hit.score, 9) for hit in plain.values()}) == 1
    asked = {hit.id: hit for hit in ask(catalog, "queue", recency_half_life_days=40)}
    assert asked[old].recency == pytest.approx(0.5**10)
    assert asked[fresh].score == pytest.approx(plain[fresh].score / 2)
    for hit in asked.values():
        assert sum(c.value for c in hit.contributions) == pytest.approx(hit.score, abs=1e-9)
    early = recall(catalog, "queue", RecallOptions(recency_half_life_days=40), as_of=NOW - dt.timedelta(days=100))
    assert {hit.id: hit.recency for hit in early}[ahead] == 1.0


def test_fuzzy_finds_beginnings_and_one_edit_and_shows_both_words(store, see):
    made = put(
        store,
        new("About migrations?", "databases migrate"),
        new("About the databse?", "a typo"),
        new("Other?", "datum"),
    )
    catalog = see(store)
    assert ids(ask(catalog, "migrat")) == []
    (hit,) = ask(catalog, "migrat", fuzzy=True)
    assert hit.id == made[0]
    assert {c.token for c in hit.contributions} == {"migrat~migrate", "migrat~migrations"}
    assert sum(c.value for c in hit.contributions) == pytest.approx(hit.score, abs=1e-9)
    assert hit.coverage == pytest.approx(1.0)
    found = ask(catalog, "database", fuzzy=True)
    assert set(ids(found)) == set(made[:2])
    assert {c.token for hit in found for c in hit.contributions} == {"database~databases", "database~databse"}
    assert all("databas" in h.fragments[0].text or "databse" in h.fragments[0].text for h in found)
    assert ids(ask(catalog, "data", fuzzy=True)) != []
    assert ids(ask(catalog, "dat", fuzzy=True)) == []
    assert ids(ask(catalog, "adr0012", fuzzy=True)) == []


def test_spellings_of_one_word_count_as_one_word(store, see):
    exact, both = put(store, new("?!", "policy"), new("?!", "policy policies"))
    found = {hit.id: hit for hit in ask(see(store), "policy", fuzzy=True)}
    assert set(found) == {exact, both}
    idf = found[exact].score / found[exact].coverage
    assert found[both].score < 2.2 * idf


def test_a_word_nobody_wrote_is_looked_for_in_its_other_number_and_both_are_shown(store, see, root, tmp_path, clock):
    one, two = put(store, new("Which invoice?", "An invoice a month."), new("Which policies?", "Retry them."))
    put(store, new("Who is the author?", "An authority."))
    for catalog in (see(store), see(store, open_store(root, tmp_path / "other", clock))):  # in memory, and by SQL
        found = ask(catalog, "invoices")
        (hit,) = found
        assert hit.id == one
        assert {part.token for part in hit.contributions} == {"invoices~invoice"}
        assert sum(part.value for part in hit.contributions) == pytest.approx(hit.score)
        assert hit.score == pytest.approx(ask(catalog, "invoice").rows[0].score)
        assert hit.coverage == 1.0
        assert any(fragment.text[s:e] == "invoice" for fragment in hit.fragments for s, e in fragment.matches)
        assert "token-not-in-corpus" not in causes(found)
        assert ids(ask(catalog, "policy")) == [two]
        assert ids(ask(catalog, "auth")) == []


def test_a_word_somebody_wrote_is_looked_for_as_it_is_alone(store, see):
    (one,) = put(store, new("Which invoices?", "One."))
    put(store, new("Which invoice?", "Another."))
    assert ids(ask(see(store), "invoices")) == [one]


def test_fuzzy_changes_nothing_where_nothing_else_is_near(store, see, varied):
    catalog = see(store)
    plain, fuzzy = ask(catalog, "queue three"), ask(catalog, "queue three", fuzzy=True)
    assert [(h.id, round(h.score, 9)) for h in plain] == [(h.id, round(h.score, 9)) for h in fuzzy]


def test_rerank_sees_the_hits_and_leaves_the_lexical_rank_beside(store, see, varied):
    catalog = see(store)
    seen = []

    def by_question_length(query, hits):
        seen.append((query, len(hits), hits[0].fragments[0].text))
        return [len(hit.question) for hit in hits]

    plain = ask(catalog, "queue")
    found = ask(catalog, "queue", limit=2, rerank=by_question_length)
    assert seen[0][:2] == ("queue", 4)
    assert found[0].question == "Which queue three?"
    assert [hit.rank for hit in found] == [1, 2]
    assert {hit.id: hit.lexical_rank for hit in found}.items() <= {hit.id: hit.rank for hit in plain}.items()
    assert found[0].rerank_score == len("Which queue three?")


@pytest.mark.parametrize("answer", [[1.0], [float("nan")] * 4], ids=["too few", "no numbers"])
def test_a_rerank_that_answers_nonsense_is_refused(store, see, varied, answer):
    with pytest.raises(InvalidInputError, match="rerank"):
        ask(see(store), "queue", rerank=lambda query, hits: answer)


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0}, {"limit": 1001}, {"limit": True}, {"limit": 2.5}, {"min_score": -1}, {"min_score": float("nan")},
        {"since_days": -1}, {"since_days": "3"}, {"recency_half_life_days": 0}, {"panel": 3}, {"any_tag": [1]}, {"all_tags": 3},
        {"rerank": 3}, {"k1": -1}, {"b": 1.5}, {"weights": {"title": 1.0}}, {"weights": {"tags": -1.0}},
    ],
    ids=str,
)  # fmt: skip
def test_an_impossible_option_is_refused_by_name(options):
    with pytest.raises(InvalidInputError) as found:
        RecallOptions(**options)
    assert next(iter(options)) in str(found.value)


def test_the_result_names_the_options_that_were_chosen(store, see, varied):
    found = ask(see(store), "queue", panel="adr", limit=3)
    assert found.options == {"panel": "adr", "limit": 3}
    assert "from base.posting_rows" in found.sql
    assert found.to_pandas()["id"].tolist() == ids(found)


# -- checks ---------------------------------------------------------------------------------------------------------


def damage_missing(store, path):
    path.unlink()


def damage_json(store, path):
    path.write_bytes(path.read_bytes()[:-5])


def damage_question(store, path):
    path.write_bytes(path.read_bytes().replace(b"Which queue", b"Whose queue"))


def damage_project(store, path):
    path.write_bytes(path.read_bytes().replace(store.paths.project_path.encode(), b"/somewhere/else"))


def damage_id(store, path):
    path.write_bytes(path.read_bytes().replace(path.stem.encode(), b"0" * 32))


DAMAGE = {
    "the file is gone": (damage_missing, "missing-file"),
    "it cannot be parsed": (damage_json, "damaged"),
    "it asks another question": (damage_question, "damaged"),
    "it belongs to another project": (damage_project, "foreign"),
    "it has another id": (damage_id, "damaged"),
}


@pytest.mark.parametrize("kind", DAMAGE.values(), ids=DAMAGE.keys())
@pytest.mark.parametrize("where", ["in a segment", "in the tail"])
@pytest.mark.parametrize("warm", [True, False], ids=["seen before", "not seen before"])
def test_a_hit_that_is_no_longer_what_was_indexed_is_skipped_said_and_filled_in(store, see, kind, where, warm):
    damage, cause = kind
    made = put(store, *(new(f"Which queue {i}?", "queue") for i in range(6)))
    if where == "in a segment":
        absorb(store, minimum=1)
    catalog = see(store)
    if warm:
        ask(catalog, "queue", limit=5)
    damage(store, store.paths.entry_file(made[2]))
    found = ask(catalog, "queue", limit=5)
    assert sorted(ids(found)) == sorted(set(made) - {made[2]})
    assert [hit.rank for hit in found] == [1, 2, 3, 4, 5]
    assert causes(found)[cause].ids == (made[2],)
    (warning,) = found.warnings
    assert made[2] in warning
    assert "\n" not in warning


def test_any_number_of_vanished_files_is_filled_in(store, see):
    made = put(store, *(new("Which queue?", "queue", days_ago=100 - i) for i in range(60)))
    catalog = see(store)
    for entry_id in made[15:]:
        store.paths.entry_file(entry_id).unlink()
    found = ask(catalog, "queue", limit=10)
    assert ids(found) == made[14:4:-1]
    assert causes(found)["missing-file"].count == 45
    assert len(causes(found)["missing-file"].ids) == 20


def test_an_entry_that_changed_and_still_asks_the_same_is_shown_as_it_is(store, see):
    (made,) = put(store, new("Which queue?", "old words here"))
    catalog = see(store)
    assert ask(catalog, "words")[0].fragments[0].text == "old words here"
    path = store.paths.entry_file(made)
    path.write_bytes(path.read_bytes().replace(b"old words here", b"new words here, longer"))
    (hit,) = ask(catalog, "words")
    assert hit.fragments[0].text == "new words here, longer"


def test_eight_threads_recall_at_once(store, see):
    put(store, *(new(f"Which queue {i}?", "queue") for i in range(30)))
    absorb(store, minimum=1)
    catalog = see(store)
    expected = ids(ask(catalog, "queue 7"))
    failures = []

    def work():
        try:
            for _ in range(6):
                assert ids(ask(catalog, "queue 7")) == expected
                assert len(ask(catalog, "queue", panel="consensus")) == 20
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_entry_is_recalled_through_a_link_that_was_repointed(root, tmp_path, clock, see):
    (tmp_path / "real").mkdir()
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    store = open_store(root, link, clock)
    (made,) = put(store, new("Which queue?"))
    link.unlink()
    link.symlink_to(tmp_path / "elsewhere")
    assert ids(ask(see(open_store(root, tmp_path / "real", clock)), "queue")) == [made]
