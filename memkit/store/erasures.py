"""`state/erasures.jsonl` and `state/erasing.json`: what was erased, and the erasure under way.

`erasing.json` has a line for each entry. It is written, durably, before the first byte of one is touched, and removed
at the very end: as long as it is there, the next holder of the index lock carries the erasure to its end. A line of
`erasures.jsonl` says that an entry is gone for good; it holds no text of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from memkit.errors import DamagedError
from memkit.model import jsontext
from memkit.model.entry import Source
from memkit.model.erasure import Erasure, parse_erasure
from memkit.model.problem import Problem
from memkit.store import durable, look
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines

MAX_BYTES = 256 * 1024 * 1024


def read(paths: StorePaths) -> tuple[list[Erasure], list[Problem]]:
    """Every erasure in order, and the damaged lines among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_lines(
        paths,
        paths.erasures,
        parse_erasure,
        code="damaged-erasure",
        remedy="What it told is lost: an import may bring back what was erased. The other lines are read.",
    )


def erased(paths: StorePaths) -> list[Erasure]:
    """Every erasure that can be read, the latest one of an id only."""
    return list({erasure.id: erasure for erasure in read(paths)[0]}.values())


def why_left_out(known: list[Erasure], source: Source, by_place: bool) -> str:
    """Why an import leaves a document out: its entry was erased; "" where it was not."""
    found = next((erasure for erasure in reversed(known) if erasure.is_of(source, by_place=by_place)), None)
    if found is None:
        return ""
    return f"its entry was erased on {found.erased_at:%Y-%m-%d}; `memkit store` takes it in again"


def under_way(paths: StorePaths) -> tuple[Erasure, ...]:
    """The erasures that were begun together and are not finished; none where nothing was.

    Raises:
        DamagedError: there are some, and what they are about cannot be read.
    """
    data = look.read_bytes(paths.erasing, limit=MAX_BYTES)
    if data is None:
        return ()
    try:
        return tuple(parse_erasure(jsontext.loads_object(line)) for line in data.rstrip(b"\n").split(b"\n"))
    except jsontext.JsonDamage as damage:
        raise DamagedError(
            str(damage), file=paths.erasing, remedy="Remove the file by hand, then erase the entry once more."
        ) from damage


def begin(paths: StorePaths, begun: Sequence[Erasure]) -> None:
    """Write down, durably, that erasures begin; the index lock is held.

    What was begun before and could not be finished yet goes on with them.
    """
    known = {erasure.id: erasure for erasure in (*begun, *under_way(paths))}
    durable.make_folder(paths.state)
    durable.replace(paths.erasing, b"".join(jsontext.dumps(each.to_dict()) + b"\n" for each in known.values()))


def end(paths: StorePaths, done: Sequence[Erasure]) -> None:
    """Write down, durably, that they are done; the index lock is held.

    The file is replaced as a whole: a torn line would stay, and say nothing, for ever.
    """
    known = read(paths)[0]
    fresh = [erasure for erasure in done if erasure not in known]
    if fresh:
        data = look.read_bytes(paths.erasures) or b""
        whole = data if data.endswith(b"\n") or not data else data + b"\n"
        durable.replace(paths.erasures, whole + b"".join(jsontext.dumps(each.to_dict()) + b"\n" for each in fresh))
    durable.unlink(paths.erasing, durable=True)


def fresh_salt() -> str:
    """A salt for the digests of one erasure."""
    return os.urandom(16).hex()
