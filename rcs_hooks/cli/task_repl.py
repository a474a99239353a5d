"""Run `rcs task repl`: the commands of `rcs task` with a slash, line after line, read by the same parser."""

from __future__ import annotations

import io
import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError, Refused, SystemFailure
from rcs_hooks.tasks.store import TaskStore
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

QUIT, HELP = "quit", "help"
LONGEST = 65_536
HOW = "type a command with a slash, such as /status or /next; /help lists them, /quit ends"


def run(root: str, task: str) -> int:
    """Run a repl until its input ends, and return the exit code: that of the last command if the input is piped."""
    TaskStore(root, task, 0).check_exists()
    is_person = sys.stdin is not None and sys.stdin.isatty()
    last = output.OK
    for line in _typed(root, task) if is_person else _piped():
        if line.strip() in (f"/{QUIT}", "/exit"):
            break
        if line.strip():
            last = _run_line(line, root, task)
        output.flush()
    return output.OK if is_person else last


def _run_line(line: str, root: str, task: str) -> int:
    """Run one line and return its exit code; an error is shown, and does not end the repl."""
    try:
        return _answer(line, root, task)
    except SystemExit as done:  # from argparse, which has printed why
        return done.code if isinstance(done.code, int) else output.USAGE
    except RcsError as error:
        return output.error(error, as_json="--json" in line)
    except BrokenPipeError:
        raise
    except OSError as error:
        return output.error(SystemFailure(error), as_json="--json" in line)
    except KeyboardInterrupt:
        return 130


def _answer(line: str, root: str, task: str) -> int:
    from rcs_hooks.cli.task import ReplDefaults, answer, parse

    if len(line) > LONGEST:
        raise Refused(f"the line has more than {LONGEST} characters; nothing was done")
    line = "".join(char if char.isprintable() else " " for char in line.strip())  # argparse would print it as it is
    try:
        words = shlex.split(line.removeprefix("/"))
    except ValueError as error:
        raise Refused(f"{clean(line)}: {str(error).lower()}") from None
    if not line.startswith("/") or not words:
        raise Refused(HOW)
    if words == [HELP]:
        words = ["--help"]
    if words[0] == "repl":
        raise Refused("this is the repl already; /quit ends it")
    return answer(parse(words), ReplDefaults(root, task))


def _piped() -> Iterator[str]:
    if sys.stdin is None:  # the caller has closed it
        return
    stdin = io.TextIOWrapper(sys.stdin.buffer, "utf-8", errors="replace", newline="\n")
    while line := stdin.readline(LONGEST + 1):
        rest = line
        while rest and not rest.endswith("\n"):  # a line that is too long is refused as a whole
            rest = stdin.readline(LONGEST)
        yield line


def _typed(root: str, task: str) -> Iterator[str]:
    """Yield the lines that a person types, at a prompt that shows the phase."""
    with suppress(ImportError):  # a system without it
        import readline  # noqa: F401 - lets the line be edited
    while True:
        try:
            yield input(f"{task} {_phase(root, task)}> ")
        except EOFError:
            output.text("")
            return
        except KeyboardInterrupt:  # it cancels the line only
            output.text("")


def _phase(root: str, task: str) -> str:
    try:
        return TaskStore(root, task, 0).state().phase
    except RcsError:
        return "?"
