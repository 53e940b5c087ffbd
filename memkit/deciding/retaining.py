"""What a Memory offers about forgetting; `Memory` inherits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.deciding.part import Part

if TYPE_CHECKING:
    from memkit.retention.facade import Retention, SavedQueries, Trash


class Retaining(Part):
    """Retention, trash and saved queries; what they are asked of is `Memory`'s."""

    _forgets: Retention | None = None

    def _retention(self) -> Retention:
        if self._forgets is None:
            from memkit.model.policy import policy_of
            from memkit.retention.facade import Retention

            self._forgets = Retention(
                self._store,
                self._catalog,
                policy=policy_of(self.settings.settings.retention.model_dump()),
                options=lambda limit: self._weighing(limit=limit),
                spill=self._spill,
                changed=self._forgotten,
            )
        return self._forgets

    @property
    def retention(self) -> Retention:
        """What may be forgotten: `review`, `apply`, `compare`, `calendar`, `impact`, `pin`, `hold`."""
        self._require_enabled()
        return self._retention()

    @property
    def trash(self) -> Trash:
        """What was pruned and can be brought back: `list`, `restore`."""
        from memkit.retention.facade import Trash

        self._require_enabled()
        return Trash(self._store, self._retention(), self._forgotten)

    @property
    def queries(self) -> SavedQueries:
        """Saved queries, asked again to tell what forgetting would change: `add`, `list`, `drop`."""
        from memkit.retention.facade import SavedQueries

        self._require_enabled()
        return SavedQueries(self._store)

    def about_to_prune(self, requests: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Ids that storing these results (as `store_many` takes them) would move to the trash; changes nothing.

        A result that would itself be moved is named `new-<n>`, counted from 0.

        Raises:
            InvalidInputError: one of them cannot be stored.
        """
        return tuple(row.entry_id for row in self.retention.about_to_prune(self._checked(requests)))
