"""What is read of a condition, and what is left unread and why."""

import csv
import datetime as dt
import pathlib
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.model.conditions import MAX_CHARS, read_condition

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"


def sample_rows():
    with (SAMPLES / "tripwires.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def same(written, read):
    try:
        return float(written) == pytest.approx(float(read), abs=1e-3)
    except (TypeError, ValueError):
        return written == str(read)


@pytest.mark.parametrize("row", sample_rows(), ids=lambda row: row["text"][:60])
def test_every_sample_condition_is_read_as_its_authors_meant_it(row):
    read = read_condition(row["text"])
    assert read.text == row["text"]
    assert read.kind == row["kind"], read.unread
    assert read.is_read == (row["kind"] != "unreadable")
    if not read.is_read:
        return
    value = read.revisit_on or read.value
    if read.version:
        value = row["value"] if read.version == (3,) else None
    assert same(row["metric"], read.metric or "")
    assert same(row["operator"], read.operator or "")
    assert same(row["value"], value)
    assert same(row["unit"], "" if read.kind == "version" else read.unit)
    assert same(row["window_hours"], read.window.hours if read.window else "")


def parts(text):
    read = read_condition(text)
    assert read.is_read, (text, read.unread)
    window = read.window
    length = None
    if window:
        length = window.seconds / 3600 if window.seconds else (window.months, "months")
    return read.metric, read.operator, read.value, str(read.unit), length


THRESHOLDS = {
    "write QPS sustains >5k for 24h": ("write_qps", ">", 5000, "", 24),
    "p99 latency exceeds 200ms for 1h": ("p99_latency", ">", 200, "ms", 1),
    "team grows past 12 engineers": ("team", ">", 12, "engineers", None),
    "Revisit if the team grows past twelve engineers.": ("the_team", ">", 12, "engineers", None),
    "p99 latency > 200ms sustained over 3 days": ("p99_latency", ">", 200, "ms", 72),
    "`write_qps` >= 5_000 for 24h": ("write_qps", ">=", 5000, "", 24),
    "**error rate** ≥ 2 percent for a week": ("error_rate", ">=", 2, "%", 168),
    "spend exceeds $900 a month": ("spend", ">", 900, "$/month", None),
    "spend exceeds 900 USD per month for 2 months": ("spend", ">", 900, "$/month", (2, "months")),
    "spend is at least €1,234.50/month": ("spend", ">=", 1234.5, "€/month", None),
    "ARR falls to $1.5M": ("arr", "<=", 1_500_000, "$", None),
    "ARR falls below $1.5M": ("arr", "<", 1_500_000, "$", None),
    "MAU exceeds 1.2M": ("mau", ">", 1_200_000, "", None),
    "requests exceed 5k rps": ("requests", ">", 5000, "/s", None),
    "writes exceed 1,000,000/day": ("writes", ">", 1_000_000, "/day", None),
    "queue depth grows to 10 000": ("queue_depth", ">=", 10_000, "", None),
    "disk usage > 85 % for more than 2 days": ("disk_usage", ">", 85, "%", 48),
    "cache hits drop below 90% for 2h": ("cache_hits", "<", 90, "%", 2),
    "temperature drops below -5 °C": ("temperature", "<", -5, "°C", None),
    "replicas == 0 for 10 minutes": ("replicas", "==", 0, "", pytest.approx(1 / 6)),
    "archive exceeds 40 GB/day for 14 days": ("archive", ">", 40, "GB/day", 336),
    "p99 latency > 200 ms for 24h → shard the database": ("p99_latency", ">", 200, "ms", 24),
    "load reaches 3.0 for 1h": ("load", ">=", 3, "", 1),
    "Latenz übersteigt 200 ms für 1 h": ("latenz", ">", 200, "ms", 1),
    "wenn die p99-Latenz 200 ms für 1 Stunde überschreitet": ("die_p99_latenz", ">", 200, "ms", 1),
    "Kosten liegen über 1.500 € im Monat": ("kosten", ">", 1500, "€/month", None),
    "Fehlerquote liegt unter 1,5 % 14 Tage lang": ("fehlerquote", "<", 1.5, "%", 336),
    "la latence p99 dépasse 200 ms pendant 24 h": ("la_latence_p99", ">", 200, "ms", 24),
    "si el coste supera 900 €/mes durante 2 meses": ("el_coste", ">", 900, "€/month", (2, "months")),
    "a latência p99 fica acima de 200 ms durante 24 h": ("a_latência_p99", ">", 200, "ms", 24),
    "p99レイテンシが200msを超える状態が1時間続く": ("p99レイテンシ", ">", 200, "ms", 1),
    "書き込みQPSが5000以上になったら": ("書き込みqps", ">=", 5000, "", None),
    "写入QPS超过5千持续24小时": ("写入qps", ">", 5000, "", 24),
    "如果团队超过12人": ("团队", ">", 12, "人", None),
}


@pytest.mark.parametrize("text", THRESHOLDS, ids=lambda text: text[:50])
def test_a_comparison_is_read_with_its_unit_and_window(text):
    assert parts(text) == THRESHOLDS[text]


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("error rate above 2% two weeks in a row", (2, "week")),
        ("error rate is above 2% for three consecutive days", (3, "day")),
        ("Fehlerquote über 1,5 % zwei Wochen in Folge", (2, "week")),
        ("le taux d'erreur dépasse 2,5 % pendant 3 jours consécutifs", (3, "day")),
        ("la tasa de error está por encima de 2 % dos semanas seguidas", (2, "week")),
        ("o custo ultrapassa 900 €/mês 2 meses seguidos", (2, "month")),
        ("エラー率が2週間連続で5%を上回る", (2, "week")),
        ("错误率连续3天高于2%", (3, "day")),
        ("pages exceed 6/week for 4 weeks", (4, "week")),
        ("events exceed 50/day for 2 weeks", (14, "day")),
        ("spend exceeds $900/month for a quarter", (3, "month")),
        ("latency exceeds 200 ms for 4 weeks", None),
        ("events exceed 50/day for 36 hours", None),
        ("events exceed 50/s for 1h", None),
    ],
)
def test_periods_in_a_row_are_counted_where_they_are_said_or_the_rate_has_them(text, periods):
    read = read_condition(text)
    assert read.is_read, read.unread
    assert read.periods == periods


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("revisit by 2027-03-01", "2027-03-01"),
        ("Revisit this decision by 2027-03-01.", "2027-03-01"),
        ("review on 1 March 2027", "2027-03-01"),
        ("reconsider before March 1st, 2027", "2027-03-01"),
        ("re-evaluate after 2027-03-01", "2027-03-02"),
        ("revisit by 13/04/2027", "2027-04-13"),
        ("revisit by 04/13/2027", "2027-04-13"),
        ("revisit by 2027-03-01 at the latest", "2027-03-01"),
        ("expires on 2027-03-01", "2027-03-01"),
        ("überprüfen bis 01.03.2027", "2027-03-01"),
        ("bis 1. März 2027 neu bewerten", "2027-03-01"),
        ("à revoir avant le 1er mars 2027", "2027-03-01"),
        ("revisar antes del 1 de marzo de 2027", "2027-03-01"),
        ("rever até 2027-03-01", "2027-03-01"),
        ("2027年3月1日までに見直す", "2027-03-01"),
        ("2027年3月1日前重新评估", "2027-03-01"),
    ],
)
def test_a_day_to_come_back_on_is_read(text, day):
    read = read_condition(text)
    assert (read.kind, read.revisit_on, read.unread) == ("date", dt.date.fromisoformat(day), ())


