"""The state graph of a run, with the path that it took; and caches of what is read for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from rcs_hooks.dashboard.workers import ShownPath
from rcs_hooks.drawing import svg
from rcs_hooks.errors import MachineError, reason_of
from rcs_hooks.machine.markdown import machine_in
from rcs_hooks.machine.mermaid import read as read_diagram
from rcs_hooks.runs import workflow_files
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.path import Edges
    from rcs_hooks.runs.records import EventRecord, RunRecord

Record = dict[str, Any]

STYLE = f"<style>{svg.STYLE}</style>\n"
"""Left out: a page whose policy forbids inline styles complains of it, and its style sheet has the same rules."""
MOST_MACHINES = 64
MOST_PATHS = 64


class Machines(Protocol):
    """What knows the machines of runs."""

    def of(self, run: RunRecord) -> tuple[Machine | None, str | None]:
        """Return the machine of a run, or None and one sentence on why there is none."""


class MachineCache:
    """The machines of workflows, each read again when its file changes."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, Machine | None, str | None]] = {}

    def of(self, run: RunRecord) -> tuple[Machine | None, str | None]:
        """Return the machine of a run, or None and one sentence on why there is none."""
        file = run.file
        if not file:
            return None, "this workflow has no state machine"
        try:
            modified = os.stat(file).st_mtime_ns
            if file not in self._known or self._known[file][0] != modified:
                if len(self._known) >= MOST_MACHINES:
                    self._known.clear()
                found = workflow_files.WorkflowFile(run.workflow, workflow_files.SKILL, file)
                machine = workflow_files.machine_of(found)
                why = None if machine else f"{file} has no state machine any more"
                self._known[file] = (modified, machine, why)
        except OSError as error:
            return None, f"{file} cannot be read: {reason_of(error)}"
        except MachineError as error:
            return None, f"{error.file or file}: {clean(error.problem, 200)}"
        return self._known[file][1:]


class RunPathCache:
    """The paths of the runs that were shown last; only the events since then are read again."""

    def __init__(self) -> None:
        self._known: dict[str, ShownPath] = {}

    def of(
        self, run: RunRecord, machine: Machine | None, events_after: Callable[[int], Iterable[EventRecord]]
    ) -> ShownPath:
        """Return the path of a run up to its last event; `events_after` reads those above a sequence."""
        path = self._known.pop(run.run_id, None)
        if path is None or path.machine is not machine or path.last_seq > run.events:
            path = ShownPath(machine)
        path.add(events_after(path.last_seq))
        while len(self._known) >= MOST_PATHS:
            del self._known[next(iter(self._known))]
        self._known[run.run_id] = path
        return path

    def forget(self) -> None:
        """Drop all cached paths, because runs were deleted or the store is another one."""
        self._known.clear()


def draw(machine: Machine, path: Edges | tuple[()] = (), current: str | None = None) -> Record:
    """Return an SVG picture of a machine, or one sentence on why there is none, as JSON."""
    if problem := svg.too_large(machine):
        return {"svg": None, "problem": problem}
    return {"svg": svg.svg(machine, path=path, current=current).replace(STYLE, ""), "problem": None}


def diagram_in(text: str, name: str) -> Record:
    """Return a picture of the diagram in an artifact, or why there is none, as JSON.

    The diagram is that of the `## STATE-MACHINE` section, else the first Mermaid fence, else the whole text.
    """
    try:
        machine = machine_in(text, name=name, file=name)
        if machine is None:
            machine = read_diagram(_fenced(text), name=name, file=name)
    except MachineError as error:
        return {"svg": None, "problem": f"line {error.line}: {clean(error.problem, 200)}"}
    return draw(machine)


def _fenced(text: str) -> str:
    _, fence, rest = text.partition("```mermaid\n")
    return rest.partition("\n```")[0] if fence else text
