"""`rcs machine show`: the steps of a machine, and the path of a run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import NOW, Workspace, clean_env, run_rcs

SESSION = "0199f0aa-1111-7222-8333-444455556666"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "HEAD").touch()
    (tmp_path / "home").mkdir()
    return Workspace(root)


def show(workspace: Workspace, *words: str, columns: int | None = None, **env: str) -> tuple[int, str, str]:
    """Status, stdout and stderr of `rcs machine show`, on a terminal of so many columns or through a pipe."""
    around = clean_env(HOME=str(workspace.root.parent / "home")) | {"TERM": "xterm"} | env
    around |= {"COLUMNS": str(columns)} if columns else {}
    done = run_rcs("machine", "show", *words, cwd=workspace.root, env=around, is_terminal=columns is not None)
    return done.returncode, done.stdout, done.stderr


def test_the_steps_are_listed_on_a_terminal_as_through_a_pipe(workspace: Workspace) -> None:
    status, listed, _ = show(workspace, "pr-review")
    assert status == 0
    assert "    -> review : parts_ready" in listed
    assert show(workspace, "pr-review", columns=80) == (0, listed, "")


# --- the path of a run


def start(workspace: Workspace) -> None:
    workspace.now = NOW
    workspace.prompt("$forge fix the login", session=SESSION)
    for phase in ("executing", "verifying", "fixing", "verifying"):
        workspace.now += 1
        done = run_rcs(
            "state", "write", "--mode", "forge", "--phase", phase, "--session", SESSION,
            cwd=workspace.root, env=clean_env(HOME=str(workspace.root.parent / "home")),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_the_path_of_a_mode_in_a_session_is_marked(workspace: Workspace) -> None:
    start(workspace)
    for given in (SESSION, SESSION[:8]):
        _, listed, _ = show(workspace, "forge", "--run", given)
        assert [line[:12].rstrip() for line in listed.splitlines() if line[:1] in "*+"] == [
            "+ starting", "+ executing", "* verifying", "+ fixing",
        ]  # fmt: skip


def test_a_session_without_such_a_run_is_refused(workspace: Workspace) -> None:
    start(workspace)
    said = f"rcs: session {SESSION} has had no run of team; `rcs log --mode team` shows those that there are\n"
    assert show(workspace, "crew", "--run", SESSION) == (1, "", said)
    assert not (workspace.root / ".rcs" / "state" / "sessions" / "other").exists()
    assert show(workspace, "forge", "--run", "other")[0] == 1
    assert show(workspace, "forge", "--run", "../x")[0] == 1


def test_a_session_that_came_with_the_repository_counts_for_nothing(workspace: Workspace) -> None:
    start(workspace)
    (workspace.folder(SESSION) / "hook-ledger.json").unlink()  # which only a prompt of the person writes
    shutil.rmtree(workspace.root / ".git")
    for words in (["init", "-q"], ["add", "-f", ".rcs"]):
        subprocess.run(["git", *words], cwd=workspace.root, env=clean_env(HOME=str(workspace.root)), check=True)
    said = f"rcs: session {SESSION} came with the repository, so it counts for nothing\n"
    assert show(workspace, "forge", "--run", SESSION) == (1, "", said)
