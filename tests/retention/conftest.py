import datetime as dt

import pytest

from memkit.opening import open_memory
from memkit.settings import Environment


@pytest.fixture
def open_mem(root, project, tmp_path, clock):
    """Opens the project's memory with a policy from variables; every one is closed when the test ends."""
    opened = []

    def open_one(**retention):
        env = {f"MEMKIT_RETENTION__{name.upper()}": str(value) for name, value in retention.items()}
        environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml", env=env)
        opened.append(open_memory(project, root=root, enabled=True, clock=clock, environment=environment))
        return opened[-1]

    yield open_one
    for mem in opened:
        mem.close()


@pytest.fixture
def fill(clock):
    """Stores results, one a day, oldest first, the last one today; the ids, oldest first."""

    def fill_one(mem, n, *, every=1, panel="consensus", tags=()):
        now = clock.now()
        requests = [
            {
                "question": f"Question {i} about the queue?",
                "result": {"conclusion": f"Answer {i}."},
                "panel_id": panel,
                "tags": tags,
                "stored_at": now - dt.timedelta(days=every * (n - 1 - i)),
            }
            for i in range(n)
        ]
        return [receipt.id for receipt in mem.store_many(requests, prune=True)]

    return fill_one
