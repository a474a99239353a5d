"""Tells a subagent's turn by its transcript: Codex names no agent to a hook that is an MCP tool."""

from __future__ import annotations

import os
import re
import stat

from rcs_hooks.state.files import READ_FLAGS

MOST_READ = 4_096
ID_AT_END = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
SOURCE = re.compile(rb'"thread_source"\s*:\s*"(\w+)"')


def is_of_subagent(transcript: str, session: str) -> bool:
    """Whether the transcript is another thread's than the session's own. What its first line says goes before its
    name; a name without an id is a person's."""
    name = os.path.basename(transcript).partition(".")[0]
    if not ID_AT_END.search(name) or name.endswith(session):
        return False
    said = SOURCE.search(_first_line(transcript))
    return said is None or said[1] != b"user"


def _first_line(path: str) -> bytes:
    """The start of it; empty where the file is not there yet, or is nothing to be read. Never waits."""
    try:
        fd = os.open(path, READ_FLAGS)
    except (OSError, ValueError):
        return b""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return b""
        return os.read(fd, MOST_READ).partition(b"\n")[0]
    except OSError:
        return b""
    finally:
        os.close(fd)
