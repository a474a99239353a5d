"""Whether a run may take a step. Pure: decided from a machine and the position of the run in it.

Rules of this file, for steps of the workflow itself:
- A step is a state of the machine. The first one is an initial state.
- After that a step follows an edge from the current one, or is the current one again.
- Branches run side by side: a step also follows from an earlier predecessor, where it has not been entered since, and
  no step entered since leads back to that predecessor. Such a branch may be reported again until it is left.
- An end has no way out: next to it only a branch is open that does not lead back, because that would be the loop again.
- A step that runs completes its direct predecessors that still run or wait.
"""

from rcs_hooks.errors import Rejected
from rcs_hooks.runs import messages
from rcs_hooks.runs.records import OPEN
from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import StepRecord


class RunPosition(NamedTuple):
    """The position of a run in its machine; units and agents have no influence on it."""

    current: str | None
    entered: dict[str, int]
    """The sequence of the event that entered each step last."""
    statuses: dict[str, str]


NOWHERE = RunPosition(None, {}, {})


def position_of(current: str | None, steps: "Iterable[StepRecord]") -> RunPosition:
    """Derive the position of a run from its current step and its stored steps."""
    own = [step for step in steps if step.is_step_level]
    return RunPosition(current, {step.step: step.entered for step in own}, {step.step: step.status for step in own})


def check_known(machine: "Machine", step: str, position: RunPosition = NOWHERE) -> None:
    """Raise Rejected for a step that is not a state of the machine. `position` only adds next steps to the error."""
    if step in machine.states:
        return
    following = following_of(machine, position) if position.current is not None else ()
    from rcs_hooks.workflow.messages import steps  # an emit that is accepted does not need it

    raise Rejected(
        steps.unknown_step(step, machine.name, machine.states, position.current, following),
        valid_states=machine.states,
        current=position.current,
        valid_next=following,
        did_you_mean=nearest(step, machine.states),
    )


def check_step(machine: "Machine", step: str, position: RunPosition) -> None:
    """Raise Rejected for a step that a run at `position` may not take now."""
    check_known(machine, step, position)
    current = position.current
    if step == current or step in _direct(machine, current):
        return
    if is_open_branch(machine, position, step) or is_active_branch(machine, position, step):
        return
    following = following_of(machine, position)
    from rcs_hooks.workflow.messages import steps

    text = (
        steps.invalid_transition(current, step, following)
        if current in machine.states
        else messages.invalid_start(step, following)
    )
    raise Rejected(text, valid_states=machine.states, current=current, valid_next=following)


def following_of(machine: "Machine", position: RunPosition) -> tuple[str, ...]:
    """Return the steps that may come next: those that the current step has an edge to, then the open branches."""
    current = position.current
    direct = _direct(machine, current)
    branches = (
        state
        for state in machine.states
        if state not in direct and state != current and is_open_branch(machine, position, state)
    )
    return (*direct, *branches)


def _direct(machine: "Machine", current: str | None) -> tuple[str, ...]:
    """Return the successors of the current step; the initial states if the machine has no such step (any more)."""
    return machine.successors(current) if current and current in machine.states else machine.initial


def is_open_branch(machine: "Machine", position: RunPosition, step: str) -> bool:
    """Tell whether a step branches off from a step before the current one, and was not entered after that step."""
    return any(
        _branches_off(machine, position, before, step) for before in machine.predecessors(step) if before != step
    )


def _branches_off(machine: "Machine", position: RunPosition, before: str, step: str) -> bool:
    when = position.entered.get(before)
    if when is None or position.entered.get(step, -1) > when:
        return False
    origins = machine.origins(before)
    if step in origins and is_end(machine, position.current):
        return False
    return origins.isdisjoint(_entered_since(position, when))


def is_end(machine: "Machine", step: str | None) -> bool:
    """Tell whether a workflow may end at a step: it has an arrow to `[*]`, or no successor."""
    return step in machine.terminal or (step in machine.states and not machine.successors(step or ""))


def is_active_branch(machine: "Machine", position: RunPosition, step: str) -> bool:
    """Tell whether a step was entered and not left since, even if it is not the current one.

    Another report of such a step does not change the position of the run.
    """
    when = position.entered.get(step)
    if when is None:
        return False
    return machine.origins(step).union(machine.successors(step)).isdisjoint(_entered_since(position, when))


def _entered_since(position: RunPosition, when: int) -> list[str]:
    return [step for step, entered in position.entered.items() if entered > when]


def completed_by(machine: "Machine", step: str, position: RunPosition) -> tuple[str, ...]:
    """Return the direct predecessors of a step that still run or wait, and so are completed when the step runs."""
    return tuple(
        before for before in machine.predecessors(step) if before != step and position.statuses.get(before) in OPEN
    )


def nearest(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that is spelled most like `name`; None if none is similar."""
    import difflib  # slow to import, and only a refusal needs it

    return next(iter(difflib.get_close_matches(name, known, 1)), None)
