"""The cases of what is forgotten: retention, erasure, and what an older file may bring back."""

from __future__ import annotations

import datetime as dt
import os

from memkit.retention.erase import erase
from memkit.snapshot.absorbing import absorb
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability.bug_kit import Kit, bug, codes, markers
from tests.reliability.stores import fingerprint, quietly

DAY = dt.timedelta(days=1)


@bug("MK-091-erasure")
def what_was_erased_is_found_nowhere(kit: Kit) -> None:
    with kit.memory() as mem:
        requests = [{"question": f"quince ledger {i}", "result": {"conclusion": f"tamarind{i}"}} for i in range(6)]
        receipts = mem.store_many(requests)
        absorb(mem._store, minimum=1)
        mem.refresh()
        assert mem.erase(receipts[0].id, confirm=True).is_clean
        assert {hit.id for hit in mem.recall("quince", limit=5)} == {receipt.id for receipt in receipts[1:]}
        absorb(mem._store, minimum=1)
    assert b"tamarind0" not in kit.bytes_on_disk()
    with kit.memory() as mem:
        assert len(mem.recall("quince", limit=9)) == 5
        assert len(mem.recall("tamarind0")) == 0


@bug("MK-100")
def an_older_file_or_index_brings_nothing_back(kit: Kit) -> None:
    store, (kept, pruned, erased) = kit.filled(3)
    paths = store.paths
    from memkit.store import prune

    old_index = paths.index.read_bytes()
    old_files = {entry_id: paths.entry_file(entry_id).read_bytes() for entry_id in (pruned, erased)}
    erase(store, erased, confirm=True)
    prune.prune(store, {pruned: ("max_results",)})

    def back_from_a_backup() -> None:
        paths.index.write_bytes(old_index)
        for entry_id, data in old_files.items():
            path = paths.entry_file(entry_id)
            path.touch(0o600)
            path.write_bytes(data)

    back_from_a_backup()
    assert markers(kit.store()) == ["m0"]
    told = {(problem.code, problem.entry_id) for problem in verify(kit.store())}
    assert ("erased-entry", erased) in told
    repair(kit.store(), dry_run=False)
    paths.index.unlink(missing_ok=True)
    assert markers(kit.store()) == ["m0"]
    repair(kit.store(), dry_run=False)
    assert markers(kit.store()) == ["m0"]
    back_from_a_backup()
    with kit.memory() as mem, quietly():  # of another project: the root is the same, the other store is not touched
        assert len(mem.list()) == 0
    assert erase(kit.store(), erased, confirm=True).is_clean
    assert not paths.entry_file(erased).exists()
    assert "erased-entry" not in codes(kit.store())
    assert kit.store().read_entry(kept).id == kept


@bug("MK-119")
def retention_goes_by_the_recorded_time(kit: Kit) -> None:
    with kit.memory() as mem:
        now = kit.clock.now()
        stored = [
            mem.store(question=f"Which queue {n}?", result={"conclusion": "x"}, stored_at=now - n * DAY).id
            for n in (400, 200, 1)
        ]
        old, middle, new = (mem.paths.entry_file(entry_id) for entry_id in stored)
        long_ago = dt.datetime(2020, 1, 1).timestamp()
        os.utime(new, (long_ago, long_ago))  # copied back without its time, or touched by another tool
        os.utime(old, None)
        before = fingerprint(mem.paths.results)
        review = mem.retention.review({"max_age_days": 365, "max_results": "none"})
        assert [row.entry_id for row in review.due] == [stored[0]]
        assert fingerprint(mem.paths.results) == before  # shown first
        envelope = old.read_bytes()
        mem.retention.apply(review)
        assert not old.exists()
        assert middle.exists()
        assert new.exists()
        assert mem.paths.trash_file(stored[0]).read_bytes() == envelope
        mem.trash.restore(stored[0])
        assert old.read_bytes() == envelope
        assert mem.verify() == []
