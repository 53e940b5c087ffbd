"""Charts: the picture, the specification, and the table that says the same."""

import datetime as dt
import itertools
import json
import math
import re
import sys
import xml.etree.ElementTree as ET

import pytest

from memkit.analytics.timeline import TimelineBucket
from memkit.display import drawn
from memkit.errors import InvalidInputError, MissingExtraError
from memkit.present import render
from memkit.present.charts import chart as drawing
from memkit.present.charts.chart import Chart
from memkit.present.charts.series import MAX_CHAINS, MAX_LIVES, MAX_STRETCHES
from tests.present import samples
from tests.present.audit_samples import activity, runs
from tests.present.deciding_samples import NOW, STORED, Chain, calibration, chains, member, timeline
from tests.present.forgetting_samples import AGES, calendar, review
from tests.present.markup_check import words

RESULTS = {
    "timeline": timeline,
    "chains": chains,
    "calibration": calibration,
    "runs": runs,
    "ages": review,
    "calendar": calendar,
    "scores": samples.recall,
    "activity": activity,
}
SVG = "{http://www.w3.org/2000/svg}"
each = pytest.mark.parametrize("name", list(RESULTS))


def _texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


@each
def test_a_specification_follows_the_schema_and_names_the_data_it_is_given(name):
    chart = RESULTS[name]().chart()
    assert chart.name == name
    assert set(chart.spec["datasets"]) == set(json.loads(drawing._file(f"{name}.vl.json"))["datasets"])
    assert all(chart.spec["datasets"].values())
    used = set(re.findall(r'"data": {"name": "(\w+)"}', json.dumps(chart.spec)))
    assert used == set(chart.spec["datasets"])
    assert chart.to_altair().to_dict()["datasets"] == chart.to_dict()["datasets"]


@each
def test_a_specification_uses_only_fields_that_the_rows_have(name):
    chart = RESULTS[name]().chart()
    made = set(re.findall(r'"as": "(\w+)"', json.dumps(chart.spec)))
    used = set(re.findall(r'"field": "(\w+)"', json.dumps(chart.spec)))
    assert used <= made | {key for rows in chart.datasets.values() for row in rows for key in row}


@each
def test_colours_live_in_the_themes_alone(name):
    assert not re.search(r"#[0-9a-fA-F]{3}", drawing._file(f"{name}.vl.json"))
    themes = json.loads(drawing._file("themes.json"))
    named = set(re.findall(r'"\$(\w+)"', json.dumps(themes["config"])))
    assert named == set(themes["light"]) == set(themes["dark"]) == set(themes["auto"])
    assert "$" not in json.dumps(drawing.config("dark"))


@each
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_the_picture_is_drawn_in_every_theme_and_refers_to_nothing(name, theme):
    svg = RESULTS[name]().chart().to_svg(theme)
    root = ET.fromstring(svg)
    assert not [e.tag for e in root.iter() if e.tag in {f"{SVG}script", f"{SVG}image", f"{SVG}a", f"{SVG}use"}]
    assert re.findall(r"https?://[^\"' ]+", svg) == re.findall(r"http://www\.w3\.org/[^\"' ]+", svg)
    assert "<style" not in svg
    if theme == "auto":
        assert not re.search(r'class="background"[^>]*fill="(?!transparent|none)', svg)
    else:
        assert drawing.config(theme)["background"] in svg


@each
def test_a_png_is_drawn_in_the_size_that_is_asked(name):
    chart = RESULTS[name]().chart()
    light, dark = chart.to_png("light", scale=1), chart.to_png("dark", scale=1)
    assert light.startswith(b"\x89PNG")
    assert dark.startswith(b"\x89PNG")
    assert light != dark
    wide = int.from_bytes(chart.to_png("light", scale=2)[16:20], "big")
    assert abs(wide - 2 * int.from_bytes(light[16:20], "big")) <= 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        pytest.param(lambda chart: chart.to_svg("pink"), "no theme", id="theme"),
        pytest.param(lambda chart: chart.to_png("pink"), "no theme", id="theme of a PNG"),
        pytest.param(lambda chart: chart.to_png(scale=0), "not above 0", id="no scale"),
        pytest.param(lambda chart: chart.to_png(scale=float("nan")), "not above 0", id="scale without a number"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, said):
    with pytest.raises(InvalidInputError, match=said):
        call(timeline().chart())


