"""Answers the lines that the `mcp` package cannot read and silently drops. Pure, and imports no `mcp`.

A client waits for the answer to a request: a hook without one holds its prompt until the client gives up. A
notification, a response and a blank line get no answer.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from rcs_hooks.mcp import tools

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
SHOWN_DEPTH = 2
"""How deep a message is read: its own keys and those of its params are enough to answer it."""
TOKEN = re.compile(r'"(?:[^"\\]|\\.?)*"?|[\[\]{}]', re.DOTALL)
"""A bracket or a string, even an unfinished one, so that every quotation mark matches and a line is scanned once."""
LONGEST_ID = 200
REASONS = (
    ("recursion limit", "are nested too deeply to be read; send less, or write it to a file"),
    ("number out of range", "hold a number that is too large to be read; send it as text"),
    ("hex escape", "hold half of a surrogate pair, which is not text; send U+FFFD in its place"),
)
"""Parts of what the `mcp` package's parser reports, each with our words for it."""
NO_JSON = "are not JSON; send one JSON object"
NO_MESSAGE = "the line is not JSON; send one JSON object on each line"
BOM = "\ufeff"
CUT_OFF = ("}", "}}")
"""The closing brackets that may be missing at the end of a message that was cut off."""


class LineAnswer(NamedTuple):
    """The answer to one unreadable line: a tool's result or a JSON-RPC error."""

    id: str | int | None
    """The request's id; None if it cannot be read."""
    text: str
    code: int | None = None
    """The code of a JSON-RPC error; None for a tool's result."""
    is_error: bool = True


def reply_to(line: str, fault: str) -> LineAnswer | None:
    """Return the answer to a line that the `mcp` package's parser cannot read; None if the client expects none.

    `fault`: what the parser reported.
    """
    if not line.strip():
        return None
    message = outline(line)
    number = _id_in(message)
    if number is None:
        return LineAnswer(None, NO_MESSAGE, PARSE_ERROR) if "id" in message or not message else None
    if "method" not in message:
        return None
    reason = next((words for sign, words in REASONS if sign in fault), NO_JSON)
    why = f"the arguments {reason}"
    if message["method"] != "tools/call":
        return LineAnswer(number, why, PARSE_ERROR)
    params = message.get("params")
    text, is_error = tools.unread(params.get("name") if isinstance(params, dict) else None, why)
    return LineAnswer(number, text, is_error=is_error)


def reply_to_invalid(message: object) -> LineAnswer | None:
    """Return the answer to JSON that is not a valid message; None if the client expects no answer."""
    if not isinstance(message, dict):
        return LineAnswer(None, "a message is one JSON object; there are no batches", INVALID_REQUEST)
    if "result" in message or "error" in message or ("method" in message and "id" not in message):
        return None
    return LineAnswer(_id_in(message), f"no valid JSON-RPC request: {_fault_of(message)}", INVALID_REQUEST)


def _fault_of(message: dict[str, Any]) -> str:
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if not isinstance(message.get("method"), str):
        return "method must be text"
    return "params must be an object"


def outline(line: str) -> dict[str, Any]:
    """Return a message with null in place of all that is nested below its params; empty if even that is not JSON."""
    parts: list[str] = []
    depth = at = 0
    for token in TOKEN.finditer(line):
        opens, closes = token[0] in "[{", token[0] in "]}"
        if depth <= SHOWN_DEPTH:
            parts.append(line[at : token.start() if opens and depth == SHOWN_DEPTH else token.end()])
        depth += opens - closes
        if closes and depth == SHOWN_DEPTH:
            parts.append("null")
        at = token.end()
    shown = "".join((*parts, line[at:])).strip().removeprefix(BOM)
    messages = (_first_of(shown + end) for end in ("", *CUT_OFF))
    return next((message for message in messages if message), {})


def _first_of(text: str) -> dict[str, Any]:
    """Return the object at the start of a text, and ignore what follows it; empty if there is none."""
    try:
        message, _ = json.JSONDecoder(parse_int=_int).raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def _id_in(message: dict[str, Any]) -> str | int | None:
    number = message.get("id")
    return number if isinstance(number, str | int) and _is_id(number) else None


def _int(digits: str) -> int | None:
    return int(digits) if len(digits) <= LONGEST_ID else None


def _is_id(value: str | int) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID and not any("\ud800" <= char <= "\udfff" for char in value)
    return not isinstance(value, bool)
