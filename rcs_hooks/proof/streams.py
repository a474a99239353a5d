"""Passes on what a command writes, as it comes, and keeps the end of it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import sys
import termios

from rcs_hooks.errors import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KEPT = 4096
"""How many bytes of the end of the output are kept."""
READ_SIZE = 65_536
WRITE_SIZE = 4096
"""What a pipe that has room is sure to take at once, so that a reader who waits holds up no time limit."""


class Output:
    """What a command writes to its stdout and stderr.

    It is passed on to our own. If both of ours are the same file, the command has one stream too, so that its lines
    keep their order. Where ours is a terminal, the command has one as well, for its colours and progress bars.
    """

    def __init__(self, *, to_stderr: bool) -> None:
        self.tail = b""
        self.lost = ""
        """Why not all of it could be passed on; empty if it was, or if its reader wanted no more."""
        first = _Target(2 if to_stderr else 1)
        second = first if to_stderr or first.is_same(other := _Target(2)) else other
        self._channels = [_Channel(first, self._keep)]
        if second is not first:
            self._channels.append(_Channel(second, self._keep))

    @property
    def is_terminal(self) -> bool:
        """Tell whether the command has a terminal for its output."""
        return any(channel.is_terminal for channel in self._channels)

    @property
    def inner(self) -> tuple[int, int]:
        """Return the descriptors that the command gets as stdout and stderr."""
        return self._channels[0].inner, self._channels[-1].inner

    def started(self) -> None:
        """Close the command's ends here, now that it has them."""
        for channel in self._channels:
            channel.close_inner()

    @property
    def is_open(self) -> bool:
        """Tell whether something may still come, or waits to be written."""
        return any(channel.source >= 0 or channel.pending for channel in self._channels)

    @property
    def is_pending(self) -> bool:
        """Tell whether something that was read waits for its reader."""
        return any(channel.pending for channel in self._channels)

    def wait(self, wakeup: int, seconds: float | None) -> bool:
        """Wait until something can be passed on and do it, a signal comes, or the time is over.

        Returns whether something was read. `wakeup`: the descriptor that becomes readable with a signal.
        """
        poll = select.poll()
        poll.register(wakeup, select.POLLIN)
        waiting: dict[int, _Channel] = {}
        for channel in self._channels:
            if channel.pending:
                waiting[channel.target.descriptor] = channel
                poll.register(channel.target.descriptor, select.POLLOUT)
            elif channel.source >= 0:
                waiting[channel.source] = channel
                poll.register(channel.source, select.POLLIN)
        ready = poll.poll(None if seconds is None else max(0, int(seconds * 1000) + 1))
        came = False
        for descriptor, _ in ready:
            if descriptor == wakeup:
                with contextlib.suppress(BlockingIOError):
                    os.read(wakeup, READ_SIZE)
            elif waiting[descriptor].pending:
                waiting[descriptor].write()
            else:
                came |= waiting[descriptor].read()
        return came

    def close(self) -> None:
        """Stop reading: whoever still writes is told that nobody reads."""
        for channel in self._channels:
            channel.close()
            self.lost = self.lost or channel.target.lost

    def _keep(self, chunk: bytes) -> None:
        self.tail = (self.tail + chunk)[-KEPT:]


class _Target:
    """One of our own streams, 1 or 2."""

    def __init__(self, number: int) -> None:
        stream = sys.stdout if number == 1 else sys.stderr
        self.is_gone = stream is None
        self.lost = ""
        self._write: Callable[[bytes], object] | None = None
        self.descriptor = number
        if stream is None:  # the caller has closed it
            return
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
        try:
            self.descriptor = stream.fileno()
        except (OSError, ValueError):  # replaced by something that is no file
            self._write = stream.buffer.write

    def is_same(self, other: _Target) -> bool:
        """Tell whether both are the same file."""
        if self._write or other._write or self.is_gone or other.is_gone:
            return False
        with contextlib.suppress(OSError):
            return os.path.sameopenfile(self.descriptor, other.descriptor)
        return False

    @property
    def is_terminal(self) -> bool:
        return not self._write and not self.is_gone and os.isatty(self.descriptor)

    @property
    def is_waiting(self) -> bool:
        """Tell whether a write may have to wait for a reader."""
        return not self._write and not self.is_gone

    def write(self, data: bytes) -> int:
        """Write some of these bytes, and return how many. What nobody can read is thrown away."""
        try:
            if self._write:
                self._write(data)
            elif not self.is_gone:
                return os.write(self.descriptor, data[:WRITE_SIZE])
        except BlockingIOError:  # made so by who shares it with us
            return 0
        except OSError as error:
            self.is_gone = True
            if error.errno not in (errno.EPIPE, errno.EIO):  # `| head`, a terminal that was closed
                self.lost = reason_of(error)
        return len(data)


class _Channel:
    """A pipe or terminal between the command and one of our streams."""

    def __init__(self, target: _Target, keep: Callable[[bytes], None]) -> None:
        self.target = target
        self.pending = b""
        self._keep = keep
        self.is_terminal = False
        if target.is_terminal:
            with contextlib.suppress(OSError, termios.error):  # no /dev/pts in a sandbox: a pipe will do
                self.source, self.inner = _terminal_like(target.descriptor)
                self.is_terminal = True
                return
        self.source, self.inner = os.pipe()

    def close_inner(self) -> None:
        if self.inner >= 0:
            os.close(self.inner)
        self.inner = -1

    def close(self) -> None:
        self.close_inner()
        if self.source >= 0:
            os.close(self.source)
        self.source = -1

    def read(self) -> bool:
        """Read what there is; return whether there was something."""
        try:
            chunk = os.read(self.source, READ_SIZE)
        except OSError:  # what a terminal says at its end
            chunk = b""
        if not chunk:
            self.close()
            return False
        self._keep(chunk)
        self.pending = chunk
        if not self.target.is_waiting:
            self.write()
        return True

    def write(self) -> None:
        """Write some of what waits."""
        self.pending = self.pending[self.target.write(self.pending) :]


def _terminal_like(descriptor: int) -> tuple[int, int]:
    """Open a terminal of the same size that changes nothing of what is written to it: our end, and the command's."""
    ours, inner = os.openpty()
    try:
        modes = termios.tcgetattr(inner)
        modes[0] = 0
        modes[1] &= ~termios.OPOST
        modes[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        termios.tcsetattr(inner, termios.TCSANOW, modes)
        fcntl.ioctl(inner, termios.TIOCSWINSZ, fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    except BaseException:  # nobody else would close them; the error is raised again
        os.close(ours)
        os.close(inner)
        raise
    return ours, inner


def open_standard() -> None:
    """Open each of our standard streams that the caller has closed, so that no other file takes its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
