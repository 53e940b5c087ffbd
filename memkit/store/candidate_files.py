"""What staging files and dead letters have in common: names, reading with damage as data, writing as a whole.

Both are replaced or removed as a whole, durably, while the canonical-writer lock is held, and under the index lock, so
that a wipe that was cut off does not take away what was acknowledged after it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from memkit import clock as clocks
from memkit.errors import DamagedError, ForeignStoreError, InvalidInputError, NewerFormatError, StoreError
from memkit.model import jsontext
from memkit.model.candidate import CATEGORIES, Candidate, CandidateDamage, Category, Malformed, read_candidate
from memkit.model.problem import Problem
from memkit.store import durable, leftovers, look
from memkit.store.canonical import require_writer as require_writer  # noqa: PLC0414 - under the name callers know
from memkit.store.canonical import writing as writing  # noqa: PLC0414
from memkit.store.paths import path_text
from memkit.store.store import Store

SCHEMA_VERSION: Final = 1
MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_SESSION_CHARS: Final = 1_000
ENDING: Final = ".json"
# A name that is an id as it stands; others, and those that look like a name made from one, get a made name.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}", re.ASCII)
_MADE = re.compile(r".*--[0-9a-f]{16}", re.ASCII)
_NOT_PLAIN = re.compile(r"[^a-z0-9]+", re.ASCII)

Item = Candidate | Malformed
T = TypeVar("T")


def file_name(session_id: str) -> str:
    """The name of a session's staging file: its id where that can be a file's name anywhere, else one made from it."""
    return f"{stem(session_id)}{ENDING}"


def stem(session_id: str) -> str:
    """The name without its ending."""
    if _PLAIN.fullmatch(session_id) and not _MADE.fullmatch(session_id):
        return session_id
    return made_stem(session_id)


def made_stem(session_id: str) -> str:
    """A name made from an id: what is readable of it, and 16 hexadecimal digits."""
    digest = hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{_NOT_PLAIN.sub('-', session_id.lower()).strip('-')[:60] or 'session'}--{digest}"


def is_named_for(name: str, session_id: str) -> bool:
    """Whether a name without its ending is that of a session's staging file or of one of its dead letters."""
    made = {stem(session_id), made_stem(session_id), session_id}
    letters = tuple(f"{each}.{category}." for each in made for category in CATEGORIES)
    return bool(session_id) and (name in made or name.startswith(letters))


def is_name(name: str) -> bool:
    """Whether a file of this name in `staging/` or `deadletter/` is read: any `.json` that is not hidden."""
    return name.endswith(ENDING) and not name.startswith(".")


def moment_of(produced_at: object) -> dt.datetime | None:
    """What a file says about its time: ISO 8601 or epoch milliseconds."""
    try:
        if isinstance(produced_at, str):
            return clocks.parse_instant(produced_at)
        if isinstance(produced_at, (int, float)) and not isinstance(produced_at, bool):
            return clocks.from_ms(int(produced_at))
    except (ValueError, OverflowError):
        return None
    return None


def require_session_id(value: object) -> str:
    """Return a session's id if candidates can be staged under it.

    Raises:
        InvalidInputError: no text, empty, too long, or with half a character in it.
    """
    text = jsontext.require_text(value, "session_id")
    if not text.strip() or len(text) > MAX_SESSION_CHARS:
        raise InvalidInputError(
            f"{text!r:.60} cannot name a session",
            field="session_id",
            remedy=f"An id has 1 to {MAX_SESSION_CHARS:,} characters.",
        )
    return text


# -- reading --------------------------------------------------------------------------------------------------------


def read_object(data: bytes, file: os.PathLike[str]) -> dict[str, Any]:
    """The JSON object of a file.

    Raises:
        DamagedError, NewerFormatError: it is none, or a newer memkit wrote it.
    """
    if len(data) > MAX_FILE_BYTES:
        raise damaged(f"more than {MAX_FILE_BYTES:,} bytes", file)
    if not data.strip():
        raise damaged("the file is empty", file)
    try:
        raw = jsontext.loads_object(data)
    except jsontext.JsonDamage as damage:
        raise damaged(str(damage), file) from damage
    version = raw.get("schemaVersion", SCHEMA_VERSION)
    if not isinstance(version, int) or isinstance(version, bool):
        raise damaged("schemaVersion is no whole number", file)
    if version > SCHEMA_VERSION:
        raise NewerFormatError(
            f"schema version {version} is newer than {SCHEMA_VERSION}, which this memkit reads",
            file=file,
            remedy="Upgrade memkit to read it; it is left alone.",
        )
    return raw


def damaged(what: str, file: os.PathLike[str]) -> DamagedError:
    """The error for bytes that are not what they should be."""
    return DamagedError(what, file=file, remedy="Its bytes are kept; mend it by hand, or move it away.")


def read_item(category: Category, raw: object) -> Item:
    """A candidate, or what stands in its place."""
    try:
        return read_candidate(category, raw)
    except CandidateDamage as damage:
        return Malformed(category, damage.reason, str(damage), raw)


def read_folder(
    folder: Path,
    kind: str,
    read: Callable[[str], T | None],
    malformed: Callable[[T], Sequence[Malformed]],
) -> tuple[list[T], list[Problem]]:
    """Every file of `staging/` or `deadletter/` in the order of names, and what cannot be read among them.

    Args:
        folder: Which.
        kind: `staging` or `dead-letter`, for the problems.
        read: Makes sense of the file of a name; None where it is gone by now.
        malformed: The elements of a file that are no candidates.

    Raises:
        StoreError: the folder cannot be listed.
    """
    files: list[T] = []
    problems: list[Problem] = []
    for name in filter(is_name, look.names_in(folder)):
        relative = f"{folder.name}/{path_text(name)}"
        try:
            found = read(name)
        except StoreError as error:
            problems.append(problem_of(error, relative, kind))
            continue
        if found is not None:
            files.append(found)
            problems += about_malformed(malformed(found), relative)
    return files, problems


def problem_of(error: StoreError, file: str, kind: str) -> Problem:
    """What `verify` says about a file that cannot be read; `kind` is `staging` or `dead-letter`."""
    remedy = error.remedy or ""
    if isinstance(error, NewerFormatError):
        return Problem(code="newer-candidates", file=file, detail=error.what, remedy=remedy)
    if isinstance(error, ForeignStoreError):
        return Problem(code="foreign-staging", file=file, detail=error.what, remedy=remedy)
    if isinstance(error, DamagedError):
        code = "damaged-staging" if kind == "staging" else "damaged-dead-letter"
        return Problem(code=code, file=file, detail=error.what, remedy=remedy)
    return Problem(code="unreadable", file=file, detail=error.what, remedy=remedy)


def about_malformed(malformed: Sequence[Malformed], file: str) -> Iterator[Problem]:
    """What `verify` says about elements that are no candidates."""
    for each in malformed:
        yield Problem(
            code="malformed-candidate",
            file=file,
            detail=f"{each.category}: {each.reason}: {each.detail}",
            remedy="It is kept as it is; the others are read.",
        )


def name_of(session_id: str, item: Item) -> tuple[str, str]:
    """The key of a candidate and the digest of its words; of what is none, of its JSON."""
    if isinstance(item, Candidate):
        return item.key(session_id), item.digest
    data = jsontext.dumps([session_id, item.category, item.raw])
    digest = hashlib.sha256(data).hexdigest()[:16]
    return digest, digest


# -- writing --------------------------------------------------------------------------------------------------------


def put(store: Store, target: Path, data: bytes, command: str) -> None:
    """Replace or create a file of candidates, durably."""
    store.info()
    store.make_folders()
    with store.index_lock.held(command) as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        store.write_store_json()
        durable.make_folder(target.parent)
        durable.replace(target, data)


def remove(store: Store, target: Path, command: str) -> bool:
    """Remove a file of candidates durably; whether there was one."""
    if not look.exists(target):
        return False
    with store.index_lock.held(command) as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        return durable.unlink(target, durable=True)
