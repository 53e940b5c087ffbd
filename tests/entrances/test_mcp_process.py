"""The server as hosts run it: a child process that speaks on stdin and stdout."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import anyio
import pytest

pytest.importorskip("mcp", reason="needs the package mcp: pip install 'memkit[mcp]'")

from mcp import Client, StdioServerParameters

import memkit
from memkit.settings import Environment

INSPECTOR = os.environ.get("MCP_INSPECTOR") or shutil.which("mcp-inspector")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "0"},
    },
}


@pytest.fixture
def home(tmp_path):
    (tmp_path / "shop").mkdir()
    return tmp_path


def surroundings(home):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMKIT_", "XDG_"))}
    return {**kept, "HOME": str(home), "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def line(home, *more):
    return [sys.executable, "-m", "memkit", "--project", str(home / "shop"), "mcp", "serve", *more]


def environment(home):
    return Environment(home=home, config_file=home / ".config" / "memkit" / "config.toml")


def enable(home):
    memkit.enable(home / "shop", environment=environment(home))


def with_child(home, talk):
    command, *arguments = line(home)
    parameters = StdioServerParameters(command=command, args=arguments, env=surroundings(home))

    async def session():
        async with Client(parameters) as client:
            return await talk(client)

    return anyio.run(session)


def test_a_child_process_stores_recalls_and_leaves_a_sound_store(home):
    enable(home)

    async def talk(client):
        said = {"question": "Which queue?", "result": {"conclusion": "NOTIFY"}, "consensus_store": True}
        stored = await client.call_tool("consensus_record_result", said)
        found = await client.call_tool("consensus_recall", {"query": "queue"})
        return stored.structured_content["id"], [hit["id"] for hit in found.structured_content["hits"]]

    stored, found = with_child(home, talk)
    assert found == [stored]
    with memkit.open(home / "shop", environment=environment(home)) as memory:
        assert memory.verify() == []
        assert [row.id for row in memory.list()] == [stored]


def start(home):
    return subprocess.Popen(
        line(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(home)
    )


def tell(process, message):
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def greet(process):
    tell(process, HELLO)
    answer = json.loads(process.stdout.readline())
    tell(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    return answer["result"]


def test_nothing_but_the_protocol_is_on_stdout_and_the_end_of_stdin_ends_the_server(home):
    with start(home) as process:
        greeting = greet(process)
        assert "memkit enable" in greeting["instructions"]
        tell(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        assert json.loads(process.stdout.readline())["result"]["tools"] == []
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait(20) == 0
        assert rest == b""
        assert b"Traceback" not in process.stderr.read()


def test_a_line_that_is_no_message_does_not_end_the_server(home):
    enable(home)
    with start(home) as process:
        greet(process)
        process.stdin.write(b"\xff\xfe not json\n")
        process.stdin.flush()
        tell(process, {"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
        while (answer := json.loads(process.stdout.readline())).get("id") != 3:
            pass
        assert len(answer["result"]["tools"]) == 4
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_client_that_vanishes_in_the_middle_of_a_call_leaves_a_sound_store(home):
    enable(home)
    with start(home) as process:
        greet(process)
        arguments = {"question": "Which queue?", "result": {"conclusion": "x" * 500_000}, "consensus_store": True}
        for i in range(5):
            params = {"name": "consensus_record_result", "arguments": arguments}
            tell(process, {"jsonrpc": "2.0", "id": 10 + i, "method": "tools/call", "params": params})
        process.stdin.close()
        process.stdout.close()
        assert process.wait(30) in {0, 1, -signal.SIGPIPE}
    with memkit.open(home / "shop", environment=environment(home)) as memory:
        assert memory.verify() == []
        assert all(row.question_preview == "Which queue?" for row in memory.list())


def test_ctrl_c_ends_the_server_without_a_traceback(home):
    with start(home) as process:
        greet(process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.stdin.close()
        assert process.wait(20) in {0, 130, -signal.SIGINT}
        assert b"Traceback" not in process.stderr.read()


def test_ctrl_c_ends_the_server_while_the_client_still_holds_its_stdin(home):
    with start(home) as process:
        greet(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert b"Traceback" not in process.stderr.read()


def test_a_client_that_reads_no_more_ends_the_server_without_a_traceback(home):
    enable(home)
    with start(home) as process:
        greet(process)
        process.stdout.close()
        params = {"name": "consensus_recall", "arguments": {"query": "queue"}}
        tell(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        assert process.wait(20) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param('{"query": "q \\ud83d"}', "no stored results yet", id="an unpaired surrogate"),
        pytest.param('{"query": ' + "[" * 500 + "]" * 500 + "}", "nested_too_deep", id="nested deep"),
        pytest.param('{"query": ' + "[" * 5000 + "]" * 5000 + "}", "nested_too_deep", id="nested deeper"),
        pytest.param('{"query": 1e99999}', "valid string", id="a number beyond all bounds"),
    ],
)
def test_a_call_the_protocol_cannot_read_gets_an_answer_with_its_id(home, arguments, words):
    enable(home)
    with start(home) as process:
        greet(process)
        call = '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "consensus_recall", "arguments": %s}}'
        process.stdin.write(call.encode() % arguments.encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    assert answer["id"] == 7
    assert words in json.dumps(answer["result"])


# -- the protocol's own inspector ----------------------------------------------------------------------------------


def inspect(home, *question):
    done = subprocess.run(
        [INSPECTOR, "--cli", sys.executable, "-m", "memkit.entrances.mcp_server", *question],
        cwd=home / "shop",
        env=surroundings(home),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(
    not INSPECTOR, reason="needs the inspector of the protocol: npm install @modelcontextprotocol/inspector"
)
def test_the_inspector_sees_no_tools_while_off_and_calls_each_of_them_while_on(home):
    assert inspect(home, "--method", "tools/list") == {"tools": []}
    enable(home)
    listed = inspect(home, "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in listed] == [
        "consensus_recall",
        "consensus_project_summary",
        "consensus_what_we_decided",
        "consensus_record_result",
    ]

    def call(tool, *arguments):
        given = [part for argument in arguments for part in ("--tool-arg", argument)]
        return inspect(home, "--method", "tools/call", "--tool-name", tool, *given)["structuredContent"]

    assert call("consensus_recall", "query=queue")["note"].startswith("no stored results yet")
    result = 'result={"conclusion":"Keep LISTEN/NOTIFY."}'
    assert not call("consensus_record_result", "question=Which queue?", result)["stored"]
    assert call("consensus_record_result", "question=Which queue?", result, "consensus_store=true")["stored"]
    assert call("consensus_recall", "query=queue")["hits"][0]["summary"] == "Keep LISTEN/NOTIFY."
    assert call("consensus_what_we_decided", "topic=queue")["decisions"][0]["conclusion"] == "Keep LISTEN/NOTIFY."
    assert call("consensus_project_summary")["entries"]["stored"] == 1
