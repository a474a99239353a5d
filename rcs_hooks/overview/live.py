"""Follow the overview of a workspace: it is read again only where times and sizes of files say that it has changed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError
from rcs_hooks.files import workspaces
from rcs_hooks.overview import collect, state_version
from rcs_hooks.runs import sqlite_store
from rcs_hooks.runs import store as stores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.overview.entries import Overview
    from rcs_hooks.runs.store import RunStore
    from rcs_hooks.workflow.commands import Commands

LEAST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
SHARE = 0.005
"""How much of one processor looking for a change may take."""
SHARE_OF_READING = 0.25
"""How much of one processor reading may take while one change follows another."""
ANYWAY = 300.0
"""After so many seconds it is read again though nothing was written: things grow old, and leave it."""


class LiveOverview:
    """The overview of one workspace, and what was last seen of the files that it is made of."""

    def __init__(self, env: Mapping[str, str], root: str, commands: Commands = collect.PLAIN, cwd: str = "") -> None:
        """Create one that has seen nothing. The arguments are those of `collect.overview`."""
        self._env = env
        self._root = root
        self._commands = commands
        self._cwd = cwd or root
        self._store: RunStore | None = None
        self._opened = 0
        self._seen: tuple[object, ...] = ()
        self._read_at = 0.0
        self.pause = LEAST_PAUSE
        """After how many seconds to ask for news again."""

    def news(self, now: float) -> Overview | None:
        """Return the overview if it may have changed since the last call; None if it has not.

        `now`: seconds since 1970. The first call always returns it.
        """
        begun = time.process_time()
        seen = self._look(now)
        looked = time.process_time()
        self.pause = pause_after(looked - begun, SHARE)
        if seen == self._seen and abs(now - self._read_at) < ANYWAY:
            return None
        # What is written while it is read has changed since `seen`, and is read the next time.
        self._seen, self._read_at = seen, now
        found = self._read(now)
        self.pause = max(self.pause, pause_after(time.process_time() - looked, SHARE_OF_READING))
        return found

    def close(self) -> None:
        """Release the store of runs."""
        if self._store:
            self._store.close()
        self._store = None

    def _look(self, now: float) -> tuple[object, ...]:
        """Return what differs as soon as something was written; no record is read for it."""
        return state_version.version(self._root), workspaces.off_by(self._env, self._root), self._token(now)

    def _token(self, now: float) -> object:
        """Return what differs as soon as the store of runs was written, and open the store if there is one now."""
        try:
            if self._store is not None and self._store.is_replaced():
                self.close()
            if self._store is None:
                self._store = sqlite_store.open_readonly(stores.location_of(Environment(self._env, self._cwd, now)))
                self._opened += 1
            return (self._opened, self._store.change_token()) if self._store else None
        except (RcsError, OSError) as error:
            self.close()
            return str(error)

    def _read(self, now: float) -> Overview:
        if self._store is None:  # there is none, or it cannot be read, which the overview says
            return collect.overview(self._env, self._root, now, self._commands, self._cwd)
        return collect.overview_of_store(self._env, self._root, now, self._store, self._commands)


def pause_after(cost: float, share: float) -> float:
    """Return how long to pause after what took so many seconds of a processor, so that it takes this share of one."""
    return min(LONGEST_PAUSE, max(LEAST_PAUSE, cost / share))
