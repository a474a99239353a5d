"""A path that is none, a umask that shuts the owner out, a folder that has gone: a sentence each, and files as ever."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.mcp import tools
from tests.support import RCS_HOOK, Workspace, check_output, clean_env, error_json, run_hook
from tests.table import each_row

RCS = RCS_HOOK.with_name("rcs")
NO_PATHS = {
    "a NUL": ("a\0b", "it holds a NUL character"),
    "half a surrogate pair": ("a\ud800b", "it holds half of a surrogate pair"),
    "5,000 letters": ("x" * 5000, "it has 5000 bytes, and 4095 at most can be opened"),
}
each_no_path = pytest.mark.parametrize(("cwd", "why"), NO_PATHS.values(), ids=NO_PATHS.keys())


@each_no_path
@pytest.mark.parametrize(
    ("event", "end"),
    [
        ("UserPromptSubmit", "the prompt went through and no workflow was changed."),
        ("Stop", "the turn may end."),
        ("SessionStart", "nothing was done."),
    ],
)
def test_a_hook_says_why_the_folder_of_a_call_is_none(
    workspace: Workspace, event: str, end: str, cwd: str, why: str
) -> None:
    line, status = run_hook(workspace.payload(event, cwd=cwd, prompt="$team"), cwd=workspace.root)
    assert status == 0
    assert check_output(event, line) == {"systemMessage": f"rcs: the field cwd of the call is not a path: {why}; {end}"}
    assert not (workspace.root / ".rcs").exists()


@each_no_path
@each_row("tool", ["state_list_active", "state_read", "state_write", "state_clear", "question_ask"])
def test_a_tool_says_why_the_folder_of_a_call_is_none(tool: str, tmp_path: Path, cwd: str, why: str) -> None:
    text, is_error = tools.call(tool, {"mode": "team", "cwd": cwd, "text": "Which?", "active": True}, {}, str(tmp_path))
    assert is_error
    assert json.loads(text) == error_json("refused", f"cwd: {why}; expected a folder of the workspace")


def modes(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): oct(stat.S_IMODE(path.lstat().st_mode)) for path in root.rglob("*")}


def shut_out() -> None:
    os.umask(0o777)


@pytest.mark.slow
def test_what_is_made_is_for_the_owner_whatever_the_umask(workspace: Workspace) -> None:
    root, env = workspace.root, clean_env(HOME=str(workspace.root))
    for command, raw in (
        ([str(RCS_HOOK)], workspace.payload("UserPromptSubmit", prompt="$team", turn_id="t1")),
        ([str(RCS), "task", "new", "login"], b""),
        ([str(RCS), "question", "ask", "--mode", "team", "--text", "Which?", "--session", "s1"], b""),
    ):
        done = subprocess.run(
            command, input=raw, cwd=root, env=env, preexec_fn=shut_out, check=True, capture_output=True
        )
        assert done.stderr == b""
    found = modes(root)
    assert {".rcs/state/sessions/s1/team-state.json", ".rcs/tasks/login/state.json", ".rcs/.gitignore"} <= set(found)
    assert found == {path: "0o700" if (root / path).is_dir() else "0o600" for path in found}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["state list-active", "task list", "hud", "try $team", "doctor"])
def test_a_command_says_that_its_folder_has_gone(tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = [
        sys.executable,
        "-c",
        f"import os; os.rmdir(os.getcwd()); os.execv({str(RCS)!r}, {['rcs', *command.split()]!r})",
    ]
    done = subprocess.run(words, cwd=gone, env=clean_env(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    ours = [line for line in done.stderr.splitlines() if not line.startswith("sh: ")]  # dash has a line of its own
    assert ours == ["rcs: the working directory no longer exists; change to another folder and try again"]
