"""Who took part in a panel, and who held the minority's position.

A participant dissented if an entry of the minority's positions names their persona (its id or its name) or, where a
panel has no personas, their model or their own id. An entry that begins by saying that there is none names nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.model.result import Result, as_mapping, as_text, minority_positions

_NONE = re.compile(
    r"\W*(?:none|no one|nobody|n/a|keine?r?|niemand|aucune?|ninguna?|nenhuma?|なし|无|無)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Participant:
    """One participant of one panel.

    Attributes:
        model: The model's id, or "".
        persona: The persona's id, or "".
        dissented: Whether the minority's positions name them.
    """

    model: str
    persona: str
    dissented: bool


def participants(result: Result) -> tuple[Participant, ...]:
    """The participants of a panel with who dissented; empty where the result names none. Never raises."""
    listed = result.get("participants")
    if not isinstance(listed, list):
        return ()
    positions = [text for text in minority_positions(result) if not _NONE.match(text)]
    found = []
    for item in listed[:100]:
        one = as_mapping(item)
        persona = as_mapping(one.get("persona"))
        ids = [as_text(persona.get("id")) or as_text(one.get("personaId")), as_text(persona.get("name"))]
        model = as_text(one.get("modelId")) or as_text(one.get("model")) or ""
        names = [name for name in ids if name] or [name for name in (model, as_text(one.get("id"))) if name]
        dissented = any(_named(name, text) for name in names for text in positions)
        found.append(Participant(model[:200], (ids[0] or "")[:200], dissented))
    return tuple(found)


def _named(name: str, text: str) -> bool:
    """Whether a text names somebody: as a whole word, a dash like a space, whatever the case."""
    words = re.split(r"[\s_-]+", name[:200].casefold().strip())
    pattern = r"(?<!\w)" + r"[\s_-]+".join(map(re.escape, words)) + r"(?!\w)"
    return re.search(pattern, text.casefold()) is not None
