"""Pins and holds are durable lines; the last one of an entry counts."""

import pytest

from memkit.errors import EntryNotFoundError, HeldError, InvalidInputError
from memkit.store import marks, prune, wipe
from memkit.store.audit_log import read_events
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.stores import new, open_store, put


@pytest.fixture
def kept(root, project, clock):
    store = open_store(root, project, clock)
    return store, put(store, new(), new("Another?"))


@pytest.mark.parametrize(("kind", "ops"), [("pin", ["pin", "unpin"]), ("hold", ["hold", "release"])])
def test_a_mark_is_on_disk_when_the_call_returns_and_can_be_taken_off(kept, clock, kind, ops):
    store, ids = kept
    mark = marks.put(store, ids[0][:31], kind=kind, reason=" We need it. ")
    assert (mark.entry_id, mark.reason, mark.at, mark.actor) == (ids[0], "We need it.", clock.now(), "python")
    assert marks.current(store.paths, kind) == ({ids[0]: mark}, [])
    off = marks.take_off(store, ids[0], kind=kind, reason="No more.")
    assert marks.current(store.paths, kind) == ({}, [])
    assert marks.history(store.paths, kind) == ([mark, off], [])
    assert [event["op"] for event in read_events(store.paths)[0]][-2:] == ops
    assert verify(store) == []


def test_an_entry_in_the_trash_can_be_held(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    assert marks.put(store, ids[0], kind="hold", reason="The court asked.").entry_id == ids[0]


def test_what_is_not_there_is_not_marked(kept):
    store, ids = kept
    with pytest.raises(EntryNotFoundError, match="matched: 0"):
        marks.put(store, "f" * 32, kind="pin", reason="x")
    with pytest.raises(InvalidInputError, match="has no pin"):
        marks.take_off(store, ids[0], kind="pin", reason="x")
    assert not store.paths.pins.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2_001], ids=["empty", "blank", "long"])
def test_a_reason_is_asked_for(kept, reason):
    with pytest.raises(InvalidInputError) as caught:
        marks.put(kept[0], kept[1][0], kind="pin", reason=reason)
    assert caught.value.field == "reason"


DAMAGED = {
    "no JSON": b"{junk",
    "another kind": b'{"kind":"hold","entryId":"aaaaaaaa","isSet":true,"at":1,"reason":""}',
    "no id": b'{"kind":"pin","isSet":true,"at":1,"reason":""}',
    "no state": b'{"kind":"pin","entryId":"aaaaaaaa","at":1,"reason":""}',
    "no time": b'{"kind":"pin","entryId":"aaaaaaaa","isSet":true,"reason":""}',
}


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_mark_is_told_and_moved_to_quarantine_by_repair(kept, line):
    store, ids = kept
    mark = marks.put(store, ids[0], kind="pin", reason="Stays.")
    with store.paths.pins.open("ab") as file:
        file.write(line + b"\n")
    assert [problem.code for problem in verify(store)] == ["damaged-pin"]
    repair(store, dry_run=False)
    assert verify(store) == []
    assert marks.current(store.paths, "pin") == ({ids[0]: mark}, [])
    assert [path.read_bytes() for path in store.paths.quarantine.glob("*.bin")] == [line + b"\n"]


def test_a_store_with_an_entry_under_legal_hold_is_not_wiped(store):
    ids = put(store, new(), new("Which queue?"), new("Which cache?"))
    marks.put(store, ids[0], kind="hold", reason="The court asked.")
    with pytest.raises(HeldError, match="1 entry is under legal hold"):
        wipe.wipe(store, confirm=store.paths.key)
    marks.put(store, ids[1], kind="hold", reason="The court asked.")
    with pytest.raises(HeldError, match="2 entries are under legal hold"):
        wipe.wipe(store, confirm=store.paths.key)
    for entry_id in ids[:2]:
        marks.take_off(store, entry_id, kind="hold", reason="closed")
    assert wipe.wipe(store, confirm=store.paths.key).n_entries == len(ids)
