"""Report each move of a task as an event of a run, so that whatever shows runs also shows tasks.

Rules of this file:
- The first run of a task has the name of the task, the next ones are `<task>#2` and so on. A new run begins with a new
  task, where a done task is opened again, and where the run store has lost track. It may begin in any phase.
- Tasks of one name in two projects have separate runs.
- Nothing that is wrong with the run store fails a move: the caller gets the reason as text.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import RcsError, Rejected, reason_of
from rcs_hooks.runs import rules, workflow_files
from rcs_hooks.runs.emit import session_ref
from rcs_hooks.runs.records import BY_PERSON
from rcs_hooks.runs.request import STATUS_CHANGE, EmitRequest, parse_request
from rcs_hooks.runs.sqlite_store import SqliteStore, open_readwrite
from rcs_hooks.runs.store import location_of
from rcs_hooks.runs.update import RunUpdate
from rcs_hooks.tasks.phases import DONE, WORKFLOW

if TYPE_CHECKING:
    from rcs_hooks.environment import Environment
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine

LIFECYCLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lifecycle.md")
MOST_RUNS = 1_000


class MoveReport(NamedTuple):
    """A move of a task to another phase, as it is reported to the store of runs; `report` sends it."""

    root: str
    task: str
    phase: str
    begins: bool
    """Whether a new run begins with this move."""
    round: int
    label: str | None = None
    override: str | None = None
    """The reason that a person gave for an override; None without an override."""

    @property
    def project(self) -> str:
        return os.path.realpath(self.root)

    def request(self, run_id: str, status: str) -> EmitRequest:
        """Return the move as a request to emit `status` for its phase, in the run `run_id`."""
        data: JsonObject = {"status": status, "feature": self.task, "round": self.round}
        data |= {key: value for key, value in (("label", self.label), ("override", self.override)) if value is not None}
        fields = {"type": STATUS_CHANGE, "run_id": self.task, "workflow": WORKFLOW, "step": self.phase, "data": data}
        # `t1#2` is a name that no emit may use, so that none can report in place of a task.
        return parse_request(fields)._replace(run_id=run_id)


def machine() -> Machine:
    """Return the machine that `lifecycle.md` draws. Raises MachineError."""
    lifecycle = workflow_files.machine_of(workflow_files.WorkflowFile(WORKFLOW, workflow_files.SKILL, LIFECYCLE))
    if lifecycle is None:
        raise Rejected(f"{LIFECYCLE} has no diagram")
    return lifecycle


def report(move: MoveReport, environment: Environment) -> str | None:
    """Record a move in the run store. Return why that failed; None if it succeeded."""
    try:
        _report(move, environment)
    except RcsError as error:
        return str(error)
    except OSError as error:
        return reason_of(error)
    return None


def _report(move: MoveReport, environment: Environment) -> None:
    lifecycle = machine()
    store = open_readwrite(location_of(environment))
    try:
        with store.write_transaction():
            run_id = _run_id(store, move, lifecycle)
            reporter = session_ref(environment)
            # A step that begins to run completes the one before it; nothing comes after done, so it completes itself.
            for status in ("running", "completed") if move.phase == DONE else ("running",):
                request = move.request(run_id, status)
                update = RunUpdate(store, request, lifecycle, move.project, environment.now)
                update.write(request, LIFECYCLE, reporter)
    finally:
        store.close()


def _run_id(store: SqliteStore, move: MoveReport, lifecycle: Machine) -> str:
    """Return the last run of a task if the move can follow in it and no person has ended it; otherwise a new run id."""
    last, free = None, None
    for number in range(1, MOST_RUNS):
        name = f"{move.task}#{number}" if number > 1 else move.task
        run = store.run(name)
        if run is None:
            free = name
            break
        if (run.project, run.workflow) == (move.project, WORKFLOW):
            last = None if run.ended == BY_PERSON else name
    if last and not move.begins and _follows(store, move, last, lifecycle):
        return last
    if free is None:
        raise Rejected(f"there are {MOST_RUNS} runs of {move.task}; prune some: rcs runs prune --older-than 30d")
    return free


def _follows(store: SqliteStore, move: MoveReport, run_id: str, lifecycle: Machine) -> bool:
    update = RunUpdate(store, move.request(run_id, "running"), lifecycle, move.project, 0)
    try:
        rules.check_step(lifecycle, move.phase, update.position)
    except Rejected:
        return False
    return True
