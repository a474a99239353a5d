"""How long a person waits for the server: at the first prompt of a session, and at each later one."""

from __future__ import annotations

import itertools
import json
import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.bench.bench_mcp import ASKED
from tests.bench.warm import RCS, a_prompt_call, a_stop_call, is_block, line, of_the_processor, served
from tests.support import Workspace, clean_env

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.alone]

LIMIT = 0.0007
WINDOW, SMALL_WINDOW, MOST_WINDOWS = 500, 100, 40
"""Calls of which the median is taken, and how often that is done again while it is over the limit: others only add."""
RATIO = 3.0
ROUNDS, MOST_ROUNDS = 5, 50


def test_a_warm_call_with_nothing_to_do_takes_under_seven_tenths_of_a_millisecond(tmp_path: Path) -> None:
    calls = served(WINDOW * MOST_WINDOWS, tmp_path, a_prompt_call)
    medians = []
    while window := list(itertools.islice(calls, WINDOW)):
        assert {said for _, said in window} == {"{}"}
        medians.append(statistics.median(seconds for seconds, _ in window))
        if min(medians) < LIMIT:
            break
    calls.close()
    assert min(medians) < LIMIT


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
    calls = served(SMALL_WINDOW * MOST_WINDOWS, tmp_path, make, seconds_of=of_the_processor)
    medians = []
    while window := list(itertools.islice(calls, SMALL_WINDOW)):
        assert all(is_right(said) for _, said in window)
        medians.append(statistics.median(seconds for seconds, _ in window))
        if min(medians) < limit:
            break
    calls.close()
    assert min(medians) < limit


def test_the_first_answer_costs_no_more_than_three_bare_interpreters(tmp_path: Path) -> None:
    """By the processor time of the whole process, which a busy machine lengthens less than the time on the clock."""
    messages = [{"id": number, "method": method, "params": params} for number, (method, params) in enumerate(ASKED)]
    asked = b"".join(map(line, messages))
    ours, bare = [], []
    for number in range(MOST_ROUNDS):
        seconds, said = processor_time([*RCS, "mcp"], asked, tmp_path)
        texts = [json.loads(answer)["result"].get("content") for answer in said.splitlines()]
        assert [{"type": "text", "text": "{}"}] in texts
        ours.append(seconds)
        bare.append(processor_time([sys.executable, "-c", "pass"], b"", tmp_path)[0])
        if number >= ROUNDS and min(ours) / min(bare) < RATIO:
            break
    assert min(ours) / min(bare) < RATIO


def processor_time(command: list[str], stdin: bytes, cwd: Path) -> tuple[float, bytes]:
    """Seconds of the processor that a process takes, and its stdout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, cwd=cwd, env=clean_env(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout
