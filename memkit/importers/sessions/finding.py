"""From what a person types to a session's file: a path, an id, or `latest`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from memkit.errors import ImportSourceError
from memkit.importers.sessions.lines import cannot
from memkit.importers.sessions.reading import about_file
from memkit.store.paths import path_text

LATEST: Final = "latest"
MAX_DEPTH: Final = 6
MAX_LOOKED_INTO: Final = 2_000
MIN_ID_CHARS: Final = 8
_ENDING: Final = ".jsonl"
_SIDE: Final = "agent-"  # transcripts of helpers, beside those of people


def find_session(wanted: str, *, folders: Sequence[Path], project_path: str) -> Path:
    """The file of a session.

    Args:
        wanted: The path of a file; the id of a session, or its first 8 characters or more; or `latest`: the session of
            this project that was written to last.
        folders: Where tools put their sessions; those that do not exist are passed over.
        project_path: The project's real path.

    Raises:
        ImportSourceError: there is none, or there are several.
    """
    if wanted == LATEST:
        return _latest(folders, project_path)
    path = Path(wanted)
    try:
        if path.is_dir():
            raise ImportSourceError(
                "is a folder", file=path_text(path), field="session", remedy="Give one session file of it."
            )
        if path.exists():
            return path
    except OSError as error:  # a name too long to be one
        raise cannot(error, path) from error
    if os.sep in wanted or path.suffix:
        raise ImportSourceError(
            "does not exist", file=path_text(path), field="session", remedy="Give an existing file, an id, or `latest`."
        )
    return _by_id(wanted, folders)


def _by_id(wanted: str, folders: Sequence[Path]) -> Path:
    exact, near = [], []
    for path in session_files(folders):
        stem = path.stem
        if stem == wanted or stem.endswith((f"_{wanted}", f"-{wanted}")):
            exact.append(path)
        elif len(wanted) >= MIN_ID_CHARS and (stem.startswith(wanted) or f"_{wanted}" in stem or f"-{wanted}" in stem):
            near.append(path)
    found = sorted(set(exact or near))
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(path_text(path) for path in found[:5])
        raise ImportSourceError(
            f"{len(found)} sessions are called {wanted!r:.60}",
            field="session",
            remedy=f"Give one of the files: {names}.",
        )
    raise ImportSourceError(
        f"no session is called {wanted!r:.60}", field="session", remedy=f"Give its file; looked into {_named(folders)}."
    )


def _latest(folders: Sequence[Path], project_path: str) -> Path:
    dated = []
    for path in session_files(folders):
        try:
            dated.append((path.stat().st_mtime_ns, os.fsencode(path), path))
        except OSError:  # gone meanwhile
            continue
    dated.sort(reverse=True)
    for _, _, path in dated[:MAX_LOOKED_INTO]:
        if path.name.startswith(_SIDE):
            continue
        try:
            project = about_file(path)[1]
        except ImportSourceError:  # no session; the next one may be
            continue
        if project and _is_within(project, project_path):
            return path
    raise ImportSourceError(
        f"none of {len(dated):,} session files is about {project_path}",
        field="session",
        remedy=f"Give the session's file; looked into {_named(folders)}.",
    )


def _is_within(folder: str, project_path: str) -> bool:
    folder = os.path.normpath(folder)
    return folder == project_path or folder.startswith(project_path.rstrip(os.sep) + os.sep)


def _named(folders: Sequence[Path]) -> str:
    return ", ".join(path_text(folder) for folder in folders) or "no folder (setting sessions.folders)"


def session_files(folders: Sequence[Path]) -> Iterator[Path]:
    """Every `.jsonl` in some folders, in no order; links inside are not followed."""
    todo = [(folder, 0) for folder in folders]
    while todo:
        folder, depth = todo.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError:  # a tool that is not there, or a folder that is not ours
            continue
        for entry in listed:
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < MAX_DEPTH:
                        todo.append((Path(entry.path), depth + 1))
                elif entry.name.endswith(_ENDING) and entry.is_file(follow_symlinks=False):
                    yield Path(entry.path)
            except OSError:
                continue
