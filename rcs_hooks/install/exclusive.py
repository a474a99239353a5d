"""Lets one setup or uninstall at a time change the files of a project and a home, and leaves no lock file behind.

The folders themselves are locked, with flock(2): they are there already, reading them is permission enough, and a
lock ends with its process, however that ends.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.clients.installer import Host

SECONDS = 10.0
"""How long to wait for the lock of one folder. Setup holds it for milliseconds; `flock . rcs setup` until we end."""
PAUSE = 0.01


@contextmanager
def exclusive(host: Host) -> Iterator[None]:
    """Keep other setups and uninstalls away from the same home and project, for the duration of a `with` block.

    If a folder cannot be locked, or not in time, the block runs all the same: each write checks again what it replaces.
    """
    with ExitStack() as held:
        for folder in sorted({os.path.realpath(top) for top in (host.home, host.root)}):  # the same order for everybody
            with suppress(OSError):
                fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                held.callback(os.close, fd)
                _lock(fd)
        yield


def _lock(fd: int) -> None:
    """Lock an open folder; return without the lock after `SECONDS`. Raises OSError if the file system has no locks."""
    end = time.monotonic() + SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                return
        time.sleep(PAUSE)
