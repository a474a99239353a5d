"""Runs a command for `rcs prove`, with the exit status, the output, the signals and the terminal that it would have."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import time

from rcs_hooks.errors import reason_of
from rcs_hooks.proof.exit_status import SIGNALLED, TIMED_OUT, CommandNotFound, NotRunnable
from rcs_hooks.proof.group import SHELL, Group
from rcs_hooks.proof.signals import PASSED_ON, Signals
from rcs_hooks.proof.streams import Output, open_standard
from rcs_hooks.proof.terminal import Terminal
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
UNSTOPPABLE_PAUSE = 0.5
NO_PAGER = {"PAGER": "cat", "GIT_PAGER": "cat"}
"""A pager would read keys from the terminal that it writes to, and that one has none."""
FROM_TERMINAL = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
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
    """The signal that ended the command, or that was passed on to it; 0 for none."""
    is_interrupted: bool = False
    """Whether somebody ended it: from the terminal, as by Ctrl-C, or by a signal to us that was passed on."""
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
        terminal, group = Terminal(), Group()
        try:
            running = _Running(signals, output, terminal, group)
            running.start(argv, cwd, {**env, **(NO_PAGER if output.is_terminal else {})})
            return running.finish(seconds)
        finally:
            group.release()
            terminal.take_back()
            terminal.close()
            output.close()


class _Running:
    """A command while it runs."""

    def __init__(self, signals: Signals, output: Output, terminal: Terminal, group: Group) -> None:
        self._signals = signals
        self._output = output
        self._terminal = terminal
        self._group = group
        self._passed_on = 0
        self._stopped = 0.0

    def start(self, argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> None:
        """Start the command, with the terminal if that is for it alone."""
        self._wants_terminal = self._terminal.is_ours_alone
        if self._group.id and self._wants_terminal:
            self._terminal.lend(self._group.id)
        self._began = time.monotonic()
        self._process = _start(argv, cwd, env, self._output.inner, self._group.id)
        self._group.watch(self._process.pid)
        self._output.started()
        if self._wants_terminal:
            self._terminal.lend(self._group.id)

    def finish(self, seconds: float | None) -> Ran:
        """Wait until the command has ended, and pass on what it writes."""
        status, timed_out, kill_at = None, False, 0.0
        while status is None:
            now = time.monotonic()
            ends_at = None if seconds is None else self._began + self._stopped + seconds
            if timed_out and now >= kill_at:
                self._group.send(signal.SIGKILL)
                ends_at = None
            elif timed_out:
                ends_at = kill_at
            elif ends_at is not None and now >= ends_at:
                timed_out, ends_at = True, now + GRACE
                kill_at = ends_at
                self._group.send(signal.SIGTERM)
                self._group.send(signal.SIGCONT)
            if self._output.copy_sizes():  # in the background we are not told of a new size ourselves
                self._group.send(signal.SIGWINCH)
            self._output.wait(self._signals.wakeup, None if ends_at is None else ends_at - now)
            self._pass_on()
            status = self._ended()
        took = time.monotonic() - self._began - self._stopped
        if timed_out:
            self._end_group(kill_at)
        self._terminal.take_back(restore=timed_out or os.WIFSIGNALED(status))
        self._drain()
        return self._result(status, took, timed_out=timed_out)

    def _end_group(self, kill_at: float) -> None:
        """Give what the command has left behind until then to end, and kill the rest."""
        self._group.release()
        while time.monotonic() < kill_at and self._group.has_members():
            self._output.wait(self._signals.wakeup, PAUSE)
        self._group.send(signal.SIGKILL)

    def _result(self, status: int, took: float, *, timed_out: bool) -> Ran:
        self._output.close()
        ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        own = SIGNALLED + ended_by if ended_by else os.WEXITSTATUS(status)
        number = ended_by or self._passed_on
        if timed_out:
            own = TIMED_OUT
        elif self._passed_on and own == 0:  # a server that ends in peace when it is asked to has passed nothing
            own = SIGNALLED + self._passed_on
        is_interrupted = not timed_out and (self._passed_on > 0 or ended_by in FROM_TERMINAL)
        return Ran(own, took, self._output.tail, timed_out, number, is_interrupted, self._output.lost)

    def _pass_on(self) -> None:
        for number in self._signals.take():
            if number == signal.SIGCONT and self._wants_terminal:  # brought to the foreground again
                self._terminal.lend(self._group.id)
            self._group.send(number)
            if number in PASSED_ON:
                self._passed_on = number
                self._group.send(signal.SIGCONT)

    def _ended(self) -> int | None:
        """Return the status of the command if it has ended; stop with it if it has stopped."""
        pid, status = os.waitpid(self._process.pid, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return None
        if not os.WIFSTOPPED(status):
            self._process.returncode = os.waitstatus_to_exitcode(status)
            self._group.command_ended()
            return status
        if self._terminal.is_there:
            self._stop_too(os.WSTOPSIG(status))
        return None

    def _stop_too(self, number: int) -> None:
        """Stop as the command has, until both go on; or give it the terminal if it stopped for want of that."""
        if number in (signal.SIGTTIN, signal.SIGTTOU) and self._terminal.lend(self._group.id):
            self._group.send(signal.SIGCONT)
            return
        self._terminal.take_back(restore=True)
        began = time.monotonic()
        self._signals.stop_ourselves()
        if time.monotonic() - began < PAUSE:  # nobody could continue us; the command may stop again and again
            time.sleep(UNSTOPPABLE_PAUSE)
        self._stopped += time.monotonic() - began
        if self._wants_terminal or number in (signal.SIGTTIN, signal.SIGTTOU):
            self._terminal.lend(self._group.id)
        self._group.send(signal.SIGCONT)

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
    argv: Sequence[str], cwd: str, env: Mapping[str, str], inner: tuple[int, int], group: int
) -> subprocess.Popen[bytes]:
    if not os.path.isdir(cwd):
        raise NotRunnable(f"the folder {cwd} is not there, so nothing can run in it")
    if not argv[0]:
        raise CommandNotFound("the command is an empty word")
    try:
        try:
            return _spawn(argv, cwd, env, inner, group)
        except OSError as error:
            path = shutil.which(argv[0], path=env.get("PATH", os.defpath)) if error.errno == errno.ENOEXEC else None
            if path is None:
                raise
            return _spawn([SHELL, path, *argv[1:]], cwd, env, inner, group)  # as execvp and every shell do
    except FileNotFoundError:
        raise CommandNotFound(_not_found(argv, cwd)) from None
    except OSError as error:
        raise NotRunnable(f"`{clean(argv[0], NAME_LENGTH)}` cannot be run: {reason_of(error)}") from None


def _spawn(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], inner: tuple[int, int], group: int
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd=cwd, env=env, stdout=inner[0], stderr=inner[1], process_group=group)


def _not_found(argv: Sequence[str], cwd: str) -> str:
    name = clean(argv[0], NAME_LENGTH)
    is_line = len(argv) == 1 and " " in argv[0].strip()
    if is_line or argv[0] in OF_SHELL or "=" in argv[0]:
        return f"there is no command `{name}`; a line for a shell is run by: sh -c '…'"
    if "/" in argv[0] and os.path.exists(os.path.join(cwd, argv[0])):
        return f"`{name}` cannot be run: its first line names a program that is not there"
    return f"there is no command `{name}`"
