"""A retention review: what would be forgotten, when and why, and what stands beside it; plain data.

A verdict is `keep`, `due` (the next plan moves it to the trash), `protected` (a pin, a restore not long ago, a time of
storage in the future, a file that cannot be read) or `held` (legal hold). Every rule is told with whether it matched.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from memkit import clock
from memkit.analytics.frames import arrow
from memkit.display import Charted, Displayable
from memkit.model.policy import RetentionPolicy
from memkit.model.scan import Scan
from memkit.store.erasers import Removed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Verdict = Literal["keep", "due", "protected", "held"]
VERDICTS: tuple[Verdict, ...] = ("due", "keep", "protected", "held")
AGE, NUMBER = "max_age_days", "max_results"
RULES = (AGE, NUMBER, "legal_hold", "pin", "restored", "stored_in_future", "unreadable")


@dataclass(frozen=True, slots=True)
class RuleTrace:
    """One rule and what it says of one entry.

    Attributes:
        rule: Its name, one of `RULES`.
        matched: Whether it applies.
        detail: In words, with the numbers.
        short: The same in two or three words, for a table.
    """

    rule: str
    matched: bool
    detail: str
    short: str = ""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One entry.

    Attributes:
        entry_id: Its id.
        title: Its title or question.
        panel_id: Its panel.
        tags: Its tags.
        stored_at: When it was stored; its age counts from here.
        age_days: Days since.
        n_bytes: Of its envelope.
        verdict: `keep`, `due`, `protected` or `held`.
        rules: Every rule, in the order of `RULES`.
        due_at: When its age makes it due, or None where it never does.
        days_left: Days until then, negative when past, or None.
        group: Which entries are counted with it: `all others`, `panel <name>` or `tag <name>`.
        place: Its place in the group, newest first; None where it takes none.
        successors: Ids of decisions that replaced it.
        replaces: The id of the older edition that would count again without it, or None.
        n_tripwires: Conditions it states, which nobody would judge any more.
        records: Records that cite it.
    """

    entry_id: str
    title: str
    panel_id: str
    tags: tuple[str, ...]
    stored_at: dt.datetime
    age_days: float
    n_bytes: int
    verdict: Verdict
    rules: tuple[RuleTrace, ...]
    due_at: dt.datetime | None
    days_left: float | None
    group: str
    place: int | None
    successors: tuple[str, ...]
    replaces: str | None
    n_tripwires: int
    records: tuple[str, ...] = ()

    @property
    def matched(self) -> tuple[str, ...]:
        """Names of the rules that matched."""
        return tuple(trace.rule for trace in self.rules if trace.matched)

    @property
    def why(self) -> str:
        """The rules that matched, in words; or that none did."""
        return "; ".join(trace.detail for trace in self.rules if trace.matched) or "no rule matched"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "entry_id": self.entry_id,
            "title": self.title,
            "panel_id": self.panel_id,
            "tags": list(self.tags),
            "stored_at": clock.iso(self.stored_at),
            "age_days": round(self.age_days, 3),
            "n_bytes": self.n_bytes,
            "verdict": self.verdict,
            "rules": [{"rule": t.rule, "matched": t.matched, "detail": t.detail} for t in self.rules],
            "due_at": None if self.due_at is None else clock.iso(self.due_at),
            "days_left": None if self.days_left is None else round(self.days_left, 3),
            "group": self.group,
            "place": self.place,
            "affects": {
                "successors": list(self.successors),
                "replaces": self.replaces,
                "n_tripwires": self.n_tripwires,
                "records": list(self.records),
            },
        }


@dataclass(frozen=True, slots=True)
class TrashRow:
    """One entry in the trash.

    Attributes:
        entry_id: Its id.
        title: Its title or question, or "" where its file cannot be read.
        stored_at: When it was stored.
        pruned_at: When it was moved here.
        rules: Names of the rules that made it due.
        cause: `store`, `apply` or `repair`.
        n_bytes: Of its envelope.
        expires_at: From when on `retention apply` may erase it.
        days_left: Days until then, negative when past.
        is_held: Whether a legal hold keeps it.
    """

    entry_id: str
    title: str
    stored_at: dt.datetime
    pruned_at: dt.datetime
    rules: tuple[str, ...]
    cause: str
    n_bytes: int
    expires_at: dt.datetime
    days_left: float
    is_held: bool = False

    @property
    def is_expired(self) -> bool:
        """Whether `retention apply` would erase it."""
        return self.days_left <= 0 and not self.is_held

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "entry_id": self.entry_id,
            "title": self.title,
            "stored_at": clock.iso(self.stored_at),
            "pruned_at": clock.iso(self.pruned_at),
            "rules": list(self.rules),
            "cause": self.cause,
            "n_bytes": self.n_bytes,
            "expires_at": clock.iso(self.expires_at),
            "days_left": round(self.days_left, 3),
            "is_held": self.is_held,
            "is_expired": self.is_expired,
        }


