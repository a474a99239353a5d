"""The lock of a workspace's state, for every surface: one file, locked by flock(2), which is what filelock does on
POSIX as well. Where there is no flock, filelock does it.
"""

from __future__ import annotations

import _thread
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


class _Turns:
    """The threads of this process that want one lock file, first come, first served. Only one of them asks the
    file: if all did, each would take the interpreter from the holder at its every disk call, and luck would choose.
    """

    def __init__(self) -> None:
        self._guard = _thread.allocate_lock()
        self._taken = False
        self._waiting: list[_thread.LockType] = []

    def take(self, seconds: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            turn = _thread.allocate_lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=seconds):
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        return True  # it came at the very end

    def next(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.pop(0).release()
            else:
                self._taken = False


_turns: dict[str, _Turns] = {}


class Lock:
    """The lock of one workspace's state, for every surface. Raises LockTimeout."""

    def __init__(self, folder: str, seconds: float = LOCK_SECONDS) -> None:
        self.path = f"{folder}/{LOCK}"
        self.seconds = seconds
        self._fd: int | None = None
        self._turns = _turns.setdefault(self.path, _Turns())
        self._other: BaseFileLock | None = None

    def __enter__(self) -> Lock:
        deadline = time.monotonic() + self.seconds
        if not self._turns.take(self.seconds):
            raise self._too_late()
        try:
            self._ask_file(deadline)
        except BaseException:  # whoever fails, the next one has its turn; it is raised again
            self._turns.next()
            raise
        return self

    def _ask_file(self, deadline: float) -> None:
        if fcntl is None:  # pragma: no cover - Windows
            import filelock

            self._other = filelock.FileLock(self.path, timeout=self.seconds)
            self._other.acquire()
            return
        while not self._try():
            if time.monotonic() > deadline:
                raise self._too_late()
            time.sleep(LOCK_PAUSE)

    def _too_late(self) -> LockTimeout:
        return LockTimeout(f"the state lock {self.path} is held by somebody else for more than {self.seconds:g} s")

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
        self._turns.next()


def in_use(folder: str) -> bool:
    """Whether anybody has ever locked this state: if not, there is no commit to wait for."""
    return os.path.lexists(f"{folder}/{LOCK}")
