"""How long a person waits for the server: at the first prompt of a session, and at each later one."""

from __future__ import annotations

import itertools
import json
import resource
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.bench.bench_mcp import ASKED
from tests.bench.bench_surfaces import RCS, a_prompt_call, line, served
from tests.support import clean_env

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.alone]

LIMIT = 0.0007
WINDOW, MOST_WINDOWS = 500, 40
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
