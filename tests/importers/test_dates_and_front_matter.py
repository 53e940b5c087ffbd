"""Days are read where the text says which one it is; front matter keeps what was written."""

from __future__ import annotations

import pytest

from memkit.importers.adr.dates import DayOrder, find_days, is_month_only, is_only_a_day, is_placeholder
from memkit.importers.adr.front_matter import MAX_CHARS, flat, read_front_matter

DAYS = {
    "2023-09-15": "2023-09-15", "2023-9-15": "2023-09-15", "2023/09/15": "2023-09-15", "2023.09.15": "2023-09-15",
    "20220513": "2022-05-13", "2022-05-16.": "2022-05-16", "{ 2023-11-21 }": "2023-11-21", "23/03/2020": "2020-03-23",
    "12-31-2020": "2020-12-31", "11/11/2024": "2024-11-11", "05.02.2018": "2018-02-05", "June 19, 2018": "2018-06-19",
    "19 June 2018": "2018-06-19", "8th June 2023": "2023-06-08", "10 Oct 2022": "2022-10-10", "Dec 8, 2020": "2020-12-08",
    "Sat, 19 June 2018": "2018-06-19", "4th of July, 2021": "2021-07-04", "2020-Jun-03": "2020-06-03",
    "1er mars 2023": "2023-03-01", "1º de março de 2023": "2023-03-01", "3. März 2023": "2023-03-03",
    "15 de marzo de 2023": "2023-03-15", "2026年8月16日": "2026-08-16", "２０２６-０８-１６": "2026-08-16",
    "2023-09-15T10:00:00Z": "2023-09-15", "2023-13-10": "2023-10-13",
}  # fmt: skip


@pytest.mark.parametrize("text", DAYS)
def test_a_day_is_read(text):
    assert [str(day.day) for day in find_days(text)] == [DAYS[text]]


@pytest.mark.parametrize(
    "text",
    [
        "May 2023",
        "2023-05",
        "2024-023-2706",
        "v1.2.3",
        "2021-13-45",
        "31/02/2020",
        "10.0.0.12",
        "YYYY-MM-DD",
        "12/2020",
        "soon",
        "",
    ],
)
def test_no_day_is_read(text):
    assert find_days(text) == ()


def test_what_stands_in_place_of_a_day_is_told_apart():
    assert is_month_only("May 2023")
    assert is_month_only("2023-05")
    assert not is_month_only("May")
    assert is_placeholder("YYYY-MM-DD when last updated")
    assert not is_placeholder("2024-01-01")
    assert is_only_a_day("_(Sat, 19 June 2018)_")
    assert not is_only_a_day("We met on 19 June 2018 in town")


def test_the_order_of_a_folder_is_what_all_its_days_agree_on():
    order = DayOrder()
    (open_day,) = find_days("05/02/2018")
    assert open_day.day is None
    order.see(find_days("04/05/2019"))
    assert order.order is None
    order.see(find_days("23/03/2020"))
    assert str(open_day.settled(order.order)) == "2018-02-05"
    order.see(find_days("03/23/2020"))
    assert order.order is None


def test_scalars_stay_as_written():
    front = read_front_matter("version: 1.10\nactive: yes\ndate: 2020-01-01\nnone: ~\nn: 0012\n")
    assert dict(front.values) == {"version": "1.10", "active": "yes", "date": "2020-01-01", "none": "~", "n": "0012"}


def test_a_repeated_key_is_reported_and_the_first_kept():
    front = read_front_matter("status: accepted\nstatus: rejected\n")
    assert front.values["status"] == "accepted"
    assert front.notes == ("front matter repeats the key 'status'; the first is kept",)


def test_flow_mappings_of_bare_words_are_those_words():
    front = read_front_matter("status: { accepted }\nnames: { Ada, Bo }\nnobody: {}\n")
    assert [flat(front.values[key]) for key in ("status", "names", "nobody")] == ["accepted", "Ada, Bo", ""]
    assert front.raw["status"] == "{ accepted }"


def test_what_is_not_yaml_is_read_line_by_line():
    front = read_front_matter("decision: It is this: that\nsupersedes:\n  - ADR-1\n  - ADR-2\nstatus: Active # now\n")
    assert dict(front.values) == {"decision": "It is this: that", "supersedes": ["ADR-1", "ADR-2"], "status": "Active"}
    assert "line by line" in front.notes[0]


def test_toml_front_matter_is_read():
    front = read_front_matter('title = "T"\ndate = 2020-01-01\ndraft = false\n')
    assert dict(front.values) == {"title": "T", "date": "2020-01-01", "draft": "false"}


def bomb() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    return "\n".join(lines) + "\nstatus: accepted\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(bomb(), id="aliases that multiply"),
        pytest.param("x: " + "[" * 3_000 + "\nstatus: accepted", id="brackets"),
        pytest.param("\n".join(" " * n + "a:" for n in range(300)) + "\nstatus: accepted", id="depth"),
        pytest.param("a: &a [*a]\nstatus: accepted", id="an alias of itself"),
        pytest.param("a: !!python/object/apply:os.system [ls]\nstatus: accepted", id="a tag"),
        pytest.param("a: *nothing\nstatus: accepted", id="an unknown alias"),
        pytest.param("a: b\n\tc: d\nstatus: accepted", id="a tab"),
    ],
)
def test_hostile_front_matter_is_bounded_and_the_status_still_found(text):
    front = read_front_matter(text)
    assert flat(front.values["status"]) == "accepted"


def test_front_matter_over_the_limit_is_not_read():
    front = read_front_matter("a: b\n" * MAX_CHARS)
    assert not front.values
    assert "is not read" in front.notes[0]
