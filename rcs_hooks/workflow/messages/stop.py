"""Tells the agent why its Stop was blocked, or the person why a run was let go."""

from __future__ import annotations

from rcs_hooks.text import clean, word
from rcs_hooks.workflow.lifecycle import PUBLIC_ENDS, any_of
from rcs_hooks.workflow.messages.shared import REASON_LENGTH, SYSTEM_LENGTH, fit
from rcs_hooks.workflow.stop import BACKGROUND, ITERATIONS, LOST, OLD, QUESTION, SANDBOX, TOO_MANY, WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.stop import Decision, RunningMode

MOST_COMMANDS = 2

GO_ON_OR_CANCEL = "Type `go on` to continue, `$cancel` to end it."
CANCEL_ENDS_IT = "Type `$cancel` to end it."
HANDOFF = "In the last message state Outcome, Evidence, Artifacts / state and Handoff, with no optional offer."


def stop_reason(decision: Decision, commands: Commands, softener: str | None, broken: Sequence[str] = ()) -> str:
    """Return the text that tells the agent why its turn does not end, and how to end the run.

    `softener`: the optional offer in its last message, if any. `broken`: lines about files that cannot be read.
    """
    if decision.why == QUESTION:
        return fit([_unrecorded_question(decision, commands), *broken], REASON_LENGTH)
    modes = [member.mode for member in decision.members]
    names = " + ".join(_member(member) for member in decision.members)
    is_are = "is" if len(modes) == 1 else "are"
    first = (
        f"[rcs] {names} {is_are} still running: no outcome is recorded. Continue the work. When done, record one"
        f" ({any_of(PUBLIC_ENDS)}) and stop again:"
    )
    offer = f'Your last message offers "{clean(softener, 60)}": decide it yourself, or ask one blocking question.'
    rest = [*_way_out(decision, commands), HANDOFF, *([offer] if softener else [])]
    write = [_commands_for(member, commands).write(member.mode, "--outcome", "finished") for member in decision.members]
    ask = f"If only the user can unblock it: {commands.ask(modes[0])}"
    # With many modes, the lines at the end may not fit.
    lines = [first, *write, *rest, ask] if len(modes) <= MOST_COMMANDS else [first, *rest, *write, ask]
    return fit([*lines, *broken], REASON_LENGTH)


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
    what_to_type = CANCEL_ENDS_IT if decision.why in (BACKGROUND, WORKSPACE) else GO_ON_OR_CANCEL
    first = f"rcs: {_names_of(decision)} {_why_let_go(decision)} {what_to_type}"
    return fit([first, *broken], SYSTEM_LENGTH)


def _names_of(decision: Decision) -> str:
    members = decision.members
    return " + ".join(_member(each) if len(members) <= MOST_COMMANDS else each.mode for each in members)


def _why_let_go(decision: Decision) -> str:
    count = decision.counted
    saved = "the work is kept."
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
        return f"has reached its last iteration without an outcome; {saved}"
    if decision.why == LOST:
        return f"was continued before, but the count is lost, so the turn ends; {saved}"
    if decision.why == TOO_MANY and count.of_prompt:
        return f"stopped after {_attempts(count.of_prompt)} for one prompt, which is the limit; {saved}"
    if count.in_a_row:
        return f"stopped after {_attempts(count.in_a_row)} without progress; {saved}"
    return f"has no outcome yet, but the settings allow no continuation; {saved}"


def _attempts(count: int) -> str:
    return "one attempt" if count == 1 else f"{count} attempts"


def _commands_for(member: RunningMode, commands: Commands) -> Commands:
    return commands.of_workspace() if member.belongs_to_workspace else commands


def _member(member: RunningMode) -> str:
    shown = f"phase {word(member.phase)}"
    if member.iteration is not None and member.max_iterations is not None:
        shown += f", iteration {member.iteration} of {member.max_iterations}"
    return f"{member.mode} ({shown})"
