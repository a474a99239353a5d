"""How a list says where a file is: as a person would type its path here, or that it ships with this program."""

from __future__ import annotations

import os

from rcs_hooks.files.workspaces import home_of, working_folder

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHIPPED = "ships with rcs"


def near(path: str) -> str:
    """Return a path as a person types it here: from this folder on, or from the home on; else as it is."""
    for folder, start in ((working_folder(), ""), (home_of(os.environ) or "", "~/")):
        above = f"{folder.rstrip(os.sep)}{os.sep}"
        if folder.startswith(os.sep) and path.startswith(above):
            return start + path[len(above) :]
    return path


def place(path: str) -> str:
    """Return where a file is, in words for one of this package, whose folder nobody looks for."""
    return SHIPPED if is_shipped(path) else near(path)


def is_shipped(path: str) -> bool:
    """Tell whether a file is one of this package."""
    return path.startswith(PACKAGE + os.sep)
