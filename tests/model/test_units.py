"""Units: which spellings are one, which convert, which never do."""

import pytest

from memkit.model.metrics import metric_name, without_article
from memkit.model.numerals import NumberUnreadError, read_number
from memkit.model.unit_table import CASED, PERIODS, UNITS
from memkit.model.units import UnitUnreadError, factor_between, read_unit
from memkit.model.versions import version_parts


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("ms", "ms"), ("Milliseconds", "ms"), ("µs", "µs"), ("us", "µs"), ("percent", "%"), ("％", "%"), ("GB/day", "GB/day"),
        ("gb per day", "GB/day"), ("GB a day", "GB/day"), ("USD/month", "$/month"), ("$ monthly", "$/month"), ("$", "$"),
        ("/s", "/s"), ("per second", "/s"), ("qps", "/s"), ("req/s", None), ("requests/s", "requests/s"), ("engineers", "engineers"),
        ("engineer", "engineers"), ("Mo", "MB"), ("€ im Monat", "€/month"), ("/月", "/month"), ("円", "JPY"), ("", ""), ("1", ""),
        ("on one locker", None), ("overnight", None), ("W", "W"), ("D", None), ("%/year", "%/year"), ("Mbps", "Mbit/s"),
    ],
)  # fmt: skip
def test_spellings_of_a_unit_are_one(written, symbol):
    unit = read_unit(written)
    assert (None if unit is None else str(unit)) == symbol


@pytest.mark.parametrize("written", ["m", "Gb", "Mb"])
def test_a_unit_that_can_be_two_is_not_read(written):
    with pytest.raises(UnitUnreadError, match=f"“{written}” can be"):
        read_unit(written)


@pytest.mark.parametrize(
    ("facts", "condition", "factor"),
    [
        ("GB", "TB", 1e-3), ("MB/day", "GB/day", 1e-3), ("s", "ms", 1e3), ("min", "h", 1 / 60), ("ratio", "%", 100),
        ("KiB", "B", 1024), ("Mbit/s", "MB/s", 0.125), ("years", "months", 12), ("engineers", "engineers", 1),
        ("engineers", "", 1), ("", "engineers", 1), ("events/s", "/s", 1), ("days", "h", 24), ("kV", "V", 1000),
    ],
)  # fmt: skip
def test_units_convert_within_a_dimension(facts, condition, factor):
    assert factor_between(read_unit(facts), read_unit(condition)) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("facts", "condition"),
    [
        ("%", "V"), ("ms", ""), ("", "ms"), ("$", "€"), ("/day", "/week"), ("GB", "GB/day"), ("engineers", "users"),
        ("¥", "JPY"), ("months", "days"), ("$/month", "$/year"),
    ],
)  # fmt: skip
def test_units_of_two_dimensions_or_periods_never_convert(facts, condition):
    answer = factor_between(read_unit(facts), read_unit(condition))
    assert isinstance(answer, str)
    assert answer.startswith("facts are")


def test_an_unknown_word_compares_with_itself_only():
    furlong = read_unit("Furlong", strict=False)
    assert not furlong.is_known
    assert factor_between(furlong, furlong) == 1
    assert isinstance(factor_between(furlong, read_unit("km")), str)
    assert isinstance(factor_between(furlong, read_unit("")), str)


def test_a_reading_without_a_unit_is_taken_as_the_condition_has_it():
    assert factor_between(None, read_unit("ms")) == 1


def test_a_metric_that_says_per_second_needs_no_unit_for_it():
    assert factor_between(read_unit("qps"), read_unit(""), "write_qps") == 1
    assert isinstance(factor_between(read_unit("qps"), read_unit(""), "writes"), str)


def test_no_spelling_stands_for_two_units():
    seen = {}
    for symbol, (_, _, spellings) in UNITS.items():
        for spelling in {symbol, *filter(None, spellings.split(", "))}:
            key = spelling if spelling in CASED else spelling.casefold()
            assert seen.setdefault(key, symbol) == symbol, spelling
    periods = [spelling for spellings in PERIODS.values() for spelling in spellings]
    assert len(periods) == len(set(periods))


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("1,000", "en", 1000), ("1.000", "de", 1000), ("1.000", "pt", 1000), ("1,5", "de", 1.5), ("1,5", "en", 1.5), ("0.125", None, 0.125),
        ("1,234.5", None, 1234.5), ("1.234,5", None, 1234.5), ("1'000", None, 1000), ("1 000 000", None, 1e6), ("1.000.000", "en", 1e6),
        ("12,345", "en", 12345), ("99.5", None, 99.5), ("twelve", "en", 12), ("zwölf", "de", 12), ("007", None, 7),
    ],
)  # fmt: skip
def test_a_number_is_read_where_its_shape_or_the_language_settles_it(text, language, value):
    assert read_number(text, language) == value


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("1.000", "en"),
        ("1.000", None),
        ("1,000", None),
        ("1,000", "de"),
        ("1.000", "es"),
        ("1,000", "fr"),
        ("1.234", "ja"),
    ],
)
def test_a_number_that_could_be_two_is_not_read(text, language):
    with pytest.raises(NumberUnreadError, match="can be"):
        read_number(text, language)


@pytest.mark.parametrize("text", ["1,2,3", "1.2.3", "9" * 40, "1,000,00", "1 00"])
def test_what_is_no_number_is_not_read(text):
    with pytest.raises(NumberUnreadError):
        read_number(text, "en")


@pytest.mark.parametrize(
    ("text", "parts"),
    [("3.0", (3,)), ("v3.10", (3, 10)), ("2.8.1", (2, 8, 1)), ("3", (3,)), ("0.0", (0,)), ("3.0-rc1", None), ("", None), ("1." * 9, None)],
)  # fmt: skip
def test_versions_are_numbers_between_dots(text, parts):
    assert version_parts(text) == parts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Write QPS", "write_qps"), ("sign-in mail delay", "sign_in_mail_delay"), ("ＣＰＵ", "cpu"), ("db.writes/s", "db_writes_s"),
        ("Haftungsfälle", "haftungsfälle"), ("  ", ""), ("照合できない住所", "照合できない住所"),
    ],
)  # fmt: skip
def test_names_of_metrics_are_compared_without_case_and_punctuation(text, name):
    assert metric_name(text) == name


def test_an_article_is_no_part_of_a_name():
    assert without_article("the_courier_interface") == "courier_interface"
    assert without_article("a") == "a"
    assert without_article("theory") == "theory"
