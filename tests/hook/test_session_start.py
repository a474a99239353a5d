"""SessionStart: one or two lines about what is active in the session, and nothing when nothing is."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from rcs_hooks.catalog import MODES
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from tests.support import HOOKS, RCS_HOOK, Workspace, clean_env, run_hook
from tests.table import each_row

CODEX = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"
CLAUDE = "dca95343-d73e-4c6d-b62b-f65dbe80d5a5"

# As the clients sent them, byte for byte but for the workspace: Codex writes no newline at the end, Claude Code does.
PAYLOADS = {
    "codex startup": (
        CODEX,
        '{"session_id":"01a1edd5-d041-7843-9e62-3e218ca1fb5f","transcript_path":"/home/user/.codex/sessions/rollout.jsonl"'
        ',"cwd":"/workspace","hook_event_name":"SessionStart","model":"mock-model","permission_mode":"bypassPermissions"'
        ',"source":"startup"}',
    ),
    "codex resume": (
        CODEX,
        '{"session_id":"01a1edd5-d041-7843-9e62-3e218ca1fb5f","transcript_path":"/home/user/.codex/sessions/rollout.jsonl"'
        ',"cwd":"/workspace","hook_event_name":"SessionStart","model":"mock-model","permission_mode":"bypassPermissions"'
        ',"source":"resume"}',
    ),
    "claude startup": (
        CLAUDE,
        '{"session_id":"dca95343-d73e-4c6d-b62b-f65dbe80d5a5","transcript_path":"/home/user/.claude/projects/-workspace/'
        'session.jsonl","cwd":"/workspace","hook_event_name":"SessionStart","source":"startup"}\n',
    ),
    "claude resume": (
        CLAUDE,
        '{"session_id":"dca95343-d73e-4c6d-b62b-f65dbe80d5a5","transcript_path":"/home/user/.claude/projects/-workspace/'
        'session.jsonl","cwd":"/workspace","hook_event_name":"SessionStart","source":"resume"'
        ',"seconds_since_last_response":1,"context_tokens":110,"prompt_cache_likely_expired":false'
        ',"estimated_cache_write_usd":0.0006}\n',
    ),
}
PROGRAMS = {"rcs-hook": None, "session_start.py": HOOKS / "session_start.py"}


class _Strict(BaseModel):
    """Codex drops an output with a field that it does not know."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _StartSpecific(_Strict):
    hookEventName: Literal["SessionStart"]  # noqa: N815 - the wire's own name
    additionalContext: str = Field(min_length=1, max_length=900)  # noqa: N815 - as above


class _StartOutput(_Strict):
    hookSpecificOutput: _StartSpecific | None = None  # noqa: N815 - as above
    systemMessage: str | None = Field(default=None, min_length=1)  # noqa: N815 - as above


def context_of(line: str) -> str:
    """The context that a client takes from the output; empty where there is none."""
    assert "\n" not in line
    output = _StartOutput.model_validate(json.loads(line))
    if output.hookSpecificOutput is None:
        return ""
    context = output.hookSpecificOutput.additionalContext
    assert all(char.isprintable() or char == "\n" for char in context)
    return context


def started(workspace: Workspace, session: str = "s1", **fields: object) -> str:
    """The context of a session that starts, in this process."""
    raw = workspace.payload("SessionStart", session, **{"source": "startup"} | fields)
    return context_of(respond(raw, Environment(workspace.env, str(workspace.root), workspace.now, "rcs")))


# --- whole programs, with what the clients really send


