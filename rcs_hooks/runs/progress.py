"""What has become of each step, unit and agent of a run, and of the run. Pure.

Rules of this file:
- A step is kept once for each unit; the step of an agent is called AGENT:STEP. It belongs to a step of the workflow: to
  itself, or, for an agent's, to the step that was current at the time.
- A step has been left when one of those that follow it was reported after it; then it says nothing about the run.
- A unit or an agent is where it was last. It says nothing about the run once the step that it belongs to has been
  left, or was completed or skipped after it.
- Of what is left: failed before waiting before running; a completed end of the workflow is completed; else idle.
"""

from rcs_hooks.runs.asked import OPEN
from rcs_hooks.runs.judge import is_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.graph import Machine

FAILED, WAITING, RUNNING, COMPLETED, SKIPPED, IDLE = "failed", "waiting", "running", "completed", "skipped", "idle"
INACTIVE = "inactive"
RUN_STATUSES = (RUNNING, WAITING, FAILED, COMPLETED, SKIPPED, IDLE, INACTIVE)
INACTIVE_AFTER_MS = 24 * 60 * 60 * 1000
GOES_QUIET = (RUNNING, WAITING, IDLE)
"""Only these become inactive; what has ended stays as it ended."""
OVER = (COMPLETED, SKIPPED)


class Row:
    """One step, or one unit or agent in a step."""

    __slots__ = (
        "agent", "ended_at", "entered", "last", "open_ms", "parent", "spent_ms", "started_at", "status", "step", "unit",
        "visits",
    )  # fmt: skip

    def __init__(
        self,
        step: str,
        unit: str = "",
        agent: str = "",
        parent: str = "",
        status: str = "not_started",
        entered: int = 0,
        last: int = 0,
        visits: int = 0,
        started_at: str | None = None,
        ended_at: str | None = None,
        open_ms: int | None = None,
        spent_ms: int = 0,
    ) -> None:
        self.step = step
        self.unit = unit
        self.agent = agent
        self.parent = parent
        self.status = status
        self.entered = entered
        """The sequence of the event that entered it last."""
        self.last = last
        """The sequence of the last event that was sent for it; one that completed it for another's sake is not."""
        self.visits = visits
        self.started_at = started_at
        self.ended_at = ended_at
        self.open_ms = open_ms
        """Since when it runs or waits."""
        self.spent_ms = spent_ms
        """In all stretches that are over."""

    @property
    def is_step_level(self) -> bool:
        return not (self.unit or self.agent)

    @property
    def key(self) -> tuple[str, str]:
        return self.step, self.unit

    def values(self) -> tuple[str | int | None, ...]:
        return (
            self.step, self.unit, self.agent, self.parent, self.status, self.entered, self.last, self.visits,
            self.started_at, self.ended_at, self.open_ms, self.spent_ms,
        )  # fmt: skip

    def move(self, status: str, at: str, ms: int) -> None:
        self.status = status
        if status in OPEN:
            self.ended_at = None
            self.started_at = self.started_at or at
            self.open_ms = ms if self.open_ms is None else self.open_ms
        elif status != "not_started":
            if self.open_ms is not None:
                self.spent_ms += ms - self.open_ms
            elif status != SKIPPED and self.started_at is None:
                self.started_at = at
            self.ended_at, self.open_ms = at, None


def run_status(rows: "Iterable[Row]", machine: "Machine | None") -> str:
    rows = list(rows)
    steps = {row.step: row for row in rows if row.is_step_level}
    live = {step: row for step, row in steps.items() if not is_left(row, steps, machine)}
    found = {row.status for row in live.values()} | {row.status for row in latest(rows) if _counts(row, steps, live)}
    for status in (FAILED, WAITING, RUNNING):
        if status in found:
            return status
    ended = machine and any(row.status == COMPLETED and is_end(machine, step) for step, row in live.items())
    return COMPLETED if ended else IDLE


def is_left(row: Row, steps: dict[str, Row], machine: "Machine | None") -> bool:
    after = machine.successors(row.step) if machine else ()
    return any(steps[step].last > row.last for step in after if step in steps and step != row.step)


def latest(rows: "Iterable[Row]") -> list[Row]:
    """Where each unit and each agent was last."""
    found: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: row.last):
        if not row.is_step_level:
            found[row.agent, row.unit] = row
    return list(found.values())


def _counts(row: Row, steps: dict[str, Row], live: dict[str, Row]) -> bool:
    if row.parent not in steps:
        return True
    parent = live.get(row.parent)
    return parent is not None and (parent.status not in OVER or row.last > parent.last)


def shown_status(status: str, last_ms: int, now_ms: int) -> str:
    """A run of which nothing has been heard for a day is not called running."""
    return INACTIVE if status in GOES_QUIET and now_ms - last_ms >= INACTIVE_AFTER_MS else status
