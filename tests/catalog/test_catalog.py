"""A catalog shows what the stores hold: from segments and tail, own writes at once, others' after a refresh."""

import datetime as dt
import threading

import pytest

from memkit.errors import UsageError
from memkit.model.entry import Source
from memkit.snapshot.absorbing import absorb
from memkit.store import index
from memkit.store.verify import verify
from tests.stores import NOW, new, open_store, put


def ids(catalog, where="true", view="entries"):
    rows = catalog.sql(f"select entry_id from {view} where {where} order by stored_at, entry_id", as_of=NOW).rows
    return [row["entry_id"] for row in rows]


def fill(store, n, start=0):
    return put(store, *(new(f"Which queue {i}?", f"word{i} rests") for i in range(start, start + n)))


def words(catalog):
    return catalog.sql(
        "select term, entry_id, tf_question, tf_synthesis, len_synthesis from postings order by all", as_of=NOW
    ).rows


@pytest.mark.parametrize("how", ["tail only", "segments only", "segments and tail", "many segments"])
def test_the_views_show_the_same_wherever_rows_come_from(store, see, how):
    made = fill(store, 30)
    if how == "tail only":
        expected = None
    elif how == "segments only":
        absorb(store, minimum=1)
    elif how == "segments and tail":
        absorb(store, minimum=1)
        made += fill(store, 5, start=30)
    else:
        for i in range(4):
            absorb(store, minimum=1)
            made += fill(store, 20 - 5 * i, start=30 + 30 * i)
        absorb(store, minimum=1)
    expected = words(see(store))
    catalog = see(store)
    assert sorted(ids(catalog)) == sorted(made)
    assert words(catalog) == expected
    with catalog.sight() as sight:
        sight.postings()
    assert sorted(ids(catalog)) == sorted(made)
    assert words(catalog) == expected
    with catalog.sight() as sight:
        assert sight.scope.n_live == sight.scope.n_entries == len(made)
        assert sight.frequencies(["queue", "word3", "zebra"]) == {"queue": len(made), "word3": 1, "zebra": 0}


def test_own_writes_are_seen_at_the_next_question_and_cost_nothing_until_then(store, see, monkeypatch):
    fill(store, 3)
    catalog = see(store)
    receipts = store.store_many([new("Which topic?")])
    reads = []
    monkeypatch.setattr(store, "read_entry", reads.append)
    catalog.apply([receipt.entry for receipt in receipts])
    assert len(ids(catalog)) == 4
    assert reads == []
    catalog.refresh()
    assert len(ids(catalog)) == 4


def test_what_others_store_is_seen_after_a_refresh(store, see, root, project, clock):
    fill(store, 3)
    catalog = see(store)
    fill(open_store(root, project, clock), 2, start=3)
    assert len(ids(catalog)) == 3
    catalog.refresh()
    assert len(ids(catalog)) == 5


def test_a_rewritten_index_is_read_again(store, see):
    made = fill(store, 4)
    catalog = see(store)
    store.paths.entry_file(made[1]).unlink()
    with store.index_lock.held("test") as held:
        lines = [
            line + b"\n"
            for line in store.paths.index.read_bytes().split(b"\n")
            if line and made[1].encode() not in line
        ]
        index.rewrite(store.paths, held, lines, wait_seconds=1)
    assert len(ids(catalog)) == 4
    catalog.refresh()
    assert ids(catalog) == [made[0], *made[2:]]


def test_an_index_another_tool_rewrote_without_a_word_is_read_again(store, see):
    made = fill(store, 4)
    catalog = see(store)
    lines = store.paths.index.read_bytes().splitlines(keepends=True)
    store.paths.index.write_bytes(b"".join(lines[1:]))
    catalog.refresh()
    assert ids(catalog) == made[1:]


def test_a_missing_index_changes_nothing_that_is_seen(store, see):
    made = fill(store, 20)
    absorb(store, minimum=1)
    before = words(see(store))
    store.paths.index.unlink()
    catalog = see(store)
    assert sorted(ids(catalog)) == sorted(made)
    assert words(catalog) == before
    catalog.refresh()
    assert sorted(ids(catalog)) == sorted(made)


def test_a_damaged_snapshot_is_passed_over_and_said(store, see):
    made = fill(store, 20)
    absorb(store, minimum=1)
    for path in store.paths.snapshots.glob("postings-*"):
        path.write_bytes(b"no parquet")
    catalog = see(store)
    assert sorted(ids(catalog)) == sorted(made)
    assert [problem.code for problem in catalog.problems] == ["snapshot-segment-damaged"]


