"""Moments as people read them, in their own time zone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from rcs_hooks.terminal import when
from tests.table import each_row

MINUTE, HOUR, DAY = 60, 3_600, 86_400


@pytest.fixture
def berlin() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        time.tzset()
        yield
    time.tzset()


def at(text: str) -> float:
    return datetime.fromisoformat(f"{text}+00:00").timestamp()


NOON = at("2026-01-15T11:00:00")
"""Noon in Berlin, a Thursday."""


@each_row(("passed", "words"), [
    (0, "just now"),
    (1, "1 s ago"),
    (MINUTE, "1 min ago"),
    (HOUR, "1 h ago"),
    (12 * HOUR + 1, "yesterday 23:59"),
    (36 * HOUR, "yesterday 00:00"),
    (36 * HOUR + 1, "13 Jan 23:59"),
    (15 * DAY, "2025-12-31"),
    (-59, "just now"),
    (-MINUTE, "12:01"),
    (-DAY, "2026-01-16"),
])  # fmt: skip
def test_ago(passed: float, words: str, berlin: None) -> None:
    assert when.ago(NOON - passed, NOON) == words


@each_row(("passed", "words"), [
    (0, "0 s"), (-5, "0 s"), (59, "59 s"), (MINUTE, "1 min"), (HOUR, "1 h"), (DAY - 1, "23 h"), (DAY, "1 d"),
    (400 * DAY, "400 d"),
])  # fmt: skip
def test_age(passed: float, words: str) -> None:
    assert when.age(NOON - passed, NOON) == words
    assert when.lasting(NOON - passed, NOON) == ("just now" if words == "0 s" else f"for {words}")


@each_row(("moment", "words"), [
    ("2026-01-14T23:30:00", "00:30:00"),
    ("2026-01-14T22:30:00", "yesterday 23:30:00"),
    ("2025-07-01T10:00:00", "2025-07-01"),
])  # fmt: skip
def test_a_day_begins_at_the_midnight_of_the_person(moment: str, words: str, berlin: None) -> None:
    assert when.day(at(moment), NOON, seconds=True) == words


def test_each_month_has_its_name() -> None:
    names = [
        when.ago(at(f"2026-{number:02d}-09T12:00:00"), at("2026-12-31T12:00:00")).split()[1] for number in range(1, 13)
    ]
    assert names == ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def test_a_whole_moment_is_in_local_time(berlin: None) -> None:
    assert when.full(at("2026-07-01T10:00:07")) == "2026-07-01 12:00:07"


@each_row("moment", [None, -1.0, 1e12, float("inf"), float("nan")])
def test_what_is_no_moment_is_nothing(moment: float | None) -> None:
    assert (when.ago(moment, NOON), when.age(moment, NOON), when.full(moment)) == ("", "", "")
    assert when.lasting(None, NOON) == ""
