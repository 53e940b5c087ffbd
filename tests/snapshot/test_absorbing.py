"""A tail becomes a segment: in O(k), under the index lock, and never in anybody's way."""

import itertools
import json
import os
import threading

import pyarrow.parquet as pq
import pytest

from memkit.catalog.catalog import Catalog
from memkit.errors import StoreIOError, StorePermissionError
from memkit.opening import open_memory
from memkit.snapshot import absorbing, segments
from memkit.snapshot.absorbing import absorb
from memkit.snapshot.manifest import parse_manifest
from memkit.snapshot.reading import open_snapshot
from memkit.snapshot.rows import word_of
from memkit.snapshot.words import open_words
from memkit.store import durable, index
from memkit.store.lock import Lock
from memkit.store.verify import verify
from tests.stores import new, open_store, put


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


def fill(store, n, start=0):
    return put(store, *(new(f"Which queue {i}?", f"word{i} stays in row {i % 7}") for i in range(start, start + n)))


def rewrite(store):
    with store.index_lock.held("test") as held:
        index.rewrite(store.paths, held, [store.paths.index.read_bytes()], wait_seconds=1)


def manifest_of(store):
    return open_snapshot(store.paths).manifest


def names(store):
    return set(os.listdir(store.paths.snapshots)) if store.paths.snapshots.exists() else set()


def test_a_short_tail_is_left_to_be_read_from_the_store(store):
    fill(store, 20)
    assert absorb(store).entries == 0
    assert names(store) == set()
    assert absorb(store, minimum=20).entries == 20


def test_an_empty_store_gets_no_folder(store):
    assert absorb(store).entries == 0
    assert not store.exists


def test_a_segment_holds_what_the_manifest_says_it_holds(store):
    ids = fill(store, 30)
    done = absorb(store, minimum=10)
    assert (done.entries, done.segments) == (30, 1)
    manifest = manifest_of(store)
    assert manifest.live == manifest.n_docs == 30
    assert manifest.covered == store.paths.index.stat().st_size
    for file in manifest.files:
        path = store.paths.snapshots / file.name
        assert path.stat().st_size == file.size
        n = len(open_words(path).words) if path.suffix == ".arrow" else pq.read_metadata(path).num_rows
        assert n == file.rows
        assert path.stat().st_mode & 0o777 == 0o600
    entries = pq.read_table(store.paths.snapshots / manifest.segments[0].entries.name)
    assert entries.column("entry_id").to_pylist() == ids
    postings = pq.read_table(store.paths.snapshots / manifest.segments[0].postings.name)
    keys = list(zip(postings.column("word").to_pylist(), postings.column("doc").to_pylist(), strict=True))
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)
    assert verify(store) == []


def test_only_what_is_new_is_read_when_more_is_absorbed(store, monkeypatch):
    fill(store, 40)
    absorb(store, minimum=10)
    fill(store, 10, start=40)
    read = []
    real = store.read_entry
    monkeypatch.setattr(store, "read_entry", lambda entry_id: read.append(entry_id) or real(entry_id))
    merged = []
    monkeypatch.setattr(absorbing, "read_rows", lambda *a: merged.append(a) or segments.read_rows(*a))
    assert absorb(store, minimum=10).entries == 10
    assert len(read) == 10
    assert merged == []
    assert [s.n_docs for s in manifest_of(store).segments] == [40, 10]


def test_segments_stay_few_and_rows_are_rewritten_about_log_n_times(store, monkeypatch):
    written = []
    real = absorbing.write_segment
    monkeypatch.setattr(
        absorbing,
        "write_segment",
        lambda paths, rows, fresh, **more: written.append(rows.entries.num_rows) or real(paths, rows, fresh, **more),
    )
    for i in range(32):
        fill(store, 4, start=4 * i)
        absorb(store, minimum=4)
    sizes = [segment.n_docs for segment in manifest_of(store).segments]
    assert sum(sizes) == 128
    assert len(sizes) <= 7
    assert all(older >= 2 * newer for older, newer in itertools.pairwise(sizes))
    assert sum(written) <= 128 * 8
    entries = [
        row
        for segment in manifest_of(store).segments
        for row in pq.read_table(store.paths.snapshots / segment.entries.name, columns=["doc"])
        .column("doc")
        .to_pylist()
    ]
    assert entries == list(range(128))