def test_a_snapshot_swept_under_an_open_catalog_changes_nothing(store, see):
    made = fill(store, 20)
    absorb(store, minimum=1)
    catalog = see(store)
    made += fill(store, 20, start=20)
    absorb(store, minimum=1)
    assert set(ids(catalog)) in (set(made[:20]), set(made))
    for path in store.paths.snapshots.iterdir():
        path.unlink()
    catalog.apply([])
    assert sorted(ids(catalog)) == sorted(made)


def test_damaged_lines_and_unreadable_files_are_rows_of_the_quarantine(store, see):
    made = fill(store, 6)
    with store.paths.index.open("ab") as file:
        file.write(b"{broken\n")
    store.paths.entry_file(made[1]).unlink()
    store.paths.entry_file(made[2]).write_bytes(b"[]")
    store.paths.entry_file(made[3]).write_bytes(b'{"schemaVersion": 99, "id": "%s"}' % made[3].encode())
    catalog = see(store)
    rows = catalog.sql(
        "select code, file, entry_id, start_byte, end_byte from quarantine order by code, file", as_of=NOW
    ).rows
    assert [(row["code"], row["entry_id"]) for row in rows] == [
        ("damaged-entry", made[2]), ("damaged-line", None), ("missing-file", made[1]),
    ]  # fmt: skip
    assert rows[1]["end_byte"] - rows[1]["start_byte"] == len(b"{broken\n")
    assert ids(catalog) == [made[0], *made[3:]]
    (newer,) = catalog.sql("select * from entries where problem is not null", as_of=NOW).rows
    assert (newer["entry_id"], newer["problem"], newer["is_live"], newer["question"]) == (
        made[3],
        "newer-schema",
        False,
        "Which queue 3?",
    )
    seen = catalog.sql(
        "select (select count(*) from entries) + (select count(*) from quarantine) as n", as_of=NOW
    ).rows[0]["n"]
    assert seen == len([line for line in store.paths.index.read_bytes().split(b"\n") if line])
    assert {problem.code for problem in verify(store)} >= {"damaged-line"}


@pytest.mark.parametrize("absorbed", [True, False], ids=["in a segment", "in the tail"])
def test_a_file_that_was_put_back_is_read_again_at_the_next_refresh(store, see, absorbed):
    made = fill(store, 6)
    path = store.paths.entry_file(made[2])
    kept = path.read_bytes()
    path.unlink()
    if absorbed:
        absorb(store, minimum=1)
    catalog = see(store)
    assert made[2] not in ids(catalog)
    path.write_bytes(kept)
    catalog.refresh()
    assert made[2] in ids(catalog)
    assert catalog.sql("select count(*) as n from quarantine", as_of=NOW).rows == [{"n": 0}]
    assert catalog.sql("select count(*) as n from postings where term = 'word2'", as_of=NOW).rows == [{"n": 1}]
    catalog.refresh()
    assert len(ids(catalog)) == 6
    assert len(ids(see(store))) == 6


@pytest.mark.parametrize("absorbed", [True, False], ids=["in a segment", "in the tail"])
def test_a_replaced_edition_is_shown_as_such_and_leaves_words_and_decisions(store, see, absorbed):
    old, other = put(
        store, new("Which queue?", "alpha beta", panel="adr", source=Source("adr", "a.md", "0" * 64)), new()
    )
    if absorbed:
        absorb(store, minimum=1)
    catalog = see(store)
    assert old in ids(catalog, view="decisions")
    (edition,) = put(
        store, new("Which queue?", "alpha gamma", panel="adr", replaces=old, source=Source("adr", "a.md", "1" * 64))
    )
    catalog.refresh()
    rows = catalog.sql("select entry_id, is_live, replaced_by, replaces from entries", as_of=NOW).rows
    by_id = {row["entry_id"]: row for row in rows}
    assert (by_id[old]["is_live"], by_id[old]["replaced_by"]) == (False, edition)
    assert (by_id[edition]["is_live"], by_id[edition]["replaces"]) == (True, old)
    assert ids(catalog, view="decisions") == [other, edition] or set(ids(catalog, view="decisions")) == {other, edition}
    terms = {row["term"] for row in words(catalog) if row["entry_id"] == old}
    assert terms == set()
    with catalog.sight() as sight:
        assert sight.frequencies(["alpha", "beta", "gamma"]) == {"alpha": 1, "beta": 0, "gamma": 1}
        assert sight.scope.n_live == 2
    for held in (False, True):
        again = see(store)
        if held:
            with again.sight() as sight:
                sight.postings()
                assert sight.frequencies(["alpha", "beta"]) == {"alpha": 1, "beta": 0}
        assert words(again) == words(catalog)


