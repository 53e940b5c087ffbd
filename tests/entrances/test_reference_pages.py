"""The reference pages say what the program says about itself, in both directions."""

import pathlib
import re

import pytest
import typer.main

from memkit.entrances import cli
from memkit.entrances.cli.app import app
from memkit.entrances.cli.grammar import GLOBAL_NAMES
from memkit.settings import Settings, complaints
from memkit.settings.complaints import known_keys, variable_names
from memkit.settings.schema import dotted

REFERENCE = pathlib.Path(__file__).parents[2] / "docs" / "reference"
CLI = (REFERENCE / "cli.md").read_text("utf-8")
SETTINGS = (REFERENCE / "settings.md").read_text("utf-8")
PROGRAM = typer.main.get_command(app)


def verbs(command=PROGRAM, *above):
    for name, member in command.commands.items():
        if hasattr(member, "commands"):
            yield from verbs(member, *above, name)
        else:
            yield " ".join((*above, name)), member


VERBS = dict(verbs())


def section(verb: str) -> str:
    return CLI.split(f"### memkit {verb}\n", 1)[1].split("\n##", 1)[0]


def options_of(command) -> set[str]:
    return {
        name
        for param in command.params
        if param.param_type_name == "option" and param.name not in GLOBAL_NAMES
        for name in (*param.opts, *param.secondary_opts)
    }


def options_on(text: str) -> set[str]:
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `-")]
    return {name for cell in cells for name in re.findall(r"`(--?[a-z-]+)`", cell)}


def test_the_page_has_one_section_for_each_verb():
    assert sorted(re.findall(r"^### memkit (.+)$", CLI, re.MULTILINE)) == sorted(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_is_in_its_section_and_no_other(verb):
    assert options_on(section(verb)) == options_of(VERBS[verb])


def test_the_global_options_are_all_there():
    text = CLI.split("## Global options", 1)[1].split("\n##", 1)[0]
    program = {
        name
        for param in PROGRAM.params
        for name in param.opts
        if name not in {"--install-completion", "--show-completion"}
    }

    assert options_on(text) == program | {"--help", "-h"}


def test_the_exit_codes_are_those_of_the_program():
    table = CLI.split("## Exit codes", 1)[1].split("\n##", 1)[0]
    codes = [cli.OK, cli.FOUND, cli.USAGE, cli.FAILED, cli.INTERRUPTED]

    assert [int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)] == codes


def test_every_verb_says_what_its_document_holds():
    table = CLI.split("## JSON", 1)[1].split("\n##", 1)[0]
    named = [
        verb
        for line in table.splitlines()
        if line.startswith("| `")
        for verb in re.findall(r"`([^`]+)`", line.split("|")[1])
    ]

    assert sorted(named) == sorted(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_worked_example_that_names_it(verb):
    assert f"memkit {verb}" in VERBS[verb].epilog


@pytest.mark.parametrize("verb", VERBS)
def test_the_first_line_of_help_fits_the_list(verb):
    assert len(VERBS[verb].help.split("\n")[0]) <= 64


def rows_of_settings() -> dict[str, list[str]]:
    table = SETTINGS.split("## All settings", 1)[1]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_the_page_lists_exactly_the_settings_there_are():
    assert list(rows_of_settings()) == [dotted(*parts) for parts, _ in known_keys()]


@pytest.mark.parametrize(("parts", "field"), [pytest.param(*known, id=dotted(*known[0])) for known in known_keys()])
def test_default_bounds_variable_and_meaning_are_those_of_the_schema(parts, field):
    default, bounds, variable, meaning = rows_of_settings()[dotted(*parts)]

    assert default == f"`{complaints._toml(field.get_default())}`"
    limits = {name: getattr(rule, name) for rule in field.metadata for name in ("ge", "le") if hasattr(rule, name)}
    assert not limits or bounds == f"{limits['ge']} to {limits['le']}"
    name = f"MEMKIT_{'__'.join(parts).upper()}"
    assert variable == (f"`{name}`" if name in variable_names("MEMKIT_", "__") else "none")
    assert meaning == field.description


def test_every_setting_has_a_meaning_and_an_immutable_home():
    assert all(field.description for _, field in known_keys())
    assert Settings.model_config["frozen"]


def test_the_page_names_what_is_personal():
    from memkit.settings.layers import PERSONAL

    text = SETTINGS.split("## What a project's file cannot say", 1)[1].split("\n##", 1)[0]
    assert re.findall(r"^- (?:all of )?`([a-z.]+)`", text, re.MULTILINE) == [dotted(*parts) for parts in PERSONAL]
