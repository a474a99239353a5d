"""What Gemini CLI writes into its transcript and tells no hook: that the person has stopped the agent."""

from __future__ import annotations

from rcs_hooks import jsontext
from rcs_hooks.files.bounded import read_ends

TAIL = 4 * 1024 * 1024
"""In bytes: when the person stops the agent, the whole conversation is written once more."""
NO_MESSAGE = b'{"$set"'
"""The beginning of a line that is no message."""
CANCELLED = "Request cancelled."


def was_cancelled(path: str) -> bool:
    """Tell whether the last message in a transcript is that the person has stopped the agent.

    False if that cannot be read: such a Stop is held at most once, and the model is not asked.
    """
    if not path:
        return False
    try:
        _, tail = read_ends(path, 0, TAIL) or (b"", b"")
    except (OSError, ValueError):
        return False
    end = len(tail)
    while end > 0:
        start = tail.rfind(b"\n", 0, end - 1) + 1
        line = tail[start:end].strip()
        if line and not line.startswith(NO_MESSAGE):
            return _is_cancellation(line)
        end = start
    return False


def _is_cancellation(line: bytes) -> bool:
    try:
        message = jsontext.loads(line.decode())
    except ValueError:  # the line is cut, or still being written
        return False
    return isinstance(message, dict) and (message.get("type"), message.get("content")) == ("info", CANCELLED)
