"""Pruned entries are hidden at once and by every reader, come back byte for byte, and nothing else is lost."""

import hashlib
import json

import pytest

from memkit.errors import AmbiguousIdError, DamagedError, EntryNotFoundError, InvalidInputError, MemkitError
from memkit.model.index_line import parse_line
from memkit.snapshot.absorbing import absorb
from memkit.store import prune, receipts, trash, trash_plans
from memkit.store.acknowledgements import acknowledge
from memkit.store.audit_log import read_events
from memkit.store.naming import find_entry, match_id
from memkit.store.repair import repair
from memkit.store.store import Store
from memkit.store.verify import verify
from tests.stores import new, open_catalog, open_store, put

WORDS = ("alpha", "bravo", "charlie", "delta", "echo")


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def kept(store):
    """A store of five entries, and their ids."""
    return store, put(store, *(new(f"Question {word}?", f"About {word} and the queue.") for word in WORDS))


@pytest.fixture
def see(tmp_path):
    opened = []

    def open_one(*stores):
        opened.append(open_catalog(tmp_path, *stores))
        return opened[-1]

    yield open_one
    for catalog in opened:
        catalog.close()


def shown(catalog):
    from tests.stores import NOW

    return [row["entry_id"] for row in catalog.sql("select entry_id from entries order by entry_id", as_of=NOW).rows]


def hidden_everywhere(store, entry_id):
    assert entry_id not in [line.id for line in store.read_index().lines]
    with pytest.raises(EntryNotFoundError, match="trash"):
        store.read_entry(entry_id)


def test_a_pruned_entry_is_hidden_its_envelope_is_in_the_trash_byte_for_byte_and_a_receipt_says_so(kept, clock):
    store, ids = kept
    before = store.paths.entry_file(ids[0]).read_bytes()
    receipt = prune.prune(store, {ids[0]: ("max_age_days",)}, policy="f" * 16)
    hidden_everywhere(store, ids[0])
    assert not store.paths.entry_file(ids[0]).exists()
    assert store.paths.trash_file(ids[0]).read_bytes() == before
    assert (receipt.moved, receipt.erased, receipt.n_bytes) == ((ids[0],), (), len(before))
    assert receipts.read(store.paths) == ([receipt], [])
    assert "alpha" not in store.paths.receipts.read_text() + store.paths.trash_plans.read_text()
    event = read_events(store.paths)[0][-1]
    assert (event["op"], event["pruned"], event["plan_id"]) == ("prune", [ids[0]], receipt.plan_id)
    assert verify(store) == []


def test_restoring_brings_back_the_same_bytes_the_line_and_the_entry(kept):
    store, ids = kept
    before = store.paths.entry_file(ids[1]).read_bytes()
    prune.prune(store, {ids[1]: ()})
    prune.restore(store, [ids[1][:31]])
    assert store.paths.entry_file(ids[1]).read_bytes() == before
    assert not store.paths.trash_file(ids[1]).exists()
    assert store.read_entry(ids[1]).question == "Question bravo?"
    assert sorted(line.id for line in store.read_index().lines) == sorted(ids)
    assert [receipt.op for receipt in receipts.read(store.paths)[0]] == ["prune", "restore"]
    assert list(store.trash().restored) == [ids[1]]
    assert verify(store) == []


def test_an_entry_can_be_pruned_and_restored_again_and_again(kept):
    store, ids = kept
    for _ in range(3):
        prune.prune(store, {ids[0]: ()})
        hidden_everywhere(store, ids[0])
        assert verify(store) == []
        prune.restore(store, [ids[0]])
        assert store.read_entry(ids[0]).id == ids[0]
        assert verify(store) == []


