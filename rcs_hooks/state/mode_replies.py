"""The answer to a write: where each run is now, what its phase asks, and whether it can finish there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.files import paths
from rcs_hooks.workflow.lifecycle import is_active, outcome_of
from rcs_hooks.workflow.messages.next_step import asked
from rcs_hooks.workflow.messages.write_reply import Written, reply_to_person, write_reply
from rcs_hooks.workflow.next_step import can_finish, next_step
from rcs_hooks.workflow.proof import FIELD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.results import WriteResult
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord


class WrittenMode(NamedTuple):
    """A mode whose record a write has changed."""

    mode: ModeDef
    before: ModeRecord
    after: ModeRecord
    transition: str | None
    """The line about the handoff by which the mode has started; None if none was needed."""
    finishes: bool = False
    """Whether the write finishes a run that has to be judged by its proof."""


def reply(
    scope: Scope,
    written: Sequence[WrittenMode],
    warnings: Sequence[str],
    deferred: Sequence[str] = (),
    *,
    for_person: bool = False,
) -> WriteResult:
    """Return the answer to a write. With several modes, the keys are those of the first, and `modes` has all.

    `deferred`: the skills that waited for the end of a planning, and that the person may start now. `for_person`:
    whether `says` is for a person, who needs no advice on how to go on.
    """
    each = [_of_mode(scope, one) for one in written]
    result = each[0]
    if len(each) > 1:
        result = {**result, "modes": each}
    if transitions := [one.transition for one in written if one.transition]:
        result["transition"] = transitions[0]
    if warnings:
        result["warnings"] = list(warnings)
    changed = [Written(one.mode, one.before, one.after, scope.commands) for one in written]
    said = (reply_to_person if for_person else write_reply)(changed, deferred)
    result["says"] = "\n".join([*transitions, said, *warnings])
    return result


def next_of(mode: ModeDef, record: ModeRecord, commands: Commands) -> str:
    """Return what the phase of a run asks of the agent; empty if it does not run, or waits."""
    runs = is_active(record) and not outcome_of(record).waits
    return asked(next_step(mode, record, commands)) if runs else ""


def is_to_finish(mode: ModeDef, record: ModeRecord) -> bool:
    """Tell whether a run is active and a Stop of it offers `finished`."""
    return is_active(record) and can_finish(mode, record)


def _of_mode(scope: Scope, one: WrittenMode) -> WriteResult:
    mode, record = one.mode, one.after
    result: WriteResult = {
        "success": True,
        "mode": mode.name,
        "path": f"{paths.STATE}/{paths.mode_file(mode.name, scope.session)}",
        "phase": record.phase,
        "iteration": record.iteration,
        "next": next_of(mode, record, scope.commands),
        "can_finish": is_to_finish(mode, record),
    }
    if record.is_early:
        result["early"] = True
    if record.has(FIELD):
        result["proof"] = record.proof_status.to_json()
    return result
