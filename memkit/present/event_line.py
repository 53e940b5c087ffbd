"""One event of the audit log as a line for people: when, what was done to what, how much, why, by whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from memkit.model import jsontext
from memkit.present.safe import clip, shown
from memkit.present.status_line import status_line
from memkit.present.wording import PRUNED_BY, count, size

MAX_CHARS = 200
MAX_NAMED = 3
SHORT_ID = 16  # characters of an id among several: the moment of an id and a little more
_MAX_TEXT = 120
_NAMES = {"record_operation": "record", "record_usage": "asked", "entry_operation": "entry"}


def event_line(event: Mapping[str, Any]) -> str:
    """One event as a line for people: time, what, outcome, about what, why, who."""
    when = str(event.get("occurred_at", "?"))[:19].replace("T", " ")
    actor = event.get("actor")
    by = f" ({shown(str(actor), 40, 'escape')})" if actor else ""
    line = shown(" ".join([when, *_about(event)]).rstrip(), MAX_CHARS, "escape")
    return clip(line, MAX_CHARS - len(by)) + by


def _about(event: Mapping[str, Any]) -> Iterator[str]:
    words = event.get("text")
    said: Mapping[str, Any] = words if isinstance(words, Mapping) else {}
    kind, status = event.get("event"), str(event.get("status", "?"))
    reason = _text(event.get("reason") or said.get("reason"))
    message = _text(said.get("message"))
    if kind == "worker_lifecycle":
        yield from _worker(event, status, reason, message)
        return
    yield f"{_NAMES.get(str(kind), str(kind))} {event.get('op', '?')}"
    if status != "done":
        yield status.upper()
    parts = {"record_operation": _record, "record_usage": _asked}.get(str(kind), _entry)
    yield from filter(None, parts(event, said))
    why = ", ".join(filter(None, (reason, message)))
    if why:
        yield f"— {why}"
    findings = event.get("findings")
    if findings:
        yield jsontext.dumps(findings).decode()


def _worker(event: Mapping[str, Any], status: str, reason: str, message: str) -> Iterator[str]:
    line = status_line([event]).removesuffix("…")
    yield line
    usage = event.get("usage")
    consumed, calls = event.get("consumed"), usage.get("calls") if isinstance(usage, Mapping) else None
    model, session = _text(event.get("model")), clip(_text(event.get("session_id")), 40)
    about = (
        _text(event.get("trigger")) if status == "started" else "",
        reason if reason not in line and reason.replace("_", " ") not in line else "",
        f"session {session}" if session else "",
        f"consumed {consumed:,}" if _is_count(consumed) and consumed else "",
        f"model {model}" if model else "",
        count(calls, "call") if _is_count(calls) and calls else "",
    )
    if any(about):
        yield f"[{', '.join(filter(None, about))}]"
    if message:
        yield f"— {message}"


def _record(event: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    yield _text(event.get("slug") or said.get("path") or event.get("path") or event.get("kind"))
    before, after = (_text(event.get(name))[:8] for name in ("before_hash", "after_hash"))
    if before or after:
        yield f"{before or 'nothing'} → {after or 'nothing'}"


def _asked(event: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    yield _text(event.get("slug") or event.get("entry_id"))
    query = said.get("query", event.get("query"))
    if query:
        yield repr(query)
    elif "query" not in said and "text_digest" in event:
        yield "(text erased)"
    n = event.get("result_count")
    if _is_count(n):
        yield f"found {n:,}"


def _entry(event: Mapping[str, Any], said: Mapping[str, Any]) -> Iterator[str]:
    """What was done to which entries, or to how many."""
    if event.get("tripwire_id"):
        yield f"tripwire {event['tripwire_id']} of"
    yield _text(event.get("entry_id") or event.get("kind"))
    if event.get("panel_id") and event.get("entry_id"):
        yield f"of {_text(event['panel_id'])}"
    if event.get("replaces"):
        yield f"in place of {_text(event['replaces'])}"
    lists = {
        "pruned": "{} to the trash",
        "erased": "{} erased for good out of the trash",
        "restored": "{} back from the trash",
    }
    named = {name: _some(event.get(name), "entry", "entries", chars=SHORT_ID) for name in lists}
    yield "; ".join(lists[name].format(some) for name, some in named.items() if some)
    numbers = _numbers(event)
    yield f"out of {numbers}" if numbers and event.get("op") == "erase" else numbers
    yield _some(event.get("days"), "day", chars=10)
    yield _some(event.get("codes"), "kind of problem", "kinds of problems", chars=40)
    path = said.get("source_path")
    if path:
        yield f"from {_text(path)}"
    cause = _text(event.get("cause"))
    if cause and cause != event.get("op"):
        yield f"by {PRUNED_BY.get(cause, cause)}"


def _numbers(event: Mapping[str, Any]) -> str:
    """How many of what."""
    nouns = {
        "n_entries": ("entry", "entries"), "n_files": ("file", None), "n_actions": ("action", None),
        "n_days": ("day", None), "n_events": ("event", None),
    }  # fmt: skip
    found = [count(n, *noun) for name, noun in nouns.items() if _is_count(n := event.get(name))]
    if _is_count(n_bytes := event.get("n_bytes")):
        found.append(size(n_bytes))
    if _is_count(n_left := event.get("n_found")) and n_left:
        found.append(f"{count(n_left, 'trace')} left")
    for name, verb in (("counts", ""), ("scrubbed", "masked ")):
        counts = event.get(name)
        if isinstance(counts, Mapping):
            found += [f"{verb}{n:,} {_text(what)}" for what, n in counts.items() if _is_count(n) and n]
    return ", ".join(found)


def _is_count(n: object) -> TypeGuard[int]:
    return isinstance(n, int) and not isinstance(n, bool)


def _some(names: object, noun: str, plural: str | None = None, *, chars: int) -> str:
    """How many, and the first of them; empty where it is no list, or an empty one."""
    if not isinstance(names, Sequence) or isinstance(names, str) or not names:
        return ""
    first = ", ".join(clip(_text(name), chars) for name in names[:MAX_NAMED])
    more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
    return f"{count(len(names), noun, plural)} ({first}{more})"


def _text(value: object) -> str:
    return "" if value is None else shown(value if isinstance(value, str) else str(value), _MAX_TEXT, "escape")
