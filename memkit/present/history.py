"""What is seen of decisions over time: the timeline, what was in force, chains, how panels turned out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memkit.analytics.calibration import Calibration, CalibrationBin, DissentRow
from memkit.analytics.chains import Chain, ChainMember, Chains, OpenLink
from memkit.analytics.timeline import COUNTED, LOG_KINDS, Held, InForce, Timeline, TimelineBucket, TimelineEvent
from memkit.analytics.tripwire_words import moment as brief
from memkit.present.blocks import Block, Bullets, Chip, Column, Grid, Inline, Line, Meter, Para, Section, Sheet
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, first_steps, gap_lines, ids, moment, narrowed, share, status_chip

MAX_MEMBERS = 12
_COUNTED = (("Decided", "decided"), ("Superseded", "superseded"), ("Tripped", "tripped"), ("Due", "revisit-due"))
_KINDS = {
    "decided": Chip("decided", "✓", "good"),
    "superseded": Chip("superseded", "↷", "warn"),
    "tripped": Chip("tripped", "▲", "bad"),
    "revisit-due": Chip("due", "▲", "warn"),
    "pruned": Chip("pruned", "▽", "warn"),
    "restored": Chip("restored", "△", "good"),
    "erased": Chip("erased", "✕", "bad"),
    "acknowledged": Chip("acknowledged", "✓", "calm"),
    "record": Chip("record", "●", "calm"),
}


def timeline_sheet(timeline: Timeline, rows: int = MAX_ROWS) -> Sheet:
    """The stretches as a table, newest last, then the newest events."""
    if not timeline.rows:
        nothing = f"This memory knows of none up to {moment(timeline.until)}."
        steps = [*gap_lines(timeline.gaps), *narrowed(timeline.asked)] or first_steps()
        return Sheet(("No decision by then",), ((nothing,), *steps), ())
    shown = timeline.rows[-rows:]
    n = len(timeline.rows)
    stretches = count(n, timeline.bucket)
    title: Line = (f"Timeline: the last {len(shown):,} of {stretches}" if len(shown) < n else f"Timeline: {stretches}",)
    lead: list[Line] = [(f"Up to {moment(timeline.until)}; each {timeline.bucket} by its first day, in UTC.",)]
    lead += gap_lines(timeline.gaps)
    if not timeline.checked:
        lead.append(("No facts at hand, so nothing is known to have tripped.",))
    kinds = kinds_of(timeline)
    if kinds:
        lead.append((f"Only events that are {said_kinds(kinds)}.",))
    body: list[Block] = [stretches_grid(shown, kinds)]
    if timeline.log is not None and timeline.missing_kinds:
        lead.append((f"No audit log, so nothing is known of {', '.join(timeline.missing_kinds)}.",))
    newest = timeline.newest(rows)
    if newest:
        of = f"{len(newest):,} of {timeline.data.num_rows:,}"
        events = Bullets(tuple(map(event_line, newest)))
        body.append(Section((f"Newest events ({of})",), (events,)))
    return Sheet(title, tuple(lead), (*body, *_from_the_log(timeline, rows)))


def kinds_of(timeline: Timeline) -> tuple[str, ...]:
    """The kinds of events it was narrowed to; empty for all."""
    asked = timeline.asked.get("events")
    return asked if isinstance(asked, tuple) else ()


def said_kinds(kinds: Sequence[str]) -> str:
    """`superseded or revisit due`."""
    return " or ".join(kinds).replace("-", " ")


def _from_the_log(timeline: Timeline, rows: int) -> tuple[Block, ...]:
    """What the audit log adds: how many of each kind, and the newest that are more than a storing."""
    found = timeline.log_events
    if not found:
        return ()
    counted = Counter(event.kind for event in found)
    words = ", ".join(f"{counted[kind]:,} {kind}" for kind in LOG_KINDS if counted[kind])
    others = [event for event in found if event.kind != "stored"][-rows:]
    block: Block = Bullets(tuple(map(event_line, others))) if others else Para(("Nothing but storing.",), "dim")
    return (Section((f"From the audit log: {words}",), (block,)),)


def stretches_grid(shown: Sequence[TimelineBucket], kinds: Sequence[str] = ()) -> Grid:
    """Stretches as a table; of the counts only those of these kinds, all where none is named; none without a row."""
    most = max(row.in_force for row in shown)
    digits = len(f"{most:,}")
    counted = [(head, name) for head, name in _COUNTED if not kinds or name in kinds]
    unsure = any(row.uncertain for row in shown)
    pruned = any(row.pruned for row in shown)
    columns = [Column("From", fixed=True), *(Column(head, right=True) for head, _ in counted)]
    columns.append(Column("In force at the end", right=True))
    if unsure:
        columns.append(Column("Perhaps", right=True))
    if pruned:
        columns.append(Column("Pruned", right=True))
    cells = []
    for row in shown:
        held: Line = (
            (Meter(row.in_force, most, f"{row.in_force} in force"), " " + f"{row.in_force:,}".rjust(digits, "\u2007"))
            if most
            else ("0",)
        )
        line: list[Line] = [(row.begins_on.isoformat(),)]
        line += [_number(getattr(row, COUNTED[name])) for _, name in counted]
        cells.append(
            (*line, held, *([_number(row.uncertain)] if unsure else []), *([_number(row.pruned)] if pruned else []))
        )
    note: Line = (
        ("Perhaps: deprecated, or replaced by nothing known, and nobody knows since when; or in a circle.",)
        if unsure
        else ()
    )
    return Grid((), tuple(columns), tuple(cells), note=note, head=True)


def _number(n: int) -> Line:
    return (f"{n:,}",) if n else ("–",)


def event_line(event: TimelineEvent) -> Line:
    """One event in a line."""
    chip = _KINDS.get(event.kind, Chip(say(event.kind, 20).text, "○", "calm"))
    name = say(event.title, 120, "strong") if event.title else say(event.entry_id, 64, "code")
    out: list[Inline] = [f"{brief(event.at)} ", chip, " ", name]
    if event.kind == "superseded":
        out += [" by ", say(event.detail, 64, "code")]
    elif event.detail:
        out += [": ", say(event.detail, 160)]
    return tuple(out)


def in_force_sheet(held: InForce, rows: int = MAX_ROWS) -> Sheet:
    """What was in force, newest first; or that it is not available."""
    when = moment(held.moment)
    if not held.is_available:
        return Sheet(("Not available: what was in force at ", when), ((say(held.reason, 1_200),),), ())
    shown = held.rows[:rows]
    n = len(held.rows)
    of = f"{len(shown):,} of {count(n, 'decision')}" if len(shown) < n else count(n, "decision")
    lead: list[Line] = [(say(held.reason, 1_200),)] if held.reason else []
    columns = (
        Column("Since", fixed=True), Column("Decision", least=24), Column("Until", fixed=True),
        Column("Entry", least=32),
    )  # fmt: skip
    body: tuple[Block, ...] = (Grid((), columns, tuple(map(_held, shown))),) if shown else ()
    return Sheet((f"In force at {when}: {of}",), tuple(lead), body)


def _held(row: Held) -> tuple[Line, ...]:
    until: Line = (brief(row.ends_at),) if row.ends_at else ("now",) if row.is_certain else ("not known",)
    return ((brief(row.begins_at),), (say(row.title, 160),), until, ids((row.entry_id,)))


def chains_sheet(chains: Chains, rows: int = MAX_ROWS) -> Sheet:
    """Each chain oldest first, then links that are not followed, with what they could mean."""
    n = len(chains.rows)
    title: Line = (count(n, "chain of decisions", "chains of decisions").capitalize() if n else "No chains",)
    lead: list[Line] = [
        (f"{count(chains.n_alone, 'decision stands', 'decisions stand')} alone, as of {moment(chains.as_of)}.",)
    ]
    lead += gap_lines(chains.gaps)
    if chains.circles:
        lead.append((Chip(f"{count(len(chains.circles), 'circle')}: decisions that replaced each other", "▲", "warn"),))
    body: list[Block] = [Section(_chain_title(chain), (_members(chain),)) for chain in chains.rows[:rows]]
    if n > rows:
        body.append(Para((f"and {n - rows:,} more",), "dim"))
    if chains.open_links:
        shown = chains.open_links[:rows]
        of = f"{len(shown)} of {len(chains.open_links):,}" if len(shown) < len(chains.open_links) else f"{len(shown)}"
        columns = (
            Column("Link", least=20), Column("Of", least=16), Column("Why not followed", least=20),
            Column("Could mean", least=32),
        )  # fmt: skip
        grid = Grid((), columns, tuple(map(_open_link, shown)))
        body.append(Section((f"Links that are not followed ({of})",), (grid,)))
    return Sheet(title, tuple(lead), tuple(body))


def _chain_title(chain: Chain) -> Line:
    heads = chain.heads or chain.members[-1:]
    more = f" and {count(len(heads) - 1, 'other')}" if len(heads) > 1 else ""
    return (say(heads[0].title, 44), more)


def _members(chain: Chain) -> Block:
    members: Sequence[ChainMember] = chain.members
    lines: list[Line] = []
    for member in members[-MAX_MEMBERS:]:
        day = member.decided_on.isoformat() if member.decided_on else "no day"
        out: list[Inline] = [f"{member.position}. {day} ", status_chip(member.status), " ", say(member.title, 160)]
        if member.is_circular:
            out += [" ", Chip("in a circle", "▲", "warn")]
        lines.append((*out, " ", say(member.entry_id, 64, "code")))
    if len(members) > MAX_MEMBERS:
        lines.insert(0, (f"{len(members) - MAX_MEMBERS:,} older ones",))
    return Bullets(tuple(lines))


def _open_link(link: OpenLink) -> tuple[Line, ...]:
    return (
        (say(f"{link.kind.replace('_', ' ')} {link.text}", 160),),
        (say(link.title or link.entry_id, 120),),
        (say(link.problem, 20), ": ", say(link.reason, 160)),
        ids(link.candidates) or ("–",),
    )


def calibration_sheet(calibration: Calibration, rows: int = MAX_ROWS) -> Sheet:
    """Bins of both measures as tables, then who dissented; small counts say so."""
    lead: list[Line] = [(f"{count(calibration.n_panels, 'scored panel')}, as of {moment(calibration.as_of)}.",)]
    lead += gap_lines(calibration.gaps)
    if not calibration.checked:
        lead.append(("No facts at hand, so nothing is known to have tripped.",))
    body: list[Block] = []
    for measure in ("final score", "judge confidence"):
        bins = [row for row in calibration.rows if row.measure == measure]
        if bins:
            body.append(Section((f"By {measure}",), (bins_grid(bins[:rows]),)))
    for kind in ("model", "persona"):
        voices = [row for row in calibration.dissent if row.kind == kind]
        if voices:
            body.append(Section((f"Dissent by {kind}",), (_voices(voices, rows),)))
    if not body:
        body.append(Para(("No panel with a score is stored.",)))
    return Sheet(("How sure panels were, and what came of it",), tuple(lead), tuple(body))


def bins_grid(bins: Sequence[CalibrationBin]) -> Grid:
    """Bins of one measure as a table."""
    columns = (
        Column("From", right=True), Column("Below", right=True), Column("Decisions", right=True),
        Column("Hold", right=True), Column("Tripped", right=True), Column("Superseded", right=True),
        Column("Share that holds (95 %)", least=24),
    )  # fmt: skip
    cells = []
    for row in bins:
        numbers = (
            f"{row.low:g}",
            f"{row.high:g}",
            f"{row.n:,}",
            f"{row.held:,}",
            f"{row.tripped:,}",
            f"{row.superseded:,}",
        )
        span = _span(row.held_share, row.least_share, row.most_share, row.too_few)
        cells.append((*((number,) for number in numbers), span))
    return Grid((), columns, tuple(cells))


def _voices(voices: Sequence[DissentRow], rows: int) -> Grid:
    columns = (
        Column("Name", least=12), Column("Panels", right=True), Column("Turned", right=True),
        Column("Dissents", right=True), Column("Later right", right=True), Column("Share (95 %)", least=24),
    )  # fmt: skip
    cells: list[tuple[Line, ...]] = []
    for row in voices[:rows]:
        span: Line = ("–",)
        if row.right_share is not None and row.least_share is not None and row.most_share is not None:
            span = _span(row.right_share, row.least_share, row.most_share, too_few=row.too_few)
        counts: list[Line] = [(f"{n:,}",) for n in (row.n_panels, row.n_turned, row.n_dissents, row.n_right)]
        cells.append(((say(row.name, 60),), *counts, span))
    note: Line = ("Turned: superseded, or a tripwire tripped. It does not prove that anybody was wrong.",)
    return Grid((), columns, tuple(cells), note=note, head=True)


def _span(value: float, least: float, most: float, too_few: bool) -> Line:
    words = f"{share(value)} ({share(least)} to {share(most)})"
    return (words, ", too few to say") if too_few else (words,)
