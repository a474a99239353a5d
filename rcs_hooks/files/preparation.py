"""Makes the state folder of a workspace, and keeps it out of git, before anything is committed to it."""

from __future__ import annotations

import os
import stat

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files.folders import flush_folder, make_folders
from rcs_hooks.files.paths import HOME, STATE
from rcs_hooks.files.workspaces import state_folder

LONGEST_SHOWN = 200
IN_PLACE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
IGNORED = b"*\n"
"""The content of `.rcs/.gitignore`."""


def prepare(root: str) -> str:
    """Create the state folder of a workspace if it is missing, for the owner alone, and return it. Raises UnsafePath.

    The `.gitignore` that keeps it out of git comes first, and is written again if it is missing or empty.
    """
    check_workspace(root)
    folder = state_folder(root)
    if not _is_ignored(root):
        make_folders(root, HOME)
        _keep_out_of_git(f"{root}/{HOME}")
    make_folders(root, STATE)
    return folder


def _keep_out_of_git(home: str) -> None:
    """Write the `.gitignore` of `.rcs` in place.

    It is not staged and renamed: there is no lock yet, others may do the same, and no staged file may be left behind.
    """
    file = os.open(f"{home}/.gitignore", IN_PLACE_FLAGS, 0o600)
    try:
        os.write(file, IGNORED)
        os.fsync(file)
    finally:
        os.close(file)
    flush_folder(home)


def _is_ignored(root: str) -> bool:
    try:
        status = os.lstat(f"{root}/{HOME}/.gitignore")
    except FileNotFoundError:
        return False
    return status.st_size >= len(IGNORED) or not stat.S_ISREG(status.st_mode)  # a shorter one was left by a full disk


def check_workspace(root: str) -> None:
    """Raise UnsafePath if no state could be kept in a workspace."""
    if not os.path.isdir(root):
        why = f"the workspace {root[:LONGEST_SHOWN]} is not there, so no state is kept"
        raise UnsafePath(f"{why}; check the working directory or RCS_ROOT")
    # In this order: another process may make the folder between the two.
    if os.path.lexists(f"{root}/{HOME}") and not os.path.isdir(f"{root}/{HOME}"):
        raise UnsafePath(f"{HOME} of {root} is not a folder, so no state is kept; move it away, or set RCS_ROOT")