def test_a_merge_keeps_every_posting_in_order(store):
    for i in range(4):
        fill(store, 8, start=8 * i)
        absorb(store, minimum=8)
    (segment,) = manifest_of(store).segments
    merged = pq.read_table(store.paths.snapshots / segment.postings.name).to_pylist()
    keys = [(row["word"], row["doc"]) for row in merged]
    assert keys == sorted(keys)
    assert {doc for word, doc in keys if word == word_of("queue")} == set(range(32))
    assert [doc for word, doc in keys if word == word_of("word17")] == [17]


def test_leftovers_and_replaced_segments_are_swept_and_foreign_files_stay(store):
    fill(store, 10)
    absorb(store, minimum=10)
    before = names(store)
    (store.paths.snapshots / f"entries-{'0' * 16}.parquet").write_bytes(b"left by a crash")
    (store.paths.snapshots / ".postings.1-2.tmp").write_bytes(b"left by a crash")
    (store.paths.snapshots / "notes.parquet").write_bytes(b"somebody's")
    fill(store, 10, start=10)
    absorb(store, minimum=10)
    after = names(store)
    assert after & before == {"manifest.json"}
    assert after == {"manifest.json", "notes.parquet"} | {file.name for file in manifest_of(store).files}


def test_a_segment_is_not_published_once_the_index_was_rewritten(store, monkeypatch):
    fill(store, 12)
    real = absorbing.index_fingerprint

    def meanwhile(paths, end):
        rewrite(store)
        return real(paths, end)

    monkeypatch.setattr(absorbing, "index_fingerprint", meanwhile)
    done = absorb(store, minimum=10)
    assert done.entries == 0
    assert "rewritten" in done.reason
    assert names(store) == set()


def test_a_full_disk_leaves_the_old_snapshot_and_no_new_file(store, monkeypatch):
    fill(store, 12)
    absorb(store, minimum=10)
    before = names(store)
    fill(store, 30, start=12)
    real = durable.replace

    def fail_for_the_manifest(path, data):
        if path.name == "manifest.json":
            raise StoreIOError("disk", file=path)
        real(path, data)

    monkeypatch.setattr(durable, "replace", fail_for_the_manifest)
    done = absorb(store, minimum=10)
    assert done.entries == 0
    assert "disk" in done.reason
    assert names(store) == before
    assert manifest_of(store).n_docs == 12


def test_it_never_waits_for_another_process_that_absorbs(store):
    fill(store, 12)
    with Lock(store.paths.snapshot_lock, 0).held("other"):
        done = absorb(store, minimum=10)
    assert done.entries == 0
    assert "another process" in done.reason


def test_a_store_that_cannot_be_written_is_left_alone(store, monkeypatch):
    fill(store, 12)

    def refuse(path, **_):
        raise StorePermissionError("read-only", file=path)

    monkeypatch.setattr(durable, "open_lock", refuse)
    done = absorb(store, minimum=10)
    assert done.entries == 0
    assert "read-only" in done.reason


def test_a_snapshot_that_no_longer_counts_is_removed(store):
    fill(store, 12)
    absorb(store, minimum=10)
    rewrite(store)
    absorb(store, minimum=100)
    assert names(store) == set()


def test_a_snapshot_of_a_newer_memkit_is_neither_used_nor_touched(store):
    fill(store, 12)
    absorb(store, minimum=10)
    raw = json.loads(store.paths.manifest.read_bytes())
    raw["rows"] += 1
    store.paths.manifest.write_bytes(json.dumps(raw).encode())
    before = names(store)
    assert absorb(store, minimum=10).entries == 0
    assert names(store) == before
    assert open_snapshot(store.paths).manifest is None


def test_entries_that_cannot_be_read_get_a_row_that_says_so(store):
    ids = fill(store, 12)
    store.paths.entry_file(ids[3]).unlink()
    store.paths.entry_file(ids[4]).write_bytes(b"{}")
    store.paths.entry_file(ids[5]).write_bytes(b'{"schemaVersion": 99, "id": "%s"}' % ids[5].encode())
    absorb(store, minimum=10)
    manifest = manifest_of(store)
    assert (manifest.n_docs, manifest.live) == (12, 9)
    rows = pq.read_table(store.paths.snapshots / manifest.segments[0].entries.name).to_pylist()
    assert [row["problem"] for row in rows[3:6]] == ["missing-file", "damaged-entry", "newer-schema"]
    assert rows[3]["question"] == "Which queue 3?"


def test_a_repeated_line_is_absorbed_once(store):
    fill(store, 12)
    absorb(store, minimum=10)
    line = store.paths.index.read_bytes().split(b"\n")[2]
    fill(store, 9, start=12)
    with store.paths.index.open("ab") as file:
        file.write(line + b"\n")
    absorb(store, minimum=10)
    assert manifest_of(store).n_docs == 21


