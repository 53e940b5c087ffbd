"""What an import says of its source holds no secret that the store would mask, wherever in the source it stood."""

import json

import pytest

from tests.importers.imports import Shelf

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def shelf(project):
    """A store that masks."""
    return Shelf(project, scrub=lambda text: text.replace(SECRET, "[masked]"))


def test_of_a_decision_record_status_front_matter_and_links_are_masked(project, shelf):
    folder = project / "adr"
    folder.mkdir()
    (folder / "0001-a.md").write_text(
        f"---\nstatus: {SECRET}\nmykey: {SECRET}\nsupersedes: {SECRET}.md\n---\n# A\n\n## Decision\n\nDo it.\n"
    )
    report = shelf.run(folder, dry_run=True)
    assert report.n_seen == 1
    assert SECRET not in json.dumps(report.to_dict())
    assert SECRET not in report.to_text()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"question": "Q?", "rounds": [], "extra": SECRET}, id="a value"),
        pytest.param({"question": "Q?", "rounds": [], SECRET: 1}, id="a key"),
        pytest.param({SECRET: 1}, id="a key of what is refused"),
        pytest.param(
            {"question": "Q?", "rounds": [], "extra": "x" * 60 + " key=" + SECRET}, id="where the account cuts"
        ),
    ],
)
def test_of_a_panel_result_values_keys_and_reasons_are_masked(project, shelf, row):
    path = project / "run.json"
    path.write_text(json.dumps(row))
    said = json.dumps(shelf.run(path, "consensus", dry_run=True).to_dict())
    assert SECRET not in said
    assert SECRET[:10] not in said