@dataclass(frozen=True, slots=True)
class AgeBin:
    """Entries of one verdict whose ages lie close together.

    Attributes:
        from_days: Their least age in whole days since they were stored; 0 for those stored later than now.
        to_days: Where the next bin begins.
        verdict: Their verdict.
        n: How many.
    """

    from_days: int
    to_days: int
    verdict: Verdict
    n: int


@dataclass(frozen=True, slots=True)
class Total:
    """How many entries have one verdict, and their bytes."""

    n_entries: int
    n_bytes: int


@dataclass(frozen=True, slots=True)
class RetentionReceipt(Displayable):
    """What a plan did, or would do; no text.

    Attributes:
        plan_id: Its name in `state/receipts.jsonl`; "" where nothing was done.
        moved: Ids moved to the trash.
        erased: Ids that had expired in the trash and were erased, from every file of the store.
        n_bytes: Of the envelopes moved and erased.
        restore_until: When `retention apply` may first erase what was moved.
        dry_run: Nothing was changed.
        erased_from: What left which file with what was erased.
        scan: The look into every byte of the store afterwards, for what only the erased said; None where nothing was.
    """

    plan_id: str
    moved: tuple[str, ...]
    erased: tuple[str, ...]
    n_bytes: int
    restore_until: dt.datetime | None = None
    dry_run: bool = False
    erased_from: tuple[Removed, ...] = ()
    scan: Scan | None = None

    def __repr__(self) -> str:
        would = "would move" if self.dry_run else "moved"
        return f"<RetentionReceipt {self.plan_id}: {would} {len(self.moved):,}, erased {len(self.erased):,}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "plan_id": self.plan_id,
            "dry_run": self.dry_run,
            "moved": list(self.moved),
            "erased": list(self.erased),
            "n_bytes": self.n_bytes,
            "restore_until": None if self.restore_until is None else clock.iso(self.restore_until),
            "restore_with": f"memkit restore {' '.join(self.moved[:20])}" if self.moved and not self.dry_run else None,
            "erased_from": [asdict(item) for item in self.erased_from],
            "scan": None if self.scan is None else self.scan.to_dict(),
        }


