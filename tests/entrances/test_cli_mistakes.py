"""Whatever is typed, memkit answers with a sentence and one of its exit codes, never with a traceback."""

import json
import os
import random
import subprocess
import sys

import pytest

import memkit
from memkit.entrances.cli import FAILED, FOUND, INTERRUPTED, OK, USAGE
from tests.entrances.test_reference_pages import VERBS

CODES = {OK, FOUND, USAGE, FAILED, INTERRUPTED}
# It replaces this process, or waits for a log to grow.
NOT_IN_PROCESS = {"mcp serve"}
ENDLESS = {"--follow", "-f", "--watch"}
LINES = 4
WORDS = (
    "", " ", "-", "--", "-1", "0", "1e309", "nan", "99999999999999999999", "0198f3a2", "zzzzzzzz", "../..", "/etc",
    "/dev/null", "no-such-file", "junk.bin", "empty.json", "list.json", "queue", "決定", "\udcff", "x" * 5000,
    "select 1", "select * from entries; drop table x", "2026-13-01", "2026-01-01", "a=1", "=", "{}", "adr", "lesson",
)  # fmt: skip


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A project with a few entries, and files that are not what they should be."""
    base = tmp_path_factory.mktemp("mistakes")
    folder = base / "shop"
    folder.mkdir()
    (folder / "junk.bin").write_bytes(bytes(range(256)) * 8)
    (folder / "empty.json").write_bytes(b"")
    (folder / "list.json").write_text('[1, {"question": 3}, null]')
    (base / "home").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(base / "home"))
        memkit.enable(folder)
        with memkit.open(folder) as mem:
            for i in range(3):
                mem.store(question=f"Which queue {i}?", result={"conclusion": "Keep it."})
    return base


@pytest.mark.parametrize("verb", sorted(set(VERBS) - NOT_IN_PROCESS))
def test_random_words_and_options_end_in_a_sentence(memkit_cli, scene, monkeypatch, verb):
    monkeypatch.setenv("HOME", str(scene / "home"))
    monkeypatch.chdir(scene / "shop")
    draw = random.Random(verb)
    options = [p for p in VERBS[verb].params if p.param_type_name == "option"]
    for _ in range(LINES):
        line = verb.split()
        for option in draw.sample(options, draw.randint(0, min(3, len(options)))):
            name = draw.choice(option.opts)
            if name not in ENDLESS:
                line += [name] if option.is_flag else [name, draw.choice(WORDS)]
        line += draw.choices(WORDS, k=draw.randint(0, 2))
        line += ["--json"] if draw.random() < 0.4 else []
        done = memkit_cli(*line, input=draw.choice(["", "{", '{"question": "q"}', "[]", "\x00\xff"]))
        assert done.code in CODES, line
        assert "Traceback" not in done.err + done.out, line
        if done.code in {USAGE, FAILED}:
            assert done.err.strip(), line
        if done.code in {OK, FOUND} and "--json" in line and "--" not in line and verb != "audit tail":
            json.loads(done.out)


@pytest.mark.parametrize(
    "line",
    [
        ["nope"],
        ["recal", "x"],
        ["--nope"],
        ["import", "nope", "x"],
        ["audit"],
        ["config"],
        ["--project"],
        ["tripwires", "x"],
    ],
    ids=" ".join,
)
def test_a_verb_there_is_not_is_written_wrong(memkit_cli, scene, monkeypatch, line):
    monkeypatch.setenv("HOME", str(scene / "home"))
    done = memkit_cli(*line)

    assert done.code == USAGE
    assert "Traceback" not in done.err


def process(line, scene, **settings):
    around = {"HOME": str(scene / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), **settings}
    return subprocess.run(
        [sys.executable, "-m", "memkit", *line], env=around, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_each_shell_and_names_memkit(scene, shell):
    done = process(["--show-completion", shell], scene, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")

    assert (done.returncode, done.stderr) == (0, "")
    assert "_MEMKIT_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("memkit rec", "recall"),
        ("memkit import a", "adr"),
        ("memkit audit ver", "verify"),
        ("memkit recall --fu", "--fuzzy"),
    ],
)
def test_completion_completes_verbs_and_options(scene, typed, offered):
    words = typed.split()
    done = process([], scene, _MEMKIT_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=str(len(words) - 1))

    assert offered in done.stdout.split(), done.stderr
    assert "Traceback" not in done.stderr


def test_quiet_says_nothing_beside_the_answer(memkit_cli, scene, monkeypatch):
    monkeypatch.setenv("HOME", str(scene / "home"))
    project = ["--project", str(scene / "shop")]
    for line in (["status"], ["recall", "zeppelin"], ["list"], ["verify"], ["doctor"], ["locks"], ["summary"]):
        done = memkit_cli(*line, "-q", *project)
        assert (done.code, done.err) == (0, ""), line
        assert done.out, line


def test_python_m_memkit_is_the_program_that_is_installed(scene):
    installed = "import sys; sys.argv[0] = 'memkit'; from memkit.entrances.cli import main; main()"
    around = {"HOME": str(scene / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", installed, "--help"], env=around, capture_output=True, text=True, check=False
    )

    assert done.stdout == process(["--help"], scene, COLUMNS="100").stdout
    assert done.stdout.startswith("Usage: memkit ")


@pytest.mark.parametrize(
    "line",
    [
        ["report", "decisions"], ["report", "audit"], ["report", "consolidation"], ["report", "retention"],
        ["retention", "review"],
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize(("out", "says"), [(".", "is a folder"), ("/nowhere/x.html", "its folder does not exist")])
def test_a_page_or_plan_is_only_written_where_a_file_can_stand(line, out, says, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    import memkit
    from memkit.entrances.cli.app import app

    (tmp_path / "shop").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path / "shop")
    memkit.enable(".")
    done = CliRunner().invoke(app, [*line, "--out", out, "--json"], prog_name="memkit")
    assert done.exit_code == 3
    assert says in done.stdout
    assert "--out" in done.stdout
