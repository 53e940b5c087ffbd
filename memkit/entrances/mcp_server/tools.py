"""The four tools: their names, what they say of themselves, and how each asks Memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.entrances.mcp_server import answers, arguments
from memkit.entrances.mcp_server.answers import Room
from memkit.errors import InvalidInputError

if TYPE_CHECKING:
    from memkit.analytics.decided import DecidedRow
    from memkit.analytics.recall_result import Fragment, Missed, RecallHit, RecallResult
    from memkit.memory import Memory
    from memkit.model.tripwire import Tripwire

MOST_IDS = 20


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        name: As agents call it.
        op: What the audit log calls it.
        title: As people read it.
        words: What it says of itself.
        takes: Its arguments.
        gives: Its answer, or None where the answer is that of a public method as it is.
        ask: Asks Memory; the last argument is the most bytes of the answer.
        looks: Whether it changes nothing.
    """

    name: str
    op: str
    title: str
    words: str
    takes: type[arguments.Arguments]
    gives: type[answers.Answer] | None
    ask: Callable[[Memory, Any, int], Mapping[str, Any]]
    looks: bool = True


def recall(memory: Memory, asked: arguments.Recall, most: int) -> Mapping[str, Any]:
    """Hits for a question, a page at a time."""
    if asked.across_projects and not memory.settings.settings.memory.across_projects:
        raise InvalidInputError(
            "other projects are not searched",
            field="across_projects",
            remedy="Ask without it; only the user can allow it, by memory.across_projects in their own settings.",
        )
    found = memory.recall(
        asked.query,
        limit=asked.offset + asked.limit + 1,  # one more, to know whether there is a next page
        min_score=asked.min_score,
        panel=asked.panel,
        any_tag=asked.any_tag,
        all_tags=asked.all_tags,
        since_days=asked.since_days,
        across_projects=asked.across_projects,
        include_superseded=asked.include_superseded,
        fuzzy=asked.fuzzy,
    )
    page = found.rows[asked.offset : asked.offset + asked.limit]
    more = len(found.rows) > asked.offset + asked.limit

    def answer(n: int, room: Room) -> Mapping[str, Any]:
        ends = asked.offset + n
        return answers.Recalled(
            disclaimer=answers.DISCLAIMER,
            query=answers.clipped(found.query),
            n_stored=found.n_entries,
            hits=[_hit(hit, room) for hit in page[:n]],
            offset=asked.offset,
            next_offset=ends if (more or n < len(page)) and ends <= arguments.MAX_OFFSET else None,
            missed=_misses(found.missed),
            warnings=answers.texts(found.warnings),
            cut=_cut(n, len(page), most, "hits", f"ask again with offset {ends}"),
            note=_note(asked, found, more=more),
        ).model_dump()

    return answers.fitting(answer, len(page), most)


def summary(memory: Memory, asked: arguments.Summary, most: int) -> Mapping[str, Any]:  # noqa: ARG001
    """The summary as `mem.project_summary()` gives it, as far as the bytes allow."""
    found = memory.project_summary()
    memory.audit.used("summary", n=found.n_entries)
    whole = found.to_dict()
    rows = {name: list(whole[name]) for name in ("tripped", "revisit_due")}

    def answer(n: int, room: Room) -> Mapping[str, Any]:  # noqa: ARG001
        kept = {name: listed[:n] for name, listed in rows.items()}
        n_left = sum(len(listed) - len(kept[name]) for name, listed in rows.items())
        return {**whole, **kept, **({"cut": f"{n_left} tripwires were left out"} if n_left else {})}

    return answers.fitting(answer, max(map(len, rows.values())), most)


def what_we_decided(memory: Memory, asked: arguments.Decided, most: int) -> Mapping[str, Any]:
    """Decisions about a topic, chains head first."""
    found = memory.what_we_decided(asked.topic, since_days=asked.since_days, limit=asked.limit)
    rows = found.rows
    empty = any(miss.cause == "empty-store" for miss in found.missed)

    def answer(n: int, room: Room) -> Mapping[str, Any]:
        return answers.Decisions(
            disclaimer=answers.DISCLAIMER,
            topic=answers.clipped(found.topic),
            decisions=[_decision(row, room) for row in rows[:n]],
            missed=_misses(found.missed),
            warnings=answers.texts(found.warnings),
            cut=_cut(n, len(rows), most, "decisions", "ask with a narrower topic or a lower limit"),
            note=answers.EMPTY if empty else None,
        ).model_dump()

    return answers.fitting(answer, len(rows), most)


def record(memory: Memory, asked: arguments.Record, most: int) -> Mapping[str, Any]:  # noqa: ARG001
    """Store a result, if its user asked for that."""
    if not asked.consensus_store:
        memory.audit.used("store", status="refused", reason="not_asked_for")
        return answers.Recorded(
            stored=False,
            id=None,
            stored_at=None,
            masked={},
            pruned=[],
            note="Nothing was stored: consensus_store was not true. Set it where the user wants the result kept.",
        ).model_dump()
    receipt = memory.store(question=asked.question, result=asked.result, panel_id=asked.panel_id, tags=asked.tags)
    n = sum(receipt.scrubbed.values())
    masked = f"; {n} {'secret was' if n == 1 else 'secrets were'} masked first" if n else ""
    return answers.Recorded(
        stored=True,
        id=receipt.id,
        stored_at=clock.iso(receipt.entry.stored_at),
        masked=dict(receipt.scrubbed),
        pruned=list(receipt.pruned),
        note=f"Stored on this user's disk{masked}.",
    ).model_dump()


