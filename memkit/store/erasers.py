"""The erasers: each takes the bytes of one entry out of the files of its kinds, and says what it took.

All are called with the index lock held. Each may be called again after a crash at any point and then finds nothing, or
what is left. A file is written anew only where something leaves it.
"""

from __future__ import annotations

import datetime as dt
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memkit.model import jsontext
from memkit.model.erasure import ERASED
from memkit.model.event import without_text
from memkit.model.ledger import Ledger
from memkit.store import audit_log, durable, erased_candidates, firings, index, jsonl, ledger, leftovers, look, trash
from memkit.store.audit_forget import Forgotten, forget_text
from memkit.store.kinds import Eraser, kind_of
from memkit.store.lock import DEFAULT_WAIT_SECONDS, HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.traces import Traces

# How memkit's own index lines begin: they need not be parsed to know that they are another entry's.
_SOUND = b'{"id":"'
_ID = re.compile(rb'"(?:id|entryId|entry_id)"\s*:\s*"([a-z0-9]{8,128})"')
_STOOD = re.compile(rb'"results/([a-z0-9]{8,128})\.json"')
LINES_AT_A_TIME = 200
# Fields of single words: half of one is the whole of it, which says nothing.
KEYWORDS = frozenset({"triggers", "tags"})
# Fields whose values are words of memkit's own, whatever an entry says.
OWN_FIELDS = frozenset({"event", "op", "status", "actor", "worker", "trigger", "kind", "code", "category"})


@dataclass(frozen=True, slots=True)
class Removed:
    """What left one file.

    Attributes:
        file: Relative to the project's folder in the store.
        eraser: Which of `kinds.ERASERS` did it.
        what: `file`, `lines`, `texts`, `candidates`, `rows`.
        n: How many.
    """

    file: str
    eraser: Eraser
    what: str
    n: int = 1


@dataclass(frozen=True, slots=True)
class Hand:
    """What changes files for the erasers, or, when `dry`, only lets them count.

    Attributes:
        dry: Whether nothing is changed.
    """

    dry: bool = False

    def replace(self, path: Path, data: bytes) -> None:
        """See `durable.replace`."""
        if not self.dry:
            durable.replace(path, data)

    def unlink(self, path: Path) -> bool:
        """Remove a file durably; whether there was one."""
        return look.exists(path) if self.dry else durable.unlink(path, durable=True)

    def unlink_all(self, files: Iterable[Path]) -> list[Path]:
        """Remove files, then make that durable once for each folder; those there were."""
        if self.dry:
            return [file for file in files if look.exists(file)]
        gone = [file for file in files if durable.unlink(file)]
        for folder in dict.fromkeys(file.parent for file in gone):
            durable.sync_folder(folder)
        return gone


WET = Hand()


def names(value: jsontext.Json, ids: Collection[str], *, in_lists: bool) -> bool:
    """Whether a JSON value holds one of the ids as a value; as an element of a list only if `in_lists`."""
    if isinstance(value, dict):
        return any(names(item, ids, in_lists=in_lists) for item in value.values())
    if isinstance(value, list):
        return any(names(item, ids, in_lists=in_lists) for item in value if in_lists or isinstance(item, (dict, list)))
    return isinstance(value, str) and value in ids


def masked(value: jsontext.Json, is_text: Callable[[str, str], bool], field: str = "") -> tuple[jsontext.Json, int]:
    """A JSON value with `ERASED` in the place of the texts of which `is_text(field, text)` says so, and how many."""
    if isinstance(value, str):
        return (ERASED, 1) if is_text(field, value) else (value, 0)
    if isinstance(value, dict):
        n, made = 0, {}
        for key, item in value.items():
            made[key], more = masked(item, is_text, key)
            n += more
        return made, n
    if isinstance(value, list):
        parts = [masked(item, is_text, field) for item in value]
        return [part for part, _ in parts], sum(n for _, n in parts)
    return value, 0


# -- the entry and its line -------------------------------------------------------------------------------------------


def entry_file(paths: StorePaths, traces: Traces, hand: Hand = WET) -> Iterator[Removed]:
    """`results/<id>.json`."""
    for file in hand.unlink_all(map(paths.entry_file, sorted(traces.ids))):
        yield Removed(paths.relative(file), "entry file", "file")


