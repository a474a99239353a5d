"""Catches the signals that are meant for a command which this process runs."""

from __future__ import annotations

import fcntl
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType

PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)


class Signals:
    """Notes the signals that come, within a block, and makes a descriptor readable with each of them.

    What was ignored stays ignored, as under `nohup`.
    """

    def __enter__(self) -> Signals:
        self._came: list[int] = []
        self.wakeup, self._inner = os.pipe()
        for end in (self.wakeup, self._inner):
            fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_NONBLOCK)
        self._before = {}
        for number in (*PASSED_ON, signal.SIGCHLD):
            if number == signal.SIGCHLD or signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        self._wakeup_before = signal.set_wakeup_fd(self._inner, warn_on_full_buffer=False)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        os.close(self.wakeup)
        os.close(self._inner)

    def take(self) -> list[int]:
        """Return the signals for the command that have come since the last call."""
        came = []
        while self._came:
            came.append(self._came.pop(0))
        return came

    def _note(self, number: int, _: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self._came.append(number)


def end_as_interrupted(status: int) -> None:
    """End this process by Ctrl-C, if that has ended its command: a shell ends its loop only then."""
    if status == 128 + signal.SIGINT and sys.stdin is not None and sys.stdin.isatty():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
