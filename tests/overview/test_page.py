"""The live page: it fits the terminal, and what waits for the person is the last to be left out."""

from __future__ import annotations

from typing import Any

import pytest

from rcs_hooks.overview.collect import grouped
from rcs_hooks.overview.entries import Entry
from rcs_hooks.overview.page import ESCAPE, FOOT, MORE, lay_out, rows_of
from rcs_hooks.overview.words import NOTHING
from rcs_hooks.terminal.style import MANY, PLAIN
from tests.overview.test_words import ENTRIES, NOW

HEAD = "rcs: 2 wait for you · 3 working"


def page(*entries: Entry, width: int = 80, height: int = 24, **options: Any) -> list[str]:
    return lay_out(grouped(entries), HEAD, NOW, width, height, options.get("style", PLAIN))


def many(group: str, count: int) -> list[Entry]:
    detail = "asks: Which of the two databases do you mean?" if group == "waiting" else "phase fixing"
    return [
        Entry("mode", "forge", f"fix number {n}", group, f"s{n}", phase="fixing", detail=detail) for n in range(count)
    ]


def test_with_room_it_is_the_line_the_overview_and_how_to_end_it() -> None:
    assert page(*ENTRIES[8:9]) == [
        HEAD,
        "",
        "Tasks (1)",
        "  login  codegen",
        "    What it needs: rcs task status login",
        "",
        FOOT,
    ]


def test_where_nothing_runs_it_says_so() -> None:
    assert " ".join(page()[2:4]) == NOTHING


SIZES = [(20, 5), (44, 3), (44, 24), (44, 60), (80, 1), (80, 2), (80, 10), (80, 24), (80, 50), (200, 24), (200, 100)]


@pytest.mark.parametrize("count", [0, 1, 3, 200])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_it_never_takes_more_rows_than_there_are(width: int, height: int, count: int) -> None:
    groups = (entry for group in ("waiting", "running", "ended", "closed") for entry in many(group, count))
    lines = page(*ENTRIES, *groups, width=width, height=height, style=MANY)
    assert sum(rows_of(line, width) for line in lines) <= height
    assert lines[0] == HEAD


def test_with_less_room_only_what_waits_is_told_whole() -> None:
    entries = [*many("waiting", 1), *ENTRIES[2:4], *ENTRIES[5:7], ENTRIES[8]]
    whole, brief = page(*entries, height=40), page(*entries, height=19)
    assert whole[-1] == FOOT
    assert brief == [line for line in whole if not line.startswith("    ") or "asks:" in line]


def test_with_many_things_each_group_shows_some_and_how_many_there_are() -> None:
    lines = page(*many("waiting", 30), *many("running", 200), *many("ended", 9))
    assert [line for line in lines if line.endswith(")")] == [
        "Waits for you (30)",
        "Runs (200)",
        "Ended in the last day (9)",
    ]
    assert sum("asks:" in line for line in lines) == 3
    assert "    and 27 more: rcs status --json" in lines
    assert "    and 6 more: rcs status" in lines


def test_where_not_even_that_fits_its_end_is_left_out() -> None:
    entries = [*many("waiting", 3), *many("running", 3)]
    assert page(*entries, height=6) == [
        HEAD,
        "",
        "Waits for you (3)",
        "  fix number 0  forge  fixing  s0",
        "    asks: Which of the two databases do you mean?",
        MORE,
    ]


def test_a_command_is_whole_and_its_rows_are_counted() -> None:
    lines = page(ENTRIES[1], width=44, height=30)
    (command,) = [line for line in lines if "rcs state clear" in line]
    assert rows_of(command, 44) == 3
    assert rows_of(f"\x1b[1m{'x' * 44}\x1b[0m", 44) == 1
    assert rows_of("", 44) == 1
    assert ESCAPE.sub("", command) == command
