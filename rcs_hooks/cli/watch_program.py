"""Calls a person's program for each event: one at a time, with a time limit, and with nothing on its command line.

Rules of this file:
- No shell is run, and no text of an event becomes a word of a command or a variable: the event is JSON on stdin, and
  only ids are in the environment.
- What a program does wrong never ends the watching: it is said once, until the program works again.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections import deque
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.cli.watch_group import Group
from rcs_hooks.errors import reason_of
from rcs_hooks.overview.entries import MODE, RUN, TASK
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rcs_hooks.overview.events import WatchedEvent

SECONDS = 10.0
"""How long one call may take."""
GRACE = 1.0
"""How long a program that has run out of time may take to end, in seconds."""
MOST = 100
"""How many events wait for the program at most; of more, the oldest are dropped."""
SHOWN = 4096
"""How many bytes of what one call writes are passed on."""
READ_SIZE, MOST_READS = 65_536, 4
PAUSE = 0.1
NAME_LENGTH = 100
LONGEST_ID = 128
VARIABLES = ("RCS_EVENT", "RCS_SESSION", "RCS_RUN", "RCS_TASK", "RCS_QUESTION")
IN_IDS = frozenset("._-:#")


class WatchProgram:
    """The program of `rcs watch --exec`, and the events that wait for it."""

    def __init__(
        self, argv: Sequence[str], env: Mapping[str, str], say: Callable[[str], None], *, seconds: float = SECONDS
    ) -> None:
        """Create one that calls `argv` in `env`. `say`: how a person is told of trouble, and what the program says."""
        self._argv = list(argv)
        self._env = {name: value for name, value in env.items() if name not in VARIABLES}
        self._say = say
        self._seconds = seconds
        self._name = clean(argv[0], NAME_LENGTH)
        self._waiting: deque[tuple[WatchedEvent, float]] = deque()
        self._call: _Call | None = None
        self._fails = False

    @property
    def is_busy(self) -> bool:
        """Tell whether the program runs, or an event waits for it."""
        return self._call is not None or bool(self._waiting)

    def add(self, events: Sequence[WatchedEvent], now: float) -> None:
        """Let the program be called for these events. `now`: when they were seen, in seconds since 1970."""
        self._waiting.extend((event, now) for event in events)
        dropped = len(self._waiting) - MOST
        for _ in range(dropped):
            self._waiting.popleft()
        if dropped > 0:
            self._say(f"rcs: {dropped} events were dropped, as more than {MOST} waited for `{self._name}`")

    def work(self, until: float) -> None:
        """Call the program for what waits, until a moment of `time.monotonic`; what runs then goes on."""
        while True:
            if self._call is None and self._waiting:
                self._start(*self._waiting.popleft())
            left = until - time.monotonic()
            if self._call is None:
                if not self._waiting:
                    time.sleep(max(0.0, left))
                    return
            elif self._call.advance(min(PAUSE, max(0.0, left))):
                self._finish(self._call)
                self._call = None
            if left <= 0:
                return

    def close(self) -> None:
        """End the program, with all that it has started, if it is still running."""
        if self._call:
            self._call.kill()
            self._call.close()
        self._call = None

    def _start(self, event: WatchedEvent, now: float) -> None:
        given = jsontext.dumps_line(event.as_json(now)).encode() + b"\n"
        try:
            self._call = _Call(self._argv, self._env | variables(event), given, self._seconds)
        except OSError as error:
            self._failed(f"cannot be run: {reason_of(error)}")

    def _finish(self, call: _Call) -> None:
        call.close()
        if call.said:
            self._say(call.said)
        if call.why:
            self._failed(call.why)
        elif self._fails:
            self._fails = False
            self._say(f"rcs: `{self._name}` works again")

    def _failed(self, why: str) -> None:
        if not self._fails:
            self._say(f"rcs: `{self._name}` {why}; watching goes on")
        self._fails = True


def variables(event: WatchedEvent) -> dict[str, str]:
    """Return what the environment says of an event: its kind, and the ids that are plain words."""
    entry = event.entry
    ids = {
        "RCS_EVENT": event.kind,
        "RCS_SESSION": entry.session if entry.kind == MODE else None,
        "RCS_RUN": entry.id if entry.kind == RUN else None,
        "RCS_TASK": entry.id if entry.kind == TASK else None,
        "RCS_QUESTION": entry.question.id if entry.question else None,
    }
    return {name: id_ for name, id_ in ids.items() if id_ and _is_plain(id_)}


def _is_plain(id_: str) -> bool:
    is_word = id_.isascii() and id_[0] != "-" and all(char.isalnum() or char in IN_IDS for char in id_)
    return is_word and len(id_) <= LONGEST_ID


class _Call:
    """One call of the program, in a process group of its own."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], given: bytes, seconds: float) -> None:
        """Start it. Raises OSError if it cannot be run."""
        self.why = ""
        """What went wrong, as in `failed (exit 1)`; empty if nothing did."""
        self.said = ""
        """What it has written, the beginning of it."""
        self._given = given
        self._written = b""
        self._seconds = seconds
        self._ends_at = time.monotonic() + seconds
        self._group = Group()
        try:
            self._process = subprocess.Popen(
                argv,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=self._group.id,
                bufsize=0,
            )
        except BaseException:  # nobody else would end the guard; the error is raised again
            self._group.release()
            raise
        self._group.watch(self._process.pid)
        for stream in (self._process.stdin, self._process.stdout):
            os.set_blocking(stream.fileno(), False)  # type: ignore[union-attr]  # they are pipes

    def advance(self, seconds: float) -> bool:
        """Pass on what can be passed on within so many seconds, and return whether the call is over."""
        if self._process.poll() is not None:
            self._group.command_ended()
            self._read()
            if self._process.returncode:
                self.why = _failure(self._process.returncode)
            return True
        if time.monotonic() >= self._ends_at:
            self._time_out()
            return True
        self._pass_on(seconds)
        return False

    def kill(self) -> None:
        """End the program and all of its group; what may not be ended, as another user's, is waited for no longer."""
        self._group.send(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._group.command_ended()

    def close(self) -> None:
        """Let go of the program; what it has left behind lives on, unless the group was killed."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
        self._group.release()
        self.said = _shown(self._written)

    def _time_out(self) -> None:
        self.why = f"took longer than {self._seconds:g} s and was ended"
        self._group.send(signal.SIGTERM)
        self._group.send(signal.SIGCONT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._read()
        self.kill()

    def _pass_on(self, seconds: float) -> None:
        poll = select.poll()
        if self._process.stdin and self._given:
            poll.register(self._process.stdin.fileno(), select.POLLOUT)
        if self._process.stdout:
            poll.register(self._process.stdout.fileno(), select.POLLIN)
        if not poll.poll(int(seconds * 1000)) and not seconds:
            return
        self._write()
        self._read()
        if not self._process.stdout:  # closed, as most do when they end; then nothing tells of their end at once
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)

    def _write(self) -> None:
        """Write as much of the event as the program takes now; the end of stdin follows the event."""
        stdin = self._process.stdin
        if stdin is None:
            return
        try:
            self._given = self._given[stdin.write(self._given) or 0 :]
        except OSError:  # it does not want to know
            self._given = b""
        if not self._given:
            stdin.close()
            self._process.stdin = None

    def _read(self) -> None:
        """Read what is there, and keep the beginning of all that was written."""
        stdout = self._process.stdout
        for _ in range(MOST_READS):
            chunk: bytes | None = stdout.read(READ_SIZE) if stdout else None
            if chunk is None:
                return
            self._written = (self._written + chunk)[: SHOWN + 1]
            if not chunk and stdout:
                stdout.close()
                stdout = self._process.stdout = None


def _failure(status: int) -> str:
    if status > 0:
        return f"failed (exit {status})"
    try:
        return f"was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"


def _shown(written: bytes) -> str:
    text = written[:SHOWN].decode(errors="replace").strip()
    return f"{text} …" if len(written) > SHOWN else text
