"""A moment a person named, as an instant."""

from __future__ import annotations

import datetime as dt

from memkit import clock
from memkit.errors import InvalidInputError

Moment = dt.datetime | dt.date | str


def moment_of(value: Moment | None, now: dt.datetime, field: str = "as_of") -> dt.datetime:
    """What a person named as an aware instant: an instant, a day (its start in UTC), or either in ISO 8601.

    Args:
        value: What was given.
        now: What nothing means.
        field: The argument or option it was given as, for the error.

    Raises:
        InvalidInputError: a datetime without a time zone, a text that is no moment, or something else.
    """
    if value is None:
        return now
    if isinstance(value, str):
        try:
            return clock.parse_instant(value)
        except ValueError as error:
            raise InvalidInputError(
                f"{value!r:.60} is no moment", field=field, remedy="Write 2027-01-01 or 2027-01-01T12:00:00Z."
            ) from error
    if not isinstance(value, dt.date):
        raise InvalidInputError(
            f"{value!r:.60} is no moment",
            field=field,
            remedy="Give a datetime with a time zone, a date, or a text of either.",
        )
    if not isinstance(value, dt.datetime):
        return dt.datetime.combine(value, dt.time(), clock.UTC)
    if value.utcoffset() is None:
        raise InvalidInputError("has no time zone", field=field, remedy="Add one: value.replace(tzinfo=datetime.UTC).")
    return value
