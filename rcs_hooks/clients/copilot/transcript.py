"""What Copilot CLI writes into its transcript and tells no hook: the agent's last message."""

from __future__ import annotations

import time

from rcs_hooks import jsontext
from rcs_hooks.files.bounded import read_ends

TAIL = 256 * 1024
"""In bytes: after the last message come only a few short events."""
PATIENCE, LOOK = 0.25, 0.02
"""In seconds: the transcript is written within a tenth of a second after the Stop."""
STOP = b'"agentStop"'
"""The name of the Stop in its own event, which comes after the last message."""
MESSAGE = b'"assistant.message"'
BEGINS = b'"assistant.turn_start"'
"""Each request of the model begins with this event: a message before the last one is not the answer to it."""


def last_message(path: str) -> str:
    """Return the text of the last message of the agent in a transcript; empty if it cannot be read, or is not there.

    Copilot CLI writes its transcript late: at a Stop, the message may be still to come, and those before it are stale.
    """
    tail = _written(path) if path else b""
    end, begins = len(tail), max(0, tail.rfind(b'{"type":' + BEGINS))
    while (at := tail.rfind(MESSAGE, begins, end)) >= 0:
        end = tail.rfind(b"\n", 0, at) + 1
        stop = tail.find(b"\n", at)
        if text := _text_of(tail[end : stop if stop >= 0 else len(tail)]):
            return text
    return ""


def _written(path: str) -> bytes:
    """Return the end of a transcript once it tells of the Stop itself, or when that has taken too long."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            _, tail = read_ends(path, 0, TAIL) or (b"", b"")
        except (OSError, ValueError):
            return b""
        if STOP in tail[tail.rfind(b"\n", 0, -1) + 1 :] or time.monotonic() > until:
            return tail
        time.sleep(LOOK)


def _text_of(line: bytes) -> str:
    try:
        event = jsontext.loads(line.decode())
    except ValueError:  # the line is cut, or still being written
        return ""
    data = event.get("data") if isinstance(event, dict) and event.get("type") == "assistant.message" else None
    text = data.get("content") if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""
