"""What is not exactly what the manifest says is not used, and is said."""

import json
import os

import pytest

from memkit.snapshot import reading
from memkit.snapshot.absorbing import absorb
from memkit.snapshot.manifest import ManifestDamage, OtherVersion, parse_manifest
from memkit.snapshot.reading import index_fingerprint, open_snapshot
from tests.stores import new, open_store, put


@pytest.fixture
def store(root, project, clock):
    store = open_store(root, project, clock)
    put(store, *(new(f"Which queue {i}?") for i in range(12)))
    absorb(store, minimum=10)
    return store


def codes(store):
    found = open_snapshot(store.paths)
    assert (found.manifest is None) == bool(found.problems)
    return sorted({problem.code for problem in found.problems})


def segment_file(store, kind):
    (name,) = [name for name in os.listdir(store.paths.snapshots) if name.startswith(kind)]
    return store.paths.snapshots / name


@pytest.mark.parametrize("kind", ["entries", "postings"])
def test_any_flipped_byte_is_noticed(store, kind):
    path = segment_file(store, kind)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    assert codes(store) == ["snapshot-segment-damaged"]


@pytest.mark.parametrize("cut", [0, 1, 100])
def test_a_cut_file_is_noticed(store, cut):
    path = segment_file(store, "postings")
    path.write_bytes(path.read_bytes()[:cut])
    assert codes(store) == ["snapshot-segment-damaged"]


def test_a_missing_file_is_noticed_after_looking_twice(store, monkeypatch):
    segment_file(store, "entries").unlink()
    looks = []
    real = reading._look
    monkeypatch.setattr(reading, "_look", lambda *given: looks.append(1) or real(*given))
    assert codes(store) == ["snapshot-segment-missing"]
    assert len(looks) == 2


def test_a_reader_that_meets_a_sweep_sees_the_new_manifest(store, monkeypatch):
    real = reading.parse_manifest
    once = []

    def parse_then_sweep(data, key):
        manifest = real(data, key)
        if not once:
            once.append(1)
            put(store, *(new(f"Which topic {i}?") for i in range(12)))
            monkeypatch.setattr(reading, "parse_manifest", real)
            absorb(store, minimum=10)
            monkeypatch.setattr(reading, "parse_manifest", parse_then_sweep)
        return manifest

    monkeypatch.setattr(reading, "parse_manifest", parse_then_sweep)
    found = open_snapshot(store.paths)
    assert found.problems == ()
    assert found.manifest.n_docs == 24


LIES = {
    "not json": lambda m: None,
    "another project": lambda m: m | {"project_key": "f" * 12},
    "a name that leaves the folder": lambda m: _named(m, "../index.jsonl"),
    "a name of another kind": lambda m: _named(m, f"postings-{'0' * 16}.parquet"),
    "a gap between segments": lambda m: _segment(m, first_doc=1),
    "fewer document numbers than rows": lambda m: _segment(m, end_doc=11),
    "a negative number": lambda m: m | {"covered": -1},
    "a number as text": lambda m: m | {"generation": "0"},
    "segments as an object": lambda m: m | {"segments": {}},
    "more live than there are": lambda m: m | {"live": 13},
    "no hash": lambda m: _file(m, sha256="x"),
    "a file named twice": lambda m: (
        m | {"segments": [*m["segments"], {**m["segments"][0], "first_doc": 12, "end_doc": 24}]}
    ),
}


def _segment(manifest, **changes):
    return manifest | {"segments": [{**manifest["segments"][0], **changes}]}


def _file(manifest, **changes):
    return _segment(manifest, entries={**manifest["segments"][0]["entries"], **changes})


def _named(manifest, name):
    return _file(manifest, name=name)


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_manifest_that_lies_is_not_followed(store, lie):
    changed = lie(json.loads(store.paths.manifest.read_bytes()))
    data = b"{" if changed is None else json.dumps(changed).encode()
    with pytest.raises(ManifestDamage):
        parse_manifest(data, store.paths.key)
    store.paths.manifest.write_bytes(data)
    assert codes(store) == ["snapshot-manifest-damaged"]


def test_a_manifest_with_other_numbers_is_not_believed(store):
    raw = _file(json.loads(store.paths.manifest.read_bytes()), size=1)
    store.paths.manifest.write_bytes(json.dumps(raw).encode())
    assert codes(store) == ["snapshot-segment-damaged"]


@pytest.mark.parametrize("field", ["format", "rows", "tokens"])
def test_another_version_is_passed_over_without_a_complaint(store, field):
    raw = json.loads(store.paths.manifest.read_bytes())
    raw[field] -= 1
    with pytest.raises(OtherVersion) as found:
        parse_manifest(json.dumps(raw).encode(), store.paths.key)
    assert not found.value.is_newer
    store.paths.manifest.write_bytes(json.dumps(raw).encode())
    assert open_snapshot(store.paths) == reading.Snapshot()


def test_an_index_rewritten_by_another_tool_voids_the_snapshot(store):
    lines = store.paths.index.read_bytes().splitlines(keepends=True)
    store.paths.index.write_bytes(b"".join(lines[1:]) + lines[0])
    assert open_snapshot(store.paths) == reading.Snapshot()


def test_an_index_that_only_grew_keeps_its_fingerprint(store):
    end = store.paths.index.stat().st_size
    before = index_fingerprint(store.paths, end)
    put(store, new("One more?"))
    assert index_fingerprint(store.paths, end) == before
    assert index_fingerprint(store.paths, end * 10) == ""


def test_a_missing_index_voids_the_snapshot(store):
    store.paths.index.unlink()
    assert open_snapshot(store.paths) == reading.Snapshot()


def test_files_the_manifest_does_not_name_are_never_read(store):
    (store.paths.snapshots / f"entries-{'1' * 16}.parquet").write_bytes(b"junk")
    (store.paths.snapshots / "manifest (conflicted copy).json").write_bytes(b"junk")
    assert codes(store) == []
