"""The tools of `tools.py` over MCP's stdio, with the official package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from rcs_hooks import __version__
from rcs_hooks.hook.call import real_surroundings
from rcs_hooks.mcp import tools, unreadable

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mcp.server.context import ServerRequestContext
    from mcp.shared._stream_protocols import ReadStream, WriteStream

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


class Answering:
    """The messages of a client. A request among them that cannot be read is answered here: the package drops it."""

    def __init__(self, reader: ReadStream[SessionMessage | Exception], writer: WriteStream[SessionMessage]) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item = await self._reader.receive()
            reply = _reply_to(item)
            if reply is None:
                return item
            await self._writer.send(SessionMessage(_message_of(reply)))

    async def aclose(self) -> None:
        await self._reader.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _reply_to(item: SessionMessage | Exception) -> unreadable.Reply | None:
    if not isinstance(item, ValidationError):
        return None
    fault = item.errors(include_url=False)[0]
    return unreadable.reply_to(fault["input"], fault["msg"]) if fault["type"] == "json_invalid" else None


def _message_of(reply: unreadable.Reply) -> types.JSONRPCMessage:
    if not reply.is_result:
        error = types.ErrorData(code=unreadable.PARSE_ERROR, message=reply.text)
        return types.JSONRPCError(jsonrpc="2.0", id=reply.id, error=error)
    result = types.CallToolResult(content=[types.TextContent(type="text", text=reply.text)], is_error=reply.is_error)
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return types.JSONRPCResponse(jsonrpc="2.0", id=reply.id, result=dumped)


async def _serve() -> None:
    server: Server[Any] = Server(NAME, version=__version__, on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (reader, writer):
        await server.run(Answering(reader, writer), writer, server.create_initialization_options())


def serve() -> None:
    anyio.run(_serve)
