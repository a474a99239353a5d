"""Lay an overview out as a page that fits a terminal: a line that sums it up, and below it what there is. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rcs_hooks.overview import words
from rcs_hooks.terminal import style as styles
from rcs_hooks.terminal.width import cells, cut

if TYPE_CHECKING:
    from rcs_hooks.overview.entries import Overview
    from rcs_hooks.terminal.style import Style

SHORTER = ((words.MOST, False), (8, False), (5, False), (8, True), (5, True), (3, True), (2, True), (1, True))
"""How many entries of a group are shown, and whether briefly: each is tried until the page fits."""
MORE = "… and more: rcs status"
FOOT = "q or Ctrl-C ends it"
ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def lay_out(
    overview: Overview, head: str, now: float, width: int, height: int, style: Style, nothing: str = words.NOTHING
) -> list[str]:
    """Return the lines of a page that takes no more than `height` rows of a terminal.

    `head`: the line at its top, in its colours. A command is never cut, so its line may go on in the next row.
    """
    room = height - 1 - rows_of(head, width)
    if room < 1:
        return [head]
    body: list[str] = []
    for most, is_brief in SHORTER:
        body = list(words.lines(overview, now, width=width, style=style, most=most, is_brief=is_brief, nothing=nothing))
        if _rows(body, width) <= room:
            break
    page = [head, "", *_fitting(body, width, room, style)]
    if _rows(page, width) + 2 <= height:
        page += ["", style.paint(cut(FOOT, width), styles.QUIET)]
    return page


def rows_of(line: str, width: int) -> int:
    """Return how many rows of a terminal a line takes."""
    return max(1, -(-cells(ESCAPE.sub("", line)) // width))


def _rows(lines: list[str], width: int) -> int:
    return sum(rows_of(line, width) for line in lines)


def _fitting(body: list[str], width: int, room: int, style: Style) -> list[str]:
    """Return the first lines of a body, so many as there is room for, and a word where some are left out."""
    if _rows(body, width) <= room:
        return body
    found: list[str] = []
    for line in body:
        room -= rows_of(line, width)
        if room < 1:
            break
        found.append(line)
    return [*found, style.paint(cut(MORE, width), styles.QUIET)]
