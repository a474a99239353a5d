"""Where a client may be started and where the agent may go: the run begins and ends in one and the same state."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import SAMPLED_ONCE, SAMPLED_WAYS, configure
from tests.real_clients.driver import SANDBOXED
from tests.real_clients.model_server import run
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, WORKING, counts, ended_well
from tests.support import RCS_HOOK, Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.configure import Scope, Transport
    from tests.real_clients.driver import Person
    from tests.real_clients.model_server import Turn

pytestmark = pytest.mark.slow


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=test", "-c", "user.email=test@localhost")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def states(folder: Path) -> list[Path]:
    """Every folder with state under this one."""
    return sorted(path.parent for path in folder.rglob(".rcs") if path.is_dir())


def finishes_in_one_state(person: Person, root: Path, *before: Turn) -> None:
    """A run that is held once, and ended by the command that was pasted; `before`: what the agent does first."""
    outcome = person.types("$forge ship this fix", *before, WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1] * (len(before) + 3)
    assert outcome.requests[-1].count("forge: finished") >= 1
    assert states(root.parent) == [root]
    assert Workspace(root).active(outcome.session) == []
    assert Workspace(root).read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- a path with blanks


@SAMPLED_WAYS
@pytest.mark.parametrize("name", [pytest.param("two words", marks=pytest.mark.full), "it's ä $HOME `x`"])
def test_a_path_with_blanks(person: Person, tmp_path: Path, transport: Transport, name: str) -> None:
    person.workspace = tmp_path / name / "work space"
    person.workspace.mkdir(parents=True)
    git(person.workspace, "init", "-q")
    configure(person.client, person.workspace, transport)
    person.trusts(person.workspace)
    finishes_in_one_state(person, person.workspace)


def test_a_state_elsewhere_whose_path_has_blanks(person: Person, tmp_path: Path) -> None:
    """The agent's shell would find another workspace, so the command that is pasted names this one."""
    root = person.workspace / "else where"
    root.mkdir()
    person.env["RCS_ROOT"] = str(root)
    configure(person.client, person.workspace, "command")
    finishes_in_one_state(person, root)


@pytest.mark.full
def test_a_home_with_blanks(person: Person, tmp_path: Path) -> None:
    person.home = tmp_path / "my home"
    person.trusts(person.workspace)
    configure(person.client, person.workspace, "command")
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3


# --- a subfolder


def in_subfolder(person: Person) -> Path:
    """Goes into a subfolder; returns where it was."""
    root = person.workspace
    person.workspace = root / "a" / "b"
    person.workspace.mkdir(parents=True)
    return root


@pytest.mark.full
@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("client", ["codex", "copilot"])
def test_codex_and_copilot_cli_in_a_subfolder_have_the_hooks_of_the_project_and_its_state(
    person: Person, scope: Scope
) -> None:
    configure(person.client, person.workspace if scope == "project" else person.home, "command", scope=scope)
    root = in_subfolder(person)
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    outcome = person.types("$forge ship this fix", WORKING)
    assert counts(outcome, DETECTED) == [1]
    assert states(root.parent) == [root]


@pytest.mark.parametrize("client", ["codex"])
def test_codex_in_a_subfolder_keeps_one_state(person: Person) -> None:
    """Its agent may not write that state, for it lies outside the subfolder; so the run is held once, and let go."""
    if person.sandbox != SANDBOXED:
        pytest.skip("Codex has no sandbox on this machine")
    configure("codex", person.workspace, "command")
    root = in_subfolder(person)
    outcome = person.types("$forge ship this fix", WORKING, FINISH, DONE)
    assert states(root.parent) == [root]
    assert Workspace(root).active(outcome.session) == ["forge"]
    assert len(outcome.requests) == 1 + 1 + 1


