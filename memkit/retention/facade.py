"""`mem.retention`, `mem.trash` and `mem.queries`: what a Memory offers about forgetting."""

from __future__ import annotations

import datetime as dt
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.retention_review import RetentionReceipt, RetentionReview, TrashRow
from memkit.display import Displayable, count, explored
from memkit.errors import InvalidInputError, MemkitError, MemkitWarning, PolicyError, StalePlanError
from memkit.model.mark import Mark
from memkit.model.moments import Moment, moment_of
from memkit.model.policy import RetentionPolicy, policy_of
from memkit.retention import what_if
from memkit.retention.apply import apply_plan, prune_due
from memkit.retention.plan import marks_of, plan_of, read_plan, state_of, to_bytes
from memkit.retention.quick import Quick
from memkit.store import durable, look, marks, prune, records, saved_queries
from memkit.store.naming import match_id
from memkit.store.new_entry import NewEntry
from memkit.store.receipts import Receipt
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.recall_options import RecallOptions
    from memkit.analytics.retention_review import ReviewRow
    from memkit.catalog.catalog import Catalog
    from memkit.catalog.table import Table

Policy = RetentionPolicy | Mapping[str, Any]
IMPACT_LIMIT = 10


class Retention:
    """What may be forgotten: shown first, done exactly so, undone where it was wrong; made by Memory.

    Attributes:
        policy: The policy of the settings.
    """

    def __init__(
        self,
        store: Store,
        catalog: Callable[[], Catalog],
        *,
        policy: RetentionPolicy,
        options: Callable[[int], RecallOptions],
        spill: Callable[[], Path | None],
        changed: Callable[[], None],
    ) -> None:
        self._store = store
        self._catalog = catalog
        self._options = options
        self._spill = spill
        self._changed = changed
        self.policy = policy
        self._quick = Quick(store, policy)

    def __repr__(self) -> str:
        return f"<Retention of {self._store.paths.project_path!r}, policy {self.policy.fingerprint}>"

    # -- looking -------------------------------------------------------------------------------------------------

    def review(
        self, policy: Policy | None = None, as_of: Moment | None = None, *, due_within: float = 0.0
    ) -> RetentionReview:
        """What a policy says of every entry, with every rule and whether it matched; changes nothing.

        Args:
            policy: A policy, or its values as a mapping; that of the settings by default.
            as_of: The moment to judge at; now by default.
            due_within: Days to look ahead for what is soon due.

        Raises:
            PolicyError: the policy cannot be used.
            InvalidInputError: `as_of` is no moment, or `due_within` is negative.
            StoreError: the store cannot be read.
        """
        from memkit.analytics.retention import judge

        if not 0 <= due_within <= 1_000_000:
            raise InvalidInputError(f"{due_within!r:.20} is no number of days", field="due_within")
        moment = moment_of(as_of, self._store.clock.now())
        chosen = self.policy if policy is None else policy_of(policy)
        catalog = self._catalog()
        catalog.refresh()
        review = judge(catalog, self._store, chosen, as_of=moment, due_within_days=due_within)
        return self._finished(review, is_own=policy is None)

    def compare(self, policy_a: Policy, policy_b: Policy, *, as_of: Moment | None = None) -> what_if.PolicyComparison:
        """Which entries two policies judge differently, when, and how many bytes.

        Raises:
            PolicyError, InvalidInputError, StoreError: as in `review`.
        """
        moment = moment_of(as_of, self._store.clock.now())
        return what_if.compare(self.review(policy_a, moment), self.review(policy_b, moment))

    def calendar(self, until: Moment, policy: Policy | None = None) -> what_if.RetentionCalendar:
        """When what is stored now gets due, day by day, if nothing else is stored; and when trash may be erased.

        Raises:
            InvalidInputError: `until` is no moment, or lies before now.
            PolicyError, StoreError: as in `review`.
        """
        now = self._store.clock.now()
        last = moment_of(until, now, "until")
        days = -clock.age_days(last, now)
        if days < 0:
            raise InvalidInputError(f"{clock.iso(last)} lies before now", field="until", remedy="Name a later day.")
        review = self.review(policy, now, due_within=days)
        return what_if.calendar(review, self._trash_rows(review.policy, now), last)

    def impact(self, review: RetentionReview | None = None, *, limit: int = IMPACT_LIMIT) -> what_if.RecallImpact:
        """Which hits of the saved queries would be others once a review is applied, and why.

        Args:
            review: What would be applied; a fresh review by default.
            limit: Hits looked at per query.
        """
        chosen = self.review() if review is None else review
        queries, _ = saved_queries.read(self._store.paths)
        options = self._options(limit)
        return what_if.impact(self._store, self._catalog(), chosen, queries, options, self._spill())

    def explore(self, policy: Policy | None = None, *, due_within: float = 30.0) -> Any:
        """Other limits tried out by hand: a `memkit.present.retention_explorer.RetentionExplorer`, live in a notebook.

        What falls is shown at once, and moves to the trash only after it was asked for and agreed to.

        Args:
            policy: What to begin with; that of the settings by default.
            due_within: Days to look ahead for what is soon due.

        Raises:
            PolicyError, InvalidInputError, StoreError: as in `review`.
        """
        return explored(self, policy=None if policy is None else policy_of(policy), due_within=due_within)

    def about_to_prune(self, new: Sequence[NewEntry] = ()) -> tuple[ReviewRow, ...]:
        """What storing these would move to the trash, themselves included as `new-<n>`; changes nothing."""
        return self._after(new).due if self._quick.can_be_due(to_store=new) else ()

    # -- doing ---------------------------------------------------------------------------------------------------

    def write_plan(self, review: RetentionReview, file: str | os.PathLike[str]) -> Path:
        """Write the plan of a review to a file for `apply`; it holds ids, rules and hashes, and no text.

        Raises:
            StoreError: the file cannot be written.
        """
        path = Path(file)
        durable.replace(path, to_bytes(plan_of(self._store, review)))
        return path

    def apply(
        self, plan: RetentionReview | str | os.PathLike[str], *, everything: bool = False, dry_run: bool = False
    ) -> RetentionReceipt:
        """Move what a review, or the file of its plan, names to the trash, and erase what has expired there.

        Args:
            plan: A review, or a file that `write_plan` or `memkit retention review --out` wrote.
            everything: Allow a plan after which no entry is left.
            dry_run: Check everything and change no byte.

        Raises:
            StalePlanError: anything changed since; says what. Nothing was moved.
            PolicyError: nothing would be left, or a doubt stands in the way.
            InvalidInputError: the file is no plan, or was edited.
            StoreError: the disk, a permission or another writer stood in the way.
        """
        if isinstance(plan, RetentionReview):
            if plan.blocked:
                raise PolicyError(plan.doubts[0], remedy="Run `memkit verify`.")
            made = plan_of(self._store, plan)
        else:
            made = read_plan(Path(plan))
        catalog = self._catalog()
        catalog.refresh()
        receipt = apply_plan(
            self._store, catalog, made, settings_policy=self.policy, everything=everything, dry_run=dry_run
        )
        if receipt.plan_id:
            self._changed()
        return receipt

    def pin(self, entry_id: str, reason: str) -> Mark:
        """Keep an entry out of the policy's reach; see `marks.put` for what it raises."""
        return marks.put(self._store, entry_id, kind="pin", reason=reason)

    def unpin(self, entry_id: str, reason: str) -> Mark:
        """Take a pin off."""
        return marks.take_off(self._store, entry_id, kind="pin", reason=reason)

    def hold(self, entry_id: str, reason: str) -> Mark:
        """Keep an entry out of everybody's reach: a legal hold. What is in the trash is not erased either."""
        return marks.put(self._store, entry_id, kind="hold", reason=reason)

    def release(self, entry_id: str, reason: str) -> Mark:
        """Take a legal hold off."""
        return marks.take_off(self._store, entry_id, kind="hold", reason=reason)

    def pins(self) -> Table:
        """What is pinned or held, since when and why: the view `pins`."""
        query = "select * from pins order by kind, marked_at, entry_id"
        return self._catalog().sql(query, as_of=self._store.clock.now())

    # -- storing -------------------------------------------------------------------------------------------------

    def require_room(self, new: Sequence[NewEntry]) -> None:
        """Refuse a batch that would push entries over the policy.

        Raises:
            PolicyError: says how many and which; nothing was written.
        """
        if not self._quick.can_be_due(to_store=new):
            return
        before = {row.entry_id for row in self._after(()).due}
        pushed = [row for row in self._after(new).due if row.entry_id not in before]
        if pushed:
            named = ", ".join(_named(row) for row in pushed[:5]) + (", ..." if len(pushed) > 5 else "")
            raise PolicyError(
                f"storing {len(new):,} would push {len(pushed):,} entries over the policy ({named}): "
                f"{pushed[0].why}. Nothing was written",
                field="retention",
                remedy="Raise the limit (retention.max_results, retention.max_age_days), or pass --prune "
                "(prune=True in Python) to move them to the trash.",
            )

    def after_storing(self) -> tuple[str, ...]:
        """Prune what is due after something was stored; the ids that went to the trash.

        A doubt, a plan that would leave nothing, and every fault prune nothing: what was stored is stored, and the
        warning says what stood in the way.
        """
        try:
            if not self._quick.can_be_due():
                return ()
            covered, before = self._covered(), marks_of(self._store)
            review = self._after(())
            if not review.due:
                self._quick.remember(review, covered=covered)
                self._say(review)
                return ()
            if review.is_everything:
                raise PolicyError(f"the policy would leave none of the {len(review.due):,} entries it may forget")
            ids = prune_due(self._store, review, before)
        except StalePlanError:  # somebody else is at work; the next store looks again
            return ()
        except MemkitError as error:
            warnings.warn(f"stored, and nothing was pruned: {error}", MemkitWarning, stacklevel=4)
            return ()
        self._changed()
        return ids

    def _say(self, review: RetentionReview) -> None:
        for doubt in review.doubts:
            warnings.warn(f"stored, and nothing was pruned: {doubt}", MemkitWarning, stacklevel=5)

    def _covered(self) -> int:
        info = look.status_of(self._store.paths.index)
        return info.st_size if info else 0

    def _after(self, new: Sequence[NewEntry]) -> RetentionReview:
        from memkit.analytics.retention import judge

        now = self._store.clock.now()
        return judge(self._catalog(), self._store, self.policy, as_of=now, to_store=new, for_people=False)

    def _finished(self, review: RetentionReview, *, is_own: bool) -> RetentionReview:
        state = state_of(self._store, review.stamp)
        return replace(review, stamp=state, is_own=is_own, citing=_citing(self._store), _apply=self.apply)

    def _trash_rows(self, policy: RetentionPolicy, at: dt.datetime) -> list[TrashRow]:
        from memkit.analytics.retention import trash_rows

        held, _ = marks.current(self._store.paths, "hold")
        return trash_rows(self._store, policy, as_of=at, held=held)


