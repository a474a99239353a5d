"""Builds the application: pages, API and WebSocket, behind the guard."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.routing import BaseRoute, WebSocketRoute

from rcs_hooks.dashboard import api, failures, pages
from rcs_hooks.dashboard.follow import Follower
from rcs_hooks.dashboard.guard import AccessRules, Guard
from rcs_hooks.dashboard.live import LiveFeed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rcs_hooks.dashboard.source import DashboardSource


SHARED = "/shared"
"""What the addresses of the pages and answers about the machines of a team begin with."""


def build_app(
    data: DashboardSource,
    rules: AccessRules,
    *,
    shared: DashboardSource | None = None,
    started: Callable[[], None] | None = None,
) -> Guard:
    """Build the application. `started` is called once it answers requests.

    `shared`: the data of the machines of a team, shown by the same pages under SHARED.
    """
    sources = {"": data} | ({SHARED: shared} if shared else {})
    followers = {prefix: Follower(source) for prefix, source in sources.items()}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        following = [asyncio.create_task(follower.follow()) for follower in followers.values()]
        if started:
            asyncio.get_running_loop().call_soon(started)
        try:
            yield
        finally:
            for task in following:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            for source in sources.values():
                await source.close()

    routes: list[BaseRoute] = []
    for prefix, source in sources.items():
        live = LiveFeed(followers[prefix])
        routes += [*api.routes(source, rules.token, prefix), WebSocketRoute(f"{prefix}/ws", live.serve)]
        routes += pages.routes(prefix, has_shared=shared is not None)
    routes.append(pages.static())
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=failures.HANDLERS), rules)
