"""One run at the moment of an emit: what is known of it, and what becomes of it. Inside the transaction."""

from rcs_hooks.errors import Refused
from rcs_hooks.runs.asked import ARTIFACT, OPEN, STATUS_CHANGE
from rcs_hooks.runs.judge import Position, completed_by, stands
from rcs_hooks.runs.progress import COMPLETED, Row, latest, run_status
from rcs_hooks.state.clock import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.asked import Asked
    from rcs_hooks.runs.store import Store

    Record = dict[str, Any]

RUN_ENDED = "run_ended"
BY_PERSON, BY_MACHINE = "person", "machine"
COMPLETED_DATA = '{"status": "completed"}'


class Ledger:
    """Read once, judged by others, then written."""

    def __init__(
        self, store: "Store | None", asked: "Asked", machine: "Machine | None", project: str, now: float
    ) -> None:
        self.store = store
        self.asked = asked
        self.machine = machine
        self.project = project
        self.run = store.run(asked.run_id) if store else None
        self.rows = store.steps(self.run["id"]) if store and self.run else []
        self.position = position_of(self.run["current"] if self.run else None, self.rows)
        self.ms = _not_before(round(now * 1000), self.run)

    def position_of(self, agent: str) -> Position:
        """Where an agent is with this unit."""
        unit = self.asked.unit or ""
        here = next((row for row in latest(self.rows) if (row.agent, row.unit) == (agent, unit)), None)
        return Position(here.step.partition(":")[2] if here else None, {}, {})

    def agent_of_unit(self) -> str | None:
        mine = [row for row in latest(self.rows) if row.unit == self.asked.unit and row.agent]
        return mine[-1].agent if mine else None

    # --- writing

    def write(self, file: str | None) -> "Record":
        """What was accepted; what the caller is told. The events come with their ids and sequences."""
        asked = self.asked
        step = f"{asked.agent}:{asked.step}" if asked.agent and asked.step else asked.step
        done = self._predecessors()
        if done and self.run and self.ms == self.run["last_ms"]:
            self.ms += 1  # what they are completed by comes behind all that was told of them
        run = self.run or self._new_run()
        run["file"] = file or run["file"]
        run["feature"] = asked.feature or run["feature"]
        for before in done:
            self._complete(run, before)
        told = {"type": asked.type, "step": step, "unit": asked.unit, "status": asked.status, "data": asked.data}
        event = record(self._book, run, self.ms, told)
        if asked.type == ARTIFACT:
            self._register(run, step)
        else:
            self._move(run, str(step))
        self._settle(run)
        self._book.update_run(run)
        return {
            "success": True,
            "event_id": event,
            "run_id": asked.run_id,
            "seq": run["events"],
            "step": step,
            "completed_predecessors": list(done),
            "run_status": run["status"],
        }

    def _settle(self, run: "Record") -> None:
        """A run that has ended stays as it ended: only a step that leads on from its machine's end opens it again."""
        goes_on = self.asked.is_step_level and self.asked.step != self.position.current
        if run["ended"] == BY_PERSON or (run["ended"] and not goes_on):
            return
        run["status"] = run_status(self.rows, self.machine)
        run["ended"] = BY_MACHINE if run["status"] == COMPLETED else None

    def _predecessors(self) -> tuple[str, ...]:
        asked = self.asked
        if self.machine is None or not asked.is_step_level or asked.status != "running" or asked.step is None:
            return ()
        return completed_by(self.machine, asked.step, self.position)

    def _new_run(self) -> "Record":
        asked, at = self.asked, iso_ms(self.ms)
        run: Record = {
            "run_id": asked.run_id, "workflow": asked.workflow, "project": self.project, "feature": asked.feature,
            "file": None, "status": "idle", "current": None, "events": 0, "artifacts": 0, "started_at": at,
            "last_at": at, "last_ms": self.ms, "last_event": 0, "ended": None,
        }  # fmt: skip
        return run | {"id": self._book.add_run(run)}

    @property
    def _book(self) -> "Store":
        if self.store is None:
            raise TypeError("a ledger without a store is only for judging")
        return self.store

    def _complete(self, run: "Record", step: str) -> None:
        """Just before the event that completes it."""
        told = {"type": STATUS_CHANGE, "step": step, "status": "completed", "data": COMPLETED_DATA, "automatic": 1}
        record(self._book, run, self.ms - 1, told)
        row = next(row for row in self.rows if row.is_step_level and row.step == step)
        row.move("completed", iso_ms(self.ms - 1), self.ms - 1)
        self._book.put_step(run["id"], row)

    def _move(self, run: "Record", step: str) -> None:
        asked, seq = self.asked, run["events"]
        unit = asked.unit or ""
        row = next((row for row in self.rows if row.key == (step, unit)), None)
        if row is None:
            row = Row(step, unit, asked.agent or "")
            self.rows.append(row)
        if asked.is_step_level:
            if self._enters(row):
                row.entered = seq
                row.visits += 1
            run["current"] = step
        else:
            row.entered = row.entered or seq
            row.visits = 1
            row.parent = step if not asked.agent else run["current"] or row.parent
        row.last = seq
        row.move(str(asked.status), iso_ms(self.ms), self.ms)
        self._book.put_step(run["id"], row)

    def _enters(self, row: Row) -> bool:
        """And is not the current step again, nor one beside it that has not been left."""
        if row.entered == 0:
            return True
        if row.step == self.position.current:
            return False
        return self.machine is None or not stands(self.machine, self.position, row.step)

    def _register(self, run: "Record", step: str | None) -> None:
        asked = self.asked
        artifact = {
            "path": asked.path, "type": asked.kind, "feature": asked.feature, "step": step,
            "subflow": int(asked.subflow), "at": iso_ms(self.ms), "seq": run["events"],
        }  # fmt: skip
        run["artifacts"] = self._book.put_artifact(run["id"], artifact)


