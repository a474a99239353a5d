"""Tells whether the agent's shell can write the state, by what Codex notes of its sandbox in the transcript.

A hook runs outside of that sandbox, and its payload does not name it. Each turn's `turn_context` line does, with the
turn's id; where that line is not found, or says what is not known here, the agent can write as far as we know.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.state.files import READ_FLAGS
from rcs_hooks.state.paths import HOME, inside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.hook.call import Payload

HEAD, TAIL = 64 * 1024, 1024 * 1024
"""The first turn's line is near the start; that of a later one stands before all that its agent has done."""
KIND = b'"type":"turn_context"'


def shuts_out(payload: Payload, root: str, env: Mapping[str, str]) -> bool:
    """Tell whether no command of the agent can record an outcome, and nobody is asked to let it."""
    context = _context(payload.transcript, payload.turn)
    policy = context.get("sandbox_policy")
    if context.get("approval_policy") != "never" or not isinstance(policy, dict):
        return False
    if policy.get("type") == "read-only":
        return True
    return policy.get("type") == "workspace-write" and not _is_writable(root, context.get("cwd"), policy, env)


def _is_writable(root: str, cwd: object, policy: dict[str, Any], env: Mapping[str, str]) -> bool:
    roots = policy.get("writable_roots")
    folders = [cwd, *(roots if isinstance(roots, list) else [])]
    folders += [] if policy.get("exclude_slash_tmp") else ["/tmp"]  # noqa: S108 - what Codex lets an agent write
    folders += [] if policy.get("exclude_tmpdir_env_var") else [env.get("TMPDIR")]
    state = os.path.realpath(os.path.join(root, HOME))
    return any(inside(state, os.path.realpath(folder)) for folder in folders if isinstance(folder, str) and folder)


def _context(path: str, turn: str | None) -> dict[str, Any]:
    """The line of this turn; empty where it is not found. Never waits, and reads a bounded part."""
    for part in _parts(path) if turn else ():
        end = len(part)
        while (at := part.rfind(KIND, 0, end)) >= 0:
            end = part.rfind(b"\n", 0, at) + 1
            stop = part.find(b"\n", at)
            payload = _payload(part[end : stop if stop >= 0 else len(part)])
            if isinstance(payload, dict) and payload.get("turn_id") == turn:
                return payload
    return {}


def _payload(line: bytes) -> object:
    try:
        value = jsontext.loads(line.decode())
    except ValueError:  # cut, or still being written
        return None
    return value.get("payload") if isinstance(value, dict) else None


def _parts(path: str) -> list[bytes]:
    try:
        fd = os.open(path, READ_FLAGS)
    except (OSError, ValueError):
        return []
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return []
        start = max(0, status.st_size - TAIL)
        return [os.pread(fd, TAIL, start), os.pread(fd, HEAD, 0) if start else b""]
    except OSError:
        return []
    finally:
        os.close(fd)
