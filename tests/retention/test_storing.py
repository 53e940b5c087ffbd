"""Storing prunes by the same code, says so, costs nothing where nothing is due, and never loses what was stored."""

import datetime as dt
import warnings

import pytest

from memkit.errors import MemkitWarning, PolicyError
from memkit.retention.quick import Quick


def ask(mem, text="One more?"):
    return mem.store(question=text, result={"conclusion": text})


def test_a_store_over_the_number_moves_the_oldest_and_the_receipt_names_it(open_mem, fill):
    mem = open_mem(max_results=5)
    ids = fill(mem, 5)
    receipt = ask(mem)
    assert receipt.pruned == (ids[0],)
    assert "memkit restore" in receipt.to_text()
    assert len(mem.list()) == 5
    assert {hit.id for hit in mem.recall("queue")} == set(ids[1:])
    assert [row.cause for row in mem.trash.list()] == ["store"]
    assert mem.verify() == []


def test_a_store_moves_what_is_too_old(open_mem, fill, clock):
    mem = open_mem(max_age_days=10)
    ids = fill(mem, 5)
    assert ask(mem).pruned == ()
    clock.advance(dt.timedelta(days=7))
    assert ask(mem).pruned == tuple(ids[:2])


def test_storing_prunes_although_something_in_the_trash_has_expired(open_mem, fill, clock):
    mem = open_mem(max_results=3)
    ids = fill(mem, 3)
    assert ask(mem).pruned == (ids[0],)
    clock.advance(dt.timedelta(days=31))
    assert len(mem.retention.review().expired) == 1
    assert ask(mem).pruned == (ids[1],)
    assert len(mem.trash.list()) == 2


def test_nothing_is_read_but_the_small_file_where_nothing_is_due(open_mem, fill, monkeypatch):
    mem = open_mem(max_results=100)
    fill(mem, 20)
    ask(mem)
    monkeypatch.setattr(mem._retention(), "_after", lambda new: pytest.fail("reviewed"))
    for _ in range(5):
        assert ask(mem).pruned == ()


def test_a_long_index_is_judged_once_and_remembered(open_mem, fill, monkeypatch):
    from memkit.retention import quick

    monkeypatch.setattr(quick, "_MOST_TAIL", 2_000)
    mem = open_mem(max_results=100)
    fill(mem, 20)
    ask(mem)
    assert mem.paths.retention_state.exists()
    again = open_mem(max_results=100)
    monkeypatch.setattr(again._retention(), "_after", lambda new: pytest.fail("reviewed"))
    ask(again)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 9}'], ids=["empty", "cut", "list", "other"])
def test_a_damaged_small_file_is_passed_over(open_mem, fill, damage):
    mem = open_mem(max_results=5)
    ids = fill(mem, 5)
    mem.paths.snapshots.mkdir(exist_ok=True)
    mem.paths.retention_state.write_bytes(damage)
    assert ask(mem).pruned == (ids[0],)


def test_the_bound_is_never_too_small(open_mem, fill, clock):
    """Whatever the review would find due, the quick answer says perhaps."""
    mem = open_mem(max_results=6, max_age_days=9, panels='{"adr": {"max_results": 2}}')
    fill(mem, 4)
    for step in range(12):
        quick = Quick(mem._store, mem.retention.policy)
        due = mem.retention.review().due
        assert quick.can_be_due() or not due
        mem.store(question=f"Step {step}?", result={}, panel_id="adr" if step % 3 else "consensus")
        clock.advance(dt.timedelta(days=1))
        assert not mem.retention.review().due or mem.retention._quick.can_be_due()


def test_retention_off_prunes_nothing(open_mem, fill):
    mem = open_mem(enabled="false", max_results=1, max_age_days=0)
    fill(mem, 4)
    assert ask(mem).pruned == ()
    assert not mem.retention.review().finds_something


def test_storing_never_leaves_nothing(open_mem):
    mem = open_mem(max_results=0)
    with pytest.warns(MemkitWarning, match="would leave none"):
        assert ask(mem).pruned == ()
    assert len(mem.list()) == 1


def test_an_entry_from_the_future_prunes_nothing_and_is_said(open_mem, fill, clock):
    mem = open_mem(max_results=3)
    fill(mem, 3)
    clock.advance(-dt.timedelta(days=365))
    with pytest.warns(MemkitWarning, match="stored later than now"):
        assert ask(mem).pruned == ()
    assert len(mem.list()) == 4


def test_a_damaged_pin_prunes_nothing_and_is_said(open_mem, fill):
    mem = open_mem(max_results=3)
    ids = fill(mem, 3)
    mem.retention.pin(ids[0], "kept")
    mem.paths.pins.write_bytes(mem.paths.pins.read_bytes() + b"{junk\n")
    with pytest.warns(MemkitWarning, match="pins"):
        ask(mem)
    assert len(mem.list()) == 4


def test_a_fault_while_pruning_is_a_warning_for_the_entry_is_stored(open_mem, fill, monkeypatch):
    from memkit.errors import DiskFullError
    from memkit.store import trash

    mem = open_mem(max_results=3)
    fill(mem, 3)

    def full(*_, **__):
        raise DiskFullError("no space left", file=mem.paths.trash_plans)

    monkeypatch.setattr(trash, "commit", full)
    with pytest.warns(MemkitWarning, match="stored, and nothing was pruned"):
        receipt = ask(mem)
    assert mem.get(receipt.id).question == "One more?"
    assert len(mem.list()) == 4


def test_several_at_once_over_the_policy_are_refused_before_anything_is_written(open_mem, fill):
    mem = open_mem(max_results=5)
    fill(mem, 4)
    batch = [{"question": f"Batch {i}?", "result": {}} for i in range(3)]
    with pytest.raises(PolicyError, match="would push 2 entries over the policy") as caught:
        mem.store_many(batch)
    assert caught.value.exit_code == 3
    assert "--prune" in caught.value.remedy
    assert len(mem.list()) == 4
    receipts = mem.store_many(batch, prune=True)
    assert [len(receipt.pruned) for receipt in receipts] == [0, 0, 2]
    assert len(mem.list()) == 5


def test_an_import_over_the_policy_is_refused_before_anything_is_written(open_mem, tmp_path):
    folder = tmp_path / "adr"
    folder.mkdir()
    for i in range(4):
        (folder / f"000{i}-choice.md").write_text(
            f"# {i}. Choice {i}\n\n## Status\n\nAccepted\n\n## Decision\n\nYes {i}.\n"
        )
    mem = open_mem(max_results=2)
    with pytest.raises(PolicyError, match="push 2 entries"):
        mem.import_adr(folder)
    assert len(mem.list()) == 0
    assert len(mem.import_adr(folder, prune=True).files) == 4
    assert len(mem.list()) == 2
    assert len(mem.trash.list()) == 2


def test_what_storing_would_move_is_known_before(open_mem, fill):
    mem = open_mem(max_results=5)
    ids = fill(mem, 5)
    request = {"question": "One more?", "result": {}}
    assert mem.about_to_prune([request]) == (ids[0],)
    assert mem.about_to_prune([]) == ()
    old = {**request, "stored_at": dt.datetime(2020, 1, 1, tzinfo=dt.UTC)}
    assert mem.about_to_prune([old]) == ("new-000000",)
    assert len(mem.list()) == 5


def test_without_a_policy_nothing_warns(open_mem, fill):
    mem = open_mem()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fill(mem, 3)
        ask(mem)
