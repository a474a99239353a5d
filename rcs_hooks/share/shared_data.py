"""All data of the machines of a team that the dashboard shows; `DashboardSource` documents the methods.

Rules of this file:
- Nothing is asked again and again: a notice of the database is what wakes the pages.
- Nothing is acted on from here. Each refusal names the machine, and what to type there.
- What never leaves a machine, such as the contents of an artifact, is refused with the same words.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, NoReturn

from rcs_hooks.dashboard import attention, everything, runs, tasks
from rcs_hooks.dashboard import overview as overviews
from rcs_hooks.dashboard import sessions as session_lists
from rcs_hooks.dashboard.graphs import RunPathCache
from rcs_hooks.dashboard.store_thread import StoreThread
from rcs_hooks.errors import Refused
from rcs_hooks.overview import state_version
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.share import entries, mode_page, present
from rcs_hooks.share.listening import Listening
from rcs_hooks.share.machines import SharedMachines, machines_as_json
from rcs_hooks.share.places import fairly, machine_in
from rcs_hooks.share.reader import PostgresStore
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.dashboard.actions import Answer, Clear
    from rcs_hooks.dashboard.everything import EntryQuery
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.runs.store import RunStore
    from rcs_hooks.share.connecting import Link

MOST_PASSAGES, MOST_TASKS, MOST_SESSIONS = 6_000, 2_000, 1_000
MOST_EVENTS = 6_000
LEAST_PAUSE = 0.02
"""Seconds between two looks at the database, however many notices come."""
STATE_PAUSE = 0.2


class SharedData:
    """What one shared database holds, and what is cached of it between requests."""

    def __init__(self, connect: Callable[[], Link]) -> None:
        """Create the data. `connect` opens a connection, which may be one of `rcs_reader`."""
        self._connect = connect
        self.clock = time.time
        self.store = StoreThread(self._opened)
        self._lists = StoreThread(self._opened)  # so that the pages that follow runs do not wait for a long list
        self._machines = SharedMachines()
        self._paths = RunPathCache()
        self._listening = Listening(connect, self._told)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_events = asyncio.Event()
        self._has_state = asyncio.Event()
        self._prunes = 0

    def _opened(self) -> PostgresStore:
        return PostgresStore(self._connect)

    @property
    def now_ms(self) -> int:
        return round(self.clock() * 1000)

    def forget_runs(self) -> None:
        self._paths.forget()

    async def close(self) -> None:
        await asyncio.to_thread(self._listening.stop)
        await self.store.close()
        await self._lists.close()

    # --- answers

    def filters(self, store: RunStore | None) -> JsonObject:
        shared = _shared(store)
        return {"projects": shared.places().addresses(), "workflows": shared.workflows()}

    def show_run(self, store: RunStore | None, run_id: str, *, after: int | None, limit: int) -> JsonObject:
        found = runs.show_run(store, run_id, self.now_ms, self._machines, self._paths, after=after, limit=limit)
        found["artifacts"] = [each | {"missing": False} for each in found["artifacts"]]
        return found

    async def session_of_run(self, run: JsonObject) -> JsonObject:
        return await self._lists.ask(self._session_of_run, run)

    def _session_of_run(self, store: RunStore | None, run: JsonObject) -> JsonObject:
        shared = _shared(store)
        session, place = present.session_of(run["session"]), shared.places().named(str(run["workspace"] or ""))
        found = shared.shown.with_key(present.SESSION, [place.id], session) if session and place else []
        known = present.session(found[0], self.clock()) if found else None
        if known is None:
            return {"session_page": None, "mode": None}
        where: JsonObject = {"root": run["workspace"], "session": session}
        return {"session_page": attention.page_of_session(where), "mode": mode_page.latest(known, where)}

    async def artifact(self, run_id: str, path: str) -> JsonObject:
        _refuse_contents(run_id, path)

    async def artifact_file(self, run_id: str, path: str) -> tuple[bytes, str]:
        _refuse_contents(run_id, path)

    async def machines(self) -> JsonObject:
        """Return every machine as JSON, the one that was heard of last first."""
        return await self._lists.ask(lambda store: machines_as_json(_shared(store).places(), self.clock()))

    async def overview(self, project: str | None) -> JsonObject:
        return await self._lists.ask(self._overview, project)

    def _overview(self, store: RunStore | None, project: str | None) -> JsonObject:
        shared = _shared(store)
        seq = runs.newest_event(shared)
        places = shared.places()
        found = entries.groups(shared, project, self.clock())
        more = any(len(each) > overviews.MOST for each in found.values())
        shown: JsonObject = {group: fairly(each, overviews.MOST) for group, each in found.items()}
        state = state_version.combine(places.versions())
        return shown | {"more": more, "projects": places.addresses(), "seq": seq, "state": state}

    async def everything(self, wanted: EntryQuery, limit: int) -> JsonObject:
        return await self._lists.ask(self._everything, wanted, limit)

    def _everything(self, store: RunStore | None, wanted: EntryQuery, limit: int) -> JsonObject:
        shared = _shared(store)
        seq, places = runs.newest_event(shared), shared.places()
        project = wanted.project
        groups = entries.groups(shared, project, self.clock())
        going = everything.going_on(groups)
        passages = [
            everything.of_passage(
                document.place.address, passage.session, passage.told, passage.client, is_last=passage.is_last
            )
            for document in shared.shown.newest(present.PASSAGE, project, MOST_PASSAGES)
            if (passage := present.passage(document))
            and not (
                passage.is_last
                and passage.told["outcome"] is None
                and (document.place.address, passage.session, str(passage.told["mode"])) in going
            )
        ]
        known = self._known_tasks(shared, project)
        last = shared.runs(self.now_ms, RunFilter(project=project), limit=everything.MOST_RUNS)
        whole = everything.combined(groups, passages, last, known, self.clock())
        # A person or a machine is no project of an entry: the entries were chosen by it already.
        shown = everything.page_of(whole, wanted._replace(project=None), limit)
        state = state_version.combine(places.versions())
        return shown | {
            "last_runs": everything.last_of(last), "projects": places.addresses(), "seq": seq, "state": state,
        }  # fmt: skip

    async def sessions(self, project: str | None, session: str | None, *, limit: int, only: str | None) -> JsonObject:
        return await self._lists.ask(self._sessions, project, session, limit, only)

    def _sessions(
        self, store: RunStore | None, project: str | None, session: str | None, limit: int, only: str | None
    ) -> JsonObject:
        shared = _shared(store)
        places = shared.places()
        if session is None:
            found = self._known_sessions(shared, project, MOST_SESSIONS if only else limit + 1)
        else:
            documents = shared.shown.of_key(present.SESSION, project, session)
            found = [known for each in documents if (known := present.session(each, self.clock()))]
        found.sort(key=session_lists.by_status)
        if only == session_lists.ACTIVE:
            found = [each for each in found if each["status"] in session_lists.GOES_ON]
        counts = shared.shown.runs_of_sessions()
        for each in found[:limit]:
            each["runs"] = counts.get((str(each["root"]), str(each["session"] or "")), 0)
        return {
            "sessions": found[:limit],
            "more": len(found) > limit,
            "projects": places.addresses(),
            "state": state_version.combine(places.versions()),
        }

    def _known_sessions(self, store: PostgresStore, project: str | None, rest: int = MOST_SESSIONS) -> list[JsonObject]:
        """Return the sessions as JSON, those heard of last first. `rest`: how many of those that do not come first."""
        documents = store.shown.newest(present.SESSION, project, MOST_SESSIONS)
        documents.sort(key=lambda each: each.at or "", reverse=True)
        others = [at for at, each in enumerate(documents) if present.status_of(each) not in session_lists.FIRST]
        left_out = frozenset(others[rest:])
        documents = [each for at, each in enumerate(documents) if at not in left_out]
        return [found for each in documents if (found := present.session(each, self.clock()))]

    def _known_tasks(self, store: PostgresStore, project: str | None) -> list[JsonObject]:
        documents = store.shown.newest(present.TASK, project, MOST_TASKS)
        return [found for each in documents if (found := present.task(each))]

    async def mode(self, mode: str, project: str | None, session: str | None, run: int | None) -> JsonObject:
        return await self._lists.ask(self._mode, mode, project or "", session or "", run)

    def _mode(self, store: RunStore | None, mode: str, project: str, session: str, run: int | None) -> JsonObject:
        shared = _shared(store)
        places = shared.places()
        place = places.named(project)
        if place is None:
            raise runs.NotFound(f"{clean(project, 200)!r} is not a project that is shown here")
        told = shared.shown.events_of_mode([place.id], session, mode, MOST_EVENTS) if session else []
        documents = shared.shown.with_key(present.SESSION, [place.id], session)
        known = present.session(documents[0], self.clock()) if documents else None
        events = [event for _, event in told]
        found = mode_page.show(place, session, mode, events, known, self.clock(), run)
        return found | {"state": state_version.combine(places.versions())}

    async def tasks(self, project: str | None) -> JsonObject:
        return await self._lists.ask(self._tasks, project)

    def _tasks(self, store: RunStore | None, project: str | None) -> JsonObject:
        shared = _shared(store)
        state = state_version.combine(shared.places().versions())
        return {"tasks": self._known_tasks(shared, project)} | tasks.lifecycle() | {"state": state}

    async def attention(self) -> JsonObject:
        return await self._lists.ask(self._attention)

    def _attention(self, store: RunStore | None) -> JsonObject:
        shared = _shared(store)
        places = shared.places()
        seq, found = runs.needy(shared, self.now_ms, lambda _, run: shared.reason(run))
        known, listed = self._known_sessions(shared, None), self._known_tasks(shared, None)
        needs = attention.needs_of(found, known, listed, self.clock())
        working = attention.working(found, known, listed, needs)
        return {**needs, "working": working, "seq": seq, "state": state_version.combine(places.versions())}

    # --- acting: on the machine itself

    async def answer(self, question: str, body: Answer) -> JsonObject:
        command = present.COMMANDS.answer(question) if present.is_id(question) else "rcs status"
        _refuse(machine_in(body.root), command)

    async def end(self, run_id: str, status: str) -> JsonObject:
        _refuse(machine_in(run_id), f"rcs runs end {quoted(run_id.rpartition('@')[0])} --status {status}")

    async def clear(self, body: Clear) -> JsonObject:
        session = present.session_of(body.session)
        _refuse(machine_in(body.root), present.COMMANDS._replace(session=session or "").clear(clean(body.mode)))

    # --- following

    @property
    def problem(self) -> str:
        return self._listening.problem

    def undeleted(self, store: RunStore | None) -> frozenset[int]:
        return frozenset({self._prunes})

    async def versions(self, *, is_fresh: bool = False) -> dict[str, int]:
        return await self.store.ask(lambda store: _shared(store).places().versions())

    async def next_events(self) -> None:
        self._listen()
        await self._has_events.wait()
        self._has_events.clear()
        await asyncio.sleep(LEAST_PAUSE)

    async def next_state(self) -> None:
        self._listen()
        await self._has_state.wait()
        self._has_state.clear()
        await asyncio.sleep(STATE_PAUSE)

    def _listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._listening.start()

    def _told(self, was_pruned: bool) -> None:
        """Wake the follower. Called in the thread that listens."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, was_pruned)

    def _wake(self, was_pruned: bool) -> None:
        self._prunes += was_pruned
        self._has_events.set()
        self._has_state.set()


def _shared(store: RunStore | None) -> PostgresStore:
    assert isinstance(store, PostgresStore)  # noqa: S101 - for the type checker: no other is opened here
    return store


def _refuse(machine: str, command: str) -> NoReturn:
    where = f"on {clean(machine)}" if machine else "on the machine itself"
    raise Refused(f"the shared pages are for looking; {where}, type: {command}")


def _refuse_contents(run_id: str, path: str) -> NoReturn:
    machine = clean(machine_in(run_id)) or "its machine"
    raise Refused(f"{clean(path, 200)!r} has not left {machine}; to read it there: rcs dashboard")
