"""How a result shows itself without knowing who draws it.

Results live on low floors and must not import a notebook or template library; drawing lives in `present`. The two
meet here: `mimebundle` dispatches on the type of the value, `present` registers one renderer per result type, and
a `Displayable` hands itself over. Without `present` (a bare import of one floor) a value still shows its repr.
"""

from __future__ import annotations

from collections.abc import Container
from functools import singledispatch
from typing import Any

MimeBundle = dict[str, Any]


@singledispatch
def mimebundle(value: object) -> MimeBundle:
    """The representations of `value` by MIME type; at least `text/plain`, and `text/html` once registered."""
    return {"text/plain": repr(value)}


@singledispatch
def plain(value: object) -> str:
    """The `text/plain` of `mimebundle` alone, for terminals, which need no HTML made."""
    return repr(value)


@singledispatch
def drawn(value: object) -> Any:
    """`value` as a chart; `present` registers who draws which type."""
    raise TypeError(f"no chart of {type(value).__name__} is known")


@singledispatch
def explored(value: object, **options: Any) -> Any:  # noqa: ARG001
    """`value` as something to look around in by hand; `present` registers who makes it of which type."""
    raise TypeError(f"nobody knows how to look around in {type(value).__name__}")


class Displayable:
    """Mixin: shows itself in notebooks through `mimebundle`; `to_text()` gives the same content in plain text."""

    __slots__ = ()

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> MimeBundle:
        return {
            mime: data
            for mime, data in mimebundle(self).items()
            if (include is None or mime in include) and (exclude is None or mime not in exclude)
        }

    def to_html(self) -> str:
        """The script-free HTML that a notebook shows."""
        return str(mimebundle(self).get("text/html", ""))

    def to_text(self) -> str:
        """The plain-text twin of the HTML."""
        return plain(self)


class Charted:
    """Mixin: has a chart."""

    __slots__ = ()

    def chart(self) -> Any:
        """The same as a `memkit.present.charts.chart.Chart`, which notebooks show; `to_svg`, `to_png`, `spec`."""
        return drawn(self)
