"""Every command means the same scope if no session is named, and refuses two names for one thing."""

from __future__ import annotations

import json
import time

import pytest

from rcs_hooks.cli.main import main
from tests.cli.test_state_commands import commands_in, pasted, rcs, stopped
from tests.support import Workspace, clean_env, run_rcs
from tests.table import each_row


@pytest.fixture
def here(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.chdir(workspace.root)
    return workspace


def says(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = main(args)
    out, err = capsys.readouterr()
    return status, out, err


def active(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    result = json.loads(says(capsys, *args)[1])
    return list(result["statuses"]) if "statuses" in result else list(result["active_modes"])


def test_the_one_session_that_runs_is_meant_by_every_command(
    here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge")
    for words in (("state", "list-active"), ("state", "get-status"), ("hud",)):
        assert active(capsys, *words, "--json") == ["forge"]
    assert "- forge: phase starting" in says(capsys, "overlay", "show")[1]


def test_of_several_sessions_none_is_guessed(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge")
    here.prompt("$team", "s2")  # years ago, by the clock of the program
    assert says(capsys, "hud")[1] == "rcs: 2 inactive\n"
    status, _, err = says(capsys, "overlay", "show")
    assert (status, err) == (1, "rcs: 2 sessions have active modes; name one: --session s1 or --session s2\n")


@each_row("switch", ["--active", "--inactive"])
def test_a_write_that_ends_a_wait_leaves_no_question_behind(switch: str, workspace: Workspace) -> None:
    workspace.prompt("$forge")
    rcs(workspace.root, "question", "ask", "--mode", "forge", "--text", "old?", "--session", "s1")
    rcs(workspace.root, "state", "write", "--mode", "forge", switch, "--session", "s1")
    assert rcs(workspace.root, "question", "list").out == "no open question\n"


# --- the workspace's own record


def commands_that_end(reason: str) -> list[str]:
    """Return the commands in a Stop's reason that end the run."""
    return [command for command in commands_in(reason) if " question " not in command]


@each_row("ending", [" state clear ", " prove --finish "])
def test_a_pasted_command_ends_the_workspaces_own_record(ending: str, workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.write("forge", None, current_phase="verifying")
    reason = stopped(workspace.root)["reason"]
    (command,) = [command for command in commands_that_end(reason) if ending in command]
    done = pasted(command.replace(" -- COMMAND", " -- true"), workspace.root, CLAUDE_CODE_SESSION_ID="s1")
    assert done.status == 0, done.err
    assert stopped(workspace.root) == {}
    assert not workspace.mode_path("forge").exists()
    kept = workspace.mode_path("forge", None)
    assert (kept.exists() and workspace.read("forge", None)["lifecycle_outcome"]) == ("prove" in ending and "finished")


@each_row("words", [("--session", "s1"), ("--all-sessions",)])
def test_the_root_scope_is_cleared_alone(words: tuple[str, ...], workspace: Workspace) -> None:
    workspace.write("forge", None)
    before = workspace.snapshot()
    done = rcs(workspace.root, "state", "clear", "--mode", "forge", "--root-scope", *words)
    assert (done.status, done.out, done.err.startswith("rcs: root_scope and ")) == (1, "", True)
    assert workspace.snapshot() == before


# --- the first letters of a session's id, as lists show them

ONE, OTHER = "11111111-aaaa-4bbb-8ccc-000000000001", "22222222-aaaa-4bbb-8ccc-000000000002"


def test_the_letters_that_lists_show_name_a_session(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge mend the ledger", ONE)
    here.prompt("$ultraqa", OTHER)
    for words in (("status",), ("log",), ("hud",), ("state", "get-status")):
        status, out, _ = says(capsys, *words, "--session", "1111")
        assert (status, "forge" in out, "ultraqa" in out) == (0, True, False)
    short = "rcs: 111 is too short for a session; type at least 4 letters of its id\n"
    assert says(capsys, "status", "--session", "111") == (1, "", short)
    for other in ("11111111-xyz", "s"):
        assert active(capsys, "state", "list-active", "--json", "--session", other) == []
    here.prompt("$forge", twin := ONE[:-1] + "2")
    choices = f"rcs: 2 sessions begin with 11111111; say which one:\n--session {ONE}\n--session {twin}\n"
    assert says(capsys, "status", "--session", "11111111") == (1, "", choices)
    assert says(capsys, "state", "write", "--mode", "ultraqa", "--outcome", "failed", "--session", "2222")[0] == 0
    assert here.active(OTHER) == []


@each_row(
    ("is_typed", "env", "is_for_person"), [(True, {}, True), (True, {"CLAUDECODE": "1"}, False), (False, {}, False)]
)
def test_only_an_agent_is_told_what_its_last_message_has_to_say(
    is_typed: bool, env: dict[str, str], is_for_person: bool, workspace: Workspace
) -> None:
    workspace.prompt("$forge mend the ledger")
    words = ("state", "write", "--mode", "forge", "--outcome", "userinterlude", "--session", "s1")
    done = run_rcs(*words, cwd=workspace.root, env=clean_env(**env), is_typed=is_typed)
    person = "forge: stopped by the user. `$forge` in its session takes it up again.\n"
    assert (done.stdout == person, "In the last message" in done.stdout) == (is_for_person, not is_for_person)


def test_a_list_says_which_sessions_are_closed(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge fix")
    here.call("SessionEnd", reason="other")
    assert says(capsys, "state", "list-active", "--session", "s1")[1] == 'forge (closed), "fix"\n'
    assert says(capsys, "state", "list-active")[1] == 'session s1: forge (closed), "fix"\n'