def test_index_lines_go_in_batches_and_each_entry_has_one_line_afterwards(kept, monkeypatch):
    store, ids = kept
    prune.prune(store, {ids[0]: (), ids[1]: ()})
    prune.restore(store, [ids[1]])
    assert store.generation() == 0  # the index was only appended to
    monkeypatch.setattr(trash, "SETTLE_AT", 1)
    prune.prune(store, {ids[2]: ()})
    assert store.generation() == 2
    raw = [parse_line(line).id for line in store.paths.index.read_bytes().splitlines()]
    assert sorted(raw) == sorted([ids[1], ids[3], ids[4]])
    assert store.trash().unsettled == frozenset()
    assert verify(store) == []
    prune.restore(store, [ids[0]])
    assert ids[0] in [line.id for line in store.read_index().lines]
    assert verify(store) == []


def test_damaged_index_lines_stay_when_lines_are_taken_out(kept, monkeypatch):
    store, ids = kept
    store.paths.index.write_bytes(store.paths.index.read_bytes() + b"{junk\n")
    monkeypatch.setattr(trash, "SETTLE_AT", 1)
    prune.prune(store, {ids[0]: ()})
    assert b"{junk\n" in store.paths.index.read_bytes()
    assert [problem.code for problem in verify(store)] == ["damaged-line"]


def test_a_large_plan_has_several_lines_and_counts_only_once_all_are_there(store, monkeypatch):
    monkeypatch.setattr(trash_plans, "ENTRIES_IN_A_LINE", 4)
    ids = put(store, *(new(f"Question {i}?") for i in range(13)))
    prune.prune(store, dict.fromkeys(ids[:12], ("max_results",)))
    assert len(store.trash().entries) == 12
    lines = store.paths.trash_plans.read_bytes().splitlines(keepends=True)
    parts = [line for line in lines if b'"parts":3' in line]
    assert len(parts) == 3
    assert trash_plans.parse(store.paths, b"".join(parts[:2])).entries == {}
    assert [line.id for line in store.read_index().lines] == ids[12:]
    assert verify(store) == []


@pytest.mark.parametrize("absorbed", [False, True], ids=["tail", "snapshot"])
def test_an_open_catalog_hides_and_shows_with_the_trash(kept, see, absorbed):
    store, ids = kept
    if absorbed:
        absorb(store, minimum=1)
    catalog = see(store)
    assert shown(catalog) == sorted(ids)
    other = Store(store.paths, clock=store.clock, scrubber=store.scrubber)
    prune.prune(other, {ids[0]: ()})
    assert shown(catalog) == sorted(ids[1:])
    assert shown(see(store)) == sorted(ids[1:])
    prune.restore(other, [ids[0]])
    assert shown(catalog) == sorted(ids)
    assert shown(see(store)) == sorted(ids)


def test_an_older_edition_counts_again_when_the_newer_one_is_pruned(store, see):
    (older,) = put(store, new("Which queue?", "The old words."))
    (newer,) = put(store, new("Which queue?", "The new words.", replaces=older))
    catalog = see(store)
    live = "select entry_id from entries where is_live"
    from tests.stores import NOW

    assert catalog.sql(live, as_of=NOW).rows == [{"entry_id": newer}]
    prune.prune(store, {newer: ()})
    assert catalog.sql(live, as_of=NOW).rows == [{"entry_id": older}]


def ranks(catalog, query):
    from memkit.analytics.recall import recall
    from memkit.analytics.recall_options import RecallOptions
    from tests.stores import NOW

    return [(hit.id, hit.score) for hit in recall(catalog, query, RecallOptions(), as_of=NOW)]


@pytest.mark.parametrize("absorbed", [False, True], ids=["tail", "snapshot"])
@pytest.mark.parametrize("asked", [0, 3], ids=["cold", "postings held"])
def test_recall_ranks_are_equal_before_pruning_and_after_restoring(kept, see, absorbed, asked):
    store, ids = kept
    if absorbed:
        absorb(store, minimum=1)
    catalog = see(store)
    for _ in range(asked):
        ranks(catalog, "queue")
    before = ranks(catalog, "queue alpha")
    assert len(before) == 5
    prune.prune(store, {ids[0]: (), ids[3]: ()})
    between = ranks(catalog, "queue alpha")
    assert {entry_id for entry_id, _ in between} == {ids[1], ids[2], ids[4]}
    assert between == ranks(see(store), "queue alpha")
    prune.restore(store, [ids[0], ids[3]])
    assert ranks(catalog, "queue alpha") == before
    assert ranks(see(store), "queue alpha") == before


