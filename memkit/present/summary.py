"""What is seen of a project's memory at a glance."""

from __future__ import annotations

import datetime as dt

from memkit import clock
from memkit.analytics.summary import ProjectSummary
from memkit.present.blocks import Block, Facts, Inline, Line, Section, Sheet, joined
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.tripwires import tripwire_card
from memkit.present.wording import count, fact, first_steps, gap_lines, moment, status_chip, verdict_chip


def summary_sheet(summary: ProjectSummary, rows: int = MAX_ROWS) -> Sheet:
    """How much, since when, which panels and tags, what is in force, what has tripped."""
    name = summary.project_path.rstrip("/").rpartition("/")[2] or "/"
    title: Line = ("Decisions of ", say(name, 80))
    nothing_known = not summary.n_entries and not summary.n_decisions and not summary.records
    if nothing_known and not summary.n_damaged_lines:
        nothing = f"Nothing is stored for this project yet, as of {moment(summary.as_of)}."
        return Sheet(title, ((nothing,), *first_steps()), ())
    facts = fact("Decisions", _decisions(summary))
    facts += fact("Days", _days(summary))
    facts += fact("Entries", _entries(summary))
    facts += fact("Panels", _counted(summary.panels))
    facts += fact("Records", _counted(summary.records))
    tags = _counted(summary.tags)
    if summary.n_tags > len(summary.tags):
        tags = (*tags, f" and {summary.n_tags - len(summary.tags):,} more")
    facts += fact("Tags", tags)
    facts += fact("Tripwires", _tripwires(summary))
    facts += fact("Retention", _retention(summary))
    body: list[Block] = [Facts(tuple(facts))]
    for heading, speaking in (("Tripped", summary.tripped), ("Due to be looked at again", summary.revisit_due)):
        if speaking:
            cards = tuple(tripwire_card(row, summary.as_of) for row in speaking[:rows])
            body.append(Section((f"{heading} ({len(speaking):,})",), cards))
    lead: list[Line] = [(f"As of {moment(summary.as_of)}.",), *gap_lines(summary.gaps)]
    if summary.last_stored_at and summary.last_stored_at > summary.as_of + dt.timedelta(milliseconds=clock.SKEW_MS):
        lead.append(("Counts are of what is stored now; only ages and verdicts are of that moment.",))
    return Sheet(title, tuple(lead), tuple(body))


def _retention(summary: ProjectSummary) -> Line:
    """What goes to the trash next; of later ones only the first day."""
    doubt: Line = ("; in doubt: ", say(summary.doubts[0], 200)) if summary.doubts else ()
    moved = summary.next_moved
    if not moved:
        return ("nothing is due, and nothing gets due by its age", *doubt)
    first: Line = (say(moved[0].title or moved[0].entry_id, 120, "strong"), " ", say(moved[0].entry_id, 64, "code"))
    if summary.n_due:
        more = f" and {summary.n_due - 1:,} more" if summary.n_due > 1 else ""
        return ("the next plan moves ", *first, f"{more} to the trash: ", say(moved[0].why, 200), *doubt)
    day = moved[0].due_at
    when = "" if day is None else f", due {day.date().isoformat()}"
    more = f", and {summary.n_ahead - 1:,} more later" if summary.n_ahead > 1 else ""
    return ("nothing is due now; next by age ", *first, f"{when}{more}", *doubt)


def _decisions(summary: ProjectSummary) -> Line:
    if not summary.n_decisions:
        return ("none",)
    parts: list[Line] = [(status_chip(status), f" {n:,}") for status, n in summary.statuses]
    return (f"{summary.n_in_force:,} of {summary.n_decisions:,} in force: ", *joined(parts, ", "))


def _days(summary: ProjectSummary) -> Line:
    if not summary.first_decided_on or not summary.last_decided_on:
        return ()
    last = clock.age_words(clock.age_days(summary.last_decided_on, summary.as_of))
    words = f"{summary.first_decided_on.isoformat()} to {summary.last_decided_on.isoformat()} ({last})"
    return (f"{words}; {summary.n_undated:,} without a day of their own" if summary.n_undated else words,)


def _entries(summary: ProjectSummary) -> Line:
    words = count(summary.n_live, "live entry", "live entries")
    older = summary.n_entries - summary.n_live - summary.n_unreadable
    if older > 0:
        words += f", {count(older, 'older edition')}"
    if summary.n_unreadable:
        words += f", {summary.n_unreadable:,} written by a newer memkit"
    if summary.n_damaged_lines:
        lines = count(summary.n_damaged_lines, "index line")
        words += f", perhaps more: {lines} cannot be read"
    if summary.last_stored_at:
        words += f"; last stored {clock.age_words(clock.age_days(summary.last_stored_at, summary.as_of))}"
    return (words,)


def _counted(counts: tuple[tuple[str, int], ...]) -> Line:
    out: list[Inline] = []
    for name, n in counts:
        out += [", ", say(name, 64), f" {n:,}"] if out else [say(name, 64), f" {n:,}"]
    return tuple(out)


def _tripwires(summary: ProjectSummary) -> Line:
    if not any(n for _, n in summary.tripwires):
        return ()
    parts: list[Line] = [(verdict_chip(verdict), f" {n:,}") for verdict, n in summary.tripwires]
    line = joined(parts, ", ")
    return line if summary.checked else (*line, "; no facts at hand, so only days are judged")
