"""What the cases of other projects have in common: a registry by id, and a kit of stores and memories."""

from __future__ import annotations

import datetime as dt
import os
import pathlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memkit.clock import UTC, FixedClock
from memkit.store.store import Store
from memkit.store.verify import verify
from tests.reliability.stores import NO_RETENTION, new, open_store, quietly

BUGS: dict[str, Callable[[Kit], None]] = {}
NOW = dt.datetime(2031, 5, 5, 10, 0, tzinfo=UTC)


def bug(*ids: str):
    """Register a case under the ids of the reports it reproduces."""

    def register(function: Callable[[Kit], None]) -> Callable[[Kit], None]:
        BUGS.update(dict.fromkeys(ids, function))
        return function

    return register


class Kit:
    """A scratch folder with a store, and a memory over it where one is wanted."""

    def __init__(self, scratch: pathlib.Path) -> None:
        self.scratch = scratch
        self.root = scratch / "root"
        self.clock = FixedClock(NOW)

    def store(self, project: str = "/projects/demo", *, wait_seconds: float = 5.0) -> Store:
        """A store, opened anew."""
        return open_store(self.root, project, wait_seconds=wait_seconds, clock=self.clock)

    def filled(self, n: int = 3) -> tuple[Store, list[str]]:
        """A store with `n` entries and their ids."""
        store = self.store()
        return store, [receipt.id for receipt in store.store_many([new(f"m{i}") for i in range(n)])]

    @contextmanager
    def memory(self, project: str = "project", **more: Any) -> Iterator[Any]:
        """A memory over a real project folder, enabled, without retention, that reads no settings of the user."""
        from memkit.opening import open_memory
        from memkit.settings import Environment

        folder = self.scratch / project
        folder.mkdir(parents=True, exist_ok=True)
        environment = Environment(home=self.scratch, config_file=self.scratch / "config.toml", env=NO_RETENTION)
        with (
            quietly(),
            open_memory(folder, root=self.root, enabled=True, clock=self.clock, environment=environment, **more) as mem,
        ):
            yield mem

    def bytes_on_disk(self) -> bytes:
        """Every byte under the root."""
        return b"\n".join(path.read_bytes() for path in sorted(self.root.rglob("*")) if path.is_file())


def markers(store: Store) -> list[str]:
    """What is listed, in the order of the index."""
    return [line.question_preview.removeprefix("question ") for line in store.read_index().lines]


def codes(store: Store) -> set[str]:
    """What verify says."""
    return {problem.code for problem in verify(store)}


def append_bytes(path: pathlib.Path, data: bytes) -> None:
    """As another program would."""
    with path.open("ab") as file:
        file.write(data)


def narrow(*paths: pathlib.Path) -> None:
    """Give files the mode memkit gives."""
    for path in paths:
        os.chmod(path, 0o600)
