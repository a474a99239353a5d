"""Two copies of one program, called for the same Stop: the one that comes to run late counts nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import Workspace, clean_env, run_hook

LATE = 'while [ ! -e "$1" ]; do sleep 0.02; done; exec "$0" -P -c "$2"'
CODE = "from rcs_hooks.hook.entry import main; main()"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells when a process was started")
def test_a_copy_that_was_started_with_the_first_and_runs_after_it_counts_nothing(workspace: Workspace) -> None:
    env = clean_env()
    run_hook(workspace.payload("UserPromptSubmit", turn_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    stop = workspace.payload("Stop", turn_id="t1", stop_hook_active=False, last_assistant_message="I work.")
    go = workspace.root / "go"
    with subprocess.Popen(
        ["sh", "-c", LATE, sys.executable, str(go), CODE],
        cwd=workspace.root,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as late:
        first = subprocess.run(
            [sys.executable, "-P", "-c", CODE], input=stop, cwd=workspace.root, env=env, capture_output=True, check=True
        ).stdout
        go.touch()
        said, _ = late.communicate(stop, timeout=60)
    assert json.loads(first)["decision"] == "block"
    assert said == b"{}\n"


@pytest.mark.slow
def test_notes_from_the_future_let_no_stop_pass(workspace: Workspace) -> None:
    env = clean_env()
    run_hook(workspace.payload("UserPromptSubmit", prompt_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    stop = workspace.payload("Stop", prompt_id="t1", stop_hook_active=False, last_assistant_message="I work.")
    said = []
    for _ in range(3):
        said.append(json.loads(run_hook(stop, cwd=workspace.root, env=env)[0]).get("decision"))
        later = time.time() + 7_200
        os.utime(workspace.folder("s1") / "hook-ledger.json", (later, later))
    assert said == ["block"] * 3


HELD_UP = """
import sys, time
def wait(event, words):
    end = time.time() + 0.2
    while event == "open" and words[0] == "/proc/self/stat" and time.time() < end:
        pass
sys.addaudithook(wait)
from rcs_hooks.environment import real_environment
print(real_environment().began())
"""


@pytest.mark.slow
def test_a_call_that_is_held_up_while_it_looks_at_its_start_seems_no_older(workspace: Workspace) -> None:
    """It would be taken for a late copy of the last Stop, and no program would hold this one."""
    before = time.time()
    said = subprocess.run(
        [sys.executable, "-P", "-c", HELD_UP], cwd=workspace.root, env=clean_env(), capture_output=True, check=True
    ).stdout
    assert float(said) >= before
