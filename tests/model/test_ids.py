"""Ids sort by time and are the only gate to a path."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInputError
from memkit.model.ids import is_id, new_ids, require_id

MS = st.integers(0, 253_402_300_799_999)


@given(MS, st.integers(1, 20))
def test_new_ids_are_ids_and_ascend(ms, n):
    found = new_ids(ms, n)
    assert len(set(found)) == n
    assert found == sorted(found)
    assert all(is_id(item) for item in found)


@given(MS)
def test_an_id_begins_with_its_time(ms):
    assert all(int(item[:12], 16) == ms for item in new_ids(ms, 3))


@given(st.lists(MS, min_size=2, max_size=6, unique=True))
def test_ids_sort_by_time(times):
    found = [new_ids(ms)[0] for ms in sorted(times)]
    assert all(left < right for left, right in itertools.pairwise(found))


def test_many_ids_of_one_millisecond_differ():
    assert len(set(new_ids(1_700_000_000_000, 5000))) == 5000


@pytest.mark.parametrize("text", ["a1b2c3d4e5f6", "0" * 8, "z" * 128])
def test_ids_of_other_tools_are_ids(text):
    assert is_id(text)
    assert require_id(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a1b2c3d",
        "z" * 129,
        "A1B2C3D4",
        "a1b2c3d4\n",
        " a1b2c3d4",
        "../a1b2c3",
        "a1b2/c3d4",
        "a1b2c3d4.json",
        "a1b2-c3d4",
        "١٢٣٤٥٦٧٨",
        "ａ１ｂ２ｃ３ｄ４",
        "a1b2c3d\x00",
        None,
        12345678,
        b"a1b2c3d4",
    ],
    ids=ascii,
)
def test_anything_else_names_no_entry(text):
    assert not is_id(text)
    with pytest.raises(InvalidInputError, match="cannot name an entry") as caught:
        require_id(text, "entry_id")
    assert caught.value.field == "entry_id"
    assert caught.value.remedy


def test_a_refused_id_is_quoted_in_part_only():
    with pytest.raises(InvalidInputError) as caught:
        require_id("x" * 10_000 + "!")
    assert len(str(caught.value)) < 300