def test_the_rows_of_a_timeline_are_its_stretches():
    rows = (
        TimelineBucket(dt.date(2026, 10, 1), 3, 1, 2, 0, 7, 1),
        TimelineBucket(dt.date(2026, 11, 1), 0, 0, 0, 4, 6, 0, 5),
    )
    chart = timeline(rows=rows).chart()
    october = {"from": "2026-10-01", "to": "2026-11-01"}
    november = {"from": "2026-11-01", "to": "2026-11-30T12:00:00.000Z"}
    assert chart.datasets["stretches"] == [
        {**october, "in_force": 7, "uncertain": 1},
        {**november, "in_force": 6, "uncertain": 0},
    ]
    assert chart.datasets["happened"] == [
        {**october, "kind": "Decided", "n": 3},
        {**october, "kind": "Superseded", "n": 1},
        {**october, "kind": "Tripped", "n": 2},
        {**november, "kind": "Due", "n": 4},
        {**november, "kind": "Pruned", "n": 5},
    ]
    assert {"Decided", "Superseded", "Tripped", "Due", "Pruned"} <= set(_texts(chart.to_svg()))


@pytest.mark.parametrize("in_force", [1, 7, 23, 57, 71, 1_234])
def test_the_axis_of_a_timeline_ends_at_a_tick_above_every_bar(in_force):
    chart = timeline(rows=(TimelineBucket(dt.date(2026, 10, 1), in_force, 0, 0, 0, in_force, 0),)).chart()
    words = {text for text in _texts(chart.to_svg()) if text} - {"2026"}
    ticks = [int(text.replace(",", "")) for text in words if re.fullmatch(r"[\d,]+", text)]
    assert max(ticks) >= in_force


def test_a_long_timeline_shows_its_end_and_says_so_and_stays_small():
    begin = dt.date(2000, 1, 1)
    rows = tuple(TimelineBucket(begin + dt.timedelta(days=i), 12, 3, 4, 5, 100_000 + i, 17) for i in range(5_000))
    chart = timeline(rows=rows, bucket="day").chart()
    assert len(chart.datasets["stretches"]) == MAX_STRETCHES
    assert chart.words.startswith("The last 120 of 5,000 days")
    source = render.html(chart)
    assert len(source.encode()) < render.MAX_HTML_BYTES
    assert rows[-MAX_STRETCHES].begins_on.isoformat() in source
    assert rows[-MAX_STRETCHES - 1].begins_on.isoformat() not in source


def test_a_decision_of_a_chain_is_drawn_from_when_until_when_it_held():
    old = member(title="Old", status="superseded", position=1, is_head=False, ends_at=NOW - dt.timedelta(days=9))
    lost = member(title="Lost", status="superseded", is_head=False, position=2)
    chart = chains(rows=(Chain("a", "p", (old, lost, member(title="New", position=3))),)).chart()
    seen = [(r["decision"], r["from"][:10], r["to"] and r["to"][:10], r["state"]) for r in chart.datasets["lives"]]
    assert seen == [
        ("Old", "2026-09-15", "2026-11-21", "replaced"),
        ("Lost", "2026-09-15", None, "replaced"),
        ("New", "2026-09-15", "2026-11-30", "holds"),
    ]
    assert {"Old", "Lost", "New"} <= set(_texts(chart.to_svg()))
    assert "not known" in render.text(chart)


def test_equal_titles_stay_apart():
    twins = tuple(member(entry_id=f"{i:04}", position=1) for i in range(3))
    labels = [row["decision"] for row in chains(rows=(Chain("a", "p", twins),)).chart().datasets["lives"]]
    assert labels == ["Shard by depot", "Shard by depot (2)", "Shard by depot (3)"]


def test_long_chains_and_many_chains_are_cut_and_the_rest_is_counted():
    old = tuple(member(entry_id=f"{i:05}", title=f"d{i}", position=i + 1, begins_at=STORED) for i in range(10_000))
    many = tuple(Chain(f"{i}", "p", old[:2]) for i in range(30))
    chart = chains(rows=(Chain("long", "p", old), *many)).chart()
    lives = chart.datasets["lives"]
    assert [row["decision"] for row in lives if row["chain"] == 1] == [f"d{i}" for i in range(9_988, 10_000)]
    assert max(row["chain"] for row in lives) == MAX_CHAINS
    assert len([row for row in lives if row["chain"] == 1]) == MAX_LIVES
    assert chart.words.startswith("12 of 31 chains of decisions")
    assert chart.words.endswith("without 9,988 older ones.")