@pytest.mark.parametrize("client", ["codex"])
def test_codex_in_a_subfolder_finishes_where_its_agent_may_write_the_state(person: Person) -> None:
    if person.sandbox != SANDBOXED:
        pytest.skip("Codex has no sandbox on this machine")
    configure("codex", person.workspace, "command")
    root = in_subfolder(person)
    person.trusts(root, writable=root / ".rcs")
    finishes_in_one_state(person, root)


OF_ONE_FOLDER = ["claude", *(pytest.param(client, marks=pytest.mark.full) for client in ("qwen", "gemini"))]


@pytest.mark.parametrize("client", OF_ONE_FOLDER)
def test_other_clients_in_a_subfolder_have_only_the_hooks_of_the_user(person: Person) -> None:
    """They read a project's settings from the folder that they are started in, and nowhere above."""
    configure(person.client, person.workspace, "command")
    in_subfolder(person)
    outcome = person.types("$forge ship this fix", WORKING)
    assert counts(outcome, "[rcs]") == [0]


@pytest.mark.parametrize("client", OF_ONE_FOLDER)
def test_other_clients_in_a_subfolder_keep_one_state(person: Person) -> None:
    configure(person.client, person.home, "command", scope="user")
    in_subfolder(person)
    finishes_in_one_state(person, person.workspace)


@pytest.mark.full
def test_hooks_of_the_user_work_without_any_in_the_project(person: Person) -> None:
    configure(person.client, person.home, "command", scope="user")
    finishes_in_one_state(person, person.workspace)


@pytest.mark.full
def test_an_agent_that_goes_into_a_subfolder_stays_in_the_same_state(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    finishes_in_one_state(person, person.workspace, run("mkdir -p a/b && cd a/b"))


def test_an_agent_that_goes_into_a_repository_inside_stays_in_the_same_state(person: Person) -> None:
    configure(person.client, person.workspace, "command")
    finishes_in_one_state(person, person.workspace, run("git init -q 'in side' && cd 'in side'"))


def test_the_pasted_command_ends_the_run_from_a_repository_inside(person: Person) -> None:
    """In one line, as an agent goes into a nested checkout and reports from there."""
    configure(person.client, person.workspace, "command")
    finish = run(r"git init -q 'in side' && cd 'in side' && \1--outcome finished\2", FINISH.find)
    outcome = person.types("$forge ship this fix", WORKING, finish, DONE)
    assert ended_well(outcome)
    assert len(outcome.requests) == 3
    assert outcome.requests[-1].count("forge: finished") >= 1
    assert states(person.workspace.parent) == [person.workspace]
    assert Workspace(person.workspace).active(outcome.session) == []
    assert Workspace(person.workspace).read("forge", outcome.session)["lifecycle_outcome"] == "finished"


# --- a worktree


@SAMPLED_ONCE
def test_a_worktree_has_a_state_of_its_own(person: Person, tmp_path: Path, transport: Transport) -> None:
    configure(person.client, person.workspace, transport)
    git(person.workspace, "add", "-A")
    git(person.workspace, "commit", "-q", "-m", "With hooks")
    worktree = tmp_path / "work tree"
    git(person.workspace, "worktree", "add", "-q", "--detach", str(worktree))
    person.trusts(person.workspace, worktree)
    person.workspace = worktree
    finishes_in_one_state(person, worktree)


@pytest.mark.full
def test_a_folder_without_a_repository(person: Person) -> None:
    shutil.rmtree(person.workspace / ".git")
    configure(person.client, person.workspace, "command")
    finishes_in_one_state(person, person.workspace)


# --- the agent's shell


@pytest.mark.parametrize("client", ["codex", "claude"])
def test_the_pasted_command_is_found_where_a_login_shell_has_another_path(person: Person) -> None:
    person.home.mkdir(exist_ok=True)
    (person.home / ".bash_profile").write_text("export PATH=/usr/local/bin:/usr/bin:/bin\n")
    person.env["PATH"] = f"{RCS_HOOK.parent}:/usr/local/bin:/usr/bin:/bin"
    configure(person.client, person.workspace, "command")
    finishes_in_one_state(person, person.workspace)
