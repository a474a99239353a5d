"""Two installed programs, called one after the other for the same Stop: it is counted once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from rcs_hooks.clients.lines import hook_command
from tests.support import CHECKOUT, HOOKS, Workspace, clean_env, few, run_hook

SETUP = ("/bin/sh", "-c", hook_command(sys.executable))
PLUGIN = ("/bin/sh", str(HOOKS / "plugin"), "stop")
ORDERS = {
    "setup, then the plugin": (SETUP, PLUGIN),
    "the plugin, then setup": (PLUGIN, SETUP),
}


@pytest.mark.parametrize("order", few(ORDERS.values(), 1), ids=ORDERS)
def test_a_stop_that_two_programs_are_told_of_is_counted_once(
    workspace: Workspace, order: tuple[tuple[str, ...], ...]
) -> None:
    env = clean_env() | {"RCS_PYTHON": sys.executable, "CLAUDE_PLUGIN_ROOT": str(CHECKOUT)}
    run_hook(workspace.payload("UserPromptSubmit", turn_id="t1", prompt="$forge go"), cwd=workspace.root, env=env)
    stop = workspace.payload("Stop", turn_id="t1", last_assistant_message="I work.")
    said = [
        subprocess.run(program, input=stop, cwd=workspace.root, env=env, capture_output=True, check=True).stdout
        for program in order
    ]
    assert json.loads(said[0])["decision"] == "block"
    assert said[1] == said[0]
    assert json.loads((workspace.folder("s1") / "hook-ledger.json").read_text())["stops"]["in_a_row"] == 1
