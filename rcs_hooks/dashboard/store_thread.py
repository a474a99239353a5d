"""One thread that reads the store through one open connection, so that the event loop never waits for a disk."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.runs.store import RunStore

P = ParamSpec("P")
T = TypeVar("T")


class StoreThread:
    """The thread of one store; it opens the store again when another database has taken its place."""

    def __init__(self, opened: Callable[[], RunStore | None]) -> None:
        """Create a thread that has opened nothing. `opened` opens the store; None if nothing was ever stored."""
        self._opened = opened
        self.generation = 0
        """A number that grows whenever the database is another one: then all ids begin again."""
        self._store: RunStore | None = None
        self._thread = ThreadPoolExecutor(1, "store")

    async def ask(self, question: Callable[Concatenate[RunStore | None, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function in the thread and return its result; its first argument is the store.

        The store is None if nothing was ever stored. Raises StoreError.
        """
        call = asyncio.get_running_loop().run_in_executor
        return await call(self._thread, lambda: question(self._current(), *args, **kwargs))

    def _current(self) -> RunStore | None:
        if self._store is not None and self._store.is_replaced():
            self._close_store()
            self.generation += 1
        if self._store is None:
            self._store = self._opened()
        return self._store

    def _close_store(self) -> None:
        if self._store:
            self._store.close()
        self._store = None

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close_store)
        self._thread.shutdown()
