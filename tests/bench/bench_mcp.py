"""Recall through the MCP server beside the same call in Python, in memory and over stdio, question by question."""

import os
import pathlib
import statistics
import sys
import tempfile
import time

import anyio

import memkit
from memkit.settings import Environment
from tests.bench.corpus import Texts


def _ms(began: float) -> float:
    return (time.perf_counter() - began) * 1e3


async def _asked(client, questions) -> list[float]:
    took = []
    for question in questions:
        began = time.perf_counter()
        answer = await client.call_tool("consensus_recall", {"query": question})
        took.append(_ms(began))
        assert not answer.is_error
    return took


async def _in_memory(project: str, environment: Environment, questions) -> list[float]:
    from mcp import Client

    from memkit.entrances.mcp_server.consent import Door
    from memkit.entrances.mcp_server.serving import build

    door = Door(project, None, environment)
    try:
        async with Client(build(door)) as client:
            await _asked(client, questions)
            return await _asked(client, questions)
    finally:
        door.close()


async def _over_stdio(project: str, home: str, questions) -> list[float]:
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    line = ["-m", "memkit.entrances.mcp_server", "--project", project]
    env = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd()}
    async with Client(StdioServerParameters(command=sys.executable, args=line, env=env)) as client:
        await _asked(client, questions)
        return await _asked(client, questions)


def measure(size: int = 10_000, n: int = 30) -> dict:
    """Medians in milliseconds of questions asked before, at `size` entries."""
    texts = Texts()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        home = pathlib.Path(folder)
        project = home / "shop"
        project.mkdir()
        environment = Environment(home=home, config_file=home / ".config" / "memkit" / "config.toml")
        memkit.enable(project, environment=environment)
        environment.config_file.write_text(
            environment.config_file.read_text() + "\n[retention]\nmax_results = 100000\n"
        )
        with memkit.open(project, environment=environment) as mem:
            for start in range(0, size, 2000):
                mem.store_many([texts.request(i) for i in range(start, min(size, start + 2000))])
            mem.refresh()
            questions = [texts.query(4, common=bool(i % 2)) for i in range(n)]
            python = []
            for _ in range(2):
                python = []
                for question in questions:
                    began = time.perf_counter()
                    mem.recall(question)
                    python.append(_ms(began))
        found = {"size": size, "python_ms": statistics.median(python)}
        for name, took in (
            ("memory", anyio.run(_in_memory, str(project), environment, questions)),
            ("stdio", anyio.run(_over_stdio, str(project), str(home), questions)),
        ):
            found[f"{name}_ms"] = statistics.median(took)
            found[f"{name}_more_ms"] = statistics.median(b - a for a, b in zip(python, took, strict=True))
    return found
