"""How a command line is written, what it prints where, and the code it leaves with."""

import warnings

import pytest

from memkit import __version__
from memkit.analytics.recall_result import Missed
from memkit.errors import LockedError, MemkitWarning
from tests.entrances.fake_memory import ID, KEY, PROBLEM

GLOBALS = ["--root", "/r", "--project", "/p", "--json"]
VERBS = [
    pytest.param(["status"], id="status"),
    pytest.param(["list"], id="list"),
    pytest.param(["show", ID], id="show"),
    pytest.param(["recall", "queue"], id="recall"),
    pytest.param(["sql", "select 1"], id="sql"),
    pytest.param(["verify"], id="verify"),
    pytest.param(["repair"], id="repair"),
    pytest.param(["wipe"], id="wipe"),
    pytest.param(["import", "adr", "x"], id="import-adr"),
    pytest.param(["import", "consensus", "x"], id="import-consensus"),
    pytest.param(["enable"], id="enable"),
    pytest.param(["disable"], id="disable"),
    pytest.param(["store", "--question", "Q?"], id="store"),
]


@pytest.mark.parametrize("verb", VERBS)
def test_global_options_mean_the_same_before_and_after_the_verb(memkit_cli, fake, verb):
    before = memkit_cli(*GLOBALS, *verb, input='{"conclusion": "Yes."}')
    opened = [details for name, details in fake.calls if name == "open"]
    fake.calls.clear()
    fake.enabled = True
    after = memkit_cli(*verb, *GLOBALS, input='{"conclusion": "Yes."}')

    assert (before.code, after.code) == (0, 0)
    assert before.out == after.out
    assert opened
    assert all((details["root"], details["project"]) == ("/r", "/p") for details in opened)
    assert [details for name, details in fake.calls if name == "open"] == opened


@pytest.mark.parametrize("verb", VERBS)
def test_json_is_one_document_on_stdout_with_a_schema_version(memkit_cli, fake, verb):
    done = memkit_cli(*verb, "--json", input='{"conclusion": "Yes."}')

    assert done.json()["schema_version"] == 1
    assert done.out.count("\n") == 1
    assert done.err == ""


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_closes_what_it_opens(memkit_cli, fake, verb):
    memkit_cli(*verb, input='{"conclusion": "Yes."}')

    names = [name for name, _ in fake.calls]
    assert names.count("open") == names.count("close") > 0


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_a_worked_example(memkit_cli, verb):
    names = [word for word in verb if word not in {ID, "queue", "select 1", "x", "--question", "Q?"}]

    done = memkit_cli(*names, "--help")

    assert done.code == 0
    assert f"Example:\n  {'memkit' if names != ['store'] else 'echo'}" in done.out
    assert f"memkit {' '.join(names)}" in done.out
    assert "Global options" in done.out


def test_the_later_of_two_places_counts(memkit_cli, fake):
    memkit_cli("--project", "/a", "list", "--project", "/b")

    assert fake.calls[0][1]["project"] == "/b"


def test_options_between_a_family_and_its_verb_count_too(memkit_cli, fake):
    assert memkit_cli("import", "--project", "/b", "adr", "x", "--json").json()["import"]["kind"] == "adr"
    assert fake.calls[0][1]["project"] == "/b"


def test_without_a_verb_the_help_is_shown(memkit_cli):
    done = memkit_cli()

    assert done.code == 2
    assert "First steps" in done.out + done.err


def test_the_version_is_said_and_nothing_else(memkit_cli):
    assert memkit_cli("--version").out == f"memkit {__version__}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(["recal", "x"], "Did you mean 'recall'", id="misspelt-verb"),
        pytest.param(["recall"], "WORDS", id="nothing-asked"),
        pytest.param(["recall", "x", "--limit", "none"], "--limit", id="word-for-number"),
        pytest.param(["recall", "x", "--limit", "0"], "--limit", id="zero-hits"),
        pytest.param(["list", "--limt"], "--limt", id="unknown-option"),
        pytest.param(["sql", "select 1", "--param", "x"], "NAME=VALUE", id="parameter-without-value"),
        pytest.param(["sql", "select 1", "--param", "a=1", "--param", "a=2"], "twice", id="parameter-twice"),
        pytest.param(["store"], "nothing to store", id="nothing-piped"),
    ],
)
def test_a_line_written_wrong_leaves_with_2_and_a_sentence(memkit_cli, fake, line, said):
    done = memkit_cli(*line)

    assert done.code == 2
    assert said in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


