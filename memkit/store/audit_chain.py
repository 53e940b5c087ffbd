"""The chain of the audit log: each event carries the hash of the one before, across days.

What a hash covers is said in `model.event`. The chain shows that nothing between two lines was changed, put in, taken
out or moved. Without a secret or a copy elsewhere it cannot show that the newest lines were cut off, or that somebody
wrote the whole log anew.

A crash may leave bytes that are no event at the end of a file. The next event says that they were there (`healed`: how
many bytes, their SHA-256), so what a crash left is vouched for, and any other damage is a break.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from memkit.model import jsontext
from memkit.model.event import GENESIS, Seal, seal_of
from memkit.store import audit_compacted, jsonl, look
from memkit.store.audit_compacted import CompactedDay
from memkit.store.damage import junk_of
from memkit.store.durable import Before
from memkit.store.paths import LOG_PREFIX, StorePaths

_STEP = 64 * 1024
_MOST_LOOKED_AT = 200
_DAY_CHARS = 10
_EVERY_EVENT = b'"id"'  # the key that each line has
JUNK = junk_of(b"id")
_NEWLINES = re.compile(rb"\n++")
_BEGINS = b'{"id":"'  # each line, as memkit writes it
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|$)', re.DOTALL)
_BRACES = re.compile(rb"[{}]")
Read = Callable[[int, int], bytes]


@dataclass(frozen=True, slots=True)
class Tail:
    """What the next line follows.

    Attributes:
        prev: The hash it carries.
        n: The number of the line before it; 0 where there is none.
        healed: What crashes left since the last whole line, by file.
    """

    prev: str = GENESIS
    n: int = 0
    healed: tuple[dict[str, Any], ...] = ()


def tail_before(paths: StorePaths, name: str, older: Sequence[str], before: Before) -> Tail:
    """What a line appended to the log `name` follows; the audit lock is held.

    Args:
        paths: Where the logs lie.
        name: The file it is appended to.
        older: Names of the files before it, oldest first.
        before: That file as it is.
    """
    end, left = _end(before.size, before.read)
    healed = [_wound(name, left)] if left else []
    for each in reversed(older):
        if end is not None:
            break
        file = paths.logs / each
        info = look.status_of(file)
        if info is None:
            continue
        end, left = _end(info.st_size, partial(_read, file))
        healed += [_wound(each, left)] if left else []
    prev, n = end or _before_logs(paths, name)
    return Tail(prev, n, tuple(healed))


def _before_logs(paths: StorePaths, name: str) -> tuple[str, int]:
    """Hash and number of the last event of a compacted day, where no log has a whole line."""
    with suppress(audit_compacted.DamagedListError):
        for day, known in reversed(audit_compacted.read(paths).items()):
            if paths.log_file(day).name < name and known.last:
                return known.last, known.n
    return GENESIS, 0


def _read(file: Path, start: int, n: int) -> bytes:
    return look.read_from(file, start, limit=n) or b""


def _wound(file: str, left: bytes) -> dict[str, Any]:
    return {"file": file, "bytes": len(left), "sha256": hashlib.sha256(left).hexdigest()}


def _end(size: int, read: Read) -> tuple[tuple[str, int] | None, bytes]:
    """Hash and number of the last whole line (None where the file has none), and the bytes behind it."""
    reach = _STEP
    while True:
        start = max(0, size - reach)
        data = read(start, size - start)
        end, looked_at = len(data), 0
        while end > 0 and (start == 0 or looked_at <= _MOST_LOOKED_AT):
            newline = data.rfind(b"\n", 0, end)
            if newline < 0 and start > 0:
                break
            found = _whole_line(data[newline + 1 : end])
            if found is not None:
                return found, _trimmed(data[end:])
            end, looked_at = max(newline, 0), looked_at + 1
            if looked_at > _MOST_LOOKED_AT:  # straight to the line before that may be an event
                at = data.rfind(_EVERY_EVENT, 0, end)
                after = data.find(b"\n", at, end) if at >= 0 else -1
                end = 0 if at < 0 else end if after < 0 else after
        if start == 0:
            return None, _trimmed(data)
        reach = size if looked_at > _MOST_LOOKED_AT else reach * 16


def _trimmed(left: bytes) -> bytes:
    return left.strip(b"\n")


def _whole_line(line: bytes) -> tuple[str, int] | None:
    """Hash and number of a line that is an event; `GENESIS` and 0 for one from before the chain; None for damage."""
    if not line:
        return None
    with suppress(jsontext.JsonDamage):
        raw = jsonl.parse_object(line)
        if not isinstance(raw.get("prev"), str):
            return GENESIS, 0
        n = raw.get("seq")
        return seal_of(line).digest, n if isinstance(n, int) else 0
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """A spot of the log.

    Attributes:
        file: Its name in `_logs/`.
        start: First byte.
        end: One past the last byte, without the newline.
        why: What is the matter there.
    """

    file: str
    start: int
    end: int
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


@dataclass(slots=True)
class Walk:
    """A check of the chain: feed it the days in order, then `end` it.

    Attributes:
        n_files: Days looked at.
        n_events: Whole lines.
        n_unchained: Those of them from before there was a chain.
        n_forgotten: Those whose text was erased.
        torn: What crashes left, vouched for by the event after it, or at the very end.
        at_end: The last of those, where no event follows them: one, or one in each of the last files.
        first_break: The first spot that no crash explains, or None.
        last: The hash the next event will carry; empty before the first chained event.
    """

    n_files: int = 0
    n_events: int = 0
    n_unchained: int = 0
    n_forgotten: int = 0
    torn: list[Place] = field(default_factory=list)
    at_end: tuple[Place, ...] = ()
    first_break: Place | None = None
    last: str = ""
    _begins: Place | None = None
    _begins_with: str = GENESIS
    _previous: Place | None = None
    _left: list[tuple[Place, int, str, bool]] = field(default_factory=list)
    _vouched: set[str] = field(default_factory=set)
    _n_odd: int = 0

    def file(self, name: str, data: bytes) -> None:
        """Walk one day's bytes."""
        self._day(name, ((start, data[start:end]) for start, end in spots(data, partial(self._behind_junk, data))))

    def lines(self, name: str, lines: Iterable[bytes]) -> None:
        """Walk one day, given as what stands between its newlines."""
        self._day(name, _placed(lines))

    def _day(self, name: str, lines: Iterable[tuple[int, bytes]]) -> None:
        self.n_files += 1
        self._n_odd = 0
        junk: _Junk | None = None
        for start, line in lines:
            try:
                raw = _object_of(line)
            except jsontext.JsonDamage as damage:
                if junk is None:
                    junk = _Junk(Place(name, start, start, str(damage)))
                junk.add(start, line)
                self._n_odd += 1
                continue
            if junk is not None:
                self._left.append(junk.left())
                junk = None
            self._n_odd += "id" not in raw
            self._event(Place(name, start, start + len(line)), raw, seal_of(line))
        if junk is not None:
            self._left.append(junk.left())

    def _behind_junk(self, data: bytes, position: int) -> int:
        """Where lines end that cannot be events and are taken as one, once there were too many odd ones."""
        run = None
        if self._n_odd > _MOST_LOOKED_AT:
            run = JUNK.match(data, position) or jsonl.BLANK.match(data, position)
        return position if run is None else run.end()

    def skip(self, name: str, day: CompactedDay) -> None:
        """Go over a compacted day by what is known of it."""
        self.n_files += 1
        self.n_events += day.n_events
        self._left.clear()
        self._vouched |= set(day.vouches)
        if day.begins_with:
            place = Place(name, 0, 0)
            self._link(place, day.begins_with)
            self.last, self._previous = day.last, place

    def _event(self, place: Place, raw: dict[str, Any], seal: Seal) -> None:
        self.n_events += 1
        prev = raw.get("prev")
        self.n_forgotten += "text_digest" in raw and not seal.has_text
        if isinstance(prev, str):
            self._settle(raw.get("healed"))
            self._link(place, prev)
            self.last = seal.digest
            self._vouched.update(vouched_by(raw))
        else:
            self.n_unchained += 1
            self._left.clear()  # before the chain nobody vouched for anything
            if self.last:
                self._break(place, "carries no hash, though lines before it do: it was put in, or edited")
        at = raw.get("occurred_at")
        if isinstance(at, str) and at[:_DAY_CHARS] > place.file.removeprefix(LOG_PREFIX)[:_DAY_CHARS]:
            self._break(place, f"is of {at[:_DAY_CHARS]} and stands in the log of an earlier day: the file was renamed")
        if not seal.is_text_whole:
            self._break(place, "its text was changed: it is not the text the digest was made of")
        self._previous = place

    def _settle(self, healed: Any) -> None:
        """Compare what is no event with what this event says it found."""
        said = {
            (each.get("file"), each.get("bytes"), each.get("sha256"))
            for each in (healed if isinstance(healed, list) else [])
            if isinstance(each, dict)
        }
        for place, n, digest, _ in self._left:
            if (place.file, n, digest) in said:
                self.torn.append(replace(place, why="left by a crash: the next event says that it was there"))
            else:
                self._break(place, f"damaged after the next event was written: {place.why}")
        self._left.clear()

    def _link(self, place: Place, prev: str) -> None:
        if not self.last:
            self._begins, self._begins_with = place, prev
        elif prev != self.last:
            before = self._previous or place
            if prev == GENESIS:
                self._break(place, "begins a new chain, though lines stand before it")
                return
            at = f"byte {place.start:,}" if before.file == place.file else f"{place.file}, byte {place.start:,}"
            self._break(
                before,
                f"the next line ({at}) follows another one: this one was edited, put in or moved, or lines between "
                "the two were taken out",
            )

    def end(self) -> None:
        """Judge what is left: bytes at the very end, and a beginning that nobody vouches for."""
        for i, (place, _, _, are_cut) in enumerate(self._left):
            if are_cut or i == len(self._left) - 1:
                torn = replace(place, why="at the end, as a crash leaves it; the next event will say so")
                self.at_end = (*self.at_end, torn)
                self.torn.append(torn)
            else:
                self._break(place, f"damaged: {place.why}")
        self._left.clear()
        if self._begins is not None and self._begins_with not in {GENESIS, *self._vouched}:
            why = "the log begins in the middle: what stood before was taken out, and no event says so"
            if self.first_break is None or self.first_break.file >= self._begins.file:
                self.first_break = replace(self._begins, why=why)

    def _break(self, place: Place, why: str) -> None:
        if self.first_break is None:
            self.first_break = replace(place, why=why)


