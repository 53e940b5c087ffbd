"""What is seen of records: one as a card, many as lines, hits, receipts, the linter's findings, locks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memkit import clock
from memkit.consolidate.lint import LintReport
from memkit.consolidate.record_results import DeletedRecords, RecordHits, RecordList, RecordReceipt, ShownRecord
from memkit.model.lint_finding import Finding
from memkit.model.problem import Problem
from memkit.model.record import Record
from memkit.present.blocks import (
    Block,
    Bullets,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Grid,
    Inline,
    Line,
    Meter,
    Section,
    Sheet,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, fact, ids, moment, narrowed, points, some_of, step, tags, unwrapped
from memkit.store.locks import LockList

MAX_BODY = 4_000
_TRIPWIRES: Final = "## Tripwire conditions\n"
_DONE = {"write": "Written", "edit": "Changed", "delete": "Deleted", "restore": "Restored"}
_SEVERITIES = {"error": Chip("error", "✕", "bad"), "warning": Chip("warning", "▲", "warn")}


def kind_chip(kind: str) -> Chip:
    """The kind of a record as a chip."""
    return Chip(say(kind, 20).text, "◆", "calm")


def _status(record: Record) -> Chip:
    return Chip("active", "✓", "good") if record.is_active else Chip("superseded", "↷", "warn")


def record_sheet(record: Record, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One record as a card."""
    return Sheet(("Record",), (), (record_card(record),))


