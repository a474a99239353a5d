"""The lock of a workspace's state, for every surface: one file, locked by flock(2), which is what filelock does on
POSIX as well. Where there is no flock, filelock does it.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from rcs_hooks.errors import LockTimeout

if TYPE_CHECKING:
    from types import TracebackType

    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
LOCK_SECONDS = 2.0
LOCK_PAUSE = 0.004
"""Between two tries; a hook holds the lock for a few milliseconds."""


class Lock:
    """The lock of one workspace's state, for every surface. Raises LockTimeout."""

    def __init__(self, folder: str, seconds: float = LOCK_SECONDS) -> None:
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
        deadline = time.monotonic() + self.seconds
        while not self._try():
            if time.monotonic() > deadline:
                raise LockTimeout(
                    f"the state lock {self.path} is held by another process for more than {self.seconds:g} s"
                )
            time.sleep(LOCK_PAUSE)
        return self

    def _try(self) -> bool:
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A file that was removed after we opened it locks nobody else out.
            if os.path.samestat(os.fstat(fd), os.stat(self.path, follow_symlinks=False)):
                self._fd = fd
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        except BaseException:  # an interrupt too must not leave the descriptor open; it is raised again
            os.close(fd)
            raise
        os.close(fd)
        return False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._other is not None:  # pragma: no cover - Windows
            self._other.release()
        elif self._fd is not None:
            os.close(self._fd)
            self._fd = None


def in_use(folder: str) -> bool:
    """Whether anybody has ever locked this state: if not, there is no commit to wait for."""
    return os.path.lexists(f"{folder}/{LOCK}")
