"""The state graph of a run, with the path that it took. No file but the machine's own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import MachineError
from rcs_hooks.machine import drawing
from rcs_hooks.machine.mermaid import read as read_diagram
from rcs_hooks.machine.read import machine_in
from rcs_hooks.runs import places
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from rcs_hooks.machine.graph import Machine

Record = dict[str, Any]
Pairs = list[tuple[str, str]]

STYLE = f"<style>{drawing.STYLE}</style>\n"
"""A page that forbids styles of its own would complain of it; what it says, the page says too."""
KEPT = 64


class Machines:
    """As they were read, until their file changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Machine | None, str | None]] = {}

    def of(self, run: Record) -> tuple[Machine | None, str | None]:
        """The machine, or one sentence on why there is none."""
        file = run["file"]
        if not file:
            return None, "this workflow has no state machine"
        try:
            touched = os.stat(file).st_mtime_ns
            if file not in self._known or self._known[file][0] != touched:
                if len(self._known) >= KEPT:
                    self._known.clear()
                machine = places.machine_of(places.Found(run["workflow"], places.SKILL, file))
                why = None if machine else f"{file} has no state machine any more"
                self._known[file] = (touched, machine, why)
        except OSError as error:
            return None, f"{file} cannot be read: {(error.strerror or str(error)).lower()}"
        except MachineError as error:
            return None, f"{error.file or file}: {clean(error.problem, 200)}"
        return self._known[file][1:]


def drawn(machine: Machine, path: Pairs | tuple[()] = (), current: str | None = None) -> Record:
    if problem := drawing.too_large(machine):
        return {"svg": None, "problem": problem}
    return {"svg": drawing.svg(machine, path=path, current=current).replace(STYLE, ""), "problem": None}


def diagram_in(text: str, name: str) -> Record:
    """Of a text that promises one: in its section, else in its first Mermaid fence, else the text itself."""
    try:
        machine = machine_in(text, name=name, file=name)
        if machine is None:
            machine = read_diagram(_fenced(text), name=name, file=name)
    except MachineError as error:
        return {"svg": None, "problem": f"line {error.line}: {clean(error.problem, 200)}"}
    return drawn(machine)


def _fenced(text: str) -> str:
    _, fence, rest = text.partition("```mermaid\n")
    return rest.partition("\n```")[0] if fence else text
