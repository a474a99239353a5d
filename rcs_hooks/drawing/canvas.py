"""A grid of cells for a terminal: lines that join where they meet, and texts on top of them.

Rules of this file:
- A cell of a line knows how strong it is in each of the four directions; its character follows from that alone.
- A text covers the lines below it, and a wide letter covers two cells.
- Nothing of others reaches a cell but printable letters.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from rcs_hooks.terminal.width import cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.terminal.style import Style

LIGHT, HEAVY = 1, 2
UP, DOWN, LEFT, RIGHT = 27, 9, 3, 1
JOINTS = " ╶╺╴─╼╸╾━╷┌┍┐┬┮┑┭┯╻┎┏┒┰┲┓┱┳╵└┕┘┴┶┙┵┷│├┝┤┼┾┥┽┿╽┟┢┧╁╆┪╅╈╹┖┗┚┸┺┛┹┻╿┞┡┦╀╄┩╃╇┃┠┣┨╂╊┫╉╋"
"""The character of a cell, at the sum of its directions, each times how strong it is there."""
ASCII = {"●": "o", "◉": "O", "▼": "v", "▲": "^", "↺": "@", "×": "x", "╎": ":", "╌": "."}
ASCII |= (
    dict.fromkeys("─╼╾╴╶╸╺", "-")
    | dict.fromkeys("│╽╿╷╵╹╻", "|")
    | {"━": "=", "┃": "#"}
    | dict.fromkeys("═║╔╗╚╝╤╧", "*")
)
ASCII |= dict.fromkeys("┼┿", "|") | dict.fromkeys("╂╋", "#")
"""What stands for a character where the terminal cannot show it: a cross is a line that passes over another, and
any other joint is a `+`."""

Point = tuple[int, int]
"""A line from the top, and a column."""


class Canvas:
    """A grid that grows to the right and downwards as it is drawn on."""

    def __init__(self) -> None:
        self._arms: dict[Point, dict[int, int]] = {}
        self._letters: dict[Point, str] = {}
        self._kinds: dict[Point, str] = {}

    def route(self, points: Sequence[Point], weight: int, kind: str) -> None:
        """Draw a line through points, each straight below, above or beside the one before."""
        for (top, left), (bottom, right) in pairwise(points):
            down, across = (bottom > top) - (bottom < top), (right > left) - (right < left)
            ahead, back = (
                (DOWN, UP) if down > 0 else (UP, DOWN) if down else (RIGHT, LEFT) if across > 0 else (LEFT, RIGHT)
            )
            at = (top, left)
            while at != (bottom, right):
                self._join(at, ahead, weight, kind)
                at = at[0] + down, at[1] + across
                self._join(at, back, weight, kind)

    def _join(self, at: Point, direction: int, weight: int, kind: str) -> None:
        arms = self._arms.setdefault(at, {})
        arms[direction] = max(weight, arms.get(direction, 0))
        if kind:
            self._kinds[at] = kind

    def put(self, top: int, left: int, text: str, kind: str = "") -> None:
        """Write a text on one line, from a cell on."""
        for char in text:
            shown = char if char.isprintable() else " "
            size = cells(shown)
            if not size and (top, left - 1) in self._letters:
                self._letters[top, left - 1] += shown  # an accent goes to the letter before it
                continue
            for column in range(left, left + size):
                self._letters[top, column] = shown if column == left else ""
                self._kinds[top, column] = kind
            left += size

    def lines(self, style: Style, *, is_ascii: bool = False) -> list[str]:
        """Return the grid as lines of text, without blanks at their ends."""
        rows: dict[int, dict[int, str]] = {}
        for (top, left), arms in self._arms.items():
            rows.setdefault(top, {})[left] = JOINTS[sum(way * weight for way, weight in arms.items())]
        for (top, left), letter in self._letters.items():
            rows.setdefault(top, {})[left] = letter
        return [
            self._line(top, rows.get(top, {}), style, is_ascii=is_ascii) for top in range(max(rows, default=-1) + 1)
        ]

    def _line(self, top: int, row: dict[int, str], style: Style, *, is_ascii: bool) -> str:
        def shown() -> Iterator[tuple[str, str]]:
            for left in range(max(row, default=-1) + 1):
                letter = row.get(left, " ")
                yield self._kinds.get((top, left), ""), as_ascii(letter) if is_ascii else letter

        return "".join(
            style.paint("".join(letter for _, letter in group), kind)
            for kind, group in groupby(shown(), key=lambda each: each[0])
        ).rstrip()


def as_ascii(text: str) -> str:
    """Return a text with the characters of pictures in ASCII; other letters stay as they are."""
    return "".join(ASCII.get(char, "+" if "─" <= char <= "╿" else char) for char in text)
