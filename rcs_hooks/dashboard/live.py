"""The WebSocket: what is new since an event, then whatever comes. Nothing is kept for a client but where it stands."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError

if TYPE_CHECKING:
    from rcs_hooks.dashboard.follow import Follower

PATIENCE = 10.0
"""Seconds that a message may wait for a client that does not take it; then it is dropped, and may come again."""
MOST = 100
TRY_AGAIN, TOO_SLOW, WRONG = 1013, 4008, 4400


class TooSlow(Exception):
    """Raised when a client does not take what it is sent."""


class Live:
    def __init__(self, follower: Follower, *, patience: float = PATIENCE) -> None:
        self._follower = follower
        self._patience = patience
        self.clients = 0

    async def serve(self, socket: WebSocket) -> None:
        after = socket.query_params.get("after")
        if after is not None and not (after.isascii() and after.isdigit() and len(after) < 19):
            await _refused(socket, WRONG, f"after={after[:20]}: the number of an event is needed")
            return
        if self.clients >= MOST:
            await _refused(socket, TRY_AGAIN, f"{MOST} pages are open already; close some")
            return
        self.clients += 1
        try:
            await self._accepted(socket, after)
        finally:
            self.clients -= 1

    async def _accepted(self, socket: WebSocket, after: str | None) -> None:
        await socket.accept()
        try:
            await self._follower.join()
        except RcsError as error:
            await socket.close(TRY_AGAIN, str(error)[:120])
            return
        gone = asyncio.create_task(_until_gone(socket))
        stream = asyncio.create_task(_Client(socket, self._follower, self._patience).stream(after))
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


class _Client:
    """One open page, and where it stands."""

    def __init__(self, socket: WebSocket, follower: Follower, patience: float) -> None:
        self._socket = socket
        self._follower = follower
        self._patience = patience

    async def stream(self, after: str | None) -> None:
        """Raises TooSlow."""
        follower = self._follower
        at = follower.head if after is None else int(after)
        generation, deletions, known = follower.generation, follower.deletions, dict(follower.folders)
        await self._send({"type": "hello", "seq": at, "state": follower.state})
        if at > follower.head:
            generation = -1  # the page knows of what is not stored
        while True:
            news = follower.news
            if follower.generation != generation:
                generation, at, deletions = follower.generation, follower.head, follower.deletions
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
        """Where the client stands then."""
        while at < self._follower.head and self._follower.generation == generation:
            text, last = await self._follower.page(at)
            if last == at:  # what was there has been deleted meanwhile
                break
            at = last
            if text:
                await self._send(text)
        return at

    async def _send(self, message: str | dict[str, Any]) -> None:
        text = message if isinstance(message, str) else jsontext.dumps_line(message)
        try:
            await asyncio.wait_for(self._socket.send_text(text), self._patience)
        except TimeoutError:
            raise TooSlow from None


async def _until_gone(socket: WebSocket) -> None:
    """What a client says is not listened to."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


async def _refused(socket: WebSocket, code: int, why: str) -> None:
    """A browser learns the reason only of a connection that was opened."""
    await socket.accept()
    await socket.close(code, why)