TOOLS: tuple[Tool, ...] = (
    Tool(
        "consensus_recall",
        "recall",
        "Recall stored panel results",
        "Find stored results of this project by the words of a question: what was concluded, how long ago, why it "
        "matched, and which of its tripwires tripped. " + answers.DISCLAIMER,
        arguments.Recall,
        answers.Recalled,
        recall,
    ),
    Tool(
        "consensus_project_summary",
        "summary",
        "Summary of this project's memory",
        "Counts, days, panels, tags, decisions in force, and the tripwires that speak. " + answers.DISCLAIMER,
        arguments.Summary,
        None,
        summary,
    ),
    Tool(
        "consensus_what_we_decided",
        "decided",
        "What was decided about a topic",
        "Decisions about a topic: conclusion, age, confidence, dissent, tripwires with verdicts, and what replaced "
        "it; what holds now comes first. " + answers.DISCLAIMER,
        arguments.Decided,
        answers.Decisions,
        what_we_decided,
    ),
    Tool(
        "consensus_record_result",
        "store",
        "Store a panel result",
        "Store one panel result for this project. Stores only when consensus_store is true, which is for the user to "
        "say; otherwise it says that nothing was stored. Secrets are masked first.",
        arguments.Record,
        answers.Recorded,
        record,
        looks=False,
    ),
)


def _note(asked: arguments.Recall, found: RecallResult, *, more: bool) -> str | None:
    if any(miss.cause == "empty-store" for miss in found.missed):
        return answers.EMPTY
    n = len(found.rows)
    if asked.offset and asked.offset >= n:
        return f"offset {asked.offset} is behind the last hit: there are {n}"
    if more and asked.offset + asked.limit > arguments.MAX_OFFSET:
        return f"there are more hits than pages reach (offset at most {arguments.MAX_OFFSET}): ask with more words"
    return None


def _cut(n: int, n_rows: int, most: int, noun: str, remedy: str) -> str | None:
    return (
        f"{n_rows - n} of {n_rows} {noun} were left out to stay under {most:,} bytes; {remedy}" if n < n_rows else None
    )


def _wires(wires: Sequence[Tripwire], room: Room) -> list[answers.Wire]:
    return [
        answers.Wire(
            text=answers.clipped(wire.text, room.text),
            verdict=wire.verdict,
            reason=answers.clipped(wire.reason, room.text),
            since=clock.iso(wire.since) if wire.since else None,
        )
        for wire in wires[: room.tripwires]
    ]


def _matched(fragments: Sequence[Fragment], room: Room) -> list[answers.Matched]:
    return [
        answers.Matched(
            field=part.field,
            text=answers.clipped(part.text, room.text),
            words=list(dict.fromkeys(part.text[start:end] for start, end in part.matches)),
        )
        for part in fragments[: room.fragments]
    ]


def _misses(missed: Iterable[Missed]) -> list[answers.Miss]:
    return [
        answers.Miss(cause=miss.cause, detail=miss.detail, count=miss.count, ids=list(miss.ids[:MOST_IDS]))
        for miss in missed
    ]


def _hit(hit: RecallHit, room: Room) -> answers.Hit:
    return answers.Hit(
        id=hit.id,
        kind=hit.kind,
        rank=hit.rank,
        stored_at=clock.iso(hit.stored_at),
        age=hit.age_label,
        age_days=hit.age_days,
        decided=hit.decided_label,
        panel=hit.panel_id,
        tags=list(hit.tags),
        question=answers.clipped(hit.question, room.text),
        summary=answers.clipped(hit.summary, room.text),
        status=hit.status,
        score=hit.score,
        coverage=hit.coverage,
        fragments=_matched(hit.fragments or hit.through_fragments, room),
        tripwires=_wires(hit.tripwires, room),
        superseded_by=list(hit.superseded_by),
        project_key=hit.project_key,
        source_path=hit.source_path,
    )


def _decision(row: DecidedRow, room: Room) -> answers.Decision:
    return answers.Decision(
        id=row.id,
        title=answers.clipped(row.title, room.text),
        conclusion=None if row.conclusion is None else answers.clipped(row.conclusion, room.text),
        status=row.status,
        age=row.label,
        stored_at=clock.iso(row.stored_at),
        decided_on=row.decided_on.isoformat() if row.decided_on else None,
        final_score=row.final_score,
        judge_confidence=row.judge_confidence,
        minority_positions=answers.texts(row.minority_positions, room),
        unresolved_disputes=answers.texts(row.unresolved_disputes, room),
        tripwires=_wires(row.tripwires, room),
        supersedes=[
            answers.Linked(id=each.id, title=answers.clipped(each.title, room.text)) for each in row.predecessors
        ],
        superseded_by=[
            answers.Linked(id=each.id, title=answers.clipped(each.title, room.text)) for each in row.successors
        ],
        panel=row.panel_id,
        score=row.score,
        source_path=row.source_path,
    )
