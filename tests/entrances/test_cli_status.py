"""What status, enable, disable and config show say to a person."""

import pytest

from tests.entrances.fake_memory import KEY


def test_status_is_what_memory_says_and_what_to_do_next(memkit_cli, fake):
    out = memkit_cli("status").out

    assert out.startswith(fake.status().to_text())
    assert "To ask: memkit recall WORDS" in out


def test_a_newcomer_reads_how_to_turn_memory_on(memkit_cli, fake):
    fake.enabled, fake.n_entries = False, 0

    out = memkit_cli("status").out

    assert "to say yes: memkit enable, or memkit.enable()" in out
    assert "memkit list" not in out


def test_an_empty_memory_says_how_to_begin(memkit_cli, fake):
    fake.n_entries = 0

    assert "memkit import adr FOLDER" in memkit_cli("status").out


def test_a_memory_that_was_turned_off_says_what_still_works(memkit_cli, fake):
    fake.enabled = False

    assert "To look at what is there: memkit list" in memkit_cli("status").out


def test_a_damaged_memory_says_how_to_see_and_mend_it(memkit_cli, fake):
    fake.n_damaged = 2

    assert "memkit verify" in memkit_cli("status").out


def test_enable_prints_what_is_stored_and_where(memkit_cli, fake):
    fake.enabled = False

    done = memkit_cli("enable")

    assert fake.enabled
    assert done.out.startswith("Memory is now on for /p.\n")
    for said in (
        f"/r/{KEY}",
        "plain text",
        "0600",
        "no security boundary",
        "Nothing leaves this machine",
        "memkit wipe",
    ):
        assert said in " ".join(done.out.split())
    assert "already on" in memkit_cli("enable").out


def test_disable_says_what_stays(memkit_cli, fake):
    done = memkit_cli("disable")

    assert not fake.enabled
    assert "now off for /p" in done.out
    assert "Entries that stay: 2" in done.out
    fake.n_entries = 0
    assert "Nothing is stored for this project." in memkit_cli("disable").out


@pytest.fixture
def config(project):
    import os
    import pathlib

    file = pathlib.Path(os.environ["HOME"]) / ".config" / "memkit" / "config.toml"
    file.parent.mkdir(parents=True)
    return file


def test_config_show_names_the_source_of_every_value(memkit_cli, project, config, monkeypatch):
    config.write_text("[recall]\nlimit = 5\n")
    (project / "memkit.toml").write_text("[recall]\nk1 = 1.5\n[decisions]\npanels = ['adr']\n")
    monkeypatch.setenv("MEMKIT_RECALL__B", "0.5")

    done = memkit_cli("config", "show", "--project", str(project), "--root", "/r")

    lines = {line.split(" = ")[0]: line for line in done.out.splitlines()}
    assert lines["recall.limit"].split() == ["recall.limit", "=", "5", "#", str(config)]
    assert lines["recall.k1"].endswith(f"# {project / 'memkit.toml'}")
    assert lines["decisions.panels"].startswith('decisions.panels = ["adr"]')
    assert lines["recall.b"].endswith("# environment MEMKIT_RECALL__B")
    assert lines["memory.storage_path"].startswith('memory.storage_path = "/r"')
    assert lines["memory.storage_path"].endswith("# argument")
    assert lines["locks.wait_seconds"].endswith("# default")
    assert lines["scrub.extra"].startswith("scrub.extra = {}")


def test_config_show_as_json_has_value_and_source(memkit_cli, project, config):
    (project / "memkit.toml").write_text("[memory]\nenabled = true\n")

    answer = memkit_cli("config", "show", "--json", "--project", str(project)).json()

    rows = {row["key"]: row for row in answer["settings"]}
    assert rows["memory.enabled"] == {"key": "memory.enabled", "value": False, "source": "default"}
    assert "memory.enabled" in answer["warnings"][0]


def test_config_show_warns_of_what_a_project_tried(memkit_cli, project, config):
    (project / "memkit.toml").write_text("[memory]\nenabled = true\n")

    done = memkit_cli("config", "show", "--project", str(project))

    assert done.err.startswith("memkit: warning: ")
    assert "memory.enabled" in done.err


def test_config_show_of_a_misspelt_file_leaves_with_3(memkit_cli, project, config):
    config.write_text("[recall]\nlimt = 5\n")

    done = memkit_cli("config", "show", "--project", str(project))

    assert done.code == 3
    assert done.err == f"memkit: error: {config}: recall.limt: unknown key. Did you mean limit?\n"


def test_config_show_of_a_folder_that_is_not_there_leaves_with_3(memkit_cli, tmp_path):
    done = memkit_cli("config", "show", "--project", str(tmp_path / "gone"))

    assert done.code == 3
    assert "does not exist" in done.err
