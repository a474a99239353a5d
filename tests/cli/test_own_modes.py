"""Modes of one's own on every surface: the command line, the HUD, the overlay, the MCP tools, the dashboard, doctor."""

from __future__ import annotations

import json
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


# --- what is written

START = ("state", "write", "--mode", "release", "--active")


def test_an_own_mode_is_started_and_takes_over_by_a_command(desk: Desk) -> None:
    put(desk.home)
    desk.prompt("$blueprint it")
    said(desk, *START, "--session", "s1")
    assert desk.active() == ["release"]
    assert desk.read("release")["declared"]["name"] == "release"
    done = rcs(desk, "state", "write", "--mode", "release", "--set", 'declared={"name":"x"}', "--session", "s1")
    assert (done.returncode, "declared: " in done.stderr) == (1, True)


@each_row(
    ("kind", "words", "says"),
    [
        ("execution", (), "add --session"),
        ("execution", ("--root-scope",), "add --session"),
        ("wild", ("--session", "s1"), "SKILL.md:5: "),
        ("execution", ("--session", "s2"), "Cannot activate release while forge is still active."),
    ],
)
def test_a_command_that_may_not_start_it(kind: str, words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    put(desk.home, text=declared().replace("execution", kind))
    desk.prompt("$forge it", "s2")
    done = rcs(desk, *START, *words)
    assert (done.returncode, says in done.stderr) == (1, True)
    assert desk.active("s2") == ["forge"]
    assert not list(desk.state.rglob("release-state.json"))


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


def test_a_run_whose_file_has_gone_is_ended_by_a_command_but_not_started_again(running: Desk) -> None:
    (running.home / ".claude/skills/release/SKILL.md").unlink()
    said(running, "state", "write", "--mode", "release", "--outcome", "blocked", "--session", "s1")
    assert running.active() == []
    done = rcs(running, "state", "write", "--mode", "release", "--active", "--session", "s1")
    assert "its file" in done.stderr
    assert "is gone" in done.stderr
    assert "release" in json.loads(said(running, "state", "get-status", "--json", "--session", "s1"))["statuses"]
