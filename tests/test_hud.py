"""`rcs hud`: one line from one reading of the state, without colours in a pipe, and as quick as a hook."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from tests.support import RCS_HOOK, Workspace, clean_env, run_rcs
from tests.table import each_row

RCS = [str(RCS_HOOK.with_name("rcs"))]
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PATIENCE = 60.0


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


def test_without_state_it_is_idle_and_makes_nothing(workspace: Workspace) -> None:
    assert hud(workspace) == "rcs: idle"
    assert hud(workspace, "--session", "s1") == "rcs: nothing runs in session s1"
    assert list(workspace.root.iterdir()) == []


RECORDS: dict[str, tuple[dict[str, dict[str, Any]], str]] = {
    "one mode": ({"ultraqa": {}}, "rcs: ultraqa executing"),
    "an iteration": ({"forge": {"iteration": 2, "max_iterations": 50}}, "rcs: forge executing 2/50"),
    "an iteration without its limit": ({"forge": {"iteration": 2}}, "rcs: forge executing"),
    "an iteration that is a word": ({"forge": {"iteration": "2", "max_iterations": True}}, "rcs: forge executing"),
    "no phase": ({"forge": {"current_phase": None}}, "rcs: forge unknown"),
    "a phase that is an object": ({"forge": {"current_phase": {"a": 1}}}, "rcs: forge unknown"),
    "waiting for an answer": (
        {"forge": {"lifecycle_outcome": "askuserQuestion"}},
        "rcs: forge executing waits for you",
    ),
    "one of two waits": (
        {"team": {"started_at": "2026-01-01T00:00:00Z"},
         "forge": {"started_at": "2026-01-02T00:00:00Z", "run_outcome": "blocked_on_user"}},
        "rcs: team executing + forge executing waits for you",
    ),
    "an outcome that ends the run": (
        {"forge": {"lifecycle_outcome": "finished", "updated_at": "2026-01-01T00:00:00Z"}}, "rcs: idle",
    ),
    "switched off": ({"forge": {"active": False}}, "rcs: idle"),
}  # fmt: skip


@each_row(("records", "line"), [pytest.param(*row, id=name) for name, row in RECORDS.items()])
def test_the_line_says_what_the_mode_files_say(
    workspace: Workspace, records: dict[str, dict[str, Any]], line: str
) -> None:
    workspace.now = time.time()  # a row has a fixture of its own
    for mode, fields in records.items():
        workspace.write(mode, **fields)
    assert hud(workspace, "--session", "s1") == line


def test_deferred_skills_stand_at_the_end(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team $forge")
    assert hud(workspace, "--session", "s1") == "rcs: blueprint planning 1/3, then team, forge"


@pytest.mark.parametrize("options", [("--session", "s1"), ()], ids=["the session named", "no session named"])
def test_nothing_is_called_idle_where_a_file_cannot_be_read(options: tuple[str, ...], workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.mode_path("forge").write_text("{")
    assert hud(workspace, *options) == "rcs: 1 unreadable (see `rcs doctor`)"


def test_without_a_session_it_shows_the_one_that_has_something_active(workspace: Workspace) -> None:
    workspace.prompt("$team", session="s7")
    assert hud(workspace) == "rcs: team starting"


def test_the_environment_names_the_session(workspace: Workspace) -> None:
    workspace.prompt("$team", session="s7")
    workspace.prompt("$forge", session="s8")
    assert hud(workspace, RCS_SESSION_ID="s8").startswith("rcs: forge starting")
    assert hud(workspace, CLAUDE_CODE_SESSION_ID="s7") == "rcs: team starting"


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


def test_the_line_ends_with_the_title_of_the_run(workspace: Workspace) -> None:
    workspace.write("forge", title="fix the ledger and everything else that is broken in it")
    line = "rcs: forge executing (fix the ledger and everything else that…)"
    assert hud(workspace, "--session", "s1") == line
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == line
    workspace.write("team", "s2")
    assert hud(workspace) == "rcs: 2 working"
    assert json.loads(hud(workspace, "--json"))["elsewhere"] == ["s1", "s2"]


PASSED = {"command": "pytest -q", "exit": 0, "seconds": 2.5, "tree": "git:" + "a" * 64, "changed": [],
          "output": "", "timed_out": False}  # fmt: skip
PROOFS: dict[str, tuple[dict[str, Any], str]] = {
    "it passed": (PASSED | {"state": "proven"}, "proven AT"),
    "files have changed since": (PASSED | {"state": "stale"}, "stale AT"),
    "it failed": (PASSED | {"state": "unproven", "exit": 1}, "unproven AT"),
    "it failed, and the record says that it proves": (PASSED | {"state": "proven", "exit": 1}, "unproven AT"),
    "a state that nobody knows": (PASSED | {"state": "\x1b[31mred"}, "unproven AT"),
}


def lately() -> tuple[str, str]:
    """Return a full hour that is one or two hours ago, and as the clock of the HUD shows it."""
    at = (time.time() // 3_600 - 1) * 3_600
    return iso(at), time.strftime("%H:%M", time.gmtime(at))


@each_row(("proof", "words"), [pytest.param(*row, id=name) for name, row in PROOFS.items()])
def test_the_newest_proof_of_a_run_is_in_the_line(workspace: Workspace, proof: dict[str, Any], words: str) -> None:
    workspace.now = time.time()  # a row has a fixture of its own
    at, clock = lately()
    workspace.write("forge", title="fix the ledger", proof=proof | {"at": at, "judged_at": at})
    assert (
        hud(workspace, "--session", "s1", TZ="UTC")
        == f"rcs: forge executing, {words.replace('AT', clock)} (fix the ledger)"
    )


@each_row(("proof", "words"), [pytest.param(*row, id=name) for name, row in PROOFS.items()])
def test_a_run_that_has_finished_shows_its_verdict_until_another_begins(
    workspace: Workspace, proof: dict[str, Any], words: str
) -> None:
    workspace.now = time.time()  # a row has a fixture of its own
    at, clock = lately()
    ended: dict[str, Any] = {"active": False, "lifecycle_outcome": "finished", "completed_at": at}
    workspace.write("forge", title="fix the ledger", proof=proof | {"at": at, "judged_at": at}, **ended)
    line = f"rcs: forge finished, {words.replace('AT', clock)} (fix the ledger)"
    assert hud(workspace, "--session", "s1", TZ="UTC") == line
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1", TZ="UTC") == line
    (facts,) = json.loads(hud(workspace, "--session", "s1", "--json"))["finished"]
    assert (facts["mode"], facts["proof"]["state"], facts["at"]) == ("forge", words.split(maxsplit=1)[0], at)
    workspace.write("team")
    assert hud(workspace, "--session", "s1") == "rcs: team executing"
    workspace.mode_path("team").unlink()


NOT_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "a plan": ("blueprint", {}),
    "research": ("autoresearch", {}),
    "it failed": ("forge", {"lifecycle_outcome": "failed"}),
    "it was handed over": ("autopilot", {"transition_target_mode": "blueprint"}),
    "more than a day ago": ("forge", {"completed_at": "2026-01-01T00:00:00.000Z"}),
    "nobody knows when": ("forge", {"completed_at": None}),
    "in the future": ("forge", {"completed_at": "2999-01-01T00:00:00.000Z"}),
}


@each_row(("mode", "fields"), [pytest.param(*row, id=name) for name, row in NOT_SHOWN.items()])
def test_what_has_no_verdict_or_is_long_over_leaves_the_line_idle(
    workspace: Workspace, mode: str, fields: dict[str, Any]
) -> None:
    ended: dict[str, Any] = {"active": False, "lifecycle_outcome": "finished", "completed_at": lately()[0]}
    workspace.write(mode, **ended | fields)
    assert hud(workspace, "--session", "s1") == "rcs: idle"
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == ""
    workspace.mode_path(mode).unlink()


def test_a_run_that_finished_without_a_proof_is_unproven(workspace: Workspace) -> None:
    workspace.prompt("$forge $ultrawork fix it")
    at, clock = lately()
    for mode in ("forge", "ultrawork"):
        workspace.edit(mode, active=False, lifecycle_outcome="finished", completed_at=at)
    assert hud(workspace, "--session", "s1", TZ="UTC") == (
        "rcs: forge finished, unproven AT, ultrawork finished, unproven AT (fix it)".replace("AT", clock)
    )


def test_a_proof_of_another_day_has_its_date(workspace: Workspace) -> None:
    workspace.write("forge", proof=PASSED | {"state": "proven", "at": "2026-01-02T12:00:00.000Z"})
    assert hud(workspace, "--session", "s1", TZ="UTC") == "rcs: forge executing, proven 2026-01-02"


def test_a_root_record_is_told_from_a_sessions_own(workspace: Workspace) -> None:
    workspace.write("forge", session=None)
    workspace.write("team")
    modes = json.loads(hud(workspace, "--json", "--session", "s1"))["modes"]
    assert {mode["mode"]: mode["scope"] for mode in modes} == {"team": "session", "forge": "root"}


def test_a_bad_session_is_refused_on_stderr(workspace: Workspace) -> None:
    done = subprocess.run(
        [*RCS, "hud", "--session", "../s1"], capture_output=True, cwd=workspace.root, env=clean_env(), check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"session" in done.stderr


# --- colour


class Terminal:
    """A program that runs in a pseudo-terminal, and everything that it has drawn."""

    def __init__(self, command: list[str], cwd: Path, **env: str) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execve(command[0], command, clean_env(**{"TERM": "xterm-256color"} | env))
        self.drawn = ""
        self.status: int | None = None

    def until(self, is_enough: Callable[[str], bool]) -> str:
        """Read until enough is drawn, or the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while not is_enough(self.drawn) and time.monotonic() < deadline:
            if not select.select([self.fd], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:  # the program has closed its side
                break
            if not data:
                break
            self.drawn += data.decode(errors="replace")
        return self.drawn

    def end(self) -> str:
        """Wait for the program to end, and return everything that it has drawn."""
        self.until(lambda _: False)
        _, status = os.waitpid(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.drawn

    def close(self) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal(workspace: Workspace) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*options: str, **env: str) -> Terminal:
        opened.append(Terminal([*RCS, "hud", *options], workspace.root, **env))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_a_terminal_gets_colours_and_the_same_words(workspace: Workspace, terminal: Callable[..., Terminal]) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    drawn = terminal("--session", "s1").end()
    assert ANSI.search(drawn)
    assert ANSI.sub("", drawn) == "rcs: forge executing waits for you\r\n"


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "dumb"])
def test_a_terminal_that_wants_none_gets_no_colours(
    workspace: Workspace, terminal: Callable[..., Terminal], env: dict[str, str]
) -> None:
    workspace.write("forge")
    assert terminal("--session", "s1", **env).end() == "rcs: forge executing\r\n"


