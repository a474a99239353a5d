"""Words and logs a failure of a hook: a sentence for the person, and a line in `.rcs/logs`."""

from __future__ import annotations

import os
import traceback

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError, Unavailable, UnsafePath, reason_of, suppress
from rcs_hooks.files.clock import iso
from rcs_hooks.files.folders import make_folders
from rcs_hooks.files.paths import HOME
from rcs_hooks.files.workspaces import is_foreign

LOGS = "logs"
LOG = "hook-errors.jsonl"
LARGEST_LOG = 256 * 1024
LONGEST_PATH = 200
APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def words(error: BaseException, *, has_changed: bool = False) -> str:
    """Return a sentence that says what failed. `has_changed`: the failure came after a commit."""
    if has_changed and isinstance(error, Unavailable):
        return error.fault
    if isinstance(error, RcsError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{str(error.filename)[:LONGEST_PATH]}: " if error.filename else "state could not be read or written: "
        return where + reason_of(error)
    return f"an error of this hook ({type(error).__name__}: {error})"


def log(root: str, event: str, why: str, error: Exception, now: float) -> None:
    """Add a failure to the log of a workspace, with the line of code that raised it. `why`: the failure in words."""
    frames = traceback.extract_tb(error.__traceback__)[-1:]
    line = {
        "at": iso(now),
        "event": event,
        "why": why,
        "where": [f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in frames],
    }
    append(root, LOG, line)


def append(root: str, name: str, line: object) -> None:
    """Add a line, as JSON, to the log `name` of a workspace that has a `.rcs`. A log that has grown large starts again.

    A log that cannot be written is ignored.
    """
    if is_foreign(root):
        return
    if not os.path.isdir(f"{root}/{HOME}"):
        return
    with suppress(OSError, ValueError, UnsafePath):
        make_folders(root, f"{HOME}/{LOGS}")
        path = f"{root}/{HOME}/{LOGS}/{name}"
        with suppress(FileNotFoundError):
            if os.lstat(path).st_size > LARGEST_LOG:
                os.replace(path, f"{path}.old")
        fd = os.open(path, APPEND, 0o600)
        try:
            os.write(fd, jsontext.dumps_line(line).encode() + b"\n")
        finally:
            os.close(fd)
