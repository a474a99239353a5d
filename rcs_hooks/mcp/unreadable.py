"""Answers the lines that are not JSON, or hold what cannot be read. Pure.

A client waits for the answer to a request: a hook without one holds its prompt until the client gives up. A
notification and a response get no answer.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rcs_hooks.mcp import tools
from rcs_hooks.mcp.protocol import OF_EACH_RESULT, PARSE_ERROR, VERSION_KEY, called, error, result

if TYPE_CHECKING:
    from rcs_hooks.mcp.protocol import Message

SHOWN_DEPTH = 2
"""How deep a message is read: its own keys and those of its params are enough to answer it."""
TOKEN = re.compile(r'"[^"\\]*(?:\\.?[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
"""A bracket or a string, even an unfinished one, so that every quotation mark matches and a line is scanned once."""
LONGEST_ID = 200
REASONS = (
    ("nested too deeply", "are nested too deeply to be read; send less, or write it to a file"),
    ("too large", "hold a number that is too large to be read; send it as text"),
)
"""Parts of what `jsontext` says of a text, each with our words for it."""
NO_JSON = "are not JSON; send one JSON object"
NO_MESSAGE = "the line is not JSON; send one JSON object on each line"
BOM = "\ufeff"
CUT_OFF = ("}", "}}")
"""The closing brackets that may be missing at the end of a message that was cut off."""


def answer_to(line: str, fault: str) -> Message | None:
    """Return the answer to a line that cannot be read as JSON; None if the client expects none.

    `fault`: what `jsontext` says of it.
    """
    message = outline(line)
    number = _id_in(message)
    if number is None:
        return error(None, PARSE_ERROR, NO_MESSAGE) if "id" in message or not message else None
    if "method" not in message:
        return None
    reason = next((words for sign, words in REASONS if sign in fault), NO_JSON)
    why = f"the arguments {reason}"
    if message["method"] != "tools/call":
        return error(number, PARSE_ERROR, why)
    params = message.get("params")
    value = called(*tools.unread(params.get("name") if isinstance(params, dict) else None, why))
    return result(number, value | OF_EACH_RESULT if VERSION_KEY in line else value)


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
