"""What an accepted emit changes in its run: events, steps, artifacts and the run itself. Inside one transaction."""

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import iso
from rcs_hooks.runs.progress import IDLE, latest, open_steps, run_status
from rcs_hooks.runs.records import (
    BY_MACHINE,
    BY_PERSON,
    COMPLETED,
    OPEN,
    RUNNING,
    ArtifactRecord,
    NewEvent,
    RunRecord,
    StepRecord,
)
from rcs_hooks.runs.request import ARTIFACT, STATUS_CHANGE
from rcs_hooks.runs.rules import RunPosition, completed_by, is_active_branch, position_of
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import SessionRef
    from rcs_hooks.runs.request import EmitRequest
    from rcs_hooks.runs.sqlite_store import SqliteStore

RUN_ENDED = "run_ended"
COMPLETED_DATA = '{"status": "completed"}'


class RunUpdate:
    """One run while an emit is decided and written: what is stored of the run, and its position in its machine."""

    def __init__(
        self, store: "SqliteStore | None", request: "EmitRequest", machine: "Machine | None", project: str, now: float
    ) -> None:
        """Read what is stored of the run. If `store` is None, as none exists yet, the update can only be checked."""
        self.machine = machine
        self._store = store
        self._project = project
        self._run_id, self._unit = request.run_id, request.unit
        self.run = store.run(request.run_id) if store else None
        self.steps = {step.key: step for step in store.steps(self.run.id)} if store and self.run else {}
        self.position = position_of(self.run.current if self.run else None, self.steps.values())
        self._ms = _not_before(round(now * 1000), self.run)

    def position_of_agent(self, agent: str) -> RunPosition:
        """Return the position of an agent in its own machine, for the unit of the request."""
        unit = self._unit or ""
        here = next((step for step in latest(self.steps.values()) if (step.agent, step.unit) == (agent, unit)), None)
        return RunPosition(here.step.partition(":")[2] if here else None, {}, {})

    def last_agent_of_unit(self) -> str | None:
        """Return the agent that reported the unit of the request last; None if none did."""
        mine = [step for step in latest(self.steps.values()) if step.unit == self._unit and step.agent]
        return mine[-1].agent if mine else None

    # --- writing

    def write(self, request: "EmitRequest", file: str | None, by: "SessionRef | None" = None) -> "JsonObject":
        """Store the request, and return the answer to its caller as JSON.

        `request` is the request of this update, with the agent that its step belongs to; `file` declares the machine.
        `by`: the session that reports it; None if it comes from no session, which leaves the one before.
        Events that follow from the request are stored before the event of the request.
        """
        store = self._writable
        done = self._completed(request)
        if done and self.run and self._ms == self.run.last_ms:
            self._ms += 1  # the predecessors are completed one millisecond earlier, yet after everything stored so far
        run = self.run or self._new_run(store, request)
        run = run._replace(file=file or run.file, feature=request.feature or run.feature)
        if by:
            run = run._replace(session=by.session, client=by.client or None, workspace=by.workspace)
        for step in done:
            run = self._complete(store, run, step)
        run = _add_event(store, run, self._ms, self._event(request))
        if request.type == ARTIFACT:
            run = run._replace(artifacts=store.put_artifact(run.id, self._artifact(request, run)))
        else:
            run = self._move(store, run, request)
        run = self._settle(run, request)
        here = open_steps(self.steps.values(), self.machine) if self.machine else []
        run = run._replace(open_steps="\n".join((str(run.events), *here)) if here else None)
        store.update_run(run)
        return {
            "success": True,
            "event_id": run.last_event,
            "run_id": run.run_id,
            "seq": run.events,
            "step": request.stored_step,
            "completed_predecessors": list(done),
            "run_status": run.status,
        }

    @property
    def _writable(self) -> "SqliteStore":
        if self._store is None:
            raise TypeError("an update without a store can only be checked")
        return self._store

    def _completed(self, request: "EmitRequest") -> tuple[str, ...]:
        """Return the steps that are completed because the reported step runs."""
        if self.machine is None or request.step is None or not request.is_step_level or request.status != RUNNING:
            return ()
        return completed_by(self.machine, request.step, self.position)

    def _new_run(self, store: "SqliteStore", request: "EmitRequest") -> RunRecord:
        at = iso_ms(self._ms)
        run = RunRecord(
            id=0, run_id=request.run_id, workflow=request.workflow, project=self._project, feature=request.feature,
            file=None, status=IDLE, current=None, events=0, artifacts=0, started_at=at, last_at=at, last_ms=self._ms,
            last_event=0, ended=None,
        )  # fmt: skip
        return run._replace(id=store.add_run(run))

    def _complete(self, store: "SqliteStore", run: RunRecord, name: str) -> RunRecord:
        """Complete a step just before the event that causes this, and return the run with that event added."""
        ms = self._ms - 1
        event = NewEvent(0, "", STATUS_CHANGE, name, None, COMPLETED, COMPLETED_DATA, automatic=True)
        run = _add_event(store, run, ms, event)
        self._put(store, run, self.steps[name, ""].with_status(COMPLETED, iso_ms(ms), ms))
        return run

    def _move(self, store: "SqliteStore", run: RunRecord, request: "EmitRequest") -> RunRecord:
        """Give the reported step its new status, and return the run; a step of the workflow becomes current."""
        name, unit = str(request.stored_step), request.unit or ""
        step = self.steps.get((name, unit)) or StepRecord(name, unit, request.agent or "")
        if not request.is_step_level:
            parent = name if not request.agent else run.current or step.parent
            step = step._replace(entered=step.entered or run.events, visits=1, parent=parent)
        elif self._enters(step):
            step = step._replace(entered=run.events, visits=step.visits + 1)
        step = step._replace(last=run.events).with_status(str(request.status), iso_ms(self._ms), self._ms)
        self._put(store, run, step)
        return run._replace(current=name) if request.is_step_level else run

    def _enters(self, step: StepRecord) -> bool:
        """Tell whether a report enters a step; a report of the current step or of an active branch does not."""
        if step.entered == 0:
            return True
        if step.step == self.position.current:
            return False
        return self.machine is None or not is_active_branch(self.machine, self.position, step.step)

    def _settle(self, run: RunRecord, request: "EmitRequest") -> RunRecord:
        """Return the run with its new status.

        A run that has ended keeps its status, unless its machine ended it and a different step is reported now.
        """
        goes_on = request.is_step_level and request.step != self.position.current
        if run.ended == BY_PERSON or (run.ended and not goes_on):
            return run
        status = run_status(self.steps.values(), self.machine)
        return run._replace(status=status, ended=BY_MACHINE if status == COMPLETED else None)

    def _event(self, request: "EmitRequest") -> NewEvent:
        step, unit, status = request.stored_step, request.unit, request.status
        return NewEvent(0, "", request.type, step, unit, status, request.data, automatic=False)

    def _artifact(self, request: "EmitRequest", run: RunRecord) -> ArtifactRecord:
        path, step, at = str(request.path), request.stored_step, iso_ms(self._ms)
        return ArtifactRecord(path, request.kind, request.feature, step, request.subflow, at, run.events)

    def _put(self, store: "SqliteStore", run: RunRecord, step: StepRecord) -> None:
        self.steps[step.key] = step
        store.put_step(run.id, step)


