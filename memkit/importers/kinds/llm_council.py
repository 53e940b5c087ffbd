"""Runs of an LLM council: answers of several models, their ranking of each other, and a chairman's synthesis.

Two shapes are read. A folder with `request.json`, `stage1.json`, `stage2.json`, `stage3.json` and `result.json` is one
run; a run that was cut short has fewer files. A conversation, one JSON file with `messages`, is one run for each
question that was put to the council; only its beginning has a time.

The `confidence` of such a result is, by version, a chairman's own word, an agreement of reviewers, or a mixture of
both. Which of them it is does not stand in the file: it is kept as it was written, and is no judge's confidence here.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from memkit.importers.draft import Draft
from memkit.importers.files import Found
from memkit.importers.intake import Intake
from memkit.importers.item import Item, refused, sections, text_of
from memkit.importers.look import Look
from memkit.model import jsontext

KIND: Final = "llm-council"
_ENDINGS: Final = frozenset({".json"})
MAX_BYTES: Final = 24 * 1024 * 1024
_STAGES: Final = ("request", "stage1", "stage2", "stage3", "result")
_NAME: Final = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2})(?:-.*)?")
_STATUS: Final = {"pass": "accepted", "fail": "rejected"}
_SIGNS: Final = {
    "request": ("snapshot_id",),
    "stage1": ("responses",),
    "stage2": ("rankings",),
    "stage3": ("synthesis",),
    "result": ("verdict",),
}
_SHOWN: Final = ("rationale", "blocking_issues", "unclear_reason")


def signs(look: Look) -> str:
    """A stage of a run by its name and keys, or messages with stages."""
    if look.ending not in _ENDINGS:
        return ""
    stem = look.path.stem.casefold()
    if stem in _SIGNS and any(all(key in row for key in _SIGNS[stem]) for row in look.rows[:1]):
        return f"{look.path.name} with {', '.join(_SIGNS[stem])}"
    if any(_is_conversation(row) for row in look.rows[:1]):
        return "messages whose answers have stages"
    return ""


def _is_conversation(value: object) -> bool:
    messages = value.get("messages") if isinstance(value, Mapping) else None
    return isinstance(messages, list) and any(
        isinstance(m, Mapping) and ("stage1" in m or "stage3" in m) for m in messages
    )


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per run."""
    runs: dict[Path, dict[str, Path]] = {}
    others: list[Found] = []
    for found in intake.files(_ENDINGS, "JSON of a run"):
        if not found.problem and found.path.stem.casefold() in _STAGES and found.path.suffix == ".json":
            runs.setdefault(found.path.parent, {})[found.path.stem.casefold()] = found.path
        else:
            others.append(found)
    for folder, files in runs.items():
        yield from _run(intake, folder, files)
    for found in others:
        if found.problem:
            yield intake.passed_over(found)
        else:
            yield from _conversation(intake, found.path)


def _load(intake: Intake, path: Path) -> Any:
    """What a file says, or the account of why it cannot be read."""
    data = intake.read(path, MAX_BYTES)
    if isinstance(data, Draft):
        return data
    name = intake.name(path)
    if not data.strip():
        return refused(name, "the file is empty", fate="skipped")
    try:
        return jsontext.loads(data)
    except jsontext.JsonDamage as damage:
        return refused(name, str(damage), data)


def _run(intake: Intake, folder: Path, files: Mapping[str, Path]) -> Iterator[Draft]:
    stages: dict[str, Mapping[str, Any]] = {}
    damaged: list[str] = []
    for stage, path in files.items():
        said = _load(intake, path)
        if isinstance(said, Draft):
            damaged.append(path.name)
            yield said
        elif not isinstance(said, Mapping) or not any(
            key in said for key in (*_SIGNS[stage], "timestamp", "verification_id")
        ):
            damaged.append(path.name)
            yield refused(intake.name(path), f"no {stage} of a run: {', '.join(_SIGNS[stage])} is missing")
        else:
            stages[stage] = said
    if not stages:
        return
    missing = [f"{stage}.json" for stage in _STAGES if stage not in files]
    notes = [f"{name} could not be read" for name in damaged]
    notes += [f"the run has no {', '.join(missing)}"] if missing else []
    yield _draft(intake.name(folder), folder.name, stages, tuple(notes))


def _draft(path: str, name: str, stages: Mapping[str, Mapping[str, Any]], notes: tuple[str, ...]) -> Draft:
    request, result = stages.get("request", {}), stages.get("result", {})
    stage3 = stages.get("stage3", {})
    verdict = text_of(result.get("verdict")).casefold()
    model, synthesis = _answer(stage3.get("synthesis"))
    stamp = _NAME.fullmatch(name)
    named = f"{stamp[1]}:{stamp[2]}:{stamp[3]}" if stamp else None
    when = next(
        (
            (f"{stage}.json: timestamp", stages[stage]["timestamp"])
            for stage in ("stage3", "stage2", "stage1", "request")
            if stages.get(stage, {}).get("timestamp")
        ),
        ("folder name", named) if named else None,
    )
    reasons = sections(*((key.replace("_", " ").capitalize(), result.get(key)) for key in _SHOWN))
    return Item(
        KIND,
        path,
        dict(stages),
        question=_question(request, result),
        content="\n\n".join(part for part in (synthesis, reasons) if part) or f"Verdict: {verdict or 'none'}",
        mapped={
            "request": "question", "stage1": "answers", "stage2": "rankings", "stage3": "synthesis",
            "result": "verdict",
        },
        when=when,
        document={
            "id": text_of(result.get("verification_id")) or name,
            "status": _STATUS.get(verdict, "unknown"),
            "rawStatus": verdict,
            "conclusion": ": ".join(part for part in (verdict, text_of(result.get("rationale"))) if part),
        },
        result={
            **_panel(stages.get("stage1", {}).get("responses"), stages.get("stage2", {}), model, synthesis),
            "request": dict(request),
            "verification": dict(result),
        },
        tags=[f"verdict {verdict}"] if verdict else [],
        notes=notes,
    ).draft()  # fmt: skip


