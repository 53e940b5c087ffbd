"""The command line as a process: streams, encodings, closed pipes, defects."""

import os
import pty
import subprocess
import sys

import pytest

LOOK = [sys.executable, "-m", "memkit", "config", "show"]


@pytest.fixture
def environment(tmp_path):
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.getcwd(),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def test_python_m_memkit_is_memkit(environment, project):
    done = subprocess.run([*LOOK, "--project", project], env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert "memory.enabled = false" in done.stdout


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"LC_ALL": "C"}, id="c-locale"),
        pytest.param({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="c-locale-taken-literally"),
        pytest.param({"PYTHONIOENCODING": "latin-1:strict"}, id="latin-1"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_text_that_the_terminal_cannot_show_is_escaped(environment, project, settings, as_json):
    (project / "memkit.toml").write_text("[decisions]\npanels = ['決定', '\U0001f5f3']\n", "utf-8")
    line = [*LOOK, "--project", project, *(["--json"] if as_json else [])]

    done = subprocess.run(line, env=environment | settings, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    encoding = "utf-8" if settings == {"LC_ALL": "C"} else "latin-1"
    text = done.stdout.decode(encoding)
    if as_json:
        import json

        rows = {row["key"]: row["value"] for row in json.loads(text)["settings"]}
        assert rows["decisions.panels"] == ["決定", "\U0001f5f3"]
    else:
        assert '["決定"' in text or '["\\u6c7a\\u5b9a"' in text


def test_a_reader_that_closes_the_pipe_hears_no_complaint(environment, project):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*LOOK, "--project", project], env=environment, stdout=write, stderr=subprocess.PIPE, check=False
        )
        helped = subprocess.run(
            [*LOOK[:3], "--help"], env=environment, stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)

    assert (done.returncode, done.stderr) == (0, b"")
    assert (helped.returncode, helped.stderr) == (0, b"")


def on_a_terminal(line, environment) -> bytes:
    ours, theirs = pty.openpty()
    running = subprocess.Popen(line, env=environment, stdout=theirs, stderr=theirs, stdin=theirs, close_fds=True)
    os.close(theirs)
    seen = b""
    while True:
        try:
            chunk = os.read(ours, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    running.wait(30)
    os.close(ours)
    return seen


@pytest.mark.parametrize(
    ("settings", "coloured"),
    [
        pytest.param({"TERM": "xterm"}, True, id="terminal"),
        pytest.param({"TERM": "xterm", "NO_COLOR": "1"}, False, id="no-color"),
        pytest.param({"TERM": "dumb"}, False, id="dumb-terminal"),
    ],
)
def test_colour_is_for_terminals_that_want_it(environment, tmp_path, settings, coloured):
    line = [*LOOK, "--project", str(tmp_path / "gone")]

    seen = on_a_terminal(line, environment | settings)

    assert b"does not exist" in seen
    assert (b"\x1b[" in seen) is coloured


def test_a_pipe_gets_no_colour(environment, tmp_path):
    done = subprocess.run(
        [*LOOK, "--project", tmp_path / "gone"], env=environment | {"TERM": "xterm"}, capture_output=True, check=False
    )

    assert done.returncode == 3
    assert b"\x1b" not in done.stdout + done.stderr


def test_store_at_a_terminal_without_a_file_does_not_wait_for_typing(environment, project):
    seen = on_a_terminal([*LOOK[:3], "store", "--project", str(project)], environment | {"TERM": "dumb"})

    assert b"no file was named" in seen


def test_a_defect_is_shown_in_full_and_leaves_with_3(environment, project):
    code = (
        "import sys, memkit.settings as s\n"
        "def broken(*a, **k): raise RuntimeError('unforeseen')\n"
        "s.load = broken\n"
        "from memkit.entrances.cli import run\n"
        "sys.exit(run(['config', 'show']))"
    )

    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert "RuntimeError: unforeseen" in done.stderr
    assert "please report it" in done.stderr
    assert done.stdout == ""


def test_a_path_in_any_bytes_can_be_asked_about(environment, tmp_path):
    folder = os.fsencode(tmp_path) + b"/p\xff\x1b[31m"
    os.mkdir(folder)

    done = subprocess.run([*LOOK, "--project", folder], env=environment, capture_output=True, check=False)
    gone = subprocess.run([*LOOK, "--project", folder + b"x"], env=environment, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")
    assert gone.returncode == 3
    assert b"\x1b" not in gone.stderr
