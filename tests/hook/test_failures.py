"""A hook fails open: exit 0, one JSON object on one line, the person is told why, and no state is half written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.mcp import tools
from tests.support import Answer, Workspace, clean_env, error_json
from tests.table import each_row

EVENTS = ("UserPromptSubmit", "Stop")
LOG = ".rcs/logs/hook-errors.jsonl"


@pytest.fixture
def running(workspace: Workspace) -> Workspace:
    """Team runs in session s1."""
    workspace.prompt("$team")
    return workspace


def answer_to(workspace: Workspace, event: str, raw: bytes) -> Answer:
    """The answer to these very bytes, in this process."""
    environment = Environment(workspace.env, str(workspace.root), workspace.now, "rcs")
    return Answer(event, respond(raw, environment))


def any_call(workspace: Workspace, event: str, **fields: Any) -> bytes:
    """A call that would change state, whichever of the two events it is."""
    usual: dict[str, Any] = {
        "turn_id": "t1",
        "prompt": "$forge",
        "stop_hook_active": False,
        "last_assistant_message": "Working.",
    }
    return workspace.payload(event, **usual | fields)


def tree(folder: Path) -> dict[str, bytes | None]:
    """What lies in a folder, to the byte; links are not followed."""
    there = sorted(folder.rglob("*")) if folder.exists() else []
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in there}


def log_of(workspace: Workspace) -> list[dict[str, Any]]:
    path = workspace.root / LOG
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def assert_lets_pass(answer: Answer) -> None:
    assert not answer.blocks
    assert answer.notice.startswith("rcs: ")


OTHER_EVENTS = [
    *("SubagentStart", "PreToolUse", "Notification", "stop", "UserPromptSubmit ", "Stop\n"),
    "x" * 10_000,
    "\ud800",
]


@each_row("event", OTHER_EVENTS, ids=lambda event: ascii(event)[:30])
def test_another_event_is_answered_with_nothing(running: Workspace, event: str) -> None:
    before = running.snapshot()
    assert answer_to(running, "Stop", any_call(running, event)).line == "{}"
    assert running.snapshot() == before


# --- a workspace that cannot be read or written


def replace_by_loop(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    path.symlink_to(path.name)


def test_a_failure_is_logged_where_there_is_a_home_for_it(running: Workspace) -> None:
    replace_by_loop(running.state / ".lock")
    notices = [running.prompt("$forge").notice, running.stop().notice]
    lines = log_of(running)
    assert [line["event"] for line in lines] == list(EVENTS)
    assert all(line["why"] in notice for line, notice in zip(lines, notices, strict=True))
    assert all(line["at"].startswith("2023-11-14T22:13:2") for line in lines)


# --- places that are not there

MISSING = [
    pytest.param({}, "gone", id="cwd"),
    pytest.param({"RCS_ROOT": "gone"}, ".", id="RCS_ROOT"),
    pytest.param({"RCS_ROOT": "file"}, ".", id="an RCS_ROOT that is a file"),
]


@each_row(("env", "cwd"), MISSING)
def test_a_workspace_that_is_not_there_is_said_and_never_made(tmp_path: Path, env: dict[str, str], cwd: str) -> None:
    (tmp_path / "file").write_text("")
    before = tree(tmp_path)
    workspace = Workspace(tmp_path, env={name: str(tmp_path / value) for name, value in env.items()})
    asked = workspace.prompt("$team", cwd=str(tmp_path / cwd))
    assert_lets_pass(asked)
    assert "is not there" in asked.notice
    assert workspace.prompt("hello", cwd=str(tmp_path / cwd)).line == "{}"
    assert workspace.stop(cwd=str(tmp_path / cwd)).line == "{}"
    assert tree(tmp_path) == before


# --- links that lead out of the workspace


@pytest.mark.parametrize(("link", "target"), [(".rcs/logs", "../outside"), (LOG, "src")])
def test_no_log_is_written_behind_a_link(running: Workspace, link: str, target: str) -> None:
    place = running.root / target
    place.mkdir()
    (place / "hook-errors.jsonl").write_text("")
    before = tree(place)
    (running.root / link).parent.mkdir(exist_ok=True)
    (running.root / link).symlink_to(place if link == ".rcs/logs" else place / "hook-errors.jsonl")
    replace_by_loop(running.state / ".lock")
    assert_lets_pass(running.prompt("$forge"))
    assert tree(place) == before


def test_a_log_that_has_grown_large_starts_over(running: Workspace) -> None:
    replace_by_loop(running.state / ".lock")
    running.prompt("$forge")
    with (running.root / LOG).open("a") as file:
        file.write("x" * 300_000)
    running.stop()
    running.stop()
    assert [line["event"] for line in log_of(running)] == ["Stop", "Stop"]
    assert sorted(path.name for path in (running.root / LOG).parent.iterdir()) == [
        "hook-errors.jsonl",
        "hook-errors.jsonl.old",
    ]


def test_a_denial_makes_nothing_for_a_session_that_has_nothing(running: Workspace) -> None:
    before = tree(running.root)
    assert running.prompt("$autopilot $team", "s2").context.startswith("Cannot activate")
    assert tree(running.root) == before


def test_where_the_words_for_a_failure_cannot_be_opened_the_answer_is_one_line_all_the_same(running: Workspace) -> None:
    (running.state / ".lock").unlink()
    (running.state / ".lock").mkdir()
    program = """
import errno, sys
class Refuses:
    def find_spec(self, name, path, target=None):
        if name in ("rcs_hooks.hook.failures", "rcs_hooks.workflow.messages.shared"):
            raise OSError(errno.EMFILE, "Too many open files")
sys.meta_path.insert(0, Refuses())
from rcs_hooks.hook.entry import main
sys.exit(main())
"""
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(running.root), "prompt": "$cancel"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(payload), env=clean_env(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads(done.stdout)) == ["systemMessage"]
    assert done.stdout.count("\n") == 1


# --- a path that is none

NO_PATHS = {
    "a NUL": ("a\0b", "it holds a NUL character"),
    "half a surrogate pair": ("a\ud800b", "it holds half of a surrogate pair"),
    "5,000 letters": ("x" * 5000, "it has 5000 bytes, and 4095 at most can be opened"),
}


@each_row(("cwd", "why"), NO_PATHS.values(), ids=NO_PATHS)
def test_a_hook_says_why_the_folder_of_a_call_is_none(workspace: Workspace, cwd: str, why: str) -> None:
    said = workspace.call("UserPromptSubmit", cwd=cwd, prompt="$team").output
    end = "the prompt went through and no workflow was changed."
    assert said == {"systemMessage": f"rcs: the field cwd of the call is not a path: {why}; {end}"}
    assert not (workspace.root / ".rcs").exists()


@each_row(("cwd", "why"), NO_PATHS.values(), ids=NO_PATHS)
@each_row("tool", ["state_list_active", "question_ask"])
def test_a_tool_says_why_the_folder_of_a_call_is_none(tool: str, tmp_path: Path, cwd: str, why: str) -> None:
    text, is_error = tools.call(tool, {"mode": "team", "cwd": cwd, "text": "Which?", "active": True}, {}, str(tmp_path))
    assert is_error
    assert json.loads(text) == error_json("refused", f"cwd: {why}; expected a folder of the workspace")
