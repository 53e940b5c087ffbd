"""Which tripwires have tripped, on which evidence; and when each would have fired over the history.

A condition is judged at one moment, `as_of`, on the readings up to then:

- A threshold without a window follows the last reading. It trips with the first reading that meets it and is armed
  again with the first that does not.
- A threshold with a window is tripped if readings without a gap cover the window and all of them meet it. One reading
  in the window that does not is enough to be sure that it is armed. Anything else is unknown.
- A window of several periods ("two weeks in a row", "6/week for 4 weeks") counts readings where there is about one for
  each period.
- A day to come back on needs no facts: it is tripped from that day on (UTC).

A gap is a silence longer than one and a half times the usual distance of readings there. Nothing is ever guessed: what
cannot be read, compared or covered is `unknown`, with the reason.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.facts import Facts
from memkit.analytics.frames import arrow, frame_schemas
from memkit.analytics.gaps import gaps
from memkit.analytics.tripwire_result import Backtest, Firing, Judgement, TripwireHistory, TripwireReport, TripwireRow
from memkit.analytics.tripwire_wires import Wire, named, wire_of, wires_frame
from memkit.analytics.tripwire_words import judgement_of, reading_of
from memkit.errors import InvalidInputError
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.conditions import Condition, read_condition
from memkit.model.decision import IN_FORCE
from memkit.model.tripwire import NOT_CHECKED, Tripwire, tripwire_id
from memkit.snapshot.columns import table_of

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"
_ORDER = {"tripped": 0, "armed": 1, "unknown": 2}
# Rows of readings times wires that one replaying query looks at.
_BATCH = 5_000_000


@dataclass(frozen=True, slots=True)
class Listed:
    """A tripwire as the catalog lists it."""

    id: str
    entry_id: str
    project_key: str
    ordinal: int
    condition: Condition
    title: str
    status: str
    decided_at: dt.datetime


def check(
    catalog: Catalog,
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None = None,
    include_superseded: bool = False,
    acknowledgements: Iterable[Acknowledgement] = (),
    read: Callable[[str], Condition] = read_condition,
) -> TripwireReport:
    """Judge every tripwire.

    Args:
        catalog: The decisions.
        facts: What was measured; without facts only days to come back on are judged.
        as_of: The moment to judge at; readings after it are not looked at.
        mapping: Names in conditions -> names in facts, where they differ.
        include_superseded: Also tripwires of decisions that are not in force (superseded, rejected, proposed,
            deprecated).
        acknowledgements: What silences tripped ones.
        read: Reads a condition; handed in by whoever remembers what was read before.

    Raises:
        InvalidInputError: `as_of` has no time zone, or the mapping is no mapping of texts.
        FactsError: the mapping leads to a metric the facts do not have.
    """
    _require_zone(as_of)
    listed = list_tripwires(catalog, as_of=as_of, read=read)
    chosen = [row for row in listed if include_superseded or row.status in IN_FORCE]
    judged = judge(catalog, [row.condition for row in chosen], facts, as_of=as_of, mapping=mapping)
    said = {(ack.tripwire_id, ack.evidence): ack for ack in acknowledgements}
    rows = [_row(row, judgement, said) for row, judgement in zip(chosen, judged, strict=True)]
    return TripwireReport(
        rows=tuple(sorted(rows, key=_rank)),
        as_of=as_of,
        facts=facts.words if facts else "",
        notes=facts.notes(as_of) if facts else (),
        gaps=gaps(catalog),
        n_left_out=len(listed) - len(chosen),
        sql=_query("tripwires").sql,
    )


def judge(
    catalog: Catalog,
    conditions: Sequence[Condition],
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None = None,
) -> list[Judgement]:
    """The verdict on each condition, in order; equal conditions are judged once. See `check`."""
    names = named(mapping, facts)
    found: dict[Condition, Judgement] = {}
    wires: list[Wire] = []
    for condition in dict.fromkeys(conditions):
        settled = _without_readings(condition, as_of)
        if settled is None and facts is None:
            settled = Judgement("unknown", "no-facts", NOT_CHECKED)
        elif settled is None and facts is not None:
            wire = wire_of(condition, facts, names)
            if isinstance(wire, Wire):
                wires.append(wire)
                continue
            settled = Judgement("unknown", wire.cause, wire.reason)
        if settled is not None:
            found[condition] = settled
    if wires and facts is not None:
        frames = {"wires": wires_frame(wires), "readings": facts.readings}
        answer = catalog.table(_query("tripwires"), {"as_of": as_of}, as_of=as_of, frames=frames)
        for row in answer.rows:
            wire = wires[row["wire"]]
            found[wire.condition] = judgement_of(wire, row, facts, as_of)
    return [found[condition] for condition in conditions]


def backtest(
    catalog: Catalog,
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None = None,
    include_superseded: bool = True,
    read: Callable[[str], Condition] = read_condition,
) -> Backtest:
    """When each tripwire would have fired over the history of the facts, from the first reading to `as_of`.

    Firings from before a decision was made are among them; `TripwireHistory.since_decided` leaves them out.

    Raises:
        InvalidInputError: `as_of` has no time zone, or the mapping is no mapping of texts.
        FactsError: the mapping leads to a metric the facts do not have.
    """
    _require_zone(as_of)
    listed = [
        row for row in list_tripwires(catalog, as_of=as_of, read=read) if include_superseded or row.status in IN_FORCE
    ]
    conditions = [row.condition for row in listed]
    judged = judge(catalog, conditions, facts, as_of=as_of, mapping=mapping)
    fired = replay(catalog, conditions, facts, as_of=as_of, mapping=mapping)
    rows = [
        TripwireHistory(_row(row, judgement, {}), row.decided_at, fired.get(row.condition, ()))
        for row, judgement in zip(listed, judged, strict=True)
    ]
    last = clock.EPOCH + dt.timedelta(days=366 * 1000)
    rows.sort(key=lambda h: (h.firings[0].fired_at if h.firings else last, _rank(h.row)))
    return Backtest(
        rows=tuple(rows),
        as_of=as_of,
        first_at=facts.first_at if facts else None,
        facts=facts.words if facts else "",
        notes=facts.notes(as_of) if facts else (),
        gaps=gaps(catalog),
        sql=_query("tripwires_backtest").sql,
    )


def list_tripwires(
    catalog: Catalog, *, as_of: dt.datetime, read: Callable[[str], Condition] = read_condition
) -> list[Listed]:
    """Every condition of every decision, read."""
    table = catalog.table(_query("tripwires_listed"), as_of=as_of)
    found = []
    for row in table.rows:
        text = row["text"]
        condition = read(text)
        day = row["decided_on"]
        decided = dt.datetime.combine(day, dt.time(), clock.UTC) if day else row["stored_at"]
        name = tripwire_id(row["project_key"], row["source_path"] or row["entry_id"], text)
        found.append(
            Listed(
                name,
                row["entry_id"],
                row["project_key"],
                row["ordinal"],
                condition,
                row["title"],
                row["status"],
                decided,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Held:
    """A decision that is shown somewhere with its conditions.

    Attributes:
        entry_id: The decision.
        project_key: Its project; facts speak for one project only.
        document: Its document's path, or None.
        texts: Its conditions as written.
    """

    entry_id: str
    project_key: str
    document: str | None
    texts: tuple[str, ...]


def verdicts(
    catalog: Catalog,
    decisions: Sequence[Held],
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    project_key: str,
    mapping: Mapping[str, str] | None = None,
    acknowledgements: Iterable[Acknowledgement] = (),
    read: Callable[[str], Condition] = read_condition,
) -> list[tuple[Tripwire, ...]]:
    """The conditions of some decisions with their verdicts, for hits and cards.

    Args:
        catalog: Whose database judges.
        decisions: What is shown.
        facts: What was measured, in the project `project_key`; decisions of other projects are judged without facts.
        as_of: The moment to judge at.
        project_key: The project the facts are of.
        mapping: Names in conditions -> names in facts.
        acknowledgements: What silences tripped ones.
        read: Reads a condition; handed in by whoever remembers what was read before.
    """
    said = {(ack.tripwire_id, ack.evidence): ack for ack in acknowledgements}
    found: list[tuple[Tripwire, ...]] = [()] * len(decisions)
    for own in (True, False):
        places = [i for i, held in enumerate(decisions) if held.texts and (held.project_key == project_key) is own]
        conditions = [read(text) for i in places for text in decisions[i].texts]
        judged = iter(judge(catalog, conditions, facts if own else None, as_of=as_of, mapping=mapping if own else None))
        pairs = iter(conditions)
        for i in places:
            held = decisions[i]
            wires = []
            for text in held.texts:
                name = tripwire_id(held.project_key, held.document or held.entry_id, text)
                wires.append(_tripwire(name, next(pairs), next(judged), said))
            found[i] = tuple(wires)
    return found


def _tripwire(
    name: str, condition: Condition, judged: Judgement, said: Mapping[tuple[str, str], Acknowledgement]
) -> Tripwire:
    ack = said.get((name, evidence_digest(condition, judged))) if said and judged.verdict == "tripped" else None
    return Tripwire(condition.text, judged.verdict, judged.reason, name, judged.since, judged.evidence, ack)


def evidence_digest(condition: Condition, judgement: Judgement) -> str:
    """What an acknowledgement silences: this condition, tripped since then, by the reading its run begins with.

    More readings of the same run change nothing. Once it was armed in between, or its first reading is another one, the
    digest is another one, and the tripwire speaks again.
    """
    first = judgement.evidence[0].to_dict() if judgement.evidence else None
    since = clock.iso(judgement.since) if judgement.since else None
    text = json.dumps([condition.text, since, first], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _query(name: str) -> Any:
    from memkit.catalog.queries import load

    return load(PACKAGE, name)


def _require_zone(as_of: dt.datetime) -> None:
    if as_of.utcoffset() is None:
        raise InvalidInputError(
            "has no time zone", field="as_of", remedy="Add one: value.replace(tzinfo=datetime.UTC)."
        )


def _without_readings(condition: Condition, as_of: dt.datetime) -> Judgement | None:
    """The verdict of a condition that needs no facts."""
    if not condition.is_read:
        return Judgement("unknown", "unread", condition.unread[0])
    if condition.revisit_on is None:
        return None
    if as_of.astimezone(clock.UTC).date() < condition.revisit_on:
        return Judgement("armed", "ahead", "the date lies ahead")
    return Judgement("tripped", "due", "the date has passed", _start_of(condition.revisit_on))


def _row(listed: Listed, judgement: Judgement, said: Mapping[tuple[str, str], Acknowledgement]) -> TripwireRow:
    ack = None
    if judgement.verdict == "tripped" and said:
        ack = said.get((listed.id, evidence_digest(listed.condition, judgement)))
    return TripwireRow(
        listed.id, listed.entry_id, listed.project_key, listed.title, listed.status, listed.ordinal, listed.condition,
        judgement, ack,
    )  # fmt: skip


def _rank(row: TripwireRow) -> tuple[Any, ...]:
    """What speaks first, then the newest; ends in a key of its own."""
    since = -clock.to_ms(row.since) if row.since else 0
    return (not row.speaks, _ORDER[row.verdict], since, row.title, row.entry_id, row.project_key, row.ordinal)


# -- replaying -----------------------------------------------------------------------------------------------------


def replay(
    catalog: Catalog,
    conditions: Collection[Condition],
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None = None,
) -> dict[Condition, tuple[Firing, ...]]:
    """Each time a condition would have fired up to `as_of`, oldest first; those that never did are left out."""
    distinct = list(dict.fromkeys(conditions))
    found: dict[Condition, tuple[Firing, ...]] = {}
    for condition in distinct:
        settled = _without_readings(condition, as_of)
        if settled is not None and settled.since is not None:
            found[condition] = (Firing(settled.since),)
    lists: dict[Condition, list[Firing]] = {}
    for wires, table in _replayed(catalog, distinct, facts, as_of=as_of, mapping=mapping):
        for row in table.to_pylist():
            wire = wires[row["wire"]]
            lists.setdefault(wire.condition, []).append(_firing(wire, row, facts))
    return found | {condition: tuple(firings) for condition, firings in lists.items()}


def _replayed(
    catalog: Catalog,
    conditions: Sequence[Condition],
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None,
) -> Iterator[tuple[list[Wire], Any]]:
    """Firings as Arrow tables, batch by batch, with the wires that their column `wire` counts in."""
    if facts is None:
        return
    names = named(mapping, facts)
    wires = [
        wire
        for condition in conditions
        if condition.is_read and condition.revisit_on is None
        if isinstance(wire := wire_of(condition, facts, names), Wire)
    ]
    for batch in _batches(wires, facts):
        frames = {"wires": wires_frame(batch), "readings": facts.readings}
        yield batch, catalog.table(_query("tripwires_backtest"), {"as_of": as_of}, as_of=as_of, frames=frames).data


def marks(
    catalog: Catalog,
    facts: Facts | None,
    *,
    as_of: dt.datetime,
    mapping: Mapping[str, str] | None = None,
    read: Callable[[str], Condition] = read_condition,
) -> pa.Table:
    """What happened to tripwires, for a timeline: the first time each tripped since its decision, and days that come.

    It reaches to the last reading and to the last day named, whatever `as_of`: a timeline takes what it needs.
    """
    made, _ = arrow()
    schemas = frame_schemas()
    listed = list_tripwires(catalog, as_of=as_of, read=read)
    numbers = {condition: i for i, condition in enumerate(dict.fromkeys(row.condition for row in listed))}
    found = [table_of((), schemas["firings"])]
    # A run that was full at the last reading fires whenever that is.
    end = as_of if facts is None or facts.last_at is None else max(as_of, facts.last_at + dt.timedelta(days=366))
    for wires, table in _replayed(catalog, list(numbers), facts, as_of=end, mapping=mapping):
        places = made.array([numbers[wire.condition] for wire in wires], made.int32())
        columns = [places.take(table["wire"].combine_chunks()), table["fired_at"], table["ended_at"]]
        found.append(made.table(columns, schema=schemas["firings"]))
    rows = [
        (numbers[row.condition], row.entry_id, row.project_key, row.title, row.condition.text, row.decided_at,
         _start_of(row.condition.revisit_on))
        for row in listed
    ]  # fmt: skip
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schemas["watched"])
    arrays = [made.array(list(c), field.type) for c, field in zip(columns, schemas["watched"], strict=True)]
    frames = {"firings": made.concat_tables(found), "watched": made.table(arrays, schema=schemas["watched"])}
    table = catalog.table(_query("tripwires_first"), as_of=as_of, frames=frames).data
    cast: pa.Table = table.cast(schemas["marks"])
    return cast


def _start_of(day: dt.date | None) -> dt.datetime | None:
    return None if day is None else dt.datetime.combine(day, dt.time(), clock.UTC)


def _batches(wires: Sequence[Wire], facts: Facts) -> Iterator[list[Wire]]:
    sizes = facts.sizes
    batch: list[Wire] = []
    total = 0
    for wire in wires:
        size = sizes.get(wire.metric.number, 0)
        if batch and total + size > _BATCH:
            yield batch
            batch, total = [], 0
        batch.append(wire)
        total += size
    if batch:
        yield batch


def _firing(wire: Wire, row: Mapping[str, Any], facts: Facts | None) -> Firing:
    if facts is None:
        raise AssertionError
    return Firing(
        fired_at=row["fired_at"].astimezone(clock.UTC),
        ended_at=row["ended_at"].astimezone(clock.UTC) if row["ended_at"] else None,
        ended_by=row["ended_by"],
        begin=reading_of(wire, facts, row["begin_at"], row["begin_value"]),
        last=reading_of(wire, facts, row["last_at"], row["last_value"]),
        n_readings=row["n_readings"],
        lowest=row["lowest"],
        highest=row["highest"],
    )
