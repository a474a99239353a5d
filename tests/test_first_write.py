"""Outside git, the first write of each surface says once which folder has become the workspace."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.files import first_write
from rcs_hooks.mcp import tools
from tests.support import Workspace, clean_env, run_rcs

RUN = ("--type", "status_change", "--workflow", "nope", "--step", "a", "--data", '{"status": "running"}')
STATE = "{0} is in no git repository, so it is the workspace itself; its state is in {0}/.rcs"
OF_RUN = "{} is in no git repository, so it is the workspace of this run"

Surface = Callable[[Workspace, int], str]
"""Writes for the nth time, and returns all that is said then."""


def env_of(workspace: Workspace) -> dict[str, str]:
    return clean_env(HOME=str(workspace.root.parent / "home"))


def rcs(workspace: Workspace, *words: str) -> str:
    done = run_rcs(*words, cwd=workspace.root, env=env_of(workspace) | workspace.env)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def called(workspace: Workspace, tool: str, **arguments: object) -> str:
    text, is_error = tools.call(tool, arguments, env_of(workspace) | workspace.env, str(workspace.root))
    assert not is_error, text
    return text


def emit_arguments(count: int) -> dict[str, object]:
    data = {"status": "running"}
    return {"type": "status_change", "workflow": "nope", "run_id": f"r{count}", "step": "a", "data": data}


SURFACES: dict[str, tuple[str, Surface]] = {
    "a prompt": (STATE, lambda each, count: each.prompt("$forge go", f"s{count}").notice),
    "rcs state write": (
        STATE,
        lambda each, count: rcs(each, "state", "write", "--mode", "forge", "--active", "--session", f"s{count}"),
    ),
    "rcs task new": (STATE, lambda each, count: rcs(each, "task", "new", f"t{count}")),
    "rcs task new --json": (STATE, lambda each, count: rcs(each, "task", "new", f"t{count}", "--json")),
    "rcs emit": (OF_RUN, lambda each, count: rcs(each, "emit", *RUN, "--run-id", f"r{count}")),
    "state_write over MCP": (
        STATE,
        lambda each, count: called(each, "state_write", mode="forge", active=True, session_id=f"s{count}"),
    ),
    "emit over MCP": (OF_RUN, lambda each, count: called(each, "emit", **emit_arguments(count))),
    "a prompt over MCP": (
        STATE,
        lambda each, count: called(
            each, "hook_user_prompt_submit", session_id=f"s{count}", cwd=str(each.root), prompt="$forge go"
        ),
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Workspace:
    """A folder in no repository, and a home beside it."""
    for name in ("home", "my work"):
        (tmp_path / name).mkdir()
    return Workspace(tmp_path / "my work")


@pytest.mark.parametrize("name", SURFACES)
def test_the_first_write_outside_git_names_the_workspace_once(folder: Workspace, name: str) -> None:
    says, write = SURFACES[name]
    assert says.format(folder.root) in write(folder, 1)
    assert "workspace" not in write(folder, 2)


@pytest.mark.parametrize("name", SURFACES)
def test_in_a_repository_nothing_is_said_of_it(folder: Workspace, name: str) -> None:
    assert "workspace itself" not in (said := SURFACES[name][1](folder.in_git(), 1))
    assert "workspace of" not in said


def test_a_folder_that_a_variable_names_is_no_news(folder: Workspace) -> None:
    folder.env["RCS_ROOT"] = str(folder.root)
    assert folder.prompt("$forge go").notice == "rcs: forge started"


def test_a_prompt_that_starts_nothing_names_no_workspace(folder: Workspace) -> None:
    assert folder.prompt("what does $forge do?").notice.count("workspace") == 0
    assert not (folder.root / ".rcs").exists()


def test_a_write_that_is_refused_names_no_workspace(folder: Workspace) -> None:
    done = run_rcs("state", "write", "--mode", "nope", "--active", cwd=folder.root, env=env_of(folder))
    assert done.returncode != 0
    assert "workspace" not in done.stdout + done.stderr
    assert not (folder.root / ".rcs").exists()


def test_below_a_workspace_it_is_the_workspace_that_counts(folder: Workspace) -> None:
    folder.prompt("$forge go")
    below = Workspace(folder.root / "below")
    below.root.mkdir()
    assert below.prompt("$forge go", "s2").notice == "rcs: forge started"
    assert not (below.root / ".rcs").exists()


def test_the_write_has_it_as_a_warning_for_programs(folder: Workspace) -> None:
    said = json.loads(rcs(folder, "state", "write", "--mode", "forge", "--active", "--session", "s1", "--json"))
    assert said["warnings"] == [STATE.format(folder.root)]


def test_a_path_of_somebody_else_moves_no_cursor(tmp_path: Path) -> None:
    assert "\x1b" not in first_write.line_of_run(str(tmp_path / "a\x1b[2Jb"), {})
    assert len(first_write.line("/" + "x" * 4000, {})) < 400
