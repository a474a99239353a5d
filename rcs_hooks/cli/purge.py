"""What `rcs uninstall --purge` removes: all that this program keeps of a workspace, and in the home."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from typing import TYPE_CHECKING

from rcs_hooks.cli import output
from rcs_hooks.errors import Refused
from rcs_hooks.state.paths import HOME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.install.clients import Machine


def folders(machine: Machine) -> list[str]:
    """List the folders that are there. Raises Refused for one that is a link: what it leads to is not ours."""
    found = {os.path.realpath(top): os.path.join(top, HOME) for top in (machine.home, machine.root)}
    there = [path for path in found.values() if os.path.lexists(path)]
    for path in there:
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise Refused(f"{path} is a link or a file and no folder, so nothing was removed; remove it yourself")
    return there


def described(path: str) -> str:
    """Tell what is in a folder: how many files, and the names at its top."""
    count = sum(len(files) for _, _, files in os.walk(path))
    names = ", ".join(sorted(os.listdir(path))) or "nothing"
    return output.plain(f"{path} ({count} file{'' if count == 1 else 's'}: {names})")


def ask(paths: Sequence[str], *, yes: bool) -> bool:
    """Ask the person whether these may go. Raises Refused where nobody can be asked."""
    if yes or not paths:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise Refused("--purge removes state for good, and there is no terminal to ask on; add --yes if you mean it")
    for path in paths:
        output.text(f"to be removed: {described(path)}")
    output.flush()
    try:
        return input("Remove them for good? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def remove(paths: Sequence[str], *, dry_run: bool) -> list[str]:
    """Remove the folders, through no link in them; what is to be told of it."""
    said = []
    for path in filter(os.path.lexists, paths):  # an empty one may be gone by now
        what = described(path)
        if not dry_run:
            shutil.rmtree(path)
        said.append(f"{'would remove' if dry_run else 'removed'} {what}")
    return said
