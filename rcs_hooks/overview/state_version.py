"""The version of the folders of state and tasks: a number made of names, sizes and times; no file is read.

Of a session that nobody has written for `RECENT` only its folder counts, whose time changes with the next write.
"""

from __future__ import annotations

import os
import stat
import time
import zlib
from typing import TYPE_CHECKING

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files import paths, workspaces
from rcs_hooks.state.session_listing import RECENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TASKS = os.path.join(paths.HOME, "tasks")
DEEPEST = 4
MOST = 20_000
"""How many entries of one workspace count; a repository can bring more."""


def versions(roots: Iterable[str]) -> dict[str, int]:
    """Return the version of each workspace."""
    return {root: version(root) for root in roots}


def version(root: str) -> int:
    """Return a number that changes when a file of a workspace comes, goes or is written; 0 for an unsafe folder."""
    try:
        folders = (workspaces.state_folder(root), os.path.join(root, TASKS))
    except UnsafePath:
        return 0
    found = 0
    sessions = f"{folders[0]}/{paths.SESSIONS}"
    for number, entry in enumerate(each for folder in folders for each in _entries(folder, DEEPEST, sessions)):
        if number >= MOST:
            break
        found = zlib.crc32(entry.encode("utf-8", "surrogateescape"), found)
    return found


def combine(known: dict[str, int]) -> str:
    """Return one version for several workspaces, given the version of each."""
    text = "\n".join(f"{root}\t{number}" for root, number in sorted(known.items()))
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def _entries(folder: str, deep: int, sessions: str) -> Iterator[str]:
    """Yield what tells a version of each entry below a folder from another. `sessions`: the folder of all sessions."""
    try:
        with os.scandir(folder) as entries:
            known = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in known:
        if entry.name.startswith(".") or entry.name.endswith(".new"):
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield f"{entry.path}\t{status.st_mtime_ns}\t{status.st_size}\t{status.st_ino}"
        is_old_session = folder == sessions and time.time() - status.st_mtime > RECENT
        if stat.S_ISDIR(status.st_mode) and deep and not is_old_session:
            yield from _entries(entry.path, deep - 1, sessions)
