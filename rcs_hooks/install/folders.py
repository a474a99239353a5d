"""Folders around our files: uninstall removes the ones that setup made, and no other.

A folder that was there and empty before setup cannot be told from one that setup made, so setup leaves a mark in it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks.install.edit import KEPT

if TYPE_CHECKING:
    from rcs_hooks.install.clients import Machine

MARK = KEPT
"""An empty file of this name: the folder was there before us."""


def mark_empty(machine: Machine, path: str) -> None:
    """Marks the folder that is about to get our file, or the folders on the way to it, where it is there and empty."""
    folder = os.path.dirname(path)
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if folder not in _tops(machine) and not os.listdir(folder):
        with open(os.path.join(folder, MARK), "a", encoding="utf-8"):
            pass


def remove_empty(machine: Machine, path: str) -> None:
    """Removes the folders above a file of ours that are empty without it, as far as setup may have made them."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while folder not in _tops(machine):
            mark = os.path.join(folder, MARK)
            if os.listdir(folder) == [MARK] and not os.path.islink(mark) and os.path.getsize(mark) == 0:
                os.unlink(mark)
                return
            os.rmdir(folder)
            folder = os.path.dirname(folder)


def _tops(machine: Machine) -> tuple[str, ...]:
    return (machine.root, machine.home, os.sep)
