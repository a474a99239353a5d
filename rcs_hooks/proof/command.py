"""Runs a command for `rcs prove`, with the exit status, the output and the signals that it would have."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time

from rcs_hooks.errors import reason_of
from rcs_hooks.proof.exit_status import SIGNALLED, TIMED_OUT, CommandNotFound, NotRunnable
from rcs_hooks.proof.signals import Signals
from rcs_hooks.proof.streams import Output, open_standard
from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GRACE = 5.0
"""How long a command that has run out of time may take to end, in seconds."""
SILENCE, MOST_AFTERWARDS = 0.3, 2.0
"""How long output of what the command has left behind is waited for, and how long it is passed on."""
PAUSE = 0.05
SHELL = "/bin/sh"
NO_PAGER = {"PAGER": "cat", "GIT_PAGER": "cat"}
"""A pager would read keys from the terminal that it writes to, and that one has none."""
TYPED = (signal.SIGINT, signal.SIGQUIT)
"""What a terminal sends to all of our process group, when somebody types Ctrl-C or Ctrl-\\."""
FROM_TERMINAL = (signal.SIGHUP, *TYPED)
NAME_LENGTH = 200
OF_SHELL = frozenset(("cd", "export", "source", ".", "set", "unset", "alias", "eval", "ulimit"))
"""Words that only a shell carries out."""


class Ran(NamedTuple):
    """What came of a command."""

    exit: int
    """Its exit status; 128 + N if a signal ended it, 124 if the time ran out."""
    seconds: float
    tail: bytes
    """The last 4,096 bytes of what it wrote."""
    timed_out: bool = False
    signal: int = 0
    """The signal that ended the command, or that came to us meanwhile; 0 for none."""
    is_interrupted: bool = False
    """Whether somebody ended it: from the terminal, as by Ctrl-C, or by a signal to us."""
    output_lost: str = ""
    """Why not all of the output could be passed on; empty if it was."""


def run(
    argv: Sequence[str], *, cwd: str, env: Mapping[str, str], seconds: float | None = None, to_stderr: bool = False
) -> Ran:
    """Run a command to its end. `seconds`: how long it may take. `to_stderr`: pass all its output on to stderr.

    Only in the main thread, as it handles signals. Raises CommandNotFound or NotRunnable.
    """
    open_standard()
    with Signals() as signals:
        output = Output(to_stderr=to_stderr)
        try:
            return _Running(argv, cwd, env, signals, output).finish(seconds)
        finally:
            output.close()


class _Running:
    """A command while it runs.

    Where stdin is a terminal, it stays in our process group: what is typed there, as Ctrl-C, reaches both of us.
    Elsewhere it gets a session of its own, which is ended as a whole, and in which no terminal can stop it.
    """

    def __init__(self, argv: Sequence[str], cwd: str, env: Mapping[str, str], signals: Signals, output: Output) -> None:
        """Start it."""
        self._signals = signals
        self._output = output
        self._passed_on = 0
        self._has_group = not os.isatty(0)
        self._began = time.monotonic()
        env = {**env, **(NO_PAGER if output.is_terminal else {})}
        self._process = _start(argv, cwd, env, output.inner, has_group=self._has_group)
        output.started()

    def finish(self, seconds: float | None) -> Ran:
        """Wait until the command has ended, and pass on what it writes."""
        timed_out = not self._ends_before(None if seconds is None else self._began + seconds)
        kill_at = time.monotonic() + GRACE
        if timed_out:
            self._terminate(kill_at)
        took = time.monotonic() - self._began
        if timed_out and self._has_group:
            self._end_group(kill_at)
        self._drain()
        return self._result(took, timed_out=timed_out)

    def _ends_before(self, moment: float | None) -> bool:
        """Pass on output and signals until the command has ended, or until a moment; return whether it has ended."""
        while not self._has_ended():
            left = None if moment is None else moment - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._output.wait(self._signals.wakeup, left)
        return True

    def _has_ended(self) -> bool:
        has_ended = self._process.poll() is not None
        for number in self._signals.take():  # also those that came while it ended
            self._passed_on = number
            if self._has_group or number not in TYPED:
                self._send(number)
                self._send(signal.SIGCONT)
        return has_ended

    def _terminate(self, kill_at: float) -> None:
        """End the command: kill it, if it has not ended until then."""
        self._send(signal.SIGTERM)
        self._send(signal.SIGCONT)
        if not self._ends_before(kill_at):
            self._send(signal.SIGKILL)
            self._ends_before(None)

    def _end_group(self, kill_at: float) -> None:
        """Give what the command has left behind until then to end, and kill the rest."""
        while time.monotonic() < kill_at and self._send(0):
            self._output.wait(self._signals.wakeup, PAUSE)
        self._send(signal.SIGKILL)

    def _send(self, number: int) -> bool:
        """Send a signal to the command, with its group if that is its own; return whether that is there."""
        try:
            if self._has_group:
                os.killpg(self._process.pid, number)
            else:
                self._process.send_signal(number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _result(self, took: float, *, timed_out: bool) -> Ran:
        self._output.close()
        ended_by = max(0, -self._process.returncode)
        own = SIGNALLED + ended_by if ended_by else self._process.returncode
        number = ended_by or self._passed_on
        if timed_out:
            own = TIMED_OUT
        elif self._passed_on and own == 0:  # a server that ends in peace when it is asked to has passed nothing
            own = SIGNALLED + self._passed_on
        is_interrupted = not timed_out and (self._passed_on > 0 or ended_by in FROM_TERMINAL)
        return Ran(own, took, self._output.tail, timed_out, number, is_interrupted, self._output.lost)

    def _drain(self) -> None:
        """Pass on what is still to come; not for long, as something that was left behind may keep the stream open."""
        ended = heard = time.monotonic()
        while self._output.is_open:
            now = time.monotonic()
            over = min(heard + SILENCE, ended + MOST_AFTERWARDS)
            if now >= over and not self._output.is_pending:
                break
            if self._output.wait(self._signals.wakeup, None if self._output.is_pending else over - now):
                heard = time.monotonic()
            if self._signals.take():  # whoever wants an end of this does not want to wait for a reader
                break


def _start(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], inner: tuple[int, int], *, has_group: bool
) -> subprocess.Popen[bytes]:
    if not os.path.isdir(cwd):
        raise NotRunnable(f"the folder {cwd} is not there, so nothing can run in it")
    if not argv[0]:
        raise CommandNotFound("the command is an empty word")
    try:
        try:
            return _spawn(argv, cwd, env, inner, has_group=has_group)
        except OSError as error:
            path = shutil.which(argv[0], path=env.get("PATH", os.defpath)) if error.errno == errno.ENOEXEC else None
            if path is None:
                raise
            return _spawn(
                [SHELL, path, *argv[1:]], cwd, env, inner, has_group=has_group
            )  # as execvp and every shell do
    except FileNotFoundError:
        raise CommandNotFound(_not_found(argv, cwd)) from None
    except OSError as error:
        raise NotRunnable(f"`{clean(argv[0], NAME_LENGTH)}` cannot be run: {reason_of(error)}") from None


def _spawn(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], inner: tuple[int, int], *, has_group: bool
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd=cwd, env=env, stdout=inner[0], stderr=inner[1], start_new_session=has_group)


def _not_found(argv: Sequence[str], cwd: str) -> str:
    name = clean(argv[0], NAME_LENGTH)
    is_line = len(argv) == 1 and " " in argv[0].strip()
    if is_line or argv[0] in OF_SHELL or "=" in argv[0]:
        return f"there is no command `{name}`; a line for a shell is run by: sh -c '…'"
    if "/" in argv[0] and os.path.exists(os.path.join(cwd, argv[0])):
        return f"`{name}` cannot be run: its first line names a program that is not there"
    return f"there is no command `{name}`"
