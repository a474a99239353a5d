"""Whole programs on a real terminal: its width is asked for, and a log that is followed goes on below its last line."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import RCS_HOOK, Workspace, clean_env

RCS = str(RCS_HOOK.with_name("rcs"))


class Terminal:
    """`rcs` on a terminal of so many columns."""

    def __init__(self, root: Path, columns: int, *words: str) -> None:
        self.leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = clean_env(TERM="xterm-256color")
        self.process = subprocess.Popen([RCS, *words], cwd=root, env=env, stdout=follower, stderr=follower)
        os.close(follower)
        self.seen = ""

    def until(self, text: str) -> str:
        """Read until a text has come, or until the program has ended if it is empty; return all that came."""
        with contextlib.suppress(OSError):  # the program has ended
            while not (text and text in self.seen) and (data := os.read(self.leader, 4096)):
                self.seen += data.decode()
        assert text in self.seen
        return self.seen.replace("\r\n", "\n")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


@pytest.fixture
def started() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def test_a_real_terminal_is_asked_for_its_width_and_gets_colours(workspace: Workspace, started: list[Terminal]) -> None:
    workspace.now = time.time() - 90
    workspace.prompt("$forge fix the ledger of the bank so that nobody loses a cent")
    for columns, lines in ((44, 7), (120, 4)):
        started.append(Terminal(workspace.root, columns, "status"))
        shown = started[-1].until("").rstrip("\n")
        assert "\x1b[38;5;" in shown
        plain = re.sub("\x1b\\[[0-9;]*m", "", shown).split("\n")
        assert (len(plain), max(map(len, plain)) <= columns) == (lines, True)


@pytest.mark.slow
def test_what_happens_meanwhile_is_shown_below_the_run_that_it_is_of(
    workspace: Workspace, started: list[Terminal]
) -> None:
    workspace.now = time.time() - 90
    workspace.prompt("$forge fix the ledger")
    terminal = Terminal(workspace.root, 80, "log", "--follow")
    started.append(terminal)
    terminal.until("started: starting")
    workspace.now = time.time()
    workspace.prompt("$cancel")
    shown = terminal.until("stopped by the user in starting")
    assert shown.count("fix the ledger (forge, session s1)") == 1
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.process.wait(60) == 130
