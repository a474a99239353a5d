"""Finds what is in the way of a workspace's state: a link, a file or a folder where something else belongs.

Looks only after something has failed, or when a person asks. A repository may bring such a thing.
"""

from __future__ import annotations

import os
import stat

from rcs_hooks.errors import InTheWay
from rcs_hooks.files.paths import SESSIONS, STATE, inside
from rcs_hooks.files.tracked import is_brought
from rcs_hooks.text import quoted
from rcs_hooks.tuples import NamedTuple

LOCK = f"{STATE}/.lock"
FOLDERS = (STATE, f"{STATE}/{SESSIONS}")


class Obstacle(NamedTuple):
    """What is in the way: its path, the words with the whole path, and the command that removes it."""

    path: str
    words: str
    command: str


def find(root: str) -> Obstacle | None:
    """Return the first thing that keeps state from being written in a workspace; None if nothing does."""
    for path in (*FOLDERS, LOCK):
        whole = f"{root}/{path}"
        try:
            mode = os.lstat(whole).st_mode
        except OSError:
            continue
        kind = "link" if stat.S_ISLNK(mode) else "folder" if stat.S_ISDIR(mode) else "file"
        if path == LOCK:
            fault = "" if stat.S_ISREG(mode) else f"is {'no file' if kind == 'file' else f'a {kind}'}"
        elif kind == "link":
            is_followed = inside(os.path.realpath(whole), os.path.realpath(f"{root}/{STATE}"))
            fault = "" if is_followed else "is a link that leads out of the state folder"
        else:
            fault = "" if kind == "folder" else "is not a folder"
        if fault:
            return Obstacle(path, f"{whole} {fault}", _removal(root, path, kind))
    return None


def _removal(root: str, path: str, kind: str) -> str:
    option = "-r " if kind == "folder" else ""
    command = "git rm" if is_brought(root, os.path.relpath(path, STATE)) else "rm"
    return f"{command} {option}{quoted(f'{root}/{path}')}"


def check(folder: str) -> None:
    """Raise InTheWay if something is in the way of a state folder, with what to type; do nothing otherwise."""
    root, _, below = folder.rpartition(f"/{STATE}")
    found = None if below else find(root)
    if found:
        raise InTheWay(f"{found.words}, so no state is kept; to remove it: {found.command}")
