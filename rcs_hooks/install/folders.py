"""Folders around our files: uninstall removes the ones that setup made, and no other.

A folder that was there and empty before setup cannot be told from one that setup made, so setup leaves a mark in it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.install.edit import KEPT

if TYPE_CHECKING:
    from collections.abc import Collection

    from rcs_hooks.install.clients import Machine

MARK = KEPT
"""An empty file of this name: the folder was there before us."""


def empty(machine: Machine, path: str) -> str | None:
    """The nearest folder above a path that is there, if it is empty."""
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return folder if folder not in _tops(machine) and not os.listdir(folder) else None


def mark(machine: Machine, path: str, were_empty: Collection[str | None]) -> None:
    """Marks the folder that is about to get our file, if it was empty before anything was written. Asked twice: another
    setup may just have made it."""
    folder = empty(machine, path)
    if folder and folder in were_empty:
        with open(os.path.join(folder, MARK), "a", encoding="utf-8"):
            pass


def remove_empty(machine: Machine, path: str) -> None:
    """Removes the folders above a file of ours that are empty without it, as far as setup may have made them."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while folder not in _tops(machine):
            found = os.path.join(folder, MARK)
            if os.listdir(folder) == [MARK] and not os.path.islink(found) and os.path.getsize(found) == 0:
                os.unlink(found)
                return
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _tops(machine: Machine) -> tuple[str, ...]:
    return (machine.root, machine.home, os.sep)
