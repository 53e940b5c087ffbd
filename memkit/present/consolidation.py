"""What is seen of consolidation: what became of each candidate, what changed, what waits for somebody."""

from __future__ import annotations

from memkit.consolidate.balance import Balance
from memkit.consolidate.report import ConsolidationReport, Outcome
from memkit.present.blocks import Block, Bullets, Chip, Column, Facts, Grid, Line, Para, Section, Sheet, Tone
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, fact, share

_FATES: dict[str, tuple[str, str, Tone]] = {
    "added": ("added", "+", "good"),
    "duplicate": ("duplicate", "=", "calm"),
    "superseding": ("supersedes", "↷", "good"),
    "merged": ("merged", "⋈", "good"),
    "discarded": ("discarded", "✕", "plain"),
    "conflict": ("conflict", "▲", "bad"),
    "restaged": ("waits", "○", "warn"),
    "dead_lettered": ("dead letter", "▽", "bad"),
    "erased": ("erased", "✕", "plain"),
}
_REASONS = {
    "needs_verdict": "rules cannot tell; somebody has to say",
    "model_missing": "no model is set up",
    "model_error": "the model failed",
    "budget_spent": "the budget for questions is spent",
    "bad_verdict": "the answer cannot be carried out",
    "undecided": "the model could not tell",
    "would_ask": "a model would be asked",
    "other_scope": "it is meant for another scope",
    "record_edited": "its record was edited meanwhile; both texts are kept",
    "linter_failed": "the linter refuses it",
}


def fate_chip(fate: str) -> Chip:
    """What became of a candidate."""
    word, shape, tone = _FATES.get(fate, (fate, "○", "calm"))
    return Chip(word, shape, tone)


def report_sheet(report: ConsolidationReport, rows: int = MAX_ROWS) -> Sheet:
    """Counts, then each candidate with its fate, then what was left alone."""
    met = [(fate, n) for fate, n in report.counts.items() if n]
    title = "Consolidation (dry run)" if report.dry_run else "Consolidation"
    lead: list[Line] = [("Nothing was changed.",)] if report.dry_run else []
    if not report.rows:
        verb = "Skipped" if report.reason == "no_staging" and not report.dry_run else "Nothing to reconcile"
        lead.append((f"{verb}: {report.cause or 'what is staged has its fate already'}.",))
    facts = []
    if met:
        chips: list[Line] = [(fate_chip(fate), f" {n:,}") for fate, n in met]
        facts += fact("Candidates", _spaced(chips))
    changed = [
        count(len(report.written), "record") + " written" if report.written else "",
        count(len(report.edited), "record") + " changed" if report.edited else "",
        count(report.n_trimmed, "text") + " shortened by a merge" if report.n_trimmed else "",
    ]
    said = [each for each in changed if each]
    facts += fact("Records", (", ".join(said) or "none changed",))
    if report.n_extracted or report.n_recovered:
        facts += fact("Before", (f"{report.n_extracted:,} extracted, {report.n_recovered:,} recovered",))
    if report.n_firings:
        facts += fact("Uses", _uses(report))
    if report.masked:
        facts += fact("Masked", (count(sum(report.masked.values()), "secret"),))
    body: list[Block] = [Facts(tuple(facts))]
    if report.rows:
        body.append(_candidates(report, rows))
    if report.problems:
        items = tuple((say(each.file, 120, "code"), ": ", say(each.detail, 200)) for each in report.problems[:rows])
        body.append(Section((f"Left alone ({len(report.problems)})",), (Bullets(items),)))
    if report.needs_a_person and not report.dry_run:
        verb = "waits" if report.needs_a_person == 1 else "wait"
        words = f"{count(report.needs_a_person, 'candidate')} {verb}: mem.staging.review(), or memkit staging list."
        body.append(Para((words,), "dim"))
    return Sheet((title,), tuple(lead), tuple(body))


def _uses(report: ConsolidationReport) -> Line:
    """How many uses were counted, and of how many records and entries."""
    of = [
        count(n, word, words)
        for n, word, words in ((report.n_reinforced, "record", "records"), (report.n_used_entries, "entry", "entries"))
        if n
    ]
    return (f"{report.n_firings:,} counted" + (f", of {' and '.join(of)}" if of else ""),)


def _spaced(parts: list[Line]) -> Line:
    out: list[object] = []
    for n, part in enumerate(parts):
        out += ["  ", *part] if n else list(part)
    return tuple(out)  # type: ignore[arg-type]


def _candidates(report: ConsolidationReport, rows: int) -> Grid:
    columns = (
        Column("Fate", least=12, fixed=True),
        Column("Candidate", least=24),
        Column("Record", least=16),
        Column("Alike", right=True, fixed=True),
        Column("Decided by"),
        Column("Why", least=16),
    )
    cells = tuple(_cells(row) for row in report.rows[:rows])
    caption = f"{len(cells):,} of {count(len(report.rows), 'candidate')}"
    return Grid((caption,), columns, cells)


def _cells(row: Outcome) -> tuple[Line, ...]:
    why = _REASONS.get(row.reason, row.reason.replace("_", " "))
    said = f"{why}: {row.why}" if why and row.why else why or row.why
    return (
        (fate_chip(row.fate),),
        (say(f"{row.category.removesuffix('s')}: {row.title}", 120),),
        (say(row.record.rpartition("/")[2].removesuffix(".md"), 80),),
        ("" if row.alike is None else share(row.alike),),
        (say(row.adjudicator, 40),),
        (say(said, 200),),
    )


def balance_sheet(balance: Balance, rows: int = MAX_ROWS) -> Sheet:
    """Whether the account is even, and what it is made of."""
    chip = Chip("even", "✓", "good") if balance.is_even else Chip("not even", "▲", "bad")
    facts = fact("In", (count(balance.n_in, "candidate"),))
    for fate, n in balance.fates.items():
        if n:
            facts += fact(_FATES[fate][0].capitalize(), (f"{n:,}",))
    if balance.waiting:
        facts += fact("Not yet looked at", (f"{balance.waiting:,}",))
    body: list[Block] = [Facts(tuple(facts))]
    if balance.unaccounted:
        items = tuple((say(key, 20, "code"),) for key in balance.unaccounted[:rows])
        body.append(Section((f"Nowhere ({len(balance.unaccounted):,})",), (Bullets(items),)))
    if balance.unread:
        items = tuple((say(file, 120, "code"),) for file in balance.unread_files[:rows])
        title = f"In a file that cannot be read, see verify ({len(balance.unread):,})"
        body.append(Section((title,), (Bullets(items),)))
    return Sheet(("Account of candidates",), ((chip,),), tuple(body))
