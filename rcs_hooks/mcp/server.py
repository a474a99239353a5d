"""Serves the tools of `tools.py` over stdio, with the official `mcp` package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from rcs_hooks import __version__
from rcs_hooks.environment import real_environment
from rcs_hooks.mcp import tools, unreadable

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from mcp.server.context import ServerRequestContext
    from mcp.shared._stream_protocols import ReadStream, WriteStream

NAME = "rcs_state"
OF_WHOLE_MESSAGE, MOST_STEPS = ("missing", "model_type"), 2
"""The faults that pydantic reports with the whole message as input, and how long their paths can be: pydantic tries
every kind of message, and names the kind first."""


async def _list(_: ServerRequestContext[Any], __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    listed = []
    for name in tools.NAMES:
        purpose, schema = tools.schema_of(name)
        listed.append(types.Tool(name=name, description=purpose, input_schema=schema))
    return types.ListToolsResult(tools=listed)


async def _call(_: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
    """Run a tool in a thread, so that a call that waits for a lock delays no other session."""
    environment = real_environment()
    text, is_error = await anyio.to_thread.run_sync(
        tools.call, params.name, params.arguments or {}, dict(environment.env), environment.cwd
    )
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


class AnsweringReader:
    """A stream of a client's messages that answers each line which the `mcp` package cannot read and would drop."""

    def __init__(self, reader: ReadStream[SessionMessage | Exception], writer: WriteStream[SessionMessage]) -> None:
        self._reader = reader
        self._writer = writer

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message that can be read, and answer each line before it that cannot."""
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


def _reply_to(item: SessionMessage | Exception) -> unreadable.LineAnswer | None:
    if not isinstance(item, ValidationError):
        return None
    faults = item.errors(include_url=False)
    if faults[0]["type"] == "json_invalid":
        return unreadable.reply_to(faults[0]["input"], faults[0]["msg"])
    for fault in faults:
        if fault["type"] in OF_WHOLE_MESSAGE and len(fault["loc"]) <= MOST_STEPS:
            return unreadable.reply_to_invalid(fault["input"])
    return None


def _message_of(reply: unreadable.LineAnswer) -> types.JSONRPCMessage:
    if reply.code is not None or reply.id is None:
        error = types.ErrorData(code=reply.code or unreadable.PARSE_ERROR, message=reply.text)
        return types.JSONRPCError(jsonrpc="2.0", id=reply.id, error=error)
    result = types.CallToolResult(content=[types.TextContent(type="text", text=reply.text)], is_error=reply.is_error)
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return types.JSONRPCResponse(jsonrpc="2.0", id=reply.id, result=dumped)


async def _serve() -> None:
    """Answer requests on stdin until it is closed, including the lines that the `mcp` package would drop."""
    server: Server[Any] = Server(NAME, version=__version__, on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (reader, writer):
        await server.run(AnsweringReader(reader, writer), writer, server.create_initialization_options())


def serve() -> None:
    """Run the MCP server until stdin is closed."""
    anyio.run(_serve)
