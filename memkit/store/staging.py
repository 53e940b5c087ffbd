"""`staging/<session_id>.json`: the candidates of one session, by category, waiting to become records.

Truth. Fields memkit does not know are kept; files of this shape written by other tools are read. Missing, empty,
damaged, newer, another project's: each is its own answer. Bytes that cannot be read are moved to quarantine before
anything takes their place. An element that is no candidate stays where it stands, as `Malformed`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memkit import clock as clocks
from memkit.display import count
from memkit.errors import DamagedError, ForeignStoreError, InvalidInputError
from memkit.model import jsontext
from memkit.model.candidate import CATEGORIES, Candidate, Malformed, faults
from memkit.model.frozen import FrozenMapping
from memkit.model.problem import Problem
from memkit.store import durable, look, quarantine
from memkit.store.candidate_files import (
    ENDING,
    MAX_FILE_BYTES,
    SCHEMA_VERSION,
    Item,
    damaged,
    file_name,
    is_name,
    made_stem,
    put,
    read_folder,
    read_item,
    read_object,
    remove,
    require_session_id,
    require_writer,
)
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.store import Store


@dataclass(frozen=True, slots=True)
class StagingFile:
    """The candidates of one session.

    Attributes:
        name: Of the file in `staging/`.
        session_id: The session.
        produced_at: When it was last added to, as the file says it: memkit writes ISO 8601.
        project_root: The project's real path.
        items: Candidates, and what stands in their place, by category in the order of `CATEGORIES`.
        extra: Fields memkit does not know.
        extra_lists: Lists of categories memkit does not know.
        sha256: Of the file's bytes as they were read; "" for one that is not there yet.
    """

    name: str
    session_id: str
    produced_at: Any
    project_root: str
    items: tuple[Item, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))
    extra_lists: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))
    sha256: str = ""

    def __repr__(self) -> str:
        return f"<StagingFile {self.name}: {count(len(self.items), 'candidate')} of session {self.session_id[:40]!r}>"

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Those that can be read."""
        return tuple(item for item in self.items if isinstance(item, Candidate))

    @property
    def malformed(self) -> tuple[Malformed, ...]:
        """Those that cannot."""
        return tuple(item for item in self.items if isinstance(item, Malformed))

    def to_dict(self) -> dict[str, Any]:
        """The file's JSON object."""
        lists: dict[str, Any] = {category: [] for category in CATEGORIES}
        for item in self.items:
            lists[item.category].append(item.to_dict() if isinstance(item, Candidate) else item.raw)
        known: dict[str, Any] = {
            "schemaVersion": SCHEMA_VERSION,
            "session_id": self.session_id,
            "produced_at": self.produced_at,
            "project_root": self.project_root,
            "candidates": {**lists, **self.extra_lists},
        }
        return {**known, **{k: v for k, v in self.extra.items() if k not in known}}


@dataclass(frozen=True, slots=True)
class Staged:
    """What staging did.

    Attributes:
        file: The session's file as it is now.
        added: The candidates that were not there yet.
        n_known: How many were there already.
        quarantined: The spot in quarantine that damaged bytes were moved to; "" where there were none.
    """

    file: StagingFile
    added: tuple[Candidate, ...]
    n_known: int = 0
    quarantined: str = ""


# -- reading ----------------------------------------------------------------------------------------------------------


