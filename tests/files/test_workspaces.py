"""Whose workspace a call is about: the nearest with the session's state, never `/`, the home or a stranger's folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.files.workspaces import find_root, is_found_from_below
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.mcp import tools
from tests.support import NOW, RCS_HOOK, Workspace, clean_env, run_rcs
from tests.table import each_row

RCS = Path(sys.executable).parent / "rcs"
STRANGER = 12_345
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")

# Folders to make (a name that ends in state/ID is the state of that session), cwd, session, workspace.
LAYOUTS = [
    ("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s1", "a"),
    ("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s2", "a/b"),
    ("a/.rcs/state/sessions/s1 a/b/.git", "a/b", None, "a/b"),
    ("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "../../x", "a/b"),
    # before a nearer one without it; of two, the nearest
    ("a/.rcs/state/sessions/s1 a/b/.rcs/state", "a/b", "s1", "a"),
    (".rcs/state/sessions/s1 a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s1", "a"),
    # the home is none for what is below it
    ("home/.rcs/state home/p", "home/p", None, "home/p"),
    ("home/.git home/p", "home/p", None, "home/p"),
    ("home/.rcs/state/sessions/s1 home/p/.git", "home/p", "s1", "home/p"),
    ("home/.rcs/state home/p", "home", None, "home"),
    (".git home/p", "home/p", None, "."),
]


def build(top: Path, folders: str) -> None:
    for name in folders.split():
        (top / name).mkdir(parents=True)


@each_row(("folders", "cwd", "session", "root"), LAYOUTS)
def test_the_workspace_of_a_session(tmp_path: Path, folders: str, cwd: str, session: str | None, root: str) -> None:
    build(tmp_path, folders)
    found = find_root({"HOME": str(tmp_path / "home")}, str(tmp_path / cwd), session)
    assert Path(found) == tmp_path / root


def test_the_home_is_known_through_a_link(tmp_path: Path) -> None:
    build(tmp_path, "real/.rcs/state real/p")
    (tmp_path / "home").symlink_to("real")
    assert find_root({"HOME": str(tmp_path / "home")}, str(tmp_path / "real/p")) == str(tmp_path / "real/p")


def test_the_root_of_the_file_system_is_no_workspace_of_what_lies_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    below = "/usr/lib"
    monkeypatch.setattr("rcs_hooks.files.workspaces.STATE", "usr")  # so that `/` has it, without a write there
    assert find_root({}, below) == below


@only_root
@each_row(("folders", "owned"), [
    ("outer/.rcs/state/sessions/s1", "outer"), ("outer/.rcs/state/sessions/s1", "outer/.rcs"), ("outer/.git", "outer"),
    ("outer/.git", "outer/.git"),
])  # fmt: skip
def test_what_belongs_to_another_user_is_not_adopted(tmp_path: Path, folders: str, owned: str) -> None:
    build(tmp_path, f"{folders} outer/mine")
    os.chown(tmp_path / owned, STRANGER, STRANGER)
    for session in (None, "s1"):
        assert find_root({}, str(tmp_path / "outer/mine"), session) == str(tmp_path / "outer/mine")


@only_root
def test_in_a_checkout_of_somebody_else_all_of_it_counts(tmp_path: Path) -> None:
    build(tmp_path, "theirs/.git theirs/src")
    for path in (tmp_path / "theirs", tmp_path / "theirs/.git", tmp_path / "theirs/src"):
        os.chown(path, STRANGER, STRANGER)
    assert find_root({}, str(tmp_path / "theirs/src")) == str(tmp_path / "theirs")


@only_root
@pytest.mark.parametrize("named_by", ["cwd", "RCS_ROOT", "CLAUDE_PROJECT_DIR"])
def test_a_strangers_state_in_the_workspace_itself_is_not_touched(tmp_path: Path, named_by: str) -> None:
    workspace = Workspace(tmp_path, env={} if named_by == "cwd" else {named_by: str(tmp_path)})
    workspace.write("forge")
    os.chown(tmp_path / ".rcs", STRANGER, STRANGER)
    before = workspace.snapshot()
    assert workspace.stop().output == {}
    assert workspace.prompt("hello").output == {}
    assert "belongs to another user" in workspace.prompt("$team").notice
    assert workspace.snapshot() == before


@pytest.mark.slow
def test_a_removed_working_directory_is_no_workspace(tmp_path: Path) -> None:
    script = 'mkdir "$1"; cd "$1"; rmdir "$1"; shift; exec "$@"'

    def run(*command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        words = ["sh", "-c", script, "sh", str(tmp_path / "gone"), *command]
        return subprocess.run(words, input=stdin, capture_output=True, env=clean_env(), timeout=60, check=False)

    call = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "$team"}
    said = json.loads(run(str(RCS_HOOK), stdin=json.dumps(call).encode()).stdout)
    assert "is not there, so no state is kept" in said["systemMessage"]
    done = run(str(RCS), "state", "write", "--mode", "team", "--active", "--session", "s1")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"the working directory no longer exists" in done.stderr
    assert run(str(RCS), "state", "list-active", "--root", str(tmp_path)).stdout == b"nothing is active\n"


# --- every surface finds the same one


@pytest.fixture
def nested(workspace: Workspace) -> Path:
    """A repository inside the workspace, in which the agent's shell is."""
    (workspace.root / ".git").mkdir()
    workspace.prompt("$forge")
    inner = workspace.root / "vendored"
    (inner / ".git").mkdir(parents=True)
    return inner


def test_a_command_and_a_tool_find_the_run_from_a_repository_inside(workspace: Workspace, nested: Path) -> None:
    text, failed = tools.call("state_list_active", {"session_id": "s1"}, {"PATH": os.defpath}, str(nested))
    assert (json.loads(text)["active_modes"], failed) == (["forge"], False)
    words = ["state", "write", "--mode", "forge", "--outcome", "finished", "--session", "s1"]
    done = run_rcs(*words, cwd=nested)
    assert (done.returncode, done.stderr) == (0, "")
    assert workspace.active() == []
    assert not (nested / ".rcs").exists()


def test_a_hook_finds_the_run_from_a_repository_inside(workspace: Workspace, nested: Path) -> None:
    assert workspace.stop(cwd=str(nested)).blocks
    reason = workspace.stop(cwd=str(nested)).reason
    assert "--session s1" in reason
    assert "--root" not in reason


def root_named(root: Path, cwd: Path, home: Path, session: str = "s1") -> str | None:
    environment = Environment({"HOME": str(home), "PATH": os.defpath}, str(cwd), NOW, "rcs")
    return commands(str(root), str(cwd), session, environment).root


def test_a_command_names_the_home_which_no_shell_below_finds(tmp_path: Path) -> None:
    build(tmp_path, "home/.rcs/state/sessions/s1")
    assert root_named(tmp_path / "home", tmp_path / "home", tmp_path / "home") == str(tmp_path / "home")
    assert root_named(tmp_path / "home", tmp_path / "home", tmp_path / "other") is None


@only_root
def test_a_command_names_the_checkout_of_somebody_else(tmp_path: Path) -> None:
    build(tmp_path, "theirs/.rcs/state/sessions/s1")
    os.chown(tmp_path / "theirs", STRANGER, STRANGER)
    assert not is_found_from_below(str(tmp_path / "theirs"), None)
    assert root_named(tmp_path / "theirs", tmp_path / "theirs", tmp_path) == str(tmp_path / "theirs")
