"""What a picture and a list for a terminal show of a text that somebody wrote into a diagram: one line, no control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.terminal.width import cells, cut

if TYPE_CHECKING:
    from rcs_hooks.machine.graph import Machine

BREAKS = ("<br/>", "<br />", "<br>", "\\n")
LONGEST, WIDEST_IN_BOX = 500, 24


def printable(text: str) -> str:
    """Return a text with blanks in place of characters that could move a cursor."""
    return "".join(char if char.isprintable() else " " for char in text)


def shown(text: str | None) -> str:
    """Return a label on one line, at most LONGEST cells wide; empty for None."""
    line = (text or "")[: LONGEST * 4]
    for mark in BREAKS:
        line = line.replace(mark, " ")
    return cut(" ".join(printable(line).split()), LONGEST)


def label_of(machine: Machine, state: str) -> str:
    """Return the label of a state on one line; empty if it has none."""
    return shown(machine.labels.get(state))


def is_in_box(machine: Machine, state: str) -> bool:
    """Tell whether the label of a state stands in its box, because it is short."""
    label = label_of(machine, state)
    return bool(label) and label != state and cells(label) <= WIDEST_IN_BOX