def read_file(paths: StorePaths, name: str) -> StagingFile | None:
    """One staging file by its name, or None where there is none.

    Raises:
        NewerFormatError: a newer memkit wrote it.
        ForeignStoreError: it belongs to another project.
        DamagedError: it is empty, too large, or not of this shape.
        StoreError: the operating system refuses to show it.
    """
    file = paths.staging / name
    data = look.read_bytes(file, limit=MAX_FILE_BYTES + 1)
    if data is None:
        return None
    raw = read_object(data, file)
    root = raw.get("project_root")
    if root is not None and (not isinstance(root, str) or os.path.normpath(root) != paths.project_path):
        raise ForeignStoreError(
            f"belongs to the project {str(root)[:300]}",
            file=file,
            field="project_root",
            remedy="It is left alone; move it to that project's store.",
        )
    session_id = raw.get("session_id")
    lists = raw.get("candidates")
    if not isinstance(session_id, str) or not session_id.strip():
        raise damaged("session_id is missing or no text", file)
    if not isinstance(lists, dict) or not all(isinstance(lists.get(name, []), list) for name in CATEGORIES):
        raise damaged(f"candidates is no object of the lists {', '.join(CATEGORIES)}", file)
    known = {"schemaVersion", "session_id", "produced_at", "project_root", "candidates"}
    return StagingFile(
        name=name,
        session_id=session_id,
        produced_at=raw.get("produced_at"),
        project_root=paths.project_path,
        items=tuple(read_item(category, each) for category in CATEGORIES for each in lists.get(category, [])),
        extra=FrozenMapping({k: v for k, v in raw.items() if k not in known}),
        extra_lists=FrozenMapping({k: v for k, v in lists.items() if k not in CATEGORIES}),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def read_session(paths: StorePaths, session_id: str) -> StagingFile | None:
    """The staging file of one session, or None where nothing of it is staged; raises what `read_file` does."""
    for name in _names(session_id):
        found = read_file(paths, name)
        if found is not None and found.session_id == session_id:
            return found
    return None


def _names(session_id: str) -> list[str]:
    """The names a session's file may have: memkit's, and what another tool makes of the id."""
    plain = f"{session_id}{ENDING}"
    names = [file_name(session_id), f"{made_stem(session_id)}{ENDING}"]
    if "/" not in plain and "\0" not in plain and len(os.fsencode(plain)) < 256 and is_name(plain):
        names.append(plain)
    return list(dict.fromkeys(names))


def read_all(paths: StorePaths) -> tuple[list[StagingFile], list[Problem]]:
    """Every staging file in the order of names, and what cannot be read among them.

    Raises:
        StoreError: the folder cannot be listed.
    """
    return read_folder(paths.staging, "staging", lambda name: read_file(paths, name), lambda file: file.malformed)


# -- writing ----------------------------------------------------------------------------------------------------------


def stage(store: Store, held: HeldLock, session_id: str, candidates: Sequence[Candidate]) -> Staged:
    """Add candidates to a session's staging file, durably; those whose words are there already are left out.

    Candidates are written as they are given: scrubbing is the caller's business.

    Raises:
        InvalidInputError: a candidate with `faults`, or an id that cannot be one; nothing was written.
        NewerFormatError, ForeignStoreError: the session's file is not this memkit's to change.
        StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
    """
    require_writer(store, held)
    require_session_id(session_id)
    for candidate in candidates:
        for fault in faults(candidate):
            raise InvalidInputError(
                f"{candidate.title!r:.60}: {fault.field} {fault.detail} ({fault.reason})", field=fault.field
            )
    spot = ""
    try:
        found = read_session(store.paths, session_id)
    except DamagedError as damage:
        found, spot = None, _quarantine(store, damage)
    file = found or StagingFile(_free_name(store.paths, session_id), session_id, None, store.paths.project_path)
    known = {candidate.digest for candidate in file.candidates}
    added: dict[str, Candidate] = {}
    for candidate in candidates:
        if candidate.digest not in known:
            added.setdefault(candidate.digest, candidate)
    if not added:
        return Staged(file, (), len(candidates), spot)
    items = (*file.items, *added.values())
    now = clocks.iso(store.clock.now())
    grown = replace(file, items=tuple(sorted(items, key=lambda item: CATEGORIES.index(item.category))), produced_at=now)
    grown = write(store, held, grown)
    return Staged(grown, tuple(added.values()), len(candidates) - len(added), spot)


def _free_name(paths: StorePaths, session_id: str) -> str:
    """A name that no other session's file has."""
    for name in _names(session_id)[:2]:
        if not look.exists(paths.staging / name):
            return name
    raise ForeignStoreError(
        "holds another session than its name says",
        file=paths.staging / file_name(session_id),
        field="session_id",
        remedy="Give it the name of its own session.",
    )


def _quarantine(store: Store, damage: DamagedError) -> str:
    path = store.paths.staging / os.path.basename(damage.file or "")
    data = look.read_bytes(path) or b""
    now = store.clock.now()
    spot = quarantine.put(store.paths, data, file=store.paths.relative(path), start=0, reason=damage.what, moved_at=now)
    durable.unlink(path, durable=True)
    return spot.name


def write(store: Store, held: HeldLock, file: StagingFile) -> StagingFile:
    """Put a staging file in place of the one of its name, durably; one without items is removed.

    Returns:
        The file with the hash of the bytes that were written.

    Raises:
        StoreError: nothing was acknowledged.
    """
    require_writer(store, held)
    if not file.items and not file.extra_lists:
        remove(store, store.paths.staging / file.name, "stage")
        return replace(file, sha256="")
    data = jsontext.dumps(file.to_dict()) + b"\n"
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInputError(
            f"the candidates of one session take {len(data):,} bytes, at most {MAX_FILE_BYTES:,} are kept",
            field="candidates",
            remedy="Reconcile what is staged first.",
        )
    put(store, store.paths.staging / file.name, data, "stage")
    return replace(file, sha256=hashlib.sha256(data).hexdigest())
