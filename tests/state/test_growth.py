"""Years of use: every read costs by what is active, not by what was. Whole processes, interleaved, as ratios."""

from __future__ import annotations

import json
import os
import random
import time
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.state import active
from rcs_hooks.state.inventory import SOURCE
from tests.bench.bench_hooks import timed
from tests.state.test_prune import question
from tests.support import RCS_HOOK, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = tuple[list[str], Callable[[Workspace], bytes]]

pytestmark = pytest.mark.slow

RCS = str(RCS_HOOK.with_name("rcs"))
ROUNDS = 10


def call(event: str, **fields: str) -> Callable[[Workspace], bytes]:
    return lambda workspace: workspace.payload(event, turn_id=f"turn-{random.random()}", **fields)


def nothing(_: Workspace) -> bytes:
    return b""


def status(workspace: Workspace) -> bytes:
    return json.dumps({"session_id": "s1", "cwd": str(workspace.root)}).encode()


PROMPT: Run = ([str(RCS_HOOK)], call("UserPromptSubmit", prompt="How do I deploy this?"))
RUNS: dict[str, Run] = {
    "hud": ([RCS, "hud"], nothing),
    "list-active": ([RCS, "state", "list-active"], nothing),
    "status line": ([RCS, "hud", "--statusline"], status),
    "prompt": PROMPT,
    "Stop": ([str(RCS_HOOK)], call("Stop", last_assistant_message="The tests pass.")),
    "doctor": ([RCS, "doctor"], nothing),
}


def ratios(runs: dict[str, Run], one: Workspace, many: Workspace) -> dict[str, float]:
    """How much longer each takes in the second workspace: the quickest of each, run in turn."""
    best = {(name, at): 60.0 for name in runs for at in (0, 1)}
    for _ in range(ROUNDS):
        for name, (command, stdin) in runs.items():
            for at in random.sample([0, 1], 2):
                workspace = (one, many)[at]
                seconds, _ = timed(command, stdin(workspace), workspace.root)
                best[name, at] = min(best[name, at], seconds)
    return {name: round(best[name, 1] / best[name, 0], 2) for name in runs}


def used(root: Path, sessions: int) -> Workspace:
    """A workspace in which forge runs in one session, and so many sessions have ended."""
    root.mkdir()
    workspace = Workspace(root, now=time.time())
    for number in range(sessions):
        workspace.write("forge", f"ended-{number}", active=False, lifecycle_outcome="finished")
        workspace.write("skill-active", f"ended-{number}", active=False, source=SOURCE)
    workspace.prompt("$forge")
    return workspace


@pytest.fixture
def two_thousand(tmp_path: Path) -> Workspace:
    return used(tmp_path / "many", 2_000)


def test_two_thousand_recent_sessions_cost_little(two_thousand: Workspace, tmp_path: Path) -> None:
    for _ in range(200):  # what so many starts of sessions do by and by
        active.keep_up(str(two_thousand.state), "new", time.time() + 60)
        if len(active.candidates(str(two_thousand.state))) <= active.FEW:
            break
    found = ratios(RUNS, used(tmp_path / "one", 0), two_thousand)
    assert all(ratio <= 1.3 for ratio in found.values()), found


def test_two_thousand_old_sessions_cost_nothing(two_thousand: Workspace, tmp_path: Path) -> None:
    month_ago = time.time() - 31 * 86_400
    for folder in two_thousand.folder("s1").parent.iterdir():
        if folder.name != "s1":
            for path in (*folder.iterdir(), folder):
                os.utime(path, (month_ago, month_ago))
    for _ in range(300):
        active.keep_up(str(two_thousand.state), "new", time.time() + 60)
        if len(list(two_thousand.folder("s1").parent.iterdir())) <= active.FEW:
            break
    assert len(list((two_thousand.state / "folded").iterdir())) >= 2_000 - active.FEW
    found = ratios(RUNS, used(tmp_path / "one", 0), two_thousand)
    assert all(ratio <= 1.2 for ratio in found.values()), found


def test_ten_thousand_questions_cost_little(tmp_path: Path) -> None:
    one, many = used(tmp_path / "one", 0), used(tmp_path / "many", 0)
    question(one, "q-1")
    for number in range(10_000):
        question(many, f"q-{number}")
    assert active.fold_questions(str(many.state), "s1", seconds=60) == 10_000 - active.MANY
    found = ratios({"prompt": PROMPT}, one, many)
    assert found["prompt"] <= 1.2, found
