"""The lines of a text, and the errors in them: file and line, the sentence, the line itself, and a marker below."""

from rcs_hooks.errors import MachineError

WIDEST = 100
"""How many columns of a source line are shown."""
BEFORE = 60
"""How many of these columns come before the marker if the line is longer."""


class LineError(Exception):
    """An error in the columns `start` to `end` of one line; `Source.fault` turns it into a MachineError."""

    def __init__(self, problem: str, start: int, end: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.start = start
        self.end = end


class Source:
    """The lines of a text, and their place in a file: the first one is line `first_line` of `file`."""

    __slots__ = ("file", "first_line", "lines")

    def __init__(self, lines: list[str], file: str, first_line: int = 1) -> None:
        self.lines = lines
        self.file = file
        self.first_line = first_line

    def fault(self, number: int, spot: LineError) -> MachineError:
        """Return the error for a part of line `number`, counted from 0."""
        line = self.first_line + number
        text = f"{self.place(number)}: {spot.problem}\n{excerpt(self.lines[number], spot.start, spot.end)}"
        return MachineError(text, problem=spot.problem, file=self.file, line=line)

    def fault_of_line(self, number: int, problem: str) -> MachineError:
        """Return the error that says `problem` and marks the whole of line `number`, counted from 0."""
        line = self.lines[number]
        return self.fault(number, LineError(problem, len(line) - len(line.lstrip()), len(line.rstrip())))

    def place(self, number: int) -> str:
        """Return the place of line `number`, counted from 0, as `FILE:LINE`, or as `line LINE` if there is no file."""
        line = self.first_line + number
        return f"{self.file}:{line}" if self.file else f"line {line}"


def lines_of(text: str) -> list[str]:
    """Split a text into lines as an editor does, unlike `str.splitlines`, and without a byte order mark."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def excerpt(source: str, start: int, end: int) -> str:
    """Return a line, cut to WIDEST columns, and below it `^^^` under the columns from `start` to `end`."""
    first = max(0, start - BEFORE) if len(source) > WIDEST else 0
    last = min(len(source), first + WIDEST)
    head, tail = "…" if first else "", "…" if last < len(source) else ""
    shown = "".join(char if char.isprintable() else " " for char in source[first:last])
    blank = " " * (len(head) + _columns(source[first:start]))
    marker = "^" * max(1, _columns(source[start : min(end, last)]))
    return f"    {head}{shown.rstrip()}{tail}\n    {blank}{marker}"


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width  # slow to import, and seldom needed

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
