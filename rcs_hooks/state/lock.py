"""The lock of a workspace's state, for every surface: one file, locked by flock(2), which is what filelock does on
POSIX as well. Where there is no flock, filelock does it.

Rules of this file:
- Nobody polls. Who has to wait, waits in flock(2) itself, which wakes one after the other: with a hundred hooks at
  once, those that try again and again take the processor from the one that holds the lock, and luck chooses the next.
- Who waits gives up when one holder keeps the lock for too long, not when there are many before him.
"""

from __future__ import annotations

import _thread
import errno
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.errors import LockTimeout
from rcs_hooks.state.folders import folders_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
LOCK_SECONDS = 2.0
"""How long one holder may keep the others waiting; a hook holds the lock for a few milliseconds."""
MOST_WAITS = 4
"""So often that time is waited for, at most, while the lock goes from hand to hand: clients give a hook 10 s."""
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class _Waiter:
    """The thread in which this process waits for a lock file: flock(2) itself takes no time limit.

    A wait cannot be called off. Where the one that it is for gives up, it goes on, for whoever asks next; if nobody
    does, the lock is given back as soon as it comes.
    """

    def __init__(self) -> None:
        self._guard = _thread.allocate_lock()
        self._came = _thread.allocate_lock()
        self._came.acquire()
        self._is_waiting = False
        self._is_wanted = False
        self._fd: int | None = None

    def wait(self, fd: int, seconds: float) -> int | None:
        """The descriptor that has the lock, which need not be `fd`; None where it does not come in time."""
        with self._guard:
            self._is_wanted = True
            if self._is_waiting:
                os.close(fd)
            else:
                self._start(fd)
        came = False
        try:
            came = self._came.acquire(timeout=seconds)
        except BaseException:  # an interrupt too must not leave the descriptor open; it is raised again
            if (held := self._give_up(came=came)) is not None:
                os.close(held)
            raise
        return self._give_up(came=came)

    def _start(self, fd: int) -> None:
        try:
            _thread.start_new_thread(self._block, (fd,))
        except RuntimeError as error:
            self._is_wanted = False
            os.close(fd)
            raise OSError(errno.EAGAIN, f"the lock is held by somebody else, and nobody can wait: {error}") from None
        self._is_waiting = True

    def _give_up(self, *, came: bool) -> int | None:
        """What has come all the same, at the very end, or before it was given up."""
        with self._guard:
            self._is_wanted = False
            if not came:
                self._came.acquire(blocking=False)
            held, self._fd = self._fd, None
        return held

    def _block(self, fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        except OSError:  # to the one that waits, it does not come
            os.close(fd)
            fd = -1
        with self._guard:
            self._is_waiting = False
            if self._is_wanted:
                self._fd = None if fd < 0 else fd
                self._came.release()
            elif fd >= 0:
                os.close(fd)


class _Turns:
    """The threads of this process that want one lock file, first come, first served. Only one of them asks the
    file: if all did, each would take the interpreter from the holder at its every disk call, and luck would choose.
    """

    def __init__(self) -> None:
        self._guard = _thread.allocate_lock()
        self._taken = False
        self._waiting: list[_thread.LockType] = []
        self.waiter = _Waiter()

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
        self.folder = folder
        self.path = f"{folder}/{LOCK}"
        self.seconds = seconds
        self._fd: int | None = None
        self._turns = _turns.setdefault(self.path, _Turns())
        self._other: BaseFileLock | None = None

    def __enter__(self) -> Lock:
        if not self._patiently(lambda: self._turns.take(self.seconds) or None):
            raise self._too_late()
        try:
            self._ask_file()
        except BaseException:  # whoever fails, the next one has its turn; it is raised again
            self._turns.next()
            raise
        return self

    def _patiently(self, ask: Callable[[], int | None]) -> int | None:
        """Asks again while the lock goes from hand to hand: every holder touches the file."""
        for _ in range(MOST_WAITS):
            before = self._touched()
            got = ask()
            if got is not None or self.seconds <= 0 or self._touched() == before:
                return got
        return None

    def _touched(self) -> int:
        try:
            return os.lstat(self.path).st_mtime_ns
        except OSError:
            return 0

    def _ask_file(self) -> None:
        if fcntl is None:  # pragma: no cover - Windows
            import filelock

            self._other = filelock.FileLock(self.path, timeout=self.seconds)
            self._other.acquire()
            return
        with folders_of(self.folder) as folders:
            at = folders.open("")
            while self._fd is None:
                fd = self._patiently(lambda: self._get(at))
                if fd is None:
                    raise self._too_late()
                self._take(fd, at)

    def _get(self, at: int) -> int | None:
        """The descriptor of the file, locked; None where it does not come in time."""
        fd = os.open(LOCK, FLAGS, 0o600, dir_fd=at)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if self.seconds > 0:
                return self._turns.waiter.wait(fd, self.seconds)
            os.close(fd)
            return None
        except BaseException:  # an interrupt too must not leave the descriptor open; it is raised again
            os.close(fd)
            raise
        return fd

    def _take(self, fd: int, at: int) -> None:
        """A file that was removed after we opened it locks nobody else out."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(LOCK, dir_fd=at, follow_symlinks=False)):
                os.utime(fd)
                self._fd = fd
                return
        os.close(fd)

    def _too_late(self) -> LockTimeout:
        return LockTimeout(f"the state lock {self.path} is held by somebody else for more than {self.seconds:g} s")

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
