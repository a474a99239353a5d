"""What Gemini CLI writes into its transcript and tells no hook: how a turn has ended."""

from __future__ import annotations

from rcs_hooks import jsontext
from rcs_hooks.files.bounded import read_ends
from rcs_hooks.files.clock import seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TAIL = 4 * 1024 * 1024
"""In bytes: when the person stops the agent, the whole conversation is written once more."""
NO_MESSAGE = b'{"$set"'
"""The beginning of a line that is no message."""
KEYS = ("type", "content", "timestamp")
CANCELLED = "Request cancelled."
HELD = "Agent execution blocked: "
AT_ONCE = 2.0
"""In seconds: a continuation comes at once, while a person has to read first that the Stop was held."""


def was_cancelled(path: str) -> bool:
    """Tell whether the last message in a transcript is that the person has stopped the agent.

    False if that cannot be read: such a Stop is held at most once, and the model is not asked.
    """
    kind, content, _ = next(_messages(path), ("", "", ""))
    return (kind, content) == ("info", CANCELLED)


def was_held(path: str, now: str) -> bool:
    """Tell whether a transcript ends with a Stop that was held just before this moment, and has no prompt since.

    With `-p` it says nothing of a held Stop.
    """
    for kind, content, at in _messages(path):
        if kind == "warning" and content.startswith(HELD):
            held, came = seconds(at), seconds(now)
            return held is not None and came is not None and 0 <= came - held < AT_ONCE
        if kind != "info" or content == CANCELLED:
            return False
    return False


def _messages(path: str) -> Iterator[tuple[str, str, str]]:
    """Yield the type, the text and the time of the last messages in a transcript, the newest first.

    It ends at a line that is cut or still being written; a transcript that cannot be read yields nothing.
    """
    try:
        _, tail = (read_ends(path, 0, TAIL) if path else None) or (b"", b"")
    except (OSError, ValueError):
        return
    end = len(tail)
    while end > 0:
        start = tail.rfind(b"\n", 0, end - 1) + 1
        line = tail[start:end].strip()
        end = start
        if not line or line.startswith(NO_MESSAGE):
            continue
        try:
            message = jsontext.loads(line.decode())
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        kind, content, at = (value if isinstance(value := message.get(key), str) else "" for key in KEYS)
        yield kind, content, at