class _Junk:
    """Neighbouring lines that are no events, and the newlines between them."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._digest = hashlib.sha256()
        self._are_cut = True

    def add(self, start: int, line: bytes) -> None:
        self._are_cut = self._are_cut and is_cut(line)
        self._digest.update(b"\n" * (start - self._place.end))
        self._digest.update(line)
        self._place = replace(self._place, end=start + len(line))

    def left(self) -> tuple[Place, int, str, bool]:
        return self._place, self._place.end - self._place.start, self._digest.hexdigest(), self._are_cut


def is_cut(line: bytes) -> bool:
    """Whether a line is the beginning of an event, as an append that was cut off leaves it, blocks of zeros behind it.

    A line that was changed in an editor has its end, or another beginning.
    """
    line = line.rstrip(b"\0")
    if not _BEGINS.startswith(line[: len(_BEGINS)]):
        return False
    depth = 0
    for brace in _BRACES.findall(_TEXTS.sub(b"", line)):
        depth += 1 if brace == b"{" else -1
        if not depth:
            return False
    return True


def _object_of(line: bytes) -> dict[str, Any]:
    """The object on a line, or the damage that several lines taken as one are."""
    if b"\n" in line:
        raise jsontext.JsonDamage("lines that are no events")
    return jsonl.parse_object(line)


def _placed(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    position = 0
    for line in lines:
        if line:
            yield position, line
        position += len(line) + 1


def vouched_by(raw: Mapping[str, Any]) -> list[str]:
    """The hashes with which the log may begin, if this event says that older days were removed."""
    begins = raw.get("chain_from")
    return [str(each) for each in begins] if raw.get("op") == "forget_days" and isinstance(begins, list) else []


def spots(data: bytes, behind: Callable[[int], int] | None = None) -> Iterator[tuple[int, int]]:
    """Where each non-empty line begins and ends, newline left out, the last one whether or not it has one.

    `behind` is asked at the beginning of each line how far the spot goes at least; newlines at its end are left out.
    """
    position = 0
    while True:
        if empty := _NEWLINES.match(data, position):
            position = empty.end()
        if position >= len(data):
            return
        newline = data.find(b"\n", position)
        after = len(data) if newline < 0 else newline + 1
        if behind is not None:
            after = max(after, behind(position))
        end = after
        while data[end - 1 : end] == b"\n":
            end -= 1
        yield position, end
        position = after
