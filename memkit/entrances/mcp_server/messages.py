"""Messages the protocol's own reader refuses, made such that a client gets an answer with its id.

The reader takes no unpaired surrogate, though an escaped one is JSON, and nothing nested deeper than it counts. Without
an answer a client would wait for ever. An unpaired surrogate becomes U+FFFD; arguments that cannot be read at all are
replaced by one whose name says why, so that the tool refuses them.
"""

from __future__ import annotations

import json
import re
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

UNREADABLE = "nested_too_deep_or_not_json"
_SURROGATE = re.compile("[\ud800-\udfff]")
_ID = re.compile(r'"id"\s*:\s*(?P<id>-?\d+|"[^"\\]*")')
_METHOD = re.compile(r'"method"\s*:\s*"(?P<method>[^"\\]*)"')
_NAME = re.compile(r'"name"\s*:\s*"(?P<name>[^"\\]*)"')


def mended(refused: Exception) -> SessionMessage | Exception:
    """The message behind what the reader refused, if its id can be told; else the refusal itself."""
    if not isinstance(refused, ValidationError):
        return refused
    line = refused.errors(include_url=False, include_context=False)[0]["input"]
    if not isinstance(line, str):
        return refused
    for text in (_without_surrogates(line), _without_arguments(line)):
        try:
            if text:
                return SessionMessage(types.jsonrpc_message_adapter.validate_json(text, by_name=False))
        except ValidationError:
            continue
    return refused


def _without_surrogates(line: str) -> str:
    try:
        return json.dumps(_plain(json.loads(line)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value


def _without_arguments(line: str) -> str:
    """The call without its arguments, by the first id, method and name in its text."""
    found = [pattern.search(line) for pattern in (_ID, _METHOD, _NAME)]
    if not all(found):
        return ""
    number, method, name = (match.group(1) for match in found if match)
    params = {"name": name, "arguments": {UNREADABLE: True}}
    return json.dumps({"jsonrpc": "2.0", "id": json.loads(number), "method": method, "params": params})
