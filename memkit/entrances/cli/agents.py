"""Verbs for agents: mcp serve."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import typer

from memkit.entrances.cli.call import Call
from memkit.errors import MissingExtraError

SERVER = "memkit.entrances.mcp_server"


def serve(ctx: typer.Context) -> None:
    """Serve this project's memory to agents, on stdin and stdout.

    Four tools: recall, project summary, what was decided, and record a result (only where the call says
    consensus_store: true). While memory is off no tool is listed. Hosts start this themselves;
    docs/how-to/agents.md shows their configuration.
    """
    call: Call = ctx.obj
    if find_spec("mcp") is None:
        raise MissingExtraError(
            "the MCP server needs the package mcp", remedy="Install it with: pip install 'memkit[mcp]'"
        )
    line = [sys.executable, "-m", SERVER, "--project", call.project]
    line += ["--root", call.root] if call.root else []
    line += ["--verbose"] if call.verbose else []
    sys.stdout.flush()
    os.execv(sys.executable, line)  # noqa: S606 - the server takes over this process, its stdin and stdout
