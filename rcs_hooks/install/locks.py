"""Whether somebody keeps the lock of a workspace's state, and who. Makes no lock file, and changes none."""

from __future__ import annotations

import os
import stat
import time
from typing import TYPE_CHECKING

from rcs_hooks.install.check import BROKEN, Check
from rcs_hooks.state.files import READ_FLAGS
from rcs_hooks.state.lock import LOCK
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

SECONDS = 0.5
"""A hook holds the lock for a few milliseconds."""
PAUSE = 0.004
LOCKS = "/proc/locks"


def checks(folder: str, seconds: float = SECONDS) -> Iterator[Check]:
    path = f"{folder}/{LOCK}"
    try:
        fd = os.open(path, READ_FLAGS)
    except FileNotFoundError:
        return
    except OSError as error:
        yield Check("lock", BROKEN, f"{path}: {(error.strerror or '').lower()}", f"remove {path}")
        return
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or not os.access(path, os.R_OK | os.W_OK):
            yield Check("lock", BROKEN, f"{path}: it is no file that you can write", f"remove {path}")
        elif not _comes_free(fd, seconds):
            yield _held(path, os.fstat(fd))
    finally:
        os.close(fd)


def _comes_free(fd: int, seconds: float) -> bool:
    """Shared, so that two who look are not in each other's way."""
    until = time.monotonic() + seconds
    while fcntl is not None:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
    return True


def _held(path: str, status: os.stat_result) -> Check:
    holder = _holder(status)
    if not holder:
        found = f"{path} is held by another process all the while"
        return Check("lock", BROKEN, found, f"find it with `fuser {path}`, and end it if it hangs")
    found = f"{path} is held by process {holder}{_name(holder)} all the while"
    return Check("lock", BROKEN, found, f"look at it with `ps -p {holder}`, and end it if it hangs")


def _holder(status: os.stat_result, locks: str = LOCKS) -> str:
    """Where the system tells: Linux does, for most file systems. The device too: inodes are only told apart on one."""
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        with open(locks, encoding="ascii", errors="replace") as lines:
            fields = [line.split() for line in lines]
    except OSError:
        return ""
    held = (each for each in fields if len(each) > 5 and each[1] == "FLOCK" and each[5] == file)
    return next((each[4] for each in held if each[4].isdigit() and each[4] != "0"), "")


def _name(process: str) -> str:
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as file:
            return f" ({clean(file.read())})"
    except OSError:
        return ""
