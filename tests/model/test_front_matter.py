"""Front matter is YAML 1.2, read alike by the short path and the library, and changed line by line."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from memkit.model import front_matter
from memkit.model.front_matter import FrontMatterDamage, change, cut, read, read_yaml, write

TEXTS = st.text(max_size=30).filter(lambda text: text.isprintable() or "\n" in text)
SCALARS = st.one_of(
    TEXTS,
    st.integers(-(10**12), 10**12),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from(
        ["yes", "no", "On", "~", "null", "1.10", "0x1f", "1e3", "12:30:45", "2026-03-09", "-", ": x", "a: b", "# c"]
    ),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=4))
KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True).filter(
    lambda key: key not in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
)


def _same(value):
    return [_same(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_what_is_written_is_read_back_and_both_paths_agree(values):
    front = write(values)
    short = front_matter._read_short(front)
    slow = read_yaml(front)
    assert short is None or short == slow
    assert read(front) == slow
    for key, value in values.items():
        if isinstance(value, float):
            assert float(slow[key]) == value
        elif isinstance(value, str) or (isinstance(value, list) and not any(isinstance(v, float) for v in value)):
            assert slow[key] == value


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(KEYS, TEXTS, max_size=6))
def test_a_reader_of_yaml_1_1_sees_the_same_texts(values):
    old = YAML(typ="safe", pure=True)
    old.version = (1, 1)
    assert (old.load(write(values)) or {}) == values


CANONICAL = st.lists(
    st.one_of(
        st.tuples(KEYS, st.from_regex(r"[A-Za-z0-9 .:#_-]{0,20}", fullmatch=True)).map(lambda p: f"{p[0]}: {p[1]}"),
        KEYS.map("{}:".format),
        st.from_regex(r"[A-Za-z0-9 .:#_-]{0,20}", fullmatch=True).map("  - {}".format),
        st.just("tags: []"),
    ),
    max_size=6,
).map(lambda lines: "".join(f"{line}\n" for line in lines))


@settings(max_examples=40, deadline=None)
@given(CANONICAL)
def test_the_short_path_reads_nothing_otherwise_than_the_library(front):
    short = front_matter._read_short(front)
    if short is not None:
        assert short == read_yaml(front)


TRAPS = {
    "yes": "yes", "NO": "NO", "on": "on", "1.10": "1.10", "0123": "0123", "2026-03-09": "2026-03-09", "1_000": "1_000",
    "12:30:45": "12:30:45", "0o17": "0o17", "1e3": "1e3", ".5": ".5", "'5'": "5", '"true"': "true", "5": 5, "-3": -3,
    "1.5": 1.5, "true": True, "False": False, "null": None, "~": None, "": None, "!!str 5": 5, "+1": "+1",
}  # fmt: skip


@pytest.mark.parametrize(("written", "value"), TRAPS.items(), ids=[f"<{t}>" for t in TRAPS])
def test_only_what_yaml_1_2_calls_so_is_no_text(written, value):
    found = read(f"key: {written}\nother: x\n")
    if written != "!!str 5":
        assert found == {"key": value, "other": "x"}
    assert read_yaml(f"key: {written}\nother: x\n") == found


DAMAGED = {
    "open quote": 'a: "x\n',
    "tab": "a:\n\t- b\n",
    "two colons": "a: b: c\n",
    "list": "- a\n- b\n",
    "scalar": "just words\n",
    "twice": "a: 1\nb: 2\na: 3\n",
    "twice, quoted": 'a: 1\n"a": 3\n',
    "unknown alias": "a: *nobody\n",
    "deep": f"a: {'[' * 60}{']' * 60}\n",
    "bad character": "a: \x07\n",
    "list as key": "[a, b]: c\n",
    "two documents": "a: 1\n--- \nb: 2\n",
}


@pytest.mark.parametrize("front", DAMAGED.values(), ids=DAMAGED)
def test_what_is_no_mapping_is_damage_with_a_reason(front):
    with pytest.raises(FrontMatterDamage) as damage:
        read(front)
    assert str(damage.value)
    assert "\n" not in str(damage.value)


def test_aliases_that_expand_without_end_are_damage_and_cost_little():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    with pytest.raises(FrontMatterDamage, match="expands to more than"):
        read("\n".join(lines) + "\n")


HAND = """\
# Kept by Mara.
kind: lesson   # not a preference
status: 'active'  # for now

