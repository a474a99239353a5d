"""All data that the dashboard shows: the runs of one store, and the sessions and tasks of its workspaces."""

from __future__ import annotations

import functools
import os
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import everything, overview, sessions, tasks
from rcs_hooks.dashboard.graphs import MachineCache, RunPathCache
from rcs_hooks.dashboard.runs import RunIndex
from rcs_hooks.dashboard.store_thread import StoreThread
from rcs_hooks.overview import state_version
from rcs_hooks.runs.store import open_readonly
from rcs_hooks.state import session_index
from rcs_hooks.workflow.stop import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]


class DashboardData:
    """The sources of one dashboard, and what is cached of them between requests."""

    def __init__(
        self, location: str, root: str, env: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self.store = StoreThread(location)
        self.root = os.path.realpath(root)
        self.env = env
        self.clock = clock
        self.machines = MachineCache()
        self.paths = RunPathCache()
        self._index = RunIndex()
        self._histories = everything.Histories()
        self._generation = 0

    @property
    def now_ms(self) -> int:
        return round(self.clock() * 1000)

    def forget_runs(self) -> None:
        """Drop everything cached about runs, because some were deleted."""
        self._index.forget()
        self.paths.forget()

    async def workspaces(self) -> list[str]:
        """Return the workspace that the server was started in, then the workspaces of the runs."""
        return await self.store.ask(self._workspaces)

    def _workspaces(self, store: RunStore | None) -> list[str]:
        return self._current_index(store).workspaces(self.root)

    def filters(self, store: RunStore | None) -> Record:
        """Return the projects and workflows that a list of runs can be filtered by, as JSON."""
        return self._current_index(store).filters()

    def _current_index(self, store: RunStore | None) -> RunIndex:
        if self._generation != self.store.generation:
            self.forget_runs()
            self._generation = self.store.generation
        self._index.bring_up(store)
        return self._index

    def sessions(self, roots: list[str], *, limit: int, only: str | None = None) -> Record:
        """Return the sessions of workspaces as JSON; `only` is as in `sessions.list_sessions`.

        `state` is computed before the sessions are read, so that it is already old if a session changes meanwhile.
        """
        needy = functools.cache(session_index.needing_attention)
        state = state_version.combine(state_version.versions(roots, needy))
        block_limit = limits(self.env.get("RCS_STOP_MAX_BLOCKS")).in_a_row
        found, more = sessions.list_sessions(
            roots, self.clock(), limit=limit, block_limit=block_limit, only=only, needy=needy
        )
        return {"sessions": found, "more": more, "projects": roots, "state": state}

    def everything(self, projects: list[str], roots: list[str]) -> list[Record]:
        """Return everything in these projects as JSON; `roots` are those of them that are workspaces."""
        now = self.clock()
        store = open_readonly(self.store.location)
        try:
            present = overview.of_store(store, self.env, roots, now)
            known = tasks.list_tasks(roots, now)
            return everything.list_all(store, projects, present, known, self._histories, now)
        finally:
            if store:
                store.close()

    def tasks(self, roots: list[str]) -> Record:
        """Return the tasks of workspaces as JSON."""
        state = state_version.combine(state_version.versions(roots))
        return {"tasks": tasks.list_tasks(roots, self.clock())} | tasks.lifecycle() | {"state": state}
