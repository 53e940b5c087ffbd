"""Stores for the notebooks of the browser tests, made in their own kernel."""

import datetime as dt
import json
import pathlib
import tempfile

from memkit.clock import UTC, FixedClock
from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ROOT / "data-samples"
NOW = dt.datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def opened(base: pathlib.Path, project: pathlib.Path, clock: FixedClock, **more: str) -> Memory:
    """A memory under `base` that reads nobody's settings."""
    around = Environment(home=base, config_file=base / "config.toml", env=more)
    return open_memory(project, root=base / "root", enabled=True, clock=clock, environment=around)


def new_folder() -> pathlib.Path:
    """A temporary folder; the run's own temporary folder goes when the run is over."""
    return pathlib.Path(tempfile.mkdtemp(prefix="memkit-scene-"))


def samples() -> Memory:
    """The sample decisions, imported 76 days ago; panels on their own days; a policy under which some are due."""
    base = new_folder()
    project = base / "wherry"
    project.mkdir()
    (project / "memkit.toml").write_text(
        '[retention]\nmax_age_days = 240\n\n[retention.panels.adr]\nmax_age_days = "none"\n', encoding="utf-8"
    )
    clock = FixedClock(NOW - dt.timedelta(days=76))
    mem = opened(base, project, clock)
    mem.import_adr(SAMPLES / "wherry" / "docs" / "decisions")
    requests = []
    for file in sorted((SAMPLES / "wherry" / "panels").glob("*.json")):
        day = dt.datetime.fromisoformat(file.name[:10]).replace(hour=9, tzinfo=UTC)
        panel = json.loads(file.read_bytes())
        if file.name >= "2025-12" and day < clock.at:
            requests.append({"question": panel["question"], "result": panel, "stored_at": day, "tags": ["panel"]})
    mem.store_many(requests, prune=True)
    clock.at = NOW
    return mem


def consolidated() -> tuple[Memory, pathlib.Path]:
    """An empty memory and a session that holds candidates."""
    base = new_folder()
    mem = opened(base, SAMPLES / "wherry", FixedClock(NOW))
    return mem, SAMPLES / "sessions" / "2026-09-08-tablet-keys.jsonl"


def said(mem: Memory, session_id: str, text: str) -> pathlib.Path:
    """A session of one turn, as a coding agent writes it."""
    message = {"role": "user", "content": text}
    line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": session_id, "isSidechain": False,
            "timestamp": "2026-11-29T10:00:00Z", "cwd": "wherry", "message": message}  # fmt: skip
    path = mem.paths.root.parent / f"{session_id}.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path
