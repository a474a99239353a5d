"""Folders around our files: uninstall removes those that setup has created, and no others.

A folder that existed and was empty before setup looks like one that setup has created, so setup marks it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.editing.files import BACKUP_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Collection

    from rcs_hooks.clients.installer import Host

MARK = BACKUP_SUFFIX
"""The name of an empty file which says that its folder existed before setup."""


def empty(host: Host, path: str) -> str | None:
    """Return the nearest existing folder above a path; None if it is not empty, or is the home or the workspace."""
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return folder if folder not in _tops(host) and not os.listdir(folder) else None


def mark(host: Host, path: str, were_empty: Collection[str | None]) -> None:
    """Mark the folder that is about to get our file at `path`, if it is empty and existed before setup.

    `were_empty`: the folders that were empty before anything was written. Whether the folder is empty is checked again,
    as another setup may have written in between.
    """
    folder = empty(host, path)
    if folder and folder in were_empty:
        with open(os.path.join(folder, MARK), "a", encoding="utf-8"):
            pass


def remove_empty(host: Host, path: str) -> None:
    """Remove the folders above a removed file that are now empty and were not marked as older than setup."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while folder not in _tops(host):
            if os.listdir(folder) == [MARK] and _unmarked(folder):
                return
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def unmark(host: Host, path: str) -> None:
    """Remove our marks in the folders above a file, which itself stays."""
    folder = os.path.dirname(path)
    while folder not in _tops(host):
        with suppress(OSError):
            _unmarked(folder)
        folder = os.path.dirname(folder)


def _unmarked(folder: str) -> bool:
    """Remove our mark in a folder, and tell whether there was one. Raises OSError."""
    path = os.path.join(folder, MARK)
    is_ours = os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) == 0
    if is_ours:
        os.unlink(path)
    return is_ours


def _tops(host: Host) -> tuple[str, ...]:
    return (host.root, host.home, os.sep)
