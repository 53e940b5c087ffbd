"""Each eraser by itself, on what only damage, other tools and bad luck put into its files."""

import datetime as dt
import json

import pytest

from memkit.model.candidate import key_of
from memkit.model.event import Event
from memkit.model.ledger import Ledger, LedgerLine
from memkit.store import audit_log, erasers, ledger
from memkit.store.candidate_files import name_of, read_item
from memkit.store.erasers import Hand
from memkit.store.extraction import Extraction
from memkit.store.traces import Traces

WORD = "zircon7polder"
ID = "a" * 32
OTHER = "b" * 32
TRACES = Traces(ID, frozenset({WORD.encode()}))
DRY = Hand(dry=True)


@pytest.fixture
def paths(make_store):
    store = make_store(sound=False)
    store.make_folders()
    return store.paths


def place(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
    return path


def told(removed):
    return [(each.file, each.what, each.n) for each in removed]


def test_an_id_in_a_list_counts_only_where_lists_do():
    line = {"calls": [{"ids": [ID]}], "n": 1}
    assert erasers.names(line, ID, in_lists=True)
    assert not erasers.names(line, ID, in_lists=False)
    assert erasers.names({"calls": [{"of": ID}]}, ID, in_lists=False)


def test_texts_are_masked_wherever_they_stand():
    value = {"a": [WORD, {"b": f"about {WORD}"}, 7, None], "c": "else"}
    new, n = erasers.masked(value, lambda field, text: WORD in text)
    assert (new["a"][0], new["a"][2:], new["c"], n) == (erasers.ERASED, [7, None], "else", 2)
    assert new["a"][1] == {"b": erasers.ERASED}


def test_a_store_without_an_index_has_no_line_to_lose(paths):
    assert told(erasers.index_line(paths, TRACES, None, wait_seconds=1)) == []


def test_an_index_line_is_counted_and_stays_where_nobody_holds_the_lock(paths):
    place(paths.index, {"id": ID}, {"id": OTHER})
    before = paths.index.read_bytes()
    assert told(erasers.index_line(paths, TRACES, None, wait_seconds=1)) == [("index.jsonl", "lines", 1)]
    assert paths.index.read_bytes() == before


def test_a_damaged_index_line_that_quotes_the_entry_goes(paths):
    data = (
        b'{"id":"'
        + OTHER.encode()
        + b'"}\n{"id":"torn '
        + WORD.encode()
        + b'\n{junk\n{"id":"%s","x":1}\n' % ID.encode()
    )
    kept, n = erasers.index_without(data, TRACES)
    assert (kept, n) == (b'{"id":"' + OTHER.encode() + b'"}\n{junk\n', 2)


def test_damaged_lines_go_if_they_are_of_the_entry_or_quote_it(paths):
    cut = b'{"entryId":"%s","reason":"cu\n' % ID.encode()
    file = place(paths.acknowledgements, cut, b"{" + WORD.encode() + b" torn\n", b"{junk\n", {"entryId": OTHER})
    assert told(erasers.lines(paths, TRACES)) == [("state/acknowledgements.jsonl", "lines", 2)]
    assert file.read_bytes() == b'{junk\n{"entryId": "' + OTHER.encode() + b'"}\n'


def test_a_candidate_file_nobody_can_parse_goes_as_a_whole_if_it_quotes_the_entry(paths):
    quoting = place(paths.staging / "s1.json", b"{" + WORD.encode())
    other = place(paths.staging / "s2.json", b"{another")
    assert told(erasers.candidates(paths, TRACES, DRY)) == [("staging/s1.json", "file", 1)]
    assert quoting.exists()
    assert told(erasers.candidates(paths, TRACES)) == [("staging/s1.json", "file", 1)]
    assert (quoting.exists(), other.exists()) == (False, True)


def test_a_dead_letter_goes_if_its_candidate_quotes_the_entry(paths):
    quoting = place(paths.deadletter / "a.json", {"candidate": {"body": f"about {WORD}"}})
    other = place(paths.deadletter / "b.json", {"candidate": {"body": "another"}})
    assert told(erasers.candidates(paths, TRACES)) == [("deadletter/a.json", "file", 1)]
    assert (quoting.exists(), other.exists()) == (False, True)


def test_a_list_of_candidates_that_is_none_stays_as_it_is(paths):
    file = place(
        paths.staging / "s1.json", {"candidates": {"lessons": "none", "domain": [{"body": WORD}, {"body": "x"}]}}
    )
    assert told(erasers.candidates(paths, TRACES)) == [("staging/s1.json", "candidates", 1)]
    assert json.loads(file.read_bytes())["candidates"] == {"lessons": "none", "domain": [{"body": "x"}]}


@pytest.mark.parametrize(
    ("note", "n", "stays"),
    [
        ({"reason": f"because of {WORD}", "file": "x"}, 1, True),
        (b"{" + WORD.encode(), 1, False),
        ({"reason": "another", "file": WORD}, 0, True),
        ({"reason": "another", "file": "x"}, 0, True),
    ],
    ids=["in its reason", "damaged", "in a field of memkit's own", "nowhere"],
)
def test_a_note_of_the_quarantine_loses_what_quotes_the_entry(paths, note, n, stays):
    file = place(paths.quarantine / "spot.json", note)
    place(paths.quarantine / "spot.bin", b"other bytes\n")
    found = told(erasers.quarantine(paths, TRACES))
    assert found == [("quarantine/spot.json", "texts", 1)] * n
    assert file.exists() is stays
    if stays and n:
        assert WORD not in file.read_text()


def test_a_plan_of_the_trash_is_counted_and_stays_in_a_dry_run(paths):
    file = place(paths.trash_plans, b'{"op":"prune","parts":1,"entries":[{"id":"%s"}]}\n' % ID.encode())
    assert told(erasers.trash_files(paths, TRACES, DRY)) == [("trash/plans.jsonl", "lines", 1)]
    assert ID in file.read_text()


def test_without_a_log_there_is_no_text_to_forget(paths):
    assert told(erasers.log_text(paths, TRACES, wait_seconds=1)) == []


def test_damaged_log_lines_go_with_those_that_quote(make_store):
    store = make_store(sound=False)
    store.make_folders()
    store.audit.record(Event("record_usage", "recall", detail={"query": f"about {WORD}", "result_count": 1}))
    store.audit.record(Event("record_usage", "recall", detail={"query": "another", "result_count": 1}))
    (day,) = audit_log.days(store.paths)
    file = store.paths.log_file(day)
    with file.open("ab") as log:
        log.write(b'{"id":"torn ' + WORD.encode() + b"\n{junk that names " + ID.encode() + b" by the way\n")
    found = told(erasers.log_text(store.paths, TRACES, wait_seconds=1))
    assert found == [(f"_logs/{file.name}", "texts", 2)]
    data = file.read_bytes()
    assert WORD.encode() not in data
    assert data.count(b"{junk that names") == 1
    assert audit_log.chain(store.paths).n_forgotten == 1


def test_a_reason_nobody_can_parse_goes_as_a_line_if_it_quotes_the_entry(paths):
    file = place(paths.erasures, b"{" + WORD.encode() + b"\n", {"id": OTHER, "reason": WORD}, {"id": OTHER}, b"{junk\n")
    assert told(erasers.reasons(paths, TRACES)) == [("state/erasures.jsonl", "texts", 2)]
    assert WORD not in file.read_text()
    assert file.read_bytes().endswith(b'{"id": "' + OTHER.encode() + b'"}\n{junk\n')


def test_a_temporary_file_nobody_will_publish_goes_whatever_is_in_it(paths):
    left = place(paths.results / f".x.json.{2**22 + 1}-{'ab' * 8}.tmp", b"half")
    (removed,) = told(erasers.leftover(paths, TRACES))
    assert removed == (f"results/{left.name}", "file", 1)
    assert not left.exists()


def test_a_temporary_file_that_went_by_itself_is_not_told(paths, monkeypatch):
    monkeypatch.setattr(erasers.leftovers, "left_over", lambda paths, everywhere: [paths.results / "gone"])
    assert told(erasers.leftover(paths, TRACES)) == []


def test_a_log_of_many_lines_is_looked_through_part_by_part():
    many = b"another\n" * (2 * erasers.LINES_AT_A_TIME) + WORD.encode()
    assert list(erasers._lines_with(many, TRACES)) == [WORD.encode()]


AT = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
QUOTING = {"title": "Seen", "summary": "s", "body": f"We concluded {WORD}.", "triggers": ["x"]}
OTHER_ONE = {"title": "Else", "summary": "s", "body": "We keep the ferries.", "triggers": ["x"]}


def staged(session, **lists):
    return {"schemaVersion": 1, "session_id": session, "produced_at": None, "project_root": None, "candidates": lists}


def letter(session, candidate, category="lessons"):
    about = {"session_id": session, "produced_at": None, "attempts": 3, "last_gate_reason": "model_error"}
    return {**about, "category": category, "candidate": candidate}


def key(session, raw, category="lessons"):
    return name_of(session, read_item(category, raw))[0]


def erase_candidates(paths):
    """As an erasure does it, and once more, as after a crash."""
    gone = told(erasers.candidates(paths, TRACES, at=AT))
    before = paths.ledger.read_bytes() if paths.ledger.exists() else b""
    assert told(erasers.candidates(paths, TRACES, at=AT)) == []
    assert (paths.ledger.read_bytes() if paths.ledger.exists() else b"") == before
    return gone


def erased(paths):
    return {life.key for life in Ledger.of(ledger.read(paths)[0]).lives.values() if life.fate == "erased"}


def test_a_candidate_that_goes_with_an_entry_is_written_down_as_erased_and_what_stays_is_not(paths):
    place(
        paths.staging / "s1.json", staged("s1", lessons=[QUOTING, OTHER_ONE], domain=[f"malformed {WORD}"], odd=[WORD])
    )
    place(paths.deadletter / "s1.lessons.abc.json", letter("s1", {**QUOTING, "body": f"Twice {WORD}."}))
    place(paths.deadletter / "s2.odd.abc.json", letter("s2", QUOTING, "odd"))
    assert len(erase_candidates(paths)) == 3
    wanted = {
        key("s1", QUOTING),
        key("s1", f"malformed {WORD}", "domain"),
        key("s1", {**QUOTING, "body": f"Twice {WORD}."}),
    }
    assert erased(paths) == wanted
    (life,) = [each for each in Ledger.of(ledger.read(paths)[0]).lives.values() if each.key == key("s1", QUOTING)]
    assert (life.session_id, life.category, life.at, life.is_settled) == ("s1", "lessons", AT, True)


def test_a_session_that_is_named_after_the_entry_is_not_named_in_the_ledger(paths):
    place(paths.staging / "s1.json", staged(f"about-{WORD}", lessons=[QUOTING]))
    erase_candidates(paths)
    assert erased(paths) == {key(f"about-{WORD}", QUOTING)}
    assert WORD.encode() not in paths.ledger.read_bytes()


def test_what_only_a_damaged_file_of_its_session_can_hold_is_erased_with_it(paths):
    waits, dead, known, gone = ("a" * 16, "b" * 16, key("s1", OTHER_ONE), "c" * 16)
    lines = [
        LedgerLine("fate", AT, "r", waits, "s1", "lessons", "d", fate="restaged"),
        LedgerLine("fate", AT, "r", gone, "s1", "lessons", "d", fate="added"),
        LedgerLine("fate", AT, "r", dead, "s1", "lessons", "d", fate="dead_lettered"),
        LedgerLine("fate", AT, "r", known, "s1", "lessons", "d", fate="restaged"),
        LedgerLine("fate", AT, "r", "e" * 16, "s2", "lessons", "d", fate="restaged"),
    ]
    place(paths.ledger, *(line.to_dict() for line in lines))
    done = [
        Extraction(s, "/s", "0", 1, "", 1, "rules", AT, (digest,)) for s, digest in (("s1", "1" * 16), ("s2", "2" * 16))
    ]
    place(paths.extraction, *(each.to_dict() for each in done))
    place(paths.staging / "s1.json", f"{{torn {WORD}".encode())
    place(paths.staging / "copy.json", staged("s1", lessons=[OTHER_ONE]))
    place(paths.staging / "other.json", b"{torn")
    erase_candidates(paths)
    assert erased(paths) == {waits, key_of("s1", "1" * 16)}
    place(paths.deadletter / "s1.lessons.abc.json", {**letter("", QUOTING)})
    erase_candidates(paths)
    assert erased(paths) == {waits, key_of("s1", "1" * 16), dead}


@pytest.mark.parametrize("where", ["triggers", "tags"])
def test_a_candidate_that_shares_one_plain_word_with_the_entry_stays(paths, where):
    plain = Traces(ID, frozenset({b"queue"}))
    raw = {
        **OTHER_ONE,
        "body": "Measure the lease before anybody blames the queue for a slow worker.",
        where: ["queue"],
    }
    place(paths.staging / "s1.json", staged("s1", lessons=[raw]))
    assert told(erasers.candidates(paths, plain, at=AT)) == []


@pytest.mark.parametrize(
    "raw",
    [
        {**OTHER_ONE, "triggers": [WORD]},
        {**OTHER_ONE, "title": "The zircons, a queue"},
        {**OTHER_ONE, "extra": {"of": ID}},
    ],
    ids=["a rare word", "half of a title", "its id"],
)
def test_a_candidate_that_quotes_or_names_the_entry_in_any_field_goes(paths, raw):
    traces = Traces(ID, frozenset({WORD.encode(), b"queue", b"zircons"}))
    place(paths.staging / "s1.json", staged("s1", lessons=[raw]))
    assert told(erasers.candidates(paths, traces, at=AT)) == [("staging/s1.json", "candidates", 1)]
