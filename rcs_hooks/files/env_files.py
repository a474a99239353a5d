"""Tells which settings of ours a repository has brought: some clients load a `.env` of the workspace into themselves.

Such a setting could switch the hooks off, move the state, or have every call written to a file. Loaded only where one
of our variables is set.
"""

from __future__ import annotations

import os
import re

from rcs_hooks.client_names import ENV_FILES
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.workspaces import home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LARGEST = 256 * 1024
ASSIGNMENT = re.compile(r"^[ \t]*(?:export[ \t]+)?(RCS_\w+)[ \t]*[=:][ \t]*(.*?)[ \t]*$", re.MULTILINE)
PLAIN = re.compile(r"""(['"`]?)([^'"`$\\#\n]*)\1(?:[ \t]+#.*)?""")
"""A value whose reading is certain: without a substitution, an escape or an end on another line."""


def brought(names: Iterable[str], env: Mapping[str, str], cwd: str) -> list[str]:
    """List those of the set variables that an environment file in `cwd` or above has set, for the client that runs.

    A variable that has another value there is the person's own: clients let that one win. Files in the home are the
    person's, too. Where a file cannot be read, or a value not be told, the variable counts as brought.
    """
    files = tuple(dict.fromkeys(file for mark, files in ENV_FILES.items() if env.get(mark) for file in files))
    said = [pair for folder in _folders(cwd, home_of(env)) for file in files for pair in _assignments(folder, file)]
    return [name for name in names if any(_may_set(name, env[name], *pair) for pair in said)]


def _folders(cwd: str, home: str | None) -> Iterator[str]:
    folder, home = os.path.realpath(cwd), home and os.path.realpath(home)
    while folder != home:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def _assignments(folder: str, file: str) -> Iterator[tuple[str, str]]:
    """Yield what a file assigns to our variables; an empty name stands for all of them, where it cannot be read."""
    try:
        data = read_bytes(os.path.join(folder, file), LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        yield "", ""
        return
    for line in ASSIGNMENT.finditer((data or b"").decode(errors="replace").replace("\r", "\n")):
        yield line[1], line[2]


def _may_set(name: str, value: str, assigned: str, text: str) -> bool:
    plain = PLAIN.fullmatch(text)
    return not assigned or (name == assigned and (plain is None or plain[2].strip() == value.strip()))
