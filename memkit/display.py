"""How a result shows itself without knowing who draws it.

Results live on low floors and must not import a notebook or template library; drawing lives in `present`. The two
meet here: `mimebundle` dispatches on the type of the value, `present` announces one renderer per result type, and
a `Displayable` hands itself over. Without `present` (a bare import of one floor) a value still shows its repr.

A renderer is loaded with the first value it shows: a command that shows one kind of answer loads one.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import singledispatch, update_wrapper
from typing import Any

MimeBundle = dict[str, Any]


def count(n: int, noun: str, plural: str | None = None) -> str:
    """`1 entry`, `1,234 entries`."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


class ByType:
    """A function by the type of its first argument, as `functools.singledispatch`, whose parts may come on demand."""

    def __init__(self, otherwise: Callable[..., Any]) -> None:
        self._known = singledispatch(otherwise)
        self._announced: dict[str, Callable[[], None]] = {}
        update_wrapper(self, otherwise)

    def __call__(self, value: object, *more: Any, **options: Any) -> Any:
        """What the function for the type of `value` returns."""
        return self.dispatch(type(value))(value, *more, **options)

    def dispatch(self, kind: type) -> Callable[..., Any]:
        """The function for a type."""
        for base in kind.__mro__:
            register = self._announced.get(base.__module__)
            if register is not None:
                register()
                self._announced.pop(base.__module__, None)
        return self._known.dispatch(kind)

    def announce(self, module: str, register: Callable[[], None]) -> None:
        """Let `register` take care of the classes of `module`, before the first value of one of them comes along."""
        self._announced[module] = register

    def register(self, kind: Any, function: Callable[..., Any] | None = None) -> Any:
        """Take `function` for values of `kind`; as a decorator, `kind` is the function and its annotation says."""
        return self._known.register(kind) if function is None else self._known.register(kind, function)


@ByType
def mimebundle(value: object) -> MimeBundle:
    """The representations of `value` by MIME type; at least `text/plain`, and `text/html` once registered."""
    return {"text/plain": repr(value)}


@ByType
def plain(value: object) -> str:
    """The `text/plain` of `mimebundle` alone, for terminals, which need no HTML made."""
    return repr(value)


@ByType
def drawn(value: object) -> Any:
    """`value` as a chart; `present` registers who draws which type."""
    raise TypeError(f"no chart of {type(value).__name__} is known")


@ByType
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
        return str(plain(self))


class Charted:
    """Mixin: has a chart."""

    __slots__ = ()

    def chart(self) -> Any:
        """The same as a `memkit.present.charts.chart.Chart`, which notebooks show; `to_svg`, `to_png`, `spec`."""
        return drawn(self)
