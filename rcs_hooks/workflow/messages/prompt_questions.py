"""Tells the model which questions a prompt has answered, and which it leaves open.

Loaded only where there is such a question.
"""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.workflow.messages.shared import QUESTION_LENGTH
from rcs_hooks.workflow.replies import COMMAND, EARLY, NO_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.prompt_context import PromptSummary
    from rcs_hooks.workflow.replies import AnsweredQuestion, OpenQuestion

OPTIONS_LENGTH = 200
ANSWER_LENGTH = 300


def questions(summary: PromptSummary, commands: Commands) -> list[str]:
    """Return a line for each question that was answered, here or elsewhere, and for each that is still open."""
    lines = []
    for text, answer, path in summary.delivered:
        shown = clean(answer, ANSWER_LENGTH)
        rest = f" (full answer: {path})" if shown.endswith("…") else ""
        lines.append(f'[rcs] answered elsewhere: "{clean(text, QUESTION_LENGTH)}" -> "{shown}"{rest}')
    active = [mode for mode, _ in summary.active]
    lines += [
        _reply(reply, commands, goes_on=any(mode in active for mode in reply.modes)) for reply in summary.answered
    ]
    lines += [_still_open(question) for question in summary.still_open]
    return lines


def _reply(reply: AnsweredQuestion, commands: Commands, *, goes_on: bool) -> str:
    modes = " + ".join(reply.modes)
    asked = f'\'s answer to "{clean(reply.question, QUESTION_LENGTH)}"' if clean(reply.question) else ""
    options = [f"{number} {clean(option)}" for number, option in enumerate(reply.options, 1)]
    choices = f" ({clean(' | '.join(options), OPTIONS_LENGTH)})" if options else ""
    first = f"[rcs] {modes} waited for the user{asked}{choices}. This prompt is the reply"
    go_on = " Continue the run." if goes_on else ""
    if reply.chosen:
        number = reply.options.index(reply.chosen) + 1
        return f'{first}: option {number}, "{clean(reply.chosen)}".{go_on}'
    if not (asked and goes_on):
        return f"{first}.{go_on}"
    ask = commands.ask(reply.modes[0])
    return f"{first}. If it answers, continue the run. If it does not, reply to it and ask again: {ask}"


def _still_open(question: OpenQuestion) -> str:
    wait = "waits" if len(question.modes) == 1 else "wait"
    asked = clean(question.question, QUESTION_LENGTH)
    first = f'[rcs] {" + ".join(question.modes)} still {wait} for the user\'s answer to "{asked}": this prompt'
    if question.why == EARLY:
        early = "was typed before the question could be seen, so it is not the answer"
        return f"{first} {early}. Reply to it, ask the question again and end the turn."
    if question.why == COMMAND:
        command = "looks like a client command, so it does not count as the answer"
        return f"{first} {command}. Ask the question again and end the turn."
    if question.why == NO_TEXT:
        return f"{first} has no text, so it does not count as the answer. Ask the question again and end the turn."
    return f"{first} only names a skill. Ask the question again and end the turn."