@dataclass(frozen=True)
class RetentionReview(Charted, Displayable):
    """See the module.

    Attributes:
        policy: The policy it was made by.
        as_of: The moment it was made for.
        totals: By verdict.
        expired: Entries in the trash whose days are over.
        doubts: Why something is not pruned although a rule matched, or why nothing is; one line each.
        blocked: Whether nothing at all may be pruned, for a reason among the doubts.
        due_within_days: How far ahead `due_soon` looks.
        sql: The query that judged.
        data: One row per entry, oldest first, as the query gave it.
        stamp: What the store looked like; compared when the review is applied.
        is_own: Whether the policy is that of the settings.
        gaps: Which lines of the index cannot be read, so that entries may be missing here; in a sentence.
    """

    policy: RetentionPolicy
    as_of: dt.datetime
    totals: Mapping[Verdict, Total]
    data: pa.Table = field(repr=False)
    expired: tuple[TrashRow, ...] = ()
    doubts: tuple[str, ...] = ()
    blocked: bool = False
    due_within_days: float = 0.0
    sql: str = field(default="", repr=False)
    stamp: Any = field(default=None, repr=False, compare=False)
    is_own: bool = True
    citing: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    gaps: tuple[str, ...] = ()
    _apply: Callable[..., RetentionReceipt] | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        said = ", ".join(f"{self.totals[verdict].n_entries:,} {verdict}" for verdict in VERDICTS)
        return f"<RetentionReview: {said}; {len(self.expired):,} expired in the trash>"

    def __len__(self) -> int:
        return int(self.data.num_rows)

    @cached_property
    def rows(self) -> tuple[ReviewRow, ...]:
        """Every entry, oldest first."""
        return self._rows(self.data)

    @cached_property
    def due(self) -> tuple[ReviewRow, ...]:
        """Entries that the plan moves to the trash, oldest first."""
        return () if self.blocked else self._with("due")

    @property
    def n_due(self) -> int:
        """How many entries the plan moves to the trash; costs less than `due`."""
        return 0 if self.blocked else self.totals["due"].n_entries

    def first_due(self, most: int) -> tuple[ReviewRow, ...]:
        """The first of `due`, at most `most`; costs no more for many."""
        return () if self.blocked else self._rows(self._judged("due").slice(0, most))

    @cached_property
    def due_soon(self) -> tuple[ReviewRow, ...]:
        """Entries whose age makes them due within `due_within_days`, soonest first."""
        _, pc = arrow()

        until = clock.to_ms(self.as_of) + self.due_within_days * clock.DAY_MS
        kept = self.data.filter(pc.equal(self.data.column("verdict"), "keep"))
        soon = kept.filter(pc.less_equal(kept.column("due_ms"), int(until)))
        return tuple(sorted(self._rows(soon), key=lambda row: (row.due_at or self.as_of, row.entry_id)))

    @property
    def n_ahead(self) -> int:
        """Entries that are kept today and whose age will make them due one day."""
        return int(self._ahead().num_rows)

    def upcoming(self, most: int) -> tuple[ReviewRow, ...]:
        """What moves to the trash next, at most `most`: what is due, oldest first, then by age, soonest first."""
        if len(self.due) >= most:
            return self.due[:most]
        ahead = self._ahead().sort_by([("due_ms", "ascending"), ("entry_id", "ascending")])
        return (*self.due, *self._rows(ahead.slice(0, most - len(self.due))))

    @cached_property
    def kept_back(self) -> tuple[ReviewRow, ...]:
        """Entries that are protected or held, oldest first."""
        return tuple(sorted((*self._with("protected"), *self._with("held")), key=lambda r: (r.stored_at, r.entry_id)))

    def ages(self, *, most: int = 40) -> tuple[AgeBin, ...]:
        """How old the entries of each verdict are, youngest first, in at most `most` bins of 1, 2, 5, 10, ... days."""
        made, pc = arrow()

        if not len(self):
            return ()
        days = pc.floor(pc.divide(pc.subtract(clock.to_ms(self.as_of), self.data["stored_ms"]), float(clock.DAY_MS)))
        whole = pc.max_element_wise(pc.cast(days, made.int64()), 0)
        width = next(w for w in _round_widths() if pc.max(whole).as_py() // w < most)
        bins = made.table({"bin": pc.divide(whole, width), "verdict": self.data["verdict"]})
        counted = bins.group_by(["bin", "verdict"]).aggregate([([], "count_all")]).to_pylist()
        found = [
            AgeBin(row["bin"] * width, (row["bin"] + 1) * width, row["verdict"], row["count_all"]) for row in counted
        ]
        return tuple(sorted(found, key=lambda each: (each.from_days, VERDICTS.index(each.verdict))))

    @property
    def finds_something(self) -> bool:
        """Whether anything is due, expired, or due within the days asked for."""
        return bool(self.due or self.expired or (self.due_within_days and self.due_soon))

    @property
    def is_everything(self) -> bool:
        """Whether no entry would be left but those kept back whatever the limits say (pins, holds and the like)."""
        return bool(self.due) and self.totals["keep"].n_entries == 0

    def title_of(self, entry_id: str) -> str:
        """The title of an entry of this review; its id where it is none of them."""
        return self._titles.get(entry_id) or entry_id

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        names = (self.data.column(name).to_pylist() for name in ("entry_id", "title"))
        return dict(zip(*names, strict=True))

    def apply(self, *, everything: bool = False, dry_run: bool = False) -> RetentionReceipt:
        """Move what is due to the trash and erase what has expired there: exactly this, all of it or nothing.

        Args:
            everything: Allow a plan after which no entry is left.
            dry_run: Check everything and change no byte.

        Raises:
            StalePlanError: the store, a pin, a hold or the policy changed since; says what. Nothing was moved.
            PolicyError: nothing would be left, or a doubt stands in the way.
            StoreError: the disk, a permission or another writer stood in the way.
        """
        if self._apply is None:
            raise TypeError("a review read from a file is applied with mem.retention.apply(path)")
        return self._apply(self, everything=everything, dry_run=dry_run)

    def to_arrow(self) -> pa.Table:
        """One row per entry as Arrow."""
        return self.data

    def to_pandas(self) -> pd.DataFrame:
        """One row per entry as a data frame."""
        frame: pd.DataFrame = self.data.to_pandas()
        return frame

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data: totals, what is due, soon due, kept back and expired; not what is simply kept."""
        return {
            "as_of": clock.iso(self.as_of),
            "policy": self.policy.to_dict(),
            "totals": {verdict: {"n_entries": t.n_entries, "n_bytes": t.n_bytes} for verdict, t in self.totals.items()},
            "doubts": list(self.doubts),
            "blocked": self.blocked,
            "due": [row.to_dict() for row in self.due],
            "due_within_days": self.due_within_days,
            "due_soon": [row.to_dict() for row in self.due_soon],
            "kept_back": [row.to_dict() for row in self.kept_back],
            "expired": [row.to_dict() for row in self.expired],
        }

    def _ahead(self) -> pa.Table:
        """Entries that are kept until their age makes them due."""
        _, pc = arrow()
        if not self.policy.can_prune:
            return self.data.slice(0, 0)
        kept = self.data.filter(pc.equal(self.data.column("verdict"), "keep"))
        return kept.filter(pc.is_valid(kept.column("due_ms")))

    def _with(self, verdict: Verdict) -> tuple[ReviewRow, ...]:
        return self._rows(self._judged(verdict))

    def _judged(self, verdict: Verdict) -> pa.Table:
        _, pc = arrow()

        return self.data.filter(pc.equal(self.data.column("verdict"), verdict))

    def _rows(self, data: pa.Table) -> tuple[ReviewRow, ...]:
        return tuple(self._row(raw) for raw in data.to_pylist())

    def _row(self, raw: Mapping[str, Any]) -> ReviewRow:
        stored_at = clock.from_ms(raw["stored_ms"])
        due_at = _instant(raw["due_ms"])
        return ReviewRow(
            entry_id=raw["entry_id"],
            title=raw["title"] or "",
            panel_id=raw["panel_id"],
            tags=tuple(raw["tags"]),
            stored_at=stored_at,
            age_days=clock.age_days(stored_at, self.as_of),
            n_bytes=raw["n_bytes"],
            verdict=raw["verdict"],
            rules=_traces(raw, self),
            due_at=due_at,
            days_left=None if due_at is None else -clock.age_days(due_at, self.as_of),
            group=raw["group_name"],
            place=raw["place"],
            successors=tuple(raw["successors"]),
            replaces=raw["replaces"],
            n_tripwires=raw["n_tripwires"],
            records=self.citing.get(raw["entry_id"], ()),
        )


def _round_widths() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def _instant(ms: int | None) -> dt.datetime | None:
    if ms is None:
        return None
    try:
        return clock.from_ms(ms)
    except OverflowError:
        return None


def _traces(raw: Mapping[str, Any], review: RetentionReview) -> tuple[RuleTrace, ...]:
    days, most, place, group = raw["max_age_days"], raw["max_results"], raw["place"], raw["group_name"]
    age = clock.age_days(clock.from_ms(raw["stored_ms"]), review.as_of)
    old_short, many_short = f"{max(age, 0):,.0f} of {days:,} days", f"{place or 0:,} of {most:,}"
    if days < 0:
        old, old_short = "kept however old", "no limit"
    else:
        old = f"stored {clock.age_words(age)}, the limit is {days:,} {'day' if days == 1 else 'days'}"
    own = any(each.max_results is not None for each in (*review.policy.panels.values(), *review.policy.tags.values()))
    others = "all entries without a number of their own" if own else "all entries"
    counted = f"of {others if group == 'all others' else group}"
    if most < 0:
        many, many_short = "kept however many there are", "no limit"
    elif place is None:
        many, many_short = f"takes no place {counted}", "not counted"
    else:
        many = f"number {place:,} {counted}, newest first; {most:,} are kept"
        if raw["is_doubtful"]:
            many += " (not counted while entries are stored in the future)"
    pinned, held = (f": {raw[name]}" if raw[name] else "" for name in ("pin_reason", "hold_reason"))
    held = "the policy holds everything" if review.policy.legal_hold else f"a legal hold{held}"
    plain = (
        ("legal_hold", raw["is_held"], held, "no legal hold"),
        ("pin", raw["is_pinned"], f"pinned{pinned}", "not pinned"),
        ("restored", raw["is_restored"], "was brought back from the trash not long ago", "not just restored"),
        ("stored_in_future", raw["is_future"], "stored later than now: a clock is wrong", "not stored in the future"),
        ("unreadable", raw["is_unreadable"], "its file cannot be read (`memkit verify`)", "its file can be read"),
    )
    return (
        RuleTrace(AGE, raw["is_too_old"], old, old_short),
        RuleTrace(NUMBER, raw["is_too_many"], many, many_short),
        *(
            RuleTrace(rule, yes, said if yes else else_said, "yes" if yes else "no")
            for rule, yes, said, else_said in plain
        ),
    )
