"""All data of this machine that the dashboard shows: the runs of one store, the sessions and tasks of workspaces."""

from __future__ import annotations

import asyncio
import functools
import os
import time
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from rcs_hooks.dashboard import (
    artifacts,
    attention,
    everything,
    local_actions,
    mode_runs,
    overview,
    passages,
    run_session,
    runs,
    tasks,
)
from rcs_hooks.dashboard import sessions as session_lists
from rcs_hooks.dashboard.graphs import MachineCache, RunPathCache
from rcs_hooks.dashboard.runs import RunIndex
from rcs_hooks.dashboard.store_thread import StoreThread
from rcs_hooks.overview import state_version
from rcs_hooks.runs.sqlite_store import open_readonly
from rcs_hooks.text import clean
from rcs_hooks.workflow.stop import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.dashboard.actions import Answer, Clear
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

STORE_EVERY = 0.1
FOLDERS_EVERY = 0.5
ROOTS_EVERY = 5.0
SHARE = 0.0025
"""The share of a processor that reading the folders may take: where one reading takes long, there are fewer of them."""
SLOWEST = 30.0


class DashboardData:
    """The sources of one dashboard, and what is cached of them between requests; `DashboardSource` documents it."""

    problem = ""

    def __init__(
        self, location: str, root: str, env: Mapping[str, str], clock: Callable[[], float] = time.time
    ) -> None:
        self.location = location
        self.store = StoreThread(functools.partial(open_readonly, location))
        self.root = os.path.realpath(root)
        self.env = env
        self.clock = clock
        self._machines = MachineCache()
        self._paths = RunPathCache()
        self._index = RunIndex()
        self._histories = passages.Histories()
        self._generation = 0
        self._roots: list[str] = []
        self._roots_read = 0.0
        self._cost = 0.0

    @property
    def now_ms(self) -> int:
        return round(self.clock() * 1000)

    def forget_runs(self) -> None:
        self._index.forget()
        self._paths.forget()

    async def close(self) -> None:
        await self.store.close()

    # --- the workspaces

    async def workspaces(self) -> list[str]:
        """Return the workspace that the server was started in, then the workspaces of the runs."""
        return await self.store.ask(self._workspaces)

    def runs_of_sessions(self, store: RunStore | None) -> dict[tuple[str, str], int]:
        """Return how many runs each session has reported last, by its workspace and its id."""
        return dict(self._current_index(store).of_sessions)

    def _workspaces(self, store: RunStore | None) -> list[str]:
        return self._current_index(store).workspaces(self.root)

    async def _roots_of(self, project: str | None) -> list[str]:
        return [root for root in await self.workspaces() if project in (None, root)]

    def filters(self, store: RunStore | None) -> Record:
        return self._current_index(store).filters()

    def _current_index(self, store: RunStore | None) -> RunIndex:
        if self._generation != self.store.generation:
            self.forget_runs()
            self._generation = self.store.generation
        self._index.bring_up(store)
        return self._index

    # --- answers

    def show_run(self, store: RunStore | None, run_id: str, *, after: int | None, limit: int) -> Record:
        return runs.show_run(store, run_id, self.now_ms, self._machines, self._paths, after=after, limit=limit)

    async def session_of_run(self, run: Record) -> Record:
        return await run_in_threadpool(run_session.of_run, run, self.clock())

    async def artifact(self, run_id: str, path: str) -> Record:
        project, found = await self.store.ask(runs.find_artifact, run_id, path)
        return await run_in_threadpool(artifacts.text_of, project, run_id, found)

    async def artifact_file(self, run_id: str, path: str) -> tuple[bytes, str]:
        project, found = await self.store.ask(runs.find_artifact, run_id, path)
        return await run_in_threadpool(artifacts.bytes_of, project, found)

    async def overview(self, project: str | None) -> Record:
        seq, others = await self.store.ask(_newest_and_projects, self.now_ms)
        roots = await self.workspaces()
        state = await run_in_threadpool(_version_of, roots)
        projects = list(dict.fromkeys([*roots, *others]))
        shown = [root for root in projects if project in (None, root)]
        found = await run_in_threadpool(overview.list_all, self.location, self.env, shown, self.clock())
        return found | {"projects": projects, "seq": seq, "state": state}

    async def everything(self, wanted: everything.EntryQuery, limit: int) -> Record:
        seq, others = await self.store.ask(_newest_and_projects, self.now_ms)
        roots = await self.workspaces()
        state = await run_in_threadpool(_version_of, roots)
        projects = list(dict.fromkeys([*roots, *others]))
        found, last = await run_in_threadpool(self._everything, projects, roots)
        page = everything.page_of(found, wanted, limit)
        return page | {"last_runs": last, "projects": projects, "seq": seq, "state": state}

    def _everything(self, projects: list[str], roots: list[str]) -> tuple[list[Record], int | None]:
        """Return what `everything.list_all` does of these projects; `roots` are those of them that are workspaces."""
        now = self.clock()
        store = open_readonly(self.location)
        try:
            present = overview.of_store(store, self.env, roots, now)
            known = tasks.list_tasks(roots, now)
            return everything.list_all(store, projects, present, known, self._histories, now)
        finally:
            if store:
                store.close()

    async def sessions(
        self, project: str | None, session: str | None = None, *, limit: int, only: str | None = None
    ) -> Record:
        roots = await self._roots_of(project)
        counts = await self.store.ask(self.runs_of_sessions)
        found = await run_in_threadpool(self._sessions, roots, session, limit=limit, only=only)
        for each in found["sessions"]:
            each["runs"] = counts.get((each["root"], each["session"] or ""), 0)
        return found

    def _sessions(self, roots: list[str], session: str | None = None, *, limit: int, only: str | None = None) -> Record:
        """Return the sessions of workspaces as JSON; `session` and `only` are as in `sessions.list_sessions`.

        `state` is computed before the sessions are read, so that it is already old if a session changes meanwhile.
        """
        state = state_version.combine(state_version.versions(roots))
        block_limit = limits(self.env.get("RCS_STOP_MAX_BLOCKS")).in_a_row
        found, more = session_lists.list_sessions(
            roots, self.clock(), limit=limit, block_limit=block_limit, session=session, only=only
        )
        return {"sessions": found, "more": more, "projects": roots, "state": state}

    async def mode(self, mode: str, project: str | None, session: str | None, run: int | None) -> Record:
        root = project or self.root
        roots = await self.workspaces()
        if root not in roots:
            raise runs.NotFound(f"{clean(root, 200)!r} is not a workspace that is shown here")
        state = await run_in_threadpool(_version_of, roots)
        found = await run_in_threadpool(mode_runs.show, root, session, mode, self.clock(), run)
        return found | {"state": state}

    async def tasks(self, project: str | None) -> Record:
        return await run_in_threadpool(self._tasks, await self._roots_of(project))

    def _tasks(self, roots: list[str]) -> Record:
        state = state_version.combine(state_version.versions(roots))
        return {"tasks": tasks.list_tasks(roots, self.clock())} | tasks.lifecycle() | {"state": state}

    async def attention(self) -> Record:
        seq, found = await self.store.ask(runs.needy, self.now_ms)
        roots = await self.workspaces()
        known = await run_in_threadpool(self._sessions, roots, limit=2 * runs.NEEDS, only=session_lists.NEEDY)
        listed = await run_in_threadpool(tasks.list_tasks, roots, self.clock())
        needs = attention.needs_of(found, known["sessions"], listed, self.clock())
        working = attention.working(found, known["sessions"], listed, needs)
        return {**needs, "working": working, "seq": seq, "state": known["state"]}

    async def machines(self) -> Record:
        return {"machines": []}

    # --- acting

    async def answer(self, question: str, body: Answer) -> Record:
        return await local_actions.answer(self, question, body)

    async def end(self, run_id: str, status: str) -> Record:
        return await run_in_threadpool(local_actions.end, self, run_id, status)

    async def clear(self, body: Clear) -> Record:
        return await local_actions.clear(self, body)

    # --- following

    def undeleted(self, store: RunStore | None) -> frozenset[int]:
        return frozenset(run.id for run in store.runs(0)) if store else frozenset()

    async def versions(self, *, is_fresh: bool = False) -> dict[str, int]:
        if is_fresh or time.monotonic() - self._roots_read > ROOTS_EVERY:
            self._roots, self._roots_read = await self.workspaces(), time.monotonic()
        found, self._cost = await asyncio.to_thread(_timed_versions, self._roots)
        return found

    async def next_events(self) -> None:
        await asyncio.sleep(STORE_EVERY)

    async def next_state(self) -> None:
        await asyncio.sleep(min(SLOWEST, max(FOLDERS_EVERY, self._cost / SHARE)))


def _newest_and_projects(store: RunStore | None, now_ms: int) -> tuple[int, list[str]]:
    """Return the id of the newest event, which is read first, and the projects of the latest runs."""
    return runs.newest_event(store), overview.projects_of_runs(store, now_ms)


def _version_of(roots: list[str]) -> str:
    return state_version.combine(state_version.versions(roots))


def _timed_versions(roots: list[str]) -> tuple[dict[str, int], float]:
    begun = time.thread_time()
    return state_version.versions(roots), time.thread_time() - begun
