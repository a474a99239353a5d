"""Words the answer to a prompt, which tells the model and the person what was done. Not loaded where nothing was."""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.hook import cli_command
from rcs_hooks.state.session import belongs_to_workspace
from rcs_hooks.workflow.messages.prompt_context import PromptSummary, prompt_context
from rcs_hooks.workflow.messages.prompt_notice import prompt_notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.reconcile import Reconciled
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.shared import BrokenFile
    from rcs_hooks.workflow.tokens.scan import Token


def worded(result: Reconciled, tokens: tuple[Token, ...], commands: Commands) -> dict[str, Any]:
    """Return the answer that words what a prompt has done, to the model and to the person."""
    resumed = [mode for mode, _ in result.resumed]
    started = [mode for mode in result.started if mode not in resumed]
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
        of_workspace=frozenset(member.mode for member in result.after if belongs_to_workspace(member)),
    )
    context = prompt_context(summary, commands)
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
    if notice := prompt_notice(summary, commands):
        output["systemMessage"] = notice
    return output


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
