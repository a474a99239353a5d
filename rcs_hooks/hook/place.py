"""Where one hook call keeps its state, and the words that name that place."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from rcs_hooks.state import paths
from rcs_hooks.workflow.messages import Commands

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Surroundings
    from rcs_hooks.state.files import Unreadable


SYSTEM_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))


def commands(root: str, cwd: str, session: str, around: Surroundings, *, login_shell: bool = False) -> Commands:
    """Return the commands to paste, with `--root` where the agent's shell would find another workspace.

    It has none of a hook's own variables: it finds the workspace by the folder that it is in, and it
    may go on to a folder below.
    """
    here = os.path.realpath(cwd)
    home = around.env.get("HOME")
    found_by_shell = (
        os.path.isdir(here)
        and os.path.realpath(paths.nearest_workspace(here, home, session)) == os.path.realpath(root)
        and paths.is_found_from_below(os.path.realpath(root), home)
    )
    named = None if found_by_shell else os.path.abspath(root)
    return Commands(rcs_words(around, login_shell=login_shell), session, named, mcp=around.mcp)


def broken(unreadable: Unreadable) -> tuple[str, str, str]:
    """Path as a person finds it, reason, and what `rcs state clear` calls it."""
    return f"{paths.STATE}/{unreadable.path}", unreadable.why, paths.cleared_as(unreadable.path)


def rcs_words(around: Surroundings, *, login_shell: bool = False) -> str:
    """How the agent's shell calls this program. A login shell, which is Codex', makes a PATH of its own."""
    path = SYSTEM_PATH if login_shell else around.env.get("PATH", "")
    return around.rcs or rcs_command(path)


def rcs_command(path: str) -> str:
    """`rcs` where the first one on PATH is this program; else the words that run this program from anywhere."""
    ours = os.path.join(os.path.dirname(sys.executable), "rcs")
    is_ours = _is_this_program(ours)
    for folder in path.split(os.pathsep):
        found = os.path.join(folder, "rcs")
        if folder and os.access(found, os.X_OK) and os.path.isfile(found):
            if is_ours and os.path.realpath(found) == os.path.realpath(ours):
                return "rcs"
            break
    if is_ours:
        return shlex.quote(ours)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checkout, name = os.path.split(package)
    return f"PYTHONPATH={shlex.quote(checkout)} {shlex.quote(sys.executable)} -P -m {name}"


def _is_this_program(path: str) -> bool:
    """There is a GNU program of the same name; ours is a script that names its package."""
    try:
        with open(path, "rb") as file:
            return os.access(path, os.X_OK) and b"rcs_hooks" in file.read(1000)
    except OSError:
        return False
