"""The WebSocket of a page: the events since the last one that it has seen, then each new one.

The messages are JSON: `hello` (`seq`, and `state`, the version of the state folders), `events` (with their runs),
`runs` (some were deleted), `state` (changed in `roots`) and `reset` (another store: ask again for everything).
Nothing is remembered of a page but the last event that it was sent.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError, StoreError

if TYPE_CHECKING:
    from rcs_hooks.dashboard.follow import Follower

PATIENCE = 10.0
"""Seconds that a message may wait for a page that does not take it; then the connection is closed."""
MOST = 100
TRY_AGAIN, TOO_SLOW, WRONG = 1013, 4008, 4400


class TooSlow(Exception):
    """Raised when a page does not take what is sent to it."""


class LiveFeed:
    """The endpoint `/ws`, which counts its open pages."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self.clients = 0

    async def serve(self, socket: WebSocket) -> None:
        """Send a page all events after its parameter `after`, then each new one, until it disconnects.

        Without `after`, only new events are sent.
        """
        after = socket.query_params.get("after")
        if after is not None and not (after.isascii() and after.isdigit() and len(after) < 19):
            await _refuse(socket, WRONG, f"after={after[:20]}: the number of an event is needed")
            return
        if self.clients >= MOST:
            await _refuse(socket, TRY_AGAIN, f"{MOST} pages are open already; close some")
            return
        self.clients += 1
        try:
            await self._serve_page(socket, after)
        finally:
            self.clients -= 1

    async def _serve_page(self, socket: WebSocket, after: str | None) -> None:
        await socket.accept()
        try:
            await self._follower.join()
        except RcsError as error:
            await socket.close(TRY_AGAIN, str(error)[:120])
            return
        gone = asyncio.create_task(_until_gone(socket))
        stream = asyncio.create_task(_Page(socket, self._follower).stream(after))
        try:
            await asyncio.wait((gone, stream), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._follower.leave()
            for task in (gone, stream):
                task.cancel()
            results = await asyncio.gather(gone, stream, return_exceptions=True)
        why = results[1]
        if isinstance(why, TooSlow):
            with suppress(RuntimeError, OSError, TimeoutError):
                await asyncio.wait_for(socket.close(TOO_SLOW, "it did not take what was sent"), 1)
        elif isinstance(why, RcsError):
            with suppress(RuntimeError, OSError):
                await socket.close(TRY_AGAIN, str(why)[:120])
        elif isinstance(why, Exception) and not isinstance(why, (WebSocketDisconnect, RuntimeError, OSError)):
            raise why


class _Page:
    """One open page."""

    def __init__(self, socket: WebSocket, follower: Follower) -> None:
        self._socket = socket
        self._follower = follower

    async def stream(self, after: str | None) -> None:
        """Send everything that is new until cancelled. Raises TooSlow."""
        follower = self._follower
        at = follower.newest if after is None else int(after)
        generation, deletions, known = follower.generation, follower.deletions, dict(follower.folders)
        await self._send({"type": "hello", "seq": at, "state": follower.state})
        if at > follower.newest:
            generation = -1  # the page has seen events that are not stored
        while True:
            news = follower.news
            if follower.problem:
                raise StoreError(follower.problem)
            if follower.generation != generation:
                generation, at, deletions = follower.generation, follower.newest, follower.deletions
                await self._send({"type": "reset", "seq": at})
            at = await self._catch_up(at, generation)
            if follower.deletions != deletions:
                deletions = follower.deletions
                await self._send({"type": "runs"})
            if follower.folders != known:
                now = dict(follower.folders)
                roots = sorted(root for root in {*known, *now} if known.get(root) != now.get(root))
                known = now
                await self._send({"type": "state", "state": follower.state, "roots": roots})
            await news.wait()

    async def _catch_up(self, at: int, generation: int) -> int:
        """Send the events above the id `at`, and return the last id sent."""
        while at < self._follower.newest and self._follower.generation == generation:
            text, last = await self._follower.page(at)
            if last == at:  # the events have been deleted meanwhile
                break
            at = last
            if text:
                await self._send(text)
        return at

    async def _send(self, message: str | dict[str, Any]) -> None:
        text = message if isinstance(message, str) else jsontext.dumps_line(message)
        try:
            await asyncio.wait_for(self._socket.send_text(text), PATIENCE)
        except TimeoutError:
            raise TooSlow from None


async def _until_gone(socket: WebSocket) -> None:
    """Wait until the page disconnects; what it sends is ignored."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _refuse(socket: WebSocket, code: int, why: str) -> None:
    """Open the connection and close it: a browser shows the reason only of a connection that was open."""
    await socket.accept()
    await socket.close(code, why)
