"""Colours: where there are any, what they mean, and that each can be read on dark and on light."""

from __future__ import annotations

import io

from rcs_hooks.runs.queries import RUN_STATUSES
from rcs_hooks.terminal import style
from rcs_hooks.terminal.style import BAD, FEW, GOES_ON, GOOD, MANY, OF_256, PLAIN, QUIET, WAITS, Style, kind_of
from rcs_hooks.workflow.lifecycle import PUBLIC
from rcs_hooks.workflow.proof import VERDICTS
from tests.table import each_row

XTERM = {"TERM": "xterm-256color"}
LEVELS = (0, 95, 135, 175, 215, 255)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@each_row(("env", "expected"), [
    (XTERM, MANY),
    ({"TERM": "xterm"}, FEW),
    ({"TERM": "screen", "COLORTERM": "truecolor"}, MANY),
    ({}, FEW),
    (XTERM | {"NO_COLOR": "1"}, PLAIN),
    (XTERM | {"NO_COLOR": ""}, MANY),
    ({"TERM": "dumb", "COLORTERM": "truecolor"}, PLAIN),
])  # fmt: skip
def test_which_colours_a_terminal_gets(env: dict[str, str], expected: Style) -> None:
    assert style.of(Terminal(), env) == expected
    assert style.of(io.StringIO(), env) == style.of(None, env) == PLAIN


def test_a_text_ends_its_colour_and_blanks_have_none() -> None:
    assert MANY.paint("failed", BAD) == "\x1b[38;5;196mfailed\x1b[0m"
    assert FEW.paint("  ", BAD) == "  "
    assert FEW.paint("failed", "") == "failed"
    assert PLAIN.paint("failed", BAD) == "failed"


@each_row(("state", "kind"), [
    ("waiting", WAITS), ("askuserQuestion", WAITS), ("stale", WAITS), ("unproven", WAITS), ("running", GOES_ON),
    ("completed", GOOD), ("finished", GOOD), ("proven", GOOD), ("failed", BAD), ("blocked", BAD), ("skipped", QUIET),
    ("stalled", WAITS), ("userinterlude", QUIET), ("inactive", QUIET), ("a word of a stranger", ""), ("", ""),
])  # fmt: skip
def test_what_a_state_means(state: str, kind: str) -> None:
    assert kind_of(state) == kind


@each_row("state", [*RUN_STATUSES, *PUBLIC, *VERDICTS])
def test_every_status_outcome_and_verdict_has_a_meaning(state: str) -> None:
    assert kind_of(state)


def luminance(red: int, green: int, blue: int) -> float:
    """The relative luminance of a colour, as WCAG 2 defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red / 255, green / 255, blue / 255)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def of_number(number: int) -> tuple[int, int, int]:
    """A colour of the 256 that are the same in every terminal, which begin with 16."""
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    red, rest = divmod(number - 16, 36)
    return LEVELS[red], LEVELS[rest // 6], LEVELS[rest % 6]


def contrast(front: tuple[int, int, int], behind: tuple[int, int, int]) -> float:
    one, other = sorted(luminance(*colour) + 0.05 for colour in (front, behind))
    return other / one


BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def test_each_colour_can_be_read_on_dark_and_on_light() -> None:
    for kind, code in OF_256.items():
        if code.startswith("38;5;"):
            front = of_number(int(code.removeprefix("38;5;")))
            assert min(contrast(front, behind) for behind in (BLACK, (30, 30, 30), WHITE)) >= 3.5, kind
