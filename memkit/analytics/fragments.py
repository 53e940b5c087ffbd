"""Where a hit matched: readable windows around its words, cut from the stored text."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memkit.analytics.recall_result import Fragment
from memkit.model import tokens

WIDTH = 160
MOST = 3


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Matches first..last (inclusive) of a field, close enough to be shown together."""

    field: str
    first: int
    last: int
    weight: float


def find_fragments(
    texts: Mapping[str, str],
    worth: Mapping[str, float],
    *,
    stretches: Callable[[str], Sequence[tokens.Stretch]] | None = None,
    most: int = MOST,
    width: int = WIDTH,
) -> tuple[Fragment, ...]:
    """The best places where the wanted words stand, best first.

    Args:
        texts: The stored texts to look into, by field; earlier fields win ties.
        worth: The words looked for and how much each is worth.
        stretches: Gives `tokens.stretches` of a field's text, if the caller has them.
        most: At most so many.
        width: Characters of a window, about; a cluster of matches is never cut.
    """
    places: dict[str, list[tokens.Token]] = {}
    clusters: list[_Cluster] = []
    for field, text in texts.items():
        found = places[field] = tokens.locate(text, worth.keys(), stretches(field) if stretches else None)
        clusters += _clusters(field, found, worth, most, width)
    clusters.sort(key=lambda cluster: -cluster.weight)
    chosen: list[Fragment] = []
    for cluster in clusters:
        fragment = _cut(texts[cluster.field], places[cluster.field], cluster, width)
        # The conclusion is often a section of the prose: the same words need not be shown twice.
        core = _core(fragment)
        if not any(core in other.text for other in chosen):
            chosen.append(fragment)
        if len(chosen) == most:
            break
    return tuple(chosen)


def _core(fragment: Fragment) -> str:
    return fragment.text[fragment.matches[0][0] : fragment.matches[-1][1]]


def _clusters(
    field: str, found: Sequence[tokens.Token], worth: Mapping[str, float], most: int, width: int
) -> list[_Cluster]:
    """The best window, then the best beside it, and so on: at most `most`, none overlapping."""
    windows = _windows(found, worth, width)
    chosen: list[_Cluster] = []
    for weight, first, last in sorted(windows, key=lambda w: (-w[0], w[1])):
        if all(last < c.first or first > c.last for c in chosen):
            chosen.append(_Cluster(field, first, last, weight))
        if len(chosen) == most:
            break
    return chosen


def _windows(found: Sequence[tokens.Token], worth: Mapping[str, float], width: int) -> list[tuple[float, int, int]]:
    """For each match, the stretch of matches beginning there that fits into `width`, and what its words are worth.

    A word counts once, a repeat a hundredth, so that a window of different words beats one that repeats a word.
    """
    windows: list[tuple[float, int, int]] = []
    inside: Counter[str] = Counter()
    end = 0
    for first, token in enumerate(found):
        while end < len(found) and (end <= first or found[end].end - token.start <= width):
            inside[found[end].term] += 1
            end += 1
        weight = sum(worth[term] * (1 + 0.01 * min(n - 1, 9)) for term, n in inside.items())
        windows.append((weight, first, end - 1))
        inside[token.term] -= 1
        if not inside[token.term]:
            del inside[token.term]
    return windows


def _cut(text: str, found: Sequence[tokens.Token], cluster: _Cluster, width: int) -> Fragment:
    matched = found[cluster.first : cluster.last + 1]
    low = min(token.start for token in matched)
    high = max(token.end for token in matched)
    margin = max(0, width - (high - low)) // 2
    start, end = _start(text, max(0, low - margin), low), _end(text, min(len(text), high + margin), high)
    return Fragment(
        field=cluster.field,
        start=start,
        end=end,
        text=text[start:end],
        matches=_merged((t.start - start, t.end - start) for t in found if start <= t.start and t.end <= end),
    )


def _start(text: str, start: int, limit: int) -> int:
    """The beginning of a word at or after `start`; where no space comes before `limit`, a whole character."""
    if start > 0 and not text[start - 1].isspace():
        space = next((i for i in range(start, limit) if text[i].isspace()), None)
        if space is None:
            while start < limit and unicodedata.combining(text[start]):
                start += 1
            return start
        start = space
    while start < limit and text[start].isspace():
        start += 1
    return start


def _end(text: str, end: int, limit: int) -> int:
    """The end of a word at or before `end`; where no space comes after `limit`, a whole character."""
    if end < len(text) and not text[end].isspace():
        space = next((i for i in range(end - 1, limit - 1, -1) if text[i].isspace()), None)
        if space is None:
            while end > limit and unicodedata.combining(text[end]):
                end -= 1
            return end
        end = space
    while end > limit and text[end - 1].isspace():
        end -= 1
    return end


def _merged(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans in order, overlapping ones (a compound and its parts) as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