def test_several_projects_stand_side_by_side(store, see, root, tmp_path, clock):
    other = open_store(root, tmp_path / "other", clock)
    fill(store, 3)
    fill(other, 2)
    absorb(other, minimum=1)
    catalog = see(store, other)
    rows = catalog.sql(
        "select project_key, project_path, n_entries, n_live from projects order by n_entries", as_of=NOW
    ).rows
    assert [(row["project_key"], row["n_entries"], row["n_live"]) for row in rows] == [
        (other.paths.key, 2, 2),
        (store.paths.key, 3, 3),
    ]
    assert len(ids(catalog)) == 5
    fill(other, 1, start=9)
    catalog.refresh()
    assert len(ids(catalog)) == 6
    catalog.apply([receipt.entry for receipt in store.store_many([new()])])
    assert len(ids(catalog)) == 7


def test_ages_count_to_the_moment_asked_about(store, see):
    put(store, new(days_ago=10))
    catalog = see(store)
    for view in ("entries", "decisions"):
        for days in (0, 90):
            rows = catalog.sql(f"select age_days from {view}", as_of=NOW + dt.timedelta(days=days)).rows
            assert rows[0]["age_days"] == pytest.approx(10 + days)


def test_times_are_utc(store, see):
    put(store, new(days_ago=1))
    (row,) = see(store).sql("select stored_at, stored_at::varchar as text from entries", as_of=NOW).rows
    assert row["stored_at"] == NOW - dt.timedelta(days=1)
    assert row["text"] == "2026-11-29 12:00:00+00"


def test_a_root_with_characters_of_patterns_is_taken_literally(tmp_path, see, clock):
    made = {}
    for name in ("a[x]b*?'c", "axbzz'c"):
        (tmp_path / name).mkdir()
        store = open_store(tmp_path / name, tmp_path / "project", clock)
        made[name] = (store, fill(store, 3 if "[" in name else 5))
        absorb(store, minimum=1)
    for store, expected in made.values():
        assert sorted(ids(see(store))) == sorted(expected)


def test_eight_threads_ask_and_store_at_once(store, see):
    fill(store, 20)
    catalog = see(store)
    failures = []

    def ask():
        try:
            for _ in range(8):
                assert len(ids(catalog)) >= 20
                with catalog.sight() as sight:
                    assert sight.frequencies(["queue"])["queue"] >= 20
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for i in range(4):
        catalog.apply([receipt.entry for receipt in store.store_many([new(f"Which queue 9{i}?")])])
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(ids(catalog)) == 24


def test_a_closed_catalog_says_so(store, see):
    catalog = see(store)
    catalog.close()
    catalog.close()
    with pytest.raises(UsageError, match="closed"):
        catalog.sql("select 1", as_of=NOW)


def test_an_empty_store_has_every_view(store, see):
    catalog = see(store)
    for view in ("entries", "decisions", "tripwires", "postings", "quarantine"):
        assert len(catalog.sql(f"select * from {view}", as_of=NOW)) == 0
    (row,) = catalog.sql("select * from projects", as_of=NOW).rows
    assert (row["n_entries"], row["project_path"]) == (0, store.paths.project_path)


def test_shipped_views_have_no_decimal_and_no_hugeint(store, see):
    fill(store, 2)
    catalog = see(store)
    for view in ("entries", "decisions", "tripwires", "postings", "quarantine", "projects"):
        for field in catalog.sql(f"select * from {view}", as_of=NOW).data.schema:
            assert "decimal" not in str(field.type), (view, field)


def test_every_tripwire_is_a_row(store, see):
    put(store, new(panel="adr", tripwires=["load doubles", "team leaves"]), new(panel="review", tripwires=["never"]))
    rows = see(store).sql("select ordinal, text, verdict from tripwires order by ordinal", as_of=NOW).rows
    assert [(row["ordinal"], row["text"], row["verdict"]) for row in rows] == [
        (1, "load doubles", "unknown"),
        (2, "team leaves", "unknown"),
    ]


def test_only_decision_panels_make_decisions(store, see):
    a, b = put(store, new(panel="adr"), new(panel="review"))
    assert ids(see(store), view="decisions") == [a]
    assert ids(see(store, decision_panels=["review"]), view="decisions") == [b]


def test_damage_that_others_leave_is_seen_after_a_refresh_even_without_a_new_entry(store, see):
    fill(store, 3)
    catalog = see(store)
    with store.paths.index.open("ab") as file:
        file.write(b"{broken\n")
    catalog.refresh()
    assert catalog.sql("select code from quarantine", as_of=NOW).rows == [{"code": "damaged-line"}]
    catalog.refresh()
    assert len(catalog.sql("select * from quarantine", as_of=NOW)) == 1
