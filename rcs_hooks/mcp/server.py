"""The tools of `tools.py` over MCP's stdio, with the official package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from rcs_hooks import __version__
from rcs_hooks.hook.call import real_surroundings
from rcs_hooks.mcp import tools

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

NAME = "rcs_state"


async def _list(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    found = []
    for name in tools.NAMES:
        purpose, schema = tools.schema_of(name)
        found.append(types.Tool(name=name, description=purpose, input_schema=schema))
    return types.ListToolsResult(tools=found)


async def _call(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    """In a thread: a lock that is held elsewhere must not keep other sessions from their answer."""
    around = real_surroundings()
    text, is_error = await anyio.to_thread.run_sync(
        tools.call, params.name, params.arguments or {}, dict(around.env), around.cwd
    )
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


async def _serve() -> None:
    server: Server[Any] = Server(NAME, version=__version__, on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def serve() -> None:
    anyio.run(_serve)
