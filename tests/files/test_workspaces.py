"""Whose workspace a call is about: the nearest with the session's state, never `/`, the home or a stranger's folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.environment import Environment
from rcs_hooks.files.workspaces import find_root, is_found_from_below, may_have_state, state_folder
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.mcp import tools
from tests.support import NOW, RCS_HOOK, Workspace, clean_env
from tests.table import each_row

RCS = Path(sys.executable).parent / "rcs"
STRANGER = 12_345
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")

# Folders to make (a name that ends in state/ID is the state of that session), cwd, session, workspace.
LAYOUTS = [
    pytest.param("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s1", "a", id="the session's before the repository"),
    pytest.param("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s2", "a/b", id="another session's is none of mine"),
    pytest.param("a/.rcs/state/sessions/s1 a/b/.git", "a/b", None, "a/b", id="no session: the repository"),
    pytest.param("a/.rcs/state/sessions/s1 a/b/.rcs/state", "a/b", "s1", "a", id="before a nearer one without it"),
    pytest.param(
        ".rcs/state/sessions/s1 a/.rcs/state/sessions/s1 a/b/.git", "a/b", "s1", "a", id="the nearest that has it"
    ),
    pytest.param("a/.rcs/state/sessions/s1 a/b/.git", "a/b", "../../x", "a/b", id="an id that is no name"),
    pytest.param("home/.rcs/state home/p", "home/p", None, "home/p", id="the home is none for what is below it"),
    pytest.param("home/.git home/p", "home/p", None, "home/p", id="nor is a repository of dotfiles"),
    pytest.param("home/.rcs/state/sessions/s1 home/p/.git", "home/p", "s1", "home/p", id="nor with the session"),
    pytest.param("home/.rcs/state home/p", "home", None, "home", id="the home is one of its own"),
    pytest.param(".git home/p", "home/p", None, ".", id="the search goes on above the home"),
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
@pytest.mark.parametrize("marker", [".rcs/state", ".git"])
@pytest.mark.parametrize("whose", ["outer", "marker"])
def test_what_belongs_to_another_user_is_not_adopted(tmp_path: Path, marker: str, whose: str) -> None:
    build(tmp_path, f"outer/{marker} outer/mine")
    owned = tmp_path / "outer" if whose == "outer" else tmp_path / "outer" / marker.partition("/")[0]
    os.chown(owned, STRANGER, STRANGER)
    assert find_root({}, str(tmp_path / "outer/mine")) == str(tmp_path / "outer/mine")


@only_root
def test_a_strangers_session_of_the_same_name_is_not_adopted(tmp_path: Path) -> None:
    build(tmp_path, "outer/.rcs/state/sessions/s1 outer/mine")
    os.chown(tmp_path / "outer/.rcs", STRANGER, STRANGER)
    assert find_root({}, str(tmp_path / "outer/mine"), "s1") == str(tmp_path / "outer/mine")


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
    gone = tmp_path / "gone"
    script = 'mkdir "$1"; cd "$1"; rmdir "$1"; shift; exec "$@"'

    def run(*command: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        words = ["sh", "-c", script, "sh", str(gone), *command]
        return subprocess.run(words, input=stdin, capture_output=True, env=clean_env(), timeout=60, check=False)

    call = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": "$team"}
    said = json.loads(run(str(RCS_HOOK), stdin=json.dumps(call).encode()).stdout)
    assert "is not there, so no state is kept" in said["systemMessage"]
    for command in (["state", "list-active"], ["state", "write", "--mode", "team", "--active", "--session", "s1"]):
        done = run(str(RCS), *command)
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"the working directory no longer exists" in done.stderr
    assert run(str(RCS), "state", "list-active", "--root", str(tmp_path)).stdout == b"nothing is active\n"
    assert not Path("/.rcs").exists()


# --- every surface finds the same one


@pytest.fixture
def nested(workspace: Workspace) -> Path:
    """A repository inside the workspace, in which the agent's shell is."""
    (workspace.root / ".git").mkdir()
    workspace.prompt("$forge")
    inner = workspace.root / "vendored"
    (inner / ".git").mkdir(parents=True)
    return inner


def test_the_command_line_ends_the_run_from_a_repository_inside(workspace: Workspace, nested: Path) -> None:
    words = ["state", "write", "--mode", "forge", "--outcome", "finished", "--session", "s1"]
    done = subprocess.run([RCS, *words], cwd=nested, env=clean_env(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert workspace.active() == []
    assert not (nested / ".rcs").exists()


def test_a_tool_finds_the_run_from_a_repository_inside(workspace: Workspace, nested: Path) -> None:
    text, failed = tools.call("state_list_active", {"session_id": "s1"}, {"PATH": os.defpath}, str(nested))
    assert (json.loads(text)["active_modes"], failed) == (["forge"], False)
    assert workspace.active() == ["forge"]


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


def test_ones_own_state_is_used(tmp_path: Path) -> None:
    build(tmp_path, ".rcs/state/sessions/s1")
    assert may_have_state(str(tmp_path), "s1")
    assert state_folder(str(tmp_path)) == str(tmp_path / ".rcs/state")
