"""Serves MCP on stdin and stdout, one message a line.

A client starts the server while a person waits for the first prompt, so nothing heavy is imported before a hook is
answered. Several threads take turns at reading: the one that reads a line also answers it, while another reads on. So a
call that waits for a lock delays no other call, and no call waits until it is handed from one thread to another.
"""

import os
import sys
import threading

from rcs_hooks import jsontext
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.hook.entry import write_all
from rcs_hooks.mcp import protocol, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

READ_SIZE = 1 << 16  # what a pipe holds
MOST_THREADS = 32


def serve() -> None:
    """Answer requests on stdin until it is closed."""
    with open(os.devnull, "r+b", buffering=0) as nothing:
        source = _taken(0, nothing.fileno())
        sink = _taken(1, nothing.fileno() if sys.stderr is None else 2)
    StdioServer(source, sink, dict(os.environ)).run()


def _taken(fd: int, instead: int) -> int:
    """Return a copy of a standard stream, and put another in its place, so that a stray `print` is no answer."""
    own = os.dup(fd)
    os.dup2(instead, fd)
    os.set_blocking(own, True)
    return own


def lines_of(fd: int) -> "Iterator[bytes]":
    """Yield each line of a stream as it comes, without its end; the last one may have none."""
    parts: list[bytes] = []
    while chunk := os.read(fd, READ_SIZE):
        first, *more = chunk.split(b"\n")
        parts.append(first)
        for line in more:
            yield b"".join(parts)
            parts = [line]
    yield b"".join(parts)


def answer_to(line: bytes, call: "protocol.Call") -> str | None:
    """Return the line that answers a line of the client; None if it expects none. `call`: runs a tool."""
    text = line.decode(errors="replace")
    if not text.strip():
        return None
    try:
        message = jsontext.loads(text, writable=True)
    except ValueError as error:
        from rcs_hooks.mcp import unreadable

        answer: object = unreadable.answer_to(text, str(error))
    else:
        answer = protocol.answer_to(message, call)
    return None if answer is None else jsontext.dumps_line(answer)


class StdioServer:
    """The threads that answer one client, and what they share.

    `source`, `sink`: the file descriptors of the two streams. `env`: the environment variables that calls see.
    """

    def __init__(self, source: int, sink: int, env: "Mapping[str, str]") -> None:
        self._sink = sink
        self._env = env
        self._lines = lines_of(source)
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._busy: set[int] = set()
        """The threads that answer, by their idents; each other one reads, or waits to read."""
        self._has_ended = False

    def run(self) -> None:
        """Answer requests until the stream ends, and return once all of them are answered."""
        try:
            self._answer_lines()
        finally:
            self._has_ended = True
        for thread in self._threads:
            thread.join()

    def _answer_lines(self) -> None:
        me = threading.get_ident()
        while (line := self._next_line(me)) is not None:
            answer = answer_to(line, self._call)
            self._busy.discard(me)  # before the client has the answer and asks again: or that would want a new thread
            if answer is not None:
                self._send(answer)

    def _next_line(self, me: int) -> bytes | None:
        """Return the next line, and see to it that another thread reads the one after it; None at the end."""
        with self._reading:
            line = None if self._has_ended else next(self._lines, None)
            if line is None or self._has_ended:  # it may have ended meanwhile
                self._has_ended = True
                return None
            self._busy.add(me)
            if len(self._busy) > len(self._threads) and len(self._threads) < MOST_THREADS:
                self._add_thread()
            return line

    def _add_thread(self) -> None:
        # A daemon: an interrupt, which only the main thread gets, ends the process without waiting for the others.
        thread = threading.Thread(target=self._answer_lines, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no more; those that run take turns
            return
        self._threads.append(thread)

    def _call(self, name: str, arguments: "dict[str, Any]") -> tuple[str, bool]:
        return tools.call(name, arguments, self._env, working_folder())

    def _send(self, answer: str) -> None:
        with self._writing:
            try:
                write_all(self._sink, answer.encode() + b"\n")
            except OSError:  # nobody listens any more
                self._has_ended = True
