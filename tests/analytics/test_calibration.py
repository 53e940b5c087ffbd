"""Calibration against counts by hand; intervals against the formula; small numbers say so."""

import json
import math
import random

import pytest

from memkit.analytics.calibration import FEW, calibration
from memkit.analytics.chains import chains
from memkit.analytics.facts import read_facts
from memkit.analytics.frames import frame_schemas
from memkit.analytics.tripwires import marks
from memkit.errors import InvalidInputError
from tests.stores import NOW, new, put

NOTHING = frame_schemas()["marks"].empty_table()


def wilson(k, n):
    z, p = 1.959964, k / n
    middle, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0, (middle - spread) / (1 + z * z / n)), min(1, (middle + spread) / (1 + z * z / n))


def voice(model, persona):
    return {"id": model, "modelId": model, "persona": {"id": persona, "name": persona}}


def panel(i, score, judge=None, *, dissenter=None, **more):
    synthesis = {"content": f"text {i}", "minorityPositions": f"The {dissenter} disagrees." if dissenter else "None."}
    if judge is not None:
        synthesis["judgeConfidence"] = judge
    request = new(
        f"d{i}",
        title=f"d{i}",
        finalScore=score,
        participants=[voice("larch", "systems"), voice("moss", "sceptic")],
        **more,
    )
    request.result["synthesis"] = synthesis
    return request


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [10, 20, 33, 100])
def test_bins_hold_what_fell_into_them(store, see, seed, width):
    source = random.Random(seed)
    scores, gone = {}, set()
    for i in range(40):
        scores[i] = (source.choice([0, 20, 40, 55, 60, 79.5, 80, 99, 100]), source.choice([None, 10, 55, 90]))
        old = source.randrange(i) if i and source.random() < 0.3 else None
        more = {} if old is None else {"supersedes": [f"d{old}"]}
        if old is not None:
            gone.add(old)
        put(store, panel(i, *scores[i], **more))
    found = calibration(see(store), NOTHING, as_of=NOW, width=width)
    expected = {}
    for i, pair in scores.items():
        for measure, value in zip(("final score", "judge confidence"), pair, strict=True):
            if value is not None:
                low = min(value // width, math.ceil(100 / width) - 1) * width
                n, turned = expected.get((measure, low), (0, 0))
                expected[measure, low] = (n + 1, turned + (i in gone))
    assert {(row.measure, row.low): (row.n, row.superseded) for row in found.rows} == expected
    for row in found.rows:
        assert row.held == row.n - row.superseded - row.tripped
        assert (row.least_share, row.most_share) == pytest.approx(wilson(row.held, row.n))
        assert row.too_few == (row.n < FEW)


def test_a_tripped_decision_counts_as_tripped_once_its_facts_are_known(store, see):
    put(store, panel(1, 70, tripwires=["load exceeds 5"]), panel(2, 70))
    catalog = see(store)
    facts = read_facts(catalog, [{"metric": "load", "at": NOW, "value": 9}])
    (row,) = calibration(catalog, marks(catalog, facts, as_of=NOW), as_of=NOW, checked=True).rows
    assert (row.n, row.held, row.tripped, row.superseded) == (2, 1, 1, 0)


def test_dissent_counts_by_model_and_persona_with_what_came_of_it(store, see):
    put(store, panel(1, 70, dissenter="sceptic"), panel(2, 70, dissenter="sceptic"), panel(3, 70, dissenter="systems"))
    put(store, panel(4, 70, supersedes=["d1"]))
    found = {(row.kind, row.name): row for row in calibration(see(store), NOTHING, as_of=NOW).dissent}
    sceptic, larch = found["persona", "sceptic"], found["model", "larch"]
    assert (sceptic.n_panels, sceptic.n_turned, sceptic.n_dissents, sceptic.n_right) == (4, 1, 2, 1)
    assert (sceptic.least_share, sceptic.most_share) == pytest.approx(wilson(1, 2))
    assert sceptic.too_few
    assert (larch.n_dissents, larch.n_right, larch.right_share) == (1, 0, 0.0)
    assert found["model", "moss"].n_right == 1


def test_somebody_who_never_dissented_has_no_share(store, see):
    put(store, panel(1, 70))
    assert [
        (row.right_share, row.least_share, row.most_share)
        for row in calibration(see(store), NOTHING, as_of=NOW).dissent
    ] == [(None, None, None)] * 4


def test_an_empty_memory_has_no_bins(store, see):
    found = calibration(see(store), NOTHING, as_of=NOW)
    assert (found.rows, found.dissent, found.n_panels) == ((), (), 0)
    json.dumps(found.to_dict())


@pytest.mark.parametrize("width", [0, 4.9, 101, True, "20"])
def test_an_impossible_width_is_refused(store, see, width):
    with pytest.raises(InvalidInputError) as caught:
        calibration(see(store), NOTHING, as_of=NOW, width=width)
    assert caught.value.field == "width"


def test_chains_are_listed_with_circles_and_links_that_are_not_followed(store, see):
    put(
        store,
        new("a", title="a"),
        new("b", title="b", supersedes=["a"]),
        new("c", title="c", supersedes=["b", "nowhere"]),
    )
    put(store, new("one", title="one", supersedes=["two"]), new("two", title="two", supersedes=["one"]), new("alone"))
    found = chains(see(store), as_of=NOW)
    assert next([m.title for m in chain.members] for chain in found) == ["a", "b", "c"]
    assert [m.title for m in found[0].heads] == ["c"]
    assert [{m.title for m in chain.members} for chain in found.circles] == [{"one", "two"}]
    assert [(link.problem, link.text, link.title) for link in found.open_links] == [("dangling", "nowhere", "c")]
    assert found.n_alone == 1
    json.dumps(found.to_dict())


def test_an_ambiguous_link_is_listed_with_what_it_could_mean(store, see):
    one, two = put(store, new("x", title="Same"), new("y", title="Same"))
    put(store, new("z", title="z", supersedes=["Same"]))
    (link,) = chains(see(store), as_of=NOW).open_links
    assert (link.problem, set(link.candidates)) == ("ambiguous", {one, two})
