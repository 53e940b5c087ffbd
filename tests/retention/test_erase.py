"""Erasing one entry: every copy goes, and a scan of our own finds nothing of it."""

import dataclasses
import datetime as dt
import json
import re
import secrets
import string

import pyarrow.parquet as pq
import pytest

from memkit.clock import FixedClock
from memkit.errors import AmbiguousIdError, ConfirmationError, EntryNotFoundError, HeldError, StoreError
from memkit.model import jsontext
from memkit.model.erasure import ERASED
from memkit.model.event import Event
from memkit.retention.erase import erase
from memkit.snapshot import audit_days
from memkit.snapshot.absorbing import absorb
from memkit.snapshot.reading import open_snapshot
from memkit.store import durable, erasing, erasures, marks, prune, quarantine
from memkit.store.audit_log import AuditLog
from memkit.store.lock import Lock
from memkit.store.repair import repair
from memkit.store.verify import verify
from memkit.testing import temp_memory_root


def random_word():
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(24))


def decoded(path):
    """Every text of a Parquet file, decoded without the package's own means."""
    for name, column in pq.read_table(path).to_pydict().items():
        yield name
        yield from (str(value) for value in column)


def holding(folder, word):
    """Files in which a word stands, in whatever case, as bytes or decoded."""
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        told = [path.read_bytes().decode("latin-1")]
        if path.suffix == ".parquet":
            told += decoded(path)
        if any(word.lower() in text.lower() for text in told):
            found.append(path.relative_to(folder).as_posix())
    return found


def place(path, data):
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.parent.chmod(0o700)
    path.write_bytes(data if isinstance(data, bytes) else (json.dumps(data) + "\n").encode())
    path.chmod(0o600)


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        memory.store_many(
            [{"question": f"Which queue {i}?", "result": {"conclusion": f"Keep number {i}."}} for i in range(40)]
        )
        yield memory


def plant(mem, word):
    """An entry with the word, and everything that could be derived from it; the entry's id."""
    paths = mem.paths
    stored = mem.store(
        question=f"What about {word.upper()}?",
        result={"conclusion": f"Drop {word}, at once.", "synthesis": {"content": f"A line.\nThen\t{word}\nand more."}},
        tags=[word],
    )
    absorb(mem._store, minimum=1)
    assert mem.recall(word).rows[0].id == stored.id
    mem.tripwires  # noqa: B018 - the facade is there
    note = {"tripwireId": "0123456789ab", "entryId": stored.id, "evidence": "e" * 16, "acknowledgedAt": 1_700_000_000_000,
            "reason": f"seen {word}", "actor": "cli"}  # fmt: skip
    other = {**note, "entryId": "f" * 32, "reason": "another"}
    place(paths.acknowledgements, jsontext.dumps(note) + b"\n" + jsontext.dumps(other) + b"\n")
    place(paths.state / "queries.jsonl", {"name": "mine", "query": f"about {word}"})
    fired = {"at": 1_700_000_000_000, "op": "recall", "rank": 1, "actor": "cli", "call": "c1"}
    firing, kept = {**fired, "id": stored.id, "query": word}, {**fired, "id": "f" * 32, "query": "queue"}
    place(paths.firings, jsontext.dumps(firing) + b"\n" + jsontext.dumps(kept) + b"\n")
    lists = {"preferences": [], "decisions": [], "domain": []}
    staged = {"schemaVersion": 1, "session_id": "s1", "produced_at": "2026-01-01T00:00:00Z",
              "project_root": paths.project_path}  # fmt: skip
    candidate = {"title": "t", "body": f"we spoke of {word}", "rationale": "r", "confidence": 0.5}
    harmless = {"title": "t", "body": "something else entirely", "rationale": "r", "confidence": 0.5}
    place(paths.staging / "s1.json", {**staged, "candidates": {"lessons": [candidate, harmless], **lists}})
    place(paths.staging / "s2.json", {**staged, "session_id": "s2", "candidates": {"lessons": [candidate], **lists}})
    place(paths.deadletter / "d1.json", {"session_id": "s1", "produced_at": "2026-01-01T00:00:00Z", "attempts": 3,
          "last_gate_reason": "no", "category": "lessons", "candidate": candidate})  # fmt: skip
    now = mem._store.clock.now()
    quarantine.put(paths, f'{{"questionPreview": "{word} torn\nanother line'.encode(), file="index.jsonl", start=0,
                   reason=f"not JSON (begins {word})", moved_at=now)  # fmt: skip
    place(paths.trash / f"{stored.id}.json", paths.entry_file(stored.id).read_bytes())
    return stored.id


