"""`rcs hud`: shows what runs, on one line, also for Claude Code (`--statusline`).

Claude Code runs the status line after every message, so nothing is imported at the top that it does not need.
"""

from __future__ import annotations

import os
import sys
import time

from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError
from rcs_hooks.terminal import style as styles

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from rcs_hooks.hud import Hud
    from rcs_hooks.overview.entries import Entry, Overview
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.terminal.style import Style


def build() -> argparse.ArgumentParser:
    from rcs_hooks.cli import options

    parser = options.parser(
        "hud",
        "Show on one line what waits for you, works and has failed: the sessions, runs and tasks of the workspace, each"
        " counted once. Where there is one thing alone, or with --session: its mode, phase, round and what it asks.",
        "rcs hud",
        "rcs hud --session S",
        "rcs hud --statusline     for statusLine of .claude/settings.json: rcs setup",
    )
    options.add_scope(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print one line of JSON")
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
        return _json(scope)
    from rcs_hooks.terminal import width

    columns = width.of(sys.stdout, os.environ)
    # The last column is left empty: some terminals begin another line behind it.
    line = _line_of(scope, styles.of(sys.stdout, os.environ), columns and columns - 1)
    output.text(line)
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


def _json(scope: Scope) -> int:
    hud, session = hud_and_session(scope)
    counts = {}
    if not scope.session:
        from rcs_hooks.overview.tally import tally

        counts = {"counts": tally(_overview(scope)).as_json()}
    output.result(hud.as_json() | counts | {"session": session})
    return output.OK


def hud_and_session(scope: Scope) -> tuple[Hud, str | None]:
    """Return what is running, and the id of its session; None for the state that belongs to no session."""
    from rcs_hooks.state.scopes import resolve_among_sessions

    meant, busy = resolve_among_sessions(scope)
    return _hud_of(meant)._replace(elsewhere=() if meant.session else tuple(busy)), meant.session


def _hud_of(scope: Scope) -> Hud:
    from rcs_hooks.files.paths import clear_name
    from rcs_hooks.files.workspaces import off_by
    from rcs_hooks.hud import hud_of
    from rcs_hooks.state.inventory import deferred_skills_in

    view = scope.view()
    hud = hud_of(view, deferred_skills_in(view.inventory), off=off_by(os.environ, scope.root))
    return hud._replace(to_clear=tuple(scope.commands.clear(clear_name(broken.path)) for broken in view.unreadable))


def _line_of(scope: Scope, style: Style, width: int | None) -> str:
    """Return what is running as one line: in the session of a scope, or else in its workspace."""
    if scope.session:
        from rcs_hooks.overview.modes import of_session

        entries = of_session(scope.root, scope.folder, scope.session, scope.now, scope.commands)
        return _line_of_session(scope, entries, style, width)
    from rcs_hooks.hud import NAME
    from rcs_hooks.overview import tally
    from rcs_hooks.terminal.line import joined

    overview = _overview(scope)
    entry = tally.only(tally.tally(overview))
    if entry is not None and tally.is_of_session(entry):
        return _line_of_session(scope.of(entry.session), overview.waiting, style, width)
    separator = tally.SEPARATOR if output.can_show(tally.SEPARATOR) else ", "
    return joined((NAME, *tally.parts(overview, scope.now, separator)), style, width)


def _line_of_session(scope: Scope, entries: Iterable[Entry], style: Style, width: int | None) -> str:
    from rcs_hooks.hud import NAME, OFF, as_line
    from rcs_hooks.state.session_listing import is_known
    from rcs_hooks.terminal.line import joined

    asks = tuple((each.name, each.question.text) for each in entries if each.question and each.session == scope.session)
    shown = _hud_of(scope)._replace(asks=asks)
    if not (shown.active or asks or shown.finished or shown.unreadable or is_known(scope.folder, scope.session or "")):
        nothing = styles.QUIET, f"nothing runs in session {scope.session}"
        return joined((NAME, *([OFF] if shown.off else ()), nothing), style, width)
    return as_line(shown, style, width)


def _overview(scope: Scope) -> Overview:
    from rcs_hooks.files.workspaces import working_folder
    from rcs_hooks.overview.collect import overview

    return overview(os.environ, scope.root, scope.now, scope.commands._replace(session=""), working_folder())
