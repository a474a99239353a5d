"""Notes what of the local stores was sent to a shared database, for whoever says how much was not.

`rcs share run` writes the file after what it has sent was committed. Nothing else is decided by it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from rcs_hooks import jsontext
from rcs_hooks.files import replacing
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import HOME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject

FILE = os.path.join(HOME, "share", "sent.json")
LARGEST = 64 * 1024 * 1024
SERVER, PROJECTS = "server", "projects"
RUNS, HISTORIES, TASKS = "runs", "histories", "tasks"


class Sent:
    """What was sent of each shared project, up to which position."""

    def __init__(self, projects: JsonObject) -> None:
        self._projects = projects

    def upto(self, root: str, kind: str, name: str) -> int:
        """Return the position up to which a source of a project was sent; 0 if none of it was.

        `kind`: RUNS with the path of the database, HISTORIES with a session, or TASKS with a task.
        """
        found: object = self._projects.get(root)
        for key in (kind, name):
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, int) else 0


def load(home: str, server: str) -> Sent:
    """Return what was sent to a server from the stores of a home; nothing if that cannot be read."""
    return Sent(_projects(home, server))


def _projects(home: str, server: str) -> JsonObject:
    with suppress(OSError, ValueError):
        found = jsontext.loads((read_bytes(os.path.join(home, FILE), LARGEST) or b"").decode())
        projects = found.get(PROJECTS) if isinstance(found, dict) and found.get(SERVER) == server else None
        return projects if isinstance(projects, dict) else {}
    return {}


def note(home: str, server: str, sent: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    """Note up to which position each source of the shared projects was sent; others are forgotten. Raises OSError."""
    known = _projects(home, server)
    projects = {root: _with(known.get(root), kinds) for root, kinds in sent.items()}
    path = os.path.join(home, FILE)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    replacing.replace(path, jsontext.dumps_line({"v": 1, SERVER: server, PROJECTS: projects}) + "\n")


def _with(known: object, kinds: Mapping[str, Mapping[str, int]]) -> JsonObject:
    """Return what is known of a project, with the positions that are new."""
    before = known if isinstance(known, dict) else {}
    return before | {kind: (before.get(kind) or {}) | dict(positions) for kind, positions in kinds.items()}
