"""The scripts of a checkout (`hooks/stop.py`) in entries without `|| exit 0`.

Python ends with 2 where it cannot open a script, and a client takes that as a block. Other programs' scripts have such
names too, so one counts as ours by what it holds.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.clients import entries
from rcs_hooks.clients.reading import path_in_project

if TYPE_CHECKING:
    from rcs_hooks.clients.installer import Host

NAMES = frozenset({"user_prompt_submit.py", "stop.py", "session_start.py", "session_end.py"})
FOLDER = "hooks"
CALL = b"\nfrom rcs_hooks.hook.entry import main\n"
LONGEST = 4096


def unguarded(host: Host, handler: object) -> str | None:
    """Return the path of the script that a hook runs with Python without `|| exit 0`, so that a failure would block.

    None if the hook runs no script with the name of one of ours, or if only a shell could tell its path.
    """
    words = entries.words_of(handler) if isinstance(handler, dict) else []
    if "||" in words or words[-2:] == ["exit", "0"]:
        return None
    for command in entries.commands_of(words):
        script = next((word for word in command[1:] if not word.startswith("-")), "")
        if entries.name_of(command).startswith("python") and _is_named_as_ours(script):
            return _path(host, script)
    return None


def _is_named_as_ours(script: str) -> bool:
    folder, _, name = script.rpartition("/")
    return name in NAMES and folder.rpartition("/")[2] == FOLDER


def _path(host: Host, script: str) -> str | None:
    for start in ("~/", "$HOME/", "${HOME}/"):
        script = f"{host.home}/{script.removeprefix(start)}" if script.startswith(start) else script
    path = path_in_project(host, script)
    return None if "$" in path or "`" in path else path


def is_readable(path: str) -> bool:
    """Tell whether Python can open the script at this path."""
    try:
        return os.access(path, os.R_OK)
    except ValueError:  # not a name that a file can have
        return False


def is_of_checkout(path: str) -> bool:
    """Tell whether the script at this path is one of ours, in a checkout of this program."""
    package = os.path.join(os.path.dirname(os.path.dirname(path)), "rcs_hooks", "hook", "entry.py")
    if not (os.path.isfile(path) and os.path.isfile(package)):
        return False
    try:
        with open(path, "rb") as file:
            return CALL in file.read(LONGEST)
    except OSError:
        return False


def is_ours(host: Host, handler: object) -> bool:
    """Tell whether a hook is ours: by its entry, or because it runs our script in a checkout without `|| exit 0`."""
    if entries.is_ours(handler):
        return True
    script = unguarded(host, handler)
    return script is not None and is_of_checkout(script)
