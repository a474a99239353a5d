"""Tells the agent why its Stop was blocked and what its run asks now, or the person why a run was let go.

The first line of a reason is for the person too: some clients show them no more of it.
"""

from __future__ import annotations

from rcs_hooks.text import clean, word
from rcs_hooks.workflow.messages.lines import LAST, LATER, SOONER, Line, fit_lines
from rcs_hooks.workflow.messages.next_step import asks, other_ends, position, question, ways
from rcs_hooks.workflow.messages.shared import HANDOFF, REASON_LENGTH, SYSTEM_LENGTH, fit
from rcs_hooks.workflow.stop import BACKGROUND, ITERATIONS, OLD, QUESTION, SANDBOX, TOO_MANY, WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.next_step import NextStep
    from rcs_hooks.workflow.stop import Decision, RunningMode

MOST_NAMED = 2
LENGTHS = (600, 900, REASON_LENGTH)
"""How long the reason may be where one mode runs, two, and more."""

GO_ON_OR_CANCEL = "Type `go on` to continue, `$cancel` to end it."
COUNT_ANEW_OR_CANCEL = "Type `go on` to continue, with the count of rounds started over, or `$cancel` to end it."
CANCEL_ENDS_IT = "Type `$cancel` to end it."
SHORT_HANDOFF = "End with Outcome, Evidence, Artifacts / state, Handoff; no offer."


def stop_reason(
    decision: Decision,
    steps: Sequence[NextStep],
    commands: Commands,
    softener: str | None,
    broken: Sequence[str] = (),
) -> str:
    """Return the text that tells the agent why its turn does not end, what is asked of it, and the ways out.

    `steps`: the next step of each member of the decision. `softener`: the optional offer in its last message, if any.
    `broken`: lines about files that cannot be read.
    """
    if decision.why == QUESTION:
        return fit([_unrecorded_question(decision, commands), *broken], REASON_LENGTH)
    offer = f'Your last message offers "{clean(softener, 60)}": decide it yourself, or ask one blocking question.'
    is_due = any(step.can_finish for step in steps)
    way_out = _way_out(decision, commands)
    lines = [
        Line.of(_goes_on(steps)),
        *([Line.of(_how_often(decision))] if _how_often(decision) else []),
        *asks(steps),
        ways(steps),
        *(Line.of(line) for line in way_out),
        other_ends(steps),
        question(_who_asks(steps), again=True),
        *([Line.of(HANDOFF, SHORT_HANDOFF, when=SOONER)] if is_due else []),
        *([Line.of(offer, "", when=LATER)] if softener else []),
        *(Line.of(line, "", when=LAST) for line in broken),
    ]
    has_more = way_out or softener or broken
    return fit_lines(lines, REASON_LENGTH if has_more else LENGTHS[min(len(steps), len(LENGTHS)) - 1])


def _goes_on(steps: Sequence[NextStep]) -> str:
    return f"[rcs] {'; '.join(f'{step.mode} goes on: {position(step)}' for step in steps)}."


def _who_asks(steps: Sequence[NextStep]) -> NextStep:
    """Return the run that asks the user: the first of this session's own, if it has one."""
    return next((step for step in steps if not step.commands.root_scope), steps[0])


def _how_often(decision: Decision) -> str:
    """Return what the agent is told of its earlier attempts to stop; empty the first time."""
    again = "Nothing has been recorded since the last time." if decision.counted.in_a_row > 1 else ""
    last = "This is the last time: after it the turn ends, without an outcome." if decision.is_last_block else ""
    return " ".join(filter(None, (again, last)))


def _unrecorded_question(decision: Decision, commands: Commands) -> str:
    (member,) = decision.members
    return (
        f"[rcs] {_member(member)} still runs, and your message asks the user a question that is not recorded, so the"
        f" run would not get the answer. Record it, in the same words, and end the turn:\n{commands.ask(member.mode)}"
    )


def _way_out(decision: Decision, commands: Commands) -> list[str]:
    """List what else the agent may do if it has a good reason to stop; the agent is told so once."""
    if decision.why == BACKGROUND:
        return ["To wait for background work or a timer, just end your turn: you are woken then."]
    if decision.why == SANDBOX:
        return _sandboxed(decision)
    if decision.why == WORKSPACE:
        member = decision.members[0]
        clear = _commands_for(member, commands).clear(member.mode)
        return [
            "Its record belongs to the workspace and names no session: somebody else may have left it. If it is not"
            f" this session's work, leave it, or ask the user to end it with `$cancel`, or: {clear}"
        ]
    unowned = [member.mode for member in decision.members if member.belongs_to_workspace]
    if unowned and len(unowned) < len(decision.members):
        return [
            f"The record of {' + '.join(unowned)} belongs to the workspace and names no session: if that is not this"
            " session's work, leave it."
        ]
    return []


def _sandboxed(decision: Decision) -> list[str]:
    (first, *_) = decision.members
    return [
        "Your commands run in a sandbox that cannot write the state of this workspace. If this one fails, do not retry:"
        f" tell the user that you cannot record how {first.mode} ended, and end your turn. They can type `$cancel`, or"
        " start Codex in the workspace's folder with `--sandbox workspace-write`."
    ]


def let_go(decision: Decision, broken: Sequence[str] = ()) -> str:
    """Return the text that tells the person why a turn ends although a workflow runs, and what to type.

    `broken`: lines about files that cannot be read.
    """
    what_to_type = COUNT_ANEW_OR_CANCEL if decision.why == ITERATIONS else GO_ON_OR_CANCEL
    what_to_type = CANCEL_ENDS_IT if decision.why in (BACKGROUND, WORKSPACE) else what_to_type
    first = f"rcs: {_names_of(decision)} {_why_let_go(decision)} {what_to_type}"
    return fit([first, *broken], SYSTEM_LENGTH)


def _names_of(decision: Decision) -> str:
    members = decision.members
    return " + ".join(_member(each) if len(members) <= MOST_NAMED else each.mode for each in members)


def _why_let_go(decision: Decision) -> str:
    count = decision.counted
    saved = "so the turn ends; the work is kept."
    if decision.why == OLD:
        return "is still open, but nothing has changed it for a day, so the turn ends."
    if decision.why == BACKGROUND:
        return "waits for background work."
    if decision.why == SANDBOX:
        return (
            "cannot be ended by the agent, whose sandbox cannot write the state, so the turn ends. To allow it, start"
            " Codex with `--sandbox workspace-write` in the workspace's folder."
        )
    if decision.why == WORKSPACE:
        return "was left in this workspace without a session; it no longer keeps the agent working."
    if decision.why == ITERATIONS:
        return f"has used its last round without an outcome, {saved}"
    if decision.why == TOO_MANY and count.of_prompt:
        return f"was continued {_times(count.of_prompt)} for one prompt, which is the limit, {saved}"
    if count.in_a_row:
        return f"was continued {_times(count.in_a_row)} and recorded no progress, {saved}"
    return f"has no outcome yet, but the settings allow no continuation, {saved}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _commands_for(member: RunningMode, commands: Commands) -> Commands:
    return commands.of_workspace() if member.belongs_to_workspace else commands


def _member(member: RunningMode) -> str:
    shown = f"phase {word(member.phase)}"
    if member.iteration and member.iteration > 0:
        most = member.max_iterations
        shown += f", round {member.iteration}{f' of {most}' if most is not None else ''}"
    return f"{member.mode} ({shown})"
