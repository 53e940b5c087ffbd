"""pytest fixtures: `pytest_plugins = ["memkit.testing.fixtures"]`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memkit.memory import Memory
from memkit.testing import temp_memory_root


@pytest.fixture
def memory() -> Iterator[Memory]:
    """A Memory over an empty temporary store."""
    with temp_memory_root() as mem:
        yield mem
