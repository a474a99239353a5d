"""Removes for `rcs uninstall --purge` what this program keeps in a workspace and in the home."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.errors import RcsError, Refused
from rcs_hooks.files.paths import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.clients.installer import Host


def folders(host: Host) -> list[str]:
    """List the existing `.rcs` folders of the home and the workspace.

    Raises Refused for a link: its target is not ours.
    """
    by_real_path = {os.path.realpath(top): os.path.join(top, HOME) for top in (host.home, host.root)}
    existing = [path for path in by_real_path.values() if os.path.lexists(path)]
    for path in existing:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise Refused(f"{path} is a link or a file, not a folder, so nothing was removed; remove it yourself")
    return existing


def described(path: str) -> str:
    """Return one line about a folder: its path, how many files it holds, and the names of its direct entries."""
    count = sum(len(files) for _, _, files in os.walk(path))
    names = ", ".join(sorted(os.listdir(path))) or "nothing"
    return output.plain(f"{path} ({count} file{'' if count == 1 else 's'}: {names})")


def ask(paths: Sequence[str], *, yes: bool) -> bool:
    """Ask the person whether to remove these folders; tell whether to go on. Raises Refused if nobody can be asked.

    `yes`: go on without asking.
    """
    if yes or not paths:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise Refused("--purge removes state for good, and there is no terminal to ask on; add --yes if you mean it")
    for path in paths:
        output.safe(f"to be removed: {described(path)}")
    output.flush()
    try:
        return input("Remove them for good? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def say_unsent(host: Host) -> None:
    """Say how many records of shared folders were not sent yet, as they may be removed too."""
    from rcs_hooks.share import health, settings

    with suppress(RcsError, OSError):
        found = settings.load(host.env)
        count = sum(each.behind.events for each in health.projects(found, host.env, host.root))
        if count:
            output.refused(f"rcs: {count} records of shared folders are not shared yet; to share: rcs share run --once")


def remove(paths: Sequence[str], *, dry_run: bool) -> list[str]:
    """Remove the folders without following links in them; return the lines to print.

    `dry_run`: only return the lines.
    """
    lines = []
    for path in filter(os.path.lexists, paths):  # an empty one may be gone by now
        what = described(path)
        if not dry_run:
            shutil.rmtree(path)
        lines.append(f"{'would remove' if dry_run else 'removed'} {what}")
    return lines
