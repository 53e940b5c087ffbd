"""What every part of a Memory may ask of the whole: one list, which `Memory` has to keep."""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memkit.settings import Loaded
from memkit.store.new_entry import NewEntry
from memkit.store.receipt import StoreReceipt
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.recall_options import RecallOptions
    from memkit.catalog.catalog import Catalog

Scope = Literal["own", "all", "others"]


class Part(ABC):
    """Base of the parts; `Memory` inherits them all.

    Attributes:
        settings: The settings in force.
    """

    settings: Loaded
    _store: Store
    _temp_directory: Path | None

    def _now(self) -> dt.datetime:
        return self._store.clock.now()

    @abstractmethod
    def _require_open(self) -> None:
        """Refuse to go on once it is closed."""

    @abstractmethod
    def _require_enabled(self) -> None:
        """Refuse to go on while memory is off."""

    @abstractmethod
    def _catalog(self, scope: Scope = "own") -> Catalog:
        """The catalog over this project, over all enabled ones, or over the others."""

    @abstractmethod
    def _other_stores(self) -> Sequence[Store]:
        """Stores of the user's other enabled projects."""

    @abstractmethod
    def _weighing(self, **options: Any) -> RecallOptions:
        """Options of a recall, with the weights of the settings."""

    @abstractmethod
    def _checked(self, requests: Iterable[Mapping[str, Any]]) -> Sequence[NewEntry]:
        """Requests to store, each looked at."""

    @abstractmethod
    def _room_check(self) -> Callable[[Sequence[NewEntry]], None] | None:
        """What refuses entries that the retention policy has no room for; None where it forgets nothing."""

    @abstractmethod
    def _keep(self, new: Sequence[NewEntry], *, op: str, prune: bool) -> list[StoreReceipt]:
        """Store entries and see them."""

    @abstractmethod
    def _spill(self) -> Path | None:
        """Where a question may put what does not fit into memory."""

    @abstractmethod
    def _forgotten(self) -> None:
        """Entries went to the trash or came back: see it, and make the snapshot again where it no longer fits."""

    @abstractmethod
    def _expect_changes(self) -> None:
        """Records or staging were changed: look at them before the next answer."""

    @abstractmethod
    def _reload(self) -> None:
        """See the store anew."""
