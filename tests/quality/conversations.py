"""Conversation files in the shape of LoCoMo: sessions of turns, and questions with the turns that answer them.

A file holds one conversation or a list of them. A conversation has `session_<n>`, lists of {speaker, dia_id, text}, at
its top or under `conversation`, and `qa`, a list of {question, evidence: [dia_id], category}.
"""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memkit.memory import Memory
from tests.quality.measures import Asked
from tests.quality.systems import Collection, collect

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Turn:
    """What somebody said."""

    dia_id: str
    speaker: str
    text: str


@dataclass(frozen=True)
class Conversation:
    """Turns in order, and the questions whose evidence is among them."""

    name: str
    turns: tuple[Turn, ...]
    asked: tuple[Asked, ...]


def read(folder: pathlib.Path) -> Iterator[Conversation]:
    """Every conversation in the JSON files of a folder that has both turns and questions."""
    for file in sorted(folder.rglob("*.json")):
        loaded = json.loads(file.read_text("utf-8"))
        samples = loaded if isinstance(loaded, list) else [loaded]
        for n, sample in enumerate(samples):
            if isinstance(sample, dict) and isinstance(sample.get("qa"), list):
                found = _conversation(f"{file.stem}-{n}", sample)
                if found.turns and found.asked:
                    yield found


def _conversation(name: str, sample: dict) -> Conversation:
    spoken = sample["conversation"] if isinstance(sample.get("conversation"), dict) else sample
    sessions = sorted((int(m[1]), key) for key in spoken if (m := _SESSION.fullmatch(key)))
    turns = {
        turn["dia_id"]: Turn(turn["dia_id"], str(turn.get("speaker", "")), turn["text"])
        for _, key in sessions
        for turn in spoken[key]
        if isinstance(turn, dict) and isinstance(turn.get("text"), str) and turn["text"].strip()
    }
    asked = []
    for qa in sample["qa"]:
        named = _TURN.findall(" ".join(map(str, qa.get("evidence") or ()))) or list(qa.get("evidence") or ())
        relevant = frozenset(each for each in named if each in turns)
        if relevant:
            asked.append(Asked(f"category {qa.get('category')}", str(qa["question"]), relevant))
    return Conversation(name, tuple(turns.values()), tuple(asked))


def fill(memory: Memory, conversation: Conversation) -> Collection:
    """Store every turn as an entry of its own."""
    stored = memory.store_many(
        [{"question": f"{turn.speaker}: {turn.text}"[:16_000], "result": {}} for turn in conversation.turns]
    )
    names = {receipt.id: turn.dia_id for receipt, turn in zip(stored, conversation.turns, strict=True)}
    return collect(memory, names)
