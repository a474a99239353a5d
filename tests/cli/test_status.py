"""`rcs status`: says in words what is running."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state.question_service import ask
from tests.cli.test_state_commands import rcs
from tests.state.test_operations import at

if TYPE_CHECKING:
    from tests.support import Workspace


def status(workspace: Workspace, *options: str) -> list[str]:
    done = rcs(workspace.root, "status", *options)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def test_where_nothing_runs_it_says_so(workspace: Workspace) -> None:
    assert status(workspace) == ["nothing is active"]
    assert workspace.snapshot() == {}


def test_each_mode_has_a_line_in_words(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    workspace.edit("forge", current_phase="verifying", iteration=2, max_iterations=50)
    ask(at(workspace), "forge", "Which database?")
    assert status(workspace) == [
        "session s1:",
        "team: phase starting, waits for your answer",
        "forge: phase verifying, iteration 2 of 50, waits for your answer",
    ]


def test_what_waits_to_be_named_is_told(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    assert status(workspace)[-1] == "waits to be named: $team"


def test_a_closed_session_and_a_stalled_run_are_told(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    while workspace.stop().blocks:
        pass
    assert status(workspace)[-1] == "stalled: nothing had changed; `go on` continues, `$cancel` ends it"
    workspace.call("SessionEnd", reason="exit")
    assert status(workspace)[-1] == "closed: its client has ended the session, and resuming it goes on"


def test_of_several_sessions_it_names_each(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$team", session="s2")
    assert status(workspace) == ["2 sessions are active; --session shows one: s1, s2"]
    assert status(workspace, "--session", "s2") == ["session s2:", "team: phase starting"]


def test_the_workspaces_own_run_and_what_cannot_be_read_are_told(workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.write("forge", None)
    workspace.mode_path("team", None).write_text("{")
    first, line = status(workspace)
    assert first == "forge: phase executing, of the workspace"
    assert line.startswith(".rcs/state/team-state.json cannot be read. ")
    assert line.endswith("To clear it: rcs state clear --mode team")


def test_switched_off_hooks_are_told(workspace: Workspace) -> None:
    rcs(workspace.root, "off")
    off = workspace.root / ".rcs" / "off"
    assert status(workspace) == ["nothing is active", f"the hooks are off: {off} is set; to switch them on: rcs on"]


def test_as_json_it_is_what_the_hud_says(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    assert json.loads(status(workspace, "--json")[0]) == json.loads(rcs(workspace.root, "hud", "--json").out)


def test_a_mode_file_that_cannot_be_read_is_not_reported_as_nothing(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.mode_path("forge").write_text("{")
    for options in ([], ["--session", "s1"]):
        first, line = status(workspace, *options)
        assert first == "session s1:"
        assert line.startswith(".rcs/state/sessions/s1/forge-state.json cannot be read. ")
        assert line.endswith("To clear it: rcs state clear --mode forge --session s1")


def test_of_several_sessions_whose_files_cannot_be_read_it_names_each(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        workspace.prompt("$forge", session)
        workspace.mode_path("forge", session).write_text("{")
    assert status(workspace) == ["2 sessions are active; --session shows one: s1, s2"]


def test_a_file_of_the_workspaces_own_that_cannot_be_read_is_not_reported_as_nothing(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.mode_path("forge", None).write_text("{")
    (line,) = status(workspace)
    assert line.startswith(".rcs/state/forge-state.json cannot be read. ")
    command = line.partition("To clear it: ")[2]
    assert command == "rcs state clear --mode forge"


@pytest.mark.parametrize("action", ["list-active", "get-status"])
@pytest.mark.parametrize("options", [("--session", "s1"), ()], ids=["session named", "no session named"])
def test_state_does_not_report_it_as_nothing_either(
    action: str, options: tuple[str, ...], workspace: Workspace
) -> None:
    workspace.prompt("$forge")
    workspace.mode_path("forge").write_text("{")
    (line,) = rcs(workspace.root, "state", action, *options).out.splitlines()
    assert line.startswith(".rcs/state/sessions/s1/forge-state.json cannot be read (")
    assert line.endswith("). To clear it: rcs state clear --mode forge --session s1")


def test_the_list_names_each_session_whose_files_cannot_be_read(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        workspace.prompt("$forge", session)
        workspace.mode_path("forge", session).write_text("{")
    assert rcs(workspace.root, "state", "list-active").out.splitlines() == [
        "nothing is active in root",
        "session s1: a state file cannot be read (see `rcs doctor`)",
        "session s2: a state file cannot be read (see `rcs doctor`)",
    ]


@pytest.mark.parametrize("running", ["s2", None], ids=["in a session", "in root"])
def test_the_list_names_a_session_whose_only_record_cannot_be_read_while_another_runs(
    running: str | None, workspace: Workspace
) -> None:
    workspace.now = time.time()
    workspace.prompt("$team", session="s1")
    workspace.mode_path("team", "s1").write_text("{")
    workspace.write("forge", running)
    done = rcs(workspace.root, "state", "list-active")
    assert (done.status, done.out.splitlines()) == (
        0,
        [
            f"{'session s2: ' if running else ''}forge",
            "session s1: a state file cannot be read (see `rcs doctor`)",
        ],
    )
    listed = json.loads(rcs(workspace.root, "state", "list-active", "--json").out)
    assert listed["active_modes"] == ["forge"]
    assert listed["sessions"] == ({"s1": [], "s2": ["forge"]} if running else {"s1": []})
    assert [each["path"] for each in listed["unreadable"]] == [".rcs/state/sessions/s1/team-state.json"]
    assert [each["clear"] for each in listed["unreadable"]] == ["rcs state clear --mode team --session s1"]
