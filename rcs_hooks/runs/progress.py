"""The status of a run, derived from its steps, units and agents. Pure.

Rules of this file:
- A step has one record for each unit; the step of an agent is called AGENT:STEP. It belongs to a step of the workflow:
  to itself, or, for an agent's, to the step that was current at the time.
- A step has been left when a step that follows it was reported later; then it does not count for the run.
- A unit or an agent counts where it was reported last. It does not count once the step that it belongs to has been
  left, or was completed or skipped later.
- Of what counts, failed goes before waiting, and waiting before running; a completed end of the workflow is completed;
  anything else is idle.
"""

from rcs_hooks.runs.records import COMPLETED, FAILED, OPEN, RUNNING, SKIPPED, WAITING
from rcs_hooks.runs.rules import is_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import StepRecord

IDLE = "idle"
DONE = (COMPLETED, SKIPPED)


def run_status(steps: "Iterable[StepRecord]", machine: "Machine | None") -> str:
    """Derive the status of a run from its steps, however long ago its last event was."""
    steps = list(steps)
    own = {step.step: step for step in steps if step.is_step_level}
    live = {name: step for name, step in own.items() if not is_left(step, own, machine)}
    statuses = {step.status for step in live.values()}
    statuses |= {step.status for step in latest(steps) if _counts(step, own, live)}
    for status in (FAILED, WAITING, RUNNING):
        if status in statuses:
            return status
    has_ended = machine and any(step.status == COMPLETED and is_end(machine, name) for name, step in live.items())
    return COMPLETED if has_ended else IDLE


def open_steps(steps: "Iterable[StepRecord]", machine: "Machine") -> list[str]:
    """Return the steps of the workflow itself that run or wait and were not left, in the order of their entry."""
    own = {step.step: step for step in steps if step.is_step_level}
    here = [step for step in own.values() if step.status in OPEN and not is_left(step, own, machine)]
    return [step.step for step in sorted(here, key=lambda step: step.entered)]


def is_left(step: "StepRecord", own: "dict[str, StepRecord]", machine: "Machine | None") -> bool:
    """Tell whether a successor of a step was reported later. `own` holds the steps of the workflow itself, by name."""
    after = machine.successors(step.step) if machine else ()
    return any(own[name].last > step.last for name in after if name in own and name != step.step)


def latest(steps: "Iterable[StepRecord]") -> "list[StepRecord]":
    """Return one record for each unit and each agent: that of the step in which it was reported last."""
    found: dict[tuple[str, str], StepRecord] = {}
    for step in sorted(steps, key=lambda step: step.last):
        if not step.is_step_level:
            found[step.agent, step.unit] = step
    return list(found.values())


def _counts(step: "StepRecord", own: "dict[str, StepRecord]", live: "dict[str, StepRecord]") -> bool:
    if step.parent not in own:
        return True
    parent = live.get(step.parent)
    return parent is not None and (parent.status not in DONE or step.last > parent.last)
