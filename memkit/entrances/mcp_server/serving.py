"""The protocol: listing and calling, on the SDK's low-level server. Nothing but the protocol goes to stdout."""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import AsyncIterable, Mapping
from contextlib import suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from memkit import __version__
from memkit.entrances.mcp_server import answers, arguments
from memkit.entrances.mcp_server.consent import Door
from memkit.entrances.mcp_server.messages import mended
from memkit.entrances.mcp_server.tools import TOOLS, Tool
from memkit.errors import MemkitError

logger = logging.getLogger("memkit.mcp")
NAME = "memkit"
INTERRUPTED = 130
# A call under way is let come to its end for so long.
GRACE_SECONDS = 10.0
Sink = MemoryObjectSendStream[SessionMessage | Exception]
_BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
_ON = (
    "The memory of one project: what its people and their AI panels decided, on this user's own disk. "
    f"{answers.DISCLAIMER} Results are stored only by consensus_record_result with consensus_store: true."
)


def build(door: Door, *, max_bytes: int | None = None) -> Server[Any]:
    """A server for one project.

    Args:
        door: Where it gets the memory from.
        max_bytes: The most bytes of an answer, instead of the setting `mcp.max_bytes`.
    """

    async def on_list(
        ctx: ServerRequestContext[Any],  # noqa: ARG001
        params: types.PaginatedRequestParams | None,  # noqa: ARG001
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=await anyio.to_thread.run_sync(_listed, door), ttl_ms=0)

    async def on_call(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:  # noqa: ARG001
        return await anyio.to_thread.run_sync(_called, door, params.name, params.arguments, max_bytes)

    return Server(
        NAME,
        version=__version__,
        title="memkit",
        instructions=_instructions(door),
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


async def serve(door: Door) -> None:
    """Serve on stdin and stdout until stdin ends, nobody reads stdout any more, or until Ctrl-C."""
    server = build(door)
    threading.Thread(target=_until_unread, args=(door, os.dup(sys.stdout.fileno())), daemon=True).start()
    try:
        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            sink, readable = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            tasks.start_soon(_relay, read, sink)
            tasks.start_soon(_until_interrupted, door)
            await server.run(readable, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()
    finally:
        door.close()


async def _relay(read: AsyncIterable[SessionMessage | Exception], sink: Sink) -> None:
    """Hand on what was read, mended where the protocol's reader refused it."""
    async with sink:
        async for item in read:
            await sink.send(mended(item) if isinstance(item, Exception) else item)


def _until_unread(door: Door, stdout: int) -> None:
    """End the process once the client reads no more: an answer could only break, and stdin may stay open for ever."""
    end = select.poll()
    end.register(stdout, 0)  # an end that is gone is told whatever is asked for
    while not end.poll(60_000):
        pass
    door.close(wait_seconds=GRACE_SECONDS)
    os._exit(0)


async def _until_interrupted(door: Door) -> None:
    """End the process at Ctrl-C: the thread that waits for stdin cannot be woken. What was acknowledged is on disk."""
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        async for _ in signals:
            door.close(wait_seconds=GRACE_SECONDS)
            os._exit(INTERRUPTED)


def _instructions(door: Door) -> str:
    try:
        with door.memory():
            return _ON
    except MemkitError as error:
        return f"No tools are offered: {error}"


def _listed(door: Door) -> list[types.Tool]:
    try:
        with door.memory() as memory:
            empty = not len(memory.sql("select 1 from entries limit 1"))
    except MemkitError as error:
        logger.info("no tools are offered: %s", error)
        return []
    return [_described(tool, empty=empty) for tool in TOOLS]


def _described(tool: Tool, *, empty: bool) -> types.Tool:
    note = f" Now: {answers.EMPTY}." if empty and tool.looks else ""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.words + note,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(mode="serialization") if tool.gives else {"type": "object"},
        annotations=types.ToolAnnotations(
            read_only_hint=tool.looks, destructive_hint=False, idempotent_hint=tool.looks, open_world_hint=False
        ),
    )


def _called(door: Door, name: str, raw: dict[str, Any] | None, max_bytes: int | None) -> types.CallToolResult:
    tool = _BY_NAME.get(name)
    if tool is None:
        with suppress(MemkitError), door.memory() as memory:
            memory.audit.used("call", status="refused", reason="unknown_tool")
        return _refusal(f"There is no tool {answers.clipped(name, 60)!r}. Tools: {', '.join(_BY_NAME)}.")
    try:
        with door.memory() as memory:
            most = max_bytes or memory.settings.settings.mcp.max_bytes
            try:
                answer = tool.ask(memory, arguments.parse(tool.takes, raw), most)
            except MemkitError as error:
                memory.audit.used(tool.op, status="refused", reason=error.code)
                raise
    except MemkitError as error:
        logger.info("%s was refused: %s", name, error.code)
        return _refusal(str(error))
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=dict(answer), is_error=False
    )


def _refusal(words: str) -> types.CallToolResult:
    text = answers.clipped(words, 2000)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
