"""`rcs status`: says what waits for the person, what runs, what ended lately, and where the tasks are."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, shared_lists
from rcs_hooks.cli.switch import what_switches_on
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.overview import collect, words
from rcs_hooks.terminal import style, width
from rcs_hooks.terminal.width import wrapped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "status",
        "Say what waits for you, what runs, what ended in the last day, and where the tasks are: all sessions, runs"
        " and tasks of the workspace.",
        "rcs status",
        "rcs status --session S",
        "rcs status --shared",
        "rcs status --json",
    )
    options.add_scope(parser)
    shared_lists.add_option(parser)
    options.add_json(parser)
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if args.shared:
        return shared_lists.status(args)
    scope = options.scope_of(args)
    commands = scope.commands._replace(session="")
    found = collect.overview(os.environ, scope.root, scope.now, commands, working_folder())
    nothing = words.NOTHING
    if args.session and scope.session:
        nothing = words.nothing_in(scope.session, found)
        found = collect.of_session(found, scope.session)
    if args.json:
        output.result(found.as_json())
        return output.OK
    columns = width.of(sys.stdout, os.environ)
    look = style.of(sys.stdout, os.environ)
    is_one = bool(args.session and scope.session)
    for line in words.lines(found, scope.now, width=columns, style=look, nothing=nothing, with_ends=is_one):
        output.text(line)
    if columns and not is_one and (hint := words.how_to_end(found)):
        output.text("")
        for line in wrapped(hint, columns):
            output.text(look.paint(line, style.QUIET))
    if found.off:
        output.text(
            output.plain(
                f"the hooks are off: {found.off} is set; to switch them on: {what_switches_on(found.off, scope.root)}"
            )
        )
    return output.OK
