"""The whole screen of a terminal, for a page that is drawn again and again, and given back as it was.

Rules of this file:
- However the program ends, by Ctrl-C, a signal or an error, and where Ctrl-Z stops it, the terminal is as it was: its
  text, its cursor, and what it does with keys.
- A signal only leaves a mark, or ends the program: nothing is written in the middle of something else. The first one
  that ends it counts, and what comes while the terminal is given back changes nothing.
- A terminal that takes nothing holds up no end.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType, TracebackType
    from typing import TextIO

    Handler = Callable[[int, FrameType | None], Any] | int | None

TAKE = "\x1b[?1049h\x1b[?25l"
"""Show another screen, without a cursor."""
GIVE_BACK = "\x1b[0m\x1b[?25h\x1b[?1049l"
CLEAR = "\x1b[H\x1b[J"
BELL = "\a"
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
LARGEST = 1_000
PATIENCE = 1.0
"""For so many seconds a terminal that takes nothing may hold up the end of the program."""


class Screen:
    """The screen of the terminal that an output stream is; it is taken as the context begins."""

    def __init__(self, out: TextIO, keys: TextIO | None) -> None:
        """Create one for a stream. `keys`: the stream that keys come from; they are read if it is a terminal."""
        self._out = out.fileno()
        self._encoding = out.encoding or "ascii"
        self._keys = keys.fileno() if keys is not None and keys.isatty() else None
        self._modes: list[Any] | None = None
        self._handlers: dict[int, Handler] = {}
        self._drawn: list[str] = []
        self._is_asked_to_stop = False
        self._is_ending = False
        self._waking, self._woken = -1, -1

    def __enter__(self) -> Screen:
        self._woken, self._waking = os.pipe()
        for end in (self._woken, self._waking):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._waking, warn_on_full_buffer=False)
        marks = {signal.SIGWINCH: self._forget, signal.SIGCONT: self._forget, signal.SIGTSTP: self._mark_stop}
        interrupt = (signal.SIGINT,) if signal.getsignal(signal.SIGINT) is signal.default_int_handler else ()
        for number, handler in {**marks, **dict.fromkeys((*ENDING, *interrupt), self._end)}.items():
            self._handlers[number] = signal.signal(number, handler)
        try:
            self._take()
        except BaseException:  # the terminal is given back whatever ends us; the error is raised again
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def size(self) -> tuple[int, int]:
        """Return the columns and the rows of the terminal as it is now."""
        try:
            columns, rows = os.get_terminal_size(self._out)
        except OSError:
            columns, rows = 0, 0
        return min(columns or 80, LARGEST), min(rows or 24, LARGEST)

    def draw(self, lines: Sequence[str], *, with_bell: bool = False) -> None:
        """Show these lines, unless they are shown already."""
        if list(lines) != self._drawn:
            self._drawn = list(lines)
            self._write(CLEAR + "\r\n".join(lines))
        if with_bell:
            self._write(BELL)

    def wait(self, seconds: float) -> str:
        """Wait so long, or until a key is pressed, the size has changed or the program was stopped and goes on.

        Returns the key, empty if there was none.
        """
        ends = [self._woken] if self._keys is None else [self._woken, self._keys]
        ready = select.select(ends, [], [], seconds)[0]
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, 4096)
        if self._is_asked_to_stop:
            self._stop()
        if self._keys not in ready or self._keys is None:
            return ""
        pressed = os.read(self._keys, 64)
        if not pressed:  # nobody will press one any more
            self._keys = None
        return pressed.decode("ascii", "replace")

    # --- the terminal

    def _take(self) -> None:
        if self._keys is not None:
            with contextlib.suppress(termios.error):
                self._modes = termios.tcgetattr(self._keys)
                modes = termios.tcgetattr(self._keys)
                modes[3] &= ~(termios.ECHO | termios.ICANON)
                termios.tcsetattr(self._keys, termios.TCSANOW, modes)
        self._drawn = []
        self._write(TAKE)

    def _give_back(self) -> None:
        with contextlib.suppress(OSError):  # the terminal may be gone
            self._write_soon(GIVE_BACK)
        if self._keys is not None and self._modes is not None:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._keys, termios.TCSANOW, self._modes)
        self._modes = None

    def _close(self) -> None:
        self._is_ending = True
        try:
            self._give_back()
        finally:
            for number, handler in self._handlers.items():
                signal.signal(number, handler)
            self._handlers.clear()
            signal.set_wakeup_fd(-1)
            os.close(self._woken)
            os.close(self._waking)

    def _write(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        while data:
            try:
                data = data[os.write(self._out, data) :]
            except BlockingIOError:
                select.select([], [self._out], [])

    def _write_soon(self, text: str) -> None:
        """Write a text, unless the terminal takes nothing, as one that is stopped or that nobody reads."""
        try:  # opened anew, as not to wait concerns all that have the same opened file
            own = os.open(os.ttyname(self._out), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:
            self._write(text)
            return
        try:
            data = text.encode(self._encoding, "replace")
            while data and select.select([], [own], [], PATIENCE)[1]:
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(own, data) :]
        finally:
            os.close(own)

    # --- signals

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if self._is_ending:
            return
        self._is_ending = True
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    def _forget(self, _number: int, _frame: FrameType | None) -> None:
        self._drawn = []

    def _mark_stop(self, _number: int, _frame: FrameType | None) -> None:
        self._is_asked_to_stop = True

    def _stop(self) -> None:
        """Stop as Ctrl-Z asks for, with the terminal given back, and take it again when the shell lets us go on."""
        self._is_asked_to_stop = False
        self._give_back()
        marked = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, marked)
        self._take()
