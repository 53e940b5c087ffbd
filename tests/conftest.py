"""Shared fixtures. No test may touch the real home: HOME and the XDG folders point into a temporary one."""

import datetime as dt
import os
import pathlib

import hypothesis
import pytest

from memkit.clock import UTC, FixedClock

# The same examples at every run: the ordinary suite says yes or no, it does not search. Other profiles search.
hypothesis.settings.register_profile("steady", derandomize=True, deadline=None)
hypothesis.settings.register_profile("search", deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

REAL_HOME = os.path.expanduser("~")


@pytest.fixture(autouse=True)
def _home_is_temporary(tmp_path_factory, monkeypatch):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in list(os.environ):
        if name.startswith("MEMKIT_"):
            monkeypatch.delenv(name)


@pytest.fixture
def project(tmp_path) -> pathlib.Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def root(tmp_path) -> pathlib.Path:
    return tmp_path / "root"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC))
