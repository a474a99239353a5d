"""The path of a run through its machine, derived from its events: the edges that it took, and its visits. Pure.

Rules of this file:
- A step follows the current one where an edge leads from there; a branch goes out from the step that it branches off
  from, which was entered last of those that have an edge to it.
- Events of units and agents, and those that only complete a predecessor, take no edge.
- A report of a branch that is still active takes no edge either.
- A step that joins branches is entered from each of them that was entered, and not left, since the step was entered.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rcs_hooks.runs.records import COMPLETED, FAILED, OPEN, RUNNING, SKIPPED, WAITING
from rcs_hooks.runs.request import STATUS_CHANGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import EventRecord

Edges = list[tuple[str, str]]

OUTSIDE = "[*]"
"""The node where the path of every run begins, and where that of a completed run ends."""
ENDED = (COMPLETED, FAILED, SKIPPED)
ENTERS = (RUNNING, WAITING, COMPLETED, FAILED)
"""The statuses that enter a step; a step that is skipped, or not started yet, is not entered."""
MOST_VISITS = 500


class StepVisit:
    """One visit to a step of the workflow; a loop makes several visits to one step."""

    __slots__ = ("ended_at", "started_at", "status", "step")

    def __init__(self, step: str, started_at: str) -> None:
        self.step = step
        self.status = RUNNING
        self.started_at = started_at
        self.ended_at: str | None = None

    def as_json(self) -> JsonObject:
        return {"step": self.step, "status": self.status, "started_at": self.started_at, "ended_at": self.ended_at}


class RunPath:
    """The path of one run, which grows as its events are added."""

    def __init__(self, machine: Machine | None) -> None:
        self.machine = machine
        self.last_seq = 0
        """The sequence of the last event that was added."""
        self.visits: deque[StepVisit] = deque(maxlen=MOST_VISITS)
        """The last visits, in the order in which they began."""
        self._open: dict[str, StepVisit] = {}
        self._taken: Edges = []
        self._entered: dict[str, int] = {}
        self._left: dict[str, int] = {}
        """The sequence at which an edge was taken from each step last."""
        self._current: str | None = None

    def add(self, events: Iterable[EventRecord]) -> None:
        """Extend the path by events that are later than all events added before."""
        for event in events:
            self.last_seq = event.seq
            step, status = event.step or "", event.status or ""
            if event.type != STATUS_CHANGE or event.unit or ":" in step:
                continue
            self._visit(step, status, event.at)
            if not event.automatic and status in ENTERS and step != self._current:
                self._enter(step)

    def edges(self, *, is_completed: bool) -> Edges:
        """Return the edges that the run took, in order.

        If the run `is_completed` and its current step is an end, the last edge leads from there to `[*]`.
        """
        if self.machine and self._current and is_completed and self._current in self.machine.terminal:
            return [*self._taken, (self._current, OUTSIDE)]
        return self._taken

    def _visit(self, step: str, status: str, at: str) -> None:
        visit = self._open.get(step)
        if visit is None and status in ENTERS:
            visit = StepVisit(step, at)
            self.visits.append(visit)
        if visit is None:
            return
        visit.status = status
        if status in OPEN:
            self._open[step] = visit
        elif status in ENDED:
            visit.ended_at = at
            self._open.pop(step, None)

    def _enter(self, step: str) -> None:
        if self.machine is None or step not in self.machine.states:
            return
        source = self._source(self.machine, step)
        if source is None:
            if step in self._entered:  # a branch that is still active
                return
            source = OUTSIDE
        for each in (source, *self._joined(self.machine, step, source)):
            self._taken.append((each, step))
            self._left[each] = self.last_seq
        self._entered[step], self._current = self.last_seq, step

    def _joined(self, machine: Machine, step: str, source: str) -> list[str]:
        """Return the other branches that end where `step` is entered from `source`."""
        since = self._entered.get(step, -1)
        return [
            state
            for state in machine.predecessors(step)
            if state not in (source, step) and self._entered.get(state, -1) > max(since, self._left.get(state, -1))
        ]

    def _source(self, machine: Machine, step: str) -> str | None:
        """Return the step from which `step` is entered; None if no predecessor was entered since `step` was."""
        before = machine.predecessors(step)
        if self._current in before:
            return self._current
        since = self._entered.get(step, -1)
        known = [state for state in before if self._entered.get(state, -1) > since]
        return max(known, key=lambda state: self._entered[state], default=None)