def test_readers_and_absorbers_get_along(store):
    fill(store, 20)
    failures = []

    def look():
        for _ in range(40):
            found = open_snapshot(store.paths)
            if found.problems:
                failures.append(found.problems)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(6):
        absorb(store, minimum=1)
        fill(store, 10 * (i + 1), start=1000 * (i + 1))
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_manifest_survives_its_own_reading(store):
    fill(store, 12)
    with store.paths.index.open("ab") as file:
        file.write(b"no json\n")
    absorb(store, minimum=10)
    manifest = manifest_of(store)
    assert parse_manifest(manifest.to_bytes(), store.paths.key) == manifest
    assert [problem.code for problem in manifest.damaged] == ["damaged-line"]


def test_a_long_tail_is_taken_piece_by_piece_each_published_by_itself(store, monkeypatch):
    ids = fill(store, 200)
    monkeypatch.setattr(absorbing, "PIECE_BYTES", store.paths.index.stat().st_size // 5)
    seen = []
    covered = []
    replace = durable.replace
    monkeypatch.setattr(durable, "replace", lambda path, data: (covered.append(path), replace(path, data)))
    done = absorb(store, minimum=1, progress=seen.append)
    assert done.entries == sum(seen) == 200
    assert covered.count(store.paths.manifest) == len(seen) >= 5
    manifest = manifest_of(store)
    assert (manifest.covered, manifest.live) == (store.paths.index.stat().st_size, 200)
    found = [
        row
        for segment in manifest.segments
        for row in pq.read_table(store.paths.snapshots / segment.entries.name).column("entry_id").to_pylist()
    ]
    assert found == ids


def test_what_was_taken_before_an_interruption_stays(store, monkeypatch):
    fill(store, 200)
    monkeypatch.setattr(absorbing, "PIECE_BYTES", store.paths.index.stat().st_size // 5)

    def stop(n):
        if manifest_of(store):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        absorb(store, minimum=10, progress=stop)
    before = manifest_of(store)
    assert 0 < before.live < 200
    assert {file.name for file in before.files} | {"manifest.json"} == names(store)
    assert absorb(store, minimum=1).entries == 200 - before.live
    assert manifest_of(store).live == 200


def test_a_line_longer_than_a_piece_is_read_whole(store, monkeypatch):
    fill(store, 40)
    monkeypatch.setattr(absorbing, "PIECE_BYTES", 10)
    assert absorb(store, minimum=1).entries == 40
    assert manifest_of(store).covered == store.paths.index.stat().st_size


def test_a_segment_ends_when_its_entries_hold_many_characters(store, monkeypatch):
    fill(store, 60)
    monkeypatch.setattr(absorbing, "CHUNK_CHARS", 1_000)
    monkeypatch.setattr(segments, "MAX_SEGMENT_POSTINGS", 0)
    absorb(store, minimum=1)
    apart = manifest_of(store).segments
    assert len(apart) >= 2
    assert sum(segment.entries.rows for segment in apart) == 60
    rewrite(store)
    monkeypatch.setattr(segments, "MAX_SEGMENT_POSTINGS", 10**6)
    absorb(store, minimum=1)
    assert len(manifest_of(store).segments) < len(apart)


def test_a_text_that_stands_in_another_column_is_kept_once(store):
    put(store, new("Which queue?", "plain prose"), new("And then?", "Prose.\n\n## Decision\n\nThe short one."))
    absorb(store, minimum=1)
    (segment,) = manifest_of(store).segments
    rows = pq.read_table(store.paths.snapshots / segment.entries.name).to_pylist()
    assert [(row["title"], row["conclusion"], row["summary"]) for row in rows] == [
        (None, None, "plain prose"),
        (None, "The short one.", None),
    ]
    catalog = Catalog([store], temp_directory=None)
    with catalog:
        assert catalog.sql(
            "select title, summary from entries order by stored_at, entry_id", as_of=store.clock.now()
        ).rows == [
            {"title": "Which queue?", "summary": "plain prose"},
            {"title": "And then?", "summary": "The short one."},
        ]


def test_opening_says_how_many_entries_it_takes_into_the_snapshot(root, project, clock):
    fill(open_store(root, project, clock), 300)
    taken = []
    with open_memory(project, root=root, enabled=True, clock=clock, progress=taken.append) as mem:
        assert sum(taken) == 300 == len(mem.list())
    with open_memory(project, root=root, enabled=True, clock=clock, progress=taken.append):
        assert sum(taken) == 300