def test_memory_that_is_off_refuses_with_the_way_to_turn_it_on(memkit_cli, fake):
    fake.enabled = False

    done = memkit_cli("recall", "x")

    assert done.code == 3
    assert done.out == ""
    assert done.err == "memkit: error: memory is off for /p. Run `memkit enable`.\n"


def test_a_refusal_is_a_document_too_when_json_was_asked(memkit_cli, fake):
    fake.enabled = False

    done = memkit_cli("recall", "x", "--json")

    assert done.code == 3
    assert done.json()["error"]["code"] == "not-enabled"
    assert "memkit enable" in done.err


@pytest.mark.parametrize("verb", [["status"], ["list"], ["show", ID], ["verify"], ["wipe"]], ids=lambda verb: verb[0])
def test_looking_and_wiping_work_while_memory_is_off(memkit_cli, fake, verb):
    fake.enabled = False

    assert memkit_cli(*verb).code == 0


@pytest.mark.parametrize(
    "verb",
    [["recall", "x"], ["sql", "x"], ["store"], ["repair", "--apply"], ["import", "adr", "x"]],
    ids=lambda verb: verb[0],
)
def test_the_others_do_not(memkit_cli, fake, verb):
    fake.enabled = False

    assert memkit_cli(*verb, input='{"question": "q", "result": {}}').code == 3


def test_problems_leave_with_1_and_say_file_bytes_and_remedy(memkit_cli, fake):
    fake.problems = [PROBLEM]

    done = memkit_cli("verify")

    assert done.code == 1
    assert "1 problem found." in done.out
    assert "torn-tail  index.jsonl bytes 120-131: bytes after the last newline" in done.out
    assert "memkit repair --apply" in done.out
    assert memkit_cli("verify", "--json").json()["problems"][0]["start"] == 120


def test_no_problem_leaves_with_0(memkit_cli, fake):
    assert memkit_cli("verify").out == "No problems found.\n"


def test_repair_says_what_it_would_do_and_does_it_only_when_told(memkit_cli, fake):
    fake.problems = [PROBLEM]
    planned, done = memkit_cli("repair", "--json"), memkit_cli("repair", "--apply", "--json")

    assert (planned.code, planned.json()["repair"]["dry_run"]) == (1, True)
    assert (done.code, done.json()["repair"]["dry_run"]) == (0, False)


def test_repair_leaves_with_1_when_a_person_is_needed(memkit_cli, fake):
    fake.problems_left = (PROBLEM,)

    assert memkit_cli("repair", "--apply").code == 1


def test_recall_without_hits_is_an_answer_and_leaves_with_0(memkit_cli, fake):
    fake.missed = (Missed("token-not-in-corpus", "queue is in no entry", (), 0),)

    done = memkit_cli("recall", "queue", "--json")

    assert done.code == 0
    assert done.json()["missed"][0]["cause"] == "token-not-in-corpus"
    assert done.json()["hits"] == []


def test_recall_passes_on_only_what_was_said(memkit_cli, fake):
    memkit_cli("recall", "retry", "policy")
    memkit_cli(
        "recall", "x", "--limit", "3", "--min-score", "0.5", "--panel", "adr", "--any-tag", "a", "--any-tag", "b",
        "--all-tags", "c", "--since-days", "7", "--this-project", "--include-superseded", "--fuzzy", "--stemming", "english",
        "--half-life-days", "90",
        "--reinforcement", "0.2",
    )  # fmt: skip

    plain, full = [details for name, details in fake.calls if name == "recall"]
    assert plain == {"query": "retry policy"}
    assert full == {
        "query": "x", "limit": 3, "min_score": 0.5, "panel": "adr", "any_tag": ["a", "b"], "all_tags": ["c"],
        "since_days": 7.0, "across_projects": False, "include_superseded": True, "fuzzy": True, "stemming": "english",
        "recency_half_life_days": 90.0,
        "reinforcement": 0.2,
    }  # fmt: skip


def test_sql_takes_parameters_and_reads_stdin(memkit_cli, fake):
    fake.rows = [{"at": fake.status().as_of, "x": float("nan"), "y": [1, None], "b": b"\x00"}]

    done = memkit_cli("sql", "-", "--param", "days=30", "--param", "name=a b", "--json", input="select 1")

    assert fake.calls[1] == ("sql", {"query": "select 1", "params": {"days": 30, "name": "a b"}})
    assert done.json()["rows"] == [{"at": "2026-11-30T12:00:00.000Z", "x": None, "y": [1, None], "b": "00"}]


