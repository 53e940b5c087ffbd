"""A record taken apart once: text, front matter, sections, labels, name. Everything else reads from this."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from memkit.importers.adr.dates import Day, find_days
from memkit.importers.adr.fields import Labelled, Zoned, labelled, zones
from memkit.importers.adr.front_matter import FrontMatter, flat, read_front_matter
from memkit.importers.adr.naming import Name, read_name
from memkit.importers.adr.text import decode
from memkit.importers.adr.title import Title, find_title
from memkit.model import headings
from memkit.model.date_words import DATE_LABELS, DAY_FIRST_LANGUAGES
from memkit.model.headings import Section


@dataclass(frozen=True, slots=True)
class Reading:
    """A record taken apart.

    Attributes:
        path: What `source.path` will be.
        sha256: Of its bytes.
        text: The whole decoded text.
        front: Its front matter.
        placed: Its sections, each with its zone.
        labels: Its labelled values.
        name: What its path says.
        title: Its title and where it was found.
        language: The language of its headings, where they are not English.
        notes: What was odd so far.
    """

    path: str
    sha256: str
    text: str
    front: FrontMatter
    placed: tuple[Zoned, ...]
    labels: tuple[Labelled, ...]
    name: Name
    title: Title
    language: str | None
    notes: tuple[str, ...] = ()

    @property
    def sections(self) -> list[Section]:
        """Its sections, front matter left out."""
        return [each.section for each in self.placed]

    def of_kind(self, *kinds: str) -> Iterator[tuple[int, Section]]:
        """Place and section of those that announce one of `kinds`, the title's heading left out."""
        for at, section in enumerate(self.sections):
            if section.kind in kinds and section.line != self.title.line:
                yield at, section

    def open_days(self) -> tuple[Day, ...]:
        """The days that labels and date lines hold, as evidence for their order."""
        labels = {label for group in DATE_LABELS for label in group} | {"updated", "last-updated", "log-date"}
        found = [day for item in self.labels if item.key in labels for day in find_days(item.value)]
        for _, value in self.front.find(*labels):
            found.extend(find_days(flat(value)))
        for _, section in self.of_kind("date", "changelog", "status"):
            found.extend(find_days(f"{section.value} {section.body}"))
        return tuple(found)

    @property
    def writes_day_first(self) -> bool:
        """Whether its language puts the day before the month."""
        return self.language in DAY_FIRST_LANGUAGES


def take_apart(path: str, data: bytes) -> Reading:
    """Take a record apart.

    Raises:
        NotText: the bytes are no text.
    """
    decoded = decode(data)
    front_text, _, _ = headings.split_front_matter(decoded.text)
    front = read_front_matter(front_text) if front_text is not None else FrontMatter()
    found = headings.sections(decoded.text)
    title = find_title(found, front)
    placed = zones(found, title.line)
    return Reading(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        text=decoded.text,
        front=front,
        placed=tuple(placed),
        labels=tuple(labelled(placed)),
        name=read_name(path),
        title=title,
        language=headings.language_of(decoded.text),
        notes=(*decoded.notes, *front.notes),
    )
