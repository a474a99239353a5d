"""The checkout's plugin for Claude Code, in two clients that run such plugins too: Copilot CLI and Qwen Code."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.configure import RCS, configure
from tests.real_clients.driver import PATH, isolation
from tests.real_clients.model_server import run
from tests.real_clients.test_turns import DETECTED, DONE, FINISH, REASON, WORKING, counts, ended_well
from tests.support import CHECKOUT, clean_env

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Outcome, Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow]

BOTH = pytest.mark.parametrize("client", ["copilot", "qwen"])
QWEN = pytest.mark.parametrize("client", ["qwen"])
PARTS = (".claude-plugin", "hooks", "rcs_hooks")
NAME = "it's a plugin"
PROMPT = "$forge ship this fix"


def plug_in(person: Person, folder: Path, name: str = NAME) -> None:
    """Take a copy of the plugin, in a folder whose path has blanks and an apostrophe."""
    plugin = folder / name
    plugin.mkdir()
    for part in PARTS:
        shutil.copytree(CHECKOUT / part, plugin / part, ignore=shutil.ignore_patterns("__pycache__"))
    if person.client == "copilot":
        person.options = (f"--plugin-dir={plugin}",)
        return
    person.home = folder / f"{name} at home"
    person.home.mkdir()
    words = [*isolation(), str(person.program.path), "extensions", "install", "--consent", f"{plugin}:rcs"]
    env = clean_env(HOME=str(person.home)) | person.adapter.env(person)
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def plugged(person: Person, tmp_path: Path) -> Person:
    """A person whose PATH leads to an installed `rcs-hook`, and so to a Python with the packages."""
    plug_in(person, tmp_path)
    person.env["PATH"] = f"{RCS.parent}:{PATH}"
    return person


def is_led(outcome: Outcome, workspace: Workspace) -> bool:
    """Tell whether the run was told once, held and finished."""
    assert ended_well(outcome)
    assert counts(outcome, DETECTED) == [1, 1, 1]
    assert [count > 0 for count in counts(outcome, REASON)] == [False, True, True]
    assert workspace.active(outcome.session) == []
    return bool(workspace.read("forge", outcome.session)["lifecycle_outcome"] == "finished")


@BOTH
def test_a_whole_turn(plugged: Person, workspace: Workspace) -> None:
    assert is_led(plugged.types(PROMPT, WORKING, FINISH, DONE), workspace)


@BOTH
@pytest.mark.full
def test_beside_the_hooks_of_the_project_a_prompt_counts_once(plugged: Person, workspace: Workspace) -> None:
    configure(plugged.client, plugged.workspace, "command")
    assert is_led(plugged.types(PROMPT, WORKING, FINISH, DONE), workspace)


@BOTH
def test_beside_the_hooks_of_the_project_each_stop_counts_once(plugged: Person, workspace: Workspace) -> None:
    configure(plugged.client, plugged.workspace, "command")
    outcome = plugged.types(PROMPT, WORKING)
    assert ended_well(outcome)
    assert len(outcome.requests) == 1 + 5
    assert counts(outcome, DETECTED) == [1] * 6
    assert workspace.active(outcome.session) == ["forge"]


@BOTH
def test_without_a_python_that_will_do_the_turn_goes_on(person: Person, workspace: Workspace, tmp_path: Path) -> None:
    """Neither client shows what a hook says at a prompt."""
    plug_in(person, tmp_path)
    person.env |= {"PATH": empty_path(tmp_path, person), "RCS_PYTHON": "/nonexistent/python3"}
    outcome = person.types(PROMPT, run("true"), DONE)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0, 0]
    assert not (workspace.root / ".rcs").exists()


def empty_path(folder: Path, person: Person) -> str:
    """Make a folder for PATH that has what the client needs and no Python."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("sh", "bash", "git", "true", "cat", "grep", "ps", "dirname", "uname", "env"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)
    return str(programs)


@BOTH
@pytest.mark.full
def test_a_path_that_the_client_cannot_put_into_a_shell_line_costs_nothing(person: Person, tmp_path: Path) -> None:
    """Both put the path into the line as it stands: a quotation mark in it ends a word. Claude Code does not."""
    plug_in(person, tmp_path, 'a "plugin"')
    person.env["PATH"] = f"{RCS.parent}:{PATH}"
    outcome = person.types(PROMPT, run("true"), DONE)
    assert ended_well(outcome)
    assert counts(outcome, "[rcs]") == [0, 0]


@QWEN
@pytest.mark.parametrize("file", [".env", pytest.param(".qwen/.env", marks=pytest.mark.full)])
def test_a_repository_chooses_no_python(plugged: Person, workspace: Workspace, tmp_path: Path, file: str) -> None:
    """Qwen Code takes variables from a file of the workspace."""
    evil, data = workspace.root / "evil", workspace.root / "data"
    marker = tmp_path / "evil was here"
    root = plugged.home / ".qwen/extensions/rcs"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {shlex.quote(str(marker))}\nexec {shlex.quote(sys.executable)} "$@"\n')
    evil.chmod(0o755)
    (workspace.root / "hooks").mkdir()
    shutil.copy(evil, workspace.root / "hooks/plugin")
    for key in (f"{root}|", f"{root}|{evil}"):
        data.mkdir(exist_ok=True)
        (data / "python").write_text(f"{key}\n{evil}\n\n")
    lines = {"RCS_PYTHON": evil, "CLAUDE_PLUGIN_DATA": data, "CLAUDE_PLUGIN_ROOT": workspace.root}
    (workspace.root / file).parent.mkdir(exist_ok=True)
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    (workspace.root / file).write_text(f"{text}QWEN_CODE_SESSION_ID=\nRCS_ENV_IS_READ=yes\n")
    outcome = plugged.types(PROMPT, run("echo read:$RCS_ENV_IS_READ"), WORKING, FINISH, DONE)
    assert outcome.requests[1].count("read:yes") >= 1
    assert counts(outcome, DETECTED) == [1] * 4
    assert not marker.exists(), marker.read_text()
    assert workspace.active(outcome.session) == []
