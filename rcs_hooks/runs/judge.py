"""Whether a run may take a step. Pure: a machine, and what is known of the run.

Rules of this file, for steps of the workflow itself:
- A step is a state of the machine. The first one is a start.
- After that a step follows an edge from the current one, or is the current one again.
- Branches run side by side: a step also follows from an earlier predecessor, where it has not been entered since, and
  no step entered since leads back to that predecessor. Such a sibling may be reported again until it is left.
- An end has no way out: beside it only a branch is open that does not lead back, for that would be the loop again.
- What runs and has an edge to the step is complete when the step runs.
"""

from rcs_hooks.errors import Rejected
from rcs_hooks.runs import messages
from rcs_hooks.runs.asked import OPEN, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.machine.graph import Machine


class Position:
    """Where a run stands: of its own steps, without units and agents."""

    __slots__ = ("current", "entered", "statuses")

    def __init__(self, current: str | None, entered: dict[str, int], statuses: dict[str, str]) -> None:
        self.current = current
        self.entered = entered
        """The sequence at which each step was last entered."""
        self.statuses = statuses


NOWHERE = Position(None, {}, {})


def check_known(machine: "Machine", step: str, position: Position = NOWHERE) -> None:
    """Raises Rejected."""
    if step in machine.states:
        return
    following = following_of(machine, position) if position.current is not None else ()
    raise Rejected(
        messages.unknown_step(step, machine.name, machine.states, position.current, following),
        valid_states=machine.states,
        current=position.current,
        valid_next=following,
        did_you_mean=nearest(step, machine.states),
    )


def check_step(machine: "Machine", step: str, position: Position) -> None:
    """Raises Rejected."""
    check_known(machine, step, position)
    current = position.current
    if step == current or step in _direct(machine, current):
        return
    if is_sibling(machine, position, step) or stands(machine, position, step):
        return
    following = following_of(machine, position)
    text = (
        messages.invalid_transition(current, step, following)
        if current in machine.states
        else messages.invalid_start(step, following)
    )
    raise Rejected(text, valid_states=machine.states, current=current, valid_next=following)


def following_of(machine: "Machine", position: Position) -> tuple[str, ...]:
    """What may come next: along an edge from the current step, then the branches beside it."""
    current = position.current
    direct = _direct(machine, current)
    beside = (
        state
        for state in machine.states
        if state not in direct and state != current and is_sibling(machine, position, state)
    )
    return (*direct, *beside)


def _direct(machine: "Machine", current: str | None) -> tuple[str, ...]:
    """A diagram can be changed under a run; then it begins anew."""
    return machine.successors(current) if current and current in machine.states else machine.initial


def is_sibling(machine: "Machine", position: Position, step: str) -> bool:
    """Whether it branches off from a step before the current one."""
    return any(_is_open(machine, position, before, step) for before in machine.predecessors(step) if before != step)


def _is_open(machine: "Machine", position: Position, before: str, step: str) -> bool:
    when = position.entered.get(before)
    if when is None or position.entered.get(step, -1) > when:
        return False
    origins = machine.origins(before)
    if step in origins and is_end(machine, position.current):
        return False
    return origins.isdisjoint(_since(position, when))


def is_end(machine: "Machine", step: str | None) -> bool:
    """Whether a workflow may end there: an arrow to `[*]` is not asked of a state that nothing follows."""
    return step in machine.terminal or (step in machine.states and not machine.successors(step or ""))


def stands(machine: "Machine", position: Position, step: str) -> bool:
    """Whether a step beside the current one was entered and has not been left: its next report moves nothing."""
    when = position.entered.get(step)
    if when is None:
        return False
    return machine.origins(step).union(machine.successors(step)).isdisjoint(_since(position, when))


def _since(position: Position, when: int) -> list[str]:
    return [step for step, entered in position.entered.items() if entered > when]


def completed_by(machine: "Machine", step: str, position: Position) -> tuple[str, ...]:
    """The direct predecessors that a running step completes."""
    return tuple(
        before for before in machine.predecessors(step) if before != step and position.statuses.get(before) in OPEN
    )
