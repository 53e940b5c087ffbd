"""Who dissented: named by the minority's positions, as a whole word, and nobody where there are none."""

import pytest

from memkit.model.dissent import participants


def panel(positions, *voices):
    return {"participants": list(voices), "synthesis": {"minorityPositions": positions}}


SCEPTIC = {"id": "p1", "modelId": "tallow-9", "persona": {"id": "sceptic", "name": "Sceptic"}}
ON_CALL = {"id": "p2", "modelId": "moss-4", "persona": {"id": "on-call", "name": "Night On-Call"}}
BARE = {"id": "p3", "modelId": "larch-2"}


@pytest.mark.parametrize(
    ("positions", "expected"),
    [
        ("The sceptic would first move positions out.", (True, False, False)),
        ("On-call: provider latency becomes scan latency.", (False, True, False)),
        ("on call objects to four hours", (False, True, False)),
        (["Sceptic: begin now.", "Night On-Call agrees with the sceptic."], (True, True, False)),
        ("larch-2 held that a log comes first", (False, False, True)),
        ("None at the end. The sceptic moved when it was priced.", (False, False, False)),
        ("none", (False, False, False)),
        ("Keine. Der sceptic stimmte zu.", (False, False, False)),
        ("A scepticism that nobody shared.", (False, False, False)),
        ("", (False, False, False)),
        (None, (False, False, False)),
    ],
)
def test_whoever_a_minority_position_names_dissented(positions, expected):
    assert tuple(p.dissented for p in participants(panel(positions, SCEPTIC, ON_CALL, BARE))) == expected


def test_models_and_personas_are_told_apart():
    found = participants(panel("x", SCEPTIC, BARE))
    assert [(p.model, p.persona) for p in found] == [("tallow-9", "sceptic"), ("larch-2", "")]


@pytest.mark.parametrize(
    "result", [{}, {"participants": 5}, {"participants": [None, 5, "x", {"persona": [], "modelId": 3}]}]
)
def test_a_strange_panel_names_nobody_and_never_raises(result):
    assert all(not p.dissented and not p.model for p in participants(result))


def test_a_name_is_no_pattern():
    evil = {"id": "p1", "modelId": "(a+)+$", "persona": {"id": "a|b", "name": ".*"}}
    assert not participants(panel("aaaa b anything", evil))[0].dissented
