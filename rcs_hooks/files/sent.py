"""Tells what of the local stores was sent to a shared database, for whoever is about to prune or fold it.

`rcs share run` writes the file after what it has sent was committed; nothing is decided by it but what must stay for
now. Where it is missing, nothing is shared, unless the person's own settings may say otherwise: they name what is
shared, and a person may have written them since.
"""

from __future__ import annotations

import os

from rcs_hooks import jsontext
from rcs_hooks.errors import suppress
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.paths import HOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rcs_hooks.jsontext import JsonObject

FILE = os.path.join(HOME, "share", "sent.json")
LARGEST = 64 * 1024 * 1024
SETTINGS_FILE = os.path.join(HOME, "config.toml")
LARGEST_SETTINGS = 16 * 1024
"""Nothing of a larger file counts."""
NAMING = (b"share", b"projects")
"""What is written where settings name a project, as `[[share.projects]]`."""
SERVER, SETTINGS, PROJECTS = "server", "settings", "projects"
RUNS, HISTORIES, TASKS = "runs", "histories", "tasks"


class Sent:
    """What was sent of each shared project, up to which position."""

    __slots__ = ("_projects", "is_known", "settings")

    def __init__(self, projects: JsonObject, *, settings: object = None, is_known: bool = True) -> None:
        """`is_known`: whether the file could be read; if not, everything may be shared, and nothing sent."""
        self._projects = projects
        self.settings = settings
        """The state of the person's own settings that named the projects."""
        self.is_known = is_known

    @property
    def roots(self) -> list[str]:
        """Return the projects that are shared."""
        return list(self._projects)

    def is_shared(self, root: str) -> bool:
        """Tell whether a workspace is shared, or may be."""
        return not self.is_known or os.path.realpath(root) in self._projects

    def upto(self, root: str, kind: str, name: str) -> int:
        """Return the position up to which a source of a project was sent; 0 if none of it was.

        `kind`: RUNS with the path of the database, HISTORIES with a session, or TASKS with a task.
        """
        found: object = self._projects.get(os.path.realpath(root))
        for key in (kind, name):
            found = found.get(key) if isinstance(found, dict) else None
        return found if isinstance(found, int) else 0


def load(home: str | None) -> Sent:
    """Return what was sent from the stores of a home; no file is made for it."""
    if not home:
        return Sent({})
    try:
        found = _read(os.path.join(home, FILE))
    except FileNotFoundError:
        return Sent({})
    except (OSError, ValueError):
        return Sent({}, is_known=False)
    return Sent(_projects(found), settings=found.get(SETTINGS))


def settings_stamp(home: str) -> str:
    """Return what tells one state of the person's own settings from another; empty if there are none."""
    try:
        status = os.stat(os.path.join(home, SETTINGS_FILE))
    except OSError:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def may_name_more(home: str | None, known: Sent) -> bool:
    """Tell whether the person's own settings may name projects that were not noted yet. They are not parsed for that.

    They have changed since, or were never noted, and name some.
    """
    if not home or settings_stamp(home) in ("", known.settings):
        return False
    try:
        data = read_bytes(os.path.join(home, SETTINGS_FILE), LARGEST_SETTINGS, through_links=True)
    except OSError:
        return True
    return all(word in (data or b"") for word in NAMING)


def _read(path: str) -> JsonObject:
    found = jsontext.loads((read_bytes(path, LARGEST) or b"").decode())
    if not isinstance(found, dict) or not isinstance(found.get(PROJECTS), dict):
        raise ValueError(f"{path} names no projects")
    return found


def _projects(file: JsonObject) -> JsonObject:
    found = file.get(PROJECTS)
    return found if isinstance(found, dict) else {}


def note_projects(home: str, roots: Iterable[str], server: str = "", settings: str = "") -> None:
    """Note which projects are shared, so that nothing of them is folded or pruned before it was sent.

    `server`: where they are shared; what was sent to another one was not sent to this one. Empty: to the same one.
    `settings`: the stamp of the settings that name exactly these, from before they were read.
    """
    wanted = {os.path.realpath(root) for root in roots}

    def changed(file: JsonObject) -> JsonObject:
        known = _projects(file) if server in ("", file.get(SERVER)) else {}
        projects = {root: known.get(root, {}) for root in sorted(wanted)}
        return file | {SERVER: server or file.get(SERVER), SETTINGS: settings, PROJECTS: projects}

    _change(home, changed)


def note_sent(home: str, sent: Mapping[str, Mapping[str, Mapping[str, int]]], server: str = "") -> None:
    """Note up to which position each source of some projects was sent. One that is no longer shared is left out.

    `server`: where it was sent; nothing is noted if another one was named meanwhile. Empty: to the one that is named.
    """

    def changed(file: JsonObject) -> JsonObject:
        if server not in ("", file.get(SERVER) or server):
            return file
        known = _projects(file)
        result = dict(known)
        for root, kinds in sent.items():
            if isinstance(before := known.get(os.path.realpath(root)), dict):
                more = {kind: (before.get(kind) or {}) | dict(each) for kind, each in kinds.items()}
                result[os.path.realpath(root)] = before | more
        return file | {PROJECTS: result}

    _change(home, changed)


def _change(home: str, change: Callable[[JsonObject], JsonObject]) -> None:
    path = os.path.join(home, FILE)
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    from rcs_hooks.files import replacing  # hooks only read
    from rcs_hooks.files.lock import Lock

    with Lock(folder):
        known: JsonObject = {}
        with suppress(OSError, ValueError):
            known = _read(path)
        changed = change(known)
        if changed == known and os.path.exists(path):
            return
        replacing.replace(path, jsontext.dumps_line({"v": 1} | changed) + "\n")
