"""Results of a panel's run become drafts: one per JSON file, per item of a JSON list, per line of JSONL.

The result is kept as it is, unknown fields too; only characters that no UTF-8 file can hold are replaced, with a note.
What stands for "not given" (a confidence of 50 that no answer states) is not reported as given; `model.result` reads
it the same way. A run inside a wrapper (`result`, `structuredContent`) is taken out of it, and the wrapper's other
fields are kept beside it under `envelope`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from memkit.errors import InvalidInputError
from memkit.importers.draft import Draft, shortened
from memkit.importers.report import FieldAccount
from memkit.importers.streams import Piece
from memkit.model import jsontext
from memkit.model.entry import MAX_ENTRY_BYTES, require_panel, require_question, require_tags
from memkit.model.result import (
    as_mapping,
    as_number,
    as_text,
    dissent,
    final_score,
    judge_confidence,
    minority_positions,
    response_confidence,
    unresolved_disputes,
)

KIND: Final = "consensus"
# A little less than an entry may hold: masking secrets can make a text longer.
MAX_RESULT_BYTES: Final = MAX_ENTRY_BYTES * 3 // 4
ROW_ENDINGS: Final = (".jsonl", ".ndjson")
_SIGNS: Final = ("rounds", "synthesis", "finalScore", "participants", "stopReason", "roundsCompleted")
_WRAPPERS: Final = ("result", "consensusResult", "consensus_result", "structuredContent")
_KNOWN: Final = frozenset(
    {
        "question", "participants", "rounds", "roundsCompleted", "finalScore", "finalAverageConfidence", "finalStddev",
        "stopReason", "earlyStop", "synthesis", "startedAt", "completedAt", "durationMs", "judgeConfidence",
    }
)  # fmt: skip
_IDS: Final = ("id", "runId", "resultId", "run_id", "uuid")


def read(path: str, data: bytes) -> list[Draft]:
    """The drafts of one JSON document; `path` is what `source.path` will be, with `#key` behind for items of a list."""
    try:
        value = jsontext.loads(data)
    except jsontext.JsonDamage as damage:
        return [Draft(path, _sha(data), "rejected", str(damage), panel_id=KIND)]
    if isinstance(value, list):
        items = [Piece(f"item-{n}", value=item) for n, item in enumerate(value, start=1)]
        return list(rows(path, lambda: items))
    return [_draft(path, _sha(data), value)]


def rows(path: str, again: Callable[[], Iterable[Piece]]) -> Iterator[Draft]:
    """One draft a row, named by a key that does not change when rows are put in another order.

    Args:
        path: What `source.path` of the file will be.
        again: Gives the rows anew. They are gone through twice, so that only one is in memory at a time: which keys
            are used by several has to be known before the first is named.
    """
    uses: Counter[str] = Counter()
    n = 0
    for piece in again():
        n += 1
        own = "" if piece.damage else _key(piece.value)
        if own:
            uses[own] += 1
    if not n:
        yield Draft(path, _sha(b""), "skipped", "no rows", panel_id=KIND)
        return
    seen: dict[str, str] = {}
    for piece in again():
        if piece.damage:
            yield Draft(f"{path}#{piece.place}", _sha(b""), "rejected", piece.damage, panel_id=KIND)
            continue
        own = _key(piece.value)
        canonical = _sha(_canonical(piece.value))
        key = own if own and uses[own] == 1 else f"{own}-{canonical[:12]}" if own else canonical[:16]
        if key in seen:
            reason = f"the same as {seen[key]}"
            yield Draft(f"{path}#{piece.place}", canonical, "skipped", reason, panel_id=KIND)
            continue
        seen[key] = piece.place
        yield _draft(f"{path}#{key}", canonical, piece.value)


def _key(value: object) -> str:
    """The row's own id, else a digest of its question and start: what stays when the row is edited or moved."""
    row = as_mapping(value)
    for holder in (row, *(as_mapping(row.get(key)) for key in _WRAPPERS)):
        for name in _IDS:
            own = holder.get(name)
            if isinstance(own, (str, int)) and not isinstance(own, bool) and str(own).strip():
                return shortened("".join(c if c.isalnum() or c in "-_.:" else "-" for c in str(own)), 64)
    inner, _ = _unwrapped(row)
    question, started = inner.get("question"), inner.get("startedAt")
    if isinstance(question, str) and started is not None:
        return _sha(_canonical([question, started]))[:16]
    return ""


