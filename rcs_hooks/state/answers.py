"""Decides which of the questions that a session waits for are answered by a prompt, and drafts their records.

Loaded only where a mode waits, a question has an answer to tell, or a file cannot be read.
"""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.state import questions
from rcs_hooks.state.draft import ANSWERS
from rcs_hooks.state.session import belongs_to_workspace
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.replies import COMMAND, EARLY, NO_TEXT, ONLY_NAMES, AnsweredQuestion, OpenQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.draft import Draft
    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.reconcile import Answers, Prompt
    from rcs_hooks.state.session import Session

MOST_DELIVERED = 1
"""So many answers are told with one prompt, because a context is short; the next prompt tells the next."""


def take(draft: Draft, asked: Sequence[Question], prompt: Prompt, answered_elsewhere: Sequence[Question]) -> Answers:
    """Let a prompt answer the questions of its session, and mark the answers that are told with it as told.

    Returns the questions that it answers, those that stay open, and the answers from elsewhere that are told now.
    `answered_elsewhere`: the questions of whose answer the model was not told yet. `$cancel` answers nothing.
    """
    answered, still_open = ((), ()) if prompt.cancels else _answer(draft, asked, prompt, answered_elsewhere)
    return answered, still_open, _deliver(draft, answered_elsewhere)


def unreadable_for_answer(view: Session, asked: Sequence[Question], prompt: Prompt) -> tuple[Unreadable, ...]:
    """List the unreadable files without which this prompt cannot be recorded as the answer to a question."""
    if prompt.cancels or prompt.only_names or prompt.is_command or not prompt.has_text:
        return ()
    waiting = [member for member in view.active_modes() if outcome_of(member.record).waits]
    found = [
        broken
        for scope in dict.fromkeys(member.session for member in waiting)
        for broken in questions.unreadable_questions(
            view.folder, scope, (member.record.question_id for member in waiting if member.session == scope)
        )
    ]
    waited_on = [question.record.get("source") for question in asked if question.record.get("status") in questions.OPEN]
    return (*(each for each in view.unreadable if paths.clear_name(each.path) in waited_on), *found)


def _answer(
    draft: Draft, asked: Sequence[Question], prompt: Prompt, answered_elsewhere: Sequence[Question]
) -> tuple[tuple[AnsweredQuestion, ...], tuple[OpenQuestion, ...]]:
    """Let the prompt answer what the session waits for; return the answered questions, and those that stay open.

    A question that was answered elsewhere is in neither list: its answer is only delivered. A question stays open if
    the prompt does not answer it, or was typed before anybody could see it.
    """
    answered: dict[str, tuple[Question, list[str]]] = {}
    still_open: dict[tuple[str, str], list[str]] = {}
    lifted: list[str] = []
    for member in draft.active_modes():
        if not outcome_of(member.record).waits:
            continue
        open_questions = questions.of_member(asked, member)
        is_answered_elsewhere = bool(questions.named_by(answered_elsewhere, member.record))
        # Nobody knows whom a run of the workspace's own waits for.
        means_it = prompt.has_text and (member.mode in prompt.skills or not belongs_to_workspace(member))
        if not (open_questions or is_answered_elsewhere or means_it):
            continue
        if open_questions and (why := _why_no_answer(open_questions, prompt)):
            for question in open_questions:
                if why == EARLY and questions.is_turn_unknown(question):
                    draft.stage(ANSWERS, question.path, questions.with_turn(question, prompt.turn))
                still_open.setdefault((question.text, why), []).append(member.mode)
            continue
        draft.answer(member)
        for question in open_questions:
            answered.setdefault(question.id, (question, []))[1].append(member.mode)
        if not (open_questions or is_answered_elsewhere):
            lifted.append(member.mode)
    replies = [_record_answer(draft, question, prompt, tuple(names)) for question, names in answered.values()]
    replies += [AnsweredQuestion((mode,)) for mode in lifted]
    first = prompt.text.split(maxsplit=1)[0] if prompt.is_command else ""
    left = tuple(OpenQuestion(tuple(names), text, why, first) for (text, why), names in still_open.items())
    return tuple(replies), left


def _why_no_answer(open_questions: Sequence[Question], prompt: Prompt) -> str:
    """Return why a prompt cannot be the answer to these questions; empty if it can."""
    turns = [question.record.get(questions.ASKED_IN_TURN) for question in open_questions]
    if prompt.turn is not None and prompt.turn in turns:
        return EARLY
    if any(questions.option_in(question, prompt.reply) for question in open_questions):
        return ""
    if prompt.turn is not None and any(map(questions.is_turn_unknown, open_questions)):
        return EARLY  # no Stop has ended the turn of the question, so this may still be that turn
    if not prompt.has_text:
        return NO_TEXT
    if prompt.is_command:
        return COMMAND
    return ONLY_NAMES if prompt.only_names else ""


def _record_answer(
    draft: Draft, question: Question, prompt: Prompt, modes_waiting: tuple[str, ...]
) -> AnsweredQuestion:
    record = questions.answered(question, prompt.text, source="prompt", now=prompt.now, reply=prompt.reply)
    draft.stage(ANSWERS, question.path, record)
    options = questions.options_of(question.record)
    chosen = record["answer"] if record["answer"] in options else ""
    return AnsweredQuestion(modes_waiting, question.text, options, chosen)


def _deliver(draft: Draft, answered_elsewhere: Sequence[Question]) -> tuple[tuple[str, str, str], ...]:
    delivered = []
    for question in answered_elsewhere[:MOST_DELIVERED]:
        draft.stage(ANSWERS, question.path, questions.delivered(question, now=draft.now))
        delivered.append((question.text, questions.answer_of(question), f"{paths.STATE}/{question.path}"))
    return tuple(delivered)
