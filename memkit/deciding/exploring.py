"""`mem.explore()`: looking around by hand; `Memory` inherits it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from memkit.deciding.cards import card_of
from memkit.deciding.questions import Deciding

if TYPE_CHECKING:
    from memkit.analytics.explore import Explored, ExploreRow, Filters
    from memkit.present.explorer import Explorer


class Exploring(Deciding):
    """The explorer; what it looks at is `Memory`'s."""

    def explore(
        self,
        query: str = "",
        *,
        panel: str | None = None,
        tags: Iterable[str] | str = (),
        since_days: float | None = None,
        status: str | None = None,
        superseded: bool = False,
        limit: int = 20,
    ) -> Explorer:
        """Look around: words, filters, live hits, one card; its value is what is on the screen.

        In a notebook it is a widget; reopened, exported or without widgets it is a still page of the same. Nothing of
        it is counted as a use or logged.

        Args:
            query: Words to begin with; without any, the newest come first.
            panel: Only this panel.
            tags: Only entries with one of these tags.
            since_days: Only what was stored in the last so many days.
            status: Only decisions of this standing.
            superseded: Also what was superseded.
            limit: Hits at most, 1 to 200.

        Raises:
            InvalidInputError: an option out of its range.
        """
        from memkit.analytics.explore import Filters, facets
        from memkit.present.explorer import Explorer

        self._require_enabled()
        filters = Filters(
            query=query,
            panel=panel,
            tags=(tags,) if isinstance(tags, str) else tuple(tags),
            since_days=since_days,
            status=status,
            superseded=superseded,
            limit=limit,
        )
        scopes = ("own", "all") if self.settings.settings.memory.across_projects else ("own",)
        what = facets(self._catalog(), as_of=self._now())
        return Explorer(self._explored, self._card_of, what, filters=filters, scopes=scopes)

    def _explored(self, filters: Filters) -> Explored:
        from memkit.analytics.explore import explore

        self._require_enabled()
        return explore(self._catalog(filters.scope), filters, self._weighing, as_of=self._now())

    def _card_of(self, row: ExploreRow) -> object:
        """The whole entry, or record, behind a row; the row itself where there is none to be shown."""
        return card_of(self._store, row.id, row.project_key) or row
