"""What a chart is: a specification, its rows, and the table that says the same; vl-convert draws it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from memkit.display import Displayable
from memkit.errors import InvalidInputError, MissingExtraError
from memkit.present.blocks import Block, Para, Picture, Sheet
from memkit.present.render import MAX_ROWS

if TYPE_CHECKING:
    import altair as alt

Theme = Literal["light", "dark", "auto"]
THEMES: tuple[Theme, ...] = ("light", "dark", "auto")
# The newest Vega-Lite of the major version that the specifications are written in.
VERSION = "5.20"
_PATH = re.compile(r"<path [^>]*>")
_LONG = re.compile(r"-?\d+\.\d{3,}(?!e)")
_REMEDY = "Install it with: pip install 'memkit[charts]'"


@dataclass(frozen=True, slots=True, eq=False)
class Chart(Displayable):
    """A result, drawn.

    Attributes:
        name: The specification file, without its ending: `timeline`, `chains`, `ages` and so on.
        title: Above it.
        words: What is drawn, in a sentence; what who cannot see the picture is told.
        datasets: The rows it is drawn from, by the names the specification gives them.
        table: The same as a table.
    """

    name: str
    title: str
    words: str
    datasets: Mapping[str, Sequence[Mapping[str, Any]]]
    table: tuple[Block, ...]

    def __repr__(self) -> str:
        return f"<Chart {self.name}: {self.words}>"

    @property
    def spec(self) -> dict[str, Any]:
        """The complete Vega-Lite specification with its rows, without a theme: for any tool that draws Vega-Lite."""
        found: dict[str, Any] = json.loads(_file(f"{self.name}.vl.json"))
        return {**found, "datasets": {name: list(rows) for name, rows in self.datasets.items()}}

    def to_dict(self) -> dict[str, Any]:
        """`spec`."""
        return self.spec

    def themed(self, theme: Theme = "light") -> dict[str, Any]:
        """`spec` with the colours and fonts of a theme.

        Raises:
            InvalidInputError: no such theme.
        """
        return {**self.spec, "config": config(theme)}

    def to_svg(self, theme: Theme = "light") -> str:
        """The picture as SVG; it refers to nothing outside itself. `auto` is transparent, for light and for dark.

        Raises:
            MissingExtraError: vl-convert-python is not installed.
            InvalidInputError: no such theme.
        """
        drawn: str = _converter().vegalite_to_svg(self.themed(theme), vl_version=VERSION, allowed_base_urls=[])
        return _PATH.sub(lambda path: _LONG.sub(lambda n: f"{float(n.group()):.2f}", path.group()), drawn)

    def to_png(self, theme: Theme = "light", *, scale: float = 2.0) -> bytes:
        """The picture as PNG, `scale` pixels for each of the specification's.

        Raises:
            MissingExtraError: vl-convert-python is not installed.
            InvalidInputError: no such theme, or a scale that is not above 0 and at most 10.
        """
        if not 0 < scale <= 10:
            raise InvalidInputError(f"{scale!r:.20} is not above 0 and at most 10", field="scale")
        spec = self.themed(theme)
        drawn: bytes = _converter().vegalite_to_png(spec, vl_version=VERSION, scale=scale, allowed_base_urls=[])
        return drawn

    def to_altair(self) -> alt.TopLevelMixin:
        """The same as an Altair chart, to go on from.

        Raises:
            MissingExtraError: altair is not installed.
        """
        try:
            import altair as alt
        except ImportError as error:
            raise MissingExtraError("altair is not installed", remedy=_REMEDY) from error
        # Altair knows one schema, its own; what the specifications use is the same in both.
        spec = {key: value for key, value in self.spec.items() if key != "$schema"}
        return alt.Chart.from_dict(spec)

    def picture(self) -> str:
        """The picture as the `data:` address of an SVG that reads on light and on dark."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.to_svg('auto').encode()).decode('ascii')}"


def config(theme: str) -> dict[str, Any]:
    """The Vega-Lite configuration of a theme: `light`, `dark`, or `auto`, transparent and in colours between the two.

    Raises:
        InvalidInputError: no such theme.
    """
    if theme not in THEMES:
        raise InvalidInputError(f"{theme!r:.40} is no theme", field="theme", remedy="Choose light, dark or auto.")
    themes = json.loads(_file("themes.json"))
    colours = themes[theme]

    def coloured(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: coloured(held) for key, held in value.items()}
        if isinstance(value, list):
            return [coloured(held) for held in value]
        return colours[value[1:]] if isinstance(value, str) and value.startswith("$") else value

    found: dict[str, Any] = coloured(themes["config"])
    return found


def chart_sheet(chart: Chart, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """The picture, then the table that says the same."""
    if any(chart.datasets.values()) and find_spec("vl_convert") is not None:
        return Sheet((chart.title,), (), (Picture(chart.words, chart.picture, chart.title), *chart.table))
    nothing = "There is nothing to draw."
    if any(chart.datasets.values()):
        nothing = f"Not drawn: vl-convert-python is not installed. {_REMEDY}."
    return Sheet((chart.title,), ((chart.words,),), (Para((nothing,), "dim"), *chart.table))


@lru_cache(maxsize=16)
def _file(name: str) -> str:
    from importlib.resources import files

    return (files("memkit.present.charts") / name).read_text(encoding="utf-8")


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtraError("vl-convert-python is not installed", remedy=_REMEDY) from error
    return vl_convert