def index_line(paths: StorePaths, traces: Traces, held: HeldLock | None, *, wait_seconds: float) -> Iterator[Removed]:
    """Its line; all else of the index stays, damaged lines that quote the entry aside. Without a lock it counts."""
    data = look.read_bytes(paths.index)
    if data is None:
        return
    kept, n = index_without(data, traces)
    if n:
        if held is not None:
            index.rewrite(paths, held, [kept], wait_seconds=wait_seconds)
        yield Removed(paths.relative(paths.index), "index line", "lines", n)


def index_without(data: bytes, traces: Traces) -> tuple[bytes, int]:
    """The bytes of an index, or of its beginning up to a line's end, without the lines of an entry; how many went."""
    kept: list[bytes] = []
    n = 0
    for line in data.split(b"\n"):
        pieces = list(jsonl.glued_objects(line)) if line else [line]
        stays = [piece for piece in pieces if not _is_line_of(piece, traces)]
        n += len(pieces) - len(stays)
        if len(stays) == len(pieces):
            kept.append(line)
        else:
            kept += stays
    return b"\n".join(kept), n


def _is_line_of(piece: bytes, traces: Traces) -> bool:
    if not piece or (piece.startswith(_SOUND) and piece.endswith(b"}") and not traces.name_in(piece)):
        return False
    try:
        return jsonl.parse_object(piece).get("id") in traces.ids
    except jsontext.JsonDamage:
        return _is_about(piece, traces)


def _is_about(data: bytes, traces: Traces) -> bool:
    """Whether bytes nobody can parse are of the entry, or quote it."""
    return any(match[1].decode() in traces.ids for match in _ID.finditer(data)) or traces.quoted_in(data)


# -- lines, candidates, quarantine ------------------------------------------------------------------------------------


def lines(paths: StorePaths, traces: Traces, hand: Hand = WET) -> Iterator[Removed]:
    """`state/*.jsonl` and `firings.jsonl`: what was said about the entry, and what quotes it."""
    for file in _files(paths, "lines"):
        if file != paths.firings:
            yield from _lines_of(paths, file, traces, hand)
    if hand.dry:
        yield from _lines_of(paths, paths.firings, traces, hand)
    elif look.exists(paths.firings_lock) or look.exists(paths.firings):  # else nobody can be appending
        with firings.firings_lock(paths, DEFAULT_WAIT_SECONDS).held("erase") as held:
            # What is counted goes first: of a shorter file nobody could tell that it is.
            firings.cut_used(paths, held, Ledger.of(ledger.read(paths)[0]).reinforced, clock=None)
            yield from _lines_of(paths, paths.firings, traces, hand)


def _lines_of(paths: StorePaths, file: Path, traces: Traces, hand: Hand) -> Iterator[Removed]:
    data = look.read_bytes(file) or b""
    kept = [line for line in data.split(b"\n") if not _goes(line, traces, in_lists=file == paths.firings)]
    n = data.count(b"\n") + 1 - len(kept)
    if n:
        hand.replace(file, b"\n".join(kept))
        yield Removed(paths.relative(file), "lines", "lines", n)


def _goes(line: bytes, traces: Traces, *, in_lists: bool) -> bool:
    try:
        return bool(line) and (
            names(jsonl.parse_object(line), traces.ids, in_lists=in_lists) or _says(line, traces, telemetry=in_lists)
        )
    except jsontext.JsonDamage:
        return _is_about(line, traces)


def _says(line: bytes, traces: Traces, *, telemetry: bool) -> bool:
    """Whether one of the texts of a line, its fixed words aside, quotes the entry; of telemetry, holds a fragment."""
    if not traces.are_in(line):
        return False
    says = traces.are_in if telemetry else traces.quoted_in
    return masked(jsonl.parse_object(line), lambda field, text: field not in OWN_FIELDS and says(text))[1] > 0


def reasons(paths: StorePaths, traces: Traces, hand: Hand = WET) -> Iterator[Removed]:
    """`state/erasures.jsonl`: why others were erased, where that holds a fragment."""
    for file in _files(paths, "reasons"):
        yield from _masked_lines(paths, file, "reasons", traces, hand)