def _draft(path: str, sha256: str, value: object) -> Draft:
    notes: list[str] = []
    replaced = Counter[str]()
    value = _without_surrogates(value, replaced)
    if replaced:
        notes.append(f"{replaced['characters']} unpaired surrogates replaced by U+FFFD")
    if not isinstance(value, dict):
        return Draft(path, sha256, "rejected", f"a JSON object was expected, found {_kind(value)}", panel_id=KIND)
    result, envelope = _unwrapped(value)
    signs = [sign for sign in _SIGNS if sign in result]
    if not isinstance(result.get("question"), str) or not signs:
        return Draft(path, sha256, "rejected", _why_not(result), panel_id=KIND)
    stored = dict(result)
    if envelope:
        stored["envelope"] = envelope
    try:
        question = require_question(result["question"])
        panel = require_panel(envelope.get("panelId") or KIND)
        tags = require_tags(envelope.get("tags") or ())
        size = len(jsontext.dumps(jsontext.require_json(stored, "result")))
    except InvalidInputError as error:
        return Draft(path, sha256, "rejected", str(error), panel_id=KIND)
    if size > MAX_RESULT_BYTES:
        reason = f"{size:,} bytes as JSON, at most {MAX_RESULT_BYTES:,} are kept"
        return Draft(path, sha256, "rejected", reason, panel_id=KIND)
    return Draft(
        path=path,
        sha256=sha256,
        question=question,
        result=stored,
        panel_id=panel,
        tags=tags,
        fields=tuple(_accounts(result)),
        notes=tuple(notes),
        size=size,
    )


def signs_of(value: Mapping[str, Any]) -> list[str]:
    """What makes an object a panel's result, by its fields; empty for any other object."""
    result, _ = _unwrapped(value)
    return [sign for sign in _SIGNS if sign in result] if isinstance(result.get("question"), str) else []


def _unwrapped(value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The run, and the other fields of what it was wrapped in."""
    for key in _WRAPPERS:
        inner = value.get(key)
        if isinstance(inner, dict) and any(sign in inner for sign in _SIGNS):
            rest = {name: item for name, item in value.items() if name != key}
            question = inner.get("question", value.get("question"))
            return ({**inner, "question": question} if question is not None else dict(inner)), rest
    return dict(value), {}


def _why_not(result: Mapping[str, Any]) -> str:
    keys = shortened(", ".join(sorted(map(str, result))[:8]) or "none", 120)
    if "question" not in result:
        return f"not a panel's result: it has no question (its fields: {keys})"
    if not isinstance(result["question"], str):
        return f"not a panel's result: its question is {_kind(result['question'])}, not text"
    return f"not a panel's result: none of {', '.join(_SIGNS[:4])} (its fields: {keys})"


def _accounts(result: Mapping[str, Any]) -> Iterator[FieldAccount]:
    """What became of each field."""
    yield FieldAccount("question", "mapped", "question", shortened(result["question"], 80))
    participants = result.get("participants")
    if isinstance(participants, list):
        yield FieldAccount("participants", "mapped", "participants", f"{len(participants)}")
    rounds = result.get("rounds")
    if isinstance(rounds, list):
        yield FieldAccount("rounds", "mapped", "rounds", f"{len(rounds)}")
        answers = [
            as_mapping(a) for r in rounds for a in (as_mapping(r).get("responses") or []) if isinstance(a, Mapping)
        ]
        if answers:
            given = sum(response_confidence(answer) is not None for answer in answers)
            yield FieldAccount("confidence", "mapped", "rounds[].responses[]", f"{given} of {len(answers)} given")
    for name, key, value, raw in (
        ("final_score", "finalScore", final_score(result), result.get("finalScore")),
        (
            "judge_confidence",
            "synthesis.judgeConfidence",
            judge_confidence(result),
            as_mapping(result.get("synthesis")).get("judgeConfidence", result.get("judgeConfidence")),
        ),
    ):
        if value is not None:
            yield FieldAccount(name, "mapped", key, f"{value:g}")
        elif raw is not None:
            why = "stands for not given" if as_number(raw) is not None else "not a number"
            yield FieldAccount(name, "raw", key, f"{shortened(raw, 40)}: {why}")
    synthesis = as_mapping(result.get("synthesis"))
    if as_text(synthesis.get("content")) or as_text(result.get("synthesis")):
        yield FieldAccount("synthesis", "mapped", "synthesis")
    if minority_positions(result):
        yield FieldAccount("minority_positions", "mapped", "synthesis", f"{len(minority_positions(result))}")
    if unresolved_disputes(result):
        yield FieldAccount("unresolved_disputes", "mapped", "synthesis", f"{len(unresolved_disputes(result))}")
    split = [item for item in dissent(result) if item.kind == "disagreement"]
    if split:
        yield FieldAccount("disagreements", "mapped", "rounds[-1].disagreements", f"{len(split)}")
    if result.get("completedAt") is not None:
        yield FieldAccount("decided_on", "mapped", "completedAt", shortened(result["completedAt"], 40))
    for key in result:
        if key not in _KNOWN:
            yield FieldAccount(str(key), "raw", f"unknown field {key}", shortened(result[key], 80))


def _without_surrogates(value: Any, replaced: Counter[str]) -> Any:
    if isinstance(value, str):
        bad = sum(0xD800 <= ord(character) <= 0xDFFF for character in value) if not value.isascii() else 0
        if not bad:
            return value
        replaced["characters"] += bad
        return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in value)
    if isinstance(value, list):
        return [_without_surrogates(item, replaced) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(k, replaced): _without_surrogates(v, replaced) for k, v in value.items()}
    return value


def _canonical(value: Any) -> bytes:
    """JSON with sorted keys; unpaired surrogates stay escaped, so that any parsed value has one."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
