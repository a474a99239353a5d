"""`rcs uninstall`: removes what setup has put into the clients' own files, and nothing else."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, purge, share_service, shared_hooks
from rcs_hooks.cli.setup import add_target, approve_moved, targets_of
from rcs_hooks.clients import CLIENTS
from rcs_hooks.editing import files
from rcs_hooks.install import folders, plan, skills
from rcs_hooks.install.exclusive import exclusive

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.clients.installer import InstallTarget


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "uninstall",
        "Remove our hooks, servers, rules, status line and unchanged skills from the clients' own files; where nothing"
        " else has changed, each file is again what it was. Without --client, also the service of `rcs share start`."
        " State in .rcs stays, unless --purge removes it.",
        "rcs uninstall --dry-run",
        "rcs uninstall --client codex --scope user",
        "rcs uninstall --purge",
    )
    add_target(parser)
    parser.add_argument(
        "--purge", action="store_true", help="also remove .rcs of the workspace and of your home, for good; asks first"
    )
    parser.add_argument("--yes", action="store_true", help="with --purge: do not ask")
    return parser


def run(argv: Sequence[str]) -> int:
    parser = build()
    args = parser.parse_args(argv)
    if args.yes and not args.purge:
        parser.error("--yes goes with --purge")
    is_for_all = not args.client
    args.client = args.client or "all"
    targets = targets_of(args)
    doomed = purge.folders(targets[0].host) if args.purge else []
    if doomed and not args.dry_run:
        purge.say_unsent(targets[0].host)
    if not args.dry_run and not purge.ask(doomed, yes=args.yes):
        output.text("nothing was changed")
        return output.REFUSED
    lines: list[str] = []
    if is_for_all or doomed:
        lines += share_service.of_uninstall(targets[0].host, dry_run=args.dry_run, purges=bool(doomed))
    # Printed when all is done: a reader that goes away must not stop it halfway.
    try:
        with exclusive(targets[0].host):
            for target, changes in _plan(targets, lines):
                _carry_out(target, changes, lines, dry_run=args.dry_run)
                title = CLIENTS[target.client].title
                lines += [f"{title}: {line}" for line in shared_hooks.of_uninstall(target, changes, targets)]
            lines += purge.remove(doomed, dry_run=args.dry_run)
    finally:
        for line in lines:
            output.safe(line)
    return output.OK


def _plan(targets: Sequence[InstallTarget], lines: list[str]) -> list[tuple[InstallTarget, list[files.Change]]]:
    """Return the planned changes of each target, and add to `lines` what to print before them. Raises Refused."""
    planned = []
    paths: set[str] = set()
    named = [target.client for target in targets]
    for target in targets:
        changes = plan.uninstall(target)
        removals, others = skills.uninstall(target)
        removals = [each for each in removals if each.path not in paths]
        if removals and (users := skills.users(target, named)):
            folder = target.installer.skills_folder(target)
            lines.append(f"{folder}: the skills stay, for {' and '.join(users)} may use them")
            removals = []
        paths |= {each.path for each in removals}
        planned.append((target, [*changes, *removals]))
        lines += [line for path in others if (line := f"{path}: you have changed it, so it stays") not in lines]
    return planned


def _carry_out(target: InstallTarget, changes: Sequence[files.Change], lines: list[str], *, dry_run: bool) -> None:
    for change in changes:
        lines += _change(target, change, dry_run=dry_run)
    lines += approve_moved(target, changes)
    if not changes:
        lines.append(f"{CLIENTS[target.client].title}: nothing of ours in {_where(target)}")


def _where(target: InstallTarget) -> str:
    others = [f"--scope {scope}" for scope in target.installer.scopes if scope != target.scope]
    return f"the files of --scope {target.scope} (there is also {' and '.join(others)})"


def _change(target: InstallTarget, change: files.Change, *, dry_run: bool) -> list[str]:
    """Carry out a change, and return the lines to print about it. `dry_run`: change nothing."""
    file = target.file(change.path)
    shown = [files.diff(change)] if file else []
    if dry_run:
        return [*shown, f"would {'remove' if change.new is None else 'change'} {change.path}"]
    files.write(change, target.boundary_of(change.path))
    if change.new is None:
        folders.remove_empty(target.host, change.path)
    if file and (folder := file.created_folder):
        with suppress(OSError):
            os.rmdir(folder)  # where it holds anything, it stays
    backup = files.backup_path(change.path)
    name = os.path.basename(backup)
    done = "removed" if change.new is None else "as it was before" if change.drops_backup else "ours removed"
    about_backup = f"; the backup from before setup stays in {name}" if os.path.lexists(backup) else ""
    about_backup = f"; {name} is removed" if change.drops_backup else about_backup
    return [*shown, f"{change.path}: {done}{about_backup}"]
