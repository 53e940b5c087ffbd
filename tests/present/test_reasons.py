"""The codes by which runs end, in words."""

import re

import pytest

from memkit.present.audit import REASONS, reason_words
from tests.docs.reading import ROOT


def test_every_code_of_the_reference_has_words_and_no_other():
    page = (ROOT / "docs" / "reference" / "events.md").read_text("utf-8")
    line = next(line for line in page.splitlines() if line.startswith("| `reason` | why it ended so"))
    assert set(re.findall(r"`(\w+)`", line.split("|")[2])) == set(REASONS)


@pytest.mark.parametrize(
    ("code", "said"),
    [("no_staging", "nothing waited to be reconciled (no_staging)"), ("new", "new"), ("", ""), (None, "")],
)
def test_words_stand_before_the_code(code, said):
    assert reason_words(code) == said
