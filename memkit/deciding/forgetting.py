"""What a Memory does to forget, and to prove it; `Memory` inherits it. Works while memory is off."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memkit.deciding.part import Part
from memkit.errors import HeldError, StoreError, UsageError
from memkit.store import look

if TYPE_CHECKING:
    from memkit.model.scan import Scan
    from memkit.retention.erase import EraseReceipt
    from memkit.store.wipe import WipeReceipt


class Forgetting(Part):
    """Erasing, scanning, wiping; whose store it is, is `Memory`'s."""

    def erase(self, entry_id: str, *, confirm: bool | str = False, reason: str = "") -> EraseReceipt:
        """Erase one entry from every file of the store, and look into every byte for what it said.

        Without `confirm` nothing is changed, and the receipt says what would go.

        Args:
            entry_id: The entry, or the first characters of its id.
            confirm: True or "yes" to do it.
            reason: Why; kept with the id in `state/erasures.jsonl`.

        Raises:
            EntryNotFoundError, AmbiguousIdError: none has this id, or several begin with it.
            HeldError: a legal hold stands on it, or the policy holds everything.
            ConfirmationError: `confirm` is something else.
            StoreError: the disk, a permission or another writer stood in the way; what was begun is carried on by the
                next writer.
        """
        from memkit.retention.erase import erase

        self._require_open()
        if confirm:
            self._require_no_legal_hold()
        try:
            return erase(self._store, entry_id, confirm=confirm, reason=reason)
        finally:
            if confirm:
                self._reload()

    def erase_record(self, slug: str, *, confirm: bool | str = False, reason: str = "") -> EraseReceipt:
        """Erase a record, living or among the deleted ones, and look into every byte for what it said.

        Without `confirm` nothing is changed, and the receipt says what would go. Its name stays in ledger and log.

        Raises:
            RecordNotFoundError: there is none of this name, and none among the deleted ones.
            ConfirmationError: `confirm` is something else.
            LockedError: somebody else writes records.
            StoreError: the disk or a permission stood in the way; erase again.
        """
        from memkit.retention.erase_record import erase_record

        self._require_open()
        try:
            return erase_record(self._store, slug, confirm=confirm, reason=reason)
        finally:
            if confirm:
                self._reload()

    def _carry_on_erasing(self, *, compacted: bool = False) -> None:
        """Carry on an erasure that a crash cut off, where the store could not by itself: days of the log are Parquet.

        Never raises: as long as something stands in the way, `verify` says so. With `compacted` that case only.
        """
        paths = self._store.paths
        if not look.exists(paths.erasing) or (compacted and not look.exists(paths.compacted)):
            return
        from memkit.retention.expiry import carry_on

        with suppress(StoreError):
            carry_on(self._store)
            self._reload()

    def scan(self, *, text: str | None = None, secrets: bool = False) -> Scan:
        """Look into every byte of the store, Parquet decoded, for a text or for what has the shape of a secret.

        Args:
            text: The text, 3 to 1,000 characters, in whatever case.
            secrets: Look for secrets, by the patterns of the settings, whether or not scrubbing is on.

        Raises:
            UsageError: neither or both were asked for.
            InvalidInputError: the text is too short or too long.
        """
        from memkit.retention.scanning import scan_for_secrets, scan_for_text

        self._require_open()
        if (text is None) is not secrets:
            raise UsageError("looks for one thing at a time", field="text", remedy="Give a text, or ask for secrets.")
        return scan_for_secrets(self._store) if text is None else scan_for_text(self._store, text)

    def wipe(self, *, confirm: str) -> WipeReceipt:
        """Erase everything stored for this project; `confirm` is its key or its folder's name.

        Raises:
            ConfirmationError: `confirm` is something else; nothing was removed.
            HeldError: a legal hold stands on an entry, or the policy holds everything; nothing was removed.
        """
        from memkit.store.wipe import wipe

        self._require_open()
        self._require_no_legal_hold()
        receipt = wipe(self._store, confirm=confirm)
        self._reload()
        return receipt

    def _require_no_legal_hold(self) -> None:
        if self.settings.settings.retention.legal_hold:
            raise HeldError(
                "the policy holds everything: nothing is erased",
                field="retention.legal_hold",
                remedy="Whoever set it has to take it off first.",
            )
