"""The records of a run as every store holds them: the run, its steps, its events and its artifacts.

Immutable, and compared by value. Every `rcs emit` loads this file, so they are the `NamedTuple` of `tuples`.
"""

from rcs_hooks.tuples import NamedTuple

NOT_STARTED, RUNNING, WAITING = "not_started", "running", "waiting"
COMPLETED, FAILED, SKIPPED = "completed", "failed", "skipped"
STEP_STATUSES = (NOT_STARTED, RUNNING, WAITING, COMPLETED, FAILED, SKIPPED)
OPEN = (RUNNING, WAITING)
BY_PERSON, BY_MACHINE = "person", "machine"


class SessionRef(NamedTuple):
    """The session of a client in whose shell a run was reported."""

    session: str
    client: str
    """The name of the client; empty if no variable of its own names the session."""
    workspace: str
    """The folder whose state has the session; it may be another one than the project of the run."""


class RunRecord(NamedTuple):
    """One run, with everything that a list of runs shows, so that a list needs no events."""

    id: int
    """The number of the run in its store; 0 before it is stored."""
    run_id: str
    workflow: str
    project: str
    feature: str | None
    file: str | None
    """The file that declares the state machine of the workflow; None where there is none."""
    status: str
    current: str | None
    """The step of the workflow that was reported last; None before the first one."""
    events: int
    artifacts: int
    started_at: str
    last_at: str
    last_ms: int
    """The time of the last event, in milliseconds since 1970."""
    last_event: int
    """The id of the last event."""
    ended: str | None
    """Who ended the run: BY_PERSON, BY_MACHINE, or None while it goes on."""
    session: str | None = None
    """The session that reported an event of the run last: where several did, the one that can go on with it. None where
    no report came from a session."""
    client: str | None = None
    """The name of that session's client."""
    workspace: str | None = None
    """The folder whose state has that session."""
    open_steps: str | None = None
    """The steps of the workflow that run or wait, behind the number of events for which that was so, a line for each:
    an older program adds events and leaves this as it is. None where no machine says which steps were left."""

    @property
    def current_steps(self) -> list[str]:
        """Return the steps where the run is: several where branches run side by side."""
        number, *steps = (self.open_steps or "").split("\n")
        if steps and number == str(self.events) and self.status in OPEN:
            return steps
        return [self.current] if self.current else []


class StepRecord(NamedTuple):
    """One step of a run, or one unit or agent in a step."""

    step: str
    """The name of the step; AGENT:STEP for the step of an agent."""
    unit: str = ""
    agent: str = ""
    parent: str = ""
    """The step of the workflow that a unit or an agent belongs to; empty for a step of the workflow itself."""
    status: str = NOT_STARTED
    entered: int = 0
    """The sequence of the event that entered the step last."""
    last: int = 0
    """The sequence of the last event that was reported for the step; an automatic event does not count."""
    visits: int = 0
    started_at: str | None = None
    ended_at: str | None = None
    open_ms: int | None = None
    """When the step began to run or wait, in milliseconds since 1970; None if it does neither."""
    spent_ms: int = 0
    """The milliseconds spent in the step, without the period that is still open."""

    @property
    def is_step_level(self) -> bool:
        """Tell whether this is a step of the workflow itself, and neither a unit nor an agent."""
        return not (self.unit or self.agent)

    @property
    def key(self) -> tuple[str, str]:
        """Return what identifies the record within its run: step and unit."""
        return self.step, self.unit

    def with_status(self, status: str, at: str, ms: int) -> "StepRecord":
        """Return the step with a new status and updated times; `at` and `ms` are one moment, as text and number."""
        if status in OPEN:
            open_ms = ms if self.open_ms is None else self.open_ms
            return self._replace(status=status, started_at=self.started_at or at, ended_at=None, open_ms=open_ms)
        if status == NOT_STARTED:
            return self._replace(status=status)
        started_at, spent_ms = self.started_at, self.spent_ms
        if self.open_ms is not None:
            spent_ms += ms - self.open_ms
        elif status != SKIPPED and started_at is None:
            started_at = at
        return self._replace(status=status, started_at=started_at, ended_at=at, open_ms=None, spent_ms=spent_ms)


class NewEvent(NamedTuple):
    """One event that is about to be stored.

    An EventRecord also has an id, which the store gives, and the names of the run, which are in the row of the run.
    """

    seq: int
    """The number of the event in its run: 1, 2, 3 and so on."""
    at: str
    type: str
    step: str | None
    unit: str | None
    status: str | None
    data: str
    """A JSON object, as text."""
    automatic: bool
    """Whether the event was not reported, but follows from another one."""


class EventRecord(NamedTuple):
    """One stored event, with the names of the run that it belongs to."""

    id: int
    """The number of the event among those of all runs. It only grows: a reader of all events after N misses none."""
    seq: int
    at: str
    type: str
    step: str | None
    unit: str | None
    status: str | None
    data: str
    automatic: bool
    run_id: str
    workflow: str
    project: str


class ArtifactRecord(NamedTuple):
    """One file that a run has registered; a new registration of the same path replaces the record."""

    path: str
    type: str | None
    feature: str | None
    step: str | None
    subflow: bool
    at: str
    seq: int


class RunFilter(NamedTuple):
    """The conditions for the runs in a list; a field that is None is no condition."""

    project: str | None = None
    workflow: str | None = None
    status: str | None = None
    feature: str | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    session: str | None = None


ALL_RUNS = RunFilter()
