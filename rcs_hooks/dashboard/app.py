"""Builds the application: pages, API and WebSocket, behind the guard."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from rcs_hooks.dashboard import api, failures, pages
from rcs_hooks.dashboard.follow import Follower
from rcs_hooks.dashboard.guard import AccessRules, Guard
from rcs_hooks.dashboard.live import PATIENCE, LiveFeed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rcs_hooks.dashboard.source import DashboardSource


def build_app(
    data: DashboardSource, rules: AccessRules, *, started: Callable[[], None] | None = None, patience: float = PATIENCE
) -> Guard:
    """Build the application. `started` is called once it answers requests.

    `patience` is how many seconds a message may wait for a page that does not take it.
    """
    follower = Follower(data)
    live = LiveFeed(follower, patience=patience)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(follower.follow())
        if started:
            asyncio.get_running_loop().call_soon(started)
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            await data.close()

    routes = [*api.routes(data, rules.token), WebSocketRoute("/ws", live.serve), *pages.routes()]
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=failures.HANDLERS), rules)