tags: [a, b] # flow
sources:
- x
- "y"  # why

# before the days
created_at: 2026-03-09
note: |
  several
  # lines
superseded_by:
"""


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        ({"status": "superseded"}, "'active'", "superseded"),
        ({"tags": ["a", "c, d"]}, "[a, b]", '[a, "c, d"]'),
        ({"sources": ["x", "y", "z"]}, '- "y"  # why\n', '- "y"  # why\n- z\n'),
        ({"sources": ["z"]}, 'sources:\n- x\n- "y"  # why\n', "sources:\n  - z\n"),
        ({"superseded_by": "other"}, "superseded_by:\n", "superseded_by: other\n"),
        ({"note": None}, "note: |\n  several\n  # lines\n", ""),
        ({"created_at": dt.datetime(2026, 5, 1, tzinfo=dt.UTC)}, "2026-03-09", "2026-05-01T00:00:00.000Z"),
    ],
    ids=["scalar", "flow list", "longer list", "other list", "empty", "gone", "instant"],
)
def test_a_change_touches_the_lines_of_its_key_and_no_other(changes, old, new):
    assert old in HAND
    assert change(HAND, changes) == HAND.replace(old, new)


def test_a_new_key_goes_to_the_end_and_a_missing_newline_is_added():
    assert change("a: 1", {"b": "x"}) == "a: 1\nb: x\n"
    assert change("a: 1 # x", {"b": "x"}) == "a: 1 # x\nb: x\n"
    assert change("", {"b": ["x"]}) == "b:\n  - x\n"


def test_a_mapping_on_one_line_is_written_anew_as_a_whole():
    assert read(change("{kind: lesson, tags: [a]}\n", {"kind": "domain"})) == {"kind": "domain", "tags": ["a"]}


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=6), st.data())
def test_a_change_of_canonical_front_matter_says_the_same_as_writing_it_anew(values, data):
    front = write(values)
    key = data.draw(st.sampled_from(sorted(values)))
    value = data.draw(TEXTS)
    assert read(change(front, {key: value})) == {**read(front), key: value}
    assert read(change(front, {key: None})) == {k: v for k, v in read(front).items() if k != key}


PAGES = {
    "plain": ("---\na: 1\n---\nbody\n", ("---\n", "a: 1\n", "---\n", "body\n")),
    "dots": ("---\na: 1\n...\nbody", ("---\n", "a: 1\n", "...\n", "body")),
    "none": ("# Title\n---\n", ("", "", "", "# Title\n---\n")),
    "empty": ("---\n---\n", ("---\n", "", "---\n", "")),
    "no end of line": ("---\na: 1\n---", ("---\n", "a: 1\n", "---", "")),
    "windows": ("---\r\na: 1\r\n---\r\nbody\r\n", ("---\r\n", "a: 1\r\n", "---\r\n", "body\r\n")),
    "spaces": ("---  \na: 1\n--- \nx", ("---  \n", "a: 1\n", "--- \n", "x")),
}


@pytest.mark.parametrize(("text", "parts"), PAGES.values(), ids=PAGES)
def test_a_page_is_cut_into_parts_that_joined_are_the_page(text, parts):
    page = cut(text)
    assert (page.head, page.front, page.tail, page.body) == parts
    assert "".join(parts) == text


def test_front_matter_that_never_ends_is_damage():
    with pytest.raises(FrontMatterDamage, match="not closed"):
        cut("---\na: 1\n")
    with pytest.raises(FrontMatterDamage, match="characters"):
        cut(f"---\na: {'x' * 70_000}\n---\n")


@pytest.mark.parametrize("value", ['"\\ud800"', '["a", "\\udfff"]', '{k: "\\ud800"}'], ids=["text", "list", "mapping"])
def test_half_a_character_is_damage_and_no_other_error(value):
    with pytest.raises(FrontMatterDamage, match="half a character"):
        read(f"kind: lesson\nnote: {value}\n")
