"""A prompt with more tokens than anybody types: the answer is the same as with few, and it comes in time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.workflow.tokens.scan import MOST_AT_AN_END, noteworthy
from tests.support import least, of_children, run_hook
from tests.table import each_row
from tests.workflow.token_tables import requested

if TYPE_CHECKING:
    from pathlib import Path

TEN_MB = 10 * 2**20
MANY = 2 * MOST_AT_AN_END + 1
VARIABLE = "the value of $OTHER_NAME here.\n"
REQUEST = "$team fix the build.\n"


def seconds_of(prompt: str, cwd: Path) -> float:
    """Return the seconds of the processor that a whole hook call with this prompt takes, which starts forge."""
    call = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": str(cwd), "prompt": prompt}
    raw = json.dumps(call).encode()
    before = of_children()
    line, _ = run_hook(raw, cwd=cwd)
    assert "[rcs] detected: $forge\\n" in line
    return of_children() - before


@pytest.mark.slow
def test_ten_megabytes_of_tokens_take_no_longer_than_somebody_waits(tmp_path: Path) -> None:
    """To read each of them took 5 s."""
    prompt = "$forge, " * (TEN_MB // len("$forge, "))
    assert least(lambda: seconds_of(prompt, tmp_path), 2) <= 2


@pytest.mark.slow
@each_row(
    "piece",
    [
        "$forge ",
        "$forge $team ",
        "$team $forge $nothing ",
        "$forg ",
        "`$forge` ",
        "a=$forge ; ",
        'say "$forge" here.\n',
        "$cancel, $forge. ",
    ],
)
def test_so_many_tokens_mean_what_a_hundred_mean(piece: str) -> None:
    few, many = noteworthy(piece * 100), noteworthy(piece * 3 * MOST_AT_AN_END)
    assert [token.typed for token in many if not token.passed_over] == [
        token.typed for token in few if not token.passed_over
    ]
    assert {token.report_key for token in many} == {token.report_key for token in few}


@pytest.mark.slow
@each_row(("before", "after"), [(MOST_AT_AN_END - 1, MANY), (MANY, MOST_AT_AN_END - 1)])
def test_a_request_near_either_end_of_many_variables_is_read_where_it_is(before: int, after: int) -> None:
    prompt = VARIABLE * before + REQUEST + VARIABLE * after
    (token,) = requested(prompt)
    assert (token.skill, token.start, token.end) == ("team", len(VARIABLE) * before, len(VARIABLE) * before + 5)


def test_a_request_among_so_many_variables_that_nobody_types_them_is_none() -> None:
    assert requested(VARIABLE * MOST_AT_AN_END + REQUEST + VARIABLE * MOST_AT_AN_END) == ()
