"""Copilot CLI calls every program for one prompt, one after the other, names no turn, and the last context wins."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rcs_hooks.clients.lines import hook_command
from tests.support import HOOKS, Workspace, clean_env

SETUP = ("/bin/sh", "-c", hook_command(sys.executable))
SCRIPT = (sys.executable, str(HOOKS / "user_prompt_submit.py"))


def said(workspace: Workspace, program: tuple[str, ...], text: str, moment: str) -> str:
    """The context that Copilot CLI would read."""
    call = workspace.payload("UserPromptSubmit", prompt=text, timestamp=f"2026-11-18T22:58:{moment}Z")
    env = clean_env(COPILOT_CLI="1")
    done = subprocess.run(
        program, input=call, stdout=subprocess.PIPE, cwd=workspace.root, env=env, check=True, timeout=60
    )
    context: str = json.loads(done.stdout).get("additionalContext", "")
    return context


@pytest.mark.slow
@pytest.mark.parametrize("second", [SCRIPT, SETUP], ids=["another program", "the same line once more"])
def test_the_second_program_of_one_prompt_says_and_writes_nothing(
    workspace: Workspace, second: tuple[str, ...]
) -> None:
    assert "initialized: " in said(workspace, SETUP, "$forge go", "18.133")
    before = workspace.snapshot()
    assert said(workspace, second, "$forge go", "18.133") == ""
    assert workspace.snapshot() == before


def test_the_second_program_takes_up_no_cancelled_run(workspace: Workspace) -> None:
    said(workspace, SETUP, "$team go", "17.000")
    assert "initialized: " in said(workspace, SETUP, "$cancel $forge", "18.133")
    before = workspace.workflow_state()
    assert said(workspace, SCRIPT, "$cancel $forge", "18.133") == ""
    assert workspace.workflow_state() == before


def test_a_prompt_that_the_person_sends_twice_is_two_prompts(workspace: Workspace) -> None:
    """However soon, and by the same program or another one."""
    said(workspace, SETUP, "$forge go", "18.133")
    assert "already running" in said(workspace, SETUP, "$forge go", "18.134")
    assert "already running" in said(workspace, SCRIPT, "$forge go", "18.135")


def test_a_client_that_names_no_moment_either_is_heard_each_time(workspace: Workspace) -> None:
    workspace.prompt("$forge go", turn_id=None)
    assert "already running" in workspace.prompt("$forge go", turn_id=None).context


def test_the_turn_goes_before_the_moment(workspace: Workspace) -> None:
    """A client that names both, and calls each program at a moment of its own, still tells of one prompt."""
    workspace.prompt("$forge go", turn_id="t1", timestamp="2026-11-18T22:58:18.133Z")
    assert workspace.prompt("$forge go", turn_id="t1", timestamp="2026-11-18T22:58:18.134Z").line == "{}"
    assert workspace.prompt("$forge go", turn_id="t2", timestamp="2026-11-18T22:58:18.133Z").context
