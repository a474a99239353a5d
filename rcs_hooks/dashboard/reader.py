"""The store, asked from one thread that keeps one connection open: the server's own loop never waits for a disk."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from rcs_hooks.runs import store

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

Kept = store.Store | None


class Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        self.generation = 0
        """Another number whenever the file is another one: then all ids begin anew."""
        self._file: tuple[int, int] | None = None
        self._store: Kept = None
        self._thread = ThreadPoolExecutor(1, "store")

    async def ask(self, question: Callable[Concatenate[Kept, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Raises StoreError."""
        call = asyncio.get_running_loop().run_in_executor
        return await call(self._thread, lambda: question(self._current(), *args, **kwargs))

    def _current(self) -> Kept:
        """Nothing while there is no file; one that was put in place of the other is opened anew."""
        try:
            status = os.stat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            file = None
        else:
            file = (status.st_dev, status.st_ino)
        if file != self._file or (file and self._store is None):
            self._close_store()
            if self._file is not None and file != self._file:
                self.generation += 1
            self._store = store.opened(self.path) if file else None
            self._file = file
        return self._store

    def _close_store(self) -> None:
        if self._store:
            self._store.close()
        self._store = None

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close_store)
        self._thread.shutdown()
