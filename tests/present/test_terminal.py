import textwrap

from hypothesis import given
from hypothesis import strategies as st

from memkit.present import terminal
from memkit.present.blocks import (
    Bullets,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Fold,
    Grid,
    Meter,
    Para,
    Piece,
    Run,
    Section,
    Sheet,
)


def _text(*blocks, title=(), width=60):
    return terminal.write(Sheet(title, (), blocks), width)


def _grid(rows, *columns, **more):
    return Grid((), columns, tuple(tuple((cell,) for cell in row) for row in rows), **more)


def test_each_block_is_written_plainly():
    blocks = (
        Card(
            ("1. Title",),
            (Chip("accepted", "✓"), " · Stored 3 days ago"),
            (
                Facts(
                    (
                        Fact("Matched", (Bullets(((Run((Piece("a "), Piece("word", "mark"))),), ("b",))),)),
                        Fact("Score", (Fold((Meter(1, 2, "score"), " 1.00"), (Para(("parts",)),)),)),
                    )
                ),
            ),
            ("id x",),
        ),
        Section(("More",), (Para(("text",)),)),
    )
    assert _text(*blocks, title=("Top",)) == textwrap.dedent("""\
        Top
        ===

        1. Title
           ✓ accepted · Stored 3 days ago
           Matched  - a [word]
                    - b
           Score    █████░░░░░ 1.00
                    parts
           id x

        More
        ----
        text""")


def test_numbers_stand_at_the_right_and_types_under_the_names():
    grid = _grid([("a", "1"), ("bbb", "1234")], Column("name", "VARCHAR"), Column("n", "BIGINT", right=True))
    assert _text(grid) == textwrap.dedent("""\
        name          n
        VARCHAR  BIGINT
        -------  ------
        a             1
        bbb        1234""")


def test_a_wide_cell_wraps_and_a_number_never_gives_way():
    grid = _grid([("one two three four five", "123456")], Column("text"), Column("n", right=True))
    assert _text(grid, width=20) == textwrap.dedent("""\
        text               n
        ------------  ------
        one two       123456
        three four
        five""")


def test_a_cell_can_be_cut_instead():
    grid = _grid([("one two three four five", "123456")], Column("text"), Column("n", right=True), wrap=False)
    assert _text(grid, width=20).split("\n")[-1] == "one two thr…  123456"


def test_columns_without_room_are_named():
    columns = [Column(f"column{i}", least=20) for i in range(4)]
    out = _text(_grid([("x" * 20,) * 4], *columns), width=50)
    assert "column1" in out.split("\n")[0]
    assert "column2" not in out.split("\n")[0]
    assert "No room for 2 more columns: column2, column3" in out


def test_east_asian_text_is_aligned_by_cells():
    grid = _grid([("日本語", "1"), ("abcdef", "2")], Column("a"), Column("b"))
    assert _text(grid).split("\n")[2:] == ["日本語  1", "abcdef  2"]


@given(st.text(max_size=200), st.integers(4, 40))
def test_wrapping_loses_nothing_and_stays_within_the_width(text, width):
    lines = terminal.wrap(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    assert all(terminal.cells(line) <= width for line in lines)


def test_a_meter_of_nothing_is_empty():
    assert terminal.flat((Meter(1, 0, "x"),)) == "░" * 10
    assert terminal.flat((Meter(9, 3, "x"),)) == "█" * 10
