"""Makes a process group for the program of `rcs watch --exec`, that ends with us even where we are killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

SHELL = "/bin/sh"
GUARD = """trap '' HUP INT QUIT TERM TSTP TTIN TTOU
read -r pid
read -r _ && exit
[ "$pid" ] && kill -s KILL -- "-$pid" "$pid"
kill -s KILL 0"""
"""Reads the command's id, and waits for a line. If there will never be one: kills the command and its own group."""


class Group:
    """A process group for a command, whose first member is a guard.

    The guard reads from a pipe that we alone hold: where we die, of whatever, it kills the whole group, with all
    that the command has started. (PR_SET_PDEATHSIG would reach the command alone, and only on Linux.)
    """

    def __init__(self) -> None:
        self.id = 0
        """The group to join; 0 for a group of one's own, where no guard can be started."""
        self._command = 0
        self._groups: set[int] = set()
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

    def watch(self, pid: int) -> None:
        """Name the command, which has joined the group; it may leave it, for a session of its own."""
        self._command = pid
        self.id = self.id or pid
        self._groups.add(self.id)
        self._tell_guard(f"{pid}\n")

    def command_ended(self) -> None:
        """Forget the id of the command, which may soon be another program's."""
        self._command = 0

    def send(self, number: int) -> None:
        """Send a signal to all of the group, and to the one that the command has made for itself."""
        if self._command:
            with contextlib.suppress(ProcessLookupError):
                self._groups.add(os.getpgid(self._command))
        for group in self._groups - {0, os.getpgrp()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)

    def release(self) -> None:
        """Dismiss the guard; what is left of the group lives on."""
        if self._guard is None or self._guard.stdin is None:
            return
        self._tell_guard("\n\n")
        self._guard.stdin.close()
        self._guard.send_signal(signal.SIGCONT)  # a stop of the whole group has stopped it, too
        self._guard.wait()
        self._guard = None

    def _tell_guard(self, line: str) -> None:
        if self._guard and self._guard.stdin:
            with contextlib.suppress(OSError):  # the command may have killed its own group
                self._guard.stdin.write(line.encode())
