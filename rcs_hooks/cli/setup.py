"""`rcs setup`: our hooks into the clients' own files."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output
from rcs_hooks.errors import Refused
from rcs_hooks.install import clients, edit, folders, plan, skills
from rcs_hooks.install.clients import CLAUDE, CODEX, LOCAL, PROJECT, TITLES, Machine, Place
from rcs_hooks.state.paths import find_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

APPROVE_AGAIN = (
    "Codex: the hooks have changed, so none of them runs until you approve again: start `codex`, then /hooks."
)
ENTER = "Codex: Enter sends a prompt that ends in a $skill only after a blank behind it, or Esc."
NO_LOCAL = "Codex keeps no settings of yours alone in a project, so --scope local is for Claude Code"
NO_STATUS_LINE = "Codex runs no command for its status line, so --statusline is for Claude Code"
NO_LOCAL_SKILLS = (
    "no client looks for skills of yours alone in a project; add --skills to --scope user, or to --scope project"
)
MOVED = "Codex: hooks of your own have moved up in their file, so approve them again: start `codex`, then /hooks."


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "setup",
        "Puts the hooks into the clients' own files. Shows each change, keeps the old file beside, leaves what is not"
        " ours as it is; a second time changes nothing. `rcs uninstall` takes them out again.",
        "rcs setup --dry-run",
        "rcs setup --client claude --scope user --skills",
        "rcs setup --client codex --transport mcp --writable",
    )
    add_place(parser)
    parser.add_argument(
        "--transport",
        choices=clients.TRANSPORTS,
        default=clients.COMMAND,
        help="a process for each call, or one MCP server that stays (needs the extra `server`)",
    )
    parser.add_argument("--skills", action="store_true", help="also the skills, where each client looks for them")
    parser.add_argument("--statusline", action="store_true", help="Claude Code: show what runs in its status line")
    parser.add_argument(
        "--writable", action="store_true", help="Codex: let the agent's sandbox write the state and the run store"
    )
    return parser


def add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--client", choices=(*clients.CLIENTS, "all"), help="else those that are on this machine")
    parser.add_argument(
        "--scope",
        choices=clients.SCOPES,
        default=PROJECT,
        help="this project (the default); this project, for you alone (Claude Code); or all that you do",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the project; else the nearest with .rcs/state or .git")
    parser.add_argument("--dry-run", action="store_true", help="show the changes and write nothing")


def machine_of(args: argparse.Namespace) -> Machine:
    home = os.environ.get("HOME", "").strip()
    if not os.path.isabs(home):
        raise Refused("HOME is not set, so your clients' files cannot be found; set HOME and run the same again")
    cwd = os.getcwd()
    root = os.path.abspath(args.root) if args.root else find_root(os.environ, cwd)
    if not os.path.isdir(root):
        raise Refused(f"{root}: there is no such folder; name the project with --root")
    return Machine(os.environ, home, root)


def places(args: argparse.Namespace) -> list[Place]:
    """The clients that are meant. Raises Refused where none is named and none is there."""
    machine = machine_of(args)
    if args.client:
        named = list(clients.CLIENTS) if args.client == "all" else [args.client]
    else:
        named = [client for client in clients.CLIENTS if _is_there(machine, client)]
    if not named:
        raise Refused("neither codex nor claude is on PATH; name the one you mean: --client codex, --client claude")
    if args.scope == LOCAL and named == [CODEX]:
        raise Refused(f"{NO_LOCAL}; take --scope user or --scope project")
    if args.scope == LOCAL:
        named = [CLAUDE]
    return [Place(machine, client, args.scope) for client in named]


def _is_there(machine: Machine, client: str) -> bool:
    path = machine.env.get("PATH", os.defpath)
    return shutil.which(client, path=path) is not None or os.path.isdir(machine.config_home(client))


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if args.transport == clients.MCP:
        _check_server()
    if args.skills and args.scope == LOCAL:
        raise Refused(NO_LOCAL_SKILLS)
    todo = []
    left: list[str] = []
    targets = places(args)
    if args.statusline and CLAUDE not in [place.client for place in targets]:
        raise Refused(f"{NO_STATUS_LINE}; nothing was changed")
    for place in targets:
        found = plan.setup(place, args.transport, writable=args.writable, statusline=args.statusline)
        todo.append((place, found))
        if args.skills:
            changes, others = skills.setup(place)
            todo[-1][1].changes.extend(changes)
            left += [f"left: {skill}" for skill in others]
    were_empty = {folders.empty(place.machine, change.path) for place, found in todo for change in found.changes}
    # Said when all is written: a reader that goes away must not stop it halfway.
    said = left
    try:
        for place, found in todo:
            _carry_out(place, found, args, said, were_empty)
    finally:
        for line in said:
            output.text(line)
    for place, found in () if args.dry_run else todo:
        _tell(place, found.changes, writable=args.writable)
    if args.scope == LOCAL and args.client != CLAUDE:
        output.text(f"{NO_LOCAL}.")
    if args.statusline and CODEX in [place.client for place in targets]:
        output.text(f"{NO_STATUS_LINE}.")
    return output.OK


def _carry_out(
    place: Place, found: plan.Plan, args: argparse.Namespace, said: list[str], were_empty: set[str | None]
) -> None:
    for change in found.changes:
        if not args.dry_run:
            folders.mark(place.machine, change.path, were_empty)
        said += _made(place, change, dry_run=args.dry_run)
    if args.writable and place.client == CODEX and not args.dry_run:
        # A root that is not there is no root: the sandbox lets nobody make it.
        os.makedirs(clients.writable(place.machine)[0], mode=0o700, exist_ok=True)
    for path, lines in found.by_hand:
        said.append(f"{path}: tomlkit is not installed, so paste this into it yourself:\n{lines}")
    if not (found.changes or found.by_hand):
        said.append(f"{TITLES[place.client]}: nothing to change")


def _made(place: Place, change: edit.Change, *, dry_run: bool) -> list[str]:
    """What is told of a change that was made, or would be."""
    is_skill = change.path.endswith(skills.FILE)
    shown = [] if is_skill else [edit.diff(change)]
    if dry_run:
        return [*shown, f"would {_verb(change)} {change.path}\n"]
    kept = None if is_skill else plan.to_keep(place, change)
    edit.write(change, place.within_of(change.path), kept)
    beside = f"; the old one is kept in {os.path.basename(edit.kept_path(change.path))}" if kept is not None else ""
    done = {"remove": "removed", "change": "changed", "write": "wrote"}[_verb(change)]
    return [*shown, f"{done} {change.path}{beside}{'' if is_skill else chr(10)}"]


def _verb(change: edit.Change) -> str:
    if change.new is None:
        return "remove"
    return "write" if change.old is None else "change"


def _check_server() -> None:
    import importlib.util
    import shlex

    if importlib.util.find_spec("mcp") is None:
        pip = f"{shlex.quote(sys.executable)} -m pip"
        raise Refused(f"mcp is not installed, which the server needs: {pip} install 'rcs-hooks[server]'")


def _tell(place: Place, changes: Sequence[edit.Change], *, writable: bool) -> None:
    """What is left for the person to do."""
    title = TITLES[place.client]
    changed = bool(changes)
    if place.client == CODEX:
        if plan.moves_others(place, changes):
            output.text(MOVED)
        if plan.renews_ours(place, changes):
            output.text(APPROVE_AGAIN)
        elif changed:
            trust = " here, trust the project" if place.scope == PROJECT else ""
            output.text(f"{title}: start `codex`{trust}, and approve the hooks with /hooks.")
            output.text(ENTER)
        if not writable:
            output.text(
                f"{title}: its sandbox keeps an agent from the run store in {clients.writable(place.machine)[0]},"
                " and from the state where it was started in a subfolder; --writable allows both."
            )
    elif changed:
        output.text(f"{title}: sessions that are open take it up when they are started again.")
    if changed and os.path.lexists(os.path.join(place.machine.root, ".git")):
        if place.scope == LOCAL:
            output.text(f"{title}: {place.hooks_file} is yours alone: keep it out of commits.")
        if place.scope == PROJECT:
            mine = f"rcs uninstall --client {place.client}, then rcs setup --client {place.client} --scope"
            other = "local" if place.client == CLAUDE else "user"
            output.text(
                f"{title}: these files are shared by all who work on the project, and the paths in them are of this"
                f" machine: keep them out of commits, or move to your own files: {mine} {other}."
            )
