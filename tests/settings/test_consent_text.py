"""One project's consent, changed in a text where nothing else may change."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memkit.errors import SettingsError
from memkit.settings.consent_text import read_consent, write_consent

PROJECT = "/home/me/a.b"
LINE = '"/home/me/a.b" = {enabled = true}'

EDITS = [
    pytest.param("# mine\n[recall]\nlimit = 3 # three\n", id="no-consent-yet"),
    pytest.param("[recall]\nlimit=3", id="no-newline-at-the-end"),
    pytest.param("[projects]\n# why\n'/home/me/a.b' = {enabled = false} # note\n", id="inline-table"),
    pytest.param("[projects.'/home/me/a.b']\nenabled=false # note\n[recall]\nlimit=2\n", id="own-table"),
    pytest.param("projects.'/home/me/a.b'.enabled=false\n[recall]\nlimit=2\n", id="dotted-key"),
    pytest.param("projects = {}\n[recall]\nlimit = 2\n", id="empty-inline-projects"),
    pytest.param("projects = {'/x' = {enabled = true}}\n", id="inline-projects"),
    pytest.param("[projects]\n'/x' = {enabled = true}\n\n# next\n[recall]\nlimit = 2\n", id="another-project"),
    pytest.param("[projects.'/x']\nenabled = true\n[recall]\nlimit = 1\n[projects.'/y']\nenabled = true\n", id="scattered"),
    pytest.param("[recall]\r\n# crlf\r\nlimit = 2\r\n", id="crlf"),
    pytest.param("[projects]\n'/home/me/a.b' = {}\n", id="empty-consent"),
]  # fmt: skip


@pytest.mark.parametrize("text", EDITS)
@pytest.mark.parametrize("enabled", [True, False])
def test_only_the_consent_of_this_project_changes(text, enabled):
    wanted = tomllib.loads(text)
    wanted.setdefault("projects", {}).setdefault(PROJECT, {})["enabled"] = enabled

    after = write_consent(text, PROJECT, enabled=enabled)

    assert tomllib.loads(after) == wanted
    assert read_consent(after, PROJECT) is enabled
    assert [
        c for c in ("# mine", "# three", "# why", "# note", "# next", "# crlf") if c in text and c not in after
    ] == []


def test_a_new_file_says_what_it_is_for():
    after = write_consent("", PROJECT, enabled=True)

    assert after.startswith("# ")
    assert after.endswith(f"[projects]\n{LINE}\n")


def test_writing_the_same_consent_twice_gives_the_same_text():
    once = write_consent("[recall]\nlimit = 3\n", PROJECT, enabled=True)

    assert write_consent(once, PROJECT, enabled=True) == once


def test_silence_is_neither_yes_nor_no():
    assert read_consent("[projects]\n'/x' = {enabled = true}\n", PROJECT) is None


UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
REFUSALS = [
    pytest.param("a =", "is not TOML", None, id="torn"),
    pytest.param("a = " + "[" * 100_000, "nested too deep", None, id="nested-too-deep"),
    pytest.param("projects = 3", "is not a table", "projects", id="projects-is-a-number"),
    pytest.param("[[projects]]", "is not a table", "projects", id="projects-is-a-list"),
    pytest.param("[projects]\n'/home/me/a.b' = 3", "is not a table", f'projects."{PROJECT}"', id="consent-is-a-number"),
    pytest.param(
        "[projects]\n'/home/me/a.b' = {enabled = 'yes'}", "true or false", f'projects."{PROJECT}".enabled', id="word"
    ),
]


@pytest.mark.parametrize(("text", "what", "field"), REFUSALS)
def test_a_text_that_cannot_hold_consent_is_refused(text, what, field):
    with pytest.raises(SettingsError, match=what) as caught:
        write_consent(text, PROJECT, enabled=True, file="config.toml")

    assert caught.value.file == "config.toml"
    assert caught.value.field == field


def test_an_edit_that_would_change_something_else_is_given_up_with_the_line_to_write(monkeypatch):
    import tomlkit

    monkeypatch.setattr(tomlkit, "dumps", lambda document: "[projects]\n")

    with pytest.raises(SettingsError, match="left as it is") as caught:
        write_consent("[recall]\nlimit = 3\n", PROJECT, enabled=True)

    assert f'"{PROJECT}" = {{ enabled = true }}' in caught.value.remedy


@UNHURRIED
@given(project=st.text(st.characters(exclude_categories=("Cs",)), min_size=1).map(lambda text: "/" + text))
def test_any_project_path_is_written_and_read_back(project):
    text = write_consent("# keep\n[recall]\nlimit = 3\n", project, enabled=True)

    assert tomllib.loads(text) == {"recall": {"limit": 3}, "projects": {project: {"enabled": True}}}
    assert text.startswith("# keep\n")
