"""How a fault in a diagram is shown: file and line, the sentence, the line itself, and a marker under the spot."""

from rcs_hooks.errors import MachineError

WIDEST = 100
"""Columns of a source line that are shown."""
BEFORE = 60
"""Of those, columns before the spot where the line is longer."""


class Spot(Exception):
    """Raised while one line is read, and answered as a MachineError; start and end are columns of that line."""

    def __init__(self, problem: str, start: int, end: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.start = start
        self.end = end


class Source:
    """The lines of a text, and where it stands: an editor opens `file` at `first_line` to see the first of them."""

    __slots__ = ("file", "first_line", "lines")

    def __init__(self, lines: list[str], file: str, first_line: int = 1) -> None:
        self.lines = lines
        self.file = file
        self.first_line = first_line

    def fault(self, number: int, spot: Spot) -> MachineError:
        """`number` counts from 0."""
        line = self.first_line + number
        text = f"{self.place(number)}: {spot.problem}\n{excerpt(self.lines[number], spot.start, spot.end)}"
        return MachineError(text, problem=spot.problem, file=self.file, line=line)

    def fault_of_line(self, number: int, problem: str) -> MachineError:
        """With the marker under all that the line says."""
        line = self.lines[number]
        return self.fault(number, Spot(problem, len(line) - len(line.lstrip()), len(line.rstrip())))

    def place(self, number: int) -> str:
        line = self.first_line + number
        return f"{self.file}:{line}" if self.file else f"line {line}"


def lines_of(text: str) -> list[str]:
    """As an editor counts them: what else Python takes for the end of a line is none."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def excerpt(source: str, start: int, end: int) -> str:
    """The line, cut to a width that can be read, and `^^^` under columns `start` to `end`."""
    first = max(0, start - BEFORE) if len(source) > WIDEST else 0
    last = min(len(source), first + WIDEST)
    head, tail = "…" if first else "", "…" if last < len(source) else ""
    shown = "".join(char if char.isprintable() else " " for char in source[first:last])
    blank = " " * (len(head) + _columns(source[first:start]))
    marker = "^" * max(1, _columns(source[start : min(end, last)]))
    return f"    {head}{shown.rstrip()}{tail}\n    {blank}{marker}"


def _columns(text: str) -> int:
    """How wide a terminal shows it."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # only where there is something to say

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