def _question(request: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    targets = request.get("target_paths")
    what = ", ".join(map(str, targets)) if isinstance(targets, list) and targets else text_of(targets)
    focus, at = text_of(request.get("rubric_focus")), text_of(request.get("snapshot_id"))
    words = f"Verification of {what or at or text_of(result.get('verification_id')) or 'a change'}"
    words += f" at {at[:12]}" if what and at else ""
    return f"{words}, focus on {focus}" if focus else words


def _answer(value: object) -> tuple[str, str]:
    """Model and text of an answer, in the ways such files write it."""
    if isinstance(value, Mapping):
        text = next((text_of(value[key]) for key in ("response", "content", "synthesis", "text") if value.get(key)), "")
        return text_of(value.get("model")), text
    return "", text_of(value)


def _answers(value: object) -> list[tuple[str, str]]:
    if isinstance(value, Mapping):
        return [(str(model), _answer(said)[1]) for model, said in value.items()]
    return [_answer(said) for said in value] if isinstance(value, list) else []


def _panel(responses: object, stage2: Mapping[str, Any], model: str, synthesis: str) -> dict[str, Any]:
    """The run in the shape of a panel's result, as far as it goes."""
    answers = _answers(responses)
    rankings = stage2.get("rankings")
    found: dict[str, Any] = {"synthesis": {"content": synthesis, **({"modelId": model} if model else {})}}
    if not answers:
        return found if synthesis else {}
    found["participants"] = [{"id": f"m{n}", "modelId": name} for n, (name, _) in enumerate(answers, start=1)]
    rounds = [
        {
            "round": 1,
            "label": "answers",
            "responses": [
                {"participantId": f"m{n}", "modelId": name, "content": text}
                for n, (name, text) in enumerate(answers, start=1)
            ],
        }
    ]
    ranked = [each for each in rankings if isinstance(each, Mapping)] if isinstance(rankings, list) else []
    if ranked:
        said = [
            {
                "modelId": text_of(each.get("model")),
                "content": text_of(each.get("ranking")),
                "parsed": each.get("parsed_ranking"),
            }
            for each in ranked
        ]
        rounds.append({"round": 2, "label": "rankings", "rankings": said, "labels": stage2.get("label_to_model")})
    found["rounds"] = rounds
    return found if synthesis else {key: value for key, value in found.items() if key != "synthesis"}


def _conversation(intake: Intake, path: Path) -> Iterator[Draft]:
    value = _load(intake, path)
    name = intake.name(path)
    if isinstance(value, Draft):
        yield value
        return
    if not _is_conversation(value):
        what = ", ".join(sorted(map(str, value))[:6]) if isinstance(value, Mapping) else "no object"
        yield refused(name, f"neither a stage of a run nor a conversation ({what})"[:200])
        return
    question, n = "", 0
    for at, message in enumerate(value["messages"], start=1):
        if not isinstance(message, Mapping):
            yield refused(f"{name}#message-{at}", "no object")
        elif message.get("role") == "user":
            question = text_of(message.get("content"))
        elif "stage1" in message or "stage3" in message:
            n += 1
            yield _turn(name, value, message, question, n)
            question = ""
    if question:
        yield refused(f"{name}#message-{len(value['messages'])}", "a question without an answer", fate="skipped")


def _turn(name: str, talk: Mapping[str, Any], message: Mapping[str, Any], question: str, n: int) -> Draft:
    model, synthesis = _answer(message.get("stage3"))
    stage2 = {"rankings": message.get("stage2"), "label_to_model": (message.get("metadata") or {}).get("label_to_model")
              if isinstance(message.get("metadata"), Mapping) else None}  # fmt: skip
    title = text_of(talk.get("title"))
    return Item(
        KIND,
        f"{name}#turn-{n}",
        {**message, "question": question},
        question=question or title,
        content=synthesis or sections(*_answers(message.get("stage1"))),
        mapped={
            "role": "role", "question": "question", "stage1": "answers", "stage2": "rankings", "stage3": "synthesis",
        },
        # A conversation says when it began; of later questions nothing says when they were asked.
        when=("created_at", talk.get("created_at")) if n == 1 else None,
        times={"conversationBegan": talk.get("created_at")},
        document={"id": f"{talk.get('id') or name}-{n}", "conversation": title, "conclusion": None},
        result=_panel(message.get("stage1"), stage2, model, synthesis),
    ).draft()  # fmt: skip
