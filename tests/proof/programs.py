"""Starts a program of ours as a process, with or without a terminal, and waits for what it does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support import CHECKOUT, clean_env

LONG = 60.0
"""How long to wait for what must come, on a machine that is busy with other things."""
RUNNER = (sys.executable, "-m", "tests.proof.runner")


def wait_for(what: Callable[[], object], why: str) -> None:
    """Wait until something is true."""
    end = time.monotonic() + LONG
    while not what():
        assert time.monotonic() < end, f"waited in vain for: {why}"
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def runner_env(folder: Path, **extra: str) -> dict[str, str]:
    """Return the environment of a runner, which writes what came of its command to `result.json` in the folder."""
    return clean_env(PYTHONPATH=str(CHECKOUT), PYTHONWARNINGS="error", RESULT=str(folder / "result.json"), **extra)


class OnTerminal:
    """A program whose terminal is ours: we type, and read what it shows."""

    def __init__(self, *argv: str, cwd: Path, env: dict[str, str], rows: int = 30, columns: int = 100) -> None:
        self._ours, theirs = os.openpty()
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=env | {"TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=_take_terminal,  # noqa: PLW1509 - no other way; what it does takes no lock
        )
        os.close(theirs)
        self.shown = b""

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def expect(self, pattern: str) -> re.Match[bytes]:
        """Wait until something is shown, and take all up to its end."""
        end = time.monotonic() + LONG
        while not (found := re.search(pattern.encode(), self.shown)):
            assert time.monotonic() < end, f"waited in vain for {pattern!r}; shown: {self.shown!r}"
            self._read(0.1)
        self.shown = self.shown[found.end() :]
        return found

    def wait(self) -> int:
        """Read all that is shown until the program ends, and return its status."""
        end = time.monotonic() + LONG
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it does not end; shown: {self.shown!r}"
            self._read(0.05)
        while self._read(0.0):
            pass
        return self.process.returncode

    def hang_up(self) -> None:
        """Close the terminal."""
        if self._ours >= 0:
            os.close(self._ours)
        self._ours = -1

    def close(self) -> None:
        """End whatever still runs on this terminal."""
        self.hang_up()
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            chunk = os.read(self._ours, 65_536)
        except OSError:  # everybody else has closed it
            return False
        self.shown += chunk
        return bool(chunk)


@contextlib.contextmanager
def on_terminal(*argv: str, cwd: Path, env: dict[str, str], **size: int) -> Iterator[OnTerminal]:
    """Run a program on a terminal within a block."""
    program = OnTerminal(*argv, cwd=cwd, env=env, **size)
    try:
        yield program
    finally:
        program.close()


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
