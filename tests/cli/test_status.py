"""`rcs status`: says what waits for the person, what runs and what ended; what cannot be read is named."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

from rcs_hooks.overview.words import NOTHING
from rcs_hooks.state.question_service import ask
from tests.cli.test_state_commands import rcs
from tests.state.test_operations import at
from tests.support import RCS_HOOK, Workspace, clean_env, paste, run_rcs

if TYPE_CHECKING:
    from pathlib import Path


def status(workspace: Workspace, *options: str) -> list[str]:
    done = rcs(workspace.root, "status", *options)
    assert (done.status, done.err) == (0, "")
    return done.out.splitlines()


def test_where_nothing_runs_one_line_says_what_to_type(workspace: Workspace) -> None:
    assert status(workspace) == [NOTHING]
    assert workspace.snapshot() == {}


def test_one_session_alone_can_be_asked_for_and_one_that_has_nothing_is_named(workspace: Workspace) -> None:
    none = "nothing runs in session zzzz"
    assert status(workspace, "--session", "zzzz") == [none]
    workspace.now = time.time()
    workspace.prompt("$forge", session="01890a5d-ac96-7000-8000-000000000001")
    one = f"{none}; something does in 01890a5d: `rcs status` shows all"
    assert status(workspace, "--session", "zzzz") == [one]
    workspace.prompt("$team", session="01890a5d-bc96-7000-8000-000000000001")
    both = f"{none}; something does in 01890a5d-b, 01890a5d-a: `rcs status` shows all"
    assert status(workspace, "--session", "zzzz") == [both]
    head, first, *_ = status(workspace, "--session", "01890a5d-b")
    assert (head, first.split()[:2]) == ("Runs (1)", ["team", "starting"])
    agents = rcs(workspace.root, "status", CLAUDE_CODE_SESSION_ID="s2")
    assert agents.out.splitlines()[0] == "Runs (2)", "it hides no other"


def test_the_page_of_one_session_has_the_command_that_ends_each_run(workspace: Workspace) -> None:
    workspace.now = time.time()
    workspace.prompt("$team $forge")
    ask(at(workspace)._replace(now=workspace.now), "forge", "Which database?")
    commands = [line.partition(": ")[2] for line in status(workspace, "--session", "s1") if "To end it: " in line]
    assert [
        f"rcs state write --mode {mode} --outcome userinterlude --session s1" for mode in ("forge", "team")
    ] == commands
    env = clean_env(PATH=f"{RCS_HOOK.parent}:{os.environ['PATH']}")
    for command in commands:
        assert paste(command, cwd=workspace.root, env=env).returncode == 0
    assert workspace.active("s1") == []
    assert "To end it" not in "".join(status(workspace))


def test_each_command_that_is_shown_can_be_pasted(workspace: Workspace, tmp_path: Path) -> None:
    env = clean_env(HOME=str(tmp_path), PATH=f"{RCS_HOOK.parent}:{os.environ['PATH']}")
    workspace.now = time.time()
    workspace.prompt("$forge")
    ask(at(workspace)._replace(now=workspace.now), "forge", "Which database?")
    workspace.prompt("$team", session="s2")
    workspace.call("SessionEnd", "s2", reason="exit")
    workspace.write("autopilot", None)
    workspace.write("ultraqa", "s3")
    workspace.mode_path("ultraqa", "s3").write_text("{")
    assert run_rcs("task", "new", "login", cwd=workspace.root, env=env).returncode == 0
    for run, step in (("r1", "a b"), ("r2", "c")):
        words = ("--type", "status_change", "--run-id", run, "--step", step, "--data", '{"status": "waiting"}')
        assert run_rcs("emit", "--workflow", "x", *words, cwd=workspace.root, env=env).returncode == 0
    shown = run_rcs("status", cwd=workspace.root, env=env).stdout.splitlines()
    commands = [line.partition(": ")[2] for line in shown if line.startswith("    To ") or "needs: " in line]
    assert len(commands) == 7
    for command in commands:
        done = paste(command, cwd=workspace.root, env=env)
        assert (done.returncode, done.stderr) == (0, ""), command
    found = json.loads(run_rcs("status", "--json", cwd=workspace.root, env=env).stdout)
    assert list(found) == ["waiting", "running", "ended", "tasks", "closed"]
    assert [entry["kind"] for entry in found["waiting"]] == ["run", "run"]
    assert found["closed"] == []