def test_a_random_word_and_whatever_was_derived_from_it_are_found_nowhere_afterwards(mem):
    word = random_word()
    entry_id = plant(mem, word)
    citing = mem.store(question="Anything else?", result={"conclusion": f"It replaces {entry_id}, see {word}."})
    before = holding(mem.paths.folder, word)
    tops = {re.split(r"[/.]", name)[0] for name in before}
    assert tops == {"results", "index", "snapshots", "_logs", "state", "firings", "staging", "deadletter", "quarantine",
                    "trash"}  # fmt: skip
    receipt = mem.erase(entry_id, confirm=True, reason=f"because of {word}")
    assert [(each.kind, each.name, each.how) for each in receipt.cited_by] == [("entry", citing.id, "cites")]
    # What the citing entry says too is its own until it goes as well.
    again = mem.erase(citing.id, confirm=True)
    assert again.scan.found == ()
    assert again.is_clean
    assert holding(mem.paths.folder, word) == []
    assert mem.verify() == []
    mem.refresh()
    assert len(mem.recall("queue")) == 20
    assert len(mem.list()) == 40


def test_of_what_stands_beside_it_nothing_goes(mem):
    word = random_word()
    entry_id = plant(mem, word)
    mem.erase(entry_id, confirm=True)
    paths = mem.paths
    assert [json.loads(line)["entryId"] for line in paths.acknowledgements.read_text().split("\n") if line] == [
        "f" * 32
    ]
    assert json.loads(paths.firings.read_text())["query"] == "queue"
    staged = json.loads((paths.staging / "s1.json").read_text())
    assert [each["body"] for each in staged["candidates"]["lessons"]] == ["something else entirely"]
    assert not (paths.staging / "s2.json").exists()
    (spot,) = paths.quarantine.glob("*.bin")
    assert spot.read_bytes() == b"another line"
    assert quarantine.spots(paths)[0].reason == ERASED
    assert holding(paths.folder, word) == []