@pytest.mark.parametrize(
    ("text", "metric", "version"),
    [
        ("once library X reaches 3.0", "library_x", (3,)),
        ("once Python reaches version 3.15", "python", (3, 15)),
        ("if ferrule reaches version 3", "ferrule", (3,)),
        ("library X hits v4", "library_x", (4,)),
        ("pgtiller reaches 2.10.1", "pgtiller", (2, 10, 1)),
        ("ferrule 3.0 is released", "ferrule", (3,)),
        ("Python version > 3.14", "python", (3, 14)),
        ("sobald ferrule Version 3.0 erreicht", "ferrule", (3,)),
    ],
)
def test_a_version_is_read(text, metric, version):
    read = read_condition(text)
    assert (read.kind, read.metric, read.version, read.unread) == ("version", metric, version, ())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("error rate exceeds 1.000 %", "“1.000” can be 1.000 or 1000"),
        ("write_qps > 5,000/day", "“5,000” can be 5.000 or 5000"),
        ("Kosten über 1,500 € im Monat", "“1,500” can be 1.500 or 1500"),
        ("la latence dépasse 1.500 ms", "“1.500” can be 1.500 or 1500"),
        ("revisit by 03/04/2027", "can be two days"),
        ("revisit by March 2027", "names no day"),
        ("revisit in Q3 2027", "names no day"),
        ("revisit by 2027-02-30", "no day of the calendar"),
        ("p99 exceeds 200ms or error rate exceeds 2%", "more than one comparison"),
        ("latency over 200 ms exceeds 5 % of requests", "more than one comparison"),
        ("latency does not exceed 5 ms", "negation"),
        ("the cache is never below 5 GB", "negation"),
        ("latency regularly exceeds 200 ms", "“regularly” cannot be weighed"),
        ("Scale: write QPS exceeds 5k", "“Scale:” may be a label"),
        ("storage exceeds 5 Gb", "gigabits or gigabytes"),
        ("data exceeds 5B", "bytes or billions"),
        ("CPU exceeds 80 for 5m", "minutes, months"),
        ("door events exceed 2,000/day on one locker", "“/day on one locker” would be lost"),
        ("spend exceeds $900 GB", "would be lost"),
        ("queue exceeds 5 overnight", "“overnight” would be lost"),
        ("errors exceed 5 weekends", "“weekends” would be lost"),
        ("> 5k for 24h", "names nothing that is measured"),
        ("both providers are below 95%", "cannot be read"),
        ("anybody complains", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_what_could_mean_two_things_is_left_unread_with_the_reason(text, reason):
    read = read_condition(text)
    assert read.kind == "unreadable"
    assert any(reason in found for found in read.unread), read.unread


def test_the_parts_that_are_certain_are_kept_beside_the_one_that_is_not():
    read = read_condition("error rate exceeds 1.000 % for 24h")
    assert (read.metric, read.operator, read.value, str(read.unit)) == ("error_rate", ">", None, "%")
    assert read.window is not None
    assert read.window.hours == 24


HOSTILE = {
    "ten kilobytes that begin like a condition": "write QPS sustains >5k for 24h" + " x" * 5_000,
    "digits without end": "x exceeds " + "9" * 480,
    "separators without end": "x exceeds " + "1," * 240,
    "spaced groups without end": "x exceeds 1" + " 000" * 120,
    "comparisons without end": "exceeds 5 " * 49,
    "symbols without end": ">" * 500,
    "words before a window": "for " * 120 + "24h",
    "articles": "a " * 249,
    "ligatures that grow": "\ufdfa" * 400,
    "combining marks": "e" + "\u0301" * 499,
    "direction overrides": "\u202ewrite QPS exceeds 5k\u202c",
    "nulls": "\x00" * 300,
    "an open currency": "$" * 500,
    "version parts": "once x reaches " + "1." * 240,
    "signs": "x exceeds " + "-" * 480 + "5",
    "a lone surrogate": "x exceeds \ud800 5",
    "digits of other scripts": "x exceeds ٣٤٥ ms",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_bounded_time_without_a_crash(name):
    text = HOSTILE[name]
    begun = time.perf_counter()
    read = read_condition(text)
    assert time.perf_counter() - begun < 0.5
    assert read.text == text


def test_a_condition_of_ten_kilobytes_stays_unread_and_says_so():
    read = read_condition("write QPS sustains >5k for 24h, " + "and so on " * 1_024)
    assert read.kind == "unreadable"
    assert f"more than {MAX_CHARS} are not read" in read.unread[0]


WORDS = (
    "p99 latency exceeds below > 5k 200ms 1.000 1,000 $900 /month for 24h a week two weeks in row revisit by 2027-03-01 once "
    "reaches 3.0 % GB/day über 14 Tage lang dépasse を超える 持续24小时 or not “ ** ->"
)
words = st.sampled_from(WORDS.split())


@settings(max_examples=200, deadline=1000)
@given(st.one_of(st.text(max_size=600), st.lists(words, max_size=12).map(" ".join)))
def test_any_text_is_read_whole_or_left_unread(text):
    read = read_condition(text)
    assert read.text == text
    assert (read.kind == "unreadable") == bool(read.unread)
    if read.kind in {"threshold", "sustained"}:
        assert read.metric
        assert read.operator
        assert read.value is not None
        assert (read.kind == "sustained") == (read.window is not None)
        digits = {char for char in unicodedata.normalize("NFKC", text) if char.isdigit()}
        assert digits or any(word in text.casefold() for word in ("one", "two")) or read.value < 13
