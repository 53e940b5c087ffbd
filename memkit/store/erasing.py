"""Erasing entries: every copy goes, in an order that survives a crash at any point.

A person erases one; what has expired in the trash goes together, so that the store is read once and not once for each.

    sift the living entries for what only these say -> lock -> intent, durable -> index line (generation raised) ->
    log text, telemetry, state, staging, dead letters, quarantine -> snapshot -> left-over temporary files -> trash ->
    the entry's file -> tombstone, durable -> intent removed -> unlock

An entry's own text is what copies of it are found by, so its file goes last: whoever carries on after a crash reads
it, sifts again, and repeats every step; a step that was done finds nothing. Where the file is gone already, all that
depended on it was done. From the intent on the erasure happens; nothing takes it back.

The snapshot is written anew by whoever can (a floor above this one); here, and after a crash, it is removed: it is
derived, and the next open makes it again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from memkit.errors import DamagedError
from memkit.model import jsontext
from memkit.model.erasure import Erasure
from memkit.model.index_line import IndexLine, LineDamage, parse_line
from memkit.store import durable, entries, erasers, erasures, look, quarantine
from memkit.store.audit_forget import Forgotten, forget_text
from memkit.store.erasers import Removed
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.traces import Sifting, Traces, texts_in, words_in

ALIKE = 0.8
"""From this share of its telling words on, another entry counts as one that says much the same."""
_ENTRY_NAME = re.compile(r"(?P<id>[a-z0-9]{8,128})\.json", re.ASCII)
_NO_TEXTS = frozenset({"schemaVersion", "id", "storedAt", "projectKey", "projectPath", "replaces"})
_Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sifted:
    """What entries were found by, and what was seen of the others meanwhile.

    Attributes:
        traces: Their fragments.
        cited_by: Ids of living entries in whose file the id of the one stands; of several it is not asked.
        alike: Ids of living entries that hold most of its words; likewise.
        seen: Files of living entries and their versions: they hold none of the fragments.
        n_bytes: Bytes of these files.
    """

    traces: Traces
    cited_by: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    seen: dict[str, _Version] = field(default_factory=dict)
    n_bytes: int = 0


def copies(paths: StorePaths, ids: Collection[str]) -> dict[str, list[Path]]:
    """Files that are these entries, by id: in `results/`, in `trash/`, damaged ones in quarantine."""
    found: dict[str, list[Path]] = {entry_id: [] for entry_id in ids}
    for entry_id, files in found.items():
        if look.exists(paths.entry_file(entry_id)):
            files.append(paths.entry_file(entry_id))
    for path in _in_trash(paths):
        if (entry_id := path.name.removesuffix(".json")) in found:
            found[entry_id].append(path)
    for spot in quarantine.spots(paths):
        match = _ENTRY_NAME.fullmatch(spot.file.removeprefix("results/"))
        if match is not None and spot.file.startswith("results/") and match["id"] in found:
            found[match["id"]].append(paths.quarantine / f"{spot.name}.bin")
    return found


def ids_with_a_copy(paths: StorePaths) -> set[str]:
    """Ids of entries of which there is a file in `results/`, `trash/` or quarantine, or an index line."""
    found = set(entries.ids_on_disk(paths)) | {path.name.removesuffix(".json") for path in _in_trash(paths)}
    for spot in quarantine.spots(paths):
        match = _ENTRY_NAME.fullmatch(spot.file.removeprefix("results/"))
        if match is not None and spot.file.startswith("results/"):
            found.add(match["id"])
    return found | {line.id for line in _lines(paths)}


def _lines(paths: StorePaths) -> Iterator[IndexLine]:
    for line in (look.read_bytes(paths.index) or b"").split(b"\n"):
        try:
            yield parse_line(line)
        except LineDamage:
            continue


def _in_trash(paths: StorePaths) -> list[Path]:
    return [path for path, _ in look.tree(paths.trash) if _ENTRY_NAME.fullmatch(path.name)]


def texts_of(paths: StorePaths, files: Mapping[str, Sequence[Path]]) -> dict[str, list[str]]:
    """Every text of every copy of some entries, by id; of a copy nobody can parse, all of its bytes as one text."""
    found = {entry_id: [text for path in copied for text in _texts_in(path)] for entry_id, copied in files.items()}
    if not all(found.values()):
        for line in _lines(paths):
            if not found.get(line.id, ["not asked for"]):
                found[line.id] += [line.question_preview, line.panel_id, *line.tags]
    return found


def _texts_in(path: Path) -> list[str]:
    data = look.read_bytes(path)
    if data is None:
        return []
    try:
        envelope = jsontext.loads_object(data)
    except jsontext.JsonDamage:
        return [data.decode("utf-8", "replace")]
    return list(texts_in([value for name, value in envelope.items() if name not in _NO_TEXTS]))


def sift(paths: StorePaths, ids: Sequence[str]) -> Sifted:
    """Compare entries with every other living one; reads each once."""
    project = words_in(f"{paths.project_path} {paths.key} {paths.root}".encode("utf-8", "surrogatepass"))
    gone = (erasure.id.encode() for erasure in erasures.erased(paths))
    results = [f"results/{name}" for name in look.names_in(paths.results) if _ENTRY_NAME.fullmatch(name)]
    others = (_id_of(name).encode() for name in results)
    files = copies(paths, ids)
    first, *rest = files
    texts = texts_of(paths, files)
    together = {entry_id: texts[entry_id] for entry_id in rest}
    sifting = Sifting(first, texts[first], own=(*project, *gone, *others), together=together)
    mine = {str(path) for copied in files.values() for path in copied}
    needle = b"" if rest else first.encode()
    cited_by: list[str] = []
    alike: list[str] = []
    seen: dict[str, _Version] = {}
    n_bytes = 0
    for name in (*results, *(paths.relative(path) for path in _in_trash(paths))):
        path = f"{paths.folder}/{name}"
        read = None if path in mine else look.read_with_version(path)
        if read is None:
            continue
        data, seen[name] = read
        share = sifting.compare(data)
        if needle and needle in data:
            cited_by.append(_id_of(name))
        if needle and share >= ALIKE:
            alike.append(_id_of(name))
        n_bytes += len(data)
    return Sifted(sifting.traces(), tuple(cited_by), tuple(alike), seen, n_bytes)


def _id_of(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(".json")


def run(
    paths: StorePaths,
    begun: Sequence[Erasure],
    traces: Traces,
    *,
    held: HeldLock,
    wait_seconds: float,
    snapshot: Callable[[], Iterable[Removed]] | None = None,
    forget: Callable[..., Forgotten] = forget_text,
) -> list[Removed]:
    """All steps from the intent to the end.

    The index lock is held, and the snapshot lock and, where there are records, the canonical-writer lock as well.

    Raises:
        StoreError: the disk or a permission stood in the way; the intent stays, and the next writer carries on.
    """
    _require(paths, held)
    erasures.begin(paths, begun)
    removed = list(erasers.index_line(paths, traces, held, wait_seconds=wait_seconds))
    removed += erasers.log_text(paths, traces, wait_seconds=wait_seconds, forget=forget)
    removed += erasers.lines(paths, traces)
    removed += erasers.reasons(paths, traces)
    removed += erasers.candidates(paths, traces, at=begun[0].erased_at)
    removed += erasers.quarantine(paths, traces)
    removed += drop_snapshot(paths) if snapshot is None else snapshot()
    removed += erasers.leftover(paths, traces)
    removed += erasers.trash_files(paths, traces, held=held)
    removed += erasers.entry_file(paths, traces)
    erasures.end(paths, begun)
    return removed


def finish(paths: StorePaths, held: HeldLock, *, wait_seconds: float = 2.0) -> bool:
    """Carry an erasure that was cut off to its end; whether there was one. The index lock is held.

    While another process makes the snapshot or reconciles candidates, nothing is done, and the next one carries on.
    Where days of the log were compacted, `retention.expiry.carry_on` does: this floor does not read Parquet.
    """
    if not look.exists(paths.erasing) or look.exists(paths.compacted):
        return False
    with ExitStack() as stack:
        locks: list[HeldLock] = []
        for path in (paths.canonical_lock, paths.snapshot_lock):
            taken = Lock(path, 0).try_acquire(None)
            if taken is None:
                return False
            stack.callback(taken.release)
            locks.append(taken)
        return finish_begun(paths, held, snapshot=locks[-1], wait_seconds=wait_seconds)


def finish_begun(
    paths: StorePaths,
    held: HeldLock,
    *,
    snapshot: HeldLock,
    wait_seconds: float = 2.0,
    forget: Callable[..., Forgotten] = forget_text,
) -> bool:
    """The same with the canonical-writer lock and the snapshot lock held as well."""
    _require(paths, held)
    if not snapshot.is_held or snapshot.path != paths.snapshot_lock:
        raise RuntimeError("the snapshot lock must be held")
    try:
        begun = erasures.under_way(paths)
    except DamagedError:
        return False  # `verify` says so
    if not begun:
        return False
    traces = sift(paths, [erasure.id for erasure in begun]).traces
    run(paths, begun, traces, held=held, wait_seconds=wait_seconds, forget=forget)
    return True


def drop_snapshot(paths: StorePaths) -> Iterator[Removed]:
    """Remove the snapshot with all its files; the snapshot lock is held."""
    files = [paths.snapshots / name for name in look.names_in(paths.snapshots)]
    if files:
        durable.unlink(paths.manifest, durable=True)
        for file in files:
            durable.remove_tree(file)
        durable.sync_folder(paths.snapshots)
        yield Removed(paths.relative(paths.snapshots), "segments", "file", len(files))


def _require(paths: StorePaths, held: HeldLock) -> None:
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")
