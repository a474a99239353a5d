"""Reads a picture made of characters as a person does: finds the boxes, and follows each line from exit to head.

Knows nothing of how the picture was laid out; only what the characters of lines mean.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rcs_hooks.terminal.width import cells

Point = tuple[int, int]
UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
NAMED: dict[str, tuple[Point, ...]] = {"UP": (UP,), "DOWN": (DOWN,), "LEFT": (LEFT,), "RIGHT": (RIGHT,)}
NAMED |= {"VERTICAL": (UP, DOWN), "HORIZONTAL": (LEFT, RIGHT)}
BELOW, ABOVE = "┬┰┯┳╤", "┴┸┷┻╧"
SIDES = "│┃║╎"
DOT = "[*]"


def arms(char: str) -> set[Point]:
    """The directions in which a character of lines goes on, by the name that Unicode gives to it."""
    name = unicodedata.name(char, "")
    return {way for word in name.split() for way in NAMED.get(word, ())} if name.startswith("BOX DRAWINGS") else set()


class Reading:
    """What stands in a picture: its boxes, by the states that are known, and its edges."""

    def __init__(self, lines: Sequence[str], states: Sequence[str]) -> None:
        self.grid: dict[Point, str] = {}
        for top, line in enumerate(lines):
            left = 0
            for char in line:
                self.grid[top, left] = char
                left += cells(char)
        self.boxes = {state: self._box(lines, state) for state in states}
        self.at = {
            (line, column): state
            for state, (top, bottom, left, right) in self.boxes.items()
            for line in (top, bottom)
            for column in range(left, right + 1)
        }

    def _box(self, lines: Sequence[str], state: str) -> tuple[int, int, int, int]:
        """The first and last line and column of the box of a state, which has the state's id in its second line."""
        for top, line in enumerate(lines):
            for at, char in enumerate(line):
                rest = line[at + 1 :].split(char, 1)
                if char in SIDES and len(rest) == 2 and rest[0].strip() == state:
                    left = cells(line[:at])
                    right = left + cells(rest[0]) + 1
                    if self.grid.get((top - 1, left)) not in ("┌", "┏", "╔"):
                        continue
                    bottom = top + 1
                    while self.grid.get((bottom, left), " ") in SIDES:
                        bottom += 1
                    return top - 1, bottom, left, right
        raise AssertionError(f"there is no box of {state}")

    def edges(self) -> set[tuple[str, str]]:
        """Every edge that is drawn, those of the start and the end included."""
        found = set()
        for state, (top, bottom, left, right) in self.boxes.items():
            for column in range(left, right + 1):
                if self.grid[bottom, column] in BELOW:
                    found.add((state, self._end((bottom, column), DOWN)))
                if self.grid[top, column] in ABOVE:
                    found.add((state, self._end((top, column), UP)))
            if self.grid.get((top + 1, right + 2)) == "↺":
                found.add((state, state))
        for at, char in list(self.grid.items()):
            if char == "●" and at not in self.at:
                found.add((DOT, self._end(at, DOWN)))
        return found

    def _end(self, at: Point, way: Point) -> str:
        """Where the line ends that leaves a point; at a cross it goes straight on."""
        while True:
            at = at[0] + way[0], at[1] + way[1]
            char = self.grid.get(at, " ")
            if char == "◉":
                return DOT
            if char in "▼▲":
                assert way == (DOWN if char == "▼" else UP), f"an arrow is entered from behind at {at}"
                return self.at[at]
            onward = arms(char)
            back = (-way[0], -way[1])
            assert back in onward, f"a line breaks off at {at}: {char!r}"
            onward.remove(back)
            assert len(onward) in (1, 3), f"lines join at {at}: {char!r}"
            way = way if len(onward) == 3 else onward.pop()
