"""`memkit decided`, `summary` and `tripwires` on the samples, from the command line."""

import pathlib

import pytest

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"
AT = ("--facts", str(SAMPLES / "facts.csv"), "--as-of", "2026-11-30")


@pytest.fixture
def run(memkit_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")
    project = ("--project", str(SAMPLES / "wherry"), "--root", str(tmp_path / "root"))

    def call(*arguments, **more):
        return memkit_cli(*arguments, *project, **more)

    assert call("import", "adr", str(SAMPLES / "wherry" / "docs")).code == 0
    return call


def test_decided_prints_the_head_of_the_chain_with_its_tripwires(run):
    done = run("decided", "database", *AT)
    assert done.code == 0
    first = done.out.split("\n2. ")[0]
    assert "1. Shard the database by depot" in first
    for words in (
        "tripped: write QPS sustains",
        "armed: shard skew",
        "unknown: once pgtiller",
        "no facts named pgtiller",
    ):
        assert words in " ".join(first.split())
    assert done.out.index("Partition the scan event database") < done.out.index("3. 3. One PostgreSQL server")


def test_check_leaves_with_one_when_something_tripped_and_with_zero_when_not(run):
    done = run("tripwires", "check", *AT)
    assert done.code == 1
    assert "3 of " in done.out
    assert run("tripwires", "check", "--as-of", "2026-09-01").code == 0
    assert run("tripwires", "check", "--as-of", "2026-10-01").code == 1


def test_check_answers_with_one_document(run):
    answer = run("tripwires", "check", "--json", *AT).json()
    assert answer["counts"]["tripped"] == answer["n_speaking"] == 3
    first = answer["tripwires"][0]
    assert (first["verdict"], first["since"], first["condition"]["metric"]) == (
        "tripped", "2026-11-28T17:00:00.000Z", "write_qps",
    )  # fmt: skip
    assert first["evidence"]


def test_a_tripwire_is_acknowledged_by_the_start_of_its_id(run):
    tripped = run("tripwires", "check", "--json", *AT).json()["tripwires"]
    for row in tripped[:3]:
        done = run("tripwires", "acknowledge", row["id"][:8], "--reason", "Known.", *AT)
        assert (done.code, "Known." in done.out) == (0, True)
    assert run("tripwires", "check", *AT).code == 0


def test_backtest_and_summary_answer(run):
    done = run("tripwires", "backtest", "--json", *AT)
    assert (done.code, len([row for row in done.json()["tripwires"] if row["firings"]])) == (0, 6)
    assert "would have fired" in run("tripwires", "backtest", *AT).out
    summary = run("summary", "--json", *AT)
    assert summary.json()["decisions"]["in_force"] == 36
    assert "Decisions of wherry" in run("summary", *AT).out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("tripwires", "check", "--facts", "/nowhere.csv"), 3, "/nowhere.csv"),
        (("tripwires", "check", "--as-of", "soon"), 3, "'soon' is no moment"),
        (("tripwires", "check", "--name", "write QPS"), 2, "CONDITION=FACTS"),
        (("tripwires", "check", *AT, "--name", "write QPS=nothing"), 3, "no metric is named 'nothing'"),
        (("tripwires", "acknowledge", "ffffffff", "--reason", "x"), 3, "no tripwire is named"),
        (("tripwires", "acknowledge", "ffffffff"), 2, "--reason"),
        (("decided",), 2, "TOPIC"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_mistake_is_a_sentence_and_a_code(run, arguments, code, words):
    done = run(*arguments)
    assert done.code == code
    assert words in done.err
