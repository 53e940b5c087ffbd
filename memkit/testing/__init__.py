"""Temporary stores for a user's own tests, so that none of them ever touches the real one.

    from memkit.testing import temp_memory_root

    def test_my_panel_is_remembered():
        with temp_memory_root() as mem:
            mem.store(question="Tabs or spaces?", result={"conclusion": "Spaces."})
            assert mem.recall("spaces")[0].summary == "Spaces."

With pytest, `pytest_plugins = ["memkit.testing.fixtures"]` in a conftest gives the fixture `memory` as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memkit.clock import Clock
from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment


@contextmanager
def temp_memory_root(
    *, project: str | Path | None = None, clock: Clock | None = None, retention: bool = False
) -> Iterator[Memory]:
    """A Memory over an empty store in a temporary folder, enabled; gone after the block.

    Args:
        project: The project's folder; a temporary one by default.
        clock: What time it is; the system's by default.
        retention: Whether the default retention policy holds; without it, nothing a test stores is ever pruned.

    The user's settings files, the environment and the home folder are not read.
    """
    with tempfile.TemporaryDirectory(prefix="memkit-test-") as folder:
        base = Path(folder)
        place = Path(project) if project is not None else base / "project"
        place.mkdir(exist_ok=True)
        env = {} if retention else {"MEMKIT_RETENTION__ENABLED": "false"}
        environment = Environment(env=env, home=base, config_file=base / "config.toml")
        with open_memory(place, root=base / "root", enabled=True, clock=clock, environment=environment) as memory:
            yield memory