def test_absorbing_after_a_prune_keeps_pruned_text_out_and_a_restored_entry_is_seen(kept, see):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    absorb(store, minimum=1)
    assert shown(see(store)) == sorted(ids[1:])
    prune.restore(store, [ids[0]])
    assert shown(see(store)) == sorted(ids)


def test_expired_entries_are_erased_with_their_lines_and_every_trace_in_the_plans(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: (), ids[1]: ()})
    receipt = prune.prune(store, {ids[2]: ()}, expired=[ids[0]])
    assert (receipt.moved, receipt.erased) == ((ids[2],), (ids[0],))
    assert not store.paths.trash_file(ids[0]).exists()
    assert ids[0] not in store.paths.trash_plans.read_text()
    assert ids[0] not in store.paths.index.read_text()
    assert sorted(store.trash().entries) == sorted([ids[1], ids[2]])
    with pytest.raises(EntryNotFoundError):
        prune.restore(store, [ids[0]])
    assert verify(store) == []


def test_a_check_that_refuses_stops_everything_before_a_byte_is_written(kept):
    store, ids = kept

    def refuse(held):
        assert held.is_held
        raise MemkitError("no")

    with pytest.raises(MemkitError, match="no"):
        prune.prune(store, {ids[0]: ()}, check=refuse)
    assert store.read_entry(ids[0]).id == ids[0]
    assert not store.paths.trash.exists()


def test_what_cannot_be_read_is_not_pruned_and_nothing_else_is_either(kept):
    store, ids = kept
    store.paths.entry_file(ids[1]).write_bytes(b"{")
    with pytest.raises(DamagedError):
        prune.prune(store, {ids[0]: (), ids[1]: ()})
    assert store.read_entry(ids[0]).id == ids[0]
    assert not store.paths.trash.exists()


NAMES = {
    "unknown": ("0" * 32, EntryNotFoundError),
    "too short": ("0" * 3, EntryNotFoundError),
    "no id": ("../../x", EntryNotFoundError),
}


@pytest.mark.parametrize(("text", "kind"), NAMES.values(), ids=NAMES)
def test_an_id_that_matches_nothing_in_the_trash_says_matched_0(kept, text, kind):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    with pytest.raises(kind, match="matched: 0") as caught:
        prune.restore(store, [text])
    assert caught.value.to_dict()["matched"] == 0


def test_restoring_where_there_is_no_trash_says_so(kept):
    with pytest.raises(EntryNotFoundError, match="matched: 0"):
        prune.restore(kept[0], [kept[1][0]])
    with pytest.raises(InvalidInputError):
        prune.restore(kept[0], [])


def test_the_beginning_of_several_ids_lists_them():
    ids = ["aaaaaaaaaa1", "aaaaaaaaaa2", "bbbbbbbbbb1"]
    assert match_id(ids, "bbbbbbbb") == "bbbbbbbbbb1"
    with pytest.raises(AmbiguousIdError, match="matched: 2") as caught:
        match_id(ids, "aaaaaaaa")
    assert caught.value.matches == ("aaaaaaaaaa1", "aaaaaaaaaa2")
    assert caught.value.to_dict()["matched"] == 2


