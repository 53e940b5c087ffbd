"""What `verify` says of the audit log: damaged lines, a line cut off at the very end, a chain that does not hold.

What a crash cut off in the middle of the log, the event after it vouches for (see `audit_chain`): nothing is amiss, and
nothing is said here; `memkit audit verify` lists it. At the very end nobody has vouched for it yet. That is a problem
of its own, which the next event ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from memkit.model.problem import Problem
from memkit.store import audit_log, leftovers, look
from memkit.store.audit_chain import Place, Walk, is_cut
from memkit.store.audit_log import MAX_TOLD
from memkit.store.lock import Lock
from memkit.store.paths import StorePaths

_GIVEN_UP = "too many damaged lines; the rest of this day was not looked at"


def about_log(paths: StorePaths) -> list[Problem]:
    """The problems of the log.

    Raises:
        StoreError: the operating system refuses to show it.
    """
    walk = audit_log.chain(paths)
    found = [problem for problem in damaged_lines(paths) if not _is_vouched_for(problem, walk, paths)]
    found += _torn_at_the_end(paths, walk)
    if walk.first_break is not None and not leftovers.is_wipe_unfinished(paths):
        found.append(_broken(paths, walk.first_break))
    return found


def damaged_lines(paths: StorePaths) -> list[Problem]:
    """The damaged lines of every day, vouched for or not; a day full of them is given up after the first ones."""
    found: list[Problem] = []
    for day in audit_log.days(paths):
        damaged = (item for item in audit_log.day_events(paths, day) if isinstance(item, Problem))
        told = list(islice(damaged, MAX_TOLD))
        if len(told) == MAX_TOLD:
            told.append(replace(told[-1], detail=_GIVEN_UP, end=-1))
        found += told
    return found


def _is_vouched_for(problem: Problem, walk: Walk, paths: StorePaths) -> bool:
    name = problem.file.removeprefix(f"{paths.logs.name}/")
    return any(
        place.file == name and place.start <= problem.start < problem.end <= place.end + 1
        for place in walk.torn
        if place not in walk.at_end or is_cut(_bytes(paths, place.file, problem.start, problem.end))
    )


def _torn_at_the_end(paths: StorePaths, walk: Walk) -> Iterator[Problem]:
    """What appends that were cut off left, one after another, and nobody is writing just now."""
    held = Lock(paths.audit_lock, 0).try_acquire(None, create=False) if walk.at_end else None
    if held is None:
        return
    try:
        for place in walk.at_end:
            file = paths.logs / place.file
            left = look.read_from(file, place.start) or b""
            is_ended, left = left.endswith(b"\n"), left.rstrip(b"\n")
            n = place.end - place.start
            if len(left) == n and (not is_ended or is_cut(left[left.rfind(b"\n") + 1 :])):
                n_newlines = left.count(b"\n")
                n_lines = f", in {n_newlines + 1:,} lines" if n_newlines else ""
                yield Problem(
                    code="torn-log-line",
                    file=paths.relative(file),
                    detail=f"{n:,} bytes without a newline{n_lines}, left by a crash",
                    remedy="The next event closes the line and says that it was there; no other event is touched.",
                    start=place.start,
                    end=place.end,
                )
    finally:
        held.release()


def _bytes(paths: StorePaths, name: str, start: int, end: int) -> bytes:
    return (look.read_from(paths.logs / name, start, limit=end - start) or b"").rstrip(b"\n")


def _broken(paths: StorePaths, spot: Place) -> Problem:
    return Problem(
        code="broken-log-chain",
        file=paths.relative(paths.logs / spot.file),
        detail=spot.why,
        remedy="The log was changed after it was written; compare it with a copy. `memkit audit verify` says more.",
        start=spot.start,
        end=spot.end,
    )
