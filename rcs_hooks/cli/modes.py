"""The command `rcs modes [list | new NAME]`: which modes may be typed here, and a new one of one's own."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.cli.setup import host_of, is_on
from rcs_hooks.cli.shown_paths import near
from rcs_hooks.clients import installers
from rcs_hooks.clients.installer import PROJECT, USER, InstallTarget
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.mode_def import HOME
from rcs_hooks.modes import lookup, skeleton
from rcs_hooks.modes.listing import listing
from rcs_hooks.runs import workflow_files
from rcs_hooks.terminal.style import STRONG
from rcs_hooks.terminal.table import Cell, Column, Row
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.clients.installer import Host
    from rcs_hooks.modes.listing import Listed

COLUMNS = (Column("TYPE"), Column("MODE"), Column("KIND"), Column("MAY RUN", is_flexible=True))


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "modes",
        "List the modes that may be typed here, where each is declared and what may run together; or write a new one.",
        "rcs modes",
        "rcs modes new release",
        "rcs modes new design --kind planning --home",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the workspace (default: that of this folder)")
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    every = options.add_action(actions, "list", "list the modes, as `rcs modes` alone does", "rcs modes list")
    every.add_argument("--root", metavar="FOLDER", default=argparse.SUPPRESS, help="the workspace")
    every.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print one line of JSON")
    new = options.add_action(
        actions, "new", "write a SKILL.md that declares a mode, to be edited", "rcs modes new release"
    )
    new.add_argument("name", metavar="NAME", help="what is typed after the `$`")
    new.add_argument("--kind", choices=skeleton.KINDS, default="execution", help="what it does (default: execution)")
    new.add_argument("--home", action="store_true", help="for all that you do, instead of for this project")
    new.add_argument("--client", choices=(*installers(), "all"), help="for which client; else those on this machine")
    new.add_argument("--root", metavar="FOLDER", default=argparse.SUPPRESS, help="the workspace")
    return parser


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    return _new(args) if args.action == "new" else _list(args)


# --- list


def _list(args: argparse.Namespace) -> int:
    root = os.path.abspath(args.root) if args.root else find_root(os.environ, os.getcwd())
    found = listing(os.environ, root)
    if args.json:
        output.result([each.as_json() for each in found.modes])
    else:
        output.table([_row(each) for each in found.modes], COLUMNS)
        output.text("$cancel ends every run of the session")
    for fault in found.faults:
        output.refused(f"broken: {fault.sentence}")
    return output.OK


def _row(each: Listed) -> Row:
    """Return the row of a mode; below that of an own mode its file."""
    mode = each.mode
    rules = [f"after {', '.join(mode.after)}"] if mode.after else []
    if mode.overlaps_all:
        rules.append("beside any mode")
    elif beside := [name for name in each.beside if name != "ultrawork"]:
        rules.append(f"beside {', '.join(beside)}")
    first, *others = (f"${token}" for token in mode.tokens)
    typed = f"{first} ({', '.join(others)})" if others else first
    kind = "planning" if mode.is_planning else "execution"
    file = ((_whose(each), Cell(near(each.file), full=each.file)),) if mode.is_own else ()
    return Row((Cell(typed, STRONG), mode.name, kind, "; ".join(rules)), commands=file)


def _whose(each: Listed) -> str:
    return "yours" if each.mode.source == HOME else "the project's"


# --- new


def _new(args: argparse.Namespace) -> int:
    host = host_of(args)
    skeleton.check_name(args.name)
    _refuse_shipped(args.name)
    if not args.home:
        _refuse_hidden(host, args.name)
    folders = _folders(host, args.client, USER if args.home else PROJECT)
    first, *links = skeleton.write(args.name, args.kind, folders, None if args.home else host.root)
    output.text(f"wrote {first}")
    for link in links:
        output.text(f"linked {os.path.dirname(link)} to it")
    output.text(f"Edit it, then: rcs machine check {quoted(first)}")
    output.text(f"Start it in a prompt: ${args.name} WHAT IS TO BE DONE")
    return output.OK


def _refuse_shipped(name: str) -> None:
    """Raise Refused if a workflow that is no mode has the name: the new file would hide its machine from `rcs emit`."""
    skill, agent = (os.path.join(folder, name) for _, folder in workflow_files.SHIPPED_FOLDERS)
    if os.path.isfile(os.path.join(skill, workflow_files.SKILL_FILE)) or os.path.isfile(
        f"{agent}{workflow_files.AGENT_SUFFIX}"
    ):
        raise Refused(f"the name '{name}' is taken by a workflow that ships with rcs; choose another")


def _refuse_hidden(host: Host, name: str) -> None:
    """Raise Refused if the person has a skill of that name in the home, which goes before the project's."""
    for source, folder in lookup.folders(host.env, host.root):
        path = os.path.join(folder, name)
        if source == HOME and os.path.lexists(path):
            raise Refused(f"{path} exists already and goes before a mode of the project; choose another name")


def _folders(host: Host, client: str | None, scope: str) -> list[str]:
    """Return the skill folders of the clients that are meant, in the order in which they are searched.

    Several clients may share one.
    """
    names = [each for each in installers() if client in (each, "all")] if client else []
    names = names or [each for each in installers() if is_on(host, each)] or list(installers())
    targets = (InstallTarget(host, name, scope) for name in names)
    paths = dict.fromkeys(target.installer.skills_folder(target) for target in targets)
    order = [path for _, path in lookup.folders(host.env, host.root)]
    return sorted(dict.fromkeys(paths), key=lambda path: order.index(path) if path in order else len(order))
