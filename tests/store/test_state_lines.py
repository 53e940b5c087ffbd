"""One reader for all that is only appended to."""

import pytest

from memkit.model.jsontext import JsonDamage
from memkit.store.state_lines import read_lines
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
