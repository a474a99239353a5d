"""Tables for a terminal, and plain ones for a pipe.

Rules of this file:
- Nothing is cut, and no word is broken, nor what is in backticks and has room on a line: a flexible column wraps, and
  where there is no room for it, each row becomes two lines or more.
- A row begins with what a person looks for. Other cells keep their place.
- A text is shown without control characters, whoever wrote it; how long it may be is decided by who calls.
- Without a width (a pipe), each row is one line, with the full text of its cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.terminal import style as styles
from rcs_hooks.terminal.prose import wrapped_around_code
from rcs_hooks.terminal.style import PLAIN, Style
from rcs_hooks.terminal.width import cells
from rcs_hooks.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GAP = "  "
INDENT = "  "


class Column(NamedTuple):
    """A column of a table, and how it gives way where the terminal is narrow."""

    title: str
    is_flexible: bool = False
    """Whether its text wraps. The text of other columns stays on one line: ids, numbers, paths and commands."""
    least: int = 24
    """To how many cells it may shrink before each row becomes two lines."""
    leads: bool = False
    """Whether it stays on the first of these lines; if no column does, it is the first column."""
    is_number: bool = False
    label: str = "{}"
    """How its text is shown on the second line, where no title explains it, as in `round {}`."""


class Cell(NamedTuple):
    """The text of a cell, what it is (see `style`), and its full text, which a pipe gets."""

    text: str
    kind: str = ""
    full: str = ""


class Row(NamedTuple):
    """A row, and the lines below it, which are indented. A row without cells is only these lines."""

    cells: Sequence[Cell | str]
    below: Sequence[Cell | str] = ()
    """Texts that wrap."""
    commands: Sequence[tuple[str, Cell | str]] = ()
    """Texts that are never broken, as what is to be pasted, or a path: each behind what it is for."""


class Heading(NamedTuple):
    """A line between rows, as a group of them begins."""

    text: str
    kind: str = styles.STRONG
    is_spaced: bool = True
    """Whether a line is left empty before it, if it is not the first."""


def render(
    rows: Sequence[Row | Heading],
    columns: Sequence[Column],
    width: int | None = None,
    style: Style = PLAIN,
    *,
    has_titles: bool = True,
) -> list[str]:
    """Return the lines of a table; a column without any text is left out.

    `width`: the columns of the terminal; None for a pipe. `has_titles`: whether the columns' titles are the first line,
    where each row is one line.
    """
    named = columns if has_titles else [column._replace(title="") for column in columns]
    table = _Table(rows, named, width, style)
    return [*table.titles(), *table.lines()]


class _Table:
    """The rows of a table with the widths of its columns."""

    def __init__(
        self, rows: Sequence[Row | Heading], columns: Sequence[Column], width: int | None, style: Style
    ) -> None:
        self.rows = [_clean(row, is_full=width is None) for row in rows]
        self.texts = [[cell.text for cell in row] for row in map(_cells, self.rows) if row]
        self.columns = columns
        self.style = style
        self.width = width
        self.has_headings = any(isinstance(row, Heading) for row in rows)
        self.indent = INDENT if self.has_headings else ""
        self.shown = [number for number in range(len(columns)) if any(texts[number] for texts in self.texts)]
        titles = [column.title for column in columns]
        self.widths = [max(map(cells, column), default=0) for column in zip(titles, *self.texts, strict=True)]
        self.is_stacked = width is not None and not self._fit(width - len(self.indent))
        if not self.is_stacked:
            self._tighten()
        leading = [number for number in self.shown if columns[number].leads] or self.shown[:1]
        self.leading = leading if self.is_stacked else self.shown
        self.following = [number for number in self.shown if number not in self.leading]
        self.labelled_widths = {
            n: max((cells(self._labelled(texts[n], n)) for texts in self.texts), default=0) for n in self.shown
        }

    def _fit(self, width: int) -> bool:
        """Shrink the flexible columns, the widest first, until a row fits; return whether it does."""
        least = [min(self.widths[n], column.least) for n, column in enumerate(self.columns)]
        while (over := self._used(self.shown) - width) > 0:
            flexible = [n for n in self.shown if self.columns[n].is_flexible and self.widths[n] > least[n]]
            if not flexible:
                return False
            widest = max(flexible, key=lambda n: self.widths[n])
            self.widths[widest] -= 1 if len(flexible) > 1 else min(over, self.widths[widest] - least[widest])
        return True

    def _tighten(self) -> None:
        """Take from each flexible column the blanks that are behind all its lines, now that they are broken."""
        for number in self.shown if self.width else ():
            if self.columns[number].is_flexible:
                room = self.widths[number]
                lines = [cells(line) for texts in self.texts for line in wrapped_around_code(texts[number], room)]
                self.widths[number] = max([cells(self.columns[number].title), *(n for n in lines if n <= room)])

    def _used(self, numbers: Sequence[int]) -> int:
        return sum(self.widths[n] for n in numbers) + len(GAP) * max(0, len(numbers) - 1)

    def titles(self) -> list[str]:
        """Return the line of titles; none where rows are stacked, or where there is nothing to name."""
        if self.is_stacked or not any(self.columns[n].title for n in self.shown):
            return []
        named = [Cell(column.title, styles.QUIET) for column in self.columns]
        return [self._line([(named[n], n) for n in self.shown], self.indent)]

    def lines(self) -> Iterable[str]:
        """Yield the lines of the rows."""
        for number, row in enumerate(self.rows):
            if isinstance(row, Heading):
                yield from [""] if number and row.is_spaced else []
                yield from (self.style.paint(line, row.kind) for line in self._lines_of(row.text, 0))
                continue
            if row.cells and self.shown:
                yield from self._stacked(_cells(row)) if self.is_stacked else self._flat(_cells(row))
            yield from self._below(row)

    def _below(self, row: Row) -> Iterable[str]:
        indent = self.indent + INDENT
        for cell in row.below:
            text, kind = _cell(cell)[:2]
            for line in self._lines_of(text, len(indent)):
                yield indent + self.style.paint(line, kind)
        for purpose, command in ((purpose, _cell(given).text) for purpose, given in row.commands):
            line = f"{indent}{purpose}: {command}"
            if self._is_too_wide(line):
                # The terminal would break it, where it may do with as much room as there is.
                yield f"{indent}{purpose}:"
                line = command if self._is_too_wide(indent + command) else indent + command
            yield line

    def _is_too_wide(self, line: str) -> bool:
        return self.width is not None and cells(line) > self.width

    def _lines_of(self, text: str, indent: int) -> list[str]:
        return [text] if self.width is None else wrapped_around_code(text, self.width - indent)

    # --- a row on one line, or on several whose cells keep their columns

    def _flat(self, row: list[Cell]) -> Iterable[str]:
        pieces = {n: self._pieces(row[n], n) for n in self.shown}
        first = self.shown[0]
        if len(self.shown) > 1 and any(cells(piece) > self.widths[first] for piece in pieces[first]):
            # A word that is wider than its column: the first cell gets lines of its own, and the others keep theirs.
            yield from self._whole(row[first], self.indent)
            pieces[first] = []
        for at in range(max(len(each) for each in pieces.values())):
            line = [(Cell(each[at] if at < len(each) else "", row[n].kind), n) for n, each in pieces.items()]
            yield self._line(line, self.indent)

    def _pieces(self, cell: Cell, number: int) -> list[str]:
        if self.width is None or not self.columns[number].is_flexible:
            return [cell.text]
        return wrapped_around_code(cell.text, self.widths[number])

    def _whole(self, cell: Cell, indent: str) -> Iterable[str]:
        for line in self._lines_of(cell.text, len(indent)):
            yield indent + self.style.paint(line, cell.kind)

    def _line(self, line: Sequence[tuple[Cell, int]], indent: str) -> str:
        last = max((at for at, (cell, _) in enumerate(line) if cell.text), default=0)
        parts = []
        for at, (cell, number) in enumerate(line[: last + 1]):
            is_number = self.columns[number].is_number
            room = self.widths[number] - cells(cell.text) if at < last or is_number else 0
            blanks = " " * max(0, room)
            text = self.style.paint(cell.text, cell.kind)
            parts.append(blanks + text if is_number else text + blanks)
        return indent + GAP.join(parts)

    # --- a row on two lines or more, on a narrow terminal

    def _stacked(self, row: list[Cell]) -> Iterable[str]:
        yield from self._poured(row, self.leading, self.indent)
        yield from self._poured(row, self.following, self.indent + INDENT)

    def _poured(self, row: list[Cell], numbers: Sequence[int], indent: str) -> Iterable[str]:
        """Yield the lines of some cells of a row: side by side, so far as there is room."""
        room = (self.width or 0) - len(indent)
        widths = self.labelled_widths
        is_aligned = sum(widths[n] for n in numbers) + len(GAP) * (len(numbers) - 1) <= room
        line, used = "", 0
        for number in numbers:
            text = self._labelled(row[number].text, number)
            if not (text or is_aligned):
                continue
            if line and used + len(GAP) + cells(text) > room:
                yield (indent + line).rstrip()
                line, used = "", 0
            if cells(text) > room:
                cell = row[number]._replace(text=text)
                is_flexible = self.columns[number].is_flexible
                yield from self._whole(cell, indent) if is_flexible else (indent + self.style.paint(text, cell.kind),)
                continue
            blanks = " " * (widths[number] - cells(text) if is_aligned else 0)
            line += (GAP if used else "") + self.style.paint(text, row[number].kind) + blanks
            used += (len(GAP) if used else 0) + cells(text) + len(blanks)
        if line.strip():
            yield (indent + line).rstrip()

    def _labelled(self, text: str, number: int) -> str:
        return self.columns[number].label.replace("{}", text) if text else ""


def _cell(given: Cell | str) -> Cell:
    return given if isinstance(given, Cell) else Cell(given)


def _cells(row: Row | Heading) -> list[Cell]:
    return [_cell(each) for each in row.cells] if isinstance(row, Row) else []


def _clean(row: Row | Heading, *, is_full: bool) -> Row | Heading:
    """Return a row whose texts have no control characters; with the full texts of its cells where they are wanted."""

    def clean(given: Cell | str) -> Cell:
        cell = _cell(given)
        return cell._replace(text=_plain((cell.full if is_full else "") or cell.text).strip())

    if isinstance(row, Heading):
        return row._replace(text=_plain(row.text))
    below = [cell for cell in map(clean, row.below) if cell.text]
    commands = [(_plain(purpose), clean(command)) for purpose, command in row.commands]
    return Row([*map(clean, row.cells)], below, commands)


def _plain(text: str) -> str:
    return printable(text, " ")
