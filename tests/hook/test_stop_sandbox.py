"""A Stop in Codex whose agent can record no outcome from its sandbox: held once, and the person is told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from tests.hook.test_stop import GO_ON_OR_CANCEL
from tests.support import Answer, Record, Workspace

READ_ONLY: Record = {"type": "read-only"}
WORKSPACE_WRITE: Record = {
    "type": "workspace-write",
    "network_access": False,
    "exclude_tmpdir_env_var": True,
    "exclude_slash_tmp": True,
}


def line(policy: object, *, turn: str = "turn-1", cwd: object = "/", approval: object = "never") -> str:
    context = {"turn_id": turn, "cwd": cwd, "approval_policy": approval, "sandbox_policy": policy}
    record = {"timestamp": "2026-01-01T00:00:00.000Z", "ordinal": 5, "type": "turn_context", "payload": context}
    return json.dumps(record, separators=(",", ":"))


def transcript(workspace: Workspace, *lines: str) -> str:
    """As Codex writes one, in a folder of its own."""
    path = workspace.root.parent / "rollout-2026-s1.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def after_a_message(path: str) -> str:
    """The transcript, into which Codex writes the agent's message before it calls the hooks of a Stop."""
    if os.path.exists(path):
        with open(path, "a") as file:
            file.write('{"type":"event_msg"}\n')
    return path


def blocks(workspace: Workspace, path: str, stops: int = 7) -> list[bool]:
    return [workspace.stop(transcript_path=after_a_message(path)).blocks for _ in range(stops)]


ONCE = [True] + [False] * 6
FIVE_TIMES = [True] * 5 + [False] * 2


def test_it_is_held_once_and_both_are_told_what_they_can_do(forge: Workspace) -> None:
    path = transcript(forge, line(READ_ONLY))
    first = forge.stop(transcript_path=after_a_message(path))
    assert "Your commands run in a sandbox that cannot write the state of this workspace." in first.reason
    assert "They can type `$cancel`, or start Codex in the workspace's folder" in first.reason
    assert "rcs state write --mode forge --phase executing --session s1" in first.reason
    second = forge.stop(transcript_path=after_a_message(path))
    assert not second.blocks
    assert second.notice == (
        "rcs: forge (phase starting) cannot be ended by the agent, whose sandbox cannot write the"
        " state, so the turn ends. To allow it, start Codex with `--sandbox workspace-write` in the workspace's folder."
        f" {GO_ON_OR_CANCEL}"
    )
    forge.edit("forge", iteration=1)
    assert blocks(forge, path) == ONCE


POLICIES: list[Any] = [
    pytest.param(READ_ONLY, "{root}", "never", ONCE, id="read-only"),
    pytest.param(READ_ONLY, "{root}", "on-request", FIVE_TIMES, id="read-only, but the person can be asked"),
    pytest.param(READ_ONLY, "{root}", {"granular": {}}, FIVE_TIMES, id="read-only, asking in a way of its own"),
    pytest.param(WORKSPACE_WRITE, "{root}", "never", FIVE_TIMES, id="the workspace"),
    pytest.param(WORKSPACE_WRITE, "{root}/src", "never", ONCE, id="a folder of the workspace"),
    pytest.param(
        WORKSPACE_WRITE | {"writable_roots": ["{root}/.rcs"]}, "{root}/src", "never", FIVE_TIMES, id="--writable"
    ),
    pytest.param(WORKSPACE_WRITE | {"exclude_slash_tmp": False}, "/elsewhere", "never", None, id="all of /tmp"),
    pytest.param({"type": "danger-full-access"}, "/elsewhere", "never", FIVE_TIMES, id="no sandbox"),
    pytest.param({"type": "one of tomorrow"}, "/elsewhere", "never", FIVE_TIMES, id="a sandbox that is not known"),
    pytest.param(None, "{root}", "never", FIVE_TIMES, id="none named"),
]


@pytest.mark.parametrize(("policy", "cwd", "approval", "expected"), POLICIES)
def test_what_the_sandbox_lets_an_agent_write(
    policy: Record | None, cwd: str, approval: object, expected: list[bool] | None, forge: Workspace
) -> None:
    named = json.loads(json.dumps(policy).replace("{root}", str(forge.root)))
    path = transcript(forge, line(named, cwd=cwd.replace("{root}", str(forge.root)), approval=approval))
    if expected is None:
        expected = FIVE_TIMES if str(forge.root).startswith("/tmp/") else ONCE
    assert blocks(forge, path) == expected


FILL = json.dumps({"type": "response_item", "payload": {"output": "x" * 1000}})
PLACES: list[Any] = [
    pytest.param([line(READ_ONLY), *[FILL] * 500], ONCE, id="half a megabyte before the end"),
    pytest.param([line(READ_ONLY), *[FILL] * 3000], ONCE, id="at the start of a long one"),
    pytest.param([*[FILL] * 1500, line(READ_ONLY), *[FILL] * 1500], FIVE_TIMES, id="out of sight"),
    pytest.param([line(READ_ONLY, turn="turn-0")], FIVE_TIMES, id="of another turn"),
    pytest.param([line(READ_ONLY), line({"type": "danger-full-access"})], FIVE_TIMES, id="changed since"),
    pytest.param([line(READ_ONLY), line(READ_ONLY)[:80]], ONCE, id="cut at the end"),
    pytest.param([line(READ_ONLY), '"type":"turn_context"', "[1]" + '"type":"turn_context"'], ONCE, id="no records"),
    pytest.param([], FIVE_TIMES, id="empty"),
]


@pytest.mark.parametrize(("lines", "expected"), PLACES)
def test_where_the_line_of_the_turn_is_found(lines: list[str], expected: list[bool], forge: Workspace) -> None:
    assert blocks(forge, transcript(forge, *lines)) == expected


def test_a_transcript_that_is_no_file_is_not_waited_for(forge: Workspace, tmp_path: Path) -> None:

    os.mkfifo(fifo := tmp_path / "rollout-s1.jsonl")
    for path in (str(fifo), str(tmp_path), "/nonexistent", "nul\0"):
        assert forge.stop(transcript_path=path).blocks


def test_over_mcp_the_tools_write_it_so_it_is_held_as_ever(forge: Workspace) -> None:
    path = transcript(forge, line(READ_ONLY))
    environment = Environment(forge.env, str(forge.root), forge.now, "rcs", mcp=True)
    raw = forge.payload(
        "Stop", turn_id="turn-1", transcript_path=path, stop_hook_active=False, last_assistant_message="Working."
    )
    for _ in range(2):
        after_a_message(path)
        assert Answer("Stop", respond(raw, environment)).blocks
