"""How far sharing has got on this machine, and what keeps it from going on: ~/.rcs/share/status.json."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError
from rcs_hooks.files import replacing
from rcs_hooks.files.bounded import read_bytes
from rcs_hooks.files.clock import iso
from rcs_hooks.share import identity

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject

FILE = "status.json"
RUNNING = "run"
"""The folder whose lock is held by the process that shares."""
LARGEST = 64 * 1024
SENDING, CURRENT, WAITING, STOPPED = "sending", "current", "waiting", "stopped"
EVERY = 1.0
"""Seconds between two writes of the file while things change."""
HEARTBEAT = 30.0


class Behind(NamedTuple):
    """What was not sent yet. `events`: at least so many; `since`: the moment of the first one, None if unknown."""

    events: int = 0
    since: str | None = None


class Progress:
    """What `rcs share status` says, while it changes."""

    def __init__(self, home: str, server: str) -> None:
        self._path = os.path.join(identity.folder_in(home), FILE)
        self._server = server
        self._written = 0.0
        self._last: JsonObject = {}
        self.machine = ""
        self.state = WAITING
        self.behind = Behind()
        self.sent = 0
        """How many events were sent since the program was started."""
        self.last_sent_at: str | None = None
        self.done_at: str | None = None
        """When a program that shares once had sent what was there; None for another one, or before."""
        self.error: JsonObject | None = None
        self.local_error: str | None = None
        """Why something on this machine cannot be read; the rest is shared."""
        self.projects: list[str] = []

    def failed(self, error: RcsError, pause: float) -> None:
        """Note an error of the shared database, and after how many seconds it is tried again."""
        before = self.error or {}
        now = time.time()
        tries = before.get("tries")
        self.state = WAITING
        self.error = {
            "kind": getattr(error, "kind", error.code),
            "message": str(error),
            "at": iso(now),
            "since": before.get("since") or iso(now),
            "tries": (tries if isinstance(tries, int) else 0) + 1,
            "next_at": iso(now + pause),
        }

    def as_json(self) -> JsonObject:
        return {
            "v": 1,
            "pid": os.getpid(),
            "state": self.state,
            "server": self._server,
            "machine": self.machine,
            "projects": self.projects,
            "behind": self.behind._asdict(),
            "sent": self.sent,
            "last_sent_at": self.last_sent_at,
            "done_at": self.done_at,
            "error": self.error,
            "local_error": self.local_error,
        }

    def write(self, *, now: bool = False) -> None:
        """Write the file if something has changed, though not each time; with `now`, at once."""
        shown = self.as_json()
        since = time.monotonic() - self._written
        if not now and since < (EVERY if shown != self._last else HEARTBEAT):
            return
        self._last, self._written = shown, time.monotonic()
        with suppress(OSError):  # a full disk keeps nobody from sharing
            replacing.replace(self._path, jsontext.dumps_line(shown | {"at": iso(time.time())}) + "\n")


def read(home: str) -> JsonObject | None:
    """Return what was written last; None if sharing never ran, or the file cannot be read."""
    with suppress(OSError, ValueError):
        path = os.path.join(home, ".rcs", identity.FOLDER, FILE)
        found = jsontext.loads((read_bytes(path, LARGEST) or b"").decode())
        return found if isinstance(found, dict) else None
    return None
