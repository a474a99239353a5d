"""What Codex writes into its transcript and tells no hook: whose turn it is, and the sandbox of the agent."""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.clients.client import text_in
from rcs_hooks.files.bounded import read_bytes, read_ends
from rcs_hooks.files.paths import HOME, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rcs_hooks.clients.client import Fields

FIRST_LINE = 4_096
HEAD, TAIL = 64 * 1024, 1024 * 1024
"""In bytes. The first turn's context is near the start; a later turn's comes before everything its agent has done."""
CONTEXT = b'"type":"turn_context"'


def is_of_subagent(path: str, session: str) -> bool:
    """Tell whether the transcript at `path` belongs to a subagent's thread, and not to the session's own.

    The first line decides if the file's name ends in an id other than the session's; if that line does not say, the
    answer is yes. A name without an id was given by a person.
    """
    import re

    name = os.path.basename(path).partition(".")[0]
    is_named_by_id = re.search(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", name, re.IGNORECASE)
    if not is_named_by_id or name.endswith(session):
        return False
    source = re.search(rb'"thread_source"\s*:\s*"(\w+)"', _first_line(path))
    return source is None or source[1] != b"user"


def _first_line(path: str) -> bytes:
    try:
        return (read_bytes(path, FIRST_LINE) or b"").partition(b"\n")[0]
    except (OSError, ValueError):
        return b""


def sandbox_excludes(fields: Fields, root: str, env: Mapping[str, str]) -> bool:
    """Tell whether the sandbox keeps the agent from writing the state in `root`, and no person is asked to allow it.

    False if the transcript does not say: an agent that was wrongly held back could not record an outcome.
    """
    context = _turn_context(text_in(fields, "transcript_path"), text_in(fields, "turn_id"))
    policy = context.get("sandbox_policy")
    if context.get("approval_policy") != "never" or not isinstance(policy, dict):
        return False
    if policy.get("type") == "read-only":
        return True
    return policy.get("type") == "workspace-write" and not _is_writable(root, context.get("cwd"), policy, env)


def _is_writable(root: str, cwd: object, policy: dict[str, Any], env: Mapping[str, str]) -> bool:
    roots = policy.get("writable_roots")
    folders = [cwd, *(roots if isinstance(roots, list) else [])]
    folders += [] if policy.get("exclude_slash_tmp") else ["/tmp"]  # noqa: S108 - Codex lets an agent write there
    folders += [] if policy.get("exclude_tmpdir_env_var") else [env.get("TMPDIR")]
    state = os.path.realpath(os.path.join(root, HOME))
    return any(inside(state, os.path.realpath(folder)) for folder in folders if isinstance(folder, str) and folder)


def _turn_context(path: str, turn: str) -> dict[str, Any]:
    """Return the context of a turn (its sandbox, its folder) from a transcript; empty if it is not found."""
    for part in _ends(path) if turn else ():
        end = len(part)
        while (at := part.rfind(CONTEXT, 0, end)) >= 0:
            end = part.rfind(b"\n", 0, at) + 1
            stop = part.find(b"\n", at)
            context = _payload_of(part[end : stop if stop >= 0 else len(part)])
            if isinstance(context, dict) and context.get("turn_id") == turn:
                return context
    return {}


def _payload_of(line: bytes) -> object:
    try:
        value = jsontext.loads(line.decode())
    except ValueError:  # the line is cut, or still being written
        return None
    return value.get("payload") if isinstance(value, dict) else None


def _ends(path: str) -> list[bytes]:
    """Return the last and the first part of a transcript, which may have gigabytes; empty if it cannot be read."""
    try:
        head, tail = read_ends(path, HEAD, TAIL) or (b"", b"")
    except (OSError, ValueError):
        return []
    return [tail, head]
