"""An extractor that asks a model, for whoever names one in their own settings (extra `llm`).

The model is sent the turns of a session, some at a time, and answers with candidates. Nothing it says is believed
without evidence: an excerpt that does not stand in the turns it names makes the candidate fall out, and so does one
that has faults. Ids, places and times are filled in here. Text that was recalled is left out before the model sees it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, Field

from memkit.consolidate.asking_model import Asker
from memkit.consolidate.recalled import without_cards, words_of
from memkit.consolidate.rules import Extracted
from memkit.errors import ModelError
from memkit.model.candidate import (
    MAX_BODY_CHARS,
    MAX_EXCERPT_CHARS,
    Candidate,
    Evidence,
    cut,
    faults,
    repaired,
    title_of,
)
from memkit.model.session import Turn

if TYPE_CHECKING:
    from pydantic_ai.models import Model

MAX_CHARS: Final = 24_000  # of turns in one request
MAX_SECONDS: Final = 120.0
MAX_REQUESTS: Final = 200
INSTRUCTIONS: Final = """\
You read a part of a working session and list what is worth keeping for later sessions:
- lessons: something that went wrong or right, and what to do next time
- preferences: how a person wants things to be done
- decisions: a question that was settled; conditions that would undo it go into tripwires
- domain: a fact about the field of work that is not in the code
Only what somebody in the session states as settled. No questions, proposals, plans; nothing quoted or recalled.
An empty list is a good answer. For each item copy an excerpt word for word from one turn and give that turn's number.
"""


class Proposed(BaseModel):
    """One candidate as a model answers it."""

    category: Literal["lessons", "preferences", "decisions", "domain"]
    title: str = Field(description="One line.")
    body: str = Field(description="Two to five sentences that can be understood without the session.")
    triggers: list[str] = Field(default_factory=list, description="Words that should bring it to mind.")
    tripwires: list[str] = Field(default_factory=list, description="Conditions that would undo a decision.")
    turn: int = Field(description="The number of the turn it was said in.")
    excerpt: str = Field(description="Word for word from that turn.")


class Answer(BaseModel):
    """What a model answers about a part of a session."""

    candidates: list[Proposed] = Field(default_factory=list)


class ModelExtractor:
    """See the module.

    Args:
        model: A name as pydantic-ai knows it, such as `provider:name`, or a model object of it.
        max_chars: Characters of turns in one request.
        max_seconds: How long to wait for one answer.
        max_requests: How many requests one session may cost; more turns are an error, not a guess.

    Raises:
        MissingExtraError: pydantic-ai is not installed.
        ModelError: the model's name is not known, or its provider's package or key is missing.
    """

    def __init__(
        self,
        model: str | Model,
        *,
        max_chars: int = MAX_CHARS,
        max_seconds: float = MAX_SECONDS,
        max_requests: int = MAX_REQUESTS,
    ) -> None:
        self._max_chars = max_chars
        self._max_requests = max_requests
        self._asker = Asker(model, Answer, INSTRUCTIONS, max_seconds=max_seconds)

    @property
    def name(self) -> str:
        """`model:<name>`."""
        return self._asker.name

    def extract(self, turns: Iterable[Turn]) -> Extracted:
        """The candidates a model finds, each with an excerpt that stands in its turn.

        Raises:
            ModelError: it failed, took too long, answered nothing usable twice, or the session is too long for the
                budget.
        """
        out = Extracted()
        seen: set[str] = set()
        for n, part in enumerate(self._parts(turns, out), 1):
            if n > self._max_requests:
                raise ModelError(
                    f"the session needs more than {self._max_requests} requests",
                    field="consolidation.model",
                    remedy="Use the rules for a session this long.",
                )
            answer = self._asker.ask(_prompt(part), out.usage)
            by_number = {turn.number: turn for turn in part}
            for proposed in answer.candidates:
                candidate = _candidate(proposed, by_number.get(proposed.turn))
                if candidate is None:
                    out.passed_over["no-evidence"] += 1
                elif faults(candidate):
                    out.passed_over["invalid"] += 1
                elif candidate.digest in seen:
                    out.passed_over["repeated"] += 1
                else:
                    seen.add(candidate.digest)
                    out.candidates.append(candidate)
        return out

    def _parts(self, turns: Iterable[Turn], out: Extracted) -> Iterator[list[Turn]]:
        part: list[Turn] = []
        n_chars = 0
        for turn in turns:
            out.n_turns += 1
            text, had_cards = without_cards(turn.text)
            out.passed_over["recalled"] += had_cards
            if not text.strip():
                continue
            shown = Turn(turn.number, turn.role, text[: self._max_chars], turn.at, turn.ref, turn.offset,
                         turn.first_line, turn.last_line)  # fmt: skip
            if part and n_chars + len(shown.text) > self._max_chars:
                yield part
                part, n_chars = [], 0
            part.append(shown)
            n_chars += len(shown.text)
        out.passed_over = +out.passed_over
        if part:
            yield part


def _prompt(part: list[Turn]) -> str:
    return "\n\n".join(f"[turn {turn.number}, {turn.role}]\n{turn.text}" for turn in part)


def _candidate(proposed: Proposed, turn: Turn | None) -> Candidate | None:
    """What a model proposed as a candidate; None where its excerpt does not stand in the turn it names."""
    said = " ".join(words_of(proposed.excerpt))
    if turn is None or not said or f" {said} " not in f" {' '.join(words_of(turn.text))} ":
        return None
    evidence = Evidence(
        turn.number,
        turn.number,
        cut(proposed.excerpt.strip(), MAX_EXCERPT_CHARS),
        turn.first_line,
        turn.last_line,
        {"role": turn.role},
    )
    return repaired(
        Candidate(
            category=proposed.category,
            title=title_of(proposed.title),
            body=cut(proposed.body.strip() or proposed.excerpt.strip(), MAX_BODY_CHARS),
            triggers=tuple(proposed.triggers),
            tripwires=tuple(proposed.tripwires) if proposed.category in {"decisions", "domain"} else (),
            evidence=(evidence,),
        )
    )
