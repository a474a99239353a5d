"""What a terminal shows of a machine: the picture, the key to its numbers, and what each step asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.drawing.labels import is_in_box, label_of, printable
from rcs_hooks.drawing.terminal_picture import draw
from rcs_hooks.terminal.style import GOES_ON, QUIET, STRONG
from rcs_hooks.terminal.table import Cell, Column, Row, render
from rcs_hooks.terminal.width import cells, wrapped

if TYPE_CHECKING:
    from rcs_hooks.drawing.marks import Marks
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.terminal.style import Style

COLUMNS = (Column("", leads=True), Column("", is_flexible=True, least=24))
MARKED = "Heavy lines: the path of the run. Double lines: where it is, or ended."
MARKED_ASCII = "= and #: the path of the run. *: where it is, or ended."
UNREACHABLE = "no start leads here"


def page(
    machine: Machine,
    marks: Marks,
    width: int | None,
    style: Style,
    *,
    where: str = "",
    is_forced: bool = False,
    is_ascii: bool = False,
) -> list[str] | str:
    """Return the lines that show a machine as a picture, or why it cannot be drawn.

    `width`: the columns of the terminal; None for any. `where`: how its file is called. `is_forced`: whether the
    picture may be wider. `is_ascii`: whether the terminal knows no other letters.
    """
    picture = draw(machine, marks, None if is_forced else width)
    if isinstance(picture, str):
        return picture
    name, where = printable(machine.name), printable(where or machine.file)
    lines = [f"{name}: {where}"] if where else [name]
    if width is not None and cells(lines[0]) > width:
        lines = [name, f"  {where}"]
    if marks.taken:
        said = MARKED_ASCII if is_ascii else MARKED
        lines += [style.paint(line, QUIET) for line in ([said] if width is None else wrapped(said, width))]
    lines += ["", *picture.canvas.lines(style, is_ascii=is_ascii)]
    key = [Row([Cell(str(number), QUIET), label]) for number, label in enumerate(picture.key, 1)]
    for rows in (key, _steps(machine, marks)):
        if rows:
            lines += ["", *render(rows, COLUMNS, width, style, has_titles=False)]
    return lines


def _steps(machine: Machine, marks: Marks) -> list[Row]:
    """Return a row for each step that has more to say than its box shows."""
    unreachable = frozenset(machine.unreachable())
    rows = []
    for state in machine.steps():
        text = "" if is_in_box(machine, state) else label_of(machine, state)
        said = "; ".join(filter(None, [UNREACHABLE if state in unreachable else "", text]))
        if said:
            rows.append(Row([Cell(state, GOES_ON if state == marks.current else STRONG), said]))
    return rows
