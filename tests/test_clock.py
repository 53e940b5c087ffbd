"""Time: read, written, counted and said in words."""

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit import clock
from memkit.clock import (
    UTC,
    Clock,
    FixedClock,
    SystemClock,
    age_days,
    age_words,
    decided_label,
    from_ms,
    iso,
    parse_instant,
    stored_label,
    to_ms,
)

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ZONES = st.builds(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)), st.integers(-14 * 60, 14 * 60))
INSTANTS = st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29), timezones=ZONES)
MS = st.integers(0, 253_402_300_799_999)


@given(MS)
def test_milliseconds_lead_to_an_instant_and_back(ms):
    assert to_ms(from_ms(ms)) == ms


@given(INSTANTS)
def test_an_instant_is_rounded_down_to_its_millisecond(instant):
    ms = to_ms(instant)
    assert dt.timedelta(0) <= instant - from_ms(ms) < dt.timedelta(milliseconds=1)


def test_an_instant_before_1970_is_rounded_down_too():
    assert to_ms(dt.datetime(1969, 12, 31, 23, 59, 59, 999_500, tzinfo=UTC)) == -1


@given(MS)
def test_what_iso_writes_is_read_back(ms):
    text = iso(from_ms(ms))
    assert text.endswith("Z")
    assert len(text) == 24
    assert parse_instant(text) == from_ms(ms)


@given(st.lists(MS, min_size=2, max_size=5))
def test_times_written_down_sort_as_they_follow(times):
    assert sorted(map(iso, map(from_ms, times))) == [iso(from_ms(ms)) for ms in sorted(times)]


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2026-11-30", dt.datetime(2026, 11, 30, tzinfo=UTC)),
        (" 2026-11-30T12:00:00Z ", NOW),
        ("2026-11-30T12:00", NOW),
        ("2026-11-30 13:00:00+01:00", NOW),
        ("20261130T120000Z", NOW),
    ],
)
def test_instants_and_days_are_read(text, instant):
    read = parse_instant(text)
    assert read == instant
    assert read.tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "30.11.2026",
        "2026-13-01",
        "2026-02-30",
        "1790000000000",
        "0001-01-01T00:00+14:00",
        "9999-12-31T23:59-14:00",
    ],
)
def test_anything_else_is_no_instant(text):
    with pytest.raises(ValueError):
        parse_instant(text)


@given(st.text(max_size=30))
def test_any_text_is_an_instant_or_a_value_error(text):
    try:
        read = parse_instant(text)
    except ValueError:
        return
    assert read.tzinfo is UTC


# --- ages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0.0, "today"),
        (0.99, "today"),
        (-0.5, "today"),
        (-0.0, "today"),
        (1.0, "yesterday"),
        (1.99, "yesterday"),
        (2.0, "2 days ago"),
        (76.4, "76 days ago"),
        (1234.0, "1,234 days ago"),
        (-1.0, "in 1 day (clock skew?)"),
        (-3.9, "in 3 days (clock skew?)"),
    ],
)
def test_an_age_is_said_in_words(days, words):
    assert age_words(days) == words


@given(st.floats(-1e6, 1e6))
def test_every_age_has_words(days):
    words = age_words(days)
    assert words in {"today", "yesterday"} or words.endswith((" days ago", "(clock skew?)"))
    assert ("skew" in words) == (days <= -1)


@given(INSTANTS, INSTANTS)
@example(NOW, NOW)
def test_an_age_is_the_time_between(then, now):
    assert age_days(then, now) == pytest.approx((now - then).total_seconds() / 86_400)
    assert age_days(then, now) == -age_days(now, then)


@pytest.mark.parametrize(
    ("day", "days"),
    [(dt.date(2026, 11, 30), 0), (dt.date(2026, 11, 29), 1), (dt.date(2026, 12, 1), -1), (dt.date(2024, 2, 29), 1005)],
)
def test_the_age_of_a_day_is_counted_in_calendar_days(day, days):
    assert age_days(day, NOW) == days
    assert age_days(day, NOW.replace(hour=0)) == days
    assert age_days(day, NOW.replace(hour=23, minute=59)) == days


def test_the_age_of_a_day_is_counted_in_utc_wherever_now_is():
    late = dt.datetime(2026, 11, 30, 23, 0, tzinfo=dt.timezone(dt.timedelta(hours=-5)))  # 1 December in UTC
    assert age_days(dt.date(2026, 11, 30), late) == 1


def test_labels_say_what_is_counted():
    assert stored_label(NOW - dt.timedelta(days=76, hours=1), NOW) == "Stored 76 days ago"
    assert stored_label(NOW, NOW) == "Stored today"
    assert decided_label(dt.date(2026, 9, 15), NOW) == "Decided 76 days ago"
    assert decided_label(dt.date(2026, 11, 29), NOW) == "Decided yesterday"
    assert decided_label(None, NOW) is None


# --- clocks ----------------------------------------------------------------------------------------------------------


def test_a_fixed_clock_stands_still_until_told():
    fixed = FixedClock(NOW)
    assert fixed.now() == fixed.now() == NOW
    fixed.advance(dt.timedelta(days=1))
    assert fixed.now() == NOW + dt.timedelta(days=1)


def test_a_fixed_clock_says_utc_whatever_it_was_set_to():
    fixed = FixedClock(NOW.astimezone(dt.timezone(dt.timedelta(hours=9))))
    assert fixed.now() == NOW
    assert fixed.now().utcoffset() == dt.timedelta(0)


def test_the_system_clock_is_aware_and_goes_on():
    before = dt.datetime.now(UTC)
    now = SystemClock().now()
    assert before <= now <= dt.datetime.now(UTC)
    assert now.tzinfo is UTC


@pytest.mark.parametrize("kind", [SystemClock(), FixedClock(NOW)], ids=["system", "fixed"])
def test_both_are_clocks(kind):
    assert isinstance(kind, Clock)


def test_a_day_has_the_length_it_has():
    assert clock.DAY_MS == 24 * 60 * 60 * 1000
