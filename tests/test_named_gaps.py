"""Each answer over a damaged store names what cannot be read; each that was cut, of how many; each empty one, its filter."""

import pytest

import memkit

ANSWERS = {
    "decisions": lambda mem: mem.decisions(),
    "chains": lambda mem: mem.chains(),
    "timeline": lambda mem: mem.timeline(),
    "timeline explorer": lambda mem: mem.timeline.explore(),
    "explorer": lambda mem: mem.explore(),
    "explorer with words": lambda mem: mem.explore("queue"),
    "calibration": lambda mem: mem.calibration(),
    "tripwires": lambda mem: mem.tripwires.check(),
    "in force": lambda mem: mem.in_force(),
    "summary": lambda mem: mem.project_summary(),
    "sql": lambda mem: mem.sql("select count(*) as n from entries"),
}


@pytest.fixture
def mem(tmp_path):
    """Six decisions and a record, of which a line, a file and the record are damaged."""
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        for n in range(6):
            memory.store(question=f"Which queue {n}?", result={"conclusion": "Kafka."}, panel_id="decision")
        memory.records.write("lesson", "use-utc", body="Use UTC.", sources=[])
        ids = [line.id for line in memory.list()]
        lines = memory.paths.index.read_bytes().splitlines(keepends=True)
        memory.paths.index.write_bytes(b"{torn\n" + b"".join(lines[1:]))
        memory.paths.entry_file(ids[0]).write_bytes(b"{")
        next((memory.paths.folder / "memory").glob("*.md")).write_bytes(b"\xff")
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        yield memory


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_every_answer_names_what_cannot_be_read_as_text_and_as_html(mem, answer):
    found = answer(mem)
    for said in (" ".join(found.to_text().split()), found.to_html()):
        for words in (
            "1 line of the index cannot be read",
            "1 entry is not read here",
            "memory/use-utc.md",
            "memkit verify",
        ):
            assert words in said


def test_a_review_of_retention_names_an_unreadable_line(mem):
    assert "1 line of the index cannot be read" in " ".join(mem.retention.review().to_text().split())


def test_a_query_that_asks_for_nothing_stored_says_nothing_of_it(mem):
    assert mem.sql("select 1 as n").gaps == ()


def test_a_sound_store_says_nothing_of_it(tmp_path):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as mem:
        mem.store(question="Which queue?", result={"conclusion": "Kafka."}, panel_id="decision")
        for answer in ANSWERS.values():
            assert "cannot be read" not in answer(mem).to_text()


@pytest.fixture
def many(tmp_path):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        for n in range(9):
            memory.store(question=f"Which queue {n}?", result={"conclusion": "Kafka."}, panel_id="decision")
        yield memory


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda mem: mem.recall("queue", limit=2), "2 of 9 hits"),
        (lambda mem: mem.recall("queue", limit=2, panel="decision"), "2 of 9 hits"),
        (lambda mem: mem.recall("queue", limit=2, include_superseded=True), "2 of 9 hits"),
        (lambda mem: mem.recall("queue", limit=20), "9 hits"),
        (lambda mem: mem.recall("queue", limit=2, reinforcement=0.5), "2 hits (there are more)"),
        (lambda mem: mem.what_we_decided("queue", limit=2), "2 decisions (there are more)"),
        (lambda mem: mem.what_we_decided("queue", limit=9), "9 decisions"),
        (lambda mem: mem.explore(limit=4), "4 of 9 hits"),
        (lambda mem: mem.explore("queue", limit=4), "4 of 9 hits"),
        (lambda mem: mem.audit.events(limit=3), "3 of 9 events"),
    ],
)
def test_what_was_cut_says_of_how_many(many, answer, said):
    assert said in " ".join(answer(many).to_text().split())


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda mem: mem.decisions(panel="nobody"), "Asked for only: panel nobody."),
        (lambda mem: mem.explore(panel="nobody"), "Only panel nobody"),
        (lambda mem: mem.timeline(until="2001-01-01"), "until 2001-01-01 00:00 UTC"),
        (lambda mem: mem.audit.runs(status="failed"), "Asked for only: status failed."),
        (lambda mem: mem.audit.events(since="2999-01-01"), "since 2999-01-01 00:00 UTC"),
        (lambda mem: mem.records.list("lesson"), "Asked for only: kind lesson."),
        (lambda mem: mem.staging.list("elsewhere"), "Asked for only: session elsewhere."),
        (lambda mem: mem.audit.runs(worker="memory_extract"), "None has run yet"),
    ],
)
def test_what_a_filter_left_empty_names_the_filter(many, answer, said):
    text = " ".join(answer(many).to_text().split())
    assert said in text
    assert "import adr" not in text


def test_a_memory_of_records_alone_is_not_called_empty(tmp_path):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as mem:
        mem.records.write("lesson", "use-utc", title="Use UTC", body="Use UTC.", sources=[])
        assert "0 entries, 1 record" in mem.status().to_text()
        assert mem.status().n_records == 1
        assert "1 record is stored, but no entry" in mem.list().to_text()
        assert [(row.title, row.panel_id, row.status) for row in mem.explore().value] == [
            ("Use UTC", "record:lesson", "accepted")
        ]
        assert [row.id for row in mem.explore(panel="record:lesson").value] == ["memory/use-utc.md"]
        assert mem.explore().facets.panels == (("record:lesson", 1),)
