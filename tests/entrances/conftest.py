import json
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from memkit import opening
from memkit.entrances.cli import call
from memkit.entrances.cli.app import app
from tests.entrances.fake_memory import FakeMemory


@pytest.fixture
def fake(monkeypatch) -> FakeMemory:
    """Every Memory the command line opens is this stand-in."""
    stand_in = FakeMemory()
    monkeypatch.setattr(call, "open_memory", stand_in.open)
    monkeypatch.setattr(opening, "enable", lambda project: stand_in.consent(project, enabled=True), raising=False)
    monkeypatch.setattr(opening, "disable", lambda project: stand_in.consent(project, enabled=False), raising=False)
    return stand_in


@pytest.fixture
def memkit_cli():
    """Run one command line in this process: `run("recall", "x", input="...")` with code, out, err and the JSON."""

    def run(*arguments, **more):
        done = CliRunner().invoke(app, list(arguments), prog_name="memkit", **more)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return SimpleNamespace(
            code=done.exit_code, out=done.stdout, err=done.stderr, json=lambda: json.loads(done.stdout)
        )

    return run
