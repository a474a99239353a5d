"""A command that is typed without its action says which actions there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import clean_env, run_rcs

ACTIONS = {
    "task": "new, status, next, plan, review, codegen, test, accept, revert, collect, redo, list, schema or repl",
    "machine": "check, list or show",
    "runs": "list, show, end, prune or export",
}


@pytest.mark.parametrize(("command", "actions"), ACTIONS.items(), ids=ACTIONS)
def test_a_command_without_its_action_lists_them(command: str, actions: str, tmp_path: Path) -> None:
    done = run_rcs(command, cwd=tmp_path, env=clean_env(HOME=str(tmp_path)))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"rcs: {command} needs an action: {actions}\n"
