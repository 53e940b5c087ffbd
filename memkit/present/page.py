"""Several results as one HTML document that needs nothing else: no network, no script, light and dark, fit to print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memkit.present import markup, render
from memkit.present.safe import shown


@dataclass(frozen=True, slots=True)
class Part:
    """A result with a heading of its own.

    Attributes:
        heading: Above it.
        value: Any result that shows itself, or a text of paragraphs.
        note: A sentence between the two.
        rows: Rows of it at most.
    """

    heading: str
    value: object
    note: str = ""
    rows: int = render.MAX_ROWS


@dataclass(frozen=True, slots=True)
class _Drawn:
    heading: str
    note: str
    source: object


def page(title: str, parts: Sequence[object]) -> str:
    """One self-contained HTML document.

    Args:
        title: Of the document.
        parts: Results, texts, or `Part`s that give them a heading.
    """
    from markupsafe import Markup

    drawn = []
    for part in parts:
        held = part if isinstance(part, Part) else Part("", part)
        source = Markup(render.fragment(held.value, level=3 if held.heading else 2, rows=held.rows))  # noqa: S704
        drawn.append(_Drawn(shown(held.heading, 200), shown(held.note, 600), source))
    return markup.fill("page.html.j2", title=shown(title, 200), parts=drawn, style=markup.style()) + "\n"
