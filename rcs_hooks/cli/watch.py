"""`rcs watch`: prints what waits, fails and ends, as it happens, or calls a program for each.

Only the command line names the program; no configuration does, so that no repository can.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from argparse import REMAINDER
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused, UsageError
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.overview.entries import MODE, WAITING, Overview, length_for
from rcs_hooks.overview.events import KINDS, carried_over, compare
from rcs_hooks.overview.live import LiveOverview
from rcs_hooks.terminal import style, when, width
from rcs_hooks.terminal.ids import short
from rcs_hooks.terminal.near import nearest
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import clean, quoted
from rcs_hooks.workflow.lifecycle import FAILED

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from rcs_hooks.overview.entries import Entry
    from rcs_hooks.overview.events import WatchedEvent

    Wants = Callable[[WatchedEvent], bool]
    Tell = Callable[[Sequence[WatchedEvent], float], None]

NAME_LENGTH = 100
COLUMNS = (
    Column("WHEN", leads=True),
    Column("EVENT", leads=True),
    Column("TITLE", is_flexible=True),
    Column("MODE"),
    Column("SESSION"),
)
PIPED = (*COLUMNS, Column("SAYS"))
STYLES = {WAITING: style.WAITS, FAILED: style.BAD}


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "watch",
        "Print what happens in the workspace from now on, until Ctrl-C: what begins to wait for you, what fails or is"
        " blocked, what ends. With --exec, call a program for each instead: the event is JSON on its stdin.",
        "rcs watch",
        "rcs watch --on waiting --exec notify-send rcs 'Something waits for you'",
        "rcs watch --on failed,ended --json >> events.jsonl",
    )
    parser.usage = "rcs watch [OPTION]... [--exec PROGRAM [WORD]...]"
    parser.add_argument(
        "--on", metavar="EVENTS", default=",".join(KINDS), help="waiting, failed, ended, with a comma between two (all)"
    )
    options.add_scope(parser)
    parser.add_argument("--json", action="store_true", help="print one line of JSON for each event")
    parser.add_argument(
        "--exec",
        nargs=REMAINDER,
        metavar="PROGRAM",
        help="call this program for each event, without a shell; all that follows is given to it, so it comes last",
    )
    return parser


def run(argv: Sequence[str]) -> int:
    own, program = _split(argv)
    args = build().parse_args(own)
    kinds = _kinds(args.on)
    if program is not None:
        _check_program(program, own)
    if program and args.json:
        raise UsageError("--json and --exec cannot go together; the program gets the JSON on its stdin")
    scope = options.scope_of(args)
    session = scope.session if args.session else None  # else all sessions, also where the environment names one

    def is_wanted(event: WatchedEvent) -> bool:
        return event.is_among(kinds) and (session is None or _is_of(event.entry, session))

    live = LiveOverview(os.environ, scope.root, scope.commands._replace(session=""), working_folder())
    try:
        if program:
            _call(program, live, scope.root, is_wanted)
        else:
            printer = EventPrinter(as_json=args.json)
            _watch(live, scope.root, is_wanted, printer.show, _sleep)
    except KeyboardInterrupt:
        if sys.stdout is not None and sys.stdout.isatty():  # or the shell's prompt would continue the line
            output.text("")
        raise
    finally:
        live.close()
    return output.OK


def _split(argv: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Return our own words of a command line, and the program behind `--exec` or `--`; None if there is neither."""
    words = list(argv)
    at = next((number for number, word in enumerate(words) if word in ("--", "--exec")), None)
    if at is None:
        joined = next((n for n, word in enumerate(words) if word.startswith("--exec=")), None)
        if joined is None:
            return words, None
        return words[:joined], [words[joined].removeprefix("--exec="), *words[joined + 1 :]]
    program = words[at + 1 :]
    return words[:at], program[1:] if words[at] == "--exec" and program[:1] == ["--"] else program


def _kinds(typed: str) -> list[str]:
    found = [word.strip() for word in typed.split(",") if word.strip()]
    for word in found:
        if word not in KINDS:
            near = nearest(word, KINDS)
            meant = f"; did you mean {near}?" if near else ""
            raise UsageError(f"--on '{clean(word)}': it is one or more of {', '.join(KINDS)}{meant}")
    if not found:
        raise UsageError(f"--on needs a value: one or more of {', '.join(KINDS)}")
    return found