def test_small_counts_have_a_shape_of_their_own():
    chart = calibration().chart()
    assert [(row["label"], row["enough"]) for row in chart.datasets["bins"]] == [
        ("n = 4", "too few to say"),
        ("n = 40", "enough to say"),
    ]
    assert [(row["least"], row["share"], row["most"]) for row in chart.datasets["bins"]] == [(50, 90, 99)] * 2


@each
def test_what_stands_in_the_picture_stands_in_the_table(name):
    chart = RESULTS[name]().chart()
    text = words(render.text(chart))
    for row in (row for rows in chart.datasets.values() for row in rows):
        for key in ("n", "in_force", "state"):
            assert key not in row or str(row[key]) in text
        assert "decision" not in row or row["decision"].split(" (")[0] in text


@pytest.mark.parametrize("text", [pytest.param(text, id=key) for key, text in samples.HOSTILE.items()])
def test_hostile_titles_are_drawn_as_text(text):
    evil = chains(rows=(Chain("a", "p", (member(title=text), member(title=text, position=3))),))
    svg = evil.chart().to_svg("auto")
    ET.fromstring(svg)
    assert not set(svg) & set("\u202e\u202c\u2066\u200b\ufeff\u00ad\U000e0041\x1b\x00")
    assert "<script" not in svg


def test_without_the_extra_the_table_stays_and_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setattr(drawing, "find_spec", lambda _: None)
    chart = timeline().chart()
    assert "pip install 'memkit[charts]'" in words(render.text(chart))
    assert "<img" not in render.html(chart)
    assert "2026-11-01" in render.html(chart)
    for call in (chart.to_svg, chart.to_png, chart.to_altair):
        with pytest.raises(MissingExtraError, match="charts"):
            call()


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(timeline(rows=(), data=timeline().data.slice(0, 0)), id="timeline"),
        pytest.param(chains(rows=()), id="chains"),
        pytest.param(calibration(rows=(), dissent=()), id="calibration"),
        pytest.param(samples.recall(rows=()), id="scores"),
        pytest.param(activity((900, 3)), id="activity"),
    ],
)
def test_an_empty_result_has_an_empty_chart_that_says_so(result):
    chart = result.chart()
    assert "There is nothing to draw." in render.text(chart)
    assert "<img" not in render.html(chart)
    assert chart.to_svg().startswith("<svg")


def test_only_what_has_a_chart_gives_one():
    with pytest.raises(TypeError, match="no chart of int"):
        drawn(3)


# -- ages, calendar, scores, use -------------------------------------------------------------------------------------


