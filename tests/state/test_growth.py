"""Years of use: a hook costs by what is active, not by what was. Whole processes, interleaved, as ratios of what they
take of the processor: others of this machine do not count.
"""

from __future__ import annotations

import json
import os
import random
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state.session import NATIVE_HOOK
from tests.bench.bench_hooks import timed
from tests.support import RCS_HOOK, Workspace, of_children

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = tuple[list[str], Callable[[Workspace], bytes]]

pytestmark = [pytest.mark.slow, pytest.mark.alone]

RCS = str(RCS_HOOK.with_name("rcs"))
ROUNDS = 10
MOST_ROUNDS = 100
"""Tried while a ratio is over its limit: what is less than all before is nearer to the truth."""


def call(event: str, **fields: str) -> Callable[[Workspace], bytes]:
    return lambda workspace: workspace.payload(event, turn_id=f"turn-{random.random()}", **fields)


def nothing(_: Workspace) -> bytes:
    return b""


def status(workspace: Workspace) -> bytes:
    return json.dumps({"session_id": "s1", "cwd": str(workspace.root)}).encode()


def starts(workspace: Workspace) -> bytes:
    return workspace.payload("SessionStart", f"new-{random.randrange(10**9)}", source="startup")


LISTS: dict[str, Run] = {
    "list-active": ([RCS, "state", "list-active"], nothing),
    "hud": ([RCS, "hud"], nothing),
    "overview": ([RCS, "status"], nothing),
}
RUNS: dict[str, Run] = {
    "status line": ([RCS, "hud", "--statusline"], status),
    "SessionStart": ([str(RCS_HOOK)], starts),
    "prompt": ([str(RCS_HOOK)], call("UserPromptSubmit", prompt="How do I deploy this?")),
    "Stop": ([str(RCS_HOOK)], call("Stop", last_assistant_message="The tests pass.")),
}


def taken(run: Run, workspace: Workspace) -> float:
    """Return the seconds of the processor that it takes."""
    command, stdin = run
    before = of_children()
    timed(command, stdin(workspace), workspace.root)
    return of_children() - before


def ratios(runs: dict[str, Run], one: Workspace, many: Workspace, most: float) -> dict[str, float]:
    """Return how much more those take in the second workspace that are over `most`: the least of each, run in turn."""
    best = {(name, at): 60.0 for name in runs for at in (0, 1)}
    for number in range(1, MOST_ROUNDS + 1):
        for name, run in runs.items():
            for at in random.sample([0, 1], 2):
                best[name, at] = min(best[name, at], taken(run, (one, many)[at]))
        found = {name: round(best[name, 1] / best[name, 0], 2) for name in runs}
        if number >= ROUNDS and max(found.values()) <= most:
            return {}
    return {name: ratio for name, ratio in found.items() if ratio > most}


def used(root: Path, sessions: int) -> Workspace:
    """A workspace in which forge runs in one session, and so many sessions have ended."""
    root.mkdir()
    workspace = Workspace(root, now=time.time())
    for number in range(sessions):
        workspace.write("forge", f"ended-{number}", active=False, lifecycle_outcome="finished")
        workspace.write("skill-active", f"ended-{number}", active=False, source=NATIVE_HOOK)
    workspace.prompt("$forge")
    return workspace


@pytest.fixture
def two_thousand(tmp_path: Path) -> Workspace:
    return used(tmp_path / "many", 2_000)


def aged(workspace: Workspace) -> None:
    """All but s1 were written a month ago."""
    month_ago = time.time() - 31 * 86_400
    for folder in workspace.folder("s1").parent.iterdir():
        if folder.name != "s1":
            for path in (*folder.iterdir(), folder):
                os.utime(path, (month_ago, month_ago))


def test_two_thousand_sessions_cost_a_hook_nothing(two_thousand: Workspace, tmp_path: Path) -> None:
    assert ratios(RUNS, used(tmp_path / "one", 0), two_thousand, 1.3) == {}


def test_a_list_of_two_thousand_old_sessions_takes_a_second_at_most(two_thousand: Workspace) -> None:
    aged(two_thousand)
    for run in LISTS.values():
        assert min(taken(run, two_thousand) for _ in range(3)) < 1.0
