"""Tells the person in one line what a prompt has changed, or why it has started nothing."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import in_words
from rcs_hooks.workflow.messages.prompt_context import typed_for
from rcs_hooks.workflow.messages.shared import (
    QUESTION_LENGTH,
    SYSTEM_LENGTH,
    dollars,
    fit,
    names_of,
    unreadable,
)
from rcs_hooks.workflow.replies import COMMAND, EARLY, NO_TEXT
from rcs_hooks.workflow.transitions import NO_CHANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.prompt_context import Ended, PromptSummary
    from rcs_hooks.workflow.replies import OpenQuestion
    from rcs_hooks.workflow.tokens.scan import Token
    from rcs_hooks.workflow.transitions import Step

MENTION = "looked like a mention, not a request"
MENTIONS = "looked like mentions, not requests"


def prompt_notice(summary: PromptSummary, commands: Commands) -> str:
    """Return the line about what a prompt has changed, or why it started nothing; empty if there is nothing to say."""
    if summary.unanswered:
        said = _unanswered_notice(summary, commands)
    elif summary.plan.denied:
        said = [_denial_notice(summary, summary.plan.denied)]
    elif summary.unreadable and summary.plan.steps:
        wanted = " + ".join(step.requested for step in summary.plan.steps)
        said = [f"{wanted} not started", *_broken(summary, commands)]
    else:
        said = [*_moved(summary, commands), *_broken(summary, commands)]
    said += [_question_notice(question) for question in summary.still_open]
    if summary.left_out and not summary.plan.denied:
        said.append(_left_out(summary.left_out))
    return fit([f"rcs: {'; '.join(said)}"], SYSTEM_LENGTH) if said else ""


def _left_out(typed: tuple[str, ...]) -> str:
    shown = list(dict.fromkeys(f"`{clean(each)}`" for each in typed))
    was, it = ("was", "it") if len(shown) == 1 else ("were", "them")
    later = f"{', '.join(shown)} came later in the prompt and {was} not started"
    return f"{later}: put {it} next to the first, or send {it} next"


def _broken(summary: PromptSummary, commands: Commands) -> list[str]:
    return [unreadable(file, commands) for file in summary.unreadable]


def _unanswered_notice(summary: PromptSummary, commands: Commands) -> list[str]:
    file = summary.unanswered[0]
    give_up = f"end the run: {commands.clear(file.mode)}" if file.mode else "type `$cancel` to end the run"
    return [
        f"your reply was not recorded and nothing was changed: {file.what_is_wrong}",
        f"send it again once the file can be read, or {give_up}",
    ]


def _denial_notice(summary: PromptSummary, step: Step) -> str:
    """Return a denial for the person, with what to type."""
    from rcs_hooks.workflow.messages.denial import exclude_each_other, in_the_way, while_active

    running = in_the_way(summary.plan, step)
    if not running:
        return f"{exclude_each_other(step)} Nothing was started: name only one of them."
    active = [mode for mode in step.before if mode in summary.plan.before]
    typed = clean(typed_for(summary, step.requested)) or dollars([step.requested])
    return (
        f"{while_active(step, active)} Nothing was started. Finish "
        f"{' + '.join(running)} first, or type `$cancel {typed}` to end all that is active and start {step.requested}."
    )


def _moved(summary: PromptSummary, commands: Commands) -> list[str]:
    """List what a prompt has ended, handed over, started and deferred, and what the person can type next."""
    plan, resumed, said = summary.plan, dict(summary.resumed), []
    again = [mode for mode in plan.before if mode in resumed] if plan.cancels else []
    cancelled = [mode for mode in plan.before if mode not in again] if plan.cancels else []
    if cancelled:
        said.append(f"{' + '.join(cancelled)} cancelled ({_how_to_resume(cancelled)})")
    for step in plan.steps:
        if step.requested in again and not step.completes:
            said.append(_taken_up_again(step.requested, summary, commands))
            continue
        typed = typed_for(summary, step.requested)
        name = step.requested if typed[1:].lower() in ("", step.requested) else f"{step.requested} ({clean(typed)})"
        how = f"resumed after {_in_words(resumed[step.requested])}" if step.requested in resumed else "started"
        if step.completes:
            said.append(
                f"{' + '.join(step.completes)} handed over to {name}{f', {how}' if step.requested in resumed else ''}"
            )
        elif step.kind != NO_CHANGE:
            said.append(f"{name} {how}")
    if plan.deferred:
        said.append(f"type {dollars(plan.deferred)} once {plan.source} has ended")
    if summary.offered:
        said.append(f"{summary.offered_by or 'the planning'} has ended: type {dollars(summary.offered)} to continue")
    said += [f"{mode} goes on: the count of rounds starts over" for mode in summary.counted_anew]
    said += [_has_ended(each) for each in summary.ended]
    said += [f'your reply counts as "{clean(reply.chosen)}"' for reply in summary.answered if reply.chosen]
    return said


def _has_ended(each: Ended) -> str:
    why = f" ({clean(each.reason, QUESTION_LENGTH)})" if clean(each.reason) else ""
    how = in_words(each.outcome)
    how = f"ended {how}" if how == each.outcome else f"was {how}"
    return f"{each.mode} {how}{why} and does not run: type `{dollars([each.mode])}` to take it up"


def _in_words(outcome: str) -> str:
    how = in_words(outcome)
    return how if how == outcome else f"it was {how}"


def _taken_up_again(mode: str, summary: PromptSummary, commands: Commands) -> str:
    fresh = summary.commands_for(mode, commands).write(mode, "--fresh")
    return f"{mode} was ended and is taken up again where it was (to begin anew: {fresh})"


def _how_to_resume(modes: Sequence[str]) -> str:
    """Return how the person resumes a cancelled run of these modes."""
    return f"{dollars(modes)} resumes it" if len(modes) == 1 else "name one to resume it"


def _question_notice(question: OpenQuestion) -> str:
    wait = "waits" if len(question.modes) == 1 else "wait"
    asked = (
        f'{" + ".join(question.modes)} still {wait} for your answer to "{clean(question.question, QUESTION_LENGTH)}"'
    )
    if question.why == EARLY:
        return f"{asked} (you typed this prompt before it was asked)"
    if question.why == NO_TEXT:
        return f"{asked} (this prompt has no text)"
    return (
        f"{asked} (put words before {clean(question.typed)} to make it the answer)"
        if question.why == COMMAND
        else asked
    )


def no_session(tokens: Sequence[tuple[str, str]], session: str) -> str:
    """Return the line that says why these tokens started nothing: `session`, empty if there is none, is no session id.

    `tokens`: each token as typed, and the mode that it names.
    """
    shown = f'"{clean(session, 60)}"' if session else "missing"
    return (
        f"rcs: {names_of(tokens)} started nothing: the session id is {shown}; it must be at most 128"
        " letters, digits, - and _."
    )


def mentioned(tokens: Sequence[Token]) -> str:
    """Return the line about tokens that start nothing, of which there must be at least one.

    A token that the prompt rules out is named only if the prompt rules out all of them.
    """
    first = tokens[0]
    if first.meant:
        return f"rcs: `{clean(first.typed)}` is not a skill. Did you mean `{first.meant}`? {_how_to_ask(first.meant)}"
    wanted = [token for token in tokens if not token.is_ruled_out] or tokens
    typed = list(dict.fromkeys(clean(token.typed) for token in wanted))[:3]
    names = ", ".join(f"`{each}`" for each in typed)
    why = str(wanted[0].looks_like or (MENTION if len(typed) == 1 else MENTIONS))
    if len(typed) > 1:
        return f"rcs: {names} {why}; nothing started. To run one, start your prompt with it and a space."
    happened = ". Nothing was cancelled." if wanted[0].skill == "cancel" else "; nothing started."
    return f"rcs: {names} {why}{happened} {_how_to_ask(typed[0])}"


def _how_to_ask(typed: str) -> str:
    if typed.lower().removeprefix("$").removeprefix("rcs:") == "cancel":
        return f"To cancel, send `{typed}`."
    return f"To run it, start your prompt with `{typed} `."
