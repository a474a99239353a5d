"""`rcs machine show` on a terminal: a picture where one fits, the list where it does not; and the path of a run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import NOW, Workspace, clean_env, run_rcs
from tests.table import each_row

SESSION = "0199f0aa-1111-7222-8333-444455556666"
NARROW = "\nListed, not drawn: a picture of it is {} columns wide.\n"


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


def skill(workspace: Workspace, name: str, diagram: str) -> None:
    path = workspace.root / ".claude" / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n{diagram}\n```\n")


def test_a_terminal_gets_a_picture_and_a_pipe_the_list(workspace: Workspace) -> None:
    _, drawn, _ = show(workspace, "pr-review", columns=80, NO_COLOR="1")
    status, listed, _ = show(workspace, "pr-review")
    assert status == 0
    assert "│ split │" in drawn
    assert "    -> review : parts_ready" in listed
    assert "│" not in listed
    assert show(workspace, "pr-review", "--list", columns=80) == (0, listed, "")
    assert show(workspace, "pr-review", "--draw") == (0, drawn, "")


def test_where_the_picture_is_too_wide_the_steps_are_listed_and_the_reason_is_said(workspace: Workspace) -> None:
    skill(workspace, "wide", f"[*] --> {'wide' * 12}\n{'wide' * 12} --> [*]")
    _, listed, _ = show(workspace, "wide")
    assert show(workspace, "wide", columns=44) == (0, listed + NARROW.format(53), "")
    status, drawn, _ = show(workspace, "wide", "--draw", columns=44, NO_COLOR="1")
    assert status == 0
    assert f"│ {'wide' * 12}  │" in drawn


def test_what_nobody_could_follow_is_never_drawn(workspace: Workspace) -> None:
    skill(workspace, "many", "[*] --> s0\n" + "\n".join(f"s{n} --> s{n + 1}" for n in range(80)))
    said = "81 steps are too many for a picture"
    assert show(workspace, "many", columns=200)[1].endswith(f"\nListed, not drawn: {said}.\n")
    refused = f"rcs: many: {said}; `rcs machine show many --list` lists its steps\n"
    assert show(workspace, "many", "--draw") == (1, "", refused)


@each_row(
    "env, has_colours, is_ascii",
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "linux"}, True, True),
    ],
)
def test_the_picture_is_what_the_terminal_can_show(
    workspace: Workspace, env: dict[str, str], has_colours: bool, is_ascii: bool
) -> None:
    _, drawn, _ = show(workspace, "pr-review", columns=80, **env)
    assert ("\x1b[" in drawn) == has_colours
    assert drawn.isascii() == is_ascii
    assert ("| split |" if is_ascii else "│ split │") in drawn.replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_a_terminal_that_knows_ascii_alone_gets_ascii(workspace: Workspace) -> None:
    _, drawn, _ = show(workspace, "pr-review", "--draw", PYTHONIOENCODING="ascii")
    assert "| split |" in drawn
    assert "?" not in drawn


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
        status, drawn, _ = show(workspace, "forge", "--run", given, columns=80, NO_COLOR="1")
        assert status == 0
        assert "Heavy lines: the path of the run. Double lines: where it is, or ended." in drawn
        assert "║ verifying ║" in drawn
        assert "┃  fixing   ┃" in drawn
        assert "│ approach_is_wrong" in drawn  # was not taken
    _, listed, _ = show(workspace, "forge", "--run", SESSION)
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
    shutil.rmtree(workspace.root / ".git")
    for words in (["init", "-q"], ["add", "-f", ".rcs"]):
        subprocess.run(["git", *words], cwd=workspace.root, env=clean_env(HOME=str(workspace.root)), check=True)
    said = f"rcs: session {SESSION} came with the repository, so it counts for nothing\n"
    assert show(workspace, "forge", "--run", SESSION) == (1, "", said)
