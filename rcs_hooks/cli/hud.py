"""`rcs hud`: shows on one line what is running, once, until Ctrl-C (`--watch`), or for Claude Code (`--statusline`).

Claude Code runs the status line after every message, so nothing is imported at the top that it does not need.
"""

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

    from rcs_hooks.hud import Hud
    from rcs_hooks.state.scopes import Scope

PAUSE = 0.5


def build() -> argparse.ArgumentParser:
    from rcs_hooks.cli import options

    parser = options.parser(
        "hud",
        "Show on one line what is running. Without a session: root, or the only session with an active mode.",
        "rcs hud --session S",
        "rcs hud --watch",
        "rcs hud --statusline     for statusLine of .claude/settings.json: rcs setup",
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
        hud, session = hud_and_session(scope)
        output.result(hud.as_json() | {"session": session})
    elif args.watch:
        try:
            _watch(scope)
        except KeyboardInterrupt:
            if sys.stdout.isatty():  # or the shell's prompt would continue the line
                output.text("")
            raise
    else:
        output.text(_line(scope, colour=output.is_coloured()))
    return output.OK


def statusline() -> int:
    """Print the status line for the call that Claude Code sends on stdin; an empty line if there is an error."""
    from rcs_hooks.files.workspaces import working_folder
    from rcs_hooks.hud import status_line

    try:
        shown = status_line(sys.stdin.buffer.read() if sys.stdin else b"", os.environ, working_folder(), time.time())
    except (OSError, ValueError, RcsError):
        shown = ""  # an error has no place in the client's status line
    output.text(shown)
    return output.OK


def hud_and_session(scope: Scope) -> tuple[Hud, str | None]:
    """Return what is running, and the id of its session; None for the state that belongs to no session."""
    from rcs_hooks.files.paths import clear_name
    from rcs_hooks.files.workspaces import off_by
    from rcs_hooks.hud import hud_of
    from rcs_hooks.state.inventory import deferred_skills_in
    from rcs_hooks.state.operations import title_of
    from rcs_hooks.state.scopes import resolve_among_sessions

    meant, busy = resolve_among_sessions(scope)
    view = meant.view()
    hud = hud_of(view, deferred_skills_in(view.inventory), off=off_by(os.environ, scope.root))
    to_clear = tuple(meant.commands.clear(clear_name(broken.path)) for broken in view.unreadable)
    elsewhere = () if meant.session else tuple(busy)
    titles = tuple(title_of(scope.view(session)) for session in elsewhere)
    return hud._replace(to_clear=to_clear, elsewhere=elsewhere, titles=titles), meant.session


def _line(scope: Scope, *, colour: bool) -> str:
    import shutil

    from rcs_hooks.hud import as_line

    width = shutil.get_terminal_size().columns - 1 if sys.stdout.isatty() else None
    return as_line(hud_and_session(scope)[0], colour=colour, width=width)


def _watch(scope: Scope) -> None:
    """Print the status line whenever it changes: over the old one on a terminal, otherwise on a new line."""
    last = ""
    while True:
        line = _line(scope._replace(now=time.time()), colour=output.is_coloured())
        if line != last:
            output.over(line) if sys.stdout.isatty() else output.text(line)
            output.flush()
            last = line
        time.sleep(PAUSE)  # polls: other tools write state too, and a file watcher would be one more package
