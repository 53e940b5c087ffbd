"""What the linter needs to know of all other records: who has which name, who points at whom, whose name is near.

Looking one record up costs the same however many there are, so that a run that writes thousands stays linear: whoever
writes tells it (`put`, `drop`) instead of making it anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from memkit.model.record import Record

_LEAST_WORDS = 3  # a name needs so many words for one of them to be left out


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One record as the others see it."""

    path: str
    slug: str
    is_active: bool
    supersedes: tuple[str, ...]
    superseded_by: str | None


class Neighbours:
    """See the module."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._by_slug: dict[str, dict[str, Neighbour]] = defaultdict(dict)
        self._by_key: dict[str, dict[str, None]] = defaultdict(dict)
        self._pointing: dict[str, dict[str, None]] = defaultdict(dict)  # successor -> those that name it
        for record in records:
            self.put(record)

    def put(self, record: Record) -> None:
        """Take a record as it is now."""
        older = self._by_slug[record.slug].get(record.path)
        if older is not None and older.superseded_by:
            self._pointing[older.superseded_by].pop(record.slug, None)
        if record.superseded_by:
            self._pointing[record.superseded_by][record.slug] = None
        here = Neighbour(record.path, record.slug, record.is_active, record.supersedes, record.superseded_by)
        self._by_slug[record.slug][record.path] = here
        for key in _keys(record.slug):
            self._by_key[key][record.slug] = None

    def drop(self, record: Record) -> None:
        """Forget a record that is gone."""
        older = self._by_slug[record.slug].pop(record.path, None)
        if older is not None and older.superseded_by:
            self._pointing[older.superseded_by].pop(record.slug, None)
        if not self._by_slug[record.slug]:
            for key in _keys(record.slug):
                self._by_key[key].pop(record.slug, None)

    def named(self, slug: str) -> tuple[Neighbour, ...]:
        """The records of this name, usually one or none."""
        return tuple(self._by_slug[slug].values()) if slug in self._by_slug else ()

    def similar(self, slug: str) -> list[str]:
        """Other names that differ in one word, or in plurals and hyphens only, ascending."""
        found = {other for key in _keys(slug) for other in self._by_key.get(key, ())}
        return sorted(found - {slug})

    def circle(self, record: Record) -> tuple[str, ...]:
        """The way from a record over what it replaced to a record that is newer than itself; empty where there is none.

        `record` counts as it is given, whatever was put before under its name.
        """
        newer = {record.slug, *((record.superseded_by,) if record.superseded_by else ())}
        way, seen = [record.slug], {record.slug}
        stack = [iter(self._older(record, record))]
        while stack:
            nearest = next(stack[-1], None)
            if nearest is None:
                stack.pop()
                way.pop()
            elif nearest in newer:
                return (*way, nearest)
            elif nearest not in seen:
                seen.add(nearest)
                way.append(nearest)
                stack.append(iter([name for each in self.named(nearest) for name in self._older(each, record)]))
        return ()

    def _older(self, here: Record | Neighbour, given: Record) -> list[str]:
        """What a record replaced: by its own word, or by that of the older one."""
        pointing = [slug for slug in self._pointing.get(here.slug, ()) if slug != given.slug]
        return [*here.supersedes, *pointing, *([given.slug] if given.superseded_by == here.slug else [])]

    def __len__(self) -> int:
        return sum(map(len, self._by_slug.values()))


def _keys(slug: str) -> list[str]:
    """Two names are similar if they share one of these: all words, or all but one, without plurals and hyphens."""
    words = [word.removesuffix("s") or word for word in slug.split("-")]
    keys = ["".join(words)]
    if len(words) > _LEAST_WORDS:
        keys += ["".join(words[:i] + words[i + 1 :]) for i in range(len(words))]
    return keys
