"""Columns of one name stay apart, so that no value of a row is lost."""

from memkit.testing import temp_memory_root


def test_columns_of_one_name_get_a_number():
    with temp_memory_root() as mem:
        found = mem.sql("select 1 as a, 2 as a, 3 as a_2, 4 as a")
    assert found.rows == [{"a": 1, "a_2": 2, "a_2_2": 3, "a_3": 4}]