def _add_event(store: "SqliteStore", run: RunRecord, ms: int, event: NewEvent) -> RunRecord:
    """Store an event with the next sequence of its run, and return the run with this event as its last one."""
    seq, at = run.events + 1, iso_ms(ms)
    number = store.add_event(run.id, event._replace(seq=seq, at=at))
    return run._replace(events=seq, last_at=at, last_ms=ms, last_event=number)


def iso_ms(ms: int) -> str:
    """Return a time in milliseconds since 1970 as ISO 8601 text."""
    return iso((ms + 0.5) / 1000)  # the half keeps a float from falling into the millisecond before


def _not_before(ms: int, run: RunRecord | None) -> int:
    """Return a time, or that of the run's last event if later: a clock that was set back must not reverse events."""
    return max(ms, run.last_ms) if run else ms


class EndedRun(NamedTuple):
    """A run that a person has ended, and its steps that were open until then."""

    run: RunRecord
    steps: list[str]

    def as_json(self) -> "JsonObject":
        return {
            "ended": True, "run_id": self.run.run_id, "status": self.run.status, "steps": self.steps,
            "seq": self.run.events,
        }  # fmt: skip


def end_run(store: "SqliteStore", run: RunRecord, status: str, now: float) -> EndedRun:
    """End a run on behalf of a person: give its open steps and the run itself the status.

    Call this in a write transaction, with the run as read there. Raises Refused for a run that has ended.
    """
    if run.ended:
        raise Refused(f"run {run.run_id!r} has already ended as {run.status}; nothing was changed")
    data = jsontext.dumps_line({"status": status, "by": BY_PERSON})
    ms = _not_before(round(now * 1000), run)
    open_steps = [step for step in store.steps(run.id) if step.status in OPEN]
    for step in open_steps:
        event = NewEvent(0, "", STATUS_CHANGE, step.step, step.unit or None, status, data, automatic=True)
        run = _add_event(store, run, ms, event)
        store.put_step(run.id, step._replace(last=run.events).with_status(status, iso_ms(ms), ms))
    run = _add_event(store, run, ms, NewEvent(0, "", RUN_ENDED, None, None, status, data, automatic=False))
    run = run._replace(status=status, ended=BY_PERSON)
    store.update_run(run)
    return EndedRun(run, [f"{step.step} ({step.unit})" if step.unit else step.step for step in open_steps])
