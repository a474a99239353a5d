"""The application: pages, API and WebSocket, behind the guard."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute

from rcs_hooks.dashboard import api, pages
from rcs_hooks.dashboard.follow import Follower
from rcs_hooks.dashboard.guard import Guard, Rules
from rcs_hooks.dashboard.live import PATIENCE, Live

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rcs_hooks.dashboard.sources import Sources


def made(
    sources: Sources, rules: Rules, *, started: Callable[[], None] | None = None, patience: float = PATIENCE
) -> Guard:
    """`started`: called once it answers."""
    follower = Follower(sources.reader, sources.workspaces, sources.forget_runs, sources.clock)
    live = Live(follower, patience=patience)

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
            await sources.reader.close()

    routes = [*api.routes(sources, rules.token), WebSocketRoute("/ws", live.serve), *pages.routes()]
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=api.HANDLERS), rules)
