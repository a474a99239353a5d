"""`rcs hud`: one line from one reading of the state, without colours in a pipe."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from tests.support import Workspace, clean_env, run_rcs
from tests.table import each_row


@pytest.fixture
def workspace(workspace: Workspace) -> Workspace:
    """A workspace with the real time, because these tests run whole programs."""
    workspace.now = time.time()
    return workspace


def hud(workspace: Workspace, *options: str, stdin: bytes = b"", **env: str) -> str:
    """Run `rcs hud`, and return its line; it must succeed with nothing on stderr."""
    done = run_rcs("hud", *options, cwd=workspace.root, env=clean_env(**env), stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n")
    assert done.stdout.count("\n") == 1
    return done.stdout[:-1]


# --- one line


RECORDS: list[tuple[dict[str, dict[str, Any]], str]] = [
    ({"forge": {"iteration": 2, "max_iterations": 50}}, "rcs: forge executing 2/50"),
    ({"forge": {"iteration": "2", "max_iterations": True}}, "rcs: forge executing"),
    ({"forge": {"current_phase": {"a": 1}}}, "rcs: forge unknown"),
    (
        {"team": {"started_at": "2026-01-01T00:00:00Z"},
         "forge": {"started_at": "2026-01-02T00:00:00Z", "run_outcome": "blocked_on_user"}},
        "rcs: team executing + forge executing waits for you",
    ),
    ({"forge": {"active": False}}, "rcs: idle"),
    ({"forge": {"title": "fix the ledger and everything else that is broken in it"}},
     "rcs: forge executing (fix the ledger and everything else that…)"),
]  # fmt: skip


@each_row(("records", "line"), RECORDS)
def test_the_line_says_what_the_mode_files_say(
    records: dict[str, dict[str, Any]], line: str, workspace: Workspace
) -> None:
    workspace.now = time.time()  # a row has a fixture of its own
    for mode, fields in records.items():
        workspace.write(mode, **fields)
    assert hud(workspace, "--session", "s1") == line
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == line.replace("rcs: idle", "")


def test_which_session_is_shown(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team $forge", session="s7")
    line = "rcs: blueprint planning 1/3, then team, forge"
    assert hud(workspace) == hud(workspace, "--session", "s7") == line
    workspace.prompt("$forge", session="s8")
    assert hud(workspace) == "rcs: 2 working"
    assert json.loads(hud(workspace, "--json"))["elsewhere"] == ["s7", "s8"]
    assert hud(workspace, RCS_SESSION_ID="s8") == "rcs: forge starting 0/50"
    assert hud(workspace, CLAUDE_CODE_SESSION_ID="s7") == line
    done = run_rcs("hud", "--session", "../s1", cwd=workspace.root, env=clean_env())
    assert (done.returncode, done.stdout, "session" in done.stderr) == (1, "", True)


def test_nothing_is_called_idle_where_a_file_cannot_be_read(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.mode_path("forge").write_text("{")
    line = "rcs: 1 unreadable (see `rcs doctor`)"
    assert hud(workspace) == hud(workspace, "--session", "s1") == line
    assert "1 unreadable" in hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1")


def test_json_has_the_same_facts(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    workspace.edit("blueprint", lifecycle_outcome="askuserQuestion", iteration=1, max_iterations=3)
    workspace.mode_path("forge").write_text("{")
    facts = json.loads(hud(workspace, "--json", "--session", "s1"))
    (to_clear,) = facts.pop("to_clear")
    assert shlex.split(to_clear)[1:] == ["state", "clear", "--mode", "forge", "--session", "s1"]
    assert facts == {
        "active_modes": ["blueprint"],
        "modes": [
            {"mode": "blueprint", "phase": "planning", "waits": True, "iteration": 1, "max_iterations": 3,
             "scope": "session", "title": "", "answered": False,
             "proof": {"state": "unproven", "command": "", "exit": None, "at": ""}}
        ],
        "finished": [],
        "waiting": True,
        "deferred": ["team"],
        "unreadable": ["sessions/s1/forge-state.json"],
        "closed": False,
        "stalled": False,
        "inactive": False,
        "off": None,
        "session": "s1",
        "client": "Codex",
    }  # fmt: skip


# --- its proof

PASSED: dict[str, Any] = {
    "command": "pytest -q", "exit": 0, "seconds": 2.5, "tree": "git:" + "a" * 64, "changed": [], "output": "",
    "timed_out": False,
}  # fmt: skip
PROOFS: list[tuple[dict[str, Any], str]] = [
    ({"state": "proven"}, "proven AT"),
    ({"state": "stale"}, "stale AT"),
    ({"state": "proven", "exit": 1}, "unproven AT"),
    ({"state": "\x1b[31mred"}, "unproven AT"),
]


def lately() -> tuple[str, str]:
    """Return a full hour that is one or two hours ago, and as the clock of the HUD shows it."""
    at = (time.time() // 3_600 - 1) * 3_600
    return iso(at), time.strftime("%H:%M", time.gmtime(at))


@each_row(("proof", "words"), PROOFS)
def test_a_run_shows_its_newest_proof_and_its_verdict_until_another_begins(
    proof: dict[str, Any], words: str, workspace: Workspace
) -> None:
    workspace.now = time.time()
    at, clock = lately()
    words = words.replace("AT", clock)
    record: dict[str, Any] = {"title": "fix the ledger", "proof": PASSED | proof | {"at": at, "judged_at": at}}
    workspace.write("forge", **record)
    assert hud(workspace, "--session", "s1", TZ="UTC") == f"rcs: forge executing, {words} (fix the ledger)"
    workspace.write("forge", **record, active=False, lifecycle_outcome="finished", completed_at=at)
    line = f"rcs: forge finished, {words} (fix the ledger)"
    assert hud(workspace, "--session", "s1", TZ="UTC") == line
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1", TZ="UTC") == line
    (facts,) = json.loads(hud(workspace, "--session", "s1", "--json"))["finished"]
    assert (facts["mode"], facts["proof"]["state"], facts["at"]) == ("forge", words.split(maxsplit=1)[0], at)
    workspace.write("team")
    assert hud(workspace, "--session", "s1") == "rcs: team executing"


@each_row(
    ("mode", "fields"),
    [
        ("blueprint", {}),
        ("forge", {"lifecycle_outcome": "failed"}),
        ("autopilot", {"transition_target_mode": "blueprint"}),
        ("forge", {"completed_at": "2026-01-01T00:00:00.000Z"}),
        ("forge", {"completed_at": None}),
        ("forge", {"completed_at": "2999-01-01T00:00:00.000Z"}),
    ],
)
def test_what_has_no_verdict_or_is_long_over_leaves_the_line_idle(
    mode: str, fields: dict[str, Any], workspace: Workspace
) -> None:
    ended: dict[str, Any] = {"active": False, "lifecycle_outcome": "finished", "completed_at": lately()[0]}
    workspace.write(mode, **ended | fields)
    assert hud(workspace, "--session", "s1") == "rcs: idle"
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == ""


# --- the status line of Claude Code


def status_json(in_workspace: Workspace, session: object = "s1", **fields: object) -> bytes:
    """Return the JSON that Claude Code sends to a status line, with the fields that matter."""
    root = str(in_workspace.root)
    sent: dict[str, Any] = {
        "hook_event_name": "Status",
        "session_id": session,
        "transcript_path": "/home/user/.claude/projects/-workspace/session.jsonl",
        "cwd": root,
        "workspace": {"current_dir": root, "project_dir": root},
    }
    return json.dumps(sent | fields).encode() + b"\n"


def test_the_status_line_shows_the_session_that_claude_code_names(workspace: Workspace, tmp_path: Path) -> None:
    assert hud(workspace, "--statusline", stdin=status_json(workspace)) == ""
    assert list(workspace.root.iterdir()) == []
    workspace.prompt("$ultraqa")
    workspace.prompt("$team", session="s2")
    moved = {"cwd": str(tmp_path), "workspace": {"current_dir": str(tmp_path), "project_dir": str(workspace.root)}}
    for fields in (moved, {"workspace": None}, {"workspace": {"current_dir": 5}}):
        given = status_json(workspace, "s2", **fields)
        assert hud(workspace, "--statusline", stdin=given, NO_COLOR="1") == "rcs: team starting"


GARBAGE: list[bytes] = [
    b"", b'{"session_id": "s1", "cw', b"[]", b"\xff\xfe", b"{}", b'{"session_id": "../s1"}', b'{"session_id": 5}',
    b'{"session_id": "s9", "cwd": "/nonexistent/at/all"}', b'{"session_id": "s9", "cwd": []}',
    b'{"session_id": "s9", "cwd": "a\\u0000b"}', b'{"session_id": "s9", "cwd": "\\ud800"}', b"[" * 100_000,
    b'{"session_id": "s9", "cwd": "' + b"x" * 5_000 + b'"}',
]  # fmt: skip


def test_garbage_gives_an_empty_status_line(workspace: Workspace) -> None:
    workspace.prompt("$team")
    for raw in GARBAGE:
        assert hud(workspace, "--statusline", stdin=raw) == "", raw[:60]


# --- what keeps a run from working


def test_a_closed_session_and_hooks_that_are_off_are_said(workspace: Workspace) -> None:
    assert hud(workspace, "--session", "s9", RCS_DISABLE="1") == "rcs: off, nothing runs in session s9"
    assert hud(workspace, "--statusline", stdin=status_json(workspace), RCS_DISABLE="1") == "rcs: off"
    workspace.prompt("$forge")
    workspace.call("SessionEnd", reason="other")
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 0/50, closed"
    assert json.loads(hud(workspace, "--session", "s1", "--json"))["closed"] is True
    workspace.call("SessionStart", source="resume")
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 0/50"
    (workspace.root / ".rcs" / "off").write_text("")
    assert hud(workspace) == "rcs: off, forge starting 0/50"
    assert json.loads(hud(workspace, "--json"))["off"] == f"{workspace.root}/.rcs/off"


def test_a_run_that_was_let_go_is_stalled_until_it_changes(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    for _ in range(6):
        workspace.stop()
    workspace.prompt("Go on.")
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 0/50, stalled"
    workspace.edit("forge", iteration=1)
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 1/50"


def test_a_session_that_was_silent_is_stalled_and_then_inactive(workspace: Workspace) -> None:
    now = workspace.now
    for hours, word in ((2, ", stalled"), (5 * 24, ", inactive")):
        workspace.now = now - hours * 3600
        workspace.write("forge")
        assert hud(workspace, "--session", "s1") == f"rcs: forge executing{word}"
        facts = json.loads(hud(workspace, "--session", "s1", "--json"))
        assert (facts["stalled"], facts["inactive"]) == (hours == 2, hours != 2)
        assert (
            hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == f"rcs: forge executing{word}"
        )
        workspace.write("forge", lifecycle_outcome="askuserQuestion")
        assert hud(workspace, "--session", "s1") == "rcs: forge executing waits for you"
