"""The times of the units and agents of a run, derived from its events. Pure.

Rules of this file:
- An agent, or one unit of it, is in one state at a time: what it reported before is over once it reports another one.
- Nothing of that is an event: a state that was left is only shown as past.
- A state that the same agent enters again has a time of its own.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.path import ENDED, ENTERS, MOST_VISITS, RunPath, StepVisit
from rcs_hooks.runs.records import COMPLETED, OPEN
from rcs_hooks.runs.request import STATUS_CHANGE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import EventRecord

Record = dict[str, Any]
MOST_STAYS = 50
"""How many times of one state are told, the last ones."""


class ShownPath(RunPath):
    """The path of a run with the times of its units and agents."""

    def __init__(self, machine: Machine | None) -> None:
        super().__init__(machine)
        self._stays: deque[tuple[tuple[str, str], StepVisit]] = deque(maxlen=MOST_VISITS)
        self._at: dict[tuple[str, str], tuple[str, StepVisit]] = {}
        """Where each agent, or unit of it, is now: by agent and unit, the step and its time."""

    def add(self, events: Iterable[EventRecord]) -> None:
        for event in events:
            super().add((event,))
            step, unit = event.step or "", event.unit or ""
            if event.type == STATUS_CHANGE and (unit or ":" in step):
                self._report(step, unit, event.status or "", event.at)

    def _report(self, step: str, unit: str, status: str, at: str) -> None:
        worker = step.partition(":")[0] if ":" in step else "", unit
        before, visit = self._at.get(worker, ("", None))
        if visit and before != step and visit.ended_at is None:
            visit.status, visit.ended_at = COMPLETED, at
        if before != step or visit is None or visit.ended_at is not None:
            if status not in ENTERS:
                return
            visit = StepVisit(step, at)
            self._stays.append(((step, unit), visit))
            self._at[worker] = step, visit
        visit.status = status
        if status in ENDED:
            visit.ended_at = at

    def stays(self) -> dict[tuple[str, str], list[Record]]:
        """Return the times of each state of a unit or an agent, by step and unit, as JSON."""
        found: dict[tuple[str, str], list[Record]] = {}
        for key, visit in self._stays:
            found.setdefault(key, []).append(visit.as_json())
        return found


def with_stays(timeline: list[Record], path: ShownPath, now: float, over_at: str | None) -> list[Record]:
    """Return the steps of a run, with the times of their units and agents. `over_at`: when the run ended, if it has."""
    found = path.stays()

    def told(worker: Record, parent: Record) -> Record:
        stays = found.get((worker["step"], worker["unit"] or ""), [])[-MOST_STAYS:]
        left = over_at or (parent["ended_at"] if parent["status"] not in OPEN else None)
        stays = [stay if stay["ended_at"] else stay | {"ended_at": _later(left, stay["started_at"])} for stay in stays]
        if not stays:
            return worker | {"stays": []}
        spent = sum(_length(stay, now) for stay in stays)
        last = stays[-1]
        return worker | {
            "stays": stays, "status": last["status"], "ended_at": last["ended_at"], "seconds": round(spent, 3),
        }  # fmt: skip

    def agent(each: Record, parent: Record) -> Record:
        steps = [told(step, parent) for step in each["steps"]]
        last = next((step for step in steps if step["step"] == each["step"]), steps[-1])
        return each | {"steps": steps, "status": last["status"], "ended_at": last["ended_at"]}

    return [
        step
        | {
            "units": [told(unit, step) for unit in step["units"]],
            "agents": [agent(each, step) for each in step["agents"]],
        }
        for step in timeline
    ]


def _later(left: str | None, started: str) -> str | None:
    return left if left and left >= started else None


def _length(stay: Record, now: float) -> float:
    begun, ended = seconds(stay["started_at"]), seconds(stay["ended_at"]) if stay["ended_at"] else now
    return max(0.0, (ended or 0.0) - (begun or 0.0))