@pytest.mark.parametrize(("session", "text"), [pytest.param(*row, id=name) for name, row in PAYLOADS.items()])
@pytest.mark.parametrize("script", [pytest.param(script, id=name) for name, script in PROGRAMS.items()])
def test_a_session_is_told_what_runs_in_it(workspace: Workspace, session: str, text: str, script: Path | None) -> None:
    raw = text.replace("/workspace", str(workspace.root)).encode()
    line, status = run_hook(raw, cwd=workspace.root, script=script)
    assert (line, status) == ("{}", 0)
    assert list(workspace.root.iterdir()) == []

    workspace.now = time.time()
    workspace.prompt("$team $forge ship this", session=session)
    before = workspace.snapshot()
    env = clean_env(PATH=f"{RCS_HOOK.parent}:/usr/bin:/bin")
    line, status = run_hook(raw, cwd=workspace.root, script=script, env=env)
    assert status == 0
    # Codex runs the agent's commands in a login shell, which has a PATH of its own.
    rcs = shlex.quote(str(RCS_HOOK.parent / "rcs")) if '"model"' in text else "rcs"
    assert context_of(line) == (
        "[rcs] active in this session: team (phase starting) + forge (phase starting).\n"
        'Task: "ship this"\n'
        f"team: {MODES['team'].states['starting']}\n"
        f"forge: {MODES['forge'].states['starting']}\n"
        "interfaces are written and checklist is run: "
        f"{rcs} state write --mode team,forge --phase executing --session {session}\n"
        "A run ends by `prove --finish` (from verifying), or by an outcome in place of --phase: --outcome blocked or"
        " failed with --reason WHY, userinterlude if the user stopped it."
    )
    assert workspace.snapshot() == before