def test_an_empty_no_color_says_nothing(workspace: Workspace, terminal: Callable[..., Terminal]) -> None:
    """https://no-color.org: when present and not an empty string."""
    workspace.write("forge")
    assert ANSI.search(terminal("--session", "s1", NO_COLOR="").end())


def test_a_pipe_gets_no_colours(workspace: Workspace) -> None:
    workspace.write("forge")
    assert hud(workspace, "--session", "s1", TERM="xterm-256color") == "rcs: forge executing"


# --- the status line of Claude Code


def status_json(in_workspace: Workspace, session: object = "s1", **fields: object) -> bytes:
    """Return the JSON that Claude Code sends to a status line, with the fields that matter."""
    root = str(in_workspace.root)
    sent: dict[str, Any] = {
        "hook_event_name": "Status",
        "session_id": session,
        "transcript_path": "/home/user/.claude/projects/-workspace/session.jsonl",
        "cwd": root,
        "model": {"id": "claude-opus-4-1", "display_name": "Opus"},
        "workspace": {"current_dir": root, "project_dir": root},
        "version": "2.1.326",
        "output_style": {"name": "default"},
        "cost": {"total_cost_usd": 0.01, "total_duration_ms": 45_000},
    }
    return json.dumps(sent | fields).encode() + b"\n"


