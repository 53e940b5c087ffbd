"""A record's card shows its parts as what they are."""

import pytest

from memkit.model.record import Record

WIRES = "## Tripwire conditions\n\n- lag above 60 s\n- revisit by 2027-01-31"


def test_tripwires_at_the_end_of_a_text_are_listed_as_such():
    shown = Record("use-replica", "decision", f"# Use the replica\n\nNever the primary.\n\n{WIRES}").to_text()
    assert "## Tripwire" not in shown
    assert "Text       Never the primary." in shown
    for wire in ("lag above 60 s", "revisit by 2027-01-31"):
        assert f"- {wire}" in shown


@pytest.mark.parametrize("rest", ["", "- one\nand more words", "no list"])
def test_what_only_looks_like_them_stays_in_the_text(rest):
    shown = Record(
        "use-replica", "decision", f"# Use the replica\n\nNever.\n\n## Tripwire conditions\n{rest}"
    ).to_text()
    assert "## Tripwire conditions" in shown