def test_the_receipt_says_what_left_which_file_and_how_much_was_looked_at(mem):
    word = random_word()
    entry_id = plant(mem, word)
    plan = mem.erase(entry_id)
    assert plan.dry_run
    assert plan.scan is None
    assert len(holding(mem.paths.folder, word)) > 10
    receipt = mem.erase(entry_id, confirm="yes")
    assert {(r.file, r.what, r.n) for r in receipt.removed} == {(r.file, r.what, r.n) for r in plan.removed}
    files = [path for path in mem.paths.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    assert receipt.scan.n_files == len(files)
    assert abs(receipt.scan.n_bytes - sum(path.stat().st_size for path in files)) < 400  # the event that says so
    assert receipt.scan.n_rows > 100
    assert receipt.n_fragments > 5
    assert json.loads(json.dumps(receipt.to_dict()))["matched"] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        receipt.id = "x"


def test_a_dry_run_changes_no_byte(mem):
    entry_id = plant(mem, random_word())
    files = {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()}
    mem.erase(entry_id)
    assert {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()} == files


def test_what_is_left_is_named_masked(mem):
    word = random_word()
    entry_id = plant(mem, word)
    place(mem.paths.memory / "leaving.md", f"---\nslug: leaving\n---\nSee {entry_id}, about {word}.\n".encode())
    place(mem.paths.folder / "copy (1).json", f'{{"text": "x{word}y"}}'.encode())
    receipt = mem.erase(entry_id, confirm=True)
    assert not receipt.is_clean
    left = {(found.file, found.masked) for found in receipt.scan.found}
    assert left == {(file, f"{word[:2]}… (24 characters)") for file in ("memory/leaving.md", "copy (1).json")}
    assert ("record", "leaving", "cites") in {(each.kind, each.name, each.how) for each in receipt.cited_by}
    assert word not in json.dumps(receipt.to_dict())
    assert [found.file for found in mem.scan(text=word).found] == ["copy (1).json", "memory/leaving.md"]


def test_an_id_that_matches_nothing_or_twice_is_refused_and_told(mem):
    with pytest.raises(EntryNotFoundError) as nothing:
        mem.erase("0" * 32, confirm=True)
    assert nothing.value.to_dict()["matched"] == 0
    ids = [line.id for line in mem.list()]
    common = ids[0][:8]
    with pytest.raises(AmbiguousIdError) as twice:
        mem.erase(common, confirm=True)
    assert twice.value.to_dict()["matched"] == 40
    assert set(twice.value.matches) == set(ids)
    assert len(mem.list()) == 40


def test_a_pruned_entry_is_erased_from_the_trash_and_its_plan(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    other = mem.list()[-1].id
    prune.prune(mem._store, {stored.id: ("max_age_days",), other: ("max_age_days",)})
    assert mem.paths.trash_file(stored.id).exists()
    receipt = mem.erase(stored.id, confirm=True)
    assert receipt.is_clean
    assert {"trash"} <= {removed.eraser for removed in receipt.removed}
    assert holding(mem.paths.folder, word) == []
    assert stored.id not in mem.paths.trash_plans.read_text()
    assert mem.verify() == []
    prune.restore(mem._store, [other])
    assert mem.get(other)


def test_compacted_days_of_the_log_lose_its_text_too(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    clock = FixedClock(mem._store.clock.now() - dt.timedelta(days=3))
    old = AuditLog(mem.paths, clock, scrubber=mem._store.scrubber, wait_seconds=1)
    for path in mem.paths.logs.glob("memory-*"):
        path.unlink()
    (mem.paths.current_log).unlink()
    old.record(Event("record_usage", "recall", detail={"query": f"about {word}", "result_count": 1}))
    mem.recall(word)
    assert audit_days.compact(mem._store)
    assert any(name.endswith(".parquet") for name in holding(mem.paths.logs, word))
    plan = mem.erase(stored.id)
    assert any(each.file.startswith("_logs/") and each.file.endswith(".parquet") for each in plan.removed)
    receipt = mem.erase(stored.id, confirm=True)
    assert set(receipt.removed) == set(plan.removed)
    assert receipt.scan.found == ()
    assert holding(mem.paths.folder, word) == []
    assert mem.verify() == []


def test_an_entry_with_a_legal_hold_is_refused(mem):
    entry_id = mem.list()[0].id
    marks.put(mem._store, entry_id, kind="hold", reason="a dispute")
    marks.put(mem._store, entry_id, kind="pin", reason="dear to us")
    with pytest.raises(HeldError, match="a dispute"):
        mem.erase(entry_id, confirm=True)
    assert mem.get(entry_id)
    marks.take_off(mem._store, entry_id, kind="hold", reason="it is over")
    receipt = mem.erase(entry_id, confirm=True)
    assert {removed.file for removed in receipt.removed} >= {"state/pins.jsonl", "state/holds.jsonl"}
    assert mem.verify() == []


@pytest.mark.parametrize("confirm", ["no", "true", 1, None], ids=repr)
def test_without_a_clear_yes_nothing_goes(mem, confirm):
    entry_id = mem.list()[0].id
    with pytest.raises(ConfirmationError):
        mem.erase(entry_id, confirm=confirm)
    assert mem.get(entry_id)


def test_the_tombstone_holds_no_text_and_says_who_when_and_why(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={})
    mem.erase(stored.id, confirm=True, reason="names a person")
    (line,) = erasures.erased(mem.paths)
    assert (line.id, line.actor, line.reason) == (stored.id, "python", "names a person")
    assert line.stored_at == stored.entry.stored_at
    with pytest.raises(EntryNotFoundError, match="was erased on"):
        mem.erase(stored.id, confirm=True)


def test_the_other_words_of_a_log_line_go_with_those_that_quote(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={})
    mem._store.audit.record(
        Event("entry_operation", "acknowledge", detail={"entry_id": stored.id, "reason": "Words without that word."})
    )
    mem.erase(stored.id, confirm=True)
    log = b"".join(path.read_bytes() for path in mem.paths.logs.glob("memory-*.log"))
    assert b"Words without" not in log
    assert log.count(stored.id.encode()) >= 2


def test_an_entry_whose_words_are_all_common_is_told_by_their_sequence(mem):
    sentence = "keep number queue which 3 7 number which queue keep 9 number"
    stored = mem.store(question="Which queue 3?", result={"conclusion": sentence})
    mem.store(question="x", result={"conclusion": " ".join(reversed(sentence.split()))})
    mem._store.audit.record(Event("record_usage", "recall", detail={"query": sentence, "result_count": 1}))
    place(mem.paths.memory / "copy.md", f"It said: {sentence}.\n".encode())
    receipt = mem.erase(stored.id, confirm=True)
    log = b"".join(path.read_bytes() for path in mem.paths.logs.glob("memory-*.log"))
    assert sentence.encode() not in log
    assert {found.file for found in receipt.scan.found} == {"memory/copy.md"}


def test_what_holds_a_word_by_chance_stays_and_is_named(mem):
    stored = mem.store(question="Who is Zebulon?", result={"conclusion": "A ferrule."})
    candidate = {"title": "a lesson", "body": "Long text about harbours, cranes and tides, where ferrule occurs."}
    lists = {"preferences": [], "decisions": [], "domain": []}
    place(mem.paths.staging / "s1.json", {"schemaVersion": 1, "session_id": "s1", "project_root": mem.paths.project_path,
          "produced_at": "2026-01-01T00:00:00Z", "candidates": {"lessons": [candidate], **lists}})  # fmt: skip
    place(mem.paths.state / "queries.jsonl", {"name": "mine", "query": "harbours tides cranes ferrule"})
    place(mem.paths.firings, {"query": "harbours tides cranes ferrule"})
    receipt = mem.erase(stored.id, confirm=True)
    left = [(found.file, found.masked) for found in receipt.scan.found]
    assert left == [(file, "fe… (7 characters)") for file in ("staging/s1.json", "state/queries.jsonl")]
    assert mem.paths.firings.read_bytes() == b""


def test_an_entry_that_says_much_the_same_is_named(mem):
    text = "Zebulon overruled Fitzwalter about ferrule thimbles and marlinspikes, yesterday evening"
    first = mem.store(question="Who?", result={"conclusion": text})
    second = mem.store(question="Who then?", result={"conclusion": f"{text}."})
    receipt = mem.erase(first.id, confirm=True)
    assert ("entry", second.id, "says much the same") in {(c.kind, c.name, c.how) for c in receipt.cited_by}


@pytest.mark.parametrize(
    "text",
    [
        "Größenwahnsinnige Übertreibungskünstler",
        "日本語の長い文章が続きます。ここで折り返します。",
        'quoted "zaubernuß" \\ back\nslash',
    ],
    ids=["umlauts", "unspaced", "escapes"],
)
def test_texts_beyond_plain_ascii_go_as_well(mem, text):
    stored = mem.store(question=text, result={"conclusion": text})
    mem.recall(text)
    absorb(mem._store, minimum=1)
    place(mem.paths.firings, {"query": text})
    receipt = mem.erase(stored.id, confirm=True)
    assert receipt.is_clean
    assert receipt.n_fragments
    longest = max(re.split(r'[\s"\\。]+', text), key=len)
    assert holding(mem.paths.folder, longest.encode().decode("latin-1")) == []
    assert mem.scan(text=longest).is_clean
    # A firing written with escapes for every letter beyond ASCII is found as well.
    assert mem.paths.firings.read_bytes() == b""


def test_it_works_while_memory_is_off_and_on_what_another_tool_damaged(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    mem.enabled = False
    file = mem.paths.entry_file(stored.id)
    file.write_bytes(file.read_bytes()[:-20])
    assert mem.erase(stored.id[:-2], confirm=True).is_clean
    assert holding(mem.paths.folder, word) == []
    assert mem.verify() == []


def test_an_entry_of_which_only_quarantined_bytes_are_left_can_be_erased(mem):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    file = mem.paths.entry_file(stored.id)
    file.write_bytes(file.read_bytes()[:-20])
    mem.repair(dry_run=False)
    assert not file.exists()
    assert mem.erase(stored.id, confirm=True).is_clean
    assert holding(mem.paths.folder, word) == []


# -- afterwards ---------------------------------------------------------------------------------------------------------


ADR = "# {title}\n\nDate: 2025-0{month}-01\n\n## Status\n\nAccepted\n\n## Decision\n\n{text}\n"


def write_adr(folder, number, text):
    folder.mkdir(exist_ok=True)
    file = folder / f"{number:04d}-topic.md"
    file.write_text(ADR.format(title=f"{number}. Topic {number}", month=number, text=text))
    return file


def test_an_import_does_not_bring_back_what_was_erased_and_says_so(mem, tmp_path):
    folder = tmp_path / "decisions"
    for number in (1, 2):
        write_adr(folder, number, f"We keep thing {number}.")
    ids = [account.entry_id for account in mem.import_adr(folder).files]
    mem.erase(ids[0], confirm=True)
    assert b"topic" not in mem.paths.erasures.read_bytes()
    for again in (mem.import_adr(folder, dry_run=True), mem.import_adr(folder)):
        assert [account.fate for account in again.files] == ["skipped", "unchanged"]
        assert "was erased on" in again.files[0].reason
    # Other bytes in the same place, or the same bytes elsewhere, are that document still; a third one is not.
    write_adr(folder, 1, "We keep thing 1, still.")
    write_adr(folder, 3, "We keep thing 3.")
    (folder / "0009-moved.md").write_text(ADR.format(title="1. Topic 1", month=1, text="We keep thing 1."))
    fates = {account.path.rpartition("/")[2][:4]: account.fate for account in mem.import_adr(folder).files}
    assert fates == {"0001": "skipped", "0002": "unchanged", "0003": "imported", "0009": "skipped"}


def test_of_a_document_of_which_an_older_edition_was_erased_new_ones_are_taken(mem, tmp_path):
    folder = tmp_path / "decisions"
    write_adr(folder, 1, "We keep thing one.")
    (first,) = mem.import_adr(folder).files
    write_adr(folder, 1, "We keep thing two.")
    assert mem.import_adr(folder).files[0].fate == "updated"
    mem.erase(first.entry_id, confirm=True)
    write_adr(folder, 1, "We keep thing three.")
    assert mem.import_adr(folder).files[0].fate == "updated"
    write_adr(folder, 1, "We keep thing one.")
    assert mem.import_adr(folder).files[0].fate == "skipped"


def test_history_says_that_something_is_missing_instead_of_showing_a_past_that_never_was(mem, tmp_path):
    for line in list(mem.list()):
        mem.erase(line.id, confirm=True)
        if len(mem.list()) == 37:
            break
    assert "3 entries were erased and may be missing here." in mem.in_force().reason
    with temp_memory_root() as lone:
        stored = lone.store(question="Which queue?", result={"conclusion": "Keep it."})
        lone.erase(stored.id, confirm=True)
        answer = lone.in_force()
        assert not answer.is_available
        assert "1 entry was erased" in answer.reason


# -- the snapshot -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", [0, 19, 39], ids=["first", "middle", "last"])
def test_only_the_segment_that_held_it_is_written_anew(mem, which):
    absorb(mem._store, minimum=1)
    mem.store_many([{"question": f"Later {i}?", "result": {"conclusion": "x"}} for i in range(10)])
    absorb(mem._store, minimum=1)
    before = open_snapshot(mem.paths).manifest
    assert len(before.segments) == 2
    victim = sorted(line.id for line in mem.list())[which]
    mem.erase(victim, confirm=True)
    after = open_snapshot(mem.paths).manifest
    assert after.live == before.live - 1
    assert after.segments[0].entries.rows == before.segments[0].entries.rows - 1
    assert after.segments[1] == before.segments[1]
    names = {path.name for path in mem.paths.snapshots.iterdir()}
    assert names == {"manifest.json", *(file.name for file in after.files)}
    # What is absorbed later joins on, and answers are those of a snapshot made from nothing.
    mem.store_many([{"question": f"Latest {i}?", "result": {"conclusion": "y"}} for i in range(30)])
    absorb(mem._store, minimum=1)
    query = "select entry_id, question from entries order by entry_id"
    kept = mem.refresh().sql(query).rows
    hits = [(hit.id, round(hit.score, 9)) for hit in mem.recall("queue later number", limit=50)]
    for path in mem.paths.snapshots.iterdir():
        path.unlink()
    mem._reload()
    assert mem.sql(query).rows == kept
    assert [(hit.id, round(hit.score, 9)) for hit in mem.recall("queue later number", limit=50)] == hits
    assert mem.verify() == []


def test_a_segment_of_which_nothing_is_left_goes(mem):
    absorb(mem._store, minimum=1)
    (lone,) = mem.store_many([{"question": "Alone?", "result": {"conclusion": "xylophone"}}])
    absorb(mem._store, minimum=1)
    assert len(open_snapshot(mem.paths).manifest.segments) == 2
    mem.erase(lone.id, confirm=True)
    assert len(open_snapshot(mem.paths).manifest.segments) == 1
    assert len(mem.refresh().recall("queue", limit=100)) == 40
    mem.store_many([{"question": f"Later {i}?", "result": {}} for i in range(3)])
    assert absorb(mem._store, minimum=1).entries == 3
    assert mem.verify() == []


def test_another_memory_that_is_open_sees_it_gone_once_it_refreshes(mem):
    from memkit.opening import open_memory
    from memkit.settings import Environment

    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    absorb(mem._store, minimum=1)
    environment = Environment(home=mem.paths.root, config_file=mem.paths.root / "none.toml")
    with open_memory(mem.paths.real_path, root=mem.paths.root, enabled=True, environment=environment) as other:
        assert len(other.recall(word)) == 1
        receipt = mem.erase(stored.id, confirm=True)
        assert "until it refreshes" in receipt.elsewhere
        assert len(other.refresh().recall(word)) == 0


# -- crashes ------------------------------------------------------------------------------------------------------------


def cut_off(mem, entry_id, monkeypatch, *, at):
    """Erase until the `at`-th change of a file, which fails; whether it failed there."""
    real, seen = durable.replace, []

    def replace(path, data):
        seen.append(path)
        if len(seen) == at:
            raise StoreError("the power went", file=path)
        real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(durable, "replace", replace)
        try:
            erase(mem._store, entry_id, confirm=True)
        except StoreError:
            return True
    return False


@pytest.mark.parametrize("by", ["store", "repair", "erase"])
def test_what_was_cut_off_is_carried_on_by_the_next_writer(mem, monkeypatch, by):
    word = random_word()
    entry_id = plant(mem, word)
    assert cut_off(mem, entry_id, monkeypatch, at=5)
    assert "unfinished-erasure" in {problem.code for problem in verify(mem._store)}
    if by == "store":
        mem.store(question="Anything?", result={})
    elif by == "repair":
        done = repair(mem._store, dry_run=False)
        assert "unfinished-erasure" in {action.code for action in done.actions}
    else:
        assert mem.erase(entry_id, confirm=True).is_clean
    assert holding(mem.paths.folder, word) == []
    assert [each.id for each in erasures.erased(mem.paths)] == [entry_id]
    assert mem.verify() == []


def test_while_somebody_else_makes_the_snapshot_it_is_left_to_the_next_writer(mem, monkeypatch):
    word = random_word()
    entry_id = plant(mem, word)
    assert cut_off(mem, entry_id, monkeypatch, at=6)
    with Lock(mem.paths.snapshot_lock, 0).held("absorb"):
        mem.store(question="Anything?", result={})
        assert "unfinished-erasure" in {problem.code for problem in mem.verify()}
    mem.store(question="Anything more?", result={})
    assert mem.verify() == []
    assert holding(mem.paths.folder, word) == []


def test_an_intent_nobody_can_read_is_told_and_stops_nobody(mem):
    place(mem.paths.erasing, b"{")
    assert [problem.code for problem in mem.verify()] == ["erasing-damaged"]
    mem.store(question="Anything?", result={})
    with mem._store.index_lock.held("test") as held:
        assert not erasing.finish(mem.paths, held)
    mem.paths.erasing.unlink()
    place(mem.paths.erasures, b"{\n")
    assert [problem.code for problem in mem.verify()] == ["damaged-erasure"]


def test_without_the_lock_nothing_is_carried_on(mem):
    with mem._store.index_lock.held("test") as held:
        pass
    place(mem.paths.erasing, b"{}")
    with pytest.raises(RuntimeError):
        erasing.finish(mem.paths, held)