def test_both_programs_print_the_same_bytes(workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.prompt("$ultraqa")
    raw = workspace.payload("SessionStart", source="clear")
    printed = {run_hook(raw, cwd=workspace.root, script=script)[0] for script in PROGRAMS.values()}
    assert len(printed) == 1


# --- what it says


@each_row("source", ["startup", "resume", "clear", "compact", "something new", None])
def test_every_source_is_told_the_same(workspace: Workspace, source: str | None) -> None:
    workspace.prompt("$forge")
    assert started(workspace, source=source) == started(workspace)
    assert started(workspace).startswith("[rcs] active in this session: forge (phase starting).")


NOTHING: dict[str, dict[str, Any]] = {
    "finished": {"lifecycle_outcome": "finished"},
    "switched off": {"active": False},
    "completed by its phase": {"current_phase": "completed"},
    "an old outcome": {"run_outcome": "cancelled"},
}


@pytest.mark.parametrize("fields", [pytest.param(fields, id=name) for name, fields in NOTHING.items()])
def test_what_has_ended_is_not_told(workspace: Workspace, fields: dict[str, Any]) -> None:
    workspace.write("forge", **fields)
    assert started(workspace) == ""


def test_an_inventory_alone_makes_nothing_active(workspace: Workspace) -> None:
    workspace.write("skill-active", skill="forge", active_skills=[{"skill": "forge", "active": True}])
    assert started(workspace) == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"lifecycle_outcome": "askuserQuestion"},
        {"run_outcome": "blocked_on_user"},
        {"question_enforcement": {"status": "pending", "obligation_id": "o", "question_id": "q"}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_mode_that_waits_is_told_as_waiting(workspace: Workspace, fields: dict[str, Any]) -> None:
    workspace.write("forge", **fields)
    first = started(workspace).partition("\n")[0]
    assert first == "[rcs] active in this session: forge (phase executing, waiting for the user)."


def test_another_session_is_told_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge", session="s1")
    assert started(workspace, "s2") == ""


def test_every_mode_at_once_with_endless_phases_stays_within_bounds(tmp_path: Path) -> None:
    root = tmp_path / ("p" * 200)
    root.mkdir()
    workspace = Workspace(root, env={"RCS_ROOT": str(root)})
    for mode in MODES:
        workspace.write(mode, current_phase="x" * 10_000, lifecycle_outcome="askuserQuestion")
    context = started(workspace, "s1", cwd=str(tmp_path))
    assert len(context) <= 900
    assert [mode for mode in MODES if f"{mode} (" in context.partition("\n")[0]] == list(MODES)


def test_a_command_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    root = tmp_path / ("p" * 250) / ("q" * 250) / ("r" * 250)
    root.mkdir(parents=True)
    workspace = Workspace(root, env={"RCS_ROOT": str(root)})
    workspace.write("forge")
    context = started(workspace, cwd=str(tmp_path))
    assert context.partition("\n")[0] == "[rcs] active in this session: forge (phase executing)."
    assert all(line.endswith(str(root)) for line in context.splitlines() if "rcs state " in line)


@each_row("phase", ["", None, 5, {"a": 1}, ["x"]], ids=repr)
def test_a_phase_that_is_no_text_is_unknown(workspace: Workspace, phase: object) -> None:
    workspace.write("forge", current_phase=phase)
    assert started(workspace).startswith("[rcs] active in this session: forge (phase unknown).")


def test_a_note_that_cannot_be_made_keeps_no_session_from_what_runs_in_it(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.call("SessionEnd")
    (workspace.state / ".lock").unlink()
    (workspace.state / ".lock").mkdir()
    assert started(workspace).startswith("[rcs] active in this session: forge (phase starting).")
    assert workspace.call("SessionEnd").line == "{}"


# --- where it looks


def test_a_root_record_stands_in_for_a_mode_without_a_file(workspace: Workspace) -> None:
    workspace.write("forge", session=None)
    workspace.write("team", session=None, session_id="another")
    assert started(workspace).partition("\n")[0] == (
        "[rcs] active in this workspace, in no session: forge (phase executing)."
    )


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


def test_a_root_record_that_names_the_session_is_its_own(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s1")
    assert "active in this session: forge" in started(workspace)
    assert "--session s1" in started(workspace)


def test_a_root_record_of_yesterday_is_not_told(workspace: Workspace) -> None:
    workspace.write("forge", session=None)
    workspace.now += 24 * 3600 + 1
    assert started(workspace) == ""


def test_the_sessions_own_record_hides_the_root(workspace: Workspace) -> None:
    workspace.write("forge", session=None)
    workspace.write("forge", active=False, current_phase="cleared")
    assert started(workspace) == ""


@each_row("session", ["", "../s1", "a/b", ".", "-s1", "s" * 129, "s\n1", "é"], ids=ascii)
def test_an_id_that_cannot_be_gets_nothing_and_makes_nothing(workspace: Workspace, session: str) -> None:
    workspace.write("forge", session=None)
    before = workspace.snapshot()
    assert started(workspace, session) == ""
    assert workspace.snapshot() == before


def test_a_folder_below_the_workspace_finds_it(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    below = workspace.root / "src" / "deep"
    below.mkdir(parents=True)
    assert "forge" in started(workspace, cwd=str(below))


def test_a_subagent_is_told_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    assert started(workspace, agent_id="a1") == ""


# --- what a plugin cannot bring


@each_row(
    ("allow", "file", "plugin", "is_told"),
    [
        (None, "", True, True),
        (None, "", False, False),
        (["Bash(ls:*)"], "home/.claude/settings.json", True, True),
        (["Bash(rcs state:*)"], "home/.claude/settings.json", True, False),
        (["Bash(rcs:*)"], "workspace/.claude/settings.json", True, False),
        (["Bash"], "workspace/.claude/settings.local.json", True, False),
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
    env = workspace.env | {"HOME": str(folder / "home")} | ({"CLAUDE_PLUGIN_ROOT": "/a/plugin"} if plugin else {})
    line = respond(workspace.payload("SessionStart"), Environment(env, str(workspace.root), workspace.now, "rcs"))
    expected = (
        "rcs: Claude Code asks you before each command that records state. To allow them: /permissions, add"
        " Bash(rcs state:*), and the same with question, emit and task next."
    )
    assert json.loads(line).get("systemMessage") == (expected if is_told else None)


@each_row("text", ["", "{", "[]", '{"permissions": 1}', '{"permissions": {"allow": [1]}}', "\xff"])
def test_settings_that_say_nothing_allow_nothing(text: str, workspace: Workspace) -> None:
    workspace.prompt("$team")
    path = workspace.root / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text, encoding="latin-1")
    env = workspace.env | {"CLAUDE_PLUGIN_ROOT": "/a/plugin"}
    line = respond(workspace.payload("SessionStart"), Environment(env, str(workspace.root), workspace.now, "rcs"))
    assert "/permissions" in json.loads(line)["systemMessage"]
