"""What may be forgotten, and when: the retention policy as frozen data.

An entry is due when its age passes the number of days that applies to it, or when more entries of its group are
stored than the number that applies. A panel or a tag may have its own limits: a tag's speaks before a panel's, a
panel's before the general one; of several tags the most generous speaks. What is pinned, held or just restored is never
due and takes no place. `"none"` is the limit that is never reached.

A policy is judged when it is made: an unknown key, a negative number, a limit that is no limit are refused by name, and
nothing is ever forgotten by a policy that was refused.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from memkit.errors import PolicyError
from memkit.model import jsontext
from memkit.model.frozen import FrozenMapping

NONE: Literal["none"] = "none"
MAX_RESULTS = 1_000
MAX_AGE_DAYS = 365
TRASH_DAYS = 30
MOST = 10_000_000
Limit = int | Literal["none"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one panel or tag; None where it has none of its own.

    Attributes:
        max_results: Entries of it that are kept; the newest stay.
        max_age_days: Days an entry of it is kept after it was stored.
    """

    max_results: Limit | None = None
    max_age_days: Limit | None = None

    def to_dict(self) -> dict[str, Any]:
        """Those that are said."""
        said = {"max_results": self.max_results, "max_age_days": self.max_age_days}
        return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True)
class RetentionPolicy:
    """See the module.

    Attributes:
        enabled: False keeps everything.
        max_results: Entries kept besides those of panels and tags with a number of their own.
        max_age_days: Days an entry is kept after it was stored.
        trash_days: Days what was pruned stays in the trash before `retention apply` may erase it.
        legal_hold: True keeps everything, whatever else is said.
        panels: Limits of single panels.
        tags: Limits of single tags.
    """

    enabled: bool = True
    max_results: Limit = MAX_RESULTS
    max_age_days: Limit = MAX_AGE_DAYS
    trash_days: int = TRASH_DAYS
    legal_hold: bool = False
    panels: Mapping[str, Limits] = field(default_factory=lambda: FrozenMapping({}))
    tags: Mapping[str, Limits] = field(default_factory=lambda: FrozenMapping({}))

    def __post_init__(self) -> None:
        for name in ("enabled", "legal_hold"):
            if not isinstance(getattr(self, name), bool):
                raise _refused(f"retention.{name}", getattr(self, name), "true or false")
        _require_limit(self.max_results, "retention.max_results")
        _require_limit(self.max_age_days, "retention.max_age_days")
        if not isinstance(self.trash_days, int):
            raise _refused("retention.trash_days", self.trash_days, f"a whole number from 0 to {MOST:,}")
        _require_limit(self.trash_days, "retention.trash_days")
        for kind in ("panels", "tags"):
            said = dict(getattr(self, kind))
            for name, limits in said.items():
                if not isinstance(limits, Limits):
                    raise _refused(f"retention.{kind}.{name}", limits, "limits of its own")
                for one in fields(limits):
                    value = getattr(limits, one.name)
                    if value is not None:
                        _require_limit(value, f"retention.{kind}.{name}.{one.name}")
            object.__setattr__(self, kind, FrozenMapping(dict(sorted(said.items()))))

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that differ whenever anything in it differs."""
        return hashlib.sha256(jsontext.dumps(self.to_dict())).hexdigest()[:16]

    @property
    def can_prune(self) -> bool:
        """Whether anything could ever be due by it."""
        return self.enabled and not self.legal_hold and any(limit != NONE for limit in self._limits())

    @property
    def fewest_results(self) -> int | None:
        """The smallest number of entries any group is limited to, or None."""
        numbers = [self.max_results, *(each.max_results for each in self._own())]
        return min((n for n in numbers if isinstance(n, int)), default=None)

    @property
    def fewest_days(self) -> int | None:
        """The smallest number of days anything is kept, or None."""
        numbers = [self.max_age_days, *(each.max_age_days for each in self._own())]
        return min((n for n in numbers if isinstance(n, int)), default=None)

    def _own(self) -> list[Limits]:
        return [*self.panels.values(), *self.tags.values()]

    def _limits(self) -> list[Limit]:
        own = [limit for each in self._own() for limit in (each.max_results, each.max_age_days) if limit is not None]
        return [self.max_results, self.max_age_days, *own]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, as `policy_of` reads it."""
        return {
            "enabled": self.enabled,
            "max_results": self.max_results,
            "max_age_days": self.max_age_days,
            "trash_days": self.trash_days,
            "legal_hold": self.legal_hold,
            "panels": {name: limits.to_dict() for name, limits in self.panels.items()},
            "tags": {name: limits.to_dict() for name, limits in self.tags.items()},
        }


def policy_of(values: Mapping[str, Any] | RetentionPolicy) -> RetentionPolicy:
    """A policy from plain data; what is left out has its default.

    Raises:
        PolicyError: an unknown key or an impossible value; names it.
    """
    if isinstance(values, RetentionPolicy):
        return values
    if not isinstance(values, Mapping):
        raise _refused("policy", values, "a table of limits")
    _require_known(values, [each.name for each in fields(RetentionPolicy)], "retention")
    said = dict(values)
    for kind in ("panels", "tags"):
        if kind in said:
            said[kind] = _own_limits(said[kind], f"retention.{kind}")
    return RetentionPolicy(**said)


def _own_limits(values: object, where: str) -> dict[str, Limits]:
    if not isinstance(values, Mapping):
        raise _refused(where, values, "a table of names")
    made: dict[str, Limits] = {}
    for name, limits in values.items():
        if isinstance(limits, Limits):
            made[str(name)] = limits
            continue
        if not isinstance(limits, Mapping):
            raise _refused(f"{where}.{name}", limits, "a table with max_results or max_age_days")
        _require_known(limits, [each.name for each in fields(Limits)], f"{where}.{name}")
        made[str(name)] = Limits(**limits)
    return made


def _require_known(values: Mapping[str, Any], known: list[str], where: str) -> None:
    for name in values:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
            remedy = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}."
            raise PolicyError("unknown key; nothing is pruned by it", field=f"{where}.{name}", remedy=remedy)


def _require_limit(value: object, where: str) -> None:
    if value == NONE:
        return
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST:
        raise _refused(where, value, f'a whole number from 0 to {MOST:,}, or "none"')


def _refused(where: str, value: object, wanted: str) -> PolicyError:
    return PolicyError(f"{value!r:.60} cannot be used; nothing is pruned by it", field=where, remedy=f"Write {wanted}.")


EVERYTHING_IS_KEPT = RetentionPolicy(enabled=False)
