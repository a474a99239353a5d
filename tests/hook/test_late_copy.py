"""Two copies of one program, called for the same Stop: the one that comes to run late counts nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Workspace, clean_env, run_hook

LATE = 'while [ ! -e "$1" ]; do sleep 0.02; done; exec "$0" -P -c "$2"'
CODE = "from rcs_hooks.hook.entry import main; main()"


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