def test_ages_add_up_to_the_entries_of_each_verdict():
    bins = review().ages()
    assert sum(each.n for each in bins) == len(AGES)
    counted = {
        verdict: sum(each.n for each in bins if each.verdict == verdict) for verdict in ("due", "keep", "protected")
    }
    assert counted == {"due": 2, "keep": 6, "protected": 1}
    for each in bins:
        assert any(each.from_days <= age < each.to_days for age in AGES)
    assert len({(each.from_days, each.to_days) for each in bins}) == len({age // 20 for age in AGES})


@pytest.mark.parametrize(("most", "width"), [(1, 500), (5, 100), (40, 20), (1_000, 1)])
def test_bins_of_ages_are_as_wide_as_they_have_to_be(most, width):
    assert {each.to_days - each.from_days for each in review().ages(most=most)} == {width}


def test_the_chart_of_ages_has_the_limit_and_stacks_without_holes():
    chart = review().chart()
    assert chart.datasets["limits"] == [{"days": 200, "label": "kept 200 days"}]
    assert "The dashed line is the limit, 200 days." in chart.words
    tops = {}
    for bar in chart.datasets["ages"]:
        assert bar["low"] == tops.get(bar["from"], 0)
        tops[bar["from"]] = bar["high"]
    assert sum(tops.values()) == len(AGES)


def test_a_calendar_counts_what_moves_by_week():
    chart = calendar().chart()
    assert chart.words.startswith("By week")
    moved = sum(bar["high"] - bar["low"] for bar in chart.datasets["days"] if bar["what"] == "moves to the trash")
    assert moved == sum(len(day.due) for day in calendar().rows) == 8
    assert all(dt.date.fromisoformat(bar["from"]).weekday() == 0 for bar in chart.datasets["days"])


def test_the_parts_of_a_score_add_up_to_it():
    result = samples.recall()
    tops = {}
    for part in result.chart().datasets["parts"]:
        assert part["low"] == tops.get(part["place"], 0)
        tops[part["place"]] = part["high"]
    for place, hit in enumerate(result):
        assert tops.get(place, 0) == pytest.approx(sum(part.value for part in hit.contributions), abs=1e-5)


def test_use_is_counted_by_day_over_the_last_year():
    chart = activity().chart()
    used = {(day["week"], day["weekday"]): day["n"] for day in chart.datasets["days"] if day["n"]}
    assert used == {("2026-11-30", "Mon"): 3, ("2026-11-23", "Sun"): 12, ("2026-10-19", "Wed"): 1}
    assert chart.words.startswith("16 uses on 3 days of the last 53 weeks")
    assert len(chart.datasets["days"]) == 52 * 7 + 1


# -- colours ---------------------------------------------------------------------------------------------------------

# Machado, Oliveira and Fernandes 2009, severity 1.0, in linear RGB.
SIGHT = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.1523, 1.0526, -0.2049), (0.1145, 0.7863, 0.0992), (-0.0039, -0.0481, 1.0520)),
    "deuteranopia": ((0.3673, 0.8606, -0.2280), (0.2801, 0.6725, 0.0474), (-0.0118, 0.0429, 0.9689)),
    "tritanopia": ((1.2555, -0.0767, -0.1788), (-0.0784, 0.9308, 0.1476), (0.0047, 0.6914, 0.3039)),
}
PAPERS = {"light": ["#ffffff"], "dark": ["#111418"], "auto": ["#ffffff", "#111111", "#1e1e1e", "#0d1117"]}


def _linear(colour):
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def _contrast(one, other):
    high, low = sorted(
        (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05 for r, g, b in (_linear(one), _linear(other))), reverse=True
    )
    return high / low


def _lab(colour, sight):
    r, g, b = (min(1, max(0, sum(m * v for m, v in zip(row, _linear(colour), strict=True)))) for row in SIGHT[sight])
    x = (0.4125 * r + 0.3576 * g + 0.1804 * b) / 0.9505
    y = 0.2127 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9503 * b) / 1.0888
    fx, fy, fz = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("theme", list(PAPERS))
def test_colours_stand_out_from_every_paper_they_may_lie_on(theme):
    colours = json.loads(drawing._file("themes.json"))[theme]
    for paper in PAPERS[theme]:
        for name in ("first", "second", "third", "fourth", "fifth", "line"):
            assert _contrast(colours[name], paper) >= 3.0, (name, paper)
        for name in ("ink", "dim"):
            assert _contrast(colours[name], paper) >= (4.0 if theme == "auto" else 4.5), (name, paper)


@pytest.mark.parametrize("sight", list(SIGHT))
@pytest.mark.parametrize("theme", list(PAPERS))
def test_the_colour_blind_tell_the_colours_apart(theme, sight):
    colours = json.loads(drawing._file("themes.json"))[theme]
    seen = [_lab(colours[name], sight) for name in ("first", "second", "third", "fourth", "fifth")]
    for one, other in itertools.combinations(seen, 2):
        assert math.dist(one, other) >= 25


@pytest.mark.parametrize("days", [1, 2, 5, 400])
def test_days_stand_once_each_on_the_axis_of_ages_however_few_they_are(days):
    pytest.importorskip("vl_convert")
    bars = [{"from": 0, "to": days, "verdict": "kept", "low": 0, "high": 3}]
    drawn = Chart("ages", "Ages", "Words.", {"ages": bars, "limits": []}, ()).to_svg()
    labels = re.findall(r">([\d,]+)</text>", drawn[: drawn.rindex("days since it was stored")])
    assert labels[0] == "0"
    assert len(labels) >= 2
    assert len(labels) == len(set(labels))
