"""The core opens no connection: it runs with sockets refused, and where the system allows it, without any network."""

import os
import shutil
import subprocess
import sys

import pytest

CORE = """
import socket, sys

class Refused(socket.socket):
    def __new__(cls, *arguments, **options):
        raise AssertionError("a socket was asked for")

def refuse(*arguments, **options):
    raise AssertionError("the network was asked for")

def watch(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        raise AssertionError(event)

socket.socket = Refused
socket.create_connection = socket.getaddrinfo = socket.socketpair = refuse
sys.addaudithook(watch)

import memkit

project, root = sys.argv[1:]
with memkit.open(project, root=root, enabled=True) as mem:
    receipt = mem.store(question="Which queue do payments use?", result={"conclusion": "Keep RabbitMQ."})
    mem.store_many([{"question": f"Question {n}?", "result": {"conclusion": f"Answer {n}."}} for n in range(5)])
    mem.refresh()
    assert mem.get(receipt.id).question == "Which queue do payments use?"
    assert [hit.id for hit in mem.recall("queue payments")] == [receipt.id]
    assert len(mem.recall("nowhere").missed) > 0
    assert mem.sql("select count(*) as n from entries").to_arrow().to_pylist() == [{"n": 6}]
    assert len(mem.decisions().rows) > 0
    assert mem.verify() == []
    mem.repair()
print("done")
"""


def run(command, folder):
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd()}
    return subprocess.run(
        [*command, sys.executable, "-c", CORE, project, folder / "root"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_core_runs_with_sockets_refused(tmp_path):
    done = run([], tmp_path)

    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_the_core_runs_where_there_is_no_network(tmp_path):
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system makes no namespace without a network")

    done = run([unshare, "-rn"], tmp_path)

    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_the_refusal_refuses():
    """The watch itself works: a socket asked for behind it is caught."""
    code = CORE.split("import memkit", maxsplit=1)[0] + "import _socket; _socket.socket()"

    done = subprocess.run([sys.executable, "-c", code, "a", "b"], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert "AssertionError: socket.__new__" in done.stderr
