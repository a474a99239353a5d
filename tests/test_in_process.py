"""The tests' runner of `rcs` prints what the program prints, and leaves nothing behind in this process."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from tests.support import RCS_HOOK, Workspace, clean_env, few, run_rcs

RCS = RCS_HOOK.with_name("rcs")
CALLS: dict[str, list[str]] = {
    "no command": [],
    "the version": ["--version"],
    "help": ["state", "--help"],
    "no such command": ["stats"],
    "a usage error": ["state", "write", "--iteration", "two"],
    "a refusal": ["state", "write", "--mode", "team", "--outcome", "finished", "--session", "s2"],
    "a refusal as JSON": ["state", "read", "--input", "[]", "--json"],
    "a result": ["state", "list-active", "--session", "s1", "--json"],
    "a result that goes by a variable": ["state", "list-active"],
    "another folder": ["state", "list-active", "--root", "."],
    "what reads stdin": ["try"],
    "a line of the HUD": ["hud"],
    "the status line": ["hud", "--statusline"],
    "an overlay": ["overlay", "show"],
    "a machine": ["machine", "list"],
    "no runs": ["runs", "list"],
    "no task": ["task", "status", "login"],
    "what setup would do": ["setup", "--dry-run", "--client", "all"],
    "a doctor": ["doctor"],
    "a switch": ["off"],
    "a question": ["question", "list"],
    "a wrong emit": ["emit"],
    "a completion": ["completion", "bash"],
}


@pytest.mark.parametrize("name", few(CALLS, 8))
def test_the_program_says_and_does_the_same(name: str, workspace: Workspace) -> None:
    workspace.now = time.time()
    home = workspace.root / "home"
    home.mkdir()
    workspace.prompt("$team $forge é")
    env = clean_env(HOME=str(home), RCS_SESSION_ID="s1", COLUMNS="80")
    before = workspace.snapshot()
    given = b'{"session_id": "s1"} \xc3\xa9'
    words = CALLS[name]
    here = run_rcs(*words, cwd=workspace.root, env=env, stdin=given)
    after = workspace.snapshot()
    for path in set(after) - set(before):
        (workspace.root / ".rcs" / path).unlink()
    done = subprocess.run([RCS, *words], cwd=workspace.root, env=env, input=given, capture_output=True, check=False)
    assert (here.returncode, here.stdout, here.stderr) == (done.returncode, done.stdout.decode(), done.stderr.decode())
    assert workspace.snapshot() == after


def test_nothing_of_a_call_is_left(workspace: Workspace) -> None:
    def around() -> tuple[object, ...]:
        os.umask(mask := os.umask(0o022))
        return os.getcwd(), dict(os.environ), mask, sys.stdin, sys.stdout, sys.stderr, len(os.listdir("/proc/self/fd"))

    before = around()
    run_rcs("state", "list-active", cwd=workspace.root, env={"RCS_SESSION_ID": "s1"}, umask=0o077)
    run_rcs("state", "write", "--mode", "nothing", cwd=workspace.root, env={})
    assert around() == before


def test_the_zone_is_that_of_the_call(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    before = time.localtime(0).tm_gmtoff

    def hour(zone: str) -> str:
        done = run_rcs("log", cwd=workspace.root, env=clean_env(TZ=zone))
        return done.stdout.split()[1][:2]

    assert [hour(zone) for zone in ("UTC", "XYZ-9", "UTC")] == ["22", "07", "22"]
    assert time.localtime(0).tm_gmtoff == before
