"""`mem.tripwires`: the conditions that would make decisions wrong, judged, replayed, acknowledged.

Facts come with the call, or from the setting `tripwires.facts`. What was handed to a call is remembered for as long as
the Memory is open: hits, cards and `what_we_decided` show verdicts from it. Without facts only days to come back on are
judged.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.errors import FactsError, InvalidInputError, MemkitWarning, StoreError
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.conditions import Condition, read_condition
from memkit.model.metrics import metric_name
from memkit.model.moments import Moment as Moment  # noqa: PLC0414
from memkit.model.moments import moment_of as moment_of  # noqa: PLC0414
from memkit.model.tripwire import Tripwire
from memkit.store import acknowledgements, look
from memkit.store.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.analytics.decided import Decided
    from memkit.analytics.decisions import Decisions
    from memkit.analytics.facts import Facts
    from memkit.analytics.recall_result import RecallResult
    from memkit.analytics.tripwire_result import Backtest, TripwireReport, TripwireRow
    from memkit.catalog.catalog import Catalog

_KEPT_CONDITIONS = 100_000
_LEAST_PREFIX = 4


class Tripwires:
    """See the module; made by Memory."""

    def __init__(
        self,
        store: Store,
        catalog: Callable[[], Catalog],
        *,
        facts_file: Path | None = None,
        metrics: Mapping[str, str] | None = None,
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._facts_file = facts_file
        self._metrics = dict(metrics or {})
        self._given: Facts | None = None
        self._given_mapping: dict[str, str] = {}
        self._loaded: tuple[object, Facts] | None = None
        self._read: dict[str, Condition] = {}
        self._warned = False
        self._marks: tuple[object, pa.Table] | None = None

    def __repr__(self) -> str:
        facts = self._given or (self._facts_file or "no facts")
        return f"<Tripwires of {self._store.paths.project_path!r}, judged by {facts}>"

    # -- judging -------------------------------------------------------------------------------------------------

    def check(
        self,
        facts: object = None,
        *,
        as_of: Moment | None = None,
        mapping: Mapping[str, str] | None = None,
        include_superseded: bool = False,
    ) -> TripwireReport:
        """The verdict on every tripwire: tripped, armed or unknown, since when, on which evidence, and why.

        Args:
            facts: A table of (metric, at, value[, unit]): a data frame, a list of mappings, the path of a CSV or
                Parquet file. By default what was handed in before, else the setting `tripwires.facts`.
            as_of: The moment to judge at; now by default. Readings after it are not looked at.
            mapping: Names in conditions -> names in the facts, where they differ; adds to `tripwires.metrics`.
            include_superseded: Also tripwires of decisions that are not in force.

        Raises:
            FactsError: the facts cannot be read, or contradict themselves.
            InvalidInputError: `as_of` has no time zone.
        """
        from memkit.analytics.tripwires import check

        moment = moment_of(as_of, self._store.clock.now())
        known = self._facts(facts, mapping)
        report = check(
            self._catalog(),
            known,
            as_of=moment,
            mapping=self._mapping(known),
            include_superseded=include_superseded,
            acknowledgements=self.acknowledged(),
            read=self._condition,
        )
        return replace(report, notes=(*report.notes, *self._unheard(known)))

    def backtest(
        self,
        facts: object = None,
        *,
        as_of: Moment | None = None,
        mapping: Mapping[str, str] | None = None,
        include_superseded: bool = True,
    ) -> Backtest:
        """When each tripwire would have fired over the history of the facts, up to `as_of`; arguments as in `check`."""
        from memkit.analytics.tripwires import backtest

        moment = moment_of(as_of, self._store.clock.now())
        known = self._facts(facts, mapping)
        found = backtest(
            self._catalog(),
            known,
            as_of=moment,
            mapping=self._mapping(known),
            include_superseded=include_superseded,
            read=self._condition,
        )
        return replace(found, notes=(*found.notes, *self._unheard(known)))

    # -- acknowledging -------------------------------------------------------------------------------------------

    def acknowledge(
        self,
        id: str,
        reason: str,
        *,
        facts: object = None,
        as_of: Moment | None = None,
        mapping: Mapping[str, str] | None = None,
    ) -> Acknowledgement:
        """Silence a tripped tripwire until its evidence changes; written down durably and audited.

        It speaks again when it was armed in between, or when the reading that its run begins with is another one.

        Args:
            id: The tripwire's id, or its first characters if they name only one.
            reason: Why it may be silent.
            facts: What it tripped on, as in `check`.
            as_of: The moment to judge at.
            mapping: As in `check`.

        Raises:
            InvalidInputError: no tripwire or several have this id, it is not tripped, or the reason is empty.
            StoreError: nothing was written down.
        """
        from memkit.analytics.tripwires import evidence_digest

        report = self.check(facts, as_of=as_of, mapping=mapping, include_superseded=True)
        row = _named(report.rows, id)
        if row.verdict != "tripped":
            raise InvalidInputError(
                f"the tripwire is {row.verdict}: {row.reason}", field="id", remedy="Only a tripped one can be silenced."
            )
        return acknowledgements.acknowledge(
            self._store,
            tripwire_id=row.id,
            entry_id=row.entry_id,
            evidence=evidence_digest(row.condition, row.judgement),
            reason=reason,
        )

    def acknowledged(self) -> tuple[Acknowledgement, ...]:
        """Everything that was acknowledged, oldest first; what holds now, `check` says."""
        return tuple(acknowledgements.read(self._store.paths)[0])

    def take(self, facts: object) -> None:
        """Remember facts for the verdicts of this Memory; None changes nothing.

        Raises:
            FactsError: they cannot be read.
        """
        if facts is not None:
            self._facts(facts, None)

    def marks(self, *, as_of: dt.datetime) -> tuple[pa.Table, bool]:
        """What happened to tripwires, for a timeline, and whether facts were at hand; worked out once, then kept."""
        from memkit.analytics.tripwires import marks

        facts = self._facts(None, None)
        mapping = self._mapping(facts)
        key = (self._catalog().version, id(facts), tuple(sorted(mapping.items())))
        if self._marks is None or self._marks[0] != key:
            made = marks(self._catalog(), facts, as_of=as_of, mapping=mapping, read=self._condition)
            self._marks = (key, made)
        return self._marks[1], facts is not None

    # -- verdicts elsewhere --------------------------------------------------------------------------------------

    def verdicts(self, shown: Sequence[Any], *, as_of: dt.datetime) -> list[tuple[Tripwire, ...]]:
        """The conditions of some decisions (`analytics.tripwires.Held`), judged by the facts at hand."""
        from memkit.analytics.tripwires import verdicts

        facts: Facts | None = None
        said: tuple[Acknowledgement, ...] = ()
        try:
            facts, said = self._facts(None, None), self.acknowledged()
        except (FactsError, StoreError) as error:
            # A file that cannot be read must not stand between a person and what was decided.
            if not self._warned:
                self._warned = True
                warnings.warn(f"tripwires are not checked: {error}", MemkitWarning, stacklevel=4)
        return verdicts(
            self._catalog(),
            shown,
            facts,
            as_of=as_of,
            project_key=self._store.paths.key,
            mapping=self._mapping(facts),
            acknowledgements=said,
            read=self._condition,
        )

    def on_hits(self, result: RecallResult) -> RecallResult:
        """A recall whose hits carry verdicts."""
        from memkit.analytics.tripwires import Held

        shown = [
            Held(hit.id, hit.project_key, hit.source_path, tuple(wire.text for wire in hit.tripwires)) for hit in result
        ]
        if not any(held.texts for held in shown):
            return result
        judged = self.verdicts(shown, as_of=result.as_of)
        rows = tuple(replace(hit, tripwires=wires) for hit, wires in zip(result.rows, judged, strict=True))
        return replace(result, rows=rows)

    def on_decided(self, found: Decided) -> Decided:
        """What was decided, with verdicts."""
        from memkit.analytics.tripwires import Held

        shown = [
            Held(row.id, row.project_key, row.source_path, tuple(wire.text for wire in row.tripwires)) for row in found
        ]
        judged = self.verdicts(shown, as_of=found.as_of)
        return replace(
            found, rows=tuple(replace(row, tripwires=wires) for row, wires in zip(found.rows, judged, strict=True))
        )

    def on_decisions(self, found: Decisions) -> Decisions:
        """Decisions with verdicts beside their conditions."""
        from memkit.analytics.tripwires import Held

        shown = [Held(row.entry_id, row.project_key, row.source_path, row.tripwires) for row in found]
        judged = self.verdicts(shown, as_of=found.as_of)
        return replace(
            found, rows=tuple(replace(row, judged=wires) for row, wires in zip(found.rows, judged, strict=True))
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _facts(self, given: object, mapping: Mapping[str, str] | None) -> Facts | None:
        """The facts to judge by; what is given now is remembered, with its mapping."""
        from memkit.analytics.facts import read_facts
        from memkit.analytics.tripwire_wires import named

        facts = self._at_hand() if given is None else read_facts(self._catalog(), given)
        if mapping is not None:
            # Refused before it is remembered: a wrong name must not stay with the calls that follow.
            named(mapping, facts)
        if given is not None:
            self._given, self._given_mapping = facts, {}
        if mapping is not None:
            self._given_mapping = dict(mapping)
        return facts

    def _at_hand(self) -> Facts | None:
        """The facts that were handed in before, else those of the setting."""
        from memkit.analytics.facts import read_facts

        if self._given is not None or self._facts_file is None:
            return self._given
        version = look.version_of(self._facts_file)
        if self._loaded is None or self._loaded[0] != version or version is None:
            self._loaded = (version, read_facts(self._catalog(), self._facts_file))
        return self._loaded[1]

    def _mapping(self, facts: Facts | None) -> dict[str, str]:
        """The mapping of the settings, as far as these facts have its metrics, and that of the call."""
        known = {} if facts is None else facts.metrics
        general = {name: target for name, target in self._metrics.items() if metric_name(target) in known}
        return {**general, **self._given_mapping}

    def _unheard(self, facts: Facts | None) -> list[str]:
        """Names of `tripwires.metrics` that the facts of the settings do not have; other facts need not have them."""
        if facts is None or self._given is not None:
            return []
        missing = sorted(target for target in self._metrics.values() if metric_name(target) not in facts.metrics)
        return [
            f"The setting tripwires.metrics names {target!r}, which {facts.source} does not have." for target in missing
        ]

    def _condition(self, text: str) -> Condition:
        found = self._read.get(text)
        if found is None:
            if len(self._read) >= _KEPT_CONDITIONS:
                self._read.clear()
            found = self._read[text] = read_condition(text)
        return found


def _named(rows: Sequence[TripwireRow], id: str) -> TripwireRow:
    wanted = str(id).strip().lower()
    exact = {row.id: row for row in rows if row.id == wanted}
    near = {row.id: row for row in rows if len(wanted) >= _LEAST_PREFIX and row.id.startswith(wanted)}
    found = exact or near
    if len(found) == 1:
        return next(iter(found.values()))
    what = f"{len(found)} tripwires begin with {wanted!r:.40}" if found else f"no tripwire is named {wanted!r:.40}"
    raise InvalidInputError(what, field="id", remedy="`memkit tripwires check` shows the ids; give more of it.")
