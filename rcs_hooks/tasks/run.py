"""A task among the runs: each move is an event of a run, so that whatever shows runs shows tasks.

Rules of this file:
- The first run of a task is called as the task, the next ones `<task>#2` and so on: one begins with a new task, where
  a done one is opened again, and where the runs lost sight of it. It may begin in any phase.
- Tasks of one name in two projects have runs of their own.
- Nothing that is wrong with the runs fails a move: it is told.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import RcsError, Rejected
from rcs_hooks.runs import faults, judge, places, store
from rcs_hooks.runs.asked import STATUS_CHANGE, Asked
from rcs_hooks.runs.ledger import BY_PERSON, Ledger
from rcs_hooks.tasks.phases import DONE

if TYPE_CHECKING:
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.around import Around

WORKFLOW = "task"
LIFECYCLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lifecycle.md")
MOST_RUNS = 1_000


class Told:
    """One move, as the runs are told of it."""

    __slots__ = ("begins", "data", "phase", "project", "task")

    def __init__(self, project: str, task: str, phase: str, *, begins: bool, **data: Any) -> None:
        self.project = os.path.realpath(project)
        self.task = task
        self.phase = phase
        self.begins = begins
        self.data = {"feature": task} | {key: value for key, value in data.items() if value is not None}


def machine() -> Machine:
    """The diagram in `lifecycle.md`. Raises MachineError."""
    found = places.machine_of(places.Found(WORKFLOW, places.SKILL, LIFECYCLE))
    if found is None:
        raise Rejected(f"{LIFECYCLE} has no diagram")
    return found


def report(told: Told, around: Around) -> str | None:
    """Why the runs know nothing of it; None where they do."""
    try:
        _report(told, around)
    except RcsError as error:
        return str(error)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None


def _report(told: Told, around: Around) -> None:
    lifecycle = machine()
    kept = store.made(faults.path_of(around.env, around.home, around.cwd))
    try:
        with kept:
            run_id = _run_id(kept, told, lifecycle)
            # That it runs completes what was before it; then the end is complete itself.
            for status in ("running", "completed") if told.phase == DONE else ("running",):
                ledger = Ledger(kept, _asked(told, run_id, status), lifecycle, told.project, around.now)
                ledger.write(LIFECYCLE)
    finally:
        kept.close()


def _asked(told: Told, run_id: str, status: str) -> Asked:
    given = {"type": STATUS_CHANGE, "run_id": told.task, "workflow": WORKFLOW, "step": told.phase}
    asked = Asked(given | {"data": {"status": status} | told.data})
    asked.run_id = run_id
    return asked


def _run_id(kept: store.Store, told: Told, lifecycle: Machine) -> str:
    """The last run of this task, where the move follows from it and nobody has ended it; else a new one."""
    mine, free = None, None
    for number in range(1, MOST_RUNS):
        name = f"{told.task}#{number}" if number > 1 else told.task
        run = kept.run(name)
        if run is None:
            free = name
            break
        if (run["project"], run["workflow"]) == (told.project, WORKFLOW):
            mine = None if run["ended"] == BY_PERSON else name
    if mine and not told.begins and _follows(kept, told, mine, lifecycle):
        return mine
    if free is None:
        raise Rejected(f"there are {MOST_RUNS} runs of {told.task}; prune some: rcs runs prune --older-than 30d")
    return free


def _follows(kept: store.Store, told: Told, run_id: str, lifecycle: Machine) -> bool:
    ledger = Ledger(kept, _asked(told, run_id, "running"), lifecycle, told.project, 0)
    try:
        judge.check_step(lifecycle, told.phase, ledger.position)
    except Rejected:
        return False
    return True
