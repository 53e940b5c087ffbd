"""With `--json`, what a verb answers on the sample project is what docs/reference promises: its keys, and its shape."""

import json
import re

import jsonschema
import pytest

from tests.entrances.documents import LINES, ODD_LINES, SCHEMA, documents
from tests.entrances.test_reference_pages import CLI, VERBS

PROMISED = json.loads(SCHEMA.read_text("utf-8"))


def keys_on_the_page() -> dict[str, list[str]]:
    """The keys of each verb's document, in the order of the page, without what stands in brackets."""
    table = CLI.split("## JSON", 1)[1].split("\n##", 1)[0]
    found = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            verbs, keys = line.strip("|").split("|", 1)
            while "(" in keys:
                keys = re.sub(r"\([^()]*\)", "", keys)
            for verb in re.findall(r"`([^`]+)`", verbs):
                found[verb] = re.findall(r"`([^`]+)`", keys.split(";")[0].split(", or ")[0])
    return found


KEYS = keys_on_the_page()


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Each verb's exit codes and documents, all from one store, some from a damaged one as well."""
    with pytest.MonkeyPatch.context() as patch:
        return documents(tmp_path_factory.mktemp("documents"), patch)


@pytest.mark.parametrize("verb", LINES)
def test_the_document_of_a_verb_has_the_keys_of_the_page(answers, verb):
    code, document, said = answers[verb][0]

    assert code in {0, 1}, said
    assert document["schema_version"] == 1
    expected = KEYS[verb]
    if verb == "wipe":
        expected = ["dry_run", "status"]
    assert sorted(document) == sorted(["schema_version", *expected])


@pytest.mark.parametrize("verb", LINES)
def test_the_document_of_a_verb_keeps_to_the_schema(answers, verb):
    """If a verb answers otherwise on purpose: `python -m tests.entrances.documents`, and read the difference."""
    for _, document, _ in answers[verb]:
        name = "error" if "error" in document else verb
        schema = PROMISED | {"$ref": f"#/$defs/{name.replace(' ', '%20')}"}
        jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)


def test_a_store_with_oddities_shows_what_a_quiet_one_does_not(answers):
    """Else the second round would prove nothing."""
    assert any("error" in document for _, document, _ in answers["records write"])
    assert any(document.get("missed") for _, document, _ in answers["recall"])
    assert any(document["problems"] for _, document, _ in answers["verify"])
    assert all(len(answers[verb]) == 2 for verb in ODD_LINES if verb in LINES)


def test_the_schema_is_one_and_names_every_verb_once():
    jsonschema.Draft202012Validator.check_schema(PROMISED)
    without = {"audit tail", "mcp serve"}
    assert set(PROMISED["$defs"]) == {*VERBS, "error"} - without


def test_hardly_a_verb_is_not_tried():
    """Other imports answer as the ones tried; the rest prints no document."""
    left = {verb for verb in VERBS if verb not in LINES and not verb.startswith("import ")}
    assert left == {"audit tail", "mcp serve"}