def test_the_status_line_shows_the_session_that_claude_code_names(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    workspace.prompt("$ultraqa", session="s2")
    assert hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1") == (
        "rcs: team starting + forge starting 0/50"
    )
    assert (
        hud(workspace, "--statusline", stdin=status_json(workspace, "s2"), NO_COLOR="1") == "rcs: ultraqa planning 1/5"
    )


def test_the_status_line_follows_the_project_when_the_session_moves(workspace: Workspace, tmp_path: Path) -> None:
    workspace.prompt("$team")
    moved = {"cwd": str(tmp_path), "workspace": {"current_dir": str(tmp_path), "project_dir": str(workspace.root)}}
    shown = hud(workspace, "--statusline", stdin=status_json(workspace, **moved), NO_COLOR="1")
    assert shown == "rcs: team starting"


@pytest.mark.parametrize("place", [None, "x", {}, {"current_dir": 5}], ids=repr)
def test_the_status_line_does_without_a_workspace(workspace: Workspace, place: object) -> None:
    workspace.prompt("$team")
    shown = hud(workspace, "--statusline", stdin=status_json(workspace, workspace=place), NO_COLOR="1")
    assert shown == "rcs: team starting"


def test_the_status_line_is_empty_where_nothing_is_active_and_makes_nothing(workspace: Workspace) -> None:
    assert hud(workspace, "--statusline", stdin=status_json(workspace)) == ""
    assert list(workspace.root.iterdir()) == []
    workspace.write("forge", active=False)
    assert hud(workspace, "--statusline", stdin=status_json(workspace)) == ""


