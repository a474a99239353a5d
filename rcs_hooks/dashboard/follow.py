"""Follows the store and the state folders while a page is open, and tells the pages when there is news.

Only numbers are remembered of what is new: each page reads what it has not seen yet, so a slow page costs nothing.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.dashboard import runs
from rcs_hooks.overview import state_version
from rcs_hooks.runs import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.dashboard.source import DashboardSource
    from rcs_hooks.runs.records import EventRecord, RunRecord
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]
Page = tuple[str | None, int]

PAGE_EVENTS = 500
AT_ONCE = 50
PAGE_BYTES = 256 * 1024
MOST_PAGES = 8


class Follower:
    """What is known of the store and the folders, and the event that wakes the pages."""

    def __init__(self, data: DashboardSource) -> None:
        self.newest = 0
        """The id of the newest event."""
        self.generation = 0
        """The generation of the store: with another one, all ids begin again."""
        self.deletions = 0
        """How often runs were deleted."""
        self.folders: dict[str, int] = {}
        """The version of the state folders of each workspace."""
        self._data = data
        self._store = data.store
        self._checking = asyncio.Lock()
        self._checking_folders = asyncio.Lock()
        self._numbers: frozenset[int] | None = None
        self._token: int | None = None
        self._news = asyncio.Event()
        self._pages_open = 0
        self._is_open = asyncio.Event()
        self._messages: dict[tuple[int, int], Page] = {}

    @property
    def state(self) -> str:
        return state_version.combine(self.folders)

    @property
    def problem(self) -> str:
        """Return why nothing can be followed now; empty if it can."""
        return self._data.problem

    @property
    def news(self) -> asyncio.Event:
        """Return the event of the next news: take it before reading what is known, and wait for it afterwards."""
        return self._news

    async def join(self) -> None:
        """Count one more open page. On return, the store and the folders have been checked since the call."""
        self._pages_open += 1
        try:
            await self._check_store()
            await self._check_folders(is_fresh=True)
        except BaseException:  # a cancelled wait too; the error is raised again
            self._pages_open -= 1
            raise
        self._is_open.set()

    def leave(self) -> None:
        """Count one open page less."""
        self._pages_open -= 1
        if not self._pages_open:
            self._is_open.clear()

    async def follow(self) -> None:
        """Follow until cancelled; sleep while no page is open."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_store())
            group.create_task(self._follow_folders())

    # --- the store

    async def _follow_store(self) -> None:
        while True:
            await self._is_open.wait()
            with suppress(Exception):  # a page that reads the store gets the error; following must go on
                await self._check_store()
            if self._data.problem:
                self._tell()
            await self._data.next_events()

    async def _check_store(self) -> None:
        async with self._checking:
            await self._check_once()

    async def _check_once(self) -> None:
        token, newest = await self._store.ask(_token_and_newest, self._token)
        if (token, self._store.generation) == (self._token, self.generation):
            return
        generation = self._store.generation
        if self.generation != generation:
            token, newest = await self._store.ask(_token_and_newest, None)
            # Together with the newest id, after the wait: a page that wakes up meanwhile must not put the two together.
            self.generation, self._numbers = generation, None
            self._messages.clear()
        elif self._numbers is None or newest <= self.newest:  # something was written, but no event
            await self._check_deletions()
        self._token, self.newest = token, newest
        self._tell()

    async def _check_deletions(self) -> None:
        """Find out whether runs were deleted; the token alone does not tell, as a checkpoint changes it too."""
        before, self._numbers = self._numbers, await self._store.ask(self._data.undeleted)
        if before and before - self._numbers:
            self.deletions += 1
            self._data.forget_runs()

    async def page(self, after: int) -> Page:
        """Return the next events above an id as one message, and the last id in it.

        The message is None if none of these events is shown. Pages that have seen the same events share the message.
        """
        key = (self.generation, after)
        if key in self._messages:
            return self._messages[key]
        page = await self._store.ask(_page, after, self._data.now_ms)
        if self._store.generation != key[0]:
            await self._check_store()
            return None, after
        if page[1] > after:
            while len(self._messages) >= MOST_PAGES:
                del self._messages[next(iter(self._messages))]
            self._messages[key] = page
        return page

    # --- the folders

    async def _follow_folders(self) -> None:
        while True:
            await self._is_open.wait()
            with suppress(Exception):  # as in _follow_store
                await self._check_folders()
            await self._data.next_state()

    async def _check_folders(self, *, is_fresh: bool = False) -> None:
        """Wake the pages if the state of a project has changed since the last check."""
        async with self._checking_folders:
            found = await self._data.versions(is_fresh=is_fresh)
            if found != self.folders:
                self.folders = found
                self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _token_and_newest(store: RunStore | None, known: int | None) -> tuple[int | None, int]:
    """Return the change token and the id of the newest event, read at one moment; the id is 0 if the token is `known`.

    A token with a newer event would look later as if something else had been written.
    """
    while store is not None:
        token = store.change_token()
        newest = runs.newest_event(store) if token != known else 0
        if token == known or store.change_token() == token:
            return token, newest
    return None, 0


def _events_after(store: RunStore, after: int) -> Iterator[EventRecord]:
    """Yield the events of one message; few are read at once, because the data of each may be large."""
    for _ in range(PAGE_EVENTS // AT_ONCE):
        found = store.events_after(after, limit=AT_ONCE)
        yield from found
        if len(found) < AT_ONCE:
            break
        after = found[-1].id


def _page(store: RunStore | None, after: int, now_ms: int) -> Page:
    if store is None:
        return None, after
    shown: list[Record] = []
    touched: dict[str, RunRecord | None] = {}
    size, last = 0, after
    for event in _events_after(store, after):
        last = event.id
        if event.run_id not in touched:
            touched[event.run_id] = store.run(event.run_id)
        run = touched[event.run_id]
        if run and run.file:
            shown.append(queries.event_as_json(event))
            size += len(event.data) + 200
            if size > PAGE_BYTES:
                break
    if not shown:
        return None, last
    now = [queries.run_as_json(run, now_ms) for run in touched.values() if run and run.file]
    return jsontext.dumps_line({"type": "events", "seq": last, "events": shown, "runs": now}), last
