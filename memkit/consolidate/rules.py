"""The extractor that comes with memkit: explicit markers and structure, no guessing.

What counts: a label at the beginning of a line or sentence ("Decision: ..", "Lesson: .."), in bold or as a list item
too; the items or paragraphs below a heading such as "Lessons"; the text below a heading "Decision", as in a decision
record; a sentence that begins with "We decided to ..". In the languages of `markers.toml`.

What does not: questions, block quotes and quoted words, code, tables, to-dos that are not ticked, struck-out text,
placeholders, "none yet", sentences that take themselves back, records that are only proposed, and memkit's own answers.
A tripwire belongs to the decision before it in the same turn or record; one that stands alone is knowledge to keep.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from memkit.consolidate.lines import ITEM, Line, clean, joined, read_lines
from memkit.consolidate.markers import TRIPWIRES, Label, Markers, shipped_markers
from memkit.consolidate.recalled import without_cards, words_of
from memkit.importers.adr.conclusion import is_filled
from memkit.model import headings
from memkit.model.candidate import (
    MAX_BODY_CHARS,
    MAX_EXCERPT_CHARS,
    Candidate,
    Evidence,
    as_category,
    cut,
    repaired,
    title_of,
)
from memkit.model.session import Turn
from memkit.model.status_words import read_status

NOTE: Final = "note"
MIN_WORDS: Final = 2
MAX_EMPTY: Final = 2  # lines between the items of a list below a label
MIN_UNSPACED_CHARS: Final = 4
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_STATUS_LINE = re.compile(
    r"[\s>*_-]*(?:status|statut|estado|ステータス|状态|狀態)[*_]*\s*[:：][*_]*\s*(.+)", re.IGNORECASE
)
_QUOTES: Final = '"“”„«»「」『』'
_NOT_DECIDED: Final = frozenset({"proposed", "rejected", "deprecated", "superseded"})


@dataclass(slots=True)
class Extracted:
    """What an extractor found.

    Attributes:
        candidates: In the order in which they were said.
        passed_over: How often something looked like a candidate and was none, by reason.
        n_turns: How many turns were looked at.
        usage: What a model used, where one was asked.
    """

    candidates: list[Candidate] = field(default_factory=list)
    passed_over: Counter[str] = field(default_factory=Counter)
    n_turns: int = 0
    usage: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Draft:
    kind: str
    text: str
    title: str
    turn: Turn
    first: int
    last: int
    tripwires: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Item:
    """A list item below a heading, and what came of it."""

    indent: int
    draft: _Draft | None = None


@dataclass(slots=True)
class _Document:
    """What is known of the record or note that a section belongs to."""

    title: str = ""
    in_force: bool = True
    decision: _Draft | None = None


class RuleExtractor:
    """See the module.

    Args:
        markers: The table of words; the shipped one by default.
    """

    name = "rules"

    def __init__(self, markers: Markers | None = None) -> None:
        self._markers = markers or shipped_markers()

    def extract(self, turns: Iterable[Turn]) -> Extracted:
        """The candidates of some turns, in order; the same words are taken once."""
        out = Extracted()
        drafts: list[_Draft] = []
        document = _Document()
        for turn in turns:
            out.n_turns += 1
            if turn.role != NOTE:
                document = _Document()
            if turn.role != NOTE and not self._markers.may_hold(turn.text):
                continue
            text, had_cards = without_cards(turn.text)
            if had_cards:
                out.passed_over["recalled"] += 1
            drafts += _Reader(self._markers, turn, document, out.passed_over).read(text)
        seen: set[str] = set()
        for draft in drafts:
            candidate = _candidate(draft)
            if candidate.digest in seen:
                out.passed_over["repeated"] += 1
                continue
            seen.add(candidate.digest)
            out.candidates.append(candidate)
        return out


class _Reader:
    """Reads one turn."""

    def __init__(self, markers: Markers, turn: Turn, document: _Document, passed_over: Counter[str]) -> None:
        self._markers = markers
        self._turn = turn
        self._document = document
        self._passed_over = passed_over
        self._drafts: list[_Draft] = []
        self._decision: _Draft | None = None
        self._lines: list[Line] = []
        self._at = 0
        self._item: _Item | None = None  # the last list item below the heading at hand

    def read(self, text: str) -> list[_Draft]:
        """The drafts of a text."""
        self._lines = list(read_lines(text))
        section: str | None = None
        is_list = True
        while self._at < len(self._lines):
            line = self._lines[self._at]
            heading = _ATX.match(line.text)
            if heading and (self._turn.role == NOTE or len(heading.group(1)) > 1 or not section):
                self._at += 1
                self._item = None
                section, is_list = self._heading(len(heading.group(1)), heading.group(2), line)
                continue
            label = self._markers.label(line.text)
            if label is not None:
                self._labelled(label)
            elif not line.text.strip():
                self._at += 1
            elif section is not None and not is_list:
                self._whole_section(section)
                section = None
            elif section is not None:
                self._entry(section)
            else:
                self._prose()
        return self._drafts

    # -- headings and what stands below them ------------------------------------------------------------------------

    def _heading(self, level: int, title: str, line: Line) -> tuple[str | None, bool]:
        kind, value = self._markers.section(title)
        announced, said = headings.read_heading(title)
        if kind is None and announced == TRIPWIRES:
            kind, value = TRIPWIRES, said
        if level == 1 and kind is None:
            self._document.title, self._document.in_force, self._document.decision = title.strip(), True, None
        if announced == "status":
            self._status(said or next((each.text for each in self._lines[self._at :] if each.text.strip()), ""))
        if kind is not None and value:
            self._add(kind, value, line.number, line.number)
            return None, True
        is_list = kind != "decisions" or self._markers.is_list(title)
        return kind, is_list

    def _status(self, raw: str) -> None:
        if read_status(raw).status in _NOT_DECIDED:
            self._document.in_force = False

    def _whole_section(self, kind: str) -> None:
        """All text up to the next heading, as one; where it holds labels, those speak for themselves."""
        end = self._at
        while end < len(self._lines) and not _ATX.match(self._lines[end].text):
            if self._markers.label(self._lines[end].text) is not None:
                return
            end += 1
        taken, self._at = self._lines[self._at : end], end
        while taken and not taken[-1].text.strip():
            taken.pop()
        draft = self._add(kind, joined(taken), taken[0].number, taken[-1].number, title=self._document_title())
        if draft is not None:
            self._document.decision = draft

    def _document_title(self) -> str:
        title = re.sub(r"^(?:adr[-\s]*)?\d{1,5}[.:)]?\s+", "", self._document.title, flags=re.IGNORECASE)
        return title if len(words_of(title)) >= MIN_WORDS else ""

    def _entry(self, kind: str) -> None:
        """A list item, or a paragraph where no list stands before it, below a heading.

        Behind a list an indented paragraph goes on with its item; any other one is prose about the list.
        """
        first = self._lines[self._at]
        if first.text.lstrip().startswith((">", "|", "~~")):
            self._at += 1
            return
        item = ITEM.match(first.text)
        if item is None and self._item is not None:
            if first.indent > self._item.indent:
                self._go_on(self._item)
            else:
                self._prose()
            return
        if item is not None and self._item is not None and first.indent > self._item.indent:
            self._go_on(self._item)  # a list inside an item
            return
        taken = self._block(within=first.indent if item else None)
        if item:
            self._item = _Item(first.indent)
        if item and item.group(2) and " " in item.group(2)[:2]:
            self._passed_over["to-do"] += 1
            return
        if item:
            taken[0] = Line(first.number, item.group(3), first.indent)
        elif taken[-1].text.rstrip().endswith((":", "：")):
            return  # it introduces a list
        draft = self._add(kind, joined(taken), taken[0].number, taken[-1].number)
        if self._item is not None:
            self._item.draft = draft

    def _go_on(self, item: _Item) -> None:
        """What stands below a list item and belongs to it; below one that says nothing, it does so neither."""
        taken = self._block(within=item.indent)
        if item.draft is not None:
            item.draft.text += f"\n\n{clean(joined(taken))}"
            item.draft.last = taken[-1].number

    # -- labels -----------------------------------------------------------------------------------------------------

    def _labelled(self, label: Label) -> None:
        first = self._lines[self._at]
        if label.indent >= 4 and not label.bullet and not self._is_in_list():
            self._at += 1  # indented code
            return
        if label.box.startswith("[ ]"):
            self._passed_over["to-do"] += 1
            self._block(within=label.indent)
            return
        if not label.text and not label.bullet:
            self._at += 1
            while self._at < len(self._lines) and not self._lines[self._at].text.strip():
                self._at += 1
                if self._at - first.number > 2:
                    break
            self._below(label)
            return
        taken = self._block(within=label.indent if label.bullet else None)
        taken[0] = Line(first.number, label.text, first.indent)
        self._split(label.kind, joined(taken), taken[0].number, taken[-1].number)

    def _below(self, label: Label) -> None:
        """What stands below a label that has nothing behind it: a paragraph, or a list."""
        if self._at >= len(self._lines) or _ATX.match(self._lines[self._at].text):
            return
        if self._markers.label(self._lines[self._at].text) is not None:
            return
        if label.is_list or label.kind == TRIPWIRES:
            self._item = None
            while (at := self._next_item()) is not None:
                self._at = at
                self._entry(label.kind)
            return
        taken = self._block(within=None)
        if taken[0].text.lstrip().startswith((">", "|", "```")):
            return
        self._add(label.kind, joined(taken), taken[0].number, taken[-1].number)

    def _next_item(self) -> int | None:
        """Where the list goes on, perhaps behind empty lines; None where it ends, or its next item has a label."""
        at = self._at
        while at < len(self._lines) and not self._lines[at].text.strip():
            at += 1
        if at == len(self._lines) or at > self._at + MAX_EMPTY:
            return None
        text = self._lines[at].text
        goes_on = self._item is not None and self._lines[at].indent > self._item.indent and at > self._at
        if self._markers.label(text) is not None or _ATX.match(text) or not (ITEM.match(text) or goes_on):
            return None
        return at

    def _split(self, kind: str, text: str, first: int, last: int) -> None:
        """A labelled text; a label that begins a sentence inside it begins something of its own.

        Behind a preference "We decided to .." does so, too; in a lesson it mostly tells what went wrong.
        """
        inner = self._markers.inside(text)
        if inner is None or _is_quoted(text, inner[0]):
            end = self._until_decided(text) if kind == "preferences" else len(text)
            self._add(kind, text[:end], first, last)
            self._phrases(text[end:], first, last)
            return
        position, label = inner
        self._add(kind, text[:position], first, last)
        self._split(label.kind, label.text, first, last)

    def _until_decided(self, text: str) -> int:
        """Where a later sentence begins that says what was decided; the text's end where none does."""
        for gap in _SENTENCE.finditer(text):
            if self._markers.begins_decision(text[gap.end() :].lstrip("*_ ")) and not _is_quoted(text, gap.end()):
                return gap.end()
        return len(text)

    # -- prose ------------------------------------------------------------------------------------------------------

    def _prose(self) -> None:
        """A paragraph or list item without a label before it: labels and phrases that begin its sentences."""
        first = self._lines[self._at]
        item = ITEM.match(first.text)
        status = _STATUS_LINE.match(first.text)
        if status:
            self._status(status.group(1))
        taken = self._block(within=first.indent if item else None)
        stripped = first.text.lstrip()
        if stripped.startswith((">", "|", "~~")) or (first.indent >= 4 and not item and not self._is_in_list(first)):
            return
        if item:
            if item.group(2) and " " in item.group(2)[:2]:
                return
            taken[0] = Line(first.number, item.group(3), first.indent)
        text = joined(taken)
        span = (taken[0].number, taken[-1].number)
        inner = self._markers.inside(text)
        if inner is not None and not _is_quoted(text, inner[0]) and not self._is_in_code(text, inner[0]):
            position, label = inner
            self._split(label.kind, label.text, *span)
            text = text[:position]
        self._phrases(text, *span)

    def _phrases(self, text: str, first: int, last: int) -> None:
        sentences = [part for part in _SENTENCE.split(text) if part and part.strip()]
        for at, sentence in enumerate(sentences):
            if self._markers.begins_decision(sentence.lstrip("*_ ")):
                if self._markers.is_undone(text):
                    self._passed_over["undone"] += 1
                else:
                    self._add("decisions", " ".join(part.strip() for part in sentences[at:]), first, last)
                return

    # -- inside -----------------------------------------------------------------------------------------------------

    def _block(self, *, within: int | None) -> list[Line]:
        """The line at hand and those that go on with it.

        Args:
            within: The indent of the list item it is; deeper items belong to it. None for a paragraph, to which a list
                belongs that follows without an empty line.
        """
        taken = [self._lines[self._at]]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if not line.text.strip() or _ATX.match(line.text) or line.text.lstrip().startswith(">"):
                break
            if self._markers.label(line.text) is not None:
                break
            if within is not None and ITEM.match(line.text) and line.indent <= within:
                break
            taken.append(line)
            self._at += 1
        return taken

    def _is_in_list(self, line: Line | None = None) -> bool:
        """Whether an indented line belongs to a list item above it."""
        at = self._at if line is None else self._lines.index(line)
        for above in reversed(self._lines[max(0, at - 12) : at]):
            if above.text.strip() and above.indent < 4:
                return ITEM.match(above.text) is not None
        return False

    @staticmethod
    def _is_in_code(text: str, position: int) -> bool:
        return text.count("`", 0, position) % 2 == 1

    def _add(self, kind: str, text: str, first: int, last: int, title: str = "") -> _Draft | None:
        """A draft, if the text says something."""
        text = clean(text)
        reason = self._why_not(kind, text)
        if reason:
            self._passed_over[reason] += 1
            return None
        if kind == TRIPWIRES:
            owner = self._decision or self._document.decision
            if owner is not None:
                if text not in owner.tripwires:
                    owner.tripwires.append(text)
                    owner.last = max(owner.last, last) if owner.turn is self._turn else owner.last
                return None
        draft = _Draft(kind, text, _title(title or text), self._turn, first, last)
        if kind == "decisions":
            self._decision = draft
        self._drafts.append(draft)
        return draft

    def _why_not(self, kind: str, text: str) -> str:
        if not is_filled(text):
            return "placeholder"
        if self._markers.says_nothing(text):
            return "nothing"
        words = words_of(text)
        unspaced = sum(len(word) for word in words if not word.isascii())
        if len(words) < MIN_WORDS and unspaced < MIN_UNSPACED_CHARS:
            return "too-short"
        if _SENTENCE.split(text, maxsplit=1)[0].rstrip(' *_)"”').endswith(("?", "？")):
            return "question"
        if kind == "decisions" and not self._document.in_force:
            return "not-in-force"
        return ""


