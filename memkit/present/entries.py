"""What is seen of stored entries: one as a card, many as lines, and the receipt for storing one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from memkit import clock
from memkit.model.decision import read_decision
from memkit.model.entry import SCHEMA_VERSION, StoredEntry
from memkit.model.index_line import ABSENT, IndexLine
from memkit.model.result import minority_positions, synthesis_text, unresolved_disputes
from memkit.present import terminal
from memkit.present.blocks import (
    Block,
    Bullets,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Grid,
    Line,
    Para,
    Piece,
    Sheet,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import (
    count,
    fact,
    first_steps,
    ids,
    kinds,
    moment,
    origin,
    scores,
    status_chip,
    step,
    tags,
    tripwires,
    unwrapped,
)
from memkit.store.listing import EntryList
from memkit.store.receipt import StoreReceipt

MAX_POSITIONS = 4


def entry_sheet(entry: StoredEntry, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One entry as a card."""
    return Sheet(("Stored entry",), (), (entry_card(entry),))


def entry_card(entry: StoredEntry) -> Card:
    """Question, when, conclusion, prose, dissent, tripwires, numbers, where from."""
    decision = read_decision(entry)
    prose = synthesis_text(entry.result)
    rows: list[Fact] = []
    if decision.title != entry.question:
        rows += fact("Title", (say(decision.title, 300),))
    if decision.conclusion:
        rows += fact("Conclusion", (say(unwrapped(decision.conclusion), 1_200, breaks="keep"),))
    if prose and prose.strip() != (decision.conclusion or "").strip():
        rows += fact("Text", (say(unwrapped(prose), 4_000, breaks="keep"),))
    rows += _list("Dissent", minority_positions(entry.result))
    rows += _list("Still open", unresolved_disputes(entry.result))
    if decision.tripwires:
        rows.append(Fact("Tripwires", tripwires(decision.tripwires)))
    for label, links in (
        ("Superseded by", decision.superseded_by), ("Supersedes", decision.supersedes), ("Amends", decision.amends),
    ):  # fmt: skip
        rows += fact(label, ids(links))
    rows += fact("Read when", (say(decision.read_when, 300),) if decision.read_when else ())
    rows += fact("Newer edition of", ids((entry.replaces,)) if entry.replaces else ())
    names = [(say(name, 40, "code"),) for name in list(entry.result)[:MAX_ROWS]]
    left = len(entry.result) - len(names)
    rows += fact("Result holds", (*joined(list(names), ", "), f" and {left} more" if left > 0 else ""))
    if entry.schema_version != SCHEMA_VERSION:
        rows += fact("Schema", (f"version {entry.schema_version}",))
    status: Line = () if decision.status == "unknown" else (status_chip(decision.status),)
    decided: Line = (f"Decided {decision.decided_on.isoformat()}",) if decision.decided_on else ()
    badges = joined([status, (f"Stored {moment(entry.stored_at)}",), decided])
    foot = origin(
        entry.id,
        entry.panel_id,
        numbers=scores(decision.final_score, decision.judge_confidence),
        labels=entry.tags,
        path=entry.source.path if entry.source else None,
        project=entry.project_path,
    )
    return Card((say(entry.question, 300),), badges, (Facts(tuple(rows)),), foot)


def _list(label: str, texts: Sequence[str]) -> list[Fact]:
    if not texts:
        return []
    blocks: list[Block] = [Bullets(tuple((say(text, 300),) for text in texts[:MAX_POSITIONS]))]
    if len(texts) > MAX_POSITIONS:
        blocks.append(Para((f"and {len(texts) - MAX_POSITIONS} more",), "dim"))
    return [Fact(label, tuple(blocks))]


def list_sheet(listed: EntryList, rows: int = MAX_ROWS) -> Sheet:
    """Entries as lines: question, age, panel, tags, numbers, id."""
    total = len(listed.rows)
    shown = listed.rows[:rows]
    lead: list[Line] = []
    if listed.n_damaged:
        lead.append((f"{count(listed.n_damaged, 'index line')} could not be read; verify lists them.",))
    if not total and lead:
        return Sheet(("No entries can be listed",), (*lead, ("memkit repair --apply brings them back.",)), ())
    if not total and listed.n_records:
        has = f"{count(listed.n_records, 'record')} {'is' if listed.n_records == 1 else 'are'} stored, but no entry"
        return Sheet(("No entries",), (step(f"{has}; to see them", "memkit records list", "mem.records.list()"),), ())
    if not total:
        return Sheet(("No entries",), (("Nothing is stored yet.",), *first_steps()), ())
    title = f"{len(shown):,} of {total:,} entries" if len(shown) < total else count(total, "entry", "entries")
    caption: Line = (f"Newest first, ages counted to {moment(listed.as_of)}.",)
    columns = (
        Column("Id", fixed=True),
        Column("Stored", fixed=True),
        Column("Question", least=24),
        Column("Panel", least=12),
        Column("Score", right=True),
        Column("Judge", right=True),
    )
    cells = tuple(_listed(line, listed.as_of) for line in shown)
    return Sheet((title,), tuple(lead), (Grid(caption, columns, cells),))


def _listed(line: IndexLine, as_of: dt.datetime) -> tuple[Line, ...]:
    labels: Line = ("\n", Piece(terminal.flat(tags(line.tags[:6])), "dim")) if line.tags else ()
    return (
        (say(line.id, 64, "code"),),
        (clock.age_words(clock.age_days(clock.from_ms(line.stored_at_ms), as_of)),),
        (say(line.question_preview, 120), *labels),
        (say(line.panel_id, 30),),
        (_whole(line.final_score),),
        (_whole(line.judge_confidence),),
    )


def _whole(value: int) -> str:
    return "–" if value == ABSENT else f"{value}"


def receipt_sheet(receipt: StoreReceipt, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """What was stored, what was masked on the way, what the policy moved."""
    entry = receipt.entry
    masked = sum(receipt.scrubbed.values())
    facts: list[Fact] = []
    facts += fact("Question", (say(entry.question, 300),))
    facts += fact("Stored", (f"{moment(entry.stored_at)}, panel ", say(entry.panel_id, 64)))
    facts += fact("Tags", tags(entry.tags))
    if masked:
        chip = Chip(f"{count(masked, 'secret')} masked", "▲", "warn")
        facts += fact("Scrubbed", (chip, Piece(": ", "sep"), *kinds(receipt.scrubbed.items())))
    else:
        facts += fact("Scrubbed", ("no secret of a known kind found",))
    if receipt.pruned:
        moved = (f"{count(len(receipt.pruned), 'entry', 'entries')} moved to the trash by the policy: ",)
        facts += fact("Pruned", (*moved, *ids(receipt.pruned)))
        facts += fact("Undo", (say(f"memkit restore {receipt.pruned[0]}", 120, "code"),))
    else:
        facts += fact("Pruned", ("nothing",))
    facts += fact("Newer edition of", ids((entry.replaces,)) if entry.replaces else ())
    return Sheet(("Stored ", say(entry.id, 64, "code")), (), (Facts(tuple(facts)),))
