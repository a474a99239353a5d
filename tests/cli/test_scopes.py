"""Every command means the same scope if no session is named, and refuses two names for one thing."""

from __future__ import annotations

import json
import time

import pytest

from rcs_hooks.cli.main import main
from tests.cli.test_state_commands import commands_in, context_of, rcs, shell, started, stopped
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


@pytest.mark.parametrize(
    "command",
    [("state", "list-active", "--json"), ("state", "get-status", "--json"), ("hud", "--json")],
    ids=["list-active", "get-status", "hud"],
)
def test_the_one_session_that_runs_is_meant_by_every_command(
    command: tuple[str, ...], here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge")
    assert active(capsys, *command) == ["forge"]
    assert "- forge: phase starting" in says(capsys, "overlay", "show")[1]


def test_of_several_sessions_none_is_guessed(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge")
    here.prompt("$team", "s2")  # years ago, by the clock of the program
    assert says(capsys, "hud")[1] == "rcs: 2 inactive\n"
    status, _, err = says(capsys, "overlay", "show")
    assert (status, err) == (1, "rcs: 2 sessions have active modes; name one: --session s1 or --session s2\n")


def test_a_write_without_a_session_holds_no_other_session(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge")
    assert says(capsys, "state", "write", "--mode", "forge", "--active", "--iteration", "4")[0] == 0
    assert here.read("forge")["iteration"] == 4
    assert not here.stop("s2").blocks


@pytest.mark.parametrize("switch", ["--active", "--inactive"])
def test_a_write_that_ends_a_wait_leaves_no_question_behind(
    switch: str, here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge")
    says(capsys, "question", "ask", "--mode", "forge", "--text", "old?", "--session", "s1")
    says(capsys, "state", "write", "--mode", "forge", switch, "--session", "s1")
    assert says(capsys, "question", "list")[1] == "no open question\n"
    here.prompt("$forge")
    asked = says(capsys, "question", "ask", "--mode", "forge", "--text", "new?", "--session", "s1", "--json")[1]
    answered = says(capsys, "question", "answer", json.loads(asked)["question_id"], "yes", "--json")[1]
    assert json.loads(answered)["goes_on"] == ["forge"]


def test_every_reader_sees_what_a_killed_commit_has_decided(
    here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge")
    path = "sessions/s1/forge-state.json"
    (here.state / ".commit.json").write_text(json.dumps({"version": 1, "files": [{"path": path, "remove": True}]}))
    before = here.snapshot()
    assert active(capsys, "hud", "--json", "--session", "s1") == []
    assert active(capsys, "state", "list-active", "--json", "--session", "s1") == []
    assert here.snapshot() == before
    assert not here.stop().blocks


def test_a_folder_in_place_of_the_journal_locks_nobody_out(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge")
    (here.state / ".commit.json").mkdir()
    assert "active: forge" in here.prompt("$team").context
    assert says(capsys, "state", "clear", "--mode", "team")[0] == 0


WRONG_OPTIONS = ("a field to read", "an outcome to list", "a session among the fields", "an empty key")
"""Those that are a wrong command line."""
CLASHES = {
    "two sessions": ["state", "write", "--session", "A", "--input", '{"mode":"forge","session_id":"B","iteration":1}'],
    "two modes": ["state", "read", "--mode", "team", "--input", '{"mode":"forge"}'],
    "an unknown argument": ["state", "clear", "--input", '{"mode":"forge","all_session":true}'],
    "a field to read": ["state", "read", "--mode", "forge", "--phase", "x"],
    "an outcome to list": ["state", "list-active", "--outcome", "finished"],
    "a session among the fields": ["state", "write", "--mode", "forge", "--set", 'session_id="B"', "--session", "A"],
    "an empty key": ["state", "write", "--mode", "forge", "--set", "state.=1"],
    "a wait that is a number": ["state", "write", "--mode", "forge", "--set", "question_enforcement=5"],
}


@each_row("name", CLASHES)
def test_what_could_mean_two_things_is_refused(name: str, here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.write("forge", "A")
    before = here.snapshot()
    status, out, err = says(capsys, *CLASHES[name])
    assert (status, out) == (2 if name in WRONG_OPTIONS else 1, "")
    assert err
    assert here.snapshot() == before


def test_try_says_where_no_state_could_be_kept(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = says(capsys, "try", "$forge", "--root", "/nowhere/at/all")
    assert status == 1
    assert "/nowhere/at/all is not there" in err


def test_try_shows_what_the_person_is_told(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$brief")
    assert "you see:\n  rcs: Cannot activate forge while" in says(capsys, "try", "$forge")[1]


def test_try_knows_the_trap_of_double_quotes(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert "use single quotes" in says(capsys, "try", " ship")[1]


# --- the workspace's own record


def commands_that_end(reason: str) -> list[str]:
    """Return the commands in a Stop's reason that end the run."""
    return [command for command in commands_in(reason) if " question " not in command]


@pytest.mark.parametrize("action", ["clear", "prove"])
def test_a_pasted_command_ends_the_workspaces_own_record(action: str, workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.write("forge", None, current_phase="verifying")
    reason = stopped(workspace.root)["reason"]
    ending = {"clear": " state clear ", "prove": " prove --finish "}[action]
    (command,) = [command for command in commands_that_end(reason) if ending in command]
    done = shell(command.replace(" -- COMMAND", " -- true"), workspace.root, CLAUDE_CODE_SESSION_ID="s1")
    path = ".rcs/state/forge-state.json"
    assert done.status == 0, done.err
    said = {"clear": f"cleared forge: {path}\n", "prove": "rcs: forge: finished, proven by `true`.\n"}[action]
    assert (done.err if action == "prove" else done.out).startswith(said)
    assert stopped(workspace.root) == {}
    assert not workspace.mode_path("forge").exists()
    if action == "clear":
        assert not workspace.mode_path("forge", None).exists()
    else:
        assert workspace.read("forge", None)["lifecycle_outcome"] == "finished"
    assert rcs(workspace.root, "state", "list-active", "--session", "s1").out == "nothing is active\n"


def test_beside_a_run_of_the_session_each_record_has_its_own_command(workspace: Workspace) -> None:
    workspace.now = time.time()
    started(workspace, "$ultrawork fix the build")
    workspace.write("forge", None)  # executing
    reason = stopped(workspace.root)["reason"]
    writes = [command.partition(" state ")[2] for command in commands_that_end(reason)]
    assert writes == [
        "write --mode ultrawork --phase executing --session s1",
        "write --mode forge --phase verifying --root-scope",
    ]


def test_a_denial_clears_the_workspaces_own_record_where_it_is(workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.write("forge", None)
    context = context_of(started(workspace, "$autopilot build it"))
    command, start = commands_in(context)
    assert command.endswith(" state clear --mode forge --root-scope")
    assert start.endswith(" state write --mode autopilot --active --session s1")
    assert shell(command, workspace.root).status == 0
    started(workspace, "$autopilot build it now")
    assert workspace.active() == ["autopilot"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--session", "s1"), "root_scope and the session s1 are both named; name one of them"),
        (("--all-sessions",), "root_scope and all_sessions are both given; give one of them"),
    ],
    ids=["session", "all-sessions"],
)
def test_the_root_scope_is_cleared_alone(
    words: tuple[str, ...], why: str, here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.write("forge", None)
    before = here.snapshot()
    assert says(capsys, "state", "clear", "--mode", "forge", "--root-scope", *words) == (1, "", f"rcs: {why}\n")
    assert here.snapshot() == before


def test_the_root_scope_is_cleared_beside_a_run_of_the_same_mode(
    here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge")
    here.write("forge", None)
    assert says(capsys, "state", "clear", "--mode", "forge", "--root-scope")[0] == 0
    assert not here.mode_path("forge", None).exists()
    assert here.read("forge")["active"] is True


# --- the first letters of a session's id, as lists show them

ONE, OTHER = "11111111-aaaa-4bbb-8ccc-000000000001", "22222222-aaaa-4bbb-8ccc-000000000002"


@each_row(
    "command",
    [
        ("status", "--session", "11111111"),
        ("log", "--session", "11111111"),
        ("hud", "--session", "11111111"),
        ("state", "get-status", "--session", "11111111-aaaa"),
    ],
)
def test_the_letters_that_lists_show_name_a_session(
    command: tuple[str, ...], here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge mend the ledger", ONE)
    here.prompt("$ultraqa", OTHER)
    status, out, _ = says(capsys, *command)
    assert (status, "forge" in out, "ultraqa" in out) == (0, True, False)


def test_the_letters_that_lists_show_end_a_run(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge mend the ledger", ONE)
    assert says(capsys, "state", "write", "--mode", "forge", "--outcome", "userinterlude", "--session", ONE[:8])[0] == 0
    assert here.active(ONE) == []


@pytest.mark.parametrize(
    ("is_typed", "env", "is_for_person"),
    [(True, {}, True), (True, {"CLAUDECODE": "1"}, False), (False, {}, False)],
    ids=["a person", "an agent", "a script"],
)
def test_only_an_agent_is_told_what_its_last_message_has_to_say(
    is_typed: bool, env: dict[str, str], is_for_person: bool, workspace: Workspace
) -> None:
    workspace.prompt("$forge mend the ledger")
    words = ("state", "write", "--mode", "forge", "--outcome", "userinterlude", "--session", "s1")
    done = run_rcs(*words, cwd=workspace.root, env=clean_env(**env), is_typed=is_typed)
    person = "forge: stopped by the user. `$forge` in its session takes it up again.\n"
    assert (done.stdout == person, "In the last message" in done.stdout) == (is_for_person, not is_for_person)


def test_letters_that_begin_several_sessions_are_refused_with_the_choices(
    here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge", ONE)
    here.prompt("$forge", twin := ONE[:-1] + "2")
    status, _, err = says(capsys, "status", "--session", "11111111")
    said = f"rcs: 2 sessions begin with 11111111; say which one:\n--session {ONE}\n--session {twin}\n"
    assert (status, err) == (1, said)


def test_fewer_than_four_letters_of_a_session_are_refused(here: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    here.prompt("$forge", ONE)
    said = "rcs: 111 is too short for a session; type at least 4 letters of its id\n"
    for words in (("status",), ("log",), ("state", "list-active")):
        assert says(capsys, *words, "--session", "111") == (1, "", said)


@each_row(
    ("name", "active_modes"),
    [
        ("11111111-aaaa-4bbb-8ccc-00000000000", ["forge"]),
        ("1111", ["forge"]),
        ("11111111-xyz", []),
        ("s", []),
    ],
)
def test_names_of_another_form_are_taken_as_they_are(
    name: str, active_modes: list[str], here: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    here.prompt("$forge", ONE)
    assert active(capsys, "state", "list-active", "--json", "--session", name) == active_modes