def test_the_status_line_knows_the_files_that_cannot_be_read(workspace: Workspace) -> None:
    workspace.mode_path("forge").parent.mkdir(parents=True)
    workspace.mode_path("forge").write_text("{")
    shown = hud(workspace, "--statusline", stdin=status_json(workspace), NO_COLOR="1")
    assert "1 unreadable" in shown


GARBAGE: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"hello",
    "cut": b'{"session_id": "s1", "cw',
    "a list": b"[]",
    "null": b"null",
    "not UTF-8": b"\xff\xfe",
    "no session": b"{}",
    "a session that is a path": b'{"session_id": "../s1"}',
    "a session that is a number": b'{"session_id": 5}',
    "a folder that is not there": b'{"session_id": "s9", "cwd": "/nonexistent/at/all"}',
    "a folder that is a list": b'{"session_id": "s9", "cwd": []}',
    "a folder with a null byte": b'{"session_id": "s9", "cwd": "a\\u0000b"}',
    "a folder with half a pair": b'{"session_id": "s9", "cwd": "\\ud800"}',
    "a folder without end": b'{"session_id": "s9", "cwd": "' + b"x" * 5_000 + b'"}',
    "nesting without end": b"[" * 100_000,
}


@each_row("raw", [pytest.param(raw, id=name) for name, raw in GARBAGE.items()])
def test_garbage_gives_an_empty_status_line(workspace: Workspace, raw: bytes) -> None:
    workspace.prompt("$team")
    assert hud(workspace, "--statusline", stdin=raw) == ""


# --- as light as a hook

HEAVY = {"argparse", "asyncio", "anyio", "mcp", "pydantic", "regex", "filelock", "orjson", "subprocess", "logging",
         "email", "tempfile", "rcs_hooks.cli.options",
         "rcs_hooks.hook.cli_command", "rcs_hooks.workflow.tokens.scan"}  # fmt: skip


# --- what keeps a run from working


def test_a_closed_session_shows_its_runs_as_closed(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.call("SessionEnd", reason="other")
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 0/50, closed"
    assert json.loads(hud(workspace, "--session", "s1", "--json"))["closed"] is True
    workspace.call("SessionStart", source="resume")
    assert hud(workspace, "--session", "s1") == "rcs: forge starting 0/50"


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


def test_it_says_that_the_hooks_are_off(workspace: Workspace) -> None:
    asked = json.dumps({"session_id": "s1", "cwd": str(workspace.root)}).encode()
    assert hud(workspace, RCS_DISABLE="1") == "rcs: off, idle"
    assert hud(workspace, "--statusline", stdin=asked, RCS_DISABLE="1") == "rcs: off"
    workspace.prompt("$forge")
    (workspace.root / ".rcs" / "off").write_text("")
    shown = hud(workspace, "--statusline", stdin=asked, NO_COLOR="1")
    assert shown == "rcs: off, forge starting 0/50"
    assert json.loads(hud(workspace, "--json"))["off"] == f"{workspace.root}/.rcs/off"
