"""What a user adds to scrubbing, and takes away."""

import pytest

from memkit.errors import SettingsError
from memkit.store import scrub_extra
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns

PATTERNS = shipped_patterns()
TOKEN = "gh" + "p_" + "A1b2C3d4" * 4


def test_an_extra_pattern_is_masked_under_its_name():
    scrubber = Scrubber(PATTERNS, extra={"badge": r"B-\d{4}"})
    scrubbed = scrubber.scrub_text("badge B-1234 and B-5678")
    assert scrubbed.text == "badge [scrubbed:badge] and [scrubbed:badge]"
    assert scrubbed.counts == {"badge": 2}
    assert "badge" in scrubber.kinds


def test_an_extra_pattern_masks_its_group_secret_only():
    scrubber = Scrubber(PATTERNS, extra={"ticket": r"ticket (?P<secret>\w+)"})
    assert scrubber.scrub_text("ticket abc here").text == "ticket [scrubbed:ticket] here"


def test_an_extra_pattern_may_use_what_only_the_regex_module_knows():
    scrubber = Scrubber(PATTERNS, extra={"name": r"\p{Lu}\p{Ll}+ Müller"})
    assert scrubber.scrub_text("Grüße an Jürgen Müller!").text == "Grüße an [scrubbed:name]!"


def test_an_extra_pattern_finds_a_very_short_secret():
    assert Scrubber(PATTERNS, extra={"x": "q7"}).scrub_text("q7").text == "[scrubbed:x]"


def test_an_extra_pattern_sees_through_disguises():
    scrubber = Scrubber(PATTERNS, extra={"badge": r"B-\d{4}"})
    assert scrubber.scrub_text("B-1\u200b23\u200b4 Ｂ－１２３４ B%2D1234").counts == {"badge": 3}


def test_an_extra_pattern_comes_before_the_shipped_ones():
    assert Scrubber(PATTERNS, extra={"mine": r"gh._\w+"}).scrub_text(TOKEN).counts == {"mine": 1}


def test_an_extra_pattern_leaves_marks_alone():
    scrubber = Scrubber(PATTERNS, extra={"word": r"[a-z]+"})
    once = scrubber.scrub_text("abc DEF ghi").text
    assert once == "[scrubbed:word] DEF [scrubbed:word]"
    assert scrubber.scrub_text(once).counts == {}


@pytest.mark.parametrize(
    ("name", "pattern", "says"),
    [
        pytest.param("broken", "(", "does not compile", id="does-not-compile"),
        pytest.param("broken", "a{2,1}", "does not compile", id="impossible-repeat"),
        pytest.param("empty", "a*", "matches the empty text", id="matches-nothing"),
        pytest.param("empty", "", "matches the empty text", id="is-empty"),
        pytest.param("Not A Name", "a", "cannot stand in a mark", id="name-with-spaces"),
        pytest.param("-x", "a", "cannot stand in a mark", id="name-begins-with-a-dash"),
        pytest.param("x" * 65, "a", "cannot stand in a mark", id="name-too-long"),
        pytest.param("jwt", "a", "belongs to a kind that ships", id="name-taken"),
    ],
)
def test_an_extra_pattern_that_cannot_work_is_named(name, pattern, says):
    with pytest.raises(SettingsError, match=says) as caught:
        Scrubber(PATTERNS, extra={name: pattern})
    assert caught.value.field == f"scrub.extra.{name}"
    assert caught.value.remedy


def test_a_shipped_kind_can_be_replaced_by_ones_own():
    scrubber = Scrubber(PATTERNS, extra={"github-token": "gh" + "q_.{4}"}, exclude=["github-token"])
    assert scrubber.scrub_text("gh" + "q_abcd").counts == {"github-token": 1}
    assert scrubber.scrub_text(TOKEN).counts == {}


def test_an_extra_pattern_that_takes_too_long_stops_the_call_and_is_named(monkeypatch):
    monkeypatch.setattr(scrub_extra, "TIMEOUT_SECONDS", 0.05)
    scrubber = Scrubber(PATTERNS, extra={"slow": r"(?:a|aa)+(?:a|aa)+(?:a|aa)+$"})
    with pytest.raises(SettingsError, match="takes longer than") as caught:
        scrubber.scrub_text("a" * 5000 + "b")
    assert caught.value.field == "scrub.extra.slow"


def test_an_excluded_kind_is_not_looked_for():
    scrubber = Scrubber(PATTERNS, exclude=["github-token"])
    assert scrubber.scrub_text(TOKEN).text == TOKEN
    assert "github-token" not in scrubber.kinds


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        pytest.param("github-tokn", "Did you mean 'github-token'?", id="a-slip"),
        pytest.param("zzzzzzzz", "docs/reference/scrubbing.md", id="nothing-like-it"),
    ],
)
def test_an_unknown_exclusion_is_an_error_with_a_suggestion(name, remedy):
    with pytest.raises(SettingsError, match="no kind of secret is called") as caught:
        Scrubber(PATTERNS, exclude=[name])
    assert caught.value.field == "scrub.exclude"
    assert remedy in caught.value.remedy


def test_every_kind_can_be_excluded_at_once():
    scrubber = Scrubber(PATTERNS, exclude=[kind.name for kind in PATTERNS.kinds])
    assert scrubber.kinds == ()
    assert scrubber.scrub_text(f"password={TOKEN}").counts == {}
    assert scrubber.scrub_json({"password": "x"})[1] == {}
