"""`rcs setup`: puts our hooks into the clients' own files."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, setup_end, shared_hooks
from rcs_hooks.cli import setup_words as wording
from rcs_hooks.clients import CLIENTS, installers
from rcs_hooks.clients.handlers import COMMAND, MCP, TRANSPORTS
from rcs_hooks.clients.installer import LOCAL, PROJECT, SCOPES, Host, InstallTarget, SetupOptions, setup_command
from rcs_hooks.editing import files
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.install import folders, plan, skills
from rcs_hooks.install.exclusive import exclusive
from rcs_hooks.install.other_rcs import other_rcs
from rcs_hooks.terminal import width

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence


NO_LOCAL_SKILLS = (
    "no client looks for skills of yours alone in a project; add --skills to --scope user, or to --scope project"
)

KEPT = "the entries ask the MCP server, and that stays; --transport command runs a process for each call instead."


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "setup",
        "Put the hooks into the clients' own files. Shows each change, keeps a backup of each file, leaves what is not"
        " ours as it is; running it again changes nothing. `rcs uninstall` removes them again.",
        "rcs setup --dry-run",
        "rcs setup --client claude --scope user --skills",
        "rcs setup --client codex --transport mcp --writable",
    )
    add_target(parser)
    parser.add_argument(
        "--transport",
        choices=TRANSPORTS,
        help="a process for each call, or one MCP server that stays; without it, as the entries"
        " that are there do, and new ones by a process",
    )
    parser.add_argument("--skills", action="store_true", help="also the skills, where each client looks for them")
    parser.add_argument(
        "--statusline",
        action="store_true",
        help=f"{wording.titles(wording.has_status_line)}: show what runs in its status line",
    )
    parser.add_argument(
        "--writable",
        action="store_true",
        help=f"{wording.titles(wording.has_sandbox)}: let the agent's sandbox write the state and the run store",
    )
    return parser


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the options that name the client, the scope and the workspace to set up."""
    parser.add_argument(
        "--client", choices=(*installers(), "all"), help="the client; without it, those that are on this machine"
    )
    parser.add_argument(
        "--scope",
        choices=SCOPES,
        default=PROJECT,
        help=f"this project (the default); this project, for you alone ({wording.titles(wording.has_local)}); or all"
        " that you do",
    )
    parser.add_argument("--root", metavar="FOLDER", help="the project; else the nearest with .rcs/state or .git")
    parser.add_argument("--dry-run", action="store_true", help="show the changes and write nothing")


def host_of(args: argparse.Namespace) -> Host:
    """Return the environment, the home and the workspace. Raises Refused if there is no home or no such workspace."""
    home = os.environ.get("HOME", "").strip()
    if not os.path.isabs(home):
        raise Refused("HOME is not set, so your clients' files cannot be found; set HOME and run this command again")
    cwd = os.getcwd()
    root = os.path.abspath(args.root) if args.root else find_root(os.environ, cwd)
    if not os.path.isdir(root):
        raise Refused(f"{root} does not exist; name the project with --root")
    return Host(os.environ, home, root)


def targets_of(args: argparse.Namespace) -> list[InstallTarget]:
    """Return the clients to set up, in the scope that is named: the named ones, or those on this machine.

    Raises Refused if there is none, or none has that scope.
    """
    host = host_of(args)
    if args.client:
        names = list(installers()) if args.client == "all" else [args.client]
    else:
        names = [client for client in installers() if is_on(host, client)]
    if not names:
        clients, named = ", ".join(installers()), ", ".join(f"--client {client}" for client in installers())
        raise Refused(f"none of {clients} is on PATH; name the one you mean: {named}")
    names = [name for name in names if args.scope in installers()[name].scopes]
    if not names:
        raise Refused(f"{wording.no_local()}; use --scope user or --scope project")
    return [InstallTarget(host, client, args.scope) for client in names]


def is_on(host: Host, client: str) -> bool:
    path = host.env.get("PATH", os.defpath)
    return shutil.which(client, path=path) is not None or os.path.isdir(installers()[client].home(host))


def run(argv: Sequence[str]) -> int:
    args = build().parse_args(argv)
    if args.skills and args.scope == LOCAL:
        raise Refused(NO_LOCAL_SKILLS)
    targets = targets_of(args)
    _refuse_impossible(targets, args)
    # Printed when all is written: a reader that goes away must not stop setup halfway.
    lines: list[str] = []
    try:
        with exclusive(targets[0].host):
            todo = _plan(targets, args, lines)
            for target, changes in todo:
                _carry_out(target, changes, args, lines)
    finally:
        for line in lines:
            output.safe(line)
    for target, changes in () if args.dry_run else todo:
        _print_next_steps(target, changes, writable=args.writable)
    for line in _left_out(targets, args):
        output.prose(line)
    if other := other_rcs(os.environ):
        output.prose(f"note: {'; '.join(other)}")
    for line in () if args.dry_run else setup_end.lines(targets, args):
        for part in setup_end.fitted(line, width.of(sys.stdout, os.environ)):
            output.safe(part)
    return output.OK


