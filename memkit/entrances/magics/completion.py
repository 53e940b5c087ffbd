"""What the Tab key offers inside `%%memsql`: views, their columns, and the notebook's data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from memkit.entrances.magics.session import Session

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_QUALIFIED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\.([A-Za-z0-9_]*)\Z")
_ALIAS = re.compile(r"\b(?:from|join)\s+([A-Za-z_]\w*)(?:\s+(?:as\s+)?([A-Za-z_]\w*))?", re.IGNORECASE)
MAGIC = re.compile(r"\s*%{1,2}memsql\b")


def candidates(text: str, views: Mapping[str, Sequence[str]], frames: Iterable[str]) -> tuple[str, Sequence[str]]:
    """What may stand where `text`, a query up to the cursor, ends.

    Args:
        text: The cell up to the cursor.
        views: Columns by view.
        frames: Names of data frames.

    Returns:
        The piece of a word that is replaced, and the words, in order.
    """
    qualified = _QUALIFIED.search(text)
    if qualified:
        owner, piece = str(qualified[1]), str(qualified[2])
        aliases: dict[str, str] = {alias: view for view, alias in _ALIAS.findall(text) if alias}
        known = views.get(aliases.get(owner, owner), ())
        return piece, [column for column in known if column.startswith(piece)]
    word = _WORD.search(text)
    piece = word.group() if word else ""
    used = [view for view, _ in _ALIAS.findall(text) if view in views]
    columns = dict.fromkeys(column for view in (used or views) for column in views[view])
    return piece, [
        each for each in dict.fromkeys([*views, *sorted(frames), *columns]) if each.startswith(piece.lower())
    ]


class Completer:
    """A matcher for one shell."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @context_matcher(identifier="memkit.memsql")
    def match(self, context: CompletionContext) -> SimpleMatcherResult:
        """The words that fit at the cursor; none outside the magic."""
        lines = context.full_text.split("\n")
        before = "\n".join([*lines[: context.cursor_line], lines[context.cursor_line][: context.cursor_position]])
        start = MAGIC.match(context.full_text) or MAGIC.match(lines[context.cursor_line])
        if not start:
            return {"completions": []}
        piece, words = candidates(before, self._session.views(), self._session.frames())
        return {
            "completions": [SimpleCompletion(text=word, type="sql") for word in words],
            "matched_fragment": piece,
            "suppress": bool(words),
        }
