"""Answers a request that the `mcp` package cannot read and would pass over in silence. PURE, and no MCP in it.

The client waits for the answer: without one, a hook holds its prompt until the client gives up.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from rcs_hooks.mcp import tools

PARSE_ERROR = -32700
SHOWN_DEPTH = 2
"""The message, and its params: what lies deeper is not needed to answer."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*"?|[\[\]{}]', re.DOTALL)
"""A text, which may lack its end, or a bracket. Never fails at a quotation mark, so a line is scanned once."""
LONGEST_ID = 200
REASONS = (
    ("recursion limit", "are nested too deeply to be read; send less, or write it to a file"),
    ("number out of range", "hold a number that is too large to be read; send it as text"),
    ("hex escape", "hold half of a surrogate pair, which is not text; send U+FFFD in its place"),
)
"""What the package's parser says, and what a person is told."""
NO_JSON = "are not JSON; send one JSON object"


class Reply(NamedTuple):
    """The answer to one request: the text of a tool's result, or else of a JSON-RPC error."""

    id: str | int
    text: str
    is_result: bool
    is_error: bool


def reply_to(line: str, fault: str) -> Reply | None:
    """Returns the answer to a line with this fault; None where it is no request, or nobody can tell whose."""
    message = outline(line)
    number = message.get("id")
    if "method" not in message or not isinstance(number, str | int) or not _is_id(number):
        return None
    reason = next((words for sign, words in REASONS if sign in fault), NO_JSON)
    why = f"the arguments {reason}"
    if message["method"] != "tools/call":
        return Reply(number, why, is_result=False, is_error=True)
    params = message.get("params")
    text, is_error = tools.unread(params.get("name") if isinstance(params, dict) else None, why)
    return Reply(number, text, is_result=True, is_error=is_error)


def outline(line: str) -> dict[str, Any]:
    """Returns a message with null for whatever lies below its params; empty where even that is not JSON."""
    parts: list[str] = []
    depth = at = 0
    for found in TOKEN.finditer(line):
        opens, closes = found[0] in "[{", found[0] in "]}"
        if depth <= SHOWN_DEPTH:
            parts.append(line[at : found.start() if opens and depth == SHOWN_DEPTH else found.end()])
        depth += opens - closes
        if closes and depth == SHOWN_DEPTH:
            parts.append("null")
        at = found.end()
    try:
        message = json.loads("".join((*parts, line[at:])), parse_int=_int)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _int(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_ID else None


def _is_id(value: str | int) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID and not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, bool)