def _refuse_impossible(targets: Sequence[InstallTarget], args: argparse.Namespace) -> None:
    """Raise Refused for an option that no target has."""
    if args.transport == MCP and not any(MCP in target.installer.transports for target in targets):
        raise Refused(f"{wording.no_mcp(targets)}; use --transport {COMMAND}")
    no_line = wording.no_status_line(targets) if args.statusline else []
    if no_line and all(target.scope not in target.installer.status_line_scopes for target in targets):
        raise Refused(f"{'; '.join(no_line)}; nothing was changed")


def _left_out(targets: Sequence[InstallTarget], args: argparse.Namespace) -> Iterator[str]:
    """Yield what was asked for, and some of the clients do not have."""
    if args.transport == MCP and not all(MCP in target.installer.transports for target in targets):
        yield f"{wording.no_mcp(targets)}: a process answers each call."
    if args.scope == LOCAL and (not args.client or args.client == "all"):
        yield f"{wording.no_local()}."
    for line in wording.no_status_line(targets) if args.statusline else ():
        yield f"{line}."


def _plan(
    targets: Sequence[InstallTarget], args: argparse.Namespace, lines: list[str]
) -> list[tuple[InstallTarget, list[files.Change]]]:
    """Return the planned changes of each target, and add to `lines` what to print before them. Raises Refused."""
    todo: list[tuple[InstallTarget, list[files.Change]]] = []
    left: list[str] = []
    for target in targets:
        title = CLIENTS[target.client].title
        transport = args.transport or plan.transport_of(target)
        if transport not in target.installer.transports:
            transport = COMMAND
        if transport == MCP and not args.transport:
            lines.append(f"{title}: {KEPT}")
        planned = [change for _, others in todo for change in others]
        served = plan.served(target, planned)
        changes = plan.setup(target, SetupOptions(transport, args.writable, args.statusline, frozenset(served)))
        left += [f"{title}: {line}" for line in shared_hooks.of_setup(target, served, changes, targets)]
        if args.skills:
            copied, others = skills.setup(target, [change.path for change in planned])
            changes += copied
            left += [f"left: {skill}" for skill in others]
        todo.append((target, changes))
    changed = [CLIENTS[target.client] for target, changes in todo if changes]
    lines += [f"{client.title}: {client.typing_hint}" for client in changed if client.typing_hint]
    lines += left
    return todo


def _carry_out(
    target: InstallTarget, changes: Sequence[files.Change], args: argparse.Namespace, lines: list[str]
) -> None:
    for change in changes:
        lines += _change(target, change, dry_run=args.dry_run)
    if args.writable and target.installer.has_sandbox and not args.dry_run:
        # The sandbox ignores a folder that does not exist, and lets no agent create it.
        os.makedirs(target.installer.writable_folders(target.host)[0], mode=0o700, exist_ok=True)
    if not changes:
        lines.append(f"{CLIENTS[target.client].title}: nothing to change")


def _change(target: InstallTarget, change: files.Change, *, dry_run: bool) -> list[str]:
    """Carry out a change, and return the lines to print about it. `dry_run`: change nothing."""
    file = target.file(change.path)
    shown = [files.diff(change)] if file else []  # a skill's text is long, and not the person's
    if dry_run:
        return [*shown, f"would {_verb(change)} {change.path}\n"]
    backup = plan.backup_for(file, change) if file else None
    files.write(change, target.boundary_of(change.path), backup)
    if change.new is None:
        folders.remove_empty(target.host, change.path)
    name = os.path.basename(files.backup_path(change.path))
    about_backup = f"; the old one is kept in {name}" if backup is not None else ""
    about_backup = f"; {name} is removed" if change.drops_backup else about_backup
    done = {"remove": "removed", "change": "changed", "write": "wrote"}[_verb(change)]
    return [*shown, f"{done} {change.path}{about_backup}{chr(10) if file else ''}"]


def _verb(change: files.Change) -> str:
    if change.new is None:
        return "remove"
    return "write" if change.old is None else "change"


def approve_moved(target: InstallTarget, changes: Sequence[files.Change]) -> list[str]:
    """Return the line which says that hooks of the person's own must be approved again; no line if none must."""
    if not plan.moves_others(target, changes):
        return []
    installer = target.installer
    line = f"hooks of your own have moved up in their file, so approve them again: {installer.how_to_approve}."
    return [f"{installer.client.title}: {line}"]


def _print_next_steps(target: InstallTarget, changes: Sequence[files.Change], *, writable: bool) -> None:
    installer, title = target.installer, CLIENTS[target.client].title
    for line in approve_moved(target, changes):
        output.prose(line)
    renewed = plan.renews_ours(target, changes)
    for step in installer.next_steps(target, changed=bool(changes), renewed=renewed, writable=writable):
        output.prose(f"{title}: {step}")
    if changes and os.path.lexists(os.path.join(target.host.root, ".git")):
        if target.scope == LOCAL:
            output.prose(f"{title}: {target.hooks_file.path} is yours alone: keep it out of commits.")
        if target.scope == PROJECT:
            other = LOCAL if wording.has_local(installer) else "user"
            again = setup_command(target.client, other, plan.transport_of(target))
            move = f"rcs uninstall --client {target.client}, then {again}"
            output.prose(
                f"{title}: these files are shared by all who work on the project, and the paths in them are of this"
                f" machine: keep them out of commits, or move to your own files: {move}."
            )
