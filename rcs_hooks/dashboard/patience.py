"""Connections that say nothing: each has a few seconds for a whole request, and the oldest goes where there are many.

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
"""For the whole of a request, from the connection or from the answer before; what is sent here is small."""
MOST_WAITING = 200


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, for connections that have to come to the point."""

    waiting: dict[PatientProtocol, asyncio.TimerHandle] = {}  # noqa: RUF012 - of all connections together
    numbers = count()
    number = 0
    """In the order in which they were made: who waits again after an answer is no newer for that."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.number = next(self.numbers)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()
        self._look()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._wait_no_more()
        super().handle_websocket_upgrade(event)

    def _look(self) -> None:
        """Whether a request is there as a whole, its body too."""
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            self._wait_no_more()

    def _wait(self) -> None:
        self._wait_no_more()
        if len(self.waiting) >= MOST_WAITING:
            min(self.waiting, key=lambda each: each.number)._give_up()
        self.waiting[self] = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _wait_no_more(self) -> None:
        if timer := self.waiting.pop(self, None):
            timer.cancel()

    def _give_up(self) -> None:
        self._wait_no_more()
        self.transport.abort()
