"""The end of the audit log: the newest events without reading the rest, and following it as it grows.

Following goes on over midnight and over a file that was replaced because text was erased from it. It never takes a
lock: a line counts once its newline is there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from memkit.model import jsontext
from memkit.store import audit_log, jsonl, look
from memkit.store.paths import StorePaths

TAIL_BYTES = 256 * 1024


def latest(paths: StorePaths, n: int) -> list[dict[str, Any]]:
    """The newest `n` events, oldest first; as many as the last logs hold within reach of their ends."""
    found: list[dict[str, Any]] = []
    for day in reversed(audit_log.days(paths)):
        reach = TAIL_BYTES
        events: list[dict[str, Any]] = []
        while True:
            events, is_all = _end_of_day(paths, day, reach)
            if is_all or len(events) >= n - len(found):
                break
            reach *= 8
        found = [*events, *found][-n:]
        if len(found) >= n:
            break
    return found


def _end_of_day(paths: StorePaths, day: str, reach: int) -> tuple[list[dict[str, Any]], bool]:
    file = paths.log_file(day)
    info = look.status_of(file)
    size = info.st_size if info else 0
    start = max(0, size - reach)
    data = look.read_from(file, start) or b""
    if start:
        data = data[data.find(b"\n") + 1 :]
    return list(_events(data)), start == 0


def _events(data: bytes) -> Iterator[dict[str, Any]]:
    for line in jsonl.lines(data):
        with suppress(jsontext.JsonDamage):
            yield jsonl.parse_object(line.data)


@dataclass(slots=True)
class Follower:
    """Reads what was appended since it last looked.

    Attributes:
        paths: Where the logs lie.
    """

    paths: StorePaths
    _day: str = ""
    _inode: int = -1
    _position: int = 0
    _seq: int = 0

    def skip(self) -> None:
        """Begin behind what is there now."""
        for _ in self.new():
            pass

    def new(self) -> Iterator[dict[str, Any]]:
        """Events appended since the last call, in order."""
        for day in audit_log.days(self.paths):
            if day < self._day:
                continue
            if day > self._day:
                self._day, self._inode, self._position = day, -1, 0
            yield from self._of_day(day)

    def _of_day(self, day: str) -> Iterator[dict[str, Any]]:
        file = self.paths.log_file(day)
        info = look.status_of(file)
        if info is None:
            return
        is_replaced = info.st_ino != self._inode or info.st_size < self._position
        if is_replaced:
            self._inode, self._position = info.st_ino, 0
        data = look.read_from(file, self._position) or b""
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        for event in _events(whole):
            n = event.get("seq")
            if isinstance(n, int) and not isinstance(n, bool):
                if is_replaced and n <= self._seq:
                    continue
                self._seq = n
            yield event


def follow(
    paths: StorePaths, *, seconds: float = 0.2, sleep: Callable[[float], object] = time.sleep
) -> Iterator[dict[str, Any]]:
    """Every event from now on, as it is appended; never ends by itself.

    Args:
        paths: Where the logs lie.
        seconds: How long to wait between two looks.
        sleep: Waits; tests put their own here.
    """
    follower = Follower(paths)
    follower.skip()
    while True:
        yield from follower.new()
        sleep(seconds)
