"""Colours: where there are any, what they mean, and that each can be read on dark and on light."""

from __future__ import annotations

import io

import pytest

from rcs_hooks.runs.queries import RUN_STATUSES
from rcs_hooks.terminal import style
from rcs_hooks.terminal.style import BAD, BASIC, FEW, GOES_ON, GOOD, MANY, OF_256, PLAIN, QUIET, WAITS, Style, kind_of
from rcs_hooks.workflow.lifecycle import PUBLIC
from rcs_hooks.workflow.proof import VERDICTS
from tests.table import each_row

XTERM = {"TERM": "xterm-256color"}
LEVELS = (0, 95, 135, 175, 215, 255)
BACKGROUNDS = {"black": (0, 0, 0), "dark grey": (30, 30, 30), "white": (255, 255, 255)}


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


def test_what_is_no_terminal_gets_none() -> None:
    assert style.of(io.StringIO(), XTERM) == PLAIN
    assert style.of(None, XTERM) == PLAIN


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


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_each_of_256_colours_can_be_read(background: str) -> None:
    behind = luminance(*BACKGROUNDS[background]) + 0.05
    for kind, code in OF_256.items():
        if code.startswith("38;5;"):
            front = luminance(*of_number(int(code.removeprefix("38;5;")))) + 0.05
            assert max(front, behind) / min(front, behind) >= 3.5, kind


PALETTES = {
    "xterm": {"31": (205, 0, 0), "32": (0, 205, 0), "35": (205, 0, 205), "94": (92, 92, 255)},
    "console": {"31": (170, 0, 0), "32": (0, 170, 0), "35": (170, 0, 170), "94": (85, 85, 255)},
    "macOS": {"31": (153, 0, 0), "32": (0, 166, 0), "35": (178, 0, 178), "94": (0, 0, 255)},
}


@pytest.mark.parametrize("palette", PALETTES)
def test_each_of_16_colours_can_be_told_from_black_and_from_white(palette: str) -> None:
    for kind in (WAITS, GOES_ON, GOOD, BAD):
        front = luminance(*PALETTES[palette][BASIC[kind]]) + 0.05
        for name in ("black", "white"):
            behind = luminance(*BACKGROUNDS[name]) + 0.05
            assert max(front, behind) / min(front, behind) >= 2.1, (kind, name)
