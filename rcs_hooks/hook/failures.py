"""What a failed hook leaves behind: a sentence for the person, and a line in `.rcs/logs`."""

from __future__ import annotations

import os
import traceback
from contextlib import suppress

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError, UnsafePath
from rcs_hooks.state.clock import iso
from rcs_hooks.state.folders import Folders
from rcs_hooks.state.paths import HOME, is_foreign

LOGS = "logs"
LOG = "hook-errors.jsonl"
LARGEST_LOG = 256 * 1024
LONGEST_SHOWN = 200
"""Of a path that the system refused."""
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def words(error: BaseException) -> str:
    """A failure in one sentence."""
    if isinstance(error, RcsError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{str(error.filename)[:LONGEST_SHOWN]}: " if error.filename else "state could not be read or written: "
        return where + (error.strerror or str(error)).lower()
    return f"an error of this hook ({type(error).__name__}: {error})"


def log(root: str, event: str, why: str, error: Exception, now: float) -> None:
    """Where a `.rcs` is there and can be written; a log that has grown large starts over."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    line = {
        "at": iso(now),
        "event": event,
        "why": why,
        "where": [f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in place],
    }
    append(root, LOG, line)


def append(root: str, name: str, line: object) -> None:
    """One line for one of the logs, where a `.rcs` is there. A log that cannot be written is no reason to fail."""
    if is_foreign(root):
        return
    with suppress(OSError, ValueError, UnsafePath), Folders(root, HOME) as folders:
        logs = folders.open(LOGS, make=True)
        with suppress(FileNotFoundError):
            if os.stat(name, dir_fd=logs, follow_symlinks=False).st_size > LARGEST_LOG:
                os.replace(name, f"{name}.old", src_dir_fd=logs, dst_dir_fd=logs)
        fd = os.open(name, APPEND, 0o600, dir_fd=logs)
        try:
            os.write(fd, jsontext.dumps_line(line).encode() + b"\n")
        finally:
            os.close(fd)