def _named(row: ReviewRow) -> str:
    """An entry that is stored by its id, one about to be stored by what was asked."""
    return f"new: {row.title!r:.60}" if row.entry_id.startswith("new-") else row.entry_id


def _citing(store: Store) -> dict[str, tuple[str, ...]]:
    """The records that name each entry among their sources, by entry id."""
    found: dict[str, list[str]] = {}
    for file in records.read_all(store.paths).files:
        if file.record is not None:
            for source in file.record.sources:
                found.setdefault(source.removeprefix("entry:"), []).append(file.record.slug)
    return {entry_id: tuple(slugs) for entry_id, slugs in found.items()}


@dataclass(frozen=True, slots=True)
class TrashList(Displayable, Sequence[TrashRow]):
    """What is in the trash, latest first.

    Attributes:
        rows: One per entry.
        as_of: The moment days are counted to.
        trash_days: Days entries stay before they may be erased.
    """

    rows: tuple[TrashRow, ...]
    as_of: dt.datetime
    trash_days: int

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __iter__(self) -> Iterator[TrashRow]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<TrashList: {count(len(self.rows), 'entry', 'entries')}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "trash_days": self.trash_days,
            "entries": [row.to_dict() for row in self.rows],
        }


class Trash:
    """What was pruned and can be brought back; made by Memory."""

    def __init__(self, store: Store, retention: Retention, changed: Callable[[], None]) -> None:
        self._store = store
        self._retention = retention
        self._changed = changed

    def __repr__(self) -> str:
        return (
            f"<Trash of {self._store.paths.project_path!r}, "
            f"{count(len(self._store.trash().entries), 'entry', 'entries')}>"
        )

    def list(self, policy: Policy | None = None) -> TrashList:
        """What is in the trash, why, and until when.

        Args:
            policy: Whose days count; that of the settings by default.

        Raises:
            PolicyError: the policy cannot be used.
            StoreError: it cannot be read.
        """
        now = self._store.clock.now()
        policy = self._retention.policy if policy is None else policy_of(policy)
        rows = self._retention._trash_rows(policy, now)  # noqa: SLF001
        return TrashList(tuple(rows), now, policy.trash_days)

    def find(self, entry_id: str) -> str:
        """The id in the trash that this is, or begins.

        Raises:
            EntryNotFoundError, AmbiguousIdError: nothing, or several.
        """
        return match_id(self._store.trash().entries, entry_id, lister="memkit trash list")

    def restore(self, *ids: str) -> Receipt:
        """Bring entries back, byte for byte; they rank as they did, and are protected for `trash_days` from now on.

        Raises:
            EntryNotFoundError: one is not in the trash.
            AmbiguousIdError: the beginning of an id fits several.
            DamagedError: a file in the trash is not the one that was moved there.
            StoreError: the disk, a permission or another writer stood in the way. Nothing was restored.
        """
        receipt = prune.restore(self._store, ids)
        self._changed()
        return receipt


class SavedQueries:
    """Queries asked again to tell what forgetting would change; made by Memory."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __repr__(self) -> str:
        return f"<SavedQueries: {len(self.list())}>"

    def list(self) -> tuple[str, ...]:
        """The saved queries, in the order they were saved."""
        return tuple(saved_queries.read(self._store.paths)[0])

    def add(self, query: str) -> str:
        """Save a query; see `saved_queries.save` for what it raises."""
        return saved_queries.save(self._store, query)

    def drop(self, query: str) -> str:
        """Drop a saved query.

        Raises:
            InvalidInputError: it is not saved.
        """
        return saved_queries.drop(self._store, query)
