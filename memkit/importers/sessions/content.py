"""What in a message is said by somebody, and what is output, reasoning, an image, or put there by a tool."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any, Final

from memkit import clock
from memkit.model import jsontext

MAX_DEPTH: Final = 4
# Types of content blocks, and what their presence is counted as; `text` is what is said.
BLOCKS: Final[Mapping[str, str]] = {
    "text": "text", "input_text": "text", "output_text": "text", "markdown": "text",
    "thinking": "thinking", "redacted_thinking": "thinking", "reasoning": "thinking", "summary_text": "thinking",
    "tool_use": "tool-call", "toolCall": "tool-call", "tool_call": "tool-call", "function_call": "tool-call",
    "server_tool_use": "tool-call", "mcp_tool_use": "tool-call",
    "tool_result": "tool-output", "toolResult": "tool-output", "function_call_output": "tool-output",
    "web_search_tool_result": "tool-output", "mcp_tool_result": "tool-output",
    "image": "binary", "input_image": "binary", "image_url": "binary", "document": "binary", "file": "binary",
    "input_file": "binary", "audio": "binary", "input_audio": "binary", "video": "binary",
}  # fmt: skip
ROLES: Final[Mapping[str, str]] = {
    "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "bot": "assistant", "agent": "assistant", "system": "system", "developer": "system",
    "tool": "tool-output", "function": "tool-output",
    "toolResult": "tool-output", "bashExecution": "tool-output", "custom": "injected-context",
    "hookMessage": "injected-context", "branchSummary": "summary", "compactionSummary": "summary",
}  # fmt: skip
# Tags around text that a tool put into a message.
INJECTED: Final = (
    "system-reminder", "environment_context", "user_instructions", "INSTRUCTIONS", "permissions instructions",
    "collaboration_mode", "turn_aborted", "skills_instructions", "local-command-stdout", "local-command-stderr",
    "local-command-caveat", "command-name", "command-message", "command-args", "bash-input", "bash-stdout",
    "bash-stderr",
    "ide_opened_file", "ide_selection", "ide_diagnostics", "task-notification", "user-prompt-submit-hook",
    "memory-context", "recalled-memory",
)  # fmt: skip
_INJECTED = re.compile(rf"<(?P<tag>{'|'.join(map(re.escape, INJECTED))})(?:\s[^<>]*)?>.*?(?:</(?P=tag)>|\Z)", re.DOTALL)
_AGENTS_FILE = re.compile(r"\s*# AGENTS\.md instructions\b")
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=]{64,}")


class Said:
    """The text of a message, and what else was in it."""

    __slots__ = ("left_out", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.left_out: list[str] = []

    @property
    def text(self) -> str:
        """What is said; blocks stand apart."""
        return "\n\n".join(self.parts)

    def add(self, text: str) -> None:
        """Take a text without what a tool put into it."""
        if "\0" in text:
            self.left_out.append("binary")
            return
        if "<" in text or text.lstrip().startswith("#"):
            clean = _INJECTED.sub("", text) if "<" in text else text
            if _AGENTS_FILE.match(clean):
                clean = ""
            if clean != text:
                self.left_out.append("injected-context")
                text = clean
        if ";base64," in text:
            clean = _DATA_URL.sub("", text)
            if clean != text:
                self.left_out.append("binary")
                text = clean
        if text.strip():
            self.parts.append(jsontext.whole_text(text) if not _is_whole(text) else text)

    def take(self, content: Any, depth: int = 0) -> None:
        """Take a message's content: a text, a block, or a list of them."""
        if isinstance(content, str):
            self.add(content)
        elif isinstance(content, list) and depth < MAX_DEPTH:
            for each in content:
                self.take(each, depth + 1)
        elif isinstance(content, dict):
            kind = BLOCKS.get(str(content.get("type", "text")), "bookkeeping")
            text = content.get("text")
            if kind == "text" and isinstance(text, str):
                self.add(text)
            elif kind != "text":
                self.left_out.append(kind)


def _is_whole(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def time_of(value: object) -> dt.datetime | None:
    """An instant from ISO 8601, or from epoch seconds or milliseconds; None where it is neither."""
    try:
        if isinstance(value, str):
            return clock.parse_instant(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return clock.from_ms(round(value if value >= 100_000_000_000 else value * 1000))
    except (ValueError, OverflowError):
        return None
    return None
