"""Prints: results to stdout, errors to stderr. No other module does. Both streams may be closed."""

from __future__ import annotations

import contextlib
import os
import sys

from rcs_hooks import errors, jsontext
from rcs_hooks.terminal import style
from rcs_hooks.text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.terminal.table import Column, Heading, Row

OK, REFUSED, USAGE = 0, 1, 2


def take_encoding() -> None:
    """Print in the encoding that the person has set: the program starts with `-E`, so Python does not look at it."""
    name = os.environ.get("PYTHONIOENCODING", "").partition(":")[0]
    for stream in (sys.stdout, sys.stderr) if name else ():
        with contextlib.suppress(AttributeError, LookupError):  # none, or not a stream of this Python; no such encoding
            stream.reconfigure(encoding=name)  # type: ignore[union-attr]  # what else there is raises AttributeError


def text(shown: str) -> None:
    """Print a text to stdout, unless the caller has closed it."""
    if sys.stdout is not None:  # None if the caller has closed it
        print(_printable(shown, sys.stdout.encoding))


def prose(shown: str) -> None:
    """Print sentences: on a terminal in lines that end at a blank and never in a command, elsewhere in one line."""
    from rcs_hooks.terminal import prose as proses
    from rcs_hooks.terminal import width

    for line in proses.lines(_still(shown), width.of(sys.stdout, os.environ)):
        text(line)


def safe(shown: str) -> None:
    """Print a text to stdout that may have several lines, without characters that could move a cursor."""
    text(_still(shown))


def result(value: object) -> None:
    """Print a value as one line of JSON."""
    text(jsontext.dumps_line(value))


def error(why: errors.RcsError, *, as_json: bool = False) -> int:
    """Print an error to stderr, in words or as one line of JSON, and return the exit status."""
    refused(jsontext.dumps_line(errors.as_json(why)) if as_json else f"rcs: {why}")
    return USAGE if isinstance(why, errors.UsageError) else REFUSED


def refused(shown: str) -> int:
    """Print a refusal to stderr, without characters that could move a cursor, and return its exit status."""
    said = "".join(char if char.isprintable() or char == "\n" else " " for char in shown)
    if sys.stderr is not None:
        print(_printable(said, sys.stderr.encoding), file=sys.stderr)
    return REFUSED


def aside(shown: str) -> None:
    """Print a text to stderr that is no error, beside the output of a command; it is lost if nobody reads it."""
    try:
        refused(shown)
    except OSError:
        abandoned(2)


def last_result(value: object) -> None:
    """Print a line of JSON behind the output of a command; it is lost if nobody reads it, and nothing fails."""
    try:
        result(value)
        flush()
    except OSError:
        abandoned()


def usage(shown: str) -> int:
    """Print the usage of a command to stderr, and return the exit status of a wrong command line."""
    if sys.stderr is not None:
        print(shown, file=sys.stderr)
    return USAGE


def table(rows: Sequence[Row | Heading], columns: Sequence[Column], *, has_titles: bool = True) -> None:
    """Print a table as wide as the terminal, in its colours; plain, with all texts in full, where stdout is none."""
    from rcs_hooks.terminal import width
    from rcs_hooks.terminal.table import render

    columns_of_terminal = width.of(sys.stdout, os.environ)
    style_of_terminal = style.of(sys.stdout, os.environ)
    for line in render(rows, columns, columns_of_terminal, style_of_terminal, has_titles=has_titles):
        text(line)


def can_show(letters: str) -> bool:
    """Tell whether the encoding of stdout has these letters."""
    return _printable(letters, sys.stdout.encoding if sys.stdout else None) == letters


def plain(shown: str) -> str:
    """Return a text on one line, without characters that could move a cursor."""
    return printable(shown, " ")


def _still(shown: str) -> str:
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in shown)


def _printable(shown: str, encoding: str | None) -> str:
    """Return a text with question marks for characters that the terminal's encoding cannot hold."""
    name = encoding or "ascii"
    return shown.encode(name, "replace").decode(name)


def flush() -> None:
    """Flush stdout now: an error while Python exits could not be handled any more."""
    if sys.stdout is not None:
        sys.stdout.flush()


def pause(seconds: float) -> None:
    """Wait so long, for a program that prints whatever happens. Raises BrokenPipeError once nobody reads stdout."""
    import select
    import time

    pipe = _pipe()
    if pipe is None:
        time.sleep(seconds)
        return
    watched = select.poll()
    watched.register(pipe, 0)  # what is asked for is only what is always told: the other end was closed
    if watched.poll(seconds * 1_000):
        raise BrokenPipeError


def _pipe() -> int | None:
    """Return the descriptor of stdout if it is a pipe or a socket, whose other end may be closed; else None."""
    import stat

    try:
        found = -1 if sys.stdout is None else sys.stdout.fileno()
        mode = os.fstat(found).st_mode
    except (OSError, ValueError):  # no file, or one that is closed
        return None
    return found if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None


def interrupted() -> None:
    """Flush stdout after Ctrl-C, unless nobody takes it just now, or a second Ctrl-C comes: then it is discarded."""
    try:
        import select

        if sys.stdout is not None and select.select([], [sys.stdout], [], 0)[1]:
            flush()
            return
    except (OSError, ImportError, KeyboardInterrupt):  # also where no more files can be opened
        pass
    if sys.stdout is not None:
        abandoned()


def abandoned(stream: int = 1) -> None:
    """Discard printed text that nobody reads any more, so that flushing it does not fail when Python exits."""
    with contextlib.suppress(OSError):  # where no more files can be opened
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