def _check_program(program: list[str], own: list[str]) -> None:
    """Raise UsageError if the words behind `--exec` are not what was meant, Refused if there is no such program."""
    if not (program and program[0]):
        raise UsageError("--exec needs a program, like: rcs watch --exec notify-send rcs 'Something waits for you'")
    if "--on" in program[1:-1]:
        at = program.index("--on")
        if all(word.strip() in KINDS for word in program[at + 1].split(",")):
            words = ["rcs", "watch", *own, *program[at : at + 2], "--exec", *program[:at], *program[at + 2 :]]
            raise UsageError(f"--exec comes last, as all that follows is given to it: {' '.join(map(quoted, words))}")
    if shutil.which(program[0]):
        return
    name = clean(program[0], NAME_LENGTH)
    if os.path.isdir(program[0]) and "/" in program[0]:
        raise Refused(f"`{name}` is a folder, so it cannot be run")
    if os.path.exists(program[0]) and "/" in program[0]:
        raise Refused(f"`{name}` cannot be run; to make it a program: chmod +x {quoted(program[0])}")
    is_line = len(program) == 1 and " " in program[0].strip()
    hint = f"; a line for a shell: rcs watch --exec sh -c {quoted(name)}" if is_line else ""
    raise Refused(f"there is no program `{name}`{hint}")


# --- what happens


def _call(program: list[str], live: LiveOverview, root: str, is_wanted: Wants) -> None:
    """Call a program for each event, until Ctrl-C."""
    from rcs_hooks.cli.watch_program import WatchProgram

    called = WatchProgram(program, os.environ, output.aside)
    try:
        _watch(live, root, is_wanted, called.add, called.work)
    finally:
        called.close()


def _watch(live: LiveOverview, root: str, is_wanted: Wants, tell: Tell, wait: Callable[[float], None]) -> None:
    """Look at the workspace again and again, until Ctrl-C.

    `tell`: is called with events, and the moment at which they were seen. `wait`: waits for a monotonic moment.
    """
    at = time.time()
    before = live.news(at) or Overview()
    _begin(before, root)
    while True:
        wait(time.monotonic() + live.pause)
        now = time.time()
        after = live.news(now)
        if after is None:
            continue
        found = [event for event in compare(before, after, at) if is_wanted(event)]
        if found:
            tell(found, now)
        before, at = carried_over(before, after), now


def _sleep(until: float) -> None:
    output.pause(max(0.0, until - time.monotonic()))


def _is_of(entry: Entry, session: str) -> bool:
    return entry.kind == MODE and entry.session == session


def _begin(found: Overview, root: str) -> None:
    """Say to somebody at a terminal what is watched, and what waits already."""
    if sys.stderr is None or not sys.stderr.isatty():
        return
    output.aside(f"rcs: watching {output.plain(root)} until Ctrl-C")
    if waiting := sum(not entry.is_unreadable for entry in found.waiting):
        output.aside(f"rcs: {waiting} wait{'s' if waiting == 1 else ''} for you already: rcs status")
    if found.off:
        output.aside(f"rcs: the hooks are off: {found.off} is set")


class EventPrinter:
    """Prints events: as JSON, as rows for a terminal, or in one line each."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_terminal = width.of(sys.stdout, os.environ) is not None

    def show(self, events: Sequence[WatchedEvent], now: float) -> None:
        """Print events that were seen at a moment, in seconds since 1970."""
        if self._as_json:
            for event in events:
                output.result(event.as_json(now))
        else:
            length = length_for(event.entry for event in events)
            rows = [_row(event, now, length, is_terminal=self._is_terminal) for event in events]
            output.table(rows, COLUMNS if self._is_terminal else PIPED, has_titles=False)
        output.flush()


def _row(event: WatchedEvent, now: float, length: int, *, is_terminal: bool) -> Row:
    entry = event.entry
    title, name = (entry.title, entry.name) if entry.has_title else (entry.name, "")
    whose = entry.shown_id
    cells: list[Cell | str] = [
        Cell(when.day(now, now, seconds=True), style.QUIET, when.full(now)),
        Cell(event.kind, STYLES.get(event.kind) or style.kind_of(entry.verdict or entry.outcome or "done")),
        Cell(title, style.STRONG),
        name,
        Cell(short(whose, length) if whose else "", style.QUIET, whose),
    ]
    if not is_terminal:
        return Row([*cells, entry.says])
    return Row(cells, (entry.detail,), ((entry.to, entry.command),) if entry.command else ())
