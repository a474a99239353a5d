"""The lock of a workspace's state, or of a task: one file, locked by flock(2), as filelock does on POSIX too.

Where there is no flock, filelock is used; on POSIX it is not, because its import (it loads asyncio) takes longer than a
whole hook. A test holds that the two exclude each other.

Rules of this file:
- Nobody polls. Whoever must wait waits in flock(2) itself, which wakes one process after the other. With a hundred
  hooks at once, those that try again and again take the processor from the holder, and luck chooses the next one.
- A process gives up when one holder keeps the lock for too long. If there are only many before it, it goes on waiting,
  `MOST_WAITS` times. Each holder touches the file, so a changed time says that the lock has changed hands.

flock(2) has no time limit and cannot be called off, and a signal must not be used in somebody else's program. So one
thread per process and file (`_Waiter`) does the waiting, and the threads that want the lock queue up for it (`_Turns`).
"""

from __future__ import annotations

import _thread
import errno
import os

from rcs_hooks.errors import LockTimeout, suppress
from rcs_hooks.files.folders import folders_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from filelock import BaseFileLock

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]  # asked for before each use

LOCK = ".lock"
LOCK_SECONDS = 2.0
"""How long one holder may keep the others waiting. A hook holds the lock for a few milliseconds."""
MOST_WAITS = 4
"""How many times `LOCK_SECONDS` are waited for while the lock changes hands: a client gives a hook 10 s in all."""
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class _Waiter:
    """The thread in which this process waits for a lock file.

    The wait cannot be called off. If the caller gives up, the thread goes on waiting for whoever asks next; if nobody
    does, it gives the lock back as soon as it has it.
    """

    def __init__(self) -> None:
        self._guard = _thread.allocate_lock()
        self._came = _thread.allocate_lock()
        self._came.acquire()
        self._is_waiting = False
        self._is_wanted = False
        self._fd: int | None = None

    def wait(self, fd: int, seconds: float) -> int | None:
        """Return the descriptor that has the lock, which need not be `fd`; None if it does not come in time."""
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
            why = f"another process holds the lock, and no thread can wait for it: {error}"
            raise OSError(errno.EAGAIN, why) from None
        self._is_waiting = True

    def _give_up(self, *, came: bool) -> int | None:
        """Stop waiting; return the locked descriptor if the lock came after all, else None."""
        with self._guard:
            self._is_wanted = False
            if not came:
                self._came.acquire(blocking=False)
            held, self._fd = self._fd, None
        return held

    def _block(self, fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
        except OSError:  # for the one that waits it is as if the lock never came
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
    """The threads of this process that want one lock file, first come, first served.

    Only one of them asks the file. If all did, each would take the interpreter from the holder at each of its disk
    calls, and luck would choose the next one.
    """

    def __init__(self) -> None:
        self._guard = _thread.allocate_lock()
        self._taken = False
        self._waiting: list[_thread.LockType] = []
        self.waiter = _Waiter()

    def take(self, seconds: float) -> bool:
        """Wait for the turn of this thread; tell whether it came in time."""
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
        return True  # it came between the timeout and here

    def next(self) -> None:
        """Give the turn to the thread that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.pop(0).release()
            else:
                self._taken = False


_turns: dict[str, _Turns] = {}


class Lock:
    """A lock on a folder, held inside `with`: a workspace's state, or a task. Entering raises LockTimeout.

    `seconds`: how long one holder may keep the caller waiting; 0: do not wait.
    """

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
        except BaseException:  # whatever fails, the next thread must have its turn; it is raised again
            self._turns.next()
            raise
        return self

    def _patiently(self, ask: Callable[[], int | None]) -> int | None:
        """Return what `ask` gets; None once one holder has kept the lock too long.

        Asks again while it changes hands.
        """
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
        try:
            with folders_of(self.folder) as folders:
                at = folders.open("")
                while self._fd is None:
                    fd = self._patiently(lambda: self._get(at))
                    if fd is None:
                        raise self._too_late()
                    self._take(fd, at)
        except OSError as error:
            from rcs_hooks.files import obstacles

            obstacles.check(self.folder)  # it may be able to say why, and what to type
            if error.filename == LOCK:  # as it was opened, in its folder
                error.filename = self.path
            raise

    def _get(self, at: int) -> int | None:
        """Return the descriptor of the file, locked; None if it does not come in time."""
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
        """Keep a locked descriptor, unless the file was removed since it was opened: then it locks nobody else out."""
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(fd), os.stat(LOCK, dir_fd=at, follow_symlinks=False)):
                os.utime(fd)
                self._fd = fd
                return
        os.close(fd)

    def _too_late(self) -> LockTimeout:
        return LockTimeout(self.path)

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
    """Tell whether anybody has ever locked a state folder: if not, there is no commit to wait for."""
    return os.path.lexists(f"{folder}/{LOCK}")
