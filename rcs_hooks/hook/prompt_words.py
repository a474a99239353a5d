"""Words the answer to a prompt, which tells the model and the person what was done. Not loaded where nothing was."""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.hook import cli_command
from rcs_hooks.state.session import belongs_to_workspace
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.messages.prompt_context import Ended, PromptSummary, prompt_context
from rcs_hooks.workflow.messages.prompt_notice import prompt_notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.clients.client import Client
    from rcs_hooks.environment import Environment
    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.reconcile import Reconciled
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.shared import BrokenFile, SkillFile
    from rcs_hooks.workflow.next_step import NextStep
    from rcs_hooks.workflow.tokens.scan import Token


PATH_LENGTH = 200
FINDING_LENGTH = 160


def worded(
    result: Reconciled,
    tokens: tuple[Token, ...],
    commands: Commands,
    root: str = "",
    environment: Environment | None = None,
    client: Client | None = None,
) -> dict[str, Any]:
    """Return the answer that words what a prompt has done, to the model and to the person.

    `root`, `environment`, `client`: for the paths of skills; without an environment none is named.
    """
    resumed = [mode for mode, _ in result.resumed]
    started = [mode for mode in result.started if mode not in resumed]
    records = {member.mode: member.record for member in result.after}
    of_workspace = frozenset(member.mode for member in result.after if belongs_to_workspace(member))
    begun = [mode for mode in result.started if mode in records]
    summary = PromptSummary(
        tokens=tuple((token.typed, token.skill or "") for token in tokens if token.passed_over is None),
        left_out=_left_out(tokens),
        plan=result.plan,
        active=tuple((member.mode, member.record.phase) for member in result.after),
        path=f"{paths.STATE}/{paths.mode_file(started[-1], commands.session)}" if started else None,
        resumed=result.resumed,
        transitions=result.messages,
        answered=result.answered,
        still_open=result.still_open,
        unanswered=tuple(_unanswered(unreadable) for unreadable in result.unanswered),
        delivered=result.delivered,
        offered=result.offered,
        offered_by=result.offered_by,
        unreadable=tuple(cli_command.broken(unreadable) for unreadable in result.unreadable),
        typed_only=frozenset(
            name for name, mode in result.modes.items() if mode.is_of_project and name not in result.own
        ),
        of_workspace=of_workspace,
        next_steps=_next_steps(result, commands, of_workspace),
        advice=tuple(
            advice for mode in result.plan.after if mode in result.modes and (advice := _advice(result, mode))
        ),
        skills=_skills(result, begun, root, environment, client),
        reasons=tuple((mode, records[mode].reason_before) for mode in resumed if mode in records),
        titles=tuple((mode, records[mode].title) for mode in resumed if mode in records),
        counted_anew=result.counted_anew,
        plans=_plans(result, begun),
        findings=tuple(shown for mode in begun if (shown := clean(records[mode].finding, FINDING_LENGTH))),
        offered_end=_end_of(result, result.offered_by) if result.offered else None,
        ended=tuple(end for mode in result.ended if (end := _end_of(result, mode))),
    )
    context = prompt_context(summary, commands)
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
    if notice := prompt_notice(summary, commands):
        output["systemMessage"] = notice
    return output


def _next_steps(result: Reconciled, commands: Commands, of_workspace: frozenset[str]) -> tuple[NextStep, ...]:
    if not result.is_allowed or not (result.plan.steps or result.answered or result.counted_anew):
        return ()
    from rcs_hooks.workflow.next_step import next_step

    return tuple(
        next_step(
            result.modes[member.mode],
            member.record,
            commands.of_workspace() if member.mode in of_workspace else commands,
        )
        for member in result.after
        if member.mode in result.modes
    )


def _advice(result: Reconciled, mode: str) -> str:
    return result.modes[mode].advice


def _skills(
    result: Reconciled, begun: list[str], root: str, environment: Environment | None, client: Client | None
) -> tuple[SkillFile, ...]:
    if not begun or environment is None:
        return ()
    from rcs_hooks.hook.skill_files import skills_of

    return skills_of((result.modes[mode] for mode in begun), root, environment, client)


def _plans(result: Reconciled, begun: list[str]) -> tuple[tuple[str, str], ...]:
    """Return what planning has left for the modes that were started or resumed, each path once."""
    records = [member.record for member in result.after if member.mode in begun]
    named = [("Plan", record.plan) for record in records] + [("Brief", record.brief) for record in records]
    return tuple(dict.fromkeys((kind, shown) for kind, path in named if (shown := clean(path, PATH_LENGTH))))


def _end_of(result: Reconciled, mode: str) -> Ended | None:
    record = result.own.get(mode)
    if record is None:
        return None
    return Ended(mode, outcome_of(record).public or "", record.reason, clean(record.plan, PATH_LENGTH))


def _left_out(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Return the skills that the prompt asks for behind another request. Without tokens, no tokenizer is loaded."""
    if not tokens:
        return ()
    from rcs_hooks.workflow.tokens.scan import LEFT_OUT

    return tuple(token.typed for token in tokens if token.passed_over == LEFT_OUT)


def _unanswered(broken: Unreadable) -> BrokenFile:
    """Describe an unreadable file for a message. The file of a question gets no mode: no command clears it."""
    file = cli_command.broken(broken)
    return file if broken.path.endswith(paths.MODE_SUFFIX) else file._replace(mode="")
