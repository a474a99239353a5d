"""`rcs hud`: one line; `--watch` keeps it current; `--statusline` is Claude Code's."""

from __future__ import annotations

import os
import sys
import time

from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.hud.line import Hud
    from rcs_hooks.state.surface import Scope

PAUSE = 0.5


def build() -> argparse.ArgumentParser:
    from rcs_hooks.cli import options

    parser = options.parser(
        "hud",
        "One line about what is running. Without a session: root, or the one session that has something active.",
        "rcs hud --session S",
        "rcs hud --watch",
        '"statusLine": {"type": "command", "command": "rcs hud --statusline"}   (in .claude/settings.json)',
    )
    options.add_scope(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one line of JSON")
    how.add_argument("--watch", action="store_true", help="keep the line current until Ctrl-C")
    how.add_argument("--statusline", action="store_true", help="read Claude Code's status-line JSON on stdin")
    return parser


def run(argv: Sequence[str]) -> int:
    if list(argv) == ["--statusline"]:
        return statusline()
    from rcs_hooks.cli import options

    args = build().parse_args(argv)
    if args.statusline:
        return statusline()
    scope = options.scope_of(args)
    if args.json:
        hud, session = _hud(scope)
        output.result(hud.as_json() | {"session": session})
    elif args.watch:
        try:
            _watch(scope)
        except KeyboardInterrupt:
            if sys.stdout.isatty():  # the shell's prompt gets a line of its own
                output.text("")
            raise
    else:
        output.text(_line(scope, colour=output.is_coloured()))
    return output.OK


def statusline() -> int:
    from rcs_hooks.hud.statusline import line
    from rcs_hooks.state.paths import working_folder

    try:
        shown = line(sys.stdin.buffer.read() if sys.stdin else b"", os.environ, working_folder(), time.time())
    except (OSError, ValueError, RcsError):
        shown = ""  # whatever stands in the way, the client's line stays clean
    output.text(shown)
    return output.OK


def _hud(scope: Scope) -> tuple[Hud, str | None]:
    """And the session that it is about; None for root."""
    from rcs_hooks.hud.line import hud_of
    from rcs_hooks.state.inventory import deferred_in
    from rcs_hooks.state.paths import off_by
    from rcs_hooks.state.surface import meant_among

    meant, busy = meant_among(scope)
    view = meant.view()
    return hud_of(view, deferred_in(view.inventory), off=off_by(os.environ, scope.root))._replace(
        elsewhere=() if meant.session else tuple(busy)
    ), meant.session


def _line(scope: Scope, *, colour: bool) -> str:
    import shutil

    from rcs_hooks.hud.line import as_line

    width = shutil.get_terminal_size().columns - 1 if sys.stdout.isatty() else None
    return as_line(_hud(scope)[0], colour=colour, width=width)


def _watch(scope: Scope) -> None:
    """On a terminal the line is drawn over itself and never wraps; elsewhere each change is a new line."""
    last = ""
    while True:
        line = _line(scope._replace(now=time.time()), colour=output.is_coloured())
        if line != last:
            output.over(line) if sys.stdout.isatty() else output.text(line)
            output.flush()
            last = line
        time.sleep(PAUSE)  # other tools write state too, and no watcher of files is among our packages
