"""The real server, called by the official client."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client as AutoClient
from mcp import ClientSession, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from rcs_hooks import __version__
from rcs_hooks.mcp import tools
from tests.mcp.support import COMMAND, Arguments
from tests.support import Workspace, check_output, clean_env, error_json

if TYPE_CHECKING:
    from pathlib import Path

Client = Callable[[str, Arguments], Awaitable[tuple[Any, bool]]]


def server_in(root: Path) -> StdioServerParameters:
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(root), env=clean_env())


def with_client(root: Path, use: Callable[[Client, ClientSession], Awaitable[None]]) -> None:
    """Start the server in a workspace, and give `use` a function that calls a tool with the official client."""

    async def main() -> None:
        with open(os.devnull, "w") as nowhere:
            async with (
                stdio_client(server_in(root), errlog=nowhere) as (reader, writer),
                ClientSession(reader, writer) as session,
            ):

                async def call(tool: str, arguments: Arguments) -> tuple[Any, bool]:
                    result = await session.call_tool(tool, arguments)
                    assert len(result.content) == 1
                    block = result.content[0]
                    assert block.type == "text"
                    assert result.structured_content is None
                    return json.loads(block.text), bool(result.is_error)

                greeting = await session.initialize()
                assert (greeting.server_info.name, greeting.server_info.version) == ("rcs_state", __version__)
                with anyio.fail_after(120):
                    await use(call, session)

    anyio.run(main)


@pytest.mark.slow
def test_the_client_is_shown_every_tool_with_a_schema(workspace: Workspace) -> None:
    async def use(_call: Client, session: ClientSession) -> None:
        listed = (await session.list_tools()).tools
        assert [tool.name for tool in listed] == list(tools.NAMES)
        assert [(tool.description, tool.input_schema) for tool in listed] == [
            tools.schema_of(name) for name in tools.NAMES
        ]

    with_client(workspace.root, use)
    assert workspace.snapshot() == {}


def test_every_tool_works_in_one_run(workspace: Workspace) -> None:
    mine = {"session_id": "s1", "cwd": str(workspace.root)}
    turn = {"turn_id": "t1"}

    async def use(call: Client, _session: ClientSession) -> None:
        answer, is_error = await call("hook_user_prompt_submit", mine | turn | {"prompt": "$team $forge ship this"})
        assert not is_error
        assert (
            "active: team (phase starting) + forge (phase starting)"
            in (check_output("UserPromptSubmit", json.dumps(answer))["hookSpecificOutput"]["additionalContext"])
        )
        assert await call("state_list_active", mine) == (
            {"active_modes": ["team", "forge"], "title": "ship this"},
            False,
        )
        path = ".rcs/state/sessions/s1/forge-state.json"
        written, _ = await call("state_write", mine | {"mode": "forge", "iteration": "4", "current_phase": "executing"})
        assert written | {"success": True, "mode": "forge", "path": path} == written
        read, _ = await call("state_read", mine | {"mode": "forge"})
        assert (read["iteration"], read["current_phase"]) == (4, "executing")
        status, _ = await call("state_get_status", mine | {"mode": "forge"})
        assert status["statuses"]["forge"]["phase"] == "executing"
        stop, _ = await call("hook_stop", mine | turn | {"stop_hook_active": "false", "last_assistant_message": ""})
        assert stop["decision"] == "block"
        asked, _ = await call("question_ask", mine | {"mode": "forge", "text": "Which database?"})
        assert asked["success"] is True
        cleared, _ = await call("state_clear", mine | {"mode": "team"})
        assert cleared == {"cleared": True, "mode": "team", "path": ".rcs/state/sessions/s1/team-state.json"}
        assert await call("hook_stop", mine | turn) == ({}, False)

    with_client(workspace.root, use)
    assert workspace.active() == ["forge"]
    assert workspace.read("forge")["lifecycle_outcome"] == "askuserQuestion"


@pytest.mark.slow
def test_the_recovery_calls_of_the_seed_work_letter_by_letter(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    workspace.prompt("$forge", session="s2")

    async def use(call: Client, _session: ClientSession) -> None:
        assert (await call("state_clear", {"mode": "team"}))[0]["cleared"] is True
        everywhere, _ = await call("state_clear", {"mode": "forge", "all_sessions": True})
        assert (everywhere["cleared"], everywhere["removed"]) == (True, 2)

    with_client(workspace.root, use)
    assert (workspace.active("s1"), workspace.active("s2")) == ([], [])


REFUSALS: list[tuple[str, str, Arguments, str]] = [
    ("state_read without a mode", "state_read", {}, "mode: missing"),
    ("state_read of no mode", "state_read", {"mode": "nope"}, "'nope' is not a workflow mode"),
    ("state_read in no session", "state_read", {"mode": "team", "session_id": "a/b"}, "session_id"),
    ("state_write of nothing", "state_write", {"mode": "team"}, "nothing to write"),
    ("state_write of a bad field", "state_write", {"mode": "team", "iteration": "many"}, "expected a whole number"),
    ("state_write that is denied", "state_write", {"mode": "autopilot", "active": True}, "Cannot activate autopilot"),
    ("state_write that rolls back", "state_write", {"mode": "blueprint", "active": "true"},
     "First clear current state first and retry if this action is intended."),
    ("state_clear of no mode", "state_clear", {"mode": ""}, "mode: missing"),
    ("state_clear of all or some", "state_clear", {"mode": "team", "all_sessions": "some"}, "all_sessions"),
    ("state_list_active of a list", "state_list_active", {"session_id": ["s1"]}, "session_id"),
    ("state_get_status of no mode", "state_get_status", {"mode": "nope"}, "'nope' is not a workflow mode"),
    ("question_ask without a text", "question_ask", {"mode": "team"}, "text"),
    ("question_ask of an idle mode", "question_ask", {"mode": "ultraqa", "text": "?"}, "ultraqa is not active"),
    ("no tool", "rcs_state.state_read", {"mode": "team"}, "there is no tool 'rcs_state.state_read'"),
]  # fmt: skip


@pytest.mark.slow
def test_every_refusal_is_an_error_with_its_words_and_changes_no_byte(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    before = workspace.snapshot()

    async def use(call: Client, _session: ClientSession) -> None:
        for name, tool, arguments, words in REFUSALS:
            answer, is_error = await call(tool, {"session_id": "s1"} | arguments)
            assert is_error, name
            assert answer == error_json("refused" if tool in tools.NAMES else "usage", answer["message"]), name
            assert words in answer["error"], name
            assert workspace.snapshot() == before, name

    with_client(workspace.root, use)


@pytest.mark.slow
def test_twenty_sessions_at_once_lose_nothing(workspace: Workspace) -> None:
    sessions = [f"s{number}" for number in range(20)]
    rounds = 10

    async def use(call: Client, _session: ClientSession) -> None:
        async def live(session: str) -> None:
            prompt = {"session_id": session, "turn_id": "t", "prompt": "$team $forge go"}
            said, is_error = await call("hook_user_prompt_submit", prompt)
            assert not is_error
            assert said["systemMessage"] == "rcs: team started; forge started"
            for number in range(rounds):
                written, is_error = await call(
                    "state_write", {"session_id": session, "mode": "forge", "state": {f"n{number}": session}}
                )
                assert not is_error, written

        async with anyio.create_task_group() as group:
            for session in sessions:
                group.start_soon(live, session)

    with_client(workspace.in_git().root, use)
    for session in sessions:
        assert workspace.active(session) == ["team", "forge"]
        assert workspace.read("forge", session)["state"] == {f"n{number}": session for number in range(rounds)}


# --- the protocol


@pytest.mark.slow
def test_errors_pings_and_what_we_have_not_come_as_the_client_knows_them(workspace: Workspace) -> None:
    async def use(call: Client, session: ClientSession) -> None:
        await session.send_ping()
        for request in (session.list_resources, session.list_prompts, session.list_resource_templates):
            with pytest.raises(MCPError) as refused:
                await request()
            assert refused.value.error.code == -32601
        assert (await call("no_such_tool", {}))[1] is True
        assert session.protocol_version == "2025-11-25"

    with_client(workspace.root, use)


@pytest.mark.slow
def test_a_call_that_is_given_up_disturbs_no_other(workspace: Workspace) -> None:
    workspace.prompt("$team")

    async def use(call: Client, session: ClientSession) -> None:
        fields = {"session_id": "s1", "mode": "team", "reason": "x"}
        with open(workspace.state / ".lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with anyio.move_on_after(0.3):
                await session.call_tool("state_write", fields)
            assert await call("hook_stop", {"session_id": "s2"}) == ({}, False)
        await session.send_ping()
        assert await call("state_list_active", {"session_id": "s1"}) == ({"active_modes": ["team"]}, False)

    with_client(workspace.root, use)


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
def test_a_client_agrees_with_the_server_on_a_version(workspace: Workspace, mode: Any, version: str) -> None:
    async def main() -> None:
        async with AutoClient(stdio_client(server_in(workspace.root)), mode=mode) as client:
            assert client.protocol_version == version
            assert [tool.name for tool in (await client.list_tools()).tools] == list(tools.NAMES)
            result = await client.call_tool("hook_user_prompt_submit", {"session_id": "s1", "prompt": "$team go"})
            assert not result.is_error
            assert "active: team" in result.content[0].model_dump()["text"]

    anyio.run(main)
    assert workspace.active() == ["team"]
