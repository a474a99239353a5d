"""Modes of one's own on every surface: the command line, the HUD, the overlay, the MCP tools, the dashboard, doctor."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.hud import status_line
from rcs_hooks.mcp.tools import call
from tests.own_modes import Desk, declared, put
from tests.support import run_rcs
from tests.table import each_row

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def running(desk: Desk) -> Desk:
    put(desk.home)
    desk.prompt("$release ship it")
    return desk


def rcs(desk: Desk, *words: str) -> subprocess.CompletedProcess[str]:
    return run_rcs(*words, cwd=desk.root, env=desk.env)


def said(desk: Desk, *words: str) -> str:
    done = rcs(desk, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tool(desk: Desk, name: str, **arguments: object) -> tuple[Any, bool]:
    text, is_error = call(name, arguments, desk.env, str(desk.root))
    return json.loads(text), is_error


# --- what is shown


def test_every_surface_shows_a_running_own_mode(running: Desk) -> None:
    assert "release starting 1/4" in said(running, "hud", "--session", "s1")
    assert json.loads(said(running, "hud", "--json", "--session", "s1"))["active_modes"] == ["release"]
    raw = json.dumps({"session_id": "s1", "cwd": str(running.root)}).encode()
    assert "release" in status_line(raw, running.env, str(running.root), running.now)
    assert json.loads(said(running, "state", "list-active", "--json", "--session", "s1"))["active_modes"] == ["release"]
    assert json.loads(said(running, "state", "list-active", "--json"))["sessions"] == {"s1": ["release"]}
    assert "release" in json.loads(said(running, "state", "get-status", "--json", "--session", "s1"))["statuses"]
    assert "- release: phase starting" in said(running, "overlay", "show", "--session", "s1")
    assert "release" in said(running, "status")
    assert "release" in running.call("SessionStart", source="resume").context


def test_an_ended_run_is_among_those_that_ended_lately(desk: Desk) -> None:
    desk.now = time.time() - 5
    put(desk.home)
    desk.prompt("$release ship it")
    said(desk, "state", "write", "--mode", "release", "--outcome", "failed", "--reason", "no key", "--session", "s1")
    (ended,) = json.loads(said(desk, "status", "--json"))["ended"]
    assert (ended["name"], ended["title"]) == ("release", "ship it")


def test_the_mcp_tools_take_its_name(running: Desk) -> None:
    assert tool(running, "state_list_active", session_id="s1")[0]["active_modes"] == ["release"]
    assert tool(running, "state_read", mode="release", session_id="s1")[0]["current_phase"] == "starting"
    assert "release" in tool(running, "state_get_status", mode="$Release", session_id="s1")[0]["statuses"]
    _, is_error = tool(running, "state_write", mode="release", session_id="s1", current_phase="verifying")
    assert not is_error
    assert running.read("release")["current_phase"] == "verifying"
    asked, is_error = tool(running, "question_ask", mode="release", session_id="s1", text="Which?")
    assert not is_error
    assert asked["mode"] == "release"
    assert tool(running, "state_clear", mode="release", session_id="s1")[0]["cleared"] is True
    assert not running.mode_path("release").exists()


def test_the_names_of_ours_are_still_all_that_an_unknown_one_is_told(desk: Desk) -> None:
    done = rcs(desk, "state", "read", "--mode", "nonsense", "--session", "s1")
    assert done.returncode == 1
    assert "'nonsense' is not a workflow mode; use one of brief, blueprint" in done.stderr


# --- what is written


def test_an_own_mode_is_started_by_a_command(desk: Desk) -> None:
    put(desk.home)
    said(desk, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert desk.active() == ["release"]
    assert desk.read("release")["declared"]["name"] == "release"
    assert desk.stop().blocks


def test_a_mode_of_the_project_starts_only_where_its_name_is_typed(desk: Desk) -> None:
    put(desk.root)
    words = ("state", "write", "--mode", "release", "--session", "s1")
    for more in ("--active", "--phase=verifying"):
        done = rcs(desk, *words, more)
        assert done.returncode == 1
        assert "type `$release` in a prompt to start it" in done.stderr
    assert tool(desk, "state_write", mode="release", session_id="s1", active=True)[1]
    assert not desk.state.exists()
    desk.prompt("$release ship it")
    desk.prompt("$cancel")
    said(desk, *words, "--active")
    assert desk.active() == ["release"]


def test_the_command_asks_the_policy_too(desk: Desk) -> None:
    put(desk.home)
    desk.prompt("$forge it")
    done = rcs(desk, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert "Cannot activate release while forge is still active." in done.stderr
    assert desk.active() == ["forge"]


def test_it_hands_over_by_a_command_too(desk: Desk) -> None:
    put(desk.home)
    desk.prompt("$blueprint it")
    said(desk, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert desk.active() == ["release"]


@each_row("words", [(), ("--root-scope",)])
def test_it_never_runs_in_root(words: tuple[str, ...], _folders: object, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    put(desk.home)
    done = rcs(desk, "state", "write", "--mode", "release", "--active", *words)
    assert done.returncode == 1
    assert "add --session" in done.stderr
    assert not desk.state.exists()


def test_a_fault_is_told_where_it_is_started_by_a_command(desk: Desk) -> None:
    put(desk.root, text=declared().replace("execution", "wild"))
    done = rcs(desk, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert done.returncode == 1
    assert "SKILL.md:5: " in done.stderr
    assert not desk.state.exists()


def test_a_run_whose_file_has_gone_is_ended_by_a_command_but_not_started_again(running: Desk) -> None:
    (running.home / ".claude/skills/release/SKILL.md").unlink()
    said(running, "state", "write", "--mode", "release", "--outcome", "blocked", "--session", "s1")
    assert running.active() == []
    done = rcs(running, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert "its file" in done.stderr
    assert "is gone" in done.stderr
    assert "release" in json.loads(said(running, "state", "get-status", "--json", "--session", "s1"))["statuses"]


def test_nobody_rewrites_what_a_run_is_judged_by(running: Desk) -> None:
    done = rcs(running, "state", "write", "--mode", "release", "--set", 'declared={"name":"x"}', "--session", "s1")
    assert done.returncode == 1
    assert "declared: " in done.stderr


def test_without_a_session_the_one_that_has_it_is_meant(running: Desk) -> None:
    (running.home / ".claude/skills/release/SKILL.md").unlink()
    said(running, "state", "write", "--mode", "release", "--phase", "verifying")
    assert running.read("release")["current_phase"] == "verifying"


def test_a_record_that_cannot_be_read_is_cleared_by_name(running: Desk) -> None:
    (running.home / ".claude/skills/release/SKILL.md").unlink()
    running.mode_path("release").write_text("{")
    said(running, "state", "clear", "--mode", "release", "--session", "s1")
    assert running.prompt("$forge it").context.startswith("[rcs] detected: $forge")
    assert running.active() == ["forge"]


# --- a question


def test_a_question_of_an_own_mode_waits_and_is_answered(running: Desk) -> None:
    said(running, "question", "ask", "--mode", "release", "--session", "s1", "--text", "Which?", "--option", "both")
    assert running.stop().line == "{}"
    assert "asks: Which?" in said(running, "hud", "--session", "s1")
    answer = running.prompt("both")
    assert 'release waited for the user\'s answer to "Which?"' in answer.context
    assert running.stop().blocks


def test_all_modes_of_a_session_wait_together(desk: Desk) -> None:
    put(desk.home)
    desk.prompt("$ulw $release go")
    said(desk, "question", "ask", "--mode", "ultrawork", "--session", "s1", "--text", "Which?")
    assert desk.stop().line == "{}"


# --- what is cleared away


def test_a_closed_question_of_an_ended_run_is_pruned(running: Desk) -> None:
    said(running, "question", "ask", "--mode", "release", "--session", "s1", "--text", "Which?")
    running.now = time.time()  # the command has taken the real time, and what comes now is later
    running.prompt("both")
    assert json.loads(said(running, "state", "prune", "--json"))["removed"] == 0
    running.prompt("$cancel")
    assert json.loads(said(running, "state", "prune", "--json"))["removed"] == 1


# --- the dashboard, doctor


def test_the_dashboard_shows_it_among_the_modes_of_its_session(running: Desk) -> None:
    from rcs_hooks.dashboard.attention import needs_of
    from rcs_hooks.dashboard.sessions import list_sessions

    (shown,), _ = list_sessions([str(running.root)], running.now, limit=10, block_limit=5)
    assert [(mode["mode"], mode["active"], mode["iteration"]) for mode in shown["modes"]] == [("release", True, 1)]
    running.edit("release", active=False, lifecycle_outcome="failed", error="no key")
    found, _ = list_sessions([str(running.root)], running.now, limit=10, block_limit=5)
    (need,) = needs_of([], found, [], running.now)["failed"]
    assert (need["detail"], need["reason"]) == ("release failed at starting", "no key")


@each_row("what", ["is gone", "has changed", ""])
def test_doctor_tells_of_a_run_whose_file_is_another_now(what: str, _folders: object, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.now = time.time()
    file = put(desk.home)
    desk.prompt("$release ship it")
    if what:
        file.unlink() if what == "is gone" else put(desk.home, text=declared(after=""))
    shown = rcs(desk, "doctor").stdout
    assert (f"goes on by what its record keeps, for its file {file} {what}" in shown) is bool(what)


def test_try_shows_what_an_own_mode_would_do(desk: Desk) -> None:
    put(desk.root)
    shown = said(desk, "try", "$release ship it")
    assert "release: start" in shown
    assert "release is this project's mode, from .claude/skills/release/SKILL.md" in shown
    put(desk.root, text=declared().replace("execution", "wild"))
    assert "SKILL.md:5: " in said(desk, "try", "$release ship it")
    assert not desk.state.exists()


def test_shells_complete_the_own_modes_of_their_folder(desk: Desk) -> None:
    put(desk.root)
    put(desk.home, "sketch", declared("sketch", kind="planning", after=""))
    put(desk.home, "pdf", "---\nname: pdf\n---\n")
    shown = said(desk, "completion", "offers", "--", "state", "write", "--mode", "").splitlines()
    assert [line.split("\t") for line in shown[-2:]] == [
        ["sketch", "a mode of your own"], ["release", "a mode of your own"],
    ]  # fmt: skip