def test_an_unknown_entry_leaves_with_3(memkit_cli, fake):
    done = memkit_cli("show", "zzzzzzzz")

    assert done.code == 3
    assert "memkit list" in done.err


def test_wiping_is_only_shown_unless_told(memkit_cli, fake):
    done = memkit_cli("wipe")

    assert done.code == 0
    assert "Would remove 2 entries" in done.out
    assert f"memkit wipe --yes --confirm {KEY}" in done.out
    assert "wipe" not in [name for name, _ in fake.calls]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        pytest.param(["--yes", "--confirm", KEY], 0, id="key"),
        pytest.param(["--yes", "--confirm", "p"], 0, id="name"),
        pytest.param(["--yes", "--confirm", "q"], 3, id="another-name"),
        pytest.param(["--yes"], 3, id="yes-without-a-name"),
    ],
)
def test_wiping_needs_yes_and_the_name(memkit_cli, fake, options, code):
    assert memkit_cli("wipe", *options).code == code


def test_a_name_without_yes_removes_nothing(memkit_cli, fake):
    assert memkit_cli("wipe", "--confirm", KEY).code == 0
    assert "wipe" not in [name for name, _ in fake.calls]


def test_at_a_terminal_wipe_asks_for_the_name(memkit_cli, fake, monkeypatch):
    monkeypatch.setattr("memkit.entrances.cli.output.is_interactive", lambda: True)

    done = memkit_cli("wipe", "--yes", input="p\n")
    aborted = memkit_cli("wipe", "--yes", input="")

    assert (done.code, aborted.code) == (0, 3)
    assert "Type the project's folder name or key" in done.err


def test_an_interruption_leaves_with_130(memkit_cli, fake):
    def interrupt():
        raise KeyboardInterrupt

    fake.on_recall = interrupt

    done = memkit_cli("recall", "x")

    assert done.code == 130
    assert "Traceback" not in done.err


def test_a_reader_that_closed_the_pipe_is_no_error(memkit_cli, fake):
    def close():
        raise BrokenPipeError

    fake.on_recall = close

    done = memkit_cli("recall", "x")

    assert (done.code, done.err) == (0, "")


def test_a_held_lock_says_who_holds_it(memkit_cli, fake):
    def locked():
        raise LockedError("the lock is held by pid 12", remedy="Wait for it to finish.", holder={"pid": "12"})

    fake.on_recall = locked

    done = memkit_cli("recall", "x")

    assert done.code == 3
    assert done.err == "memkit: error: the lock is held by pid 12. Wait for it to finish.\n"


def test_warnings_are_one_line_on_stderr_and_quiet_leaves_them_out(memkit_cli, fake):
    fake.on_recall = lambda: warnings.warn("one row was skipped", MemkitWarning, stacklevel=2)

    loud, quiet = memkit_cli("recall", "x", "--json"), memkit_cli("-q", "recall", "x", "--json")

    assert loud.err == "memkit: warning: one row was skipped\n"
    assert quiet.err == ""
    assert loud.out == quiet.out


def test_log_lines_appear_with_v_and_the_logger_is_left_as_it_was(memkit_cli, fake):
    import logging

    logger = logging.getLogger("memkit")
    before = (logger.level, list(logger.handlers))
    fake.on_recall = lambda: (logger.info("absorbed 3"), logger.debug("took 2 ms"))

    assert memkit_cli("recall", "x").err == ""
    assert memkit_cli("recall", "x", "-v").err == "memkit: absorbed 3\n"
    assert memkit_cli("-vv", "recall", "x").err.count("\n") == 2
    assert (logger.level, list(logger.handlers)) == before


HOSTILE = "a\x1b[31mred\x07 \x9b2J [bold]b[/bold] \u202eevil\r\nnext\x7f"


@pytest.mark.parametrize("verb", [["list"], ["show", ID]], ids=["list", "show"])
def test_a_stored_text_cannot_steer_the_terminal(memkit_cli, fake, verb):
    fake.question = HOSTILE

    shown, data = memkit_cli(*verb), memkit_cli(*verb, "--json")

    assert not set(shown.out + data.out) & set("\x1b\x07\x9b\x7f\r\u202e")
    answer = data.json()
    assert (answer["entry"] if "entry" in answer else answer["entries"][0])["question"] == HOSTILE


def test_what_looks_like_markup_is_printed_as_it_is(memkit_cli, fake):
    assert "[bold]b[/bold]" in memkit_cli("store", input='{"question": "[bold]b[/bold]", "result": {}}').out
