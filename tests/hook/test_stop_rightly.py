"""A Stop that is not held, or held once: the agent rightly waits, the run is old, or nobody knows whose it is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import answer as recorded_answer
from rcs_hooks.hook.entry import respond
from tests.hook.test_stop import GO_ON_OR_CANCEL, blocks, commands
from tests.support import HOOKS, Answer, Record, Workspace, run_hook
from tests.table import each_row

DAY = 24 * 3600

SUBAGENT = {"id": "a1", "type": "subagent", "status": "running", "description": "look", "command": ""}
SHELL = {"id": "b1", "type": "shell", "status": "running", "description": "bg", "command": "sleep 4; echo hi"}
CRON = {"id": "c1", "schedule": "*/5 * * * *", "prompt": "look again"}


def stops(workspace: Workspace, count: int, **fields: Any) -> list[bool]:
    return [workspace.stop(**fields).blocks for _ in range(count)]


# --- the agent rightly waits


@each_row("form", [list, json.dumps], ids=["json", "text"])
def test_a_running_subagent_lets_the_turn_end_and_is_not_counted(
    form: Callable[[Any], Any], workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    before = workspace.snapshot()
    fields = {"background_tasks": form([SHELL, SUBAGENT]), "session_crons": form([])}
    assert {workspace.stop(**fields).line for _ in range(7)} == {"{}"}
    assert workspace.snapshot() == before
    assert blocks(workspace, 7) == 5


@each_row("form", [lambda value: value, json.dumps], ids=["json", "text"])
@each_row("fields", [{"background_tasks": [SHELL]}, {"session_crons": [CRON]}, {"session_crons": ["daily"]}], ids=str)
def test_a_shell_or_a_set_time_is_held_once_for_a_fingerprint(
    fields: Record, form: Callable[[Any], Any], workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    given = {name: form(value) for name, value in fields.items()}
    first = workspace.stop(**given)
    assert first.blocks
    assert "just end your turn" in first.reason
    assert commands(first.reason, "write") == ["forge"]
    assert workspace.stop(**given).notice == (
        "rcs: forge (phase starting) waits for background work. Type `$cancel` to end it."
    )
    assert [workspace.stop(**given).line for _ in range(3)] == ["{}"] * 3
    workspace.edit("forge", iteration=1)
    assert stops(workspace, 3, **given) == [True, False, False]
    assert stops(workspace, 7) == [True] * 4 + [False] * 3


NOTHING: list[object] = [
    None, "{", "null", 7, {"type": "subagent"}, [7, None, "subagent", []], [{}], "[" * 100_000,
    [SUBAGENT | {"status": "completed"}], [SUBAGENT | {"status": ["running"]}],
    json.dumps([SUBAGENT]) + " " * (1 << 20),
]  # fmt: skip


@each_row("value", NOTHING, ids=lambda value: repr(value)[:40])
def test_what_says_nothing_of_the_background_holds_as_ever(value: object, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    assert stops(workspace, 7, background_tasks=value) == [True] * 5 + [False] * 2


# --- plain-text questions of an interview


def test_a_question_of_an_interview_that_is_not_recorded_is_held_once(workspace: Workspace) -> None:
    workspace.prompt("$brief a shop")
    answer = workspace.stop(message="Which database?")
    command = "rcs question ask --mode deep-interview --text 'YOUR QUESTION' --session s1"
    assert [line for line in answer.reason.splitlines() if line.startswith("rcs ")] == [command]
    assert [workspace.stop(message="Which database?").line for _ in range(3)] == ["{}"] * 3
    workspace.prompt("Postgres.")
    assert workspace.stop(message="And which port?").line == "{}"
    workspace.edit("deep-interview", current_phase="details")
    assert workspace.stop(message="And which host?").blocks


# --- old runs

WHAT = "What was this about?"
RESUMED = [
    (3.0, "resume", WHAT, False),
    (3.0, "resume", "", False),
    (0.9, "resume", WHAT, True),
    (3.0, "compact", "", True),
    (3.0, "", "Fix the login page, too.", True),
    (3.0, "resume", "$forge continue with the login", True),
    (3.0, "resume", "Please go on.", True),
    (3.0, "resume", "Continue with the login", True),
]


def resume(workspace: Workspace, days: float = 3.0, source: str = "resume", prompt: str = WHAT) -> None:
    workspace.now += days * DAY
    if source:
        workspace.call("SessionStart", source=source)
    if prompt:
        workspace.prompt(prompt)


@each_row(("days", "source", "prompt", "is_held"), RESUMED)
def test_an_old_run_is_held_in_a_resumed_session_only_where_the_person_goes_on_with_it(
    days: float, source: str, prompt: str, is_held: bool, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the build")
    resume(workspace, days, source, prompt)
    answer = workspace.stop()
    assert answer.blocks is is_held
    assert is_held or answer.notice == (
        "rcs: forge (phase starting) is still open, but nothing has changed it for a day, so"
        f" the turn ends. {GO_ON_OR_CANCEL}"
    )
    assert blocks(workspace, 7) == (4 if is_held else 5)


def test_a_fresh_run_is_held_beside_an_old_one(forge: Workspace) -> None:
    resume(forge)
    forge.prompt("$ultrawork fix it all")
    assert commands(forge.stop().reason, "write") == ["ultrawork"]


# --- the workspace's own records


def test_a_root_record_that_names_no_session_is_held_once_for_a_fingerprint(workspace: Workspace) -> None:
    workspace.write("forge", None)
    first = workspace.stop()
    assert "names no session" in first.reason
    assert "rcs state clear --mode forge --root-scope" in first.reason
    assert stops(workspace, 3) == [False] * 3
    workspace.prompt("Fix a typo.")
    assert [workspace.stop().line for _ in range(3)] == ["{}"] * 3
    workspace.edit("forge", None, iteration=2)
    assert stops(workspace, 3) == [True, False, False]


# --- one count


def test_the_same_stop_within_two_seconds_gets_the_same_answer_and_counts_once(forge: Workspace) -> None:
    held = []
    for _ in range(6):
        first = forge.stop()
        forge.now -= 2
        second = forge.stop()
        assert second.line == (first.line if first.blocks else "{}")
        held.append(first.blocks)
    assert held == [True] * 5 + [False]


def test_after_a_change_the_same_words_are_another_stop_however_soon(forge: Workspace) -> None:
    assert "--phase executing" in forge.stop().reason
    forge.edit("forge", current_phase="executing")
    forge.now -= 3
    assert "--phase verifying" in forge.stop().reason


# --- the end of a session


def closed(workspace: Workspace) -> bool:
    return "closed_at" in json.loads((workspace.folder("s1") / "hook-ledger.json").read_text())


@pytest.mark.parametrize("script", [None, HOOKS / "session_end.py"], ids=["rcs-hook", "script"])
def test_the_end_of_a_session_is_noted_and_ends_nothing(script: Path | None, workspace: Workspace) -> None:
    raw = workspace.payload("SessionEnd", reason="other")
    assert run_hook(raw, cwd=workspace.root, script=script) == ("{}", 0)
    assert list(workspace.root.iterdir()) == []
    workspace.prompt("$forge fix the build")
    before = workspace.mode_path("forge").read_bytes()
    assert run_hook(raw, cwd=workspace.root, script=script) == ("{}", 0)
    assert closed(workspace)
    assert workspace.mode_path("forge").read_bytes() == before


OPENS: dict[str, Callable[[Workspace], Answer]] = {
    "SessionStart": lambda each: each.call("SessionStart", source="resume"),
    "prompt": lambda each: each.prompt("Go on."),
    "Stop": lambda each: each.stop(),
}


@each_row("opens", OPENS.values(), ids=OPENS)
def test_a_session_that_goes_on_is_open_again(opens: Callable[[Workspace], Answer], workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    workspace.call("SessionEnd", reason="other")
    assert closed(workspace)
    opens(workspace)
    assert not closed(workspace)


def test_an_end_keeps_what_was_counted(forge: Workspace) -> None:
    assert blocks(forge, 3) == 3
    forge.call("SessionEnd", reason="other")
    forge.call("SessionStart", source="resume")
    assert blocks(forge, 5) == 2


# --- the switch

CALLS: dict[str, Record] = {
    "UserPromptSubmit": {"prompt": "$team go", "turn_id": "t9"},
    "Stop": {"turn_id": "t9", "last_assistant_message": "Working."},
    "SessionStart": {"source": "resume"},
    "SessionEnd": {"reason": "other"},
}


@each_row("event", CALLS)
@each_row(("value", "is_off"), [("1", True), ("no", True), ("0", False), (" ", False)])
def test_rcs_disable_answers_nothing_at_once(value: str, is_off: bool, event: str, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    before = workspace.snapshot()
    environment = Environment({"RCS_DISABLE": value}, str(workspace.root), workspace.now, "rcs")
    line = recorded_answer(workspace.payload(event, **CALLS[event]), environment)
    assert (line == "{}" and workspace.snapshot() == before) is is_off


@each_row("event", CALLS)
@each_row("where", ["workspace", "home"])
def test_an_off_file_answers_nothing(where: str, event: str, workspace: Workspace) -> None:
    workspace.prompt("$forge fix the build")
    workspace.env["HOME"] = str(workspace.root.parent / "home")
    off = workspace.root.parent / where / ".rcs" / "off"
    off.parent.mkdir(parents=True, exist_ok=True)
    off.write_text("")
    before = workspace.snapshot()
    assert workspace.call(event, **CALLS[event]).line == "{}"
    assert workspace.snapshot() == before


# --- an agent that can record no outcome from its sandbox (Codex): held once

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


def holds(workspace: Workspace, path: str, stops: int = 7) -> list[bool]:
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
    assert holds(forge, path) == ONCE


POLICIES: list[Any] = [
    pytest.param(READ_ONLY, "{root}", "never", ONCE, id="read-only"),
    pytest.param(READ_ONLY, "{root}", "on-request", FIVE_TIMES, id="read-only, but the person can be asked"),
    pytest.param(WORKSPACE_WRITE, "{root}", "never", FIVE_TIMES, id="the workspace"),
    pytest.param(WORKSPACE_WRITE, "{root}/src", "never", ONCE, id="a folder of the workspace"),
    pytest.param(
        WORKSPACE_WRITE | {"writable_roots": ["{root}/.rcs"]}, "{root}/src", "never", FIVE_TIMES, id="--writable"
    ),
    pytest.param({"type": "danger-full-access"}, "/elsewhere", "never", FIVE_TIMES, id="no sandbox"),
    pytest.param(None, "{root}", "never", FIVE_TIMES, id="none named"),
]


@pytest.mark.parametrize(("policy", "cwd", "approval", "expected"), POLICIES)
def test_what_the_sandbox_lets_an_agent_write(
    policy: Record | None, cwd: str, approval: object, expected: list[bool], forge: Workspace
) -> None:
    named = json.loads(json.dumps(policy).replace("{root}", str(forge.root)))
    path = transcript(forge, line(named, cwd=cwd.replace("{root}", str(forge.root)), approval=approval))
    assert holds(forge, path) == expected


FILL = json.dumps({"type": "response_item", "payload": {"output": "x" * 1000}})
PLACES: list[Any] = [
    pytest.param([line(READ_ONLY), *[FILL] * 3000], ONCE, id="at the start of a long one"),
    pytest.param([*[FILL] * 1500, line(READ_ONLY), *[FILL] * 1500], FIVE_TIMES, id="out of sight"),
    pytest.param([line(READ_ONLY, turn="turn-0")], FIVE_TIMES, id="of another turn"),
    pytest.param([line(READ_ONLY), line({"type": "danger-full-access"})], FIVE_TIMES, id="changed since"),
    pytest.param([line(READ_ONLY), line(READ_ONLY)[:80]], ONCE, id="cut at the end"),
    pytest.param([], FIVE_TIMES, id="empty"),
]


@pytest.mark.parametrize(("lines", "expected"), PLACES)
def test_where_the_line_of_the_turn_is_found(lines: list[str], expected: list[bool], forge: Workspace) -> None:
    assert holds(forge, transcript(forge, *lines)) == expected


def test_over_mcp_the_tools_write_it_so_it_is_held_as_ever(forge: Workspace) -> None:
    path = transcript(forge, line(READ_ONLY))
    environment = Environment(forge.env, str(forge.root), forge.now, "rcs", mcp=True)
    raw = forge.payload(
        "Stop", turn_id="turn-1", transcript_path=path, stop_hook_active=False, last_assistant_message="Working."
    )
    for _ in range(2):
        after_a_message(path)
        assert Answer("Stop", respond(raw, environment)).blocks
