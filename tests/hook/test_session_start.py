"""SessionStart: one or two lines about what is active in the session, and nothing when nothing is."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

from rcs_hooks.catalog import MODES
from tests.support import HOOKS, RCS_HOOK, Answer, Workspace, clean_env, run_hook
from tests.table import each_row

CODEX = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"


def context_of(answer: Answer) -> str:
    assert len(answer.context) <= 900
    assert all(char.isprintable() or char == "\n" for char in answer.context)
    return answer.context


def started(workspace: Workspace, **fields: object) -> str:
    """The context of a session that starts, in this process."""
    call: dict[str, Any] = {"source": "startup"} | fields
    return context_of(workspace.call("SessionStart", **call))


# --- a whole program


def test_a_session_is_told_what_runs_in_it_by_the_script_too(workspace: Workspace) -> None:
    raw = workspace.payload("SessionStart", CODEX, model="mock-model", source="startup")
    script = HOOKS / "session_start.py"
    assert run_hook(raw, cwd=workspace.root, script=script) == ("{}", 0)
    assert list(workspace.root.iterdir()) == []

    workspace.now = time.time()
    workspace.prompt("$team $forge ship this", session=CODEX)
    before = workspace.snapshot()
    env = clean_env(PATH=f"{RCS_HOOK.parent}:/usr/bin:/bin")
    line, status = run_hook(raw, cwd=workspace.root, script=script, env=env)
    assert status == 0
    # Codex runs the agent's commands in a login shell, which has a PATH of its own.
    rcs = shlex.quote(str(RCS_HOOK.parent / "rcs"))
    context = context_of(Answer("SessionStart", line))
    assert context.startswith("[rcs] active in this session: team (phase starting) + forge (phase starting).\n")
    assert f"forge: {MODES['forge'].states['starting']}\n" in context
    assert f": {rcs} state write --mode team,forge --phase executing --session {CODEX}\n" in context
    assert workspace.snapshot() == before


# --- what it says


@each_row("source", ["resume", "compact", "something new", None])
def test_every_source_is_told_the_same(workspace: Workspace, source: str | None) -> None:
    workspace.prompt("$forge")
    assert started(workspace, source=source) == started(workspace)
    assert started(workspace).startswith("[rcs] active in this session: forge (phase starting).")


@each_row("fields", [{"lifecycle_outcome": "finished"}, {"active": False}, {"current_phase": "completed"}])
def test_what_has_ended_is_not_told(workspace: Workspace, fields: dict[str, Any]) -> None:
    workspace.write("forge", **fields)
    assert started(workspace) == ""


@each_row("fields", [{"lifecycle_outcome": "askuserQuestion"}, {"question_enforcement": {"status": "pending"}}])
def test_a_mode_that_waits_is_told_as_waiting(workspace: Workspace, fields: dict[str, Any]) -> None:
    workspace.write("forge", **fields)
    first = started(workspace).partition("\n")[0]
    assert first == "[rcs] active in this session: forge (phase executing, waiting for the user)."


def test_every_mode_at_once_with_endless_phases_stays_within_bounds(tmp_path: Path) -> None:
    root = tmp_path / ("p" * 200)
    root.mkdir()
    workspace = Workspace(root, env={"RCS_ROOT": str(root)})
    for mode in MODES:
        workspace.write(mode, current_phase="x" * 10_000, lifecycle_outcome="askuserQuestion")
    context = started(workspace, cwd=str(tmp_path))
    assert [mode for mode in MODES if f"{mode} (" in context.partition("\n")[0]] == list(MODES)


def test_a_command_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    root = tmp_path / ("p" * 250) / ("q" * 250) / ("r" * 250)
    root.mkdir(parents=True)
    workspace = Workspace(root, env={"RCS_ROOT": str(root)})
    workspace.write("forge")
    context = started(workspace, cwd=str(tmp_path))
    assert context.partition("\n")[0] == "[rcs] active in this session: forge (phase executing)."
    assert all(line.endswith(str(root)) for line in context.splitlines() if "rcs state " in line)


def test_a_note_that_cannot_be_made_keeps_no_session_from_what_runs_in_it(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.call("SessionEnd")
    (workspace.state / ".lock").unlink()
    (workspace.state / ".lock").mkdir()
    assert started(workspace).startswith("[rcs] active in this session: forge (phase starting).")
    assert workspace.call("SessionEnd").line == "{}"


# --- where it looks


def test_a_run_of_the_workspaces_own_is_told_as_one(workspace: Workspace) -> None:
    workspace.write("forge", None, current_phase="coding")
    assert started(workspace).startswith("[rcs] active in this workspace, in no session: forge (phase coding).\n")
    assert {
        "to record it: rcs state write --mode forge --phase PHASE --root-scope",
        "done: rcs prove --finish --mode forge -- COMMAND",
    } <= set(started(workspace).splitlines())
    workspace.write("team", None, lifecycle_outcome="askuserQuestion")
    workspace.prompt("$ultrawork", turn_id="t1")
    first, *lines = started(workspace).splitlines()
    assert first == (
        "[rcs] active in this session: team (phase executing, of the workspace, waiting for the user) + forge (phase "
        "coding, of the workspace) + ultrawork (phase planning)."
    )
    commands = [line.partition(": ")[2] for line in lines]
    assert "rcs prove --finish --mode forge -- COMMAND" in commands
    assert "rcs state write --mode ultrawork --phase executing --session s1" in commands


def test_a_subagent_and_a_session_without_a_name_are_told_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    assert started(workspace, agent_id="a1") == started(workspace, session_id="../s1") == ""


# --- what a plugin cannot bring


@each_row(
    ("allow", "file", "plugin", "is_told"),
    [
        (None, "", True, True),
        (None, "", False, False),
        (["Bash(rcs state:*)"], "home/.claude/settings.json", True, False),
        (["Bash(rcs:*)"], "workspace/.claude/settings.json", True, False),
        ("Bash", "home/.claude/settings.json", True, True),
    ],
)
def test_with_the_plugin_the_person_is_told_how_to_allow_rcs(
    allow: object, file: str, plugin: bool, is_told: bool, workspace: Workspace
) -> None:
    workspace.prompt("$team")
    folder = workspace.root.parent
    if file:
        (folder / file).parent.mkdir(parents=True)
        (folder / file).write_text(json.dumps({"permissions": {"allow": allow}}))
    workspace.env |= {"HOME": str(folder / "home")} | ({"CLAUDE_PLUGIN_ROOT": "/a/plugin"} if plugin else {})
    expected = (
        "rcs: Claude Code asks you before each command that records state. To allow them: /permissions, add"
        " Bash(rcs state:*), and the same with question, emit and task next."
    )
    assert workspace.call("SessionStart").notice == (expected if is_told else "")