def shown_sheet(shown: ShownRecord, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One record as it was read, with its age."""
    return Sheet(("Record",), (), (record_card(shown.record, shown),))


def record_card(record: Record, shown: ShownRecord | None = None) -> Card:
    """Title, kind, state, age, text, when it should come to mind, where it comes from."""
    body = record.body
    heading, _, rest = body.partition("\n")
    if heading.startswith("#") and heading.lstrip("#").strip() == record.title:
        body = rest.strip()
    body, wires = _without_tripwires(body)
    rows: list[Fact] = []
    rows += fact("Superseded by", ids((record.superseded_by,)) if record.superseded_by else ())
    rows += fact("Supersedes", ids(record.supersedes))
    if body and body != record.title:
        rows += fact("Text", (say(unwrapped(body), MAX_BODY, breaks="keep"),))
    rows += _list("Tripwires", wires)
    rows += _list("Comes to mind", record.triggers)
    rows += _list("Sources", record.sources)
    used: Line = (f"{count(record.reinforcement_count, 'time')}",) if record.reinforcement_count else ()
    if used and record.last_seen_at:
        used = (*used, f", last {moment(record.last_seen_at)}")
    rows += fact("Confirmed", used)
    rows += fact("Tags", tags(record.tags))
    others: list[Line] = [
        (say(key, 40, "code"), " ", say(value, 120)) for key, value in list(record.extra.items())[:12]
    ]
    rows += fact("Also", joined(others, ", "))
    age = None if shown is None else shown.age_days
    written: Line = ()
    if record.created_at is not None:
        words = f"Written {clock.age_words(age)}" if age is not None else "Written"
        written = (f"{words} ({record.created_at:%Y-%m-%d})",)
    changed: Line = ()
    if record.updated_at is not None and record.updated_at != record.created_at:
        changed = (f"changed {record.updated_at:%Y-%m-%d}",)
    badges = joined([(kind_chip(record.kind), "  ", _status(record)), written, changed])
    foot: list[Line] = [("slug ", say(record.slug, 80, "code")), ("file ", say(record.path, 160, "code"))]
    if shown is not None:
        foot.append(("hash ", say(shown.sha256[:12], 12, "code")))
    return Card(
        (say(record.title, 300),), badges, (Facts(tuple(rows)),), joined(foot), "calm" if record.is_active else "warn"
    )


def _without_tripwires(body: str) -> tuple[str, list[str]]:
    """A text without the list of tripwires at its end, and that list; the whole text where it ends otherwise."""
    text, heading, below = body.rpartition(_TRIPWIRES)
    lines = [line for line in below.splitlines() if line.strip()]
    if not heading or not lines or not all(line.startswith("- ") for line in lines):
        return body, []
    return text.strip(), [line.removeprefix("- ").strip() for line in lines]


def _list(label: str, texts: Sequence[str]) -> list[Fact]:
    if not texts:
        return []
    items: list[Line] = [(say(text, 200),) for text in texts[:12]]
    more = len(texts) - len(items)
    if more > 0:
        items.append((f"and {more:,} more",))
    return [Fact(label, (Bullets(tuple(items)),))]


def list_sheet(listed: RecordList, rows: int = MAX_ROWS) -> Sheet:
    """Records as lines, newest first; then files that could not be read as one."""
    shown = listed.rows[:rows]
    body: list[Block] = []
    if shown:
        columns = (
            Column("Record", least=24), Column("Kind", fixed=True), Column("State", fixed=True),
            Column("Written", fixed=True), Column("Confirmed", right=True), Column("Sources", right=True),
        )  # fmt: skip
        caption: Line = (f"Last changed first, ages counted to {moment(listed.as_of)}.",)
        body.append(Grid(caption, columns, tuple(map(_listed, shown))))
    body += _problems(listed.problems)
    total = len(listed)
    if not total:
        title = "No records" if not listed.problems else "No record that can be read"
        if listed.asked:
            return Sheet((title,), tuple(narrowed(listed.asked)), tuple(body))
        how = step("Records come of what sessions taught", "memkit consolidate", "mem.consolidate()")
        return Sheet((title,), (how,), tuple(body))
    title = f"{len(shown):,} of {total:,} records" if len(shown) < total else count(total, "record")
    return Sheet((title,), (), tuple(body))


def _listed(shown: ShownRecord) -> tuple[Line, ...]:
    record = shown.record
    return (
        (say(record.title, 120), "\n", say(record.slug, 80, "dim")),
        (say(record.kind, 20),),
        (_status(record),),
        ("–" if shown.age_days is None else clock.age_words(shown.age_days),),
        (f"{record.reinforcement_count:,}",),
        (f"{len(record.sources):,}",),
    )


def _problems(problems: Sequence[Problem]) -> list[Block]:
    if not problems:
        return []
    items: list[Line] = [
        (say(problem.file, 160, "code"), ": ", say(problem.detail, 200), ". ", say(problem.remedy, 200, "dim"))
        for problem in problems[:MAX_ROWS]
    ]
    return [Section((f"Not readable as a record ({len(problems):,})",), (Bullets(tuple(items)),))]


def deleted_sheet(deleted: DeletedRecords, rows: int = MAX_ROWS) -> Sheet:
    """Deleted records as lines, the last deleted first."""
    total = len(deleted)
    if not total:
        return Sheet(("No deleted record in the trash",), (), ())
    shown = deleted.rows[:rows]
    cells: list[tuple[Line, ...]] = []
    for row in shown:
        at = clock.parse_instant(row.deleted_at) if row.deleted_at else None
        when: Line = ("–",) if at is None else (clock.age_words(clock.age_days(at, deleted.as_of)),)
        cells.append(
            ((say(row.slug, 80, "code"),), (say(row.path.partition("/")[0], 20),), when, (say(row.reason or "–", 200),))
        )
    columns = (
        Column("Record", least=20),
        Column("Folder", fixed=True),
        Column("Deleted", fixed=True),
        Column("Reason"),
    )
    how = step("Put one back", "memkit records restore SLUG", "mem.records.restore(slug)")
    title = f"{len(shown):,} of {total:,} deleted records" if len(shown) < total else count(total, "deleted record")
    return Sheet((title,), (how,), (Grid((), columns, tuple(cells)),))


def hits_sheet(found: RecordHits, rows: int = MAX_ROWS) -> Sheet:
    """Records that share words with a text."""
    query = say(found.query, 200)
    compared = f"{count(found.n_records, 'active record')} compared, as of {moment(found.as_of)}."
    if not found.rows:
        how = step("Records come of what sessions taught", "memkit consolidate", "mem.consolidate()")
        more = narrowed(found.asked) or ([] if found.n_records else [how])
        return Sheet(("No record shares a word with “", query, "”"), ((compared,), *more), ())
    best = found.rows[0].score
    columns = (
        Column("#", right=True),
        Column("Record", least=24),
        Column("Kind", fixed=True),
        Column("Score"),
        Column("Words"),
    )
    cells = []
    for hit in found.rows[:rows]:
        meter: Inline = Meter(hit.score, best, f"score {points(hit.score)}, the best here is {points(best)}")
        words: list[Line] = [(say(word, 40),) for word in hit.words[:6]]
        name: Line = (say(hit.record.title, 120), "\n", say(hit.record.slug, 80, "dim"))
        kind: Line = (say(hit.record.kind, 20),)
        cells.append(((f"{hit.rank}",), name, kind, (meter, f" {points(hit.score)}"), joined(words, ", ")))
    hits = some_of(len(cells), len(found.rows), found.n_matched, "hit")
    return Sheet(("Records for “", query, "”"), ((f"{hits}. {compared}",),), (Grid((), columns, tuple(cells)),))


def receipt_sheet(receipt: RecordReceipt, rows: int = MAX_ROWS) -> Sheet:
    """What a write, an edit, a deletion or a restoration did, and what the linter says of it."""
    facts: list[Fact] = []
    if receipt.record is not None:
        facts += fact("Record", (kind_chip(receipt.record.kind), " ", say(receipt.record.title, 300)))
    facts += fact("File", (say(receipt.path, 160, "code"),))
    facts += fact("Superseded by it", ids(receipt.also))
    facts += fact("Kept as", (say(receipt.kept_as, 200, "code"),) if receipt.kept_as else ())
    hashes = [value[:12] for value in (receipt.before_hash, receipt.after_hash) if value]
    facts += fact("Bytes", (" → ".join(hashes),) if receipt.is_changed else ("unchanged",))
    body: list[Block] = [Facts(tuple(facts))]
    if receipt.findings:
        body.append(findings_grid(receipt.findings[:rows], with_path=receipt.op == "delete"))
    word = _DONE[receipt.op] if receipt.is_changed else "Nothing to change in"
    return Sheet((f"{word} ", say(receipt.slug, 80, "code")), (), tuple(body))


def lint_sheet(report: LintReport, rows: int = MAX_ROWS) -> Sheet:
    """The findings, by record."""
    looked = f"{count(report.n_records, 'record')} looked at, as of {moment(report.as_of)}."
    if not report.rows:
        return Sheet(("Nothing to say against the records",), ((looked,),), ())
    title = f"{count(report.n_errors, 'error')}, {count(report.n_warnings, 'warning')}"
    shown = report.rows[:rows]
    more = len(report.rows) - len(shown)
    lead: list[Line] = [(looked,)]
    if more:
        lead.append((f"The first {len(shown):,}; {more:,} more.",))
    return Sheet((title,), tuple(lead), (findings_grid(shown, with_path=True),))


def findings_grid(findings: Sequence[Finding], *, with_path: bool) -> Grid:
    """Findings as a table."""
    columns = [Column("Finding", fixed=True), Column("What", least=30)]
    if with_path:
        columns.insert(0, Column("Record", least=20))
    cells: list[tuple[Line, ...]] = []
    for finding in findings:
        name: Line = (_SEVERITIES[finding.severity], " ", say(finding.code, 40, "code"))
        where: Line = (say(finding.field, 30, "code"), ": ") if finding.field else ()
        what: Line = (
            *where,
            say(finding.detail, 240),
            *((". ", say(finding.remedy, 200, "dim")) if finding.remedy else ()),
        )
        cells.append(((say(finding.path, 160),), name, what) if with_path else (name, what))
    return Grid((), tuple(columns), tuple(cells))


def locks_sheet(locks: LockList, rows: int = MAX_ROWS) -> Sheet:
    """Who holds which lock."""
    held = sum(lock.is_held for lock in locks.rows)
    title = count(held, "lock is", "locks are") + " held" if held else "No lock is held"
    columns = (
        Column("Lock", fixed=True),
        Column("For", least=20),
        Column("State", fixed=True),
        Column("Holder", least=24),
    )
    cells = []
    for lock in locks.rows[:rows]:
        state = Chip("held", "●", "warn") if lock.is_held else Chip("free", "○", "calm")
        about = lock.holder if lock.is_held else {}
        holder = joined([(f"{key} ", say(value, 60)) for key, value in about.items()], ", ")
        cells.append(((say(lock.file, 60, "code"),), (lock.purpose,), (state,), holder or ("–",)))
    lead: Line = ("A lock file stays when nobody holds it. A holder that dies lets go at once.",)
    return Sheet((title,), (lead,), (Grid((), columns, tuple(cells)),) if cells else ())
