"""Lends the terminal to a process group, as a shell lends it to a job, and takes it back."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
from functools import partial

from rcs_hooks.proof.streams import is_pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TERMINAL = "/dev/tty"


class Terminal:
    """The terminal that this process was started from; does nothing if there is none."""

    def __init__(self) -> None:
        self._restore: Callable[[], None] | None = None
        self.is_lent = False
        try:
            self._descriptor = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            self._descriptor = -1

    @property
    def is_there(self) -> bool:
        return self._descriptor >= 0

    @property
    def is_ours_alone(self) -> bool:
        """Tell whether nothing else on our command line may want to read from the terminal.

        In `rcs prove … | less` the pager does, and a command whose stdin is a file does not want it.
        """
        return os.isatty(0) and not is_pipe(1)

    def lend(self, group: int) -> bool:
        """Make a group the one that reads from the terminal and gets its Ctrl-C; return whether it is that now.

        Nothing happens where we are in the background ourselves.
        """
        if self._descriptor < 0 or self.is_lent:
            return self.is_lent
        with contextlib.suppress(OSError, termios.error):
            if os.tcgetpgrp(self._descriptor) == os.getpgrp():
                modes = termios.tcgetattr(self._descriptor)
                self._restore = partial(termios.tcsetattr, self._descriptor, termios.TCSADRAIN, modes)
                self._give(group)
                self.is_lent = True
        return self.is_lent

    def take_back(self, *, restore: bool = False) -> None:
        """Make our own group the one in the foreground again. `restore`: with the modes that it had."""
        if not self.is_lent:
            return
        self.is_lent = False
        with contextlib.suppress(OSError, termios.error):
            self._give(os.getpgrp())
            if restore and self._restore:
                self._restore()

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _give(self, group: int) -> None:
        # A process in the background is stopped by this call, unless it blocks the signal.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            os.tcsetpgrp(self._descriptor, group)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
