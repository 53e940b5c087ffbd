"""A reader's home: the sample project, with memory on and everything imported, made once and copied for each page."""

import os
import pathlib
import shutil

import pytest

from tests.docs.running import Reader, make_home


@pytest.fixture(scope="session")
def _homes(tmp_path_factory):
    """(the one place of every reader's home, what is copied there). A project's key depends on its path."""
    base = tmp_path_factory.mktemp("reader")
    place, full = base / "home", base / "full"
    with pytest.MonkeyPatch.context() as patch:
        for name in [n for n in os.environ if n.startswith(("MEMKIT_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("HOME", str(place))
        make_home(place, with_samples=True)
    place.rename(full)
    return place, full


@pytest.fixture
def reader(_homes, monkeypatch):
    """A reader who stands in the sample project."""
    place, full = _homes
    shutil.copytree(full, place, symlinks=True)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.chdir(place / "wherry")
    who = Reader(place)
    try:
        yield who
    finally:
        who.close()
        monkeypatch.undo()
        shutil.rmtree(place)


@pytest.fixture
def newcomer(reader):
    """A reader with an empty home: no project, no settings, nothing stored."""
    home = pathlib.Path(reader.home)
    os.chdir(home)
    for name in ("wherry", ".config", ".consensus"):
        shutil.rmtree(home / name)
    return reader
