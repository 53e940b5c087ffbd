"""`Explorer`: words, filters, live hits and one card, in a notebook; a still page of the same everywhere else.

What is found and what is shown of it are functions that need no widget; the widgets only ask again and show anew. The
value of the explorer is what is on the screen: `.value`, `.selected`, `.to_pandas()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from memkit.analytics.explore import Explored, ExploreRow, Facets, Filters
from memkit.display import Displayable
from memkit.errors import MemkitError
from memkit.present import render
from memkit.present.blocks import Block, Column, Fact, Facts, Grid, Line, Para, Section, Sheet, joined
from memkit.present.live import Asking
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, fact, first_steps, gap_lines, points, some_of, status_chip

if TYPE_CHECKING:
    import pandas as pd

AGES: tuple[tuple[str, float | None], ...] = (
    ("any age", None), ("last 7 days", 7.0), ("last 30 days", 30.0), ("last 90 days", 90.0), ("last year", 365.0),
)  # fmt: skip
ANY = ""
ANY_AGE = -1.0  # a choice of None is no choice in a Dropdown


class Explorer(Asking, Displayable):
    """See the module; made by `mem.explore()`.

    Args:
        look: What the filters let pass.
        card: What is shown of one hit, as any result that shows itself.
        facets: What can be chosen.
        filters: What to begin with.
        scopes: The scopes that may be chosen.
    """

    def __init__(
        self,
        look: Callable[[Filters], Explored],
        card: Callable[[ExploreRow], object],
        facets: Facets,
        *,
        filters: Filters,
        scopes: tuple[str, ...] = ("own",),
    ) -> None:
        super().__init__()
        self._look = look
        self._card = card
        self.facets = facets
        self.scopes = scopes
        self.value: Explored = look(filters)
        self.selected: str | None = None

    def __repr__(self) -> str:
        return f"<Explorer: {count(len(self.value), 'hit')} for {self.value.filters.query[:60]!r}>"

    @property
    def filters(self) -> Filters:
        """What is looked for now."""
        return self.value.filters

    def ask(self, **changes: Any) -> Explored:
        """Change the filters and look again; the hits.

        Raises:
            InvalidInputError: a value out of its range.
        """
        with self._lock:
            self.value = self._look(self.filters.changed(**changes))
            if self.selected not in {row.id for row in self.value}:
                self.selected = None
            self._show()
            return self.value

    def select(self, entry_id: str | None) -> object:
        """Choose one hit; its card, or None.

        Raises:
            KeyError: it is not among the hits.
        """
        with self._lock:
            if entry_id is not None and entry_id not in {row.id for row in self.value}:
                raise KeyError(entry_id)
            self.selected = entry_id
            self._show()
            return self.card

    @property
    def card(self) -> object:
        """What is shown of the chosen hit; None where none is chosen."""
        chosen = next((row for row in self.value if row.id == self.selected), None)
        return None if chosen is None else self._card(chosen)

    @property
    def next_steps(self) -> tuple[Line, ...]:
        """What to do where nothing is shown: begin where nothing is stored, else take a filter away."""
        if len(self.value) or self.value.gaps:
            return ()
        return _without_filters(self.filters) if self.holds else first_steps()

    @property
    def holds(self) -> bool:
        """Whether anything at all is stored, as far as can be read."""
        return bool(self.facets.panels or len(self.value) or self.value.gaps)

    def to_pandas(self) -> pd.DataFrame:
        """The hits as a data frame."""
        return self.value.to_pandas()

    # -- widgets -------------------------------------------------------------------------------------------------

    def _build(self) -> Any:
        import ipywidgets as w

        wide, short = w.Layout(width="98%"), w.Layout(width="270px")
        asked = self.filters
        tags: list[tuple[str, tuple[str, ...]]] = [(f"{name} ({n:,})", (name,)) for name, n in self.facets.tags]
        if asked.tags and asked.tags not in [value for _, value in tags]:
            tags.insert(0, (" or ".join(asked.tags), asked.tags))
        ages = [(words, ANY_AGE if days is None else days) for words, days in AGES]
        if asked.since_days is not None and asked.since_days not in [days for _, days in ages]:
            ages.append((_age_words(asked.since_days), asked.since_days))
        scopes = [("this project" if s == "own" else "all my projects", s) for s in self.scopes]
        self._parts = parts = {
            "query": w.Text(asked.query, description="Words", placeholder="what was decided about…", layout=wide),
            "panel": _dropdown("Panel", _choices(self.facets.panels, asked.panel), asked.panel or ANY, short),
            "status": _dropdown("Standing", _choices(self.facets.statuses, asked.status), asked.status or ANY, short),
            "since_days": _dropdown("Age", ages, ANY_AGE if asked.since_days is None else asked.since_days, short),
            "tags": _dropdown("Tag", [("any", ()), *tags], asked.tags, short),
            "scope": _dropdown("Where", scopes, asked.scope, short),
            "superseded": w.Checkbox(value=asked.superseded, description="Also superseded", indent=False, layout=short),
            "hits": w.Select(options=[], description="Hits", rows=8, layout=wide),
            # JupyterLab keeps the arrow keys of a list for itself, not those of a number.
            "number": w.BoundedIntText(0, min=0, max=0, description="Show hit", continuous_update=True, layout=short),
            "count": w.HTML(""),
            "card": w.HTML(""),
        }
        parts["query"].continuous_update = True
        for name in ("query", "panel", "status", "tags", "since_days", "superseded", "scope"):
            parts[name].observe(self._changed, names="value")
        parts["hits"].observe(self._chosen, names="value")
        parts["number"].observe(self._numbered, names="value")
        row = w.Layout(flex_flow="row wrap")
        filters = [parts[name] for name in ("panel", "status", "since_days", "tags", "scope", "superseded")]
        return w.VBox(
            [parts["query"], w.HBox(filters, layout=row), parts["count"], parts["hits"], parts["number"], parts["card"]]
        )

    def _changed(self, change: Any) -> None:
        """A keystroke waits a moment for the next one; a choice does not."""
        if change["owner"] is self._parts["query"]:
            self._soon.soon()
        else:
            self._soon.now()

    def _ask_parts(self) -> None:
        parts = self._parts
        try:
            self.ask(
                query=parts["query"].value,
                panel=parts["panel"].value or None,
                status=parts["status"].value or None,
                tags=parts["tags"].value,
                since_days=None if parts["since_days"].value == ANY_AGE else parts["since_days"].value,
                superseded=parts["superseded"].value,
                scope=parts["scope"].value,
            )
        except MemkitError as error:
            parts["count"].value = render.html(Note(str(error)))

    def _chosen(self, change: Any) -> None:
        if not self._shows.is_mine and change["new"] is not None and change["new"] != self.selected:
            self.select(change["new"])

    def _numbered(self, change: Any) -> None:
        place = change["new"] - 1
        wanted = self.value[place].id if 0 <= place < len(self.value) else None
        if not self._shows.is_mine and wanted != self.selected:
            self.select(wanted)

    def _show(self) -> None:
        if self._box is None:
            return
        with self._shows:  # what the controls do to each other meanwhile is nobody's choice
            self._show_parts()

    def _show_parts(self) -> None:
        parts = self._parts
        wanted = [(_label(row), row.id) for row in self.value]
        if list(parts["hits"].options) != wanted:
            parts["hits"].options = wanted
        parts["hits"].value = self.selected
        ids = [row.id for row in self.value]
        parts["number"].max = len(ids)
        parts["number"].value = ids.index(self.selected) + 1 if self.selected in ids else 0
        more = (*self.next_steps, *gap_lines(self.value.gaps))
        parts["count"].value = render.html(Note(_found(self), more))
        card = self.card
        parts["card"].value = "" if card is None else render.html(card)


class Note(Displayable):
    """One line of text beside a widget."""

    def __init__(self, words: str, more: tuple[Line, ...] = ()) -> None:
        self.words = words
        self.more = more

    def __repr__(self) -> str:
        return self.words


def note_sheet(note: Note, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """The line."""
    return Sheet((), (), (Para((say(note.words, 400),), "dim"), *(Para(line) for line in note.more)))


def _choices(counted: tuple[tuple[str, int], ...], asked: str | None) -> list[tuple[str, str]]:
    """What can be chosen, and what was asked for although nothing has it."""
    known = [(f"{name} ({n:,})", name) for name, n in counted]
    missing = [(f"{asked} (0)", asked)] if asked and asked not in dict(counted) else []
    return [("any", ANY), *known, *missing]


def _dropdown(label: str, options: Sequence[tuple[str, Any]], value: Any, layout: Any) -> Any:
    import ipywidgets

    return ipywidgets.Dropdown(options=options, value=value, description=label, layout=layout)


def _age_words(days: float) -> str:
    return f"last {days:g} days"


def _label(row: ExploreRow) -> str:
    score = "" if row.score is None else f"{points(row.score)} · "
    return f"{score}{say(row.title, 90).text} · {row.age_label.lower()}"


def _found(explorer: Explorer) -> str:
    found = explorer.value
    if not explorer.holds:
        return "Nothing is stored for this project yet."
    if not len(found):
        return " ".join(found.causes)
    order = "best first" if found.filters.query.strip() else "newest first"
    return f"{some_of(len(found), len(found), found.n_matched, 'hit')}, {order}"


def explorer_sheet(explorer: Explorer, rows: int = MAX_ROWS) -> Sheet:
    """The filters in words, the hits, and the chosen one's card."""
    found = explorer.value
    shown = found.rows[:rows]
    facts = _filter_facts(found.filters)
    body: list[Block] = [Facts(tuple(facts))] if facts else []
    if shown:
        scored = shown[0].score is not None
        columns = [Column("Title", least=24), Column("Stored", fixed=True), Column("Panel"), Column("Standing")]
        columns += [Column("Score", right=True, fixed=True)] if scored else []
        cells = tuple(_cells(row, scored=scored) for row in shown)
        body.append(Grid((some_of(len(shown), len(found), found.n_matched, "hit"),), tuple(columns), cells, head=True))
    else:
        body += [Para(line) for line in explorer.next_steps]
    body += [Para(line) for line in gap_lines(found.gaps)]
    card = explorer.card
    if card is not None:
        body.append(Section(("Chosen",), render.sheet_of(card).body))
    return Sheet(("Explore",), ((say(_found(explorer), 400),),), tuple(body))


