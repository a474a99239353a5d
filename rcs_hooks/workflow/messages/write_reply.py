"""Tells what a write into the record of a run has changed: the agent also what the run asks now."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.lifecycle import FINISHED, in_words, is_active, outcome_of, reviews_of, spelled
from rcs_hooks.workflow.messages.lines import Line, fit_lines
from rcs_hooks.workflow.messages.next_step import asks, position, ways
from rcs_hooks.workflow.messages.proof import came_of, finished, to_finish, to_prove
from rcs_hooks.workflow.messages.shared import HANDOFF, dollars, fit
from rcs_hooks.workflow.messages.steps import why_early
from rcs_hooks.workflow.next_step import GIVE_UP, can_finish, next_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord
    from rcs_hooks.workflow.next_step import NextStep

REPLY_LENGTH = 1_200
REASON_LENGTH = 120


class Written(NamedTuple):
    """A mode whose record was written: the record before and after, and the commands that reach it."""

    mode: ModeDef
    before: ModeRecord
    after: ModeRecord
    commands: Commands


def write_reply(written: Sequence[Written], deferred: Sequence[str] = ()) -> str:
    """Return what the agent is told after one write, which may be into the records of several modes.

    `deferred`: the skills that the person may start now, as far as this write has ended what they waited for.
    """
    lines: list[Line] = []
    moved: list[NextStep] = []
    stay: list[NextStep] = []
    proven: dict[Commands, list[str]] = {}
    ended: list[Written] = []
    for each in written:
        if not is_active(each.after):
            lines.append(Line.of(_not_running(each)))
            ended += [each] if outcome_of(each.after).ends else []
        elif outcome_of(each.after).waits:
            lines += [Line.of(came_of(each.mode, each.after))] if _has_new_proof(each) else []
            lines.append(Line.of(f"{each.mode.name} waits for the user: end the turn."))
        else:
            step = next_step(each.mode, each.after, each.commands)
            lines += [Line.of(line) for line in _running(each, step)]
            moved += [step] if _has_moved(each) else []
            if _has_new_proof(each):
                lines.append(Line.of(came_of(each.mode, each.after)))
                if _may_finish(each):
                    proven.setdefault(each.commands, []).append(each.mode.name)
                else:
                    stay.append(step)
    lines += [Line.of(to_finish(modes, commands)) for commands, modes in proven.items()]
    if moved:
        lines += [*asks(moved), ways(moved)]
    elif stay:
        lines.append(ways(stay))
    if deferred and any(is_active(each.before) for each in ended):
        it = "it" if len(deferred) == 1 else "each"
        lines.append(Line.of(f"deferred: `{dollars(deferred)}`; the user starts {it} by typing it, you cannot."))
    if ended:
        runs = [(each.mode, each.after) for each in ended]
        lines += [Line.of(to_prove(runs, ended[0].commands)), Line.of(HANDOFF)]
    return fit_lines(lines, REPLY_LENGTH)


def reply_to_person(written: Sequence[Written], deferred: Sequence[str] = ()) -> str:
    """Return what a person is told who has typed the write: what it has changed, without what the agent does next.

    `deferred`: the skills that the person may start now.
    """
    lines = [_to_person(each) for each in written]
    lines += [came_of(each.mode, each.after) for each in written if is_active(each.after) and _has_new_proof(each)]
    ended = [each for each in written if outcome_of(each.after).ends]
    if deferred and any(is_active(each.before) for each in ended):
        lines.append(f"What waited for it starts where you type `{dollars(deferred)}`.")
    return fit(lines, REPLY_LENGTH)


def _to_person(each: Written) -> str:
    mode, outcome = each.mode.name, outcome_of(each.after)
    if not is_active(each.after):
        if not outcome.ends or outcome.word == FINISHED:
            return _not_running(each)
        why = f" ({clean(each.after.reason, REASON_LENGTH)})" if clean(each.after.reason) else ""
        there = "in its session" if each.commands.session else "in a session here"
        return f"{mode}: {in_words(outcome.public or '')}{why}. `{dollars([mode])}` {there} takes it up again."
    if outcome.waits:
        return f"{mode}: waits for your next prompt."
    return f"{mode}: {position(next_step(each.mode, each.after, each.commands), of_most=True)}."


def _running(each: Written, step: NextStep) -> list[str]:
    lines = [f"{step.mode}: {position(step, of_most=True)}."]
    if step.is_last_round and not each.before.is_exhausted:
        give_up = each.commands.write(step.mode, *GIVE_UP)
        lines.append(f"This is the last round: record an outcome before it ends. If it cannot be finished: {give_up}")
    return lines


def _has_moved(each: Written) -> bool:
    """Tell whether the write has started the run, begun it anew, or changed its phase, its round or its review."""

    def facts(record: ModeRecord) -> tuple[object, ...]:
        place = record.phase, record.iteration
        return is_active(record), record.started_at, outcome_of(record).word, *place, reviews_of(record)

    return facts(each.before) != facts(each.after)


def _not_running(each: Written) -> str:
    mode, outcome = each.mode.name, outcome_of(each.after)
    if not outcome.ends:
        return f"{mode} is not active, so nothing runs. To start it: {each.commands.write(mode, '--active')}"
    why = f" ({clean(each.after.reason, REASON_LENGTH)})" if clean(each.after.reason) else ""
    if outcome.word != FINISHED:
        return f"{mode}: {outcome.public}{why}. The user can type `{dollars([mode])}` to take it up."
    return f"{mode}: {finished(each.mode, each.after, _early(each))}."


def _has_new_proof(each: Written) -> bool:
    """Tell whether the write has recorded a proof."""
    return each.after.proof is not None and each.before.proof != each.after.proof


def _may_finish(each: Written) -> bool:
    """Tell whether the newest proof has passed, in a phase from which the run can finish."""
    proof = each.after.proof
    return proof is not None and proof.passed and can_finish(each.mode, each.after)


def _early(each: Written) -> str:
    phase = each.before.phase if spelled(each.after.phase) else each.after.phase
    return why_early(each.mode, phase) if each.after.is_early else ""
