"""Acknowledgements are durable lines; a damaged one silences nothing."""

import stat

import pytest

from memkit.errors import InvalidInputError
from memkit.store import acknowledgements
from memkit.store.acknowledgements import acknowledge
from memkit.store.audit_log import read_events
from memkit.store.verify import verify
from tests.stores import new, open_store, put

SAID = {"tripwire_id": "0123456789ab", "evidence": "e" * 32, "reason": "The shards arrive on Monday."}


@pytest.fixture
def kept(root, project, clock):
    store = open_store(root, project, clock)
    (entry_id,) = put(store, new())
    return store, entry_id


def test_an_acknowledgement_is_on_disk_and_in_the_audit_log_when_the_call_returns(kept, clock):
    store, entry_id = kept
    said = acknowledge(store, entry_id=entry_id, **SAID)
    assert acknowledgements.read(store.paths) == ([said], [])
    assert (said.at, said.reason, said.actor) == (clock.now(), SAID["reason"], "python")
    assert stat.S_IMODE(store.paths.acknowledgements.stat().st_mode) == 0o600
    event = read_events(store.paths)[0][-1]
    assert (event["op"], event["entry_id"], event["tripwire_id"]) == ("acknowledge", entry_id, SAID["tripwire_id"])
    assert verify(store) == []


def test_acknowledgements_add_up_in_order(kept):
    store, entry_id = kept
    said = [acknowledge(store, entry_id=entry_id, **{**SAID, "evidence": f"{n:032}"}) for n in range(3)]
    assert acknowledgements.read(store.paths) == (said, [])


def test_a_store_without_any_has_none(kept):
    assert acknowledgements.read(kept[0].paths) == ([], [])


@pytest.mark.parametrize(
    "reason", ["", "   ", "x" * 2_001, 5, "\ud800"], ids=["empty", "blank", "long", "number", "surrogate"]
)
def test_a_reason_that_says_nothing_is_refused_and_nothing_is_written(kept, reason):
    store, entry_id = kept
    with pytest.raises(InvalidInputError) as caught:
        acknowledge(store, entry_id=entry_id, **{**SAID, "reason": reason})
    assert caught.value.field == "reason"
    assert not store.paths.acknowledgements.exists()


DAMAGED = {
    "no JSON": b"not json",
    "no object": b"[1]",
    "no evidence": b'{"tripwireId": "a", "entryId": "aaaaaaaa", "reason": "x", "acknowledgedAt": 1}',
    "no time": b'{"tripwireId": "a", "entryId": "aaaaaaaa", "evidence": "e", "reason": "x"}',
    "a path for an id": b'{"tripwireId": "a", "entryId": "../x", "evidence": "e", "reason": "x", "acknowledgedAt": 1}',
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_line_costs_itself_and_is_reported(kept, line):
    store, entry_id = kept
    first = acknowledge(store, entry_id=entry_id, **SAID)
    start = store.paths.acknowledgements.stat().st_size
    with store.paths.acknowledgements.open("ab") as file:
        file.write(line + b"\n")
    last = acknowledge(store, entry_id=entry_id, **{**SAID, "evidence": "f" * 32})
    assert acknowledgements.read(store.paths)[0] == [first, last]
    (problem,) = verify(store)
    assert (problem.code, problem.file) == ("damaged-acknowledgement", "state/acknowledgements.jsonl")
    assert (problem.start, problem.end) == (start, start + len(line) + 1)
