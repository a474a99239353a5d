"""What Copilot CLI writes into its transcript and tells no hook: the agent's last message."""

from __future__ import annotations

from rcs_hooks import jsontext
from rcs_hooks.files.bounded import read_ends

TAIL = 256 * 1024
"""In bytes: after the last message come only a few short events."""
MESSAGE = b'"assistant.message"'


def last_message(path: str) -> str:
    """Return the text of the last message of the agent in a transcript; empty if it cannot be read."""
    if not path:
        return ""
    try:
        _, tail = read_ends(path, 0, TAIL) or (b"", b"")
    except (OSError, ValueError):
        return ""
    end = len(tail)
    while (at := tail.rfind(MESSAGE, 0, end)) >= 0:
        end = tail.rfind(b"\n", 0, at) + 1
        stop = tail.find(b"\n", at)
        if text := _text_of(tail[end : stop if stop >= 0 else len(tail)]):
            return text
    return ""


def _text_of(line: bytes) -> str:
    try:
        event = jsontext.loads(line.decode())
    except ValueError:  # the line is cut, or still being written
        return ""
    data = event.get("data") if isinstance(event, dict) and event.get("type") == "assistant.message" else None
    text = data.get("content") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""
