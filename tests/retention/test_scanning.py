"""Looking into every byte of a store."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from memkit.errors import InvalidInputError, UsageError
from memkit.retention import scanning
from memkit.snapshot.absorbing import absorb
from memkit.store.traces import OWN_WORDS, Sifting, Traces, texts_in, unescaped, words_in
from memkit.testing import temp_memory_root

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        memory.store(question="Which queue?", result={"conclusion": "Keep PostgreSQL."})
        yield memory


def place(path, data):
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(data)
    path.chmod(0o600)


def test_a_sound_store_holds_no_secrets(mem):
    absorb(mem._store, minimum=1)
    found = mem.scan(secrets=True)
    assert found.is_clean
    assert found.n_rows == 7
    assert found.n_files >= 7


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("results/0123456789ab.json", json.dumps({"result": {"deep": [{"note": f"use {TOKEN} here"}]}})),
        ("_logs/memory-2026-01-01.log", json.dumps({"query": TOKEN}) + "\n"),
        ("memory/lesson.md", f"# Lesson\n\nThe token is {TOKEN}.\n"),
        ("quarantine/spot.bin", f'{{"torn": "{TOKEN}'),
        ("whatever", f"\x00\x01{TOKEN}\x00"),
    ],
    ids=["entry", "log", "record", "damaged", "stray"],
)
def test_a_secret_is_found_in_any_file_and_shown_masked(mem, file, data):
    place(mem.paths.folder / file, data.encode())
    found = mem.scan(secrets=True)
    assert not found.is_clean
    assert {each.file for each in found.found} == {file}
    assert all(each.masked.startswith("gh…") for each in found.found)
    assert TOKEN not in json.dumps(found.to_dict())


def test_a_secret_is_found_by_its_name_and_where_scrubbing_is_off(mem):
    mem._store.scrubber.enabled = False
    mem.store(question="x", result={"config": {"password": "c0rrect-h0rse-battery"}})
    assert not mem._store.scrubber.enabled
    (spot,) = mem.scan(secrets=True).found
    assert spot.where.startswith("result.config.password at byte ")
    assert spot.masked == "c0… (21 characters)"


def test_parquet_is_decoded(mem):
    words = pa.array(["nothing", "xylophone marimba", None, "xylophone marimba"]).dictionary_encode()
    table = pa.table({"words": words, "lists": [["a"], ["the xylophone marimba"], None, []], "n": [1, 2, 3, 4]})
    mem.paths.snapshots.mkdir(mode=0o700, exist_ok=True)
    pq.write_table(table, mem.paths.snapshots / "old.parquet", compression="zstd", row_group_size=2)
    found = mem.scan(text="Xylophone Marimba")
    where = {each.where for each in found.found if " of " in each.where}
    assert where == {"row 1 of words", "row 3 of words", "row 1 of lists"}
    assert found.n_rows == 4


def test_parquet_that_cannot_be_decoded_is_named(mem):
    place(mem.paths.snapshots / "broken.parquet", b"PAR1 nonsense")
    found = mem.scan(text="nonsensical")
    assert found.unreadable == ("snapshots/broken.parquet",)
    assert not found.is_clean


@pytest.mark.parametrize(
    ("text", "n"),
    [("keep postgresql", 1), ("KEEP PostgreSQL", 1), ("Which queue?", 2), ("nowhere to be found", 0)],
)
def test_a_text_is_found_in_whatever_case(mem, text, n):
    assert mem.scan(text=text).n_found == n


def test_a_text_is_found_behind_the_escapes_of_json(mem):
    place(mem.paths.firings, b'{"query": "gr\\u00f6\\u00dfe \\"zitiert\\" und\\nmehr"}\n')
    assert mem.scan(text='Größe "zitiert"').n_found == 1


def test_one_thing_is_looked_for_at_a_time(mem):
    for words in ({}, {"text": "abc", "secrets": True}):
        with pytest.raises(UsageError):
            mem.scan(**words)
    for text in ("ab", " " * 9, "x" * 1001):
        with pytest.raises(InvalidInputError):
            mem.scan(text=text)


def test_a_large_file_is_read_in_pieces_and_a_word_on_their_border_is_found(mem, monkeypatch):
    monkeypatch.setattr(scanning, "PIECE_BYTES", 1000)
    monkeypatch.setattr(scanning, "OVERLAP_BYTES", 50)
    for at in (0, 980, 995, 1000, 1990, 5000):
        place(mem.paths.folder / "large", b" " * at + b"xylophone" + b" " * 6000)
        place(
            mem.paths.folder / "_logs" / "memory-2026-01-01.log",
            b"{}\n" * (at // 3) + b'{"a":"marimba"}\n' + b"{}\n" * 900,
        )
        (spot,) = mem.scan(text="xylophone").found
        assert spot.where == f"byte {at:,}"
        assert mem.scan(text="marimba").n_found == 1
    sizes = [len(data) for _, data in scanning.pieces(mem.paths.folder / "large")]
    assert max(sizes) <= 1050


def test_only_so_many_spots_are_told_and_the_others_counted(mem, monkeypatch):
    monkeypatch.setattr(scanning, "MAX_FINDINGS", 3)
    place(mem.paths.folder / "many", b"xylophone " * 10)
    found = mem.scan(text="xylophone")
    assert (len(found.found), found.n_found) == (3, 10)


def test_a_scan_changes_nothing(mem):
    files = {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()}
    mem.scan(secrets=True)
    mem.scan(text="queue")
    assert {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()} == files


# -- traces -----------------------------------------------------------------------------------------------------------


def test_words_are_the_same_in_json_and_in_plain_text():
    for text in ('a "quoted" word', "line\nnext\ttab", "C:\\new\\table", "Größe", "emoji 😀 here"):
        for ascii_only in (True, False):
            assert words_in(unescaped(json.dumps(text, ensure_ascii=ascii_only).encode())) == words_in(text.encode())


def test_fragments_are_what_no_other_entry_says():
    sifting = Sifting("0" * 32, ["the quick brown ferret jumps over 123456789", "Conclusion: marlinspikes"])
    sifting.compare(b'{"question": "the QUICK brown\\nferret", "result": {}}')
    traces = sifting.traces()
    assert traces.words == {b"jumps", b"123456789", b"marlinspikes"}
    assert traces.are_in("A Marlinspikes!")
    assert not traces.are_in("the quick brown ferret")
    assert traces.buried_in(b"\x00xmarlinspikes") == [b"marlinspikes"]


def test_what_another_says_in_another_order_is_told_by_the_sequence():
    sifting = Sifting("0" * 32, ["alpha beta gamma delta epsilon zeta"])
    sifting.compare(b"zeta epsilon delta gamma beta alpha")
    traces = sifting.traces()
    assert not traces.words
    assert traces.are_in("so: Alpha, beta gamma - delta epsilon zeta.")
    assert not traces.are_in("zeta epsilon delta gamma beta alpha")
    assert len(Traces("0" * 32)) == 0


def test_the_words_of_memkits_own_files_are_no_fragments():
    from memkit.snapshot.rows import entry_schema, posting_schema

    names = words_in(" ".join([*entry_schema().names, *posting_schema().names]).encode())
    assert {name for name in names if len(name) >= 4} <= OWN_WORDS
    assert not Sifting("0" * 32, ["Question: conclusion, synthesis"]).traces()


def test_texts_of_a_result_are_all_taken():
    value = {"a": ["x", {"key": "y"}], "n": 1234567, "small": 12, "yes": True, "none": None}
    assert list(texts_in(value)) == ["a", "x", "key", "y", "n", "1234567", "small", "yes", "none"]
