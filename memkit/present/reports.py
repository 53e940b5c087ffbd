"""What is seen of the accounts memkit gives: an import, a verification, a repair, the state of a memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from memkit import clock
from memkit.display import Displayable
from memkit.importers.report import FATES, FileAccount, ImportReport
from memkit.model.problem import Problem
from memkit.model.status import Status
from memkit.present.blocks import (
    Block,
    Bullets,
    Chip,
    Column,
    Fact,
    Facts,
    Grid,
    Line,
    Para,
    Section,
    Sheet,
    Tone,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, fact, first_steps, ids, kinds, moment, size, step
from memkit.store.repair import RepairReport
from memkit.store.wipe import WipeReceipt

MAX_LINKS = 10
_FATES: dict[str, tuple[str, Tone]] = {
    "imported": ("✓", "good"),
    "unchanged": ("=", "plain"),
    "updated": ("↻", "good"),
    "skipped": ("–", "warn"),
    "rejected": ("✕", "bad"),
}
_OUTCOMES = {"mapped": "Mapped", "raw": "Kept as written", "not understood": "Not understood"}
# Shown where there is something in them.
_SELDOM = {"left out": "Left out", "not measurable": "Not measurable"}


def import_sheet(report: ImportReport, rows: int = MAX_ROWS) -> Sheet:
    """The five counts, the files one should look at, what became of each field, links that led nowhere."""
    n = report.n_seen
    verb = "Import (dry run)" if report.dry_run else "Import"
    title: Line = (f"{verb}: ", say(report.kind, 40), " from ", say(report.path, 160, "code"))
    parts: list[Line] = [(_fate(fate), f" {report.counts[fate]:,}") for fate in FATES]
    lead: list[Line] = [(*joined(parts, "   "), f"   = {count(n, 'file')} seen")]
    if report.dry_run:
        lead.append(("Nothing was stored.",))
    if report.is_cut:
        lead.append(("Cut by a limit; the same import again goes on from there.",))
    if report.suggestion:
        lead.append((Chip("another kind?", "▲", "warn"), " This ", say(report.suggestion, 400)))
    body: list[Block] = []
    odd = [account for account in report.files if _is_odd(account)]
    # What was refused comes before what merely changed.
    odd.sort(key=lambda account: -FATES.index(account.fate))
    if odd:
        shown = odd[:rows]
        size = f"{len(shown)} of {len(odd)} shown" if len(shown) < len(odd) else f"{len(odd)}"
        columns = (
            Column("File", least=20),
            Column("Fate", least=11),
            Column("What", least=24),
            Column("Entry", least=32),
        )
        grid = Grid(("What was refused comes first",), columns, tuple(map(_odd_row, shown)), head=True)
        body.append(Section((f"Files worth a look ({size})",), (grid,)))
    elif n:
        body.append(Para(("Nothing odd: each file was read whole.",)))
    if fields := _fields(report):
        body.append(Section(("What became of the fields",), fields))
    for heading, links in (
        ("Links that could mean several documents", report.links_ambiguous),
        ("Links to nothing known", report.links_dangling),
        ("Imported before and gone from here; their entries stay", report.gone),
    ):
        if links:
            items = Bullets(tuple((say(link, 240),) for link in links[:MAX_LINKS]))
            left = len(links) - MAX_LINKS
            more: tuple[Block, ...] = (Para((f"and {left} more",), "dim"),) if left > 0 else ()
            body.append(Section((f"{heading} ({len(links)})",), (items, *more)))
    return Sheet(title, tuple(lead), tuple(body))


def _fate(fate: str) -> Chip:
    shape, tone = _FATES.get(fate, ("?", "calm"))
    return Chip(fate, shape, tone)


def _is_odd(account: FileAccount) -> bool:
    return account.fate in {"updated", "skipped", "rejected"} or bool(account.notes or account.scrubbed)


def _odd_row(account: FileAccount) -> tuple[Line, ...]:
    what: list[Line] = [(say(account.reason, 240),)] if account.reason else []
    what += [(say(note, 200),) for note in account.notes[:4]]
    if len(account.notes) > 4:
        what.append((f"and {count(len(account.notes) - 4, 'more note')}",))
    if account.scrubbed:
        what.append(("secrets masked: ", *kinds(account.scrubbed.items())))
    entry: list[Line] = [ids((account.entry_id,))] if account.entry_id else []
    entry += [("replaces ", *ids((account.replaces,)))] if account.replaces else []
    return (
        (say(account.path, 120),),
        (_fate(account.fate),),
        joined(what, "\n") or ("–",),
        joined(entry, "\n") or ("–",),
    )


def _fields(report: ImportReport) -> tuple[Block, ...]:
    counts: dict[str, Counter[str]] = {name: Counter(found) for name, found in report.unlisted_fields.items()}
    examples: dict[str, str] = {}
    for account in report.files:
        for field in account.fields:
            counts.setdefault(field.name, Counter())[field.outcome] += 1
            if field.outcome != "mapped":
                examples.setdefault(field.name, field.value)
    if not counts:
        return ()
    seldom = {key: name for key, name in _SELDOM.items() if any(found[key] for found in counts.values())}
    outcomes = {**_OUTCOMES, **seldom}
    columns = (
        Column("Field", least=12),
        *(Column(name, right=True) for name in outcomes.values()),
        Column("Such as", least=20),
    )
    cells = []
    for name, found in list(counts.items())[:MAX_ROWS]:
        numbers: list[Line] = [(f"{found[outcome]:,}",) for outcome in outcomes]
        cells.append(((say(name, 40),), *numbers, (say(examples.get(name, ""), 80),)))
    return (Grid(("Documents by what became of the field",), columns, tuple(cells), head=True),)


@dataclass(frozen=True, slots=True)
class Problems(Displayable):
    """What `verify()` found, as something that shows itself.

    Attributes:
        rows: The problems in their order.
    """

    rows: tuple[Problem, ...]

    def __repr__(self) -> str:
        return f"<Problems: {len(self.rows)}>"


def problems_table(problems: Sequence[Problem]) -> Problems:
    """The problems as a table."""
    return Problems(tuple(problems))


def problems_sheet(problems: Problems, rows: int = MAX_ROWS) -> Sheet:
    """One row per problem: what, where, in words, and the remedy."""
    total = len(problems.rows)
    if not total:
        return Sheet(("No problem found",), (("Every line and every file is as it should be.",),), ())
    shown = min(total, rows)
    title = f"{shown} of {total:,} problems" if shown < total else count(total, "problem")
    by_code = Counter(problem.code for problem in problems.rows)
    return Sheet((title,), (), (_problem_grid(problems.rows, rows, kinds(by_code.items())),))


def _problem_grid(problems: Sequence[Problem], rows: int, caption: Line) -> Grid:
    columns = (
        Column("Problem", least=16), Column("Where", least=32), Column("What was found", least=28),
        Column("Remedy", least=16),
    )  # fmt: skip
    cells = []
    for problem in problems[:rows]:
        where: list[Line] = [(say(problem.file, 120),)] if problem.file else []
        if problem.start >= 0:
            last = f" to {problem.end:,}" if problem.end >= 0 else ""
            where.append((f"bytes {problem.start:,}{last}",))
        if problem.entry_id:
            where.append(ids((problem.entry_id,)))
        cells.append(
            (
                (say(problem.code, 60),),
                joined(where, "\n") or ("–",),
                (say(problem.detail, 300),),
                (say(problem.remedy, 160),) if problem.remedy else ("–",),
            )
        )
    return Grid(caption, columns, tuple(cells), head=True)


def repair_sheet(report: RepairReport, rows: int = MAX_ROWS) -> Sheet:
    """What was mended or would be, and what is left."""
    n = len(report.actions)
    if report.dry_run:
        title = f"Repair (dry run): {count(n, 'action')} planned" if n else "Repair (dry run): nothing to mend"
        lead: tuple[Line, ...] = (("Nothing was changed.",),) if n else ()
    else:
        title = f"Repair: {count(n, 'action')} done" if n else "Repair: nothing to mend"
        lead = ()
    body: list[Block] = []
    if n:
        columns = (
            Column("Action", least=16),
            Column("File", least=20),
            Column("What", least=24),
            Column("Entry", least=32),
        )
        cells = tuple(
            (
                (say(step.code, 60),),
                (say(step.file, 120),),
                (say(step.detail, 300),),
                ids((step.entry_id,)) if step.entry_id else ("–",),
            )
            for step in report.actions[:rows]
        )
        note: Line = (f"and {n - rows:,} more",) if n > rows else ()
        body.append(Grid(("In the order they are done",), columns, cells, note=note, head=True))
    left = len(report.problems_left)
    if left:
        size = f"{rows} of {left:,} shown" if left > rows else f"{left}"
        heading = "Would be left" if report.dry_run else "Left"
        body.append(
            Section((f"{heading} ({size})",), (_problem_grid(report.problems_left, rows, ("These need a person",)),))
        )
    return Sheet((title,), lead, tuple(body))


def wipe_sheet(receipt: WipeReceipt, rows: int = MAX_ROWS) -> Sheet:
    """What is gone."""
    if not receipt.n_files:
        return Sheet(("Nothing to wipe",), (("The project ", *ids((receipt.project_key,)), " has no store."),), ())
    gone = f"{count(receipt.n_entries, 'entry', 'entries')}, {count(receipt.n_files, 'file')}, {size(receipt.n_bytes)}"
    lead: list[Line] = [(f"Erased: {gone}.",)]
    if receipt.is_clean:
        lead.append(("Nothing is left but locks, a number, and one line in the log.",))
        return Sheet(("Wiped ", *ids((receipt.project_key,))), tuple(lead), ())
    lead.append((Chip(f"{count(len(receipt.left), 'file')} left", "▲", "bad"),))
    items = Bullets(tuple((say(each, 160),) for each in receipt.left[:rows]))
    return Sheet(("Wiped ", *ids((receipt.project_key,))), tuple(lead), (Section(("Left",), (items,)),))


def status_sheet(status: Status, rows: int = MAX_ROWS) -> Sheet:
    """Whether memory is on and by whose word, where it lies, how much it holds."""
    chip = Chip("on", "●", "good") if status.enabled else Chip("off", "○", "calm")
    facts: list[Fact] = []
    facts += fact("Memory", (chip, " (", say(status.enabled_by, 120), ")") if status.enabled_by else (chip,))
    if status.exists:
        held = count(status.n_records, "record") + ", " if status.n_records else ""
        holds = f"{count(status.n_entries, 'entry', 'entries')}, {held}{size(status.n_bytes)}"
        facts += fact("Holds", (holds,))
        if status.n_damaged:
            facts += fact("Damage", (Chip(f"{count(status.n_damaged, 'index line')} cannot be read", "▲", "bad"),))
        if status.last_stored_at:
            label = clock.stored_label(status.last_stored_at, status.as_of)
            facts += fact("Newest", (f"{label} ({moment(status.last_stored_at)})",))
    else:
        facts += fact("Holds", ("nothing; the folder is made with the first entry",))
    facts += fact("Project", (say(status.project_path, 240, "code"), ", key ", say(status.project_key, 64, "code")))
    facts += fact("Folder", (say(status.folder, 240, "code"),))
    facts += fact("Root", (say(status.root, 240, "code"),))
    body: list[Block] = [Facts(tuple(facts)), Section(("Next",), (Bullets(tuple(_next_steps(status))),))]
    if status.notes:
        body.append(Section(("Notes",), (Bullets(tuple((say(note, 300),) for note in status.notes[:rows])),)))
    return Sheet(("Memory of ", say(status.project_path.rstrip("/").rpartition("/")[2] or "/", 80)), (), tuple(body))


def _next_steps(status: Status) -> Iterator[Line]:
    """What to do next, from where this memory stands, in a terminal and in Python."""
    if not status.enabled:
        yield step("Nothing is stored or recalled while memory is off; to say yes", "memkit enable", "memkit.enable()")
        if status.n_entries:
            yield step("To look at what is there", "memkit list", "mem.list()")
        return
    if status.n_damaged:
        yield step("To see what is damaged, and mend it without losing a byte", "memkit verify", "mem.verify()")
    if not status.n_entries and not status.n_records:
        yield from first_steps()
        return
    yield step("To ask", "memkit recall WORDS", 'mem.recall("words")')
    yield step("To see what holds", "memkit decided TOPIC", 'mem.what_we_decided("topic")')


class Consent(Protocol):
    """What was written about one project's consent."""

    @property
    def project_path(self) -> str: ...  # noqa: D102
    @property
    def enabled(self) -> bool: ...  # noqa: D102
    @property
    def changed(self) -> bool: ...  # noqa: D102
    @property
    def config_file(self) -> str: ...  # noqa: D102


def consent_sheet(receipt: Consent, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """Whether memory is on now, and where that is written."""
    state = "on" if receipt.enabled else "off"
    title: Line = (f"Memory is {'now' if receipt.changed else 'already'} {state} for ", say(receipt.project_path, 240))
    written: Line = ("Written in ", say(receipt.config_file, 240, "code"), ".")
    return Sheet(title, (written,), ())
