"""`memkit doctor`: each thing that can stand in the way is made to, and has to be named with what to do."""

import errno
import os
import pathlib
from types import SimpleNamespace

import pytest

import memkit
from memkit.deciding import doctor
from memkit.model.checkup import Check
from memkit.settings import Environment
from memkit.store import disk, durable
from memkit.store.lock import Lock


@pytest.fixture
def home(tmp_path, monkeypatch):
    for name in [n for n in os.environ if n.startswith(("MEMKIT_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def shop(home):
    project = home / "shop"
    project.mkdir()
    return project


@pytest.fixture
def full_shop(shop):
    memkit.enable(shop)
    with memkit.open(shop) as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        return SimpleNamespace(project=shop, paths=mem.paths)


def rows(done) -> list[tuple[str, str]]:
    return [(row["topic"], row["verdict"]) for row in done.json()["doctor"]["checks"]]


def the(done, topic, verdict) -> dict:
    """The one row of a topic with this verdict; it says what to do unless all is well."""
    found = [row for row in done.json()["doctor"]["checks"] if (row["topic"], row["verdict"]) == (topic, verdict)]
    assert len(found) == 1, done.json()["doctor"]["checks"]
    return found[0]


def everything_in(folder: pathlib.Path) -> dict:
    return {p: (p.lstat().st_mtime_ns, p.lstat().st_mode, p.lstat().st_size) for p in sorted(folder.rglob("*"))}


def test_a_fresh_home_is_sound_with_memory_off_and_nothing_is_made(memkit_cli, home, shop):
    before = everything_in(home)

    done = memkit_cli("doctor", "--project", str(shop), "--json")

    assert done.code == 0
    assert "memkit enable" in the(done, "consent", "warn")["remedy"]
    assert everything_in(home) == before


def test_a_store_is_looked_at_whole_and_not_touched(memkit_cli, home, full_shop):
    before = everything_in(home)

    done = memkit_cli("doctor", "--project", str(full_shop.project), "--json")

    assert done.code == 0
    assert the(done, "entries", "ok")["detail"] == "1"
    assert {"settings", "consent", "store", "integrity", "locks", "flock", "space", "sizes"} <= {
        t for t, _ in rows(done)
    }
    assert done.json()["doctor"]["is_sound"] is True
    assert everything_in(home) == before


def test_the_counts_are_those_of_the_rows(memkit_cli, full_shop):
    done = memkit_cli("doctor", "--project", str(full_shop.project), "--json")

    verdicts = [verdict for _, verdict in rows(done)]
    assert done.json()["doctor"]["counts"] == {name: verdicts.count(name) for name in ("ok", "warn", "bad")}


def test_people_see_what_is_bad_first(memkit_cli, full_shop):
    full_shop.paths.index.write_bytes(b"{broken\n")

    done = memkit_cli("doctor", "--project", str(full_shop.project))

    assert done.code == 1
    assert done.out.startswith("1 bad, ")
    first = next(line for line in done.out.splitlines() if line.startswith(("✕", "◇", "✓")))
    assert "integrity" in first
    assert "memkit repair" in done.out


def test_settings_that_cannot_be_read_are_one_bad_line_with_the_file(memkit_cli, shop):
    (shop / "memkit.toml").write_text("[recall]\nlimt = 3\n")

    done = memkit_cli("doctor", "--project", str(shop), "--json")

    assert done.code == 1
    assert "memkit.toml" in the(done, "settings", "bad")["remedy"]
    assert the(done, "store", "bad")
    assert done.json()["doctor"]["folder"] is None


def test_a_setting_that_was_ignored_is_told(memkit_cli, shop):
    (shop / "memkit.toml").write_text("[memory]\nenabled = true\n")

    assert "enabled" in the(memkit_cli("doctor", "--project", str(shop), "--json"), "settings", "warn")["detail"]


def test_a_held_lock_names_its_holder(memkit_cli, full_shop):
    with Lock(full_shop.paths.index_lock).held("a test"):
        done = memkit_cli("doctor", "--project", str(full_shop.project), "--json")

    assert done.code == 0
    assert f"pid {os.getpid()}" in the(done, "locks", "warn")["detail"]


def test_a_folder_others_may_look_into_is_told(memkit_cli, full_shop):
    full_shop.paths.folder.chmod(0o755)

    assert (
        "chmod 700"
        in the(memkit_cli("doctor", "--project", str(full_shop.project), "--json"), "store", "warn")["remedy"]
    )


def test_a_file_where_the_store_should_be_is_bad_and_the_rest_is_still_looked_at(memkit_cli, shop, tmp_path):
    (tmp_path / "root").write_text("")

    done = memkit_cli("doctor", "--project", str(shop), "--root", str(tmp_path / "root"), "--json")

    assert done.code == 1
    assert ("store", "bad") in rows(done)
    assert ("python", "ok") in rows(done)


def test_another_projects_store_is_bad(memkit_cli, full_shop):
    text = full_shop.paths.store_json.read_text()
    full_shop.paths.store_json.write_text(text.replace(str(full_shop.project), "/somewhere/else"))

    done = memkit_cli("doctor", "--project", str(full_shop.project), "--json")

    assert (done.code, ("store", "bad") in rows(done)) == (1, True)


def test_a_missing_index_is_told_with_the_way_to_write_it_again(memkit_cli, full_shop):
    full_shop.paths.index.unlink()

    done = memkit_cli("doctor", "--project", str(full_shop.project), "--json")

    assert "memkit repair" in the(done, "entries", "warn")["remedy"]


def checks_of(folder) -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for row in disk.checks(pathlib.Path(folder)):
        found.setdefault(row.topic, []).append(row)
    return found


@pytest.mark.parametrize(
    ("free", "files", "space", "inodes"),
    [
        pytest.param(2 << 30, 1_000_000, "ok", "ok", id="roomy"),
        pytest.param(500 << 20, 5_000, "warn", "warn", id="scarce"),
        pytest.param(10 << 20, 3, "bad", "bad", id="full"),
    ],
)
def test_scarce_space_and_inodes_are_told_before_they_are_gone(tmp_path, monkeypatch, free, files, space, inodes):
    about = SimpleNamespace(f_flag=0, f_bavail=free // 4096, f_frsize=4096, f_files=10**6, f_favail=files)
    monkeypatch.setattr(disk.os, "statvfs", lambda path: about)

    found = checks_of(tmp_path)

    assert (found["space"][0].verdict, found["inodes"][0].verdict) == (space, inodes)
    assert all(row.remedy for rows in found.values() for row in rows if row.verdict != "ok")


def test_a_file_system_mounted_read_only_is_bad(tmp_path, monkeypatch):
    about = SimpleNamespace(f_flag=os.ST_RDONLY, f_bavail=1 << 30, f_frsize=4096, f_files=0, f_favail=0)
    monkeypatch.setattr(disk.os, "statvfs", lambda path: about)

    assert checks_of(tmp_path)["space"][0].verdict == "bad"


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        pytest.param(errno.ENOLCK, "bad", id="no-locks"),
        pytest.param(errno.EBADF, "warn", id="only-for-writing"),
        pytest.param(errno.EWOULDBLOCK, "ok", id="somebody-has-it"),
    ],
)
def test_flock_is_tried_and_its_answer_read(tmp_path, monkeypatch, code, verdict):
    def answer(descriptor, how):
        if how & durable.fcntl.LOCK_EX:
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(durable.fcntl, "flock", answer)

    assert [row.verdict for row in checks_of(tmp_path)["flock"]] == [verdict]


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [("ext4", "ok"), ("nfs4", "warn"), ("fuse.sshfs", "warn"), ("tmpfs", "warn"), ("btrfs", "ok")],
)
def test_the_nearest_mount_says_the_kind_of_file_system(tmp_path, monkeypatch, kind, verdict):
    mounts = tmp_path / "mounts"
    point = str(tmp_path / "a b").replace(" ", "\\040")
    mounts.write_text(f"1 0 8:1 / / rw - xfs /dev/a rw\n2 1 0:5 / {point} rw shared:1 - {kind} there rw\nbroken\n")
    monkeypatch.setattr(disk, "_MOUNTS", mounts)
    (tmp_path / "a b").mkdir()

    assert disk.file_system(tmp_path / "a b") == kind
    assert disk.file_system(tmp_path) == "xfs"
    assert [row.verdict for row in checks_of(tmp_path / "a b" / "not yet there")["file system"]] == [verdict]


@pytest.mark.parametrize("name", ["Dropbox", "OneDrive - Shop", "Mobile Documents"])
def test_a_root_in_a_synchronised_folder_is_told(tmp_path, name):
    assert [row.verdict for row in checks_of(tmp_path / name / "memory")["folder"]] == ["warn"]


def test_a_root_in_a_repository_is_told(tmp_path):
    (tmp_path / ".git").mkdir()

    assert "git" in checks_of(tmp_path / "memory")["folder"][0].detail


def test_a_package_that_is_missing_or_too_old_is_bad(monkeypatch):
    assert [row.verdict for row in doctor._packages({"no-such-package-here": 1})] == ["bad"]
    assert [row.verdict for row in doctor._packages({"duckdb": 99})] == ["bad"]
    assert [row.verdict for row in doctor._packages()] == ["ok"] * len(doctor.LEAST)


def test_the_packages_and_extras_are_those_of_the_project():
    import tomllib

    project = tomllib.loads((pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    for name, major in doctor.LEAST.items():
        assert any(line.startswith(f"{name}>={major}") for line in project["dependencies"]), name
    assert set(doctor.EXTRAS) == set(project["optional-dependencies"])
    assert project["requires-python"] == f">={'.'.join(map(str, doctor.LEAST_PYTHON))}"


def test_an_extra_that_is_not_there_says_how_to_get_it():
    (row,) = doctor._extras([("charts", "no_such_module_here")])

    assert (row.verdict, "pip install 'memkit[charts]'" in row.remedy) == ("ok", True)


def test_without_a_place_for_temporary_files_the_checkup_still_answers(shop, home):
    from memkit.clock import SystemClock

    around = Environment(home=home, config_file=home / "config.toml")
    found = doctor.check_up(str(shop), root=None, environment=around, temp_directory=None, clock=SystemClock())

    assert [row.verdict for row in found if row.topic == "temporary"] == ["bad"]
    assert not found.is_sound
    assert f"{found.counts['bad']} bad" in repr(found)
    assert len(found) == sum(found.counts.values())
    assert "<table" in found.to_html()


def test_a_project_that_is_not_there_is_the_users_mistake(memkit_cli, home):
    done = memkit_cli("doctor", "--project", str(home / "gone"))

    assert (done.code, "Traceback" in done.err) == (3, False)
