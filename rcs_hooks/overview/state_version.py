"""The version of the folders of state and tasks: a number made of names, sizes and times; no file is read."""

from __future__ import annotations

import os
import stat
import zlib
from typing import TYPE_CHECKING

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files import paths, workspaces
from rcs_hooks.state.session_index import needing_attention
from rcs_hooks.state.session_listing import known_sessions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TASKS = os.path.join(paths.HOME, "tasks")
DEEPEST = 4
MOST = 20_000
"""How many entries of one workspace count; a repository can bring more."""


def versions(roots: Iterable[str], listed: Callable[[str], list[str]] = needing_attention) -> dict[str, int]:
    """Return the version of each workspace; `listed` names the live sessions in a folder of state."""
    return {root: version(root, listed) for root in roots}


def version(root: str, listed: Callable[[str], list[str]] = needing_attention) -> int:
    """Return a number that changes when a file of a workspace comes, goes or is written; 0 for an unsafe folder.

    `listed` names the live sessions in a folder of state.
    """
    try:
        folders = (workspaces.state_folder(root), os.path.join(root, TASKS))
    except UnsafePath:
        return 0
    found = 0
    ended = _ended(folders[0], listed)
    for number, entry in enumerate(each for folder in folders for each in _entries(folder, DEEPEST, ended)):
        if number >= MOST:
            break
        found = zlib.crc32(entry.encode("utf-8", "surrogateescape"), found)
    return found


def combine(known: dict[str, int]) -> str:
    """Return one version for several workspaces, given the version of each."""
    text = "\n".join(f"{root}\t{number}" for root, number in sorted(known.items()))
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def _ended(state: str, listed: Callable[[str], list[str]]) -> frozenset[str]:
    """Return the folders of sessions that have ended, by the index; a session that changes is listed there again."""
    try:
        there = set(known_sessions(state)) - set(listed(state))
    except OSError:
        return frozenset()
    return frozenset(f"{state}/{paths.SESSIONS}/{session}" for session in there)


def _entries(folder: str, deep: int, ended: frozenset[str]) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            known = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in known:
        if entry.name.startswith(".") or entry.name.endswith(".new") or entry.name == paths.FOLDED:
            continue
        if entry.path in ended:
            yield entry.path
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield f"{entry.path}\t{status.st_mtime_ns}\t{status.st_size}\t{status.st_ino}"
        if stat.S_ISDIR(status.st_mode) and deep:
            yield from _entries(entry.path, deep - 1, ended)
