"""The lock of a workspace's state, or of a task: one file, locked by flock(2), as filelock does on POSIX too.

Where there is no flock, filelock is used; on POSIX it is not, because its import (it loads asyncio) takes longer than a
whole hook. A test holds that the two exclude each other.
"""

from __future__ import annotations

import os
import time

from rcs_hooks.errors import LockTimeout, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]  # asked for before each use

LOCK = ".lock"
LOCK_SECONDS = 8.0
"""How long a command waits for the lock. A hook holds it for a few milliseconds."""
HOOK_SECONDS = 2.0
"""How long a hook waits for it: a client gives a hook 10 s in all."""
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.05
"""How long to wait before another try, which is twice as long each time: a crowd must not keep the holder from work."""
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class Lock:
    """A lock on a folder, held inside `with`: a workspace's state, or a task. Entering raises LockTimeout.

    `seconds`: how long to wait for it; 0: do not wait.
    """

    def __init__(self, folder: str, seconds: float = LOCK_SECONDS) -> None:
        self.folder = folder
        self.path = f"{folder}/{LOCK}"
        self.seconds = seconds
        self._fd: int | None = None
        self._other: BaseFileLock | None = None

    def __enter__(self) -> Lock:
        if fcntl is None:  # pragma: no cover - Windows
            import filelock

            self._other = filelock.FileLock(self.path, timeout=self.seconds)
            self._other.acquire()
            return self
        until, pause = time.monotonic() + self.seconds, FIRST_PAUSE
        while (fd := _locked(self.path)) is None:
            if time.monotonic() >= until:
                raise LockTimeout(self.path)
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        self._fd = fd
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._other is not None:  # pragma: no cover - Windows
            self._other.release()
        elif self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _locked(path: str) -> int | None:
    """Open a file and lock it; None if somebody else has it.

    A file that was removed since it was opened locks nobody else out, so it does not count.
    """
    fd = os.open(path, FLAGS, 0o600)
    is_ours = False
    try:
        with suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = os.path.samestat(os.fstat(fd), os.lstat(path))
    finally:
        if not is_ours:
            os.close(fd)
    return fd if is_ours else None


def in_use(folder: str) -> bool:
    """Tell whether anybody has ever locked a state folder: if not, there is no commit to wait for."""
    return os.path.lexists(f"{folder}/{LOCK}")
