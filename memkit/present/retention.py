"""What is seen of forgetting: a review with its reasons, what a plan did, the trash, what would be otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from memkit import clock
from memkit.analytics.retention_review import RetentionReceipt, RetentionReview, ReviewRow, Total, TrashRow
from memkit.model.mark import Mark
from memkit.model.policy import NONE, Limit, Limits, RetentionPolicy
from memkit.present.blocks import (
    Block,
    Bullets,
    Chip,
    Column,
    Fact,
    Facts,
    Fold,
    Grid,
    Line,
    Para,
    Piece,
    Section,
    Sheet,
    Tone,
    joined,
)
from memkit.present.forgetting import file_by_file, findings, scan_verdict
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import PRUNED_BY, count, fact, gap_lines, ids, moment, size
from memkit.retention.facade import TrashList
from memkit.retention.what_if import PolicyComparison, QueryImpact, RecallImpact, RetentionCalendar
from memkit.store.receipts import Receipt

_VERDICTS: dict[str, tuple[str, str, Tone]] = {
    "due": ("due", "▲", "bad"),
    "keep": ("kept", "✓", "good"),
    "protected": ("protected", "◆", "calm"),
    "held": ("held", "■", "warn"),
}
_RULES = {
    "max_age_days": "age",
    "max_results": "number",
    "legal_hold": "legal hold",
    "pin": "pin",
    "restored": "restored",
    "stored_in_future": "future",
    "unreadable": "unreadable",
}


def verdict_chip(verdict: str) -> Chip:
    """A verdict as a chip."""
    return Chip(*_VERDICTS[verdict])


def policy_lines(policy: RetentionPolicy) -> list[Line]:
    """A policy in sentences."""
    if policy.legal_hold:
        return [("Everything is under legal hold: nothing is forgotten while that stands.",)]
    if not policy.enabled:
        return [("Retention is off: nothing is forgotten.",)]
    later = (
        "What is forgotten goes to a trash first and can be restored from there; after "
        f"{count(policy.trash_days, 'day')} it may be erased for good, and only when somebody applies a review."
    )
    said: list[Line] = [
        (f"Entries are kept {_days(policy.max_age_days)}, {_number(policy.max_results)}.",),
        *((("Panel ", say(name, 64, "strong"), f": {_own(each)}.")) for name, each in policy.panels.items()),
        *((("Tag ", say(name, 64, "strong"), f": {_own(each)}.")) for name, each in policy.tags.items()),
        (later,),
    ]
    return said


def _days(limit: Limit) -> str:
    return "however old they are" if limit == NONE else f"{count(int(limit), 'day')} after they were stored"


def _number(limit: Limit) -> str:
    return "however many there are" if limit == NONE else f"of them at most the newest {int(limit):,}"


def _own(limits: Limits) -> str:
    parts = []
    if limits.max_age_days is not None:
        parts.append(f"kept {_days(limits.max_age_days)}")
    if limits.max_results is not None:
        parts.append(_number(limits.max_results))
    return "; ".join(parts) or "as all others"


def review_sheet(review: RetentionReview, rows: int = MAX_ROWS) -> Sheet:
    """What is due and why, what is soon due, what is kept back, what may be erased."""
    n, n_due = len(review), review.n_due
    if n_due:
        title: Line = (f"{n_due:,} of {count(n, 'entry', 'entries')} due to be forgotten",)
    else:
        title = (f"Nothing of {count(n, 'entry', 'entries')} is due",)
    if review.expired:
        title = (*title, f", {len(review.expired):,} in the trash may be erased")
    lead: list[Line] = [_totals(review), (f"Judged for {moment(review.as_of)}.",), *policy_lines(review.policy)]
    lead += [*gap_lines(review.gaps), *_without_entries(review)]
    body: list[Block] = []
    if review.doubts:
        heading = "Nothing can be forgotten" if review.blocked else "Doubts"
        body.append(Section((heading,), (Bullets(tuple((say(each, 400),) for each in review.doubts)),)))
    if n_due:
        due = review.first_due(rows)
        total = Total(n_due, review.totals["due"].n_bytes)
        listed = _entries(due, rows, review.title_of, when=False, total=total)
        body.append(Section((f"Due ({n_due:,})",), (*listed, *_traces(due, rows))))
    if review.due_within_days:
        soon = review.due_soon
        heading = f"Due within {count(round(review.due_within_days), 'day')} ({len(soon):,})"
        nothing = Para(_next_by_age(review), "dim")
        body.append(Section((heading,), _entries(soon, rows, review.title_of, when=True) if soon else (nothing,)))
    if review.expired:
        heading = f"In the trash, days over ({len(review.expired):,})"
        body.append(Section((heading,), (_trash(review.expired, rows),)))
    if review.kept_back:
        heading = f"Kept whatever the limits say ({len(review.kept_back):,})"
        body.append(Section((heading,), _entries(review.kept_back, rows, review.title_of, when=False)))
    return Sheet(title, tuple(lead), tuple(body))


def _next_by_age(review: RetentionReview) -> Line:
    """Nothing, and when something will be."""
    ahead = [row for row in review.upcoming(len(review.due) + 1) if row.verdict != "due" and row.due_at is not None]
    if not ahead or ahead[0].due_at is None:
        return ("Nothing.",)
    return (f"Nothing. The first by its age is due on {ahead[0].due_at.date().isoformat()}.",)


def _without_entries(review: RetentionReview) -> list[Line]:
    """What the policy names and no entry has: most likely a name that is written otherwise."""
    policy, data = review.policy, review.data
    said: list[Line] = []
    if policy.panels and len(review):
        said += _unknown(
            "panel", policy.panels, {name for name in data.column("panel_id").unique().to_pylist() if name}
        )
    if policy.tags and len(review):
        said += _unknown("tag", policy.tags, {tag for tags in data.column("tags").to_pylist() for tag in tags or ()})
    return said


def _unknown(word: str, named: Iterable[str], known: Collection[str]) -> list[Line]:
    there = joined([(say(each, 64),) for each in sorted(known)[:8]], ", ")
    return [
        (f"▲ No entry has the {word} ", say(name, 64, "strong"), ": is it written so? There are: ", *there, ".")
        for name in named
        if name not in known
    ]


def _totals(review: RetentionReview) -> Line:
    parts: list[Line] = []
    for verdict, total in review.totals.items():
        parts.append((verdict_chip(verdict), f" {total.n_entries:,} ({size(total.n_bytes)})"))
    return joined(parts, "   ")


def _entries(
    found: Sequence[ReviewRow],
    rows: int,
    title_of: Callable[[str], str],
    *,
    when: bool,
    total: Total | None = None,
) -> tuple[Block, ...]:
    """Entries as a table; `total` where `found` holds not all of them."""
    shown = found[:rows]
    total = total or Total(len(found), sum(row.n_bytes for row in found))
    columns = (
        Column("Entry", least=33),
        Column("Stored", fixed=True),
        Column("Due", fixed=True) if when else Column("Verdict", least=9),
        Column("Why", least=20),
        Column("Goes with it", least=14),
        Column("Size", right=True, fixed=True),
    )
    cells = []
    for row in shown:
        stored: Line = (f"{row.stored_at.date().isoformat()}\n", Piece(clock.age_words(row.age_days), "dim"))
        third: Line = (verdict_chip(row.verdict),)
        if when and row.due_at is not None:
            third = (f"{row.due_at.date().isoformat()}\n", Piece(_left(row.days_left), "dim"))
        why = row.rules[0].detail if when else row.why
        entry: Line = (say(row.title, 120), "\n", say(row.entry_id, 64, "code"))
        cells.append((entry, stored, third, (say(why, 300),), affects(row, title_of), (size(row.n_bytes),)))
    of = f"{len(shown):,} of {count(total.n_entries, 'entry', 'entries')}, oldest first, "
    in_all = f"{size(total.n_bytes)} in all."
    return (Grid((of, in_all), columns, tuple(cells)),)


def _left(days: float | None) -> str:
    if days is None:
        return "never"
    return "today" if days < 1 else f"in {count(round(days), 'day')}"


def affects(row: ReviewRow, title_of: Callable[[str], str]) -> Line:
    """What stands beside an entry and would miss it; `title_of` knows the titles of others."""
    parts: list[Line] = []
    if row.n_tripwires:
        parts.append((f"{count(row.n_tripwires, 'tripwire')} no longer judged",))
    if row.replaces:
        parts.append(("the older edition ", say(title_of(row.replaces), 60), " counts again"))
    if row.successors:
        parts.append(("replaced by ", *joined([(say(title_of(each), 60),) for each in row.successors], ", ")))
    if row.records:
        parts.append(("cited by ", *ids(row.records)))
    return joined(parts, "; ") or (Piece("nothing", "dim"),)


def _traces(found: Sequence[ReviewRow], rows: int) -> tuple[Block, ...]:
    """Every rule of every due entry, matched or not, a line for each entry, in the order of the table above."""
    names = [trace.rule for trace in found[0].rules]
    columns = (Column("Entry", least=20), *(Column(_RULES[name].capitalize(), fixed=True) for name in names))
    cells = []
    for row in found[:rows]:
        entry: Line = (say(row.title, 60, "strong"),)
        matched: list[Line] = [
            (Chip(trace.short, *(("▲", "bad") if trace.matched else ("–", "plain"))),) for trace in row.rules
        ]
        cells.append((entry, *matched))
    return (Fold(("Every rule of each of them: ▲ matched, – not",), (Grid((), columns, tuple(cells), head=True),)),)


def _trash(found: Sequence[TrashRow], rows: int) -> Grid:
    columns = (
        Column("Entry", least=33),
        Column("Stored", fixed=True),
        Column("Pruned", fixed=True),
        Column("Why", least=8),
        Column("May be erased", least=12),
        Column("Size", right=True, fixed=True),
    )
    cells = []
    for row in found[:rows]:
        until: Line = (f"{row.expires_at.date().isoformat()}\n", Piece(_until(row), "dim"))
        entry: Line = (say(row.title or "(cannot be read)", 120), "\n", say(row.entry_id, 64, "code"))
        why = ", ".join(_RULES.get(rule, rule) for rule in row.rules) or "moved"
        cells.append(
            (
                entry,
                (row.stored_at.date().isoformat(),),
                (row.pruned_at.date().isoformat(),),
                (say(f"{why}, by {PRUNED_BY.get(row.cause, row.cause)}", 60),),
                until,
                (size(row.n_bytes),),
            )
        )
    return Grid((f"{len(cells):,} of {count(len(found), 'entry', 'entries')}, latest first.",), columns, tuple(cells))


def _until(row: TrashRow) -> str:
    if row.is_held:
        return "not while held"
    return "now" if row.days_left <= 0 else _left(row.days_left)


def trash_sheet(found: TrashList, rows: int = MAX_ROWS) -> Sheet:
    """What is in the trash, why, and until when."""
    if not found.rows:
        return Sheet(("The trash is empty",), (), ())
    lead: Line = ("Bring one back with ", say("memkit restore ID", 40, "code"), "; nothing is erased by itself.")
    title = f"{count(len(found.rows), 'entry', 'entries')} in the trash"
    return Sheet((title,), (lead,), (_trash(found.rows, rows),))


def applied_sheet(receipt: RetentionReceipt, rows: int = MAX_ROWS) -> Sheet:
    """What a plan did, and how to undo it."""
    if not receipt.moved and not receipt.erased:
        return Sheet(("Nothing was due",), (("Nothing was changed.",),), ())
    moving, erasing = ("move", "erase") if receipt.dry_run else ("moved", "erased")
    did = [f"{moving} {count(len(receipt.moved), 'entry', 'entries')} to the trash"] if receipt.moved else []
    if receipt.erased:
        n = f"{len(receipt.erased):,}" if did else count(len(receipt.erased), "entry", "entries")
        did.append(f"{erasing} {n} {'there' if did else 'in the trash'}")
    said = ", ".join(did)
    title: Line = (f"Would {said}" if receipt.dry_run else said[:1].upper() + said[1:],)
    facts: list[Fact] = []
    facts += fact("Moved", ids(receipt.moved, most=rows) if receipt.moved else ())
    facts += fact("Erased", ids(receipt.erased, most=rows) if receipt.erased else ())
    facts += fact("Bytes", (size(receipt.n_bytes),))
    if receipt.dry_run:
        facts += fact("Changed", ("nothing: this was a dry run",))
    elif receipt.moved and receipt.restore_until is not None:
        until = f"at least until {moment(receipt.restore_until)}: "
        facts += fact("Undo", (until, say(f"memkit restore {receipt.moved[0]}", 120, "code")))
    facts += fact("Receipt", (say(receipt.plan_id, 64, "code"),) if receipt.plan_id else ())
    lead: list[Line] = []
    body: list[Block] = [Facts(tuple(facts))]
    if receipt.scan is not None:
        lead.append(("What was erased: ", *scan_verdict(receipt.scan), "."))
        body += findings(receipt.scan, rows, "Left of what was erased: what stays says it too, decide about each")
        body.append(file_by_file(receipt.erased_from, rows, "What went"))
    return Sheet(title, tuple(lead), tuple(body))


def plan_receipt_sheet(receipt: Receipt, rows: int = MAX_ROWS) -> Sheet:
    """One plan that was carried out: what moved or came back."""
    verb = "Restored" if receipt.op == "restore" else "Moved to the trash:"
    title = f"{verb} {count(len(receipt.moved), 'entry', 'entries')}"
    facts = [*fact("Entries", ids(receipt.moved, most=rows)), *fact("Bytes", (size(receipt.n_bytes),))]
    if receipt.op == "restore":
        words = (
            "they rank as before, and are kept whatever the limits say for the days of the trash; pin what must stay"
        )
        facts += fact("Now", (words,))
    facts += fact("Receipt", (say(receipt.plan_id, 64, "code"),))
    return Sheet((title,), (), (Facts(tuple(facts)),))


def mark_sheet(mark: Mark, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """A pin or a hold that was set or taken off."""
    words = {
        ("pin", True): "Pinned ",
        ("pin", False): "No longer pinned: ",
        ("hold", True): "Under legal hold: ",
        ("hold", False): "Released from legal hold: ",
    }
    facts = [*fact("Reason", (say(mark.reason, 400),)), *fact("At", (f"{moment(mark.at)}, by ", say(mark.actor, 40)))]
    return Sheet((words[mark.kind, mark.is_set], say(mark.entry_id, 64, "code")), (), (Facts(tuple(facts)),))


def comparison_sheet(found: PolicyComparison, rows: int = MAX_ROWS) -> Sheet:
    """Two policies side by side: the entries on which they differ."""
    n = len(found.rows)
    title = f"{count(n, 'entry', 'entries')} judged differently" if n else "Both policies say the same today"
    lead: list[Line] = [(f"{size(found.n_bytes)} concerned; {found.moved:,} more get due at another moment.",)]
    sides: list[Block] = [
        Section((name,), (Bullets(tuple(policy_lines(review.policy))), Para(_totals(review))))
        for name, review in (("First policy", found.before), ("Second policy", found.after))
    ]
    columns = (Column("Entry", least=33), Column("First", least=9), Column("Second", least=9), Column("Why", least=20))
    cells = tuple(
        (
            (say(each.before.title, 120), "\n", say(each.before.entry_id, 64, "code")),
            (verdict_chip(each.before.verdict),),
            (verdict_chip(each.after.verdict),),
            (say(each.after.why if each.after.verdict == "due" else each.before.why, 300),),
        )
        for each in found.rows[:rows]
    )
    grid = Grid((f"{len(cells):,} of {n:,}, oldest first.",), columns, cells)
    return Sheet((title,), tuple(lead), (*sides, *((grid,) if n else ())))


def calendar_sheet(found: RetentionCalendar, rows: int = MAX_ROWS) -> Sheet:
    """Days on which something gets due or may be erased."""
    n = sum(len(row.due) for row in found.rows)
    until = f"{found.until.date().isoformat()}"
    title = f"{count(n, 'entry', 'entries')} due until {until}" if n else f"Nothing gets due until {until}"
    lead: Line = ("Counted as if nothing else were stored; each new entry may push an older one over the number kept.",)
    columns = (
        Column("Day", fixed=True),
        Column("Due", right=True, fixed=True),
        Column("Size", right=True, fixed=True),
        Column("Entries", least=24),
        Column("May be erased", least=12),
    )
    cells = tuple(
        (
            (day.day.isoformat(),),
            (f"{len(day.due):,}",),
            (size(day.n_bytes),),
            _titles(row.title for row in day.due),
            _titles(row.title or row.entry_id for row in day.expired) or (Piece("nothing", "dim"),),
        )
        for day in found.rows[:rows]
    )
    grid = Grid((f"{len(cells):,} of {count(len(found.rows), 'day')}.",), columns, cells)
    return Sheet((title,), (lead,), (grid,) if cells else ())


def _titles(titles: Iterable[str]) -> Line:
    listed = list(titles)
    out: list[Line] = [(say(title, 80),) for title in listed[:3]]
    if len(listed) > 3:
        out.append((f"and {len(listed) - 3:,} more",))
    return joined(out, "; ") or (Piece("none", "dim"),)


def impact_sheet(found: RecallImpact, rows: int = MAX_ROWS) -> Sheet:
    """What saved queries would answer otherwise."""
    if not found.rows:
        lead: Line = ("Save one with ", say('memkit queries add "retry policy"', 60, "code"), ".")
        return Sheet(("No query is saved",), (lead,), ())
    changed = [row for row in found.rows if row.is_changed]
    title = f"{len(changed):,} of {count(len(found.rows), 'saved query', 'saved queries')} would answer differently"
    head: Line = (f"The first {found.limit} hits now, against those after {found.n_due:,} entries are gone.",)
    body: list[Block] = [Section(("“", say(row.query, 120), "”"), (_impact(row),)) for row in changed[:rows]]
    return Sheet((title,), (head,), tuple(body))


def _impact(row: QueryImpact) -> Bullets:
    items: list[Line] = [
        (Chip("gone", "▲", "bad"), f" {rank}. ", say(title, 120), " (", say(why, 200, "dim"), ")")
        for rank, _, title, why in row.lost
    ]
    items += [(Chip("new", "✓", "good"), f" {rank}. ", say(title, 120)) for rank, _, title in row.gained]
    if row.moved:
        items.append((f"{count(len(row.moved), 'hit')} in another place",))
    return Bullets(tuple(items))
