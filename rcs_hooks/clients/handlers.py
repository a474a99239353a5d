"""The entries that setup writes: a hook for each event, and the MCP server."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rcs_hooks.clients import entries, lines
from rcs_hooks.clients.entries import PROGRAM, SERVER, TOOL_TYPE
from rcs_hooks.clients.formats import COMMON, EVENTS, TIMEOUT
from rcs_hooks.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.clients.entries import Record
    from rcs_hooks.clients.formats import HookFormat, ToolFields

COMMAND, MCP = "command", "mcp"
TRANSPORTS = (COMMAND, MCP)
TOOLS = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}
FIELDS = {
    "UserPromptSubmit": ("session_id", "transcript_path", "cwd", "prompt"),
    "Stop": ("session_id", "transcript_path", "cwd", "stop_hook_active", "last_assistant_message"),
}
"""The fields of a call that every client passes to a hook which is a tool, by event."""
NOT_FOR_THE_SERVER = frozenset({"RCS_SESSION_ID", "RCS_RECORD", "RCS_DB"})


def program(name: str = PROGRAM) -> str:
    """Return the absolute path of one of our commands, beside the running Python. Raises Refused if it is missing."""
    path = os.path.join(os.path.dirname(sys.executable), name)
    if not os.access(path, os.X_OK):
        raise Refused(f"{path} is missing: `pip install .` in a checkout puts it beside this Python; then try again")
    return path


def interpreter() -> str:
    """Return the absolute path of the running Python; in a virtual environment, that of its `python3`.

    So an entry stays the same, whichever of an environment's names for Python started setup.
    """
    plain = os.path.join(os.path.dirname(sys.executable), "python3")
    is_plain = sys.prefix != sys.base_prefix and os.path.exists(plain)
    return os.path.abspath(plain if is_plain else sys.executable)


def hook_handlers(transport: str, format_: HookFormat) -> dict[str, Record]:
    """Return our hook for each event, by the client's name. Raises Refused if `rcs-hook` is not beside this Python.

    `transport`: COMMAND or MCP. `format_`: how the client wants hooks written.
    """
    program()
    return {theirs: _handler(event, transport, format_) for event, theirs in zip(EVENTS, format_.events, strict=True)}


def _handler(event: str, transport: str, format_: HookFormat) -> Record:
    """Return our hook for one event. A command is written as a line for the shell, never with `args`.

    Other clients read Claude Code's files, and a client that does not know `args` would run the first word alone, with
    the call as its script.
    """
    if transport == MCP and event in TOOLS:
        return {
            "type": TOOL_TYPE,
            "server": SERVER,
            "tool": TOOLS[event],
            "timeout": TIMEOUT,
            "input": _tool_input(event, format_.tool_fields),
        }
    command = {"type": "command", "command": format_.command(interpreter()), **format_.fields}
    return command | {format_.timeout: format_.time_out(event)}


def _tool_input(event: str, tool_fields: ToolFields) -> dict[str, str]:
    return {name: f"${{{name}}}" for name in (*FIELDS[event], *tool_fields.get(event, ()))}


def is_as_written(event: str, handler: Record, format_: HookFormat = COMMON, *, is_shared: bool = False) -> bool:
    """Tell whether a hook of ours is as setup writes it now."""
    without = entries.without_personal(handler, format_, is_shared=is_shared)
    if without.get("type") == TOOL_TYPE:
        is_plain = set(without) == {"type", "server", "tool", "input"} and without["tool"] == TOOLS.get(event)
        return is_plain and without["input"] == _tool_input(event, format_.tool_fields)
    python = lines.interpreter_of(entries.words_of(without)) or ""
    return without == {"type": "command", "command": format_.command(python), **format_.fields}


def server_entry(env: Mapping[str, str]) -> Record:
    """Build the entry of our MCP server that setup writes into a file of a client.

    The entry repeats our variables (`RCS_…`) from `env`, because Codex does not pass its environment on to a server.
    """
    ours = {
        name: value
        for name, value in sorted(env.items())
        if name.startswith(entries.OUR_VARIABLES) and name not in NOT_FOR_THE_SERVER and value.strip()
    }
    return {"command": program("rcs"), "args": ["mcp"]} | ({"env": ours} if ours else {})
