"""Tells the agent that a prompt has started nothing: because of what runs, or of a file that cannot be read."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.messages.prompt_context import typed_for
from rcs_hooks.workflow.messages.shared import unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.prompt_context import PromptSummary
    from rcs_hooks.workflow.transitions import Plan, Step


def why_nothing(summary: PromptSummary, commands: Commands) -> list[str]:
    """Return the lines that say why a prompt has started nothing."""
    if summary.unanswered:
        return [unanswered(summary)]
    if summary.plan.denied:
        return denial(summary, summary.plan.denied, commands)
    return unreadable_denial(summary, commands)


def while_active(step: Step, active: Sequence[str]) -> str:
    """Return the sentence that the requested mode cannot start while the `active` modes run."""
    return f"Cannot activate {step.requested} while {' + '.join(active)} is still active."


def cannot_activate(step: Step, active: Sequence[str]) -> str:
    """Return the denial of a step, in the words that the contract prescribes."""
    return (
        f"{while_active(step, active)} Clear the incompatible state first via `rcs state ...` or the"
        " `rcs_state.*` MCP tools, then retry the transition."
    )


def in_the_way(plan: Plan, step: Step) -> list[str]:
    """Return the running modes that exclude the requested one, without those that the prompt itself asks for.

    Empty if the prompt cancels what runs, or if it is only the prompt's own modes that exclude each other.
    """
    return [mode for mode in step.in_the_way if mode in plan.before and not plan.cancels]


def denial(summary: PromptSummary, step: Step, commands: Commands) -> list[str]:
    """Return the lines of a denial for the agent, which must not clear a run that the user has not given up."""
    running = in_the_way(summary.plan, step)
    typed = typed_for(summary, step.requested)
    asked = f" {clean(typed)} is {step.requested}." if typed[1:].lower() not in ("", step.requested) else ""
    if not running:
        return [f"{exclude_each_other(step)} No workflow was started or ended.{asked} Ask which one is meant."]
    first = cannot_activate(step, [mode for mode in step.before if mode in summary.plan.before])
    if step.rollback:
        first += " First clear current state first and retry if this action is intended."
    it = "it" if len(running) == 1 else "them"
    lines = [
        f"{first} No workflow was started or ended.{asked}",
        f"Do not clear {it} yourself: ask the user whether to finish {' + '.join(running)} first or give {it} up."
        f" Only if they give {it} up:",
    ]
    for mode in running:
        lines += summary.commands_for(mode, commands).ways_to_clear(mode)
    if step.requested in summary.typed_only:
        lines.append(f"Then the user types `${step.requested}` again: no command starts a mode of this project.")
    else:
        lines.append(f"Then start it: {commands.write(step.requested, '--active')}")
    rest = [mode for mode in step.in_the_way if mode not in running]
    return [*lines, *(f"The prompt also asks for {mode}: name only one of the two." for mode in rest)]


def exclude_each_other(step: Step) -> str:
    """Return the sentence that the modes which a prompt asks for cannot run together."""
    others = " + ".join(step.in_the_way)
    return f"Cannot activate {step.requested} with {others}: this prompt asks for both, and they cannot run together."


def unreadable_denial(summary: PromptSummary, commands: Commands) -> list[str]:
    """Return the lines of a denial for the agent because state files cannot be read."""
    wanted = " + ".join(step.requested for step in summary.plan.steps)
    first = (
        f"Cannot activate {wanted}: a state file cannot be read, so it is unknown what is active."
        " No workflow was started or ended."
    )
    lines = [first]
    for file in summary.unreadable:
        lines += [unreadable(file, commands), *commands.ways_to_clear(file.mode)[1:]]
    return lines


def unanswered(summary: PromptSummary) -> str:
    """Return the line that tells the agent of a reply that could not be recorded."""
    files = "; ".join(file.what_is_wrong for file in summary.unanswered)
    return (
        f"[rcs] the user's reply to an open question could not be recorded: {files}. Nothing was changed, and the "
        "question stays open: ask the user to send the reply again once the file can be read."
    )