def record(store: "Store", run: "Record", ms: int, event: "Record") -> int:
    """One event with the next sequence of its run, and the run's own row told of it; the id."""
    run["events"] += 1
    at = iso_ms(ms)
    nothing = {"step": None, "unit": None, "status": None, "automatic": 0}
    number = store.add_event(run["id"], nothing | event | {"seq": run["events"], "at": at})
    run["last_at"], run["last_ms"], run["last_event"] = at, ms, number
    return number


def position_of(current: str | None, rows: "list[Row]") -> Position:
    own = [row for row in rows if row.is_step_level]
    return Position(current, {row.step: row.entered for row in own}, {row.step: row.status for row in own})


def iso_ms(ms: int) -> str:
    return iso((ms + 0.5) / 1000)  # the half keeps a float from falling into the millisecond before


def _not_before(ms: int, run: "Record | None") -> int:
    """A clock that was set back does not turn a run's events round."""
    return max(ms, run["last_ms"]) if run else ms


def end(store: "Store", run: "Record", status: str, now: float) -> list[str]:
    """A person ends a run: what is still open gets the status, then the run does. The steps that were open.

    Raises Refused for a run that has ended.
    """
    from rcs_hooks import jsontext

    if run["ended"]:
        raise Refused(f"run {run['run_id']!r} has ended already, as {run['status']}; nothing was changed")
    data = jsontext.dumps_line({"status": status, "by": "person"})
    ms = _not_before(round(now * 1000), run)
    open_rows = [row for row in store.steps(run["id"]) if row.status in OPEN]
    for row in open_rows:
        told = {"type": STATUS_CHANGE, "step": row.step, "unit": row.unit or None, "automatic": 1}
        record(store, run, ms, told | {"status": status, "data": data})
        row.last = run["events"]
        row.move(status, iso_ms(ms), ms)
        store.put_step(run["id"], row)
    record(store, run, ms, {"type": RUN_ENDED, "status": status, "data": data})
    run["status"], run["ended"] = status, BY_PERSON
    store.update_run(run)
    return [f"{row.step} ({row.unit})" if row.unit else row.step for row in open_rows]
