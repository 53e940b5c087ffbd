"""`mem.timeline`: called, it answers; its `explore` looks around by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memkit import clock
from memkit.deciding.cards import card_of
from memkit.deciding.tripwires import Moment, Tripwires, moment_of
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.timeline import Pruned, Timeline
    from memkit.catalog.catalog import Catalog
    from memkit.present.timeline_explorer import TimelineExplorer


class Timelines:
    """See the module; made by Memory."""

    def __init__(self, store: Store, catalog: Callable[[], Catalog], tripwires: Tripwires) -> None:
        self._store = store
        self._catalog = catalog
        self._tripwires = tripwires

    def __repr__(self) -> str:
        return f"<Timelines of {self._store.paths.project_path!r}: call it, or its explore()>"

    def __call__(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        bucket: str = "month",
        *,
        facts: object = None,
    ) -> Timeline:
        """How decisions came and went: decided, superseded, tripped, due to be looked at again, pruned; how many held.

        Args:
            since: Where to begin: a day or an instant; the first decision by default.
            until: Where to end; now by default.
            bucket: The length of a stretch: day, week, month, quarter or year, in UTC.
            facts: What tripwires are judged by, as in `tripwires.check`; without facts none is known to have tripped.

        Raises:
            InvalidInputError: an unknown bucket, an end before the beginning, or too many stretches.
            FactsError: the facts cannot be read.
        """
        from memkit.analytics.timeline import timeline

        now = self._store.clock.now()
        self._tripwires.take(facts)
        marks, checked = self._tripwires.marks(as_of=now)
        return timeline(
            self._catalog(),
            marks,
            as_of=now,
            since=None if since is None else moment_of(since, now, "since"),
            until=None if until is None else moment_of(until, now, "until"),
            bucket=bucket,
            checked=checked,
            pruned=self._pruned(),
        )

    def explore(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        bucket: str = "month",
        *,
        facts: object = None,
    ) -> TimelineExplorer:
        """Look around in time: choose a period and kinds of events, see what happened in it, one decision's card.

        In a notebook it is a widget; reopened, exported or without widgets it is a still page of the same.

        Args:
            since: The period to begin with; from the first decision by default.
            until: Its end; now by default.
            bucket: The length of a stretch: day, week, month, quarter or year, in UTC.
            facts: What tripwires are judged by, as in `tripwires.check`.

        Raises:
            InvalidInputError, FactsError: as when it is called.
        """
        from memkit.present.timeline_explorer import TimelineExplorer

        self._tripwires.take(facts)
        now = self._store.clock.now()
        return TimelineExplorer(
            self,
            lambda event: card_of(self._store, event.entry_id, event.project_key),
            since=None if since is None else moment_of(since, now, "since"),
            until=None if until is None else moment_of(until, now, "until"),
            bucket=bucket,
        )

    def _pruned(self) -> list[Pruned]:
        """What was moved to the trash and not brought back since, whether it still lies there or not."""
        from memkit.analytics.timeline import Pruned

        trash, key = self._store.trash(), self._store.paths.key
        found: dict[str, Pruned] = {}
        for plan in trash.plans:
            moved = set(plan.moved) & trash.hidden if plan.op == "prune" else set()
            for entry in plan.entries:
                if entry.id in moved:
                    found[entry.id] = Pruned(entry.id, key, clock.from_ms(plan.at_ms), entry.rules)
        return list(found.values())
