"""The only place that prints. Results go to stdout, errors to stderr; both survive a closed pipe."""

from __future__ import annotations

import os
import sys

from rcs_hooks import jsontext

OK, REFUSED, USAGE = 0, 1, 2


def text(shown: str) -> None:
    if sys.stdout is not None:  # closed by the caller
        print(_printable(shown, sys.stdout.encoding))


def result(value: object) -> None:
    """One line of JSON."""
    text(jsontext.dumps_line(value))


def error(message: str, *, as_json: bool = False) -> int:
    """Says why something was refused."""
    return refused(jsontext.dumps_line({"error": message}) if as_json else f"rcs: {message}")


def refused(shown: str) -> int:
    """Why something was refused, in words that are whole by themselves."""
    said = "".join(char if char.isprintable() or char == "\n" else " " for char in shown)
    if sys.stderr is not None:
        print(_printable(said, sys.stderr.encoding), file=sys.stderr)
    return REFUSED


def usage(shown: str) -> int:
    """What to type, for a command line that says nothing."""
    if sys.stderr is not None:
        print(shown, file=sys.stderr)
    return USAGE


def is_coloured() -> bool:
    """Only a terminal, and only where the person wants it."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def plain(shown: str) -> str:
    """On one line, without what could move a cursor."""
    return "".join(char if char.isprintable() else " " for char in shown)


def _printable(shown: str, encoding: str | None) -> str:
    """What the terminal's encoding cannot hold is shown as a question mark."""
    name = encoding or "ascii"
    return shown.encode(name, "replace").decode(name)


def flush() -> None:
    """Here, where an error can still be answered, and not at exit."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandoned() -> None:
    """Nobody can take what was printed: nothing more is to be said, and nothing at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def over(line: str) -> None:
    """In place of the line before, on a terminal that is told not to wrap it."""
    sys.stdout.write(f"\r\x1b[K\x1b[?7l{_printable(line, sys.stdout.encoding)}\x1b[?7h")
    sys.stdout.flush()
