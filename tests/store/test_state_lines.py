"""One reader for all that is only appended to."""

import pytest

from memkit.model.jsontext import JsonDamage
from memkit.store.state_lines import NEWER, read_lines
from tests.stores import open_store


def named(raw):
    if not isinstance(raw.get("n"), int):
        raise JsonDamage("n is no number")
    return raw["n"]


CASES = {
    "missing": (None, [], []),
    "whole": (b'{"n": 1}\n{"n": 2}\n', [1, 2], []),
    "lacks only its newline": (b'{"n": 1}\n{"n": 2}', [1, 2], []),
    "one line without a newline": (b'{"n": 1}', [1], []),
    "cut off": (b'{"n": 1}\n{"n":', [1], []),
    "of another kind behind the last newline": (b'{"n": 1}\n{"m": 2}', [1], []),
    "damaged among others": (b'{"n": 1}\njunk\n{"n": "x"}\n{"n": 3}\n', [1, 3], [(9, 14), (14, 25)]),
}


@pytest.mark.parametrize(("data", "found", "spots"), CASES.values(), ids=CASES)
def test_lines_count_and_damage_has_a_place(root, project, clock, data, found, spots):
    paths = open_store(root, project, clock).paths
    if data is not None:
        paths.state.mkdir(parents=True)
        paths.pins.write_bytes(data)
    read, problems = read_lines(paths, paths.pins, named, code="damaged-pin", remedy="Mend it.")
    assert read == found
    assert [(each.start, each.end) for each in problems] == spots
    assert {(each.code, each.file) for each in problems} <= {("damaged-pin", "state/pins.jsonl")}


@pytest.mark.parametrize("last", [b"\n", b""], ids=["whole", "without its newline"])
@pytest.mark.parametrize(("version", "is_newer"), [(b"2", True), (b"1", False), (b"true", False), (b'"2"', False)])
def test_a_line_of_a_newer_schema_is_named_as_such_and_does_not_count(root, project, clock, version, is_newer, last):
    paths = open_store(root, project, clock).paths
    paths.state.mkdir(parents=True)
    paths.pins.write_bytes(b'{"n": 1}\n{"schemaVersion":' + version + b',"n": 2}' + last)
    read, problems = read_lines(paths, paths.pins, named, code="damaged-pin", remedy="Mend it.")
    assert read == ([1] if is_newer else [1, 2])
    assert [(each.code, each.start) for each in problems] == ([(NEWER, 9)] if is_newer else [])
