"""What a failed hook leaves behind: a sentence for the person, and a line in `.rcs/logs`."""

from __future__ import annotations

import os
import traceback
from contextlib import suppress

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError
from rcs_hooks.state.clock import iso
from rcs_hooks.state.paths import HOME, inside

LOG = "hook-errors.jsonl"
LARGEST_LOG = 256 * 1024
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def words(error: BaseException) -> str:
    """A failure in one sentence."""
    if isinstance(error, RcsError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else "state could not be read or written: "
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
    """One line for one of the logs. A log that cannot be written is no reason to fail."""
    home = f"{root}/{HOME}"
    with suppress(OSError, ValueError):
        real_home = os.path.realpath(home)
        if not (os.path.isdir(home) and inside(real_home, os.path.realpath(root))):
            return
        if not inside(os.path.realpath(f"{home}/logs"), real_home):
            return
        os.makedirs(f"{home}/logs", mode=0o700, exist_ok=True)
        path = f"{home}/logs/{name}"
        with suppress(FileNotFoundError):
            if os.lstat(path).st_size > LARGEST_LOG:
                os.replace(path, f"{path}.old")
        fd = os.open(path, APPEND, 0o600)
        try:
            os.write(fd, jsontext.dumps_line(line).encode() + b"\n")
        finally:
            os.close(fd)
