"""One line made of parts: whole where there is room, and never wider than that."""

from __future__ import annotations

import re

from rcs_hooks.terminal.line import joined
from rcs_hooks.terminal.style import BAD, FEW, QUIET, WAITS
from rcs_hooks.terminal.width import ELLIPSIS, cells
from tests.table import each_row

PARTS = ((QUIET, "rcs: "), (WAITS, "14 wait for you"), ("", " · "), (BAD, "漢字 failed"))
WHOLE = "rcs: 14 wait for you · 漢字 failed"


@each_row(("width", "line"), [
    (None, WHOLE),
    (cells(WHOLE), WHOLE),
    (cells(WHOLE) - 1, "rcs: 14 wait for you · 漢字 fail…"),
    (21, "rcs: 14 wait for you…"),
    (5, "rcs:…"),
    (1, ELLIPSIS),
], ids=str)  # fmt: skip
def test_a_line_is_cut_where_the_terminal_ends(width: int | None, line: str) -> None:
    assert joined(PARTS, width=width) == line


def test_no_line_is_wider_than_there_is_room_in_colours_too() -> None:
    for width in range(1, cells(WHOLE) + 2):
        line = re.sub(r"\x1b\[[0-9;]*m", "", joined(PARTS, FEW, width))
        assert cells(line) <= width
        assert line == WHOLE or line.endswith(ELLIPSIS)
