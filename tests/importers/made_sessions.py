"""Sessions written in each format with known content, and noise that no reader may take for it."""

import json
import uuid

ROLES = ("user", "assistant")
NOISE = "Decision: this is tool output and nobody's decision"


def _uuid(n):
    return str(uuid.UUID(int=n + 1, version=4))


def _time(n):
    return f"2026-11-30T09:{n // 60 % 60:02d}:{n % 60:02d}.000Z"


def messages(turns, *, noise=True):
    for n, (role, text) in enumerate(turns):
        yield {"role": role, "content": text, "timestamp": _time(n)}
        if noise:
            yield {"role": "tool", "content": NOISE}


def claude_code(turns, *, noise=True, cwd="/home/me/app"):
    parent, n = None, 0

    def line(kind, message, **more):
        nonlocal parent, n
        common = {"sessionId": "57c97dab-514d-4c3c-a2d5-dec5f260da7e", "cwd": cwd, "timestamp": _time(n)}
        made = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": _uuid(n),
            **common,
            **more,
        }
        parent, n = made["uuid"], n + 1
        return made

    yield {"type": "summary", "summary": NOISE, "leafUuid": "x"}
    for role, text in turns:
        content = [{"type": "text", "text": text}] if role == "assistant" else text
        yield line(role, {"role": role, "content": content})
        if noise:
            yield line("assistant", {"role": "assistant", "content": [
                {"type": "thinking", "thinking": NOISE}, {"type": "tool_use", "id": "t", "name": "Bash", "input": {"c": NOISE}},
            ]})  # fmt: skip
            yield line(
                "user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": NOISE}]}
            )
            yield {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"text": NOISE}}
            side = line("assistant", {"role": "assistant", "content": [{"type": "text", "text": NOISE}]})
            parent = side["parentUuid"]
            yield {**side, "isSidechain": True}


def pi(turns, *, noise=True, cwd="/home/me/app"):
    parent, n = None, 0

    def line(kind, **more):
        nonlocal parent, n
        made = {"type": kind, "id": f"{n:08x}", "parentId": parent, "timestamp": _time(n), **more}
        parent, n = made["id"], n + 1
        return made

    yield {"type": "session", "version": 3, "id": "0199-pi", "timestamp": _time(0), "cwd": cwd}
    for role, text in turns:
        yield line("message", message={"role": role, "content": [{"type": "text", "text": text}]})
        if noise:
            call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"c": NOISE}}
            yield line("message", message={"role": "assistant", "content": [call]})
            yield line(
                "message",
                message={"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": NOISE}]},
            )
            yield line("message", message={"role": "bashExecution", "command": "ls", "output": NOISE})
            yield line("compaction", summary=NOISE, firstKeptEntryId="x", tokensBefore=1)
            yield line("custom_message", customType="x", content=NOISE, display=True)
            yield line("model_change", provider="p", modelId="m")


def codex(turns, *, noise=True, cwd="/home/me/app"):
    def line(kind, n, **payload):
        return {"timestamp": _time(n), "type": kind, "payload": payload}

    yield line("session_meta", 0, id="0199-codex", timestamp=_time(0), cwd=cwd)
    if noise:
        injected = "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>"
        yield line("response_item", 0, type="message", role="user", content=[{"type": "input_text", "text": injected}])
        yield line(
            "response_item", 0, type="message", role="developer", content=[{"type": "input_text", "text": NOISE}]
        )
    for n, (role, text) in enumerate(turns):
        kind = "input_text" if role == "user" else "output_text"
        yield line("response_item", n, type="message", role=role, content=[{"type": kind, "text": text}])
        if noise:
            yield line("event_msg", n, type="user_message" if role == "user" else "agent_message", message=text)
            yield line("response_item", n, type="function_call", name="shell", arguments=NOISE, call_id="c")
            yield line("response_item", n, type="function_call_output", call_id="c", output=NOISE)
            yield line("turn_context", n, cwd=cwd, summary=NOISE)
            yield line("compacted", n, message=NOISE)


FORMATS = {"messages": messages, "claude-code": claude_code, "pi": pi, "codex": codex}


def encoded(lines):
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for line in lines)


def write(path, name, turns, **options):
    """A session in a format, as a file."""
    path.write_bytes(encoded(FORMATS[name](turns, **options)))
    return path
