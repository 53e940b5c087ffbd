"""A `Review` as cards: each candidate with its evidence, beside the records near it; with buttons where there are any.

What is seen is made from the review at hand. In a live notebook six buttons per candidate, and one to apply, say the
same as `decide`, `undecide` and `apply`; everywhere else (a page, a notebook reopened) the still picture stands
beside them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from memkit.consolidate.adjudicate import ABOUT_A_RECORD, Decision
from memkit.consolidate.corpus import Near
from memkit.consolidate.review import CHOICES, Review, ReviewItem
from memkit.display import MimeBundle
from memkit.errors import MemkitError
from memkit.present import render
from memkit.present.blocks import Block, Bullets, Chip, Column, Fold, Grid, Line, Para, Section, Sheet
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.staging import candidate_card
from memkit.present.wording import count, share, step

MAX_BUTTONS = 50  # candidates with buttons at once; the next ones come after apply
_SAID: dict[str, tuple[str, str]] = {
    "distinct": ("distinct", "+"),
    "duplicate": ("duplicate", "="),
    "supersedes": ("supersedes", "↷"),
    "merge": ("merge", "⋈"),
    "discard": ("discard", "✕"),
}


def review_sheet(review: Review, rows: int = MAX_ROWS) -> Sheet:
    """Each candidate as a card, the records near it below it, and what was decided so far."""
    n = len(review.items)
    title: Line = (f"Review: {count(n, 'candidate')}",) if n else ("Review: no candidate waits",)
    decided = review.decided
    lead: list[Line] = []
    if n:
        lead.append((f"{len(decided):,} decided, nothing applied yet.",))
    else:
        lead.append(step("Candidates come from sessions", "memkit extract", "mem.staging.extract()"))
    body: list[Block] = []
    for item in review.items[:rows]:
        body += _item(review, item)
    if n > rows:
        body.append(Para((f"and {count(n - rows, 'more candidate')}",), "dim"))
    if review.problems:
        items = tuple((say(each.file, 160, "code"), ": ", say(each.detail, 200)) for each in review.problems[:rows])
        body.append(Section((f"Cannot be read ({len(review.problems):,})",), (Bullets(items),)))
    return Sheet(title, tuple(lead), tuple(body))


def item_sheet(item: ReviewItem, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001 - one thing has no rows
    """One candidate, and the records near it."""
    return Sheet(("Candidate",), (), tuple(_blocks(item, ())))


def _item(review: Review, item: ReviewItem) -> list[Block]:
    verdict = review.decided.get(item.key)
    said: Line = ()
    if verdict is not None:
        word, shape = _SAID[verdict.decision]
        about: Line = (" ", say(_slug(verdict.target), 80, "code")) if verdict.target else ()
        said = ("decided: ", Chip(word, shape, "good"), *about, " · ")
    return _blocks(item, said)


def _blocks(item: ReviewItem, said: Line) -> list[Block]:
    foot: Line = (*said, "key ", say(item.key, 16, "code"), " · session ", say(item.waiting.session_id, 60, "code"))
    card = candidate_card(item.waiting.candidate, foot)
    if not item.shortlist:
        return [card, Para(("No record is near it: it becomes one of its own.",), "dim")]
    columns = (
        Column("Record near it", least=20), Column("Alike", right=True, fixed=True),
        Column("Words in common", least=16), Column("Standing", fixed=True),
    )  # fmt: skip
    grid = Grid((), columns, tuple(_near(each) for each in item.shortlist))
    texts: list[Block] = [
        Fold((say(each.record.title, 120),), (Para((say(each.record.body, 2_000, breaks="keep"),)),))
        for each in item.shortlist
    ]
    return [card, grid, *texts]


def _near(near: Near) -> tuple[Line, ...]:
    standing = "says the same" if near.is_same else "in force" if near.record.is_active else near.record.status
    return (
        (say(near.record.slug, 80, "code"),),
        (share(near.alike),),
        (say(", ".join(near.words[:8]), 120),),
        (standing,),
    )


def _slug(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


# -- with buttons ----------------------------------------------------------------------------------------------


class Buttons:
    """The widget of a review: cards with buttons, and one button that applies what was decided.

    Args:
        review: What the buttons speak to.

    Raises:
        ImportError: ipywidgets is not installed.
    """

    def __init__(self, review: Review) -> None:
        import ipywidgets

        self._widgets: Any = ipywidgets
        self._review = review
        self.states: dict[str, Any] = {}
        self.targets: dict[str, Any] = {}
        self.reasons: dict[str, Any] = {}
        self.backs: dict[str, Any] = {}
        self.buttons: dict[tuple[str, Decision], Any] = {}
        self.apply_button = ipywidgets.Button(description="Apply", button_style="primary")
        self.apply_button.on_click(lambda _: self._apply())
        self.message = ipywidgets.HTML()
        self.box = ipywidgets.VBox()
        self._draw()
        review.listeners.append(self._refresh)

    def _draw(self) -> None:
        self._shown = self._review.items
        self.states.clear()
        self.targets.clear()
        self.reasons.clear()
        self.backs.clear()
        self.buttons.clear()
        rows = [self._row(item) for item in self._shown[:MAX_BUTTONS]]
        self.box.children = [*rows, self.message, self.apply_button]
        self._refresh()

    def _row(self, item: ReviewItem) -> Any:
        widgets = self._widgets
        key = item.key
        slugs = [(_slug(near.record.path), near.record.path) for near in item.targets]
        self.targets[key] = widgets.Dropdown(options=slugs, description="Record", disabled=not slugs)
        self.states[key] = widgets.HTML()
        self.reasons[key] = widgets.Text(description="Reason", placeholder="why, if it needs saying")
        title = say(item.waiting.candidate.title, 80).text
        self.backs[key] = widgets.Button(description="take back", tooltip=f"take back what was decided: {title}")
        self.backs[key].on_click(lambda _, key=key: self._try(partial(self._review.undecide, key)))
        for choice in CHOICES:
            off = choice in ABOUT_A_RECORD and not slugs
            button = widgets.Button(description=choice, disabled=off, tooltip=f"{choice}: {title}")
            button.on_click(lambda _, key=key, choice=choice: self._decide(key, choice))
            self.buttons[key, choice] = button
        wrap = widgets.Layout(flex_flow="row wrap")
        line = widgets.HBox([*(self.buttons[key, choice] for choice in CHOICES), self.backs[key]], layout=wrap)
        about = widgets.HBox([self.targets[key], self.reasons[key]], layout=wrap)
        return widgets.VBox([widgets.HTML(value=render.html(item)), about, line, self.states[key]])

    def _decide(self, key: str, choice: Decision) -> None:
        target = self.targets[key].value if choice in ABOUT_A_RECORD else ""
        self._try(partial(self._review.decide, key, choice, target or "", reason=self.reasons[key].value.strip()))

    def _apply(self) -> None:
        if self._try(self._review.apply) and self._review.report is not None:
            self.message.value = render.html(self._review.report)

    def _try(self, act: Any) -> bool:
        try:
            act()
        except MemkitError as error:
            self.message.value = render.html(str(error))
            return False
        self.message.value = ""
        return True

    def _refresh(self) -> None:
        if self._shown is not self._review.items:
            self._draw()
            return
        decided = self._review.decided
        for key, state in self.states.items():
            verdict = decided.get(key)
            words = "" if verdict is None else f"{verdict.decision} {_slug(verdict.target)}".strip()
            state.value = render.html(f"decided: {words}") if words else ""
            self.backs[key].disabled = verdict is None
            for choice in CHOICES:
                chosen = verdict is not None and verdict.decision == choice
                self.buttons[key, choice].button_style = "success" if chosen else ""
        self.apply_button.description = f"Apply {len(decided):,}"
        self.apply_button.disabled = not decided


def review_bundle(review: Review) -> MimeBundle:
    """The buttons where they can be shown, and the still picture beside them."""
    still = render.bundle(review)
    if not review.items:
        return still
    try:
        live = Buttons(review).box._repr_mimebundle_()
    except ImportError:
        return still
    return {**live, **still}