def _filter_facts(filters: Filters) -> list[Fact]:
    age = next((words for words, days in AGES if days == filters.since_days), _age_words(filters.since_days or 0.0))
    parts: list[Line] = []
    parts += [("panel ", say(filters.panel, 60))] if filters.panel else []
    parts += [("standing ", say(filters.status, 30))] if filters.status else []
    parts += [("tags ", say(", ".join(filters.tags), 120))] if filters.tags else []
    parts += [(age,)] if filters.since_days is not None else []
    parts += [("also superseded",)] if filters.superseded else []
    parts += [("all my projects",)] if filters.scope == "all" else []
    facts = fact("Words", (say(filters.query, 200),)) if filters.query.strip() else []
    return facts + (fact("Only", joined(parts)) if parts else [])


def _without_filters(filters: Filters) -> tuple[Line, ...]:
    """Which filters could be taken away; words are explained by their own causes."""
    facts = [each for each in _filter_facts(filters) if each.label == "Only"]
    return (("Take a filter away (Only, above) or choose another to see more.",),) if facts else ()


def _cells(row: ExploreRow, *, scored: bool) -> tuple[Line, ...]:
    cells: list[Line] = [
        (say(row.title, 120),), (row.age_label.removeprefix("Stored "),), (say(row.panel_id, 40),),
        (status_chip(row.status),),
    ]  # fmt: skip
    return tuple([*cells, (points(row.score or 0.0),)] if scored else cells)
