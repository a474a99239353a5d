"""Write a machine as text for a terminal: its steps in order, and where each leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.drawing.text_metrics import BREAKS
from rcs_hooks.terminal.width import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.machine.graph import Machine

WIDEST_NAME = 32
LONGEST_LABEL = 500
MOST_STEPS = 1_000


def as_text(machine: Machine, *, path: Sequence[tuple[str, str]] = (), current: str | None = None) -> str:
    """Return a machine as text, with at most MOST_STEPS steps. `path` holds the edges that a run took.

    `*` marks the step `current`, and `+` the other steps on the path.
    """
    labels = {(one, other): label for one, other, label in machine.transitions}
    steps = machine.steps()
    width = min(max(map(len, steps), default=0), WIDEST_NAME)
    lines = [_printable(f"{machine.name}: {machine.file}" if machine.file else machine.name)]
    visited = {state for pair in path for state in pair}
    place = {state: number for number, state in enumerate(steps)}
    initial, terminal, unreachable = set(machine.initial), set(machine.terminal), set(machine.unreachable())
    for state in steps[:MOST_STEPS]:
        mark = "*" if state == current else "+" if state in visited else " "
        routes = [
            _edge(after, labels[state, after], is_back=place[after] <= place[state])
            for after in machine.successors(state)
        ]
        routes += [_edge("end", machine.endings.get(state), is_back=False)] if state in terminal else []
        notes = ["start"] if state in initial else []
        notes += ["no start leads here"] if state in unreachable else []
        notes += [_shown(machine.labels[state])] if state in machine.labels else []
        said = f"  ({'; '.join(notes)})" if notes else ""
        lines.append(f"{mark} {state:<{width}}{said}".rstrip())
        lines += [f"    -> {route}" for route in routes]
    if len(steps) > MOST_STEPS:
        lines.append(f"and {len(steps) - MOST_STEPS} more steps; --json has all of them")
    return "\n".join(lines)


def _edge(target: str, label: str | None, *, is_back: bool) -> str:
    return target + (" (back)" if is_back else "") + (f" : {_shown(label)}" if label else "")


def _shown(label: str) -> str:
    """Return a label on one line, at most LONGEST_LABEL cells wide."""
    line = label[: LONGEST_LABEL * 4]
    for mark in BREAKS:
        line = line.replace(mark, " ")
    return cut(" ".join(_printable(line).split()), LONGEST_LABEL)


def _printable(text: str) -> str:
    """Return a text with blanks in place of characters that could move a cursor."""
    return "".join(char if char.isprintable() else " " for char in text)
