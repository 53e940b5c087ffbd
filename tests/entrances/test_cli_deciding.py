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


def test_the_history_verbs_answer_in_words_and_as_documents(run):
    assert "Authentication with passkeys" in run("chains").out
    document = run("chains", "--json").json()
    assert max(len(chain["members"]) for chain in document["chains"]) == 4
    assert [link["problem"] for link in document["open_links"]] == ["ambiguous"]
    facts = AT[:2]
    timeline = run("timeline", "--bucket", "quarter", "--until", "2026-11-30", "--json", *facts).json()
    assert [bucket["begins_on"] for bucket in timeline["buckets"]][:2] == ["2025-04-01", "2025-07-01"]
    assert sum(bucket["tripped"] for bucket in timeline["buckets"]) == 4
    assert "Timeline: 7 quarters" in run("timeline", "--bucket", "quarter", "--until", "2026-11-30").out
    assert "How sure panels were" in run("calibration", *facts).out
    assert run("calibration", "--json").json()["n_panels"] == 0


def test_what_was_in_force_is_an_answer_or_not_available(run):
    assert "In force at 2026-01-01 00:00 UTC" in run("in-force", "--as-of", "2026-01-01").out
    before = run("in-force", "--as-of", "2020-01-01")
    assert (before.code, "Not available" in before.out) == (1, True)
    assert run("in-force", "--as-of", "2020-01-01", "--json").json()["decisions"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("timeline", "--bucket", "fortnight"), "fortnight"),
        (("timeline", "--since", "2026-05-01", "--until", "2026-01-01"), "lies after the end"),
        (("in-force", "--as-of", "soon"), "is no moment"),
    ],
)
def test_an_impossible_stretch_of_time_is_refused(run, arguments, words):
    done = run(*arguments)
    assert done.code == 3
    assert words in done.err