def candidates(
    paths: StorePaths, traces: Traces, hand: Hand = WET, *, at: dt.datetime | None = None
) -> Iterator[Removed]:
    """`staging/` and `deadletter/`: candidates that name the entry or quote it; `at` is when, for the ledger."""
    for file in _files(paths, "candidates"):
        gone = erased_candidates.going(
            paths, file, lambda item: _is_of(item, traces), lambda data: _is_about(data, traces)
        )
        if gone is None:
            continue
        if not hand.dry and at is not None:
            erased_candidates.settle(paths, gone.lives, at=at, hides=traces.are_in)
        if gone.kept is None:
            hand.unlink(file)
        else:
            hand.replace(file, jsontext.dumps(gone.kept) + b"\n")
        yield Removed(paths.relative(file), "candidates", gone.what, gone.n)


def _is_of(item: jsontext.Json, traces: Traces) -> bool:
    """Whether a candidate names the entry or quotes it; that one of its triggers is a word of the entry is chance."""
    if names(item, traces.ids, in_lists=True):
        return True
    said = masked(item, lambda field, text: field not in KEYWORDS and traces.quoted_in(text))[1] > 0
    return said or traces.quoted_in("\n".join(_texts(item)))


def _texts(value: jsontext.Json) -> Iterator[str]:
    """Every text of a JSON value; keys are none."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


def quarantine(paths: StorePaths, traces: Traces, hand: Hand = WET) -> Iterator[Removed]:
    """Damaged bytes of the entry or with its text, line by line, and notes that quote it."""
    for file in _files(paths, "quarantine"):
        data = look.read_bytes(file) or b""
        if file.suffix == ".json":
            yield from _note(paths, file, data, traces, hand)
            continue
        note = look.read_bytes(file.with_suffix(".json")) or b""
        stood = _STOOD.search(note)
        is_own = stood is not None and stood[1].decode() in traces.ids
        kept = [] if is_own else [line for line in data.split(b"\n") if not _is_about(line, traces)]
        n = data.count(b"\n") + 1 - len(kept)
        if n and not b"".join(kept).strip():
            hand.unlink(file)
            hand.unlink(file.with_suffix(".json"))
        elif n:
            hand.replace(file, b"\n".join(kept))
        if n:
            yield Removed(paths.relative(file), "quarantine", "lines", n)


def _note(paths: StorePaths, file: Path, data: bytes, traces: Traces, hand: Hand) -> Iterator[Removed]:
    if not traces.are_in(data):
        return
    try:
        note, n = masked(jsontext.loads_object(data), lambda field, text: field == "reason" and traces.are_in(text))
        hand.replace(file, jsontext.dumps(note) + b"\n")
    except jsontext.JsonDamage:
        n = 1
        hand.unlink(file)
    if n:
        yield Removed(paths.relative(file), "quarantine", "texts", n)


def trash_files(
    paths: StorePaths, traces: Traces, hand: Hand = WET, *, held: HeldLock | None = None
) -> Iterator[Removed]:
    """Its envelope in `trash/`, what was kept beside it, and its id and hash in the plans."""
    files = [file for file in _files(paths, "trash") if file != paths.trash_plans]
    own = (file for file in files if file.name.split(".")[0] in traces.ids or _is_kept_copy(file, traces))
    for file in hand.unlink_all(own):
        yield Removed(paths.relative(file), "trash", "file")
    data = look.read_bytes(paths.trash_plans) or b""
    n = sum(match[1].decode() in traces.ids for match in _ID.finditer(data))
    if n:
        if held is not None and not hand.dry:
            trash.forget(paths, held, traces.ids)
        yield Removed(paths.relative(paths.trash_plans), "trash", "lines", n)


def _is_kept_copy(file: Path, traces: Traces) -> bool:
    return file.suffix == ".kept" and _is_about(look.read_bytes(file) or b"", traces)


def log_text(
    paths: StorePaths,
    traces: Traces,
    hand: Hand = WET,
    *,
    wait_seconds: float,
    forget: Callable[..., Forgotten] = forget_text,
) -> Iterator[Removed]:
    """Texts of events that name the entry or hold a fragment; the events stay, and their chain.

    `forget` is `audit_forget.forget_text`, or what does the same for compacted days too.
    """
    if not look.exists(paths.audit_lock):
        return
    concerns = concerning(traces)
    removed = [
        Removed(paths.relative(paths.log_file(day)), "log text", "texts", n)
        for day in audit_log.days(paths)
        if (n := _n_concerned(paths, day, concerns, traces))
    ]
    yield from removed
    if not hand.dry and (removed or look.exists(paths.compacted)):
        with Lock(paths.audit_lock, wait_seconds).held(None) as held:
            done = forget(paths, held, concerns, in_damage=in_damage(traces))
        told = {each.file for each in removed}
        compacted = (paths.relative(paths.logs / name) for name in done.files)
        yield from (Removed(file, "log text", "file") for file in compacted if file not in told)


def concerning(traces: Traces) -> Callable[[Mapping[str, jsontext.Json]], bool]:
    """Says of an event whether it loses its text: it names the entry, or holds a fragment."""
    return lambda event: names(dict(event), traces.ids, in_lists=False) or _holds(event, traces)


def in_damage(traces: Traces) -> Callable[[bytes], bool]:
    """Says of damaged bytes whether they go."""
    return lambda data: _is_about(data, traces)


def _n_concerned(
    paths: StorePaths, day: str, concerns: Callable[[Mapping[str, jsontext.Json]], bool], traces: Traces
) -> int:
    """How many events of a day lose their text; damaged lines with the entry's bytes count too."""
    n = 0
    for line in _lines_with(look.read_bytes(paths.log_file(day)) or b"", traces):
        try:
            event = jsonl.parse_object(line)
        except jsontext.JsonDamage:
            n += _is_about(line, traces)
        else:
            has_text = without_text(line) != line if "prev" in event else True
            n += has_text and concerns(event)
    return n


