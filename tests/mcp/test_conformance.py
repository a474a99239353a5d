"""The real server, called by the official client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from rcs_hooks.mcp import tools
from tests.mcp.support import COMMAND
from tests.support import Workspace, check_output, clean_env, error_json

if TYPE_CHECKING:
    from pathlib import Path


def server_in(root: Path) -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(root), env=clean_env())


async def called(client: Client, tool: str, **arguments: object) -> tuple[Any, bool]:
    result = await client.call_tool(tool, {"session_id": "s1"} | arguments)
    (block,) = result.content
    assert block.type == "text"
    assert result.structured_content is None
    return json.loads(block.text), bool(result.is_error)


async def a_turn(client: Client) -> None:
    """A prompt, each tool of the state, a Stop that is held, a question, and a Stop that is not."""
    said, _ = await called(client, "hook_user_prompt_submit", turn_id="t1", prompt="$team $forge ship this")
    context = check_output("UserPromptSubmit", json.dumps(said))["hookSpecificOutput"]["additionalContext"]
    assert "active: team (phase starting) + forge (phase starting)" in context
    listed, _ = await called(client, "state_list_active")
    assert listed == {"active_modes": ["team", "forge"], "title": "ship this"}
    written, _ = await called(client, "state_write", mode="forge", iteration="4", current_phase="executing")
    assert written["path"] == ".rcs/state/sessions/s1/forge-state.json"
    read, _ = await called(client, "state_read", mode="forge")
    assert (read["iteration"], read["current_phase"]) == (4, "executing")
    status, _ = await called(client, "state_get_status", mode="forge")
    assert status["statuses"]["forge"]["phase"] == "executing"
    stop, _ = await called(client, "hook_stop", turn_id="t1", stop_hook_active="false", last_assistant_message="")
    assert stop["decision"] == "block"
    assert (await called(client, "question_ask", mode="forge", text="Which database?"))[0]["success"] is True
    assert (await called(client, "state_clear", mode="team"))[0]["cleared"] is True
    assert await called(client, "hook_stop", turn_id="t1") == ({}, False)
    refused, is_error = await called(client, "no_such_tool")
    assert (is_error, refused) == (True, error_json("usage", refused["message"]))


VERSIONS = [("legacy", "2025-11-25"), pytest.param("auto", "2026-07-28", marks=pytest.mark.slow)]


@pytest.mark.parametrize(("mode", "version"), VERSIONS)
def test_a_client_agrees_with_the_server_on_a_version_and_every_tool_works(
    workspace: Workspace, mode: Any, version: str
) -> None:
    async def main() -> None:
        async with Client(stdio_client(server_in(workspace.root)), mode=mode) as client:
            assert client.protocol_version == version
            assert [tool.name for tool in (await client.list_tools()).tools] == list(tools.NAMES)
            with anyio.fail_after(120):
                await a_turn(client)

    anyio.run(main)
    assert workspace.active() == ["forge"]
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"