def _title(text: str) -> str:
    """A title; where it begins with a plain word, with a capital."""
    title = title_of(text)
    first = title.split(" ", 1)[0].rstrip(",;:")
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title


def _is_quoted(text: str, position: int) -> bool:
    """Whether a place in a text stands inside quotation marks."""
    before = text[:position]
    opened = sum(before.count(mark) for mark in "“„«「『") - sum(before.count(mark) for mark in "”»」』")
    return before.count('"') % 2 == 1 or opened > 0


def _candidate(draft: _Draft) -> Candidate:
    """A draft as a candidate without faults."""
    turn = draft.turn
    is_note = turn.role == NOTE
    evidence = Evidence(
        first_turn=turn.number,
        last_turn=turn.number,
        excerpt=cut(draft.text, MAX_EXCERPT_CHARS),
        first_line=turn.first_line + (draft.first if is_note else 0),
        last_line=turn.first_line + draft.last if is_note else turn.last_line,
        extra={"role": turn.role} if not is_note else {},
    )
    stands_alone = draft.kind == TRIPWIRES
    return repaired(
        Candidate(
            category="domain" if stands_alone else as_category(draft.kind),
            title=draft.title,
            body=cut(draft.text, MAX_BODY_CHARS),
            tags=("tripwire",) if stands_alone else (),
            tripwires=(draft.text,) if stands_alone else tuple(draft.tripwires),
            evidence=(evidence,),
        )
    )
