"""Files a verb writes where it was told to: pages and plans."""

from __future__ import annotations

from pathlib import Path

from memkit.errors import InvalidInputError


def require_place(out: str) -> Path:
    """The path given with `--out`, if a file can stand there; asked before the work is done.

    Raises:
        InvalidInputError: it is a folder, or its folder does not exist.
    """
    path = Path(out)
    if path.is_dir() or not path.name:
        raise InvalidInputError("is a folder", file=out, field="--out", remedy="Give the name of a file in it.")
    if not path.parent.is_dir():
        raise InvalidInputError("its folder does not exist", file=out, field="--out", remedy="Make the folder first.")
    return path


def write_page(path: Path, text: str) -> None:
    """Write a page so that a reader sees the old one or the new one.

    Raises:
        StoreError: the disk or a permission stood in the way.
    """
    from memkit.store import durable

    durable.replace(path, text.encode("utf-8"))
