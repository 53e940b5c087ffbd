"""Consent on disk: written whole or not at all, for the owner only, over nothing that could not be read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib

import pytest

from memkit.errors import DiskFullError, LockedError, SettingsError, StorePermissionError
from memkit.settings import Environment, load
from memkit.store import durable, faults, look
from memkit.store.consent import record_consent
from memkit.store.lock import Lock

PROJECT = "/home/me/app"


@pytest.fixture
def environment(tmp_path) -> Environment:
    return Environment(home=tmp_path, config_file=tmp_path / "conf" / "memkit" / "config.toml")


def modes(path) -> str:
    return oct(stat.S_IMODE(os.stat(path).st_mode))


def test_consent_creates_the_file_for_the_owner_only(environment):
    old = os.umask(0)
    try:
        receipt = record_consent(environment, PROJECT, True)
    finally:
        os.umask(old)

    file = environment.config_file
    assert tomllib.loads(file.read_text()) == {"projects": {PROJECT: {"enabled": True}}}
    assert (modes(file), modes(file.parent)) == ("0o600", "0o700")
    assert receipt.to_dict() == {
        "project_path": PROJECT, "enabled": True, "before": None, "config_file": str(file), "changed": True,
    }  # fmt: skip


def test_consent_is_what_load_then_reads(environment, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    record_consent(environment, str(project), True)
    assert load(environment, project=project).settings.memory.enabled

    record_consent(environment, str(project), False)
    assert not load(environment, project=project).settings.memory.enabled


def test_saying_the_same_again_writes_nothing(environment):
    record_consent(environment, PROJECT, True)
    before = environment.config_file.stat()

    receipt = record_consent(environment, PROJECT, True)

    assert not receipt.changed
    assert environment.config_file.stat().st_ino == before.st_ino


def test_comments_survive_and_nothing_is_left_beside(environment):
    environment.config_file.parent.mkdir(parents=True)
    environment.config_file.write_text("# mine\n[recall]\nlimit = 3 # three\n")

    record_consent(environment, PROJECT, True)

    assert environment.config_file.read_text().startswith("# mine\n[recall]\nlimit = 3 # three\n")
    assert sorted(os.listdir(environment.config_file.parent)) == ["config.toml", "config.toml.lock"]


def test_a_linked_settings_file_stays_a_link(environment, tmp_path):
    real = tmp_path / "dotfiles" / "memkit.toml"
    real.parent.mkdir()
    real.write_text("# mine\n")
    environment.config_file.parent.mkdir(parents=True)
    environment.config_file.symlink_to(real)

    receipt = record_consent(environment, PROJECT, True)

    assert environment.config_file.is_symlink()
    assert receipt.config_file == str(real)
    assert tomllib.loads(real.read_text())["projects"] == {PROJECT: {"enabled": True}}


@pytest.mark.parametrize(
    "data", [pytest.param(b"[recall", id="torn"), pytest.param(b"a = '\xff'", id="not-utf-8"), pytest.param(b"projects = 1", id="other-use")]
)  # fmt: skip
def test_a_file_that_does_not_parse_is_never_written_over(environment, data):
    environment.config_file.parent.mkdir(parents=True)
    environment.config_file.write_bytes(data)

    with pytest.raises(SettingsError) as caught:
        record_consent(environment, PROJECT, True)

    assert caught.value.file == str(environment.config_file)
    assert environment.config_file.read_bytes() == data


def test_a_file_that_may_not_be_read_is_not_taken_for_a_new_one(environment, monkeypatch):
    environment.config_file.parent.mkdir(parents=True)
    environment.config_file.write_text("# mine\n")

    def refuse(path):
        raise faults.fault(PermissionError(13, "no"), path, "read")

    monkeypatch.setattr(look, "read_bytes", refuse)

    with pytest.raises(StorePermissionError):
        record_consent(environment, PROJECT, True)
    assert environment.config_file.read_text() == "# mine\n"


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(environment, monkeypatch):
    environment.config_file.parent.mkdir(parents=True)
    environment.config_file.write_text("# mine\n")
    with monkeypatch.context() as full:
        full.setattr(durable.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(DiskFullError):
            record_consent(environment, PROJECT, True)

    assert environment.config_file.read_text() == "# mine\n"
    assert sorted(os.listdir(environment.config_file.parent)) == ["config.toml", "config.toml.lock"]
    assert record_consent(environment, PROJECT, True).changed


def test_while_another_process_writes_the_file_it_is_not_touched(environment):
    environment.config_file.parent.mkdir(parents=True)
    with Lock(environment.config_file.with_name("config.toml.lock")).held("test"), pytest.raises(LockedError):
        record_consent(environment, PROJECT, True, wait_seconds=0.01)

    assert not environment.config_file.exists()


def test_processes_that_consent_at_once_all_get_their_line(environment):
    code = (
        "import sys; from pathlib import Path; from memkit.settings import Environment\n"
        "from memkit.store.consent import record_consent\n"
        "home, config, start = sys.argv[1:]\n"
        "for n in range(5): record_consent(Environment(Path(home), Path(config)), f'/p/{start}{n}', True)\n"
    )
    arguments = (str(environment.home), str(environment.config_file))
    running = [subprocess.Popen([sys.executable, "-c", code, *arguments, start]) for start in "abc"]

    assert [process.wait(60) for process in running] == [0, 0, 0]
    said = tomllib.loads(environment.config_file.read_text())["projects"]
    assert sorted(said) == sorted(f"/p/{start}{n}" for start in "abc" for n in range(5))
