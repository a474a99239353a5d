"""Checks whether a process holds on to the lock of a workspace's state. Creates and changes no lock file."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

from rcs_hooks.clients.check import BROKEN, Check
from rcs_hooks.files.bounded import open_regular
from rcs_hooks.files.lock import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = 0.5
"""How long the lock may be held before that is reported: a hook holds it for a few milliseconds."""
PAUSE = 0.004


def checks(folder: str, seconds: float = SECONDS) -> Iterator[Check]:
    """Yield a check of what is wrong with the lock; nothing if there is no lock or it comes free within `seconds`."""
    path = f"{folder}/{LOCK}"
    try:
        fd = open_regular(path)
    except FileNotFoundError:
        return
    except OSError as error:
        yield Check("lock", BROKEN, f"{path}: {(error.strerror or '').lower()}", f"remove {path}")
        return
    if fd is None:
        yield Check("lock", BROKEN, f"{path}: it is not a file that you can write", f"remove {path}")
        return
    try:
        if not os.access(path, os.R_OK | os.W_OK):
            yield Check("lock", BROKEN, f"{path}: it is not a file that you can write", f"remove {path}")
        elif not _comes_free(fd, seconds):
            found = f"{path} is held by another process and does not come free"
            yield Check("lock", BROKEN, found, f"find it with `fuser {path}`, and end it if it hangs")
    finally:
        os.close(fd)


def _comes_free(fd: int, seconds: float) -> bool:
    """Tell whether the lock comes free in time.

    It is taken as a shared lock, so that two checks do not block each other.
    """
    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
    return True
