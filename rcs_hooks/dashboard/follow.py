"""Follows the store and the state folders while somebody looks, and says when there is something new.

Nothing is kept here of what is new but numbers: each client reads what it has not seen yet, so that one which falls
behind costs nothing.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.dashboard import folders, runs
from rcs_hooks.runs import reading

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from rcs_hooks.dashboard.reader import Kept, Reader
    from rcs_hooks.runs.store import Store

Record = dict[str, Any]
Page = tuple[str | None, int]

STORE_EVERY = 0.1
FOLDERS_EVERY = 0.5
ROOTS_EVERY = 5.0
SHARE = 0.0025
"""Of a processor, that looking at the folders may take: what is dear is looked at less often."""
SLOWEST = 30.0
PAGE_EVENTS = 500
AT_ONCE = 50
PAGE_BYTES = 256 * 1024
PAGES_KEPT = 8


class Follower:
    def __init__(
        self,
        reader: Reader,
        roots: Callable[[], Awaitable[list[str]]],
        forget: Callable[[], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.head = 0
        """The id of the newest event."""
        self.generation = 0
        """Of the store: with another one, all ids begin anew."""
        self.deletions = 0
        """How often the runs changed apart from events."""
        self.folders: dict[str, int] = {}
        self._reader = reader
        self._roots = roots
        self._forget = forget
        self._clock = clock
        self._looking = asyncio.Lock()
        self._numbers: frozenset[int] | None = None
        self._known_roots: list[str] = []
        self._roots_asked = 0.0
        self._data_version: int | None = None
        self._news = asyncio.Event()
        self._watchers = 0
        self._watched = asyncio.Event()
        self._pages: dict[tuple[int, int], Page] = {}

    @property
    def state(self) -> str:
        return folders.together(self.folders)

    @property
    def news(self) -> asyncio.Event:
        """Set with the next news; take it before looking, wait for it after."""
        return self._news

    async def join(self) -> None:
        """Somebody looks. What is known when this returns is as new as the call."""
        self._watchers += 1
        try:
            await self._look_at_store()
            await self._look_for_roots()
            await self._look_at_folders()
        except BaseException:  # a cancelled wait too; it is raised again
            self._watchers -= 1
            raise
        self._watched.set()

    def leave(self) -> None:
        self._watchers -= 1
        if not self._watchers:
            self._watched.clear()

    async def follow(self) -> None:
        """Until it is cancelled. While nobody looks, it sleeps."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._follow_store())
            group.create_task(self._follow_folders())

    # --- the store

    async def _follow_store(self) -> None:
        while True:
            await self._watched.wait()
            with suppress(Exception):  # who asks for a page is told of it; whatever it was, the rest is followed on
                await self._look_at_store()
            await asyncio.sleep(STORE_EVERY)

    async def _look_at_store(self) -> None:
        async with self._looking:
            await self._look_once()

    async def _look_once(self) -> None:
        version, head = await self._reader.ask(_version_and_head, self._data_version)
        if (version, self._reader.generation) == (self._data_version, self.generation):
            return
        if self.generation != self._reader.generation:
            self.generation = self._reader.generation
            self._numbers = None
            self._pages.clear()
            version, head = await self._reader.ask(_version_and_head, None)
        elif self._numbers is None or head <= self.head:  # something was written, and no event came of it
            await self._look_for_deletions()
        self._data_version, self.head = version, head
        self._tell()

    async def _look_for_deletions(self) -> None:
        """Seldom: the version changes with a checkpoint too, so only what is missing tells."""
        before, self._numbers = self._numbers, await self._reader.ask(_numbers)
        if before and before - self._numbers:
            self.deletions += 1
            self._forget()

    async def page(self, after: int) -> Page:
        """The next events behind an id, as one message, and the id that it goes up to; nothing if none is shown.

        Several who stand at the same event share the page."""
        key = (self.generation, after)
        if key in self._pages:
            return self._pages[key]
        page = await self._reader.ask(_page, after, round(self._clock() * 1000))
        if self._reader.generation != key[0]:
            await self._look_at_store()
            return None, after
        if page[1] > after:
            while len(self._pages) >= PAGES_KEPT:
                del self._pages[next(iter(self._pages))]
            self._pages[key] = page
        return page

    # --- the folders

    async def _follow_folders(self) -> None:
        while True:
            await self._watched.wait()
            cost = 0.0
            with suppress(Exception):  # the same
                if time.monotonic() - self._roots_asked > ROOTS_EVERY:
                    await self._look_for_roots()
                cost = await self._look_at_folders()
            await asyncio.sleep(min(SLOWEST, max(FOLDERS_EVERY, cost / SHARE)))

    async def _look_for_roots(self) -> None:
        self._known_roots, self._roots_asked = await self._roots(), time.monotonic()

    async def _look_at_folders(self) -> float:
        """How long it took."""
        roots = self._known_roots
        found, cost = await asyncio.to_thread(_timed_versions, roots)
        if found != self.folders and roots is self._known_roots:
            self.folders = found
            self._tell()
        return cost

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def _timed_versions(roots: list[str]) -> tuple[dict[str, int], float]:
    begun = time.thread_time()
    return folders.versions(roots), time.thread_time() - begun


def _version_and_head(kept: Kept, known: int | None) -> tuple[int | None, int]:
    """Of one moment: a version with the events of a later one would look as if something else had been written. The
    head is looked for only where the version is not the one that is known."""
    while kept is not None:
        version = kept.data_version()
        head = runs.head(kept) if version != known else 0
        if version == known or kept.data_version() == version:
            return version, head
    return None, 0


def _numbers(kept: Kept) -> frozenset[int]:
    return frozenset(run["id"] for run in kept.runs(0, limit=-1)) if kept else frozenset()


def _behind(kept: Store, after: int) -> Iterator[Record]:
    """A few at once: the data of each may be large."""
    for _ in range(PAGE_EVENTS // AT_ONCE):
        found = kept.events_after(after, limit=AT_ONCE)
        yield from found
        if len(found) < AT_ONCE:
            break
        after = found[-1]["id"]


def _page(kept: Kept, after: int, now_ms: int) -> Page:
    if kept is None:
        return None, after
    shown: list[Record] = []
    touched: dict[str, Record | None] = {}
    size, last = 0, after
    for event in _behind(kept, after):
        last = event["id"]
        if event["run_id"] not in touched:
            touched[event["run_id"]] = kept.run(event["run_id"])
        run = touched[event["run_id"]]
        if run and run["file"]:
            shown.append(reading.event_of(event))
            size += len(event["data"]) + 200
            if size > PAGE_BYTES:
                break
    if not shown:
        return None, last
    now = [reading.run_of(run, now_ms) for run in touched.values() if run and run["file"]]
    return jsontext.dumps_line({"type": "events", "seq": last, "events": shown, "runs": now}), last
