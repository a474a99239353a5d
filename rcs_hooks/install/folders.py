"""Folders around our files: uninstall removes those that are empty once our file is gone."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rcs_hooks.clients.installer import Host


def remove_empty(host: Host, path: str) -> None:
    """Remove the folders above a removed file that are now empty, but for the home and the workspace."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        while folder not in (host.root, host.home, os.sep):
            os.rmdir(folder)
            folder = os.path.dirname(folder)
