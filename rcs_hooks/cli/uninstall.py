"""`rcs uninstall`: ours out of the clients' own files, and nothing else."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import options, output, purge
from rcs_hooks.cli.setup import MOVED, add_place, places
from rcs_hooks.install import clients, edit, folders, plan, skills

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from rcs_hooks.install.clients import Place


def build() -> argparse.ArgumentParser:
    parser = options.parser(
        "uninstall",
        "Takes our hooks, servers, rules, status line and untouched skills out of the clients' own files; where nothing"
        " else has changed, each file is again what it was. State in .rcs stays, unless --purge removes it.",
        "rcs uninstall --dry-run",
        "rcs uninstall --client codex --scope user",
        "rcs uninstall --purge",
    )
    add_place(parser)
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
    if not args.client:
        args.client = "all"
    targets = places(args)
    doomed = purge.folders(targets[0].machine) if args.purge else []
    if not args.dry_run and not purge.ask(doomed, yes=args.yes):
        output.text("nothing was changed")
        return output.REFUSED
    planned = []
    said: list[str] = []
    for place in targets:
        found = plan.uninstall(place)
        changes = [plan.as_it_was(place, change) for change in found.changes]
        gone, others = skills.uninstall(place)
        planned.append((place, [*changes, *gone], found.by_hand))
        said += [f"{path}: you have changed it, so it stays" for path in others]
    # Said when all is done: a reader that goes away must not stop it halfway.
    try:
        for place, changes, by_hand in planned:
            for change in changes:
                said += _made(place, change, dry_run=args.dry_run)
            for path, lines in by_hand:
                said.append(f"{path}: tomlkit is not installed, so change it yourself: {lines}")
            if plan.moves_others(place, changes):
                said.append(MOVED)
            if not (changes or by_hand):
                said.append(f"{clients.TITLES[place.client]}: nothing of ours in {_where(place)}")
        said += purge.remove(doomed, dry_run=args.dry_run)
    finally:
        for line in said:
            output.text(line)
    return output.OK


def _where(place: Place) -> str:
    others = [scope for scope in clients.SCOPES if scope != place.scope]
    if place.client != clients.CLAUDE and clients.LOCAL in others:
        others.remove(clients.LOCAL)
    return f"the files of --scope {place.scope} (there is also {' and '.join(f'--scope {scope}' for scope in others)})"


def _made(place: Place, change: edit.Change, *, dry_run: bool) -> list[str]:
    """What is told of a change that was made, or would be."""
    shown = [] if change.path.endswith(skills.FILE) else [edit.diff(change)]
    if dry_run:
        return [*shown, f"would {'remove' if change.new is None else 'change'} {change.path}"]
    kept = edit.kept_path(change.path)
    restored = change.new is not None and edit.read(kept, place.within_of(kept)) == change.new
    edit.write(change, place.within_of(change.path))
    if change.new is None:
        folders.remove_empty(place.machine, change.path)
    if change.path == place.config_file:
        with suppress(OSError):
            os.rmdir(clients.writable(place.machine)[0])  # setup --writable makes it; with anything in it, it stays
    done = "removed" if change.new is None else "as it was before" if restored else "ours taken out"
    stays = f"; the one from before us stays in {os.path.basename(kept)}" if os.path.lexists(kept) else ""
    return [*shown, f"{change.path}: {done}{stays}"]
