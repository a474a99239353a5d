"""What Copilot CLI writes into its transcript and tells no hook: the agent's last message, and what held a Stop."""

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
PROMPT = b'"userPromptSubmitted"'
"""The name of a prompt in its own event, which comes after the Stop before it."""
HOOK_END = b'"hook.end"'
USER = b'"user.message"'
MESSAGE = b'"assistant.message"'
BEGINS = b'"assistant.turn_start"'
"""Each request of the model begins with this event: a message before the last one is not the answer to it."""


def last_message(path: str) -> str:
    """Return the text of the last message of the agent in a transcript; empty if it cannot be read, or is not there.

    Copilot CLI writes its transcript late: at a Stop, the message may be still to come, and those before it are stale.
    """
    tail = _written(path, STOP) if path else b""
    end, begins = len(tail), max(0, tail.rfind(b'{"type":' + BEGINS))
    while (at := tail.rfind(MESSAGE, begins, end)) >= 0:
        end = tail.rfind(b"\n", 0, at) + 1
        stop = tail.find(b"\n", at)
        if text := _text_of(tail[end : stop if stop >= 0 else len(tail)]):
            return text
    return ""


def is_reason(path: str, prompt: str) -> bool:
    """Tell whether a prompt is the reason of a held Stop in a transcript, and has not come since that Stop."""
    tail = _written(path, PROMPT)
    for line in reversed(tail.splitlines()):
        if USER not in line and not (STOP in line and HOOK_END in line):
            continue
        try:
            event = jsontext.loads(line.decode())
        except ValueError:  # the line is cut, or still being written
            continue
        data = event.get("data") if isinstance(event, dict) else None
        if not isinstance(data, dict):
            continue
        if event.get("type") == "user.message" and data.get("content") == prompt:
            return False
        output = data.get("output") if event.get("type") == "hook.end" else None
        if isinstance(output, dict) and (output.get("decision"), output.get("reason")) == ("block", prompt):
            return True
    return False


def _written(path: str, event: bytes) -> bytes:
    """Return the end of a transcript once its last line names this hook event, or when that has taken too long."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            _, tail = read_ends(path, 0, TAIL) or (b"", b"")
        except (OSError, ValueError):
            return b""
        if event in tail[tail.rfind(b"\n", 0, -1) + 1 :] or time.monotonic() > until:
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
