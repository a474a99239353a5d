"""How much of the processor the server takes for a call when it is warm."""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.bench.warm import RCS, a_prompt_call, a_stop_call, is_block, of_the_processor, served
from tests.support import Workspace, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.alone]

WINDOW, MOST_WINDOWS = 100, 40
"""Calls of which the median is taken, and how often that is done again while it is over the limit: others only add."""


def nothing(_: Path) -> None:
    pass


def team_runs(root: Path) -> None:
    Workspace(root, now=time.time()).prompt("$team")


def team_has_ended(root: Path) -> None:
    team_runs(root)
    words = ["state", "write", "--mode", "team", "--session", "s1", "--outcome", "finished"]
    subprocess.run([*RCS, *words], cwd=root, env=clean_env(), check=True, stdout=subprocess.DEVNULL)


def a_later_stop_call(root: Path, number: int) -> dict[str, Any]:
    fields = {"session_id": "s1", "cwd": str(root), "prompt_id": f"turn-{number}", "stop_hook_active": "false"}
    return {"name": "hook_stop", "arguments": fields | {"last_assistant_message": "The tests pass now."}}


def is_silent(said: str) -> bool:
    return said == "{}"


class Warm(NamedTuple):
    """A warm call, and the seconds of the server's processor that it takes at most."""

    prepare: Callable[[Path], None]
    make: Callable[[Path, int], dict[str, Any]]
    is_right: Callable[[str], bool]
    limit: float


WARM_CALLS = {
    "a prompt, no state": Warm(nothing, a_prompt_call, is_silent, 0.0003),
    "a prompt, team runs": Warm(team_runs, a_prompt_call, is_silent, 0.0009),
    "a Stop that is held": Warm(team_runs, a_stop_call, is_block, 0.0011),
    "a Stop, team has ended": Warm(team_has_ended, a_later_stop_call, is_silent, 0.0004),
}
"""The limits have room for a machine on which others run too: where it is quieter, the calls take 0.07, 0.6, 0.9 and
0.3 ms. Where a session is read by the name of every file that it could have, the later ones take 1.4, 1.4 and 0.4."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the processor time of another process by a clock")
@pytest.mark.parametrize("name", WARM_CALLS)
def test_a_warm_call_takes_little_of_the_processor(name: str, tmp_path: Path) -> None:
    prepare, make, is_right, limit = WARM_CALLS[name]
    prepare(tmp_path)
    calls = served(WINDOW * MOST_WINDOWS, tmp_path, make, seconds_of=of_the_processor)
    medians = []
    while window := list(itertools.islice(calls, WINDOW)):
        assert all(is_right(said) for _, said in window)
        medians.append(statistics.median(seconds for seconds, _ in window))
        if min(medians) < limit:
            break
    calls.close()
    assert min(medians) < limit
