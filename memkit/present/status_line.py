"""One short line about the memory workers: a pure function from events to text. `event_line` has one per event."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memkit.present.safe import shown

_WORKERS = {"memory_extract": "extract", "memory_consolidation": "consolidation"}
# What each count is called once it is done, in the order it is said.
_DONE = (
    ("write", "wrote"),
    ("edit", "edited"),
    ("delete", "deleted"),
    ("merge", "merged"),
    ("drop", "dropped"),
    ("trim", "trimmed"),
    ("restaged", "restaged"),
    ("dead_lettered", "gave up"),
)


def status_line(events: Iterable[Mapping[str, Any]], *, lost: Iterable[str] = ()) -> str:
    """What the memory workers last did, in one line; empty where no worker ever said anything.

    Args:
        events: The latest events, oldest first, as the JSON objects of their lines.
        lost: Runs whose process is gone.
    """
    runs = [event for event in events if event.get("event") == "worker_lifecycle"]
    if not runs:
        return ""
    last = runs[-1]
    worker = _WORKERS.get(str(last.get("worker")), shown(str(last.get("worker")), 30, "escape"))
    why = shown(because(runs, -1), 60, "escape").replace("_", " ")
    return f"MEMORY {worker}{_state(last, set(lost))}{f', because {why}' if why else ''}"


def because(runs: Sequence[Mapping[str, Any]], at: int) -> str:
    """What left a consolidation without a candidate: how the extraction before it ended.

    Args:
        runs: Events of workers, oldest first.
        at: The place of the end of that consolidation among them.

    Returns:
        A short code; `nothing_extracted` where no session was looked through since the consolidation before; empty
        where the run ended otherwise, or nothing is known.
    """
    end = runs[at]
    if end.get("worker") != "memory_consolidation" or end.get("reason") != "no_staging":
        return ""
    for event in reversed(runs[:at]):
        if event.get("status") == "started" or event.get("reason") == "lock_held":
            continue
        if event.get("worker") == "memory_consolidation":
            return "nothing_extracted"
        reason = event.get("reason")
        return reason if isinstance(reason, str) and reason != "candidates_found" else ""
    return ""


def _state(event: Mapping[str, Any], lost: set[str]) -> str:
    status, reason = event.get("status"), event.get("reason")
    words = shown(reason, 60, "escape") if isinstance(reason, str) else ""
    if status == "started":
        return " lost: its process is gone" if event.get("run_id") in lost else " running…"
    if status == "completed":
        return f" done: {done(event) or words.replace('_', ' ') or 'nothing to say'}"
    if status == "skipped":
        return f" skipped: {words.replace('_', ' ') or 'no reason given'}"
    return f" {shown(str(status), 20, 'escape')}: {words or 'no reason given'}"


def done(event: Mapping[str, Any]) -> str:
    """What a run did by the counts of its last event; empty where it says nothing of it."""
    counts = event.get("counts")
    if not isinstance(counts, Mapping):
        return ""
    n = counts.get("staged")
    if event.get("worker") == "memory_extract":
        return f"staged {n:,}" if isinstance(n, int) and n else ""
    said = [(verb, counts.get(name)) for name, verb in _DONE]
    return ", ".join(f"{verb} {n:,}" for verb, n in said if isinstance(n, int) and n)