def test_an_entry_is_found_by_its_id_in_the_trash_only_where_that_is_wanted(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    assert find_entry(store, ids[0], trash=True) == ids[0]
    with pytest.raises(EntryNotFoundError):
        find_entry(store, ids[0])


def test_an_id_that_is_in_the_trash_is_not_stored_again(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    again = new("Question alpha?", "Other words.")
    with pytest.raises(InvalidInputError, match="trash"):
        store.store_many([type(again)(**{**{f: getattr(again, f) for f in again.__slots__}, "id": ids[0]})])


# -- crashes -----------------------------------------------------------------------------------------------------------


def commit_only(store, op, entries):
    """What is on disk after a plan's point of no return."""
    plan = trash_plans.Plan(op, trash_plans.new_plan_id(7), 7, tuple(entries))
    store.paths.trash.mkdir(mode=0o700, exist_ok=True)
    with store.paths.trash_plans.open("ab") as file:
        file.write(plan.to_lines())
    store.paths.trash_plans.chmod(0o600)
    return plan


def test_a_committed_plan_hides_at_once_and_the_next_writer_carries_it_out(kept):
    store, ids = kept
    plan = commit_only(store, "prune", [trash.describe(store.paths, ids[0], ("max_age_days",))])
    hidden_everywhere(store, ids[0])
    assert [problem.code for problem in verify(store)] == ["unfinished-plan"]
    acknowledge(store, tripwire_id="a" * 12, entry_id=ids[1], evidence="e" * 32, reason="Seen.")
    assert store.paths.trash_file(ids[0]).exists()
    assert not store.paths.entry_file(ids[0]).exists()
    assert [each.plan_id for each in receipts.read(store.paths)[0]] == [plan.plan_id]
    assert verify(store) == []


def test_an_entry_being_restored_is_shown_only_once_it_was_put_back(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    commit_only(store, "restore", [store.trash().entries[ids[0]]])
    hidden_everywhere(store, ids[0])
    put(store, new())
    assert store.read_entry(ids[0]).id == ids[0]
    assert verify(store) == []


def test_repair_carries_a_plan_to_its_end(kept):
    store, ids = kept
    commit_only(store, "prune", [trash.describe(store.paths, ids[0], ())])
    assert [action.code for action in repair(store).actions] == ["unfinished-plan"]
    assert [action.code for action in repair(store, dry_run=False).actions] == ["unfinished-plan"]
    assert verify(store) == []


def test_a_plan_cut_in_the_middle_of_its_line_never_happened(kept):
    store, ids = kept
    plan = trash_plans.Plan("prune", "p" * 20, 7, (trash.describe(store.paths, ids[0], ()),))
    store.paths.trash.mkdir(mode=0o700)
    store.paths.trash_plans.write_bytes(plan.to_lines()[:60])
    store.paths.trash_plans.chmod(0o600)
    assert store.read_entry(ids[0]).id == ids[0]
    put(store, new())
    assert store.read_entry(ids[0]).id == ids[0]
    assert [problem.code for problem in verify(store)] == ["damaged-plan"]
    repair(store, dry_run=False)
    assert verify(store) == []


# -- hands in the trash ------------------------------------------------------------------------------------------------


def test_a_file_edited_in_the_trash_is_told_and_not_restored(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    file = store.paths.trash_file(ids[0])
    original = file.read_bytes()
    file.write_bytes(original.replace(b"alpha", b"ALPHA"))
    assert [problem.code for problem in verify(store)] == ["trash-differs"]
    with pytest.raises(DamagedError, match="not the file"):
        prune.restore(store, [ids[0]])
    assert repair(store, dry_run=False).actions == ()
    file.write_bytes(original)
    prune.restore(store, [ids[0]])
    assert verify(store) == []


def test_a_file_gone_from_the_trash_is_told(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    store.paths.trash_file(ids[0]).unlink()
    assert [problem.code for problem in verify(store)] == ["trash-missing"]
    with pytest.raises(EntryNotFoundError, match="gone"):
        prune.restore(store, [ids[0]])


def test_files_no_plan_names_get_one_and_what_is_no_envelope_is_kept(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: (), ids[1]: ()})
    lines = store.paths.trash_plans.read_bytes()
    store.paths.trash_plans.write_bytes(b"{junk\n" + lines[lines.index(b"\n") + 1 :])
    store.paths.trash_file("stranger0").write_bytes(b"no envelope")
    store.paths.trash_file("stranger0").chmod(0o600)
    assert sorted(problem.code for problem in verify(store)) == ["damaged-plan", *["trash-orphan"] * 3]
    repair(store, dry_run=False)
    assert verify(store) == []
    assert sorted(store.trash().entries) == sorted(ids[:2])
    quarantined = [path.read_bytes() for path in store.paths.quarantine.glob("*.bin")]
    assert sorted(quarantined) == [b"no envelope", b"{junk\n"]
    prune.restore(store, ids[:2])
    assert sorted(line.id for line in store.read_index().lines) == sorted(ids)


def test_an_entry_copied_back_by_hand_is_told_and_not_written_over(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    copy = store.paths.entry_file(ids[0])
    copy.write_bytes(store.paths.trash_file(ids[0]).read_bytes())
    copy.chmod(0o600)
    assert [problem.code for problem in verify(store)] == ["hidden-entry"]
    with pytest.raises(InvalidInputError, match="results already"):
        prune.restore(store, [ids[0]])
    copy.unlink()
    prune.restore(store, [ids[0]])


def test_a_stranger_in_the_way_of_an_envelope_is_kept_under_another_name(kept):
    store, ids = kept
    store.paths.trash.mkdir(mode=0o700)
    store.paths.trash_file(ids[0]).write_bytes(b"stranger")
    store.paths.trash_file(ids[0]).chmod(0o600)
    prune.prune(store, {ids[0]: ()})
    assert [path.read_bytes() for path in store.paths.trash.glob("*.kept")] == [b"stranger"]
    assert [problem.code for problem in verify(store)] == ["stray-file"]


def test_a_file_system_without_hard_links_moves_by_copying(kept, monkeypatch):
    from memkit.errors import StoreIOError
    from memkit.store import durable

    store, ids = kept
    before = hashlib.sha256(store.paths.entry_file(ids[0]).read_bytes()).hexdigest()

    def no_links(source, target):
        raise StoreIOError("no links here", file=target)

    monkeypatch.setattr(durable, "link", no_links)
    prune.prune(store, {ids[0]: ()})
    assert hashlib.sha256(store.paths.trash_file(ids[0]).read_bytes()).hexdigest() == before
    assert verify(store) == []


DAMAGED_PLANS = {
    "unknown op": {"op": "shred"},
    "no plan": {"plan": 5},
    "no time": {"at": "yesterday"},
    "no list": {"entries": "all"},
    "no id": {"entries": [{"id": "../x"}]},
    "no hash": {"entries": [{"id": "a" * 8, "storedAt": 1, "bytes": 1, "sha256": 3, "rules": []}]},
    "no rules": {"entries": [{"id": "a" * 8, "storedAt": 1, "bytes": 1, "sha256": "", "rules": [1]}]},
    "a part out of turn": {"part": 3, "parts": 4},
    "no parts": {"parts": 0},
}


@pytest.mark.parametrize("change", DAMAGED_PLANS.values(), ids=DAMAGED_PLANS)
def test_a_line_that_is_no_plan_moves_nothing_and_is_told(kept, change):
    store, _ = kept
    line = {"op": "prune", "plan": "p", "at": 1, "part": 0, "parts": 1, "entries": [], **change}
    state = trash_plans.parse(store.paths, json.dumps(line).encode() + b"\n")
    assert (state.plans, [problem.code for problem in state.problems]) == ((), ["damaged-plan"])


def test_a_receipt_that_cannot_be_read_is_told(kept):
    store, ids = kept
    prune.prune(store, {ids[0]: ()})
    good = json.loads(store.paths.receipts.read_bytes())
    changes = [{"op": "x"}, {"at": -1}, {"bytes": "many"}, {"moved": "all"}]
    with store.paths.receipts.open("ab") as file:
        file.write(b"".join(json.dumps({**good, **change}).encode() + b"\n" for change in changes))
    found, problems = receipts.read(store.paths)
    assert (len(found), [problem.code for problem in problems]) == (1, ["damaged-receipt"] * 4)