def _lines_with(data: bytes, traces: Traces) -> Iterator[bytes]:
    """The lines that name the entry or hold a fragment, found many lines at a time."""

    def is_in(part: bytes) -> bool:
        return traces.name_in(part) or traces.are_in(part)

    lines = data.split(b"\n")
    for start in range(0, len(lines), LINES_AT_A_TIME):
        some = lines[start : start + LINES_AT_A_TIME]
        if is_in(b"\n".join(some)):
            yield from filter(is_in, some)


def _holds(event: Mapping[str, jsontext.Json], traces: Traces) -> bool:
    return masked(dict(event), lambda field, text: field not in OWN_FIELDS and traces.are_in(text))[1] > 0


def _masked_lines(paths: StorePaths, file: Path, eraser: Eraser, traces: Traces, hand: Hand) -> Iterator[Removed]:
    """Texts of a file's lines that hold a fragment; of a line nobody can parse, the whole."""
    data = look.read_bytes(file) or b""
    made: list[bytes] = []
    n = 0
    for line in data.split(b"\n"):
        new, more = _masked_line(line, traces) if traces.are_in(line) else (line, 0)
        if new is not None:
            made.append(new)
        n += more
    if n:
        hand.replace(file, b"\n".join(made))
        yield Removed(paths.relative(file), eraser, "texts", n)


def _masked_line(line: bytes, traces: Traces) -> tuple[bytes | None, int]:
    try:
        value = jsonl.parse_object(line)
    except jsontext.JsonDamage:
        return (None, 1) if _is_about(line, traces) else (line, 0)
    new, n = masked(value, lambda field, text: field not in OWN_FIELDS and traces.are_in(text))
    return (jsontext.dumps(new) if n else line), n


def leftover(paths: StorePaths, traces: Traces, hand: Hand = WET) -> Iterator[Removed]:  # noqa: ARG001
    """Temporary files nobody will publish: any of them may hold anything."""
    for path in list(leftovers.left_over(paths, everywhere=True)):
        if hand.unlink(path):
            yield Removed(paths.relative(path), "leftover", "file")


def _files(paths: StorePaths, eraser: Eraser) -> Iterator[Path]:
    """The files that one eraser looks after, in the order of their names."""
    tops = {
        "lines": (paths.state, paths.firings),
        "reasons": (paths.state,),
        "candidates": (paths.staging, paths.deadletter),
        "quarantine": (paths.quarantine,),
        "trash": (paths.trash,),
    }
    for top in tops[eraser]:
        for path, info in list(look.tree(top)):
            kind = kind_of(paths.relative(path))
            if kind is not None and kind.eraser == eraser and stat.S_ISREG(info.st_mode):
                yield path
