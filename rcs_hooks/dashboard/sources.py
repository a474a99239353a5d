"""Where everything that is shown comes from: one store, the workspaces, and what surrounds the process."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import folders, sessions, tasks
from rcs_hooks.dashboard.picture import Machines
from rcs_hooks.dashboard.reader import Reader
from rcs_hooks.dashboard.runs import Known
from rcs_hooks.dashboard.ways import Ways
from rcs_hooks.workflow.stop import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.dashboard.reader import Kept

Record = dict[str, Any]


class Sources:
    def __init__(
        self, database: str, root: str, env: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self.reader = Reader(database)
        self.root = os.path.realpath(root)
        self.env = env
        self.clock = clock
        self.machines = Machines()
        self.ways = Ways()
        self._known = Known()
        self._generation = 0

    @property
    def now_ms(self) -> int:
        return round(self.clock() * 1000)

    def forget_runs(self) -> None:
        """Some were deleted."""
        self._known.forget()
        self.ways.forget()

    async def workspaces(self) -> list[str]:
        """The one that the server was started in first, then those of runs that keep something."""
        return await self.reader.ask(self._workspaces)

    def _workspaces(self, kept: Kept) -> list[str]:
        return self._brought_up(kept).workspaces(self.root)

    def filters(self, kept: Kept) -> Record:
        return self._brought_up(kept).filters()

    def _brought_up(self, kept: Kept) -> Known:
        if self._generation != self.reader.generation:
            self.forget_runs()
            self._generation = self.reader.generation
        self._known.bring_up(kept)
        return self._known

    def sessions(self, roots: list[str], *, limit: int, only: str | None = None) -> Record:
        """`state` is looked at first: what changes meanwhile has another one."""
        state = folders.together(folders.versions(roots))
        block_limit = limits(self.env.get("RCS_STOP_MAX_BLOCKS")).in_a_row
        found, more = sessions.listed(roots, self.clock(), limit=limit, block_limit=block_limit, only=only)
        return {"sessions": found, "more": more, "projects": roots, "state": state}

    def tasks(self, roots: list[str]) -> Record:
        state = folders.together(folders.versions(roots))
        return {"tasks": tasks.listed(roots, self.clock()), "state": state}
