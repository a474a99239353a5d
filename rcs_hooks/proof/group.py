"""A process group for a command, that ends with us even where we are killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

SHELL = "/bin/sh"
GUARD = "trap '' HUP INT QUIT TERM TSTP TTIN TTOU; read -r _ || kill -s KILL 0"
"""Waits for a line; kills its own group if there will never be one."""


class Group:
    """A process group, whose first member is a guard.

    The guard reads from a pipe that we alone hold: where we die, of whatever, it ends the whole group, what the command
    has started included. (PR_SET_PDEATHSIG would reach the command alone, and only on Linux.)
    """

    def __init__(self) -> None:
        self.id = 0
        """The group to join; 0 for a group of one's own, where no guard can be started."""
        self._guard: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):
            self._guard = subprocess.Popen(
                [SHELL, "-c", GUARD],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                process_group=0,
                bufsize=0,
            )
            self.id = self._guard.pid

    def send(self, number: int) -> None:
        """Send a signal to all of the group."""
        if not self.id:  # which would be our own group
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.id, number)

    def release(self) -> None:
        """Dismiss the guard; what is left of the group lives on."""
        if self._guard is None or self._guard.stdin is None:
            return
        with self._guard.stdin as pipe, contextlib.suppress(OSError):  # the command may have killed its own group
            pipe.write(b"\n")
        self._guard.send_signal(signal.SIGCONT)  # a stop of the whole group has stopped it, too
        self._guard.wait()
        self._guard = None

    def has_members(self) -> bool:
        """Tell whether something of the group is left, the guard included."""
        try:
            os.killpg(self.id, 0)
        except OSError:
            return False
        return True
