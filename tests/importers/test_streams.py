"""Files of JSON are read piece by piece: the same items as a parser that holds the whole, and no more memory than one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.importers import streams
from memkit.importers.files import Unreadable
from memkit.importers.streams import are_lines, pieces

ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=12) | st.sampled_from(['"', "\\", "{[", "]}", '\\"', "\u2028", "é", "😀"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
OBJECTS = st.lists(
    st.dictionaries(st.sampled_from(["id", "name", 'a"b', "x\\", "é"]) | st.text(max_size=4), ITEMS, max_size=4),
    max_size=6,
)


def values(path, **options):
    found = list(pieces(path, **options))
    assert [p.damage for p in found if p.damage] == []
    return [(p.key, p.value) for p in found]


@pytest.fixture
def small_chunks(monkeypatch):
    """Chunks of a few bytes, and every document large: the brackets are followed across every boundary."""

    def choose(chunk, item=400):
        monkeypatch.setattr(streams, "CHUNK", chunk)
        monkeypatch.setattr(streams, "MAX_ITEM_BYTES", item)

    return choose


@given(OBJECTS, OBJECTS, st.integers(1, 40), st.booleans(), st.sampled_from([None, 1]))
def test_a_document_gives_the_items_of_its_lists_whatever_the_chunks(
    tmp_path_factory, first, second, chunk, ascii_only, indent
):
    path = tmp_path_factory.mktemp("d") / "a.json"
    document = {"about": {"results": [1]}, "results": first, "n": [3, "]"], "others": [{"x": 1}], "more": second}
    path.write_text(json.dumps(document, ensure_ascii=ascii_only, indent=indent), "utf-8")
    wanted = [("results", item) for item in first] + [("more", item) for item in second]
    assert values(path, lists=("results", "more")) == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "CHUNK", chunk)
        with streams.open_stream(path) as stream:
            found = streams._Document(("results", "more"))
            left = stream.size
            said = []
            for part in stream.chunks():
                left -= len(part)
                said += list(found.feed(part, last=left <= 0))
        assert [(p.key, p.value) for p in said] == wanted
        assert not found.strange
        assert not found.stack


@given(OBJECTS, st.integers(1, 30))
def test_lines_give_the_same_objects_whatever_the_chunks(tmp_path_factory, items, chunk):
    path = tmp_path_factory.mktemp("l") / "a.jsonl"
    path.write_text("\n".join(json.dumps(item) for item in items), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "CHUNK", chunk)
        assert [value for _, value in values(path)] == items


@pytest.mark.parametrize(
    ("text", "found", "damaged"),
    [
        pytest.param('{"a":1}{"a":2}\n{"a":3}', [{"a": 1}, {"a": 2}, {"a": 3}], 0, id="glued"),
        pytest.param('{"a":1} {"a":2}\njunk\n{"a":3}\n', [{"a": 1}, {"a": 2}, {"a": 3}], 1, id="junk-between"),
        pytest.param('\ufeff{"a":1}\r\n\r\n{"a":2}\r\n', [{"a": 1}, {"a": 2}], 0, id="mark-and-carriage-returns"),
        pytest.param('{"a":"}{"}\n', [{"a": "}{"}], 0, id="brackets-in-a-text"),
        pytest.param('{"a":1}\n{"a":', [{"a": 1}], 1, id="torn-tail"),
        pytest.param('{"a":NaN}\n{"a":1}\n', [{"a": 1}], 1, id="not-a-number"),
        pytest.param('{"a":1}\n\x00\x00\x00\n', [{"a": 1}], 1, id="zeros"),
        pytest.param("", [], 0, id="empty"),
    ],
)
def test_each_line_is_read_by_itself(text, found, damaged, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(text, "utf-8")
    seen = list(pieces(path))
    assert [p.value for p in seen if not p.damage] == found
    assert sum(bool(p.damage) for p in seen) == damaged


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("a.jsonl", "whatever", True),
        ("a.json", '{"a": 1}\n{"a": 2}\n', True),
        ("a.json", '{"a": 1}\n', False),
        ("a.json", '{\n"a": 1}', False),
        ("a.json", '[{"a": 1}]\n', False),
        ("a.json", '{"results": [' + " " * 70_000, False),
        ("a.json", '{"id": "' + "x" * 70_000, True),
    ],
)
def test_lines_and_documents_are_told_apart_by_their_beginning(name, text, answer):
    assert are_lines(text.encode()[: streams.HEAD_BYTES], name, ("results",)) is answer


@pytest.mark.parametrize("part", range(1, 10))
def test_a_cut_document_gives_what_stands_whole_in_it(part, tmp_path, small_chunks):
    items = [{"id": n, "text": "x" * n} for n in range(60)]
    data = json.dumps({"results": items}).encode()
    path = tmp_path / "a.json"
    path.write_bytes(data[: len(data) * part // 10])
    whole = [p.value for p in pieces(path, lists=("results",)) if not p.damage]
    small_chunks(97)
    found = list(pieces(path, lists=("results",)))
    assert found[-1].damage
    assert [p.value for p in found if not p.damage] == whole == items[: len(whole)]
    assert len(whole) >= 60 * part // 10 - 12


def test_an_item_too_long_to_be_kept_is_said_to_be(tmp_path, small_chunks):
    small_chunks(64, item=200)
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n' + json.dumps({"a": "x" * 5000}) + '\n{"a": 2}\n')
    found = list(pieces(path))
    assert [p.value for p in found if not p.damage] == [{"a": 1}, {"a": 2}]
    assert [p.damage for p in found if p.damage] == ["a line of more than 200 bytes"]
    document = tmp_path / "b.json"
    document.write_text(json.dumps({"results": [{"a": 1}, {"a": "x" * 5000}]}))
    found = list(pieces(document, lists=("results",)))
    assert found[0].value == {"a": 1}
    assert "an item of more than 200 bytes" in found[-1].damage


def test_a_file_that_changes_while_it_is_read_says_so(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2}\n')
    reading = pieces(path)
    next(reading)
    with path.open("a") as file:
        file.write('{"a": 3}\n')
    rest = list(reading)
    assert [p.value for p in rest if not p.damage] == [{"a": 2}]
    assert "changed while it was read" in rest[-1].damage


def test_a_folder_a_pipe_and_a_link_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for name in ("", "pipe", "link", "nowhere"):
        with pytest.raises(Unreadable):
            list(pieces(tmp_path / name))


PROGRAM = """
import resource, sys
from pathlib import Path
from memkit.importers.streams import pieces
n = sum(1 for piece in pieces(Path(sys.argv[1]), lists=("results",)) if not piece.damage)
print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("shape", ["lines", "document", "one-line"])
def test_a_large_file_takes_no_more_memory_than_a_small_one(shape, tmp_path):
    """96 MiB; the whole of it as Python objects would be several times that."""

    def use(n):
        path = tmp_path / f"{shape}-{n}.{'jsonl' if shape == 'lines' else 'json'}"
        item = json.dumps({"id": 1, "memory": "word " * 3000, "metadata": {"a": [1, 2, {"b": "]"}]}})
        with path.open("w") as file:
            ends = (
                ("", "\n", "") if shape == "lines" else ('{"results": [', ",\n" if shape == "document" else ",", "]}")
            )
            file.write(ends[0] + ends[1].join([item]))
            for _ in range(n - 1):
                file.write(ends[1] + item)
            file.write(ends[2])
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
        seen, memory = map(int, done.stdout.split())
        assert seen == n
        path.unlink()
        return memory * 1024

    assert use(6500) - use(10) < 48 * 1024 * 1024
