"""What a terminal shows of a machine: the picture, the key to its numbers, and what each step asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.drawing.cell_layout import has_text_in_box, label_of
from rcs_hooks.drawing.terminal_picture import draw
from rcs_hooks.terminal.style import GOES_ON, QUIET, STRONG
from rcs_hooks.terminal.table import Cell, Column, Row, render

if TYPE_CHECKING:
    from rcs_hooks.drawing.marks import Marks
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.terminal.style import Style

COLUMNS = (Column("", leads=True), Column("", is_flexible=True, least=24))
MARKED = "Heavy lines: the path of the run. Double lines: where it is now."
MARKED_ASCII = "= and #: the path of the run. *: where it is now."
UNREACHABLE = "no start leads here"


def page(
    machine: Machine,
    marks: Marks,
    width: int | None,
    style: Style,
    *,
    is_forced: bool = False,
    is_ascii: bool = False,
) -> list[str] | str:
    """Return the lines that show a machine as a picture, or why it cannot be drawn.

    `width`: the columns of the terminal; None for any. `is_forced`: whether the picture may be wider. `is_ascii`:
    whether the terminal knows no other letters.
    """
    picture = draw(machine, marks, None if is_forced else width)
    if isinstance(picture, str):
        return picture
    lines = [f"{machine.name}: {machine.file}" if machine.file else machine.name]
    if marks.taken:
        lines.append(style.paint(MARKED_ASCII if is_ascii else MARKED, QUIET))
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
        text = "" if has_text_in_box(machine, state) else label_of(machine, state)
        said = "; ".join(filter(None, [UNREACHABLE if state in unreachable else "", text]))
        if said:
            rows.append(Row([Cell(state, GOES_ON if state == marks.current else STRONG), said]))
    return rows
