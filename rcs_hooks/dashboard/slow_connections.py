"""Limits for silent connections: seconds for a whole request, and a number of them; the oldest is closed first.

uvicorn has a limit for all connections together and none for how long a request may take to arrive, so that 300
silent ones would lock everybody out.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

    import h11

REQUEST_SECONDS = 5.0
"""The time for a whole request, from the connection or the answer before it; requests are small here."""
MOST_WAITING = 200


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1, with a time limit for each request."""

    waiting: dict[TimedProtocol, asyncio.TimerHandle] = {}  # noqa: RUF012 - shared by all connections
    numbers = count()
    number = 0
    """The order of the connections; one that waits again after an answer keeps its number."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.number = next(self.numbers)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._check_request()

    def on_response_complete(self) -> None:
        self._start_timer()
        super().on_response_complete()
        self._check_request()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._stop_timer()
        super().handle_websocket_upgrade(event)

    def _check_request(self) -> None:
        """Stop the timer once a request has arrived as a whole, its body too."""
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._stop_timer()

    def _start_timer(self) -> None:
        self._stop_timer()
        if len(self.waiting) >= MOST_WAITING:
            min(self.waiting, key=lambda each: each.number)._abort()
        self.waiting[self] = self.loop.call_later(REQUEST_SECONDS, self._abort)

    def _stop_timer(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def _abort(self) -> None:
        self._stop_timer()
        self.transport.abort()
