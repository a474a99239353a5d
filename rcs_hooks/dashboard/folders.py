"""Whether anything in the folders of state and tasks has changed: names, sizes and times, nothing is read."""

from __future__ import annotations

import os
import stat
import zlib
from typing import TYPE_CHECKING

from rcs_hooks.errors import UnsafePath
from rcs_hooks.state import paths
from rcs_hooks.state.active import needy
from rcs_hooks.state.known import known_sessions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TASKS = os.path.join(paths.HOME, "tasks")
DEEPEST = 4
MOST = 20_000
"""Entries of one workspace; what a repository brings beyond them is not followed."""


def versions(roots: Iterable[str]) -> dict[str, int]:
    return {root: version(root) for root in roots}


def version(root: str) -> int:
    """Another number whenever a file came, went or was written."""
    try:
        folders = (paths.state_folder(root), os.path.join(root, TASKS))
    except UnsafePath:
        return 0
    found = 0
    ended = _ended(folders[0])
    for number, entry in enumerate(each for folder in folders for each in _entries(folder, DEEPEST, ended)):
        if number >= MOST:
            break
        found = zlib.crc32(entry.encode("utf-8", "surrogateescape"), found)
    return found


def together(known: dict[str, int]) -> str:
    text = "\n".join(f"{root}\t{number}" for root, number in sorted(known.items()))
    return f"{zlib.crc32(text.encode('utf-8', 'surrogateescape')):08x}"


def _ended(state: str) -> frozenset[str]:
    """The folders of sessions whose files need no look: each is looked at again when it has changed."""
    try:
        there = set(known_sessions(state)) - set(needy(state))
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
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        yield f"{entry.path}\t{status.st_mtime_ns}\t{status.st_size}\t{status.st_ino}"
        if stat.S_ISDIR(status.st_mode) and deep and entry.path not in ended:
            yield from _entries(entry.path, deep - 1, ended)
