"""One short line about the memory workers, and one line per event: pure functions from events to text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memkit.model import jsontext
from memkit.present.safe import shown

MAX_CHARS = 200
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


def event_line(event: Mapping[str, Any]) -> str:
    """One event as a line for people: time, what, outcome, about what, who."""
    parts = [str(event.get("occurred_at", "?"))[:19].replace("T", " "), *_about(event)]
    actor = event.get("actor")
    return shown(" ".join([*parts, f"({actor})" if actor else ""]).rstrip(), MAX_CHARS, "escape")


def _about(event: Mapping[str, Any]) -> list[str]:
    words = event.get("text") if isinstance(event.get("text"), Mapping) else {}
    said: Mapping[str, Any] = words if isinstance(words, Mapping) else {}
    reason = event.get("reason") or said.get("reason") or said.get("message")
    kind = event.get("event")
    status = str(event.get("status", "?"))
    if kind == "worker_lifecycle":
        line = [status_line([event]).removesuffix("…")]
        trigger = event.get("trigger")
        return [*line, f"[{trigger}]" if trigger and status == "started" else ""]
    parts = [_name(kind), str(event.get("op", "?")), "" if status == "done" else status.upper()]
    if kind == "record_operation":
        parts += [str(event.get("slug", "")), _change(event)]
    elif kind == "record_usage":
        query = said.get("query", event.get("query"))
        parts += [str(event.get("slug") or ""), repr(query) if query else "", _found(event.get("result_count"))]
    else:
        parts += [str(event.get("entry_id") or event.get("kind") or ""), str(said.get("source_path", ""))]
    findings = event.get("findings")
    parts += [f"— {reason}" if reason else "", f"{jsontext.dumps(findings).decode()}" if findings else ""]
    return [part for part in parts if part]


def _name(kind: object) -> str:
    names = {"record_operation": "record", "record_usage": "asked", "entry_operation": "entry"}
    return names.get(str(kind), str(kind))


def _change(event: Mapping[str, Any]) -> str:
    before, after = (str(event.get(name) or "")[:8] for name in ("before_hash", "after_hash"))
    return f"{before or 'nothing'} → {after or 'nothing'}" if before or after else ""


def _found(n: object) -> str:
    return f"found {n:,}" if isinstance(n, int) and not isinstance(n, bool) else ""
