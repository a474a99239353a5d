"""Asks and answers questions for every surface: a mode waits, the turn may end, and the next prompt is the answer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.files import paths, preparation, transaction
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import mode_changes, prompt_notes, questions, session_notes
from rcs_hooks.state.draft import ACTIVATES, ANSWERS, Draft
from rcs_hooks.state.operations import refuse_unreadable, title_of
from rcs_hooks.state.scopes import each_active_scope, each_scope, with_session
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.messages.question import answered_elsewhere, asked_already, question_to_say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.results import AnswerResult, AskResult, ListedQuestion, QuestionList
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import ActiveMode
    from rcs_hooks.workflow.mode_record import ModeRecord

KIND = "rcs.question/v1"
MOST_OPTIONS = 12
LONGEST_OPTION = 200


def ask(scope: Scope, mode: str, text: str, options: Sequence[str] = ()) -> AskResult:
    """Record a blocking question of an active mode. Raises Refused.

    Every other mode that runs in the session waits too: otherwise Stop would hold those just when the agent is told to
    end its turn.
    """
    scope = with_session(scope, mode)
    _checked(text, options)
    _active(scope, mode)
    folder = preparation.prepare(scope.root)
    with Lock(folder):
        transaction.recover(folder)
        member = _active(scope, mode)
        _refuse_second(scope, member)
        draft = Draft(scope.view(), turn=None, now=iso(scope.now))
        question = _new_id()
        draft.stage(
            ANSWERS, paths.question_file(question, scope.session), _record(scope, member, question, text, options)
        )
        waiting = [each for each in draft.active_modes() if each.mode == mode or not outcome_of(each.record).waits]
        for each in waiting:
            waits = mode_changes.waiting(each.mode, each.record, question=question, now=draft.now)
            draft.stage_mode(ACTIVATES, each.mode, waits)
            if each.session is None:
                draft.end_survivor(each.mode)
        draft.sync_inventories()
        transaction.commit(folder, draft.writes())
    return {
        "success": True,
        "question_id": question,
        "mode": mode,
        "also_waiting": [each.mode for each in waiting if each.mode != mode],
        "path": f"{paths.STATE}/{paths.question_file(question, scope.session)}",
        "say": question_to_say(text, options),
    }


def _refuse_second(scope: Scope, member: ActiveMode) -> None:
    """Raise Refused if a mode already has an open question: nobody could tell which of two a prompt answers."""
    if not outcome_of(member.record).waits:
        return
    asked = questions.load_for(scope.view(), (member.record.question_id,))
    for question in questions.of_member(asked, member):
        raise Refused(asked_already(member.mode, question.text, question.id))


def _checked(text: str, options: Sequence[str]) -> None:
    if not text.strip():
        raise Refused("text: it is empty; give one concrete question")
    if len(text) > questions.ANSWER_LENGTH:
        raise Refused(f"text: it has {len(text)} characters; at most {questions.ANSWER_LENGTH} are allowed")
    if len(options) > MOST_OPTIONS or any(not option.strip() or len(option) > LONGEST_OPTION for option in options):
        raise Refused(f"option: give at most {MOST_OPTIONS}, each of 1 to {LONGEST_OPTION} characters")


def _active(scope: Scope, mode: str) -> ActiveMode:
    view = scope.view()
    refuse_unreadable(scope, view, (mode, INVENTORY))
    member = next((member for member in view.active_modes() if member.mode == mode), None)
    if member is None:
        active = " + ".join(member.mode for member in view.active_modes()) or "nothing"
        raise Refused(f"mode: {mode} is not active here ({active} is), so it cannot wait for an answer")
    return member


def _new_id() -> str:
    return f"q-{os.urandom(5).hex()}"


def _record(scope: Scope, member: ActiveMode, question: str, text: str, options: Sequence[str]) -> JsonObject:
    now = iso(scope.now)
    return {
        "kind": KIND,
        "question_id": question,
        "session_id": scope.session,
        "source": member.mode,
        "status": "pending",
        "created_at": now,
        "updated_at": now,
        "question": text,
        "options": list(options),
        "answer": None,
        **(_turn_of_question(scope.folder, scope.session, member.record) if scope.session else {}),
    }


def _turn_of_question(folder: str, session: str, record: ModeRecord) -> JsonObject:
    """Return the field that names the turn of a question: a prompt sent in that turn was typed before the question.

    Its value is None if no prompt of the run was noted yet, or the client names no turns: then the Stop that ends the
    turn notes it, if it names one.
    """
    notes = session_notes.load(folder, session)
    if isinstance(notes, Unreadable):
        return {}
    if not prompt_notes.has_prompt_since(notes, max(record.started_at, record.ended_before)):
        return {questions.ASKED_IN_TURN: None}
    return {questions.ASKED_IN_TURN: prompt_notes.current_turn(notes)}


def answer(scope: Scope, question: str, text: str, *, source: str) -> AnswerResult:
    """Answer the question with an id, in whichever scope it is; the next prompt of its session brings the answer.

    `source`: where the answer was given. Raises Refused.
    """
    if not text.strip():
        raise Refused("answer: it is empty; give some text")
    scope, found = _find(scope, question)
    _refuse_closed(found)
    folder = preparation.prepare(scope.root)
    with Lock(folder):
        transaction.recover(folder)
        asked = questions.load(folder, scope.session, (question,))
        found = next((each for each in asked if each.id == question), found)
        _refuse_closed(found)
        view = scope.view()
        refuse_unreadable(scope, view, (INVENTORY,))
        draft = Draft(view, turn=None, now=iso(scope.now))
        draft.stage(ANSWERS, found.path, questions.answered(found, text, source=source, now=draft.now))
        lifted = _lift(draft, asked, found)
        draft.sync_inventories()
        transaction.commit(folder, draft.writes())
    return {
        "success": True,
        "question_id": question,
        "session_id": scope.session,
        "goes_on": lifted,
        "says": answered_elsewhere(lifted, scope.session),
    }


def _lift(draft: Draft, asked: list[Question], found: Question) -> list[str]:
    """End the wait of the modes that wait for the question `found` and no other; return these modes."""
    lifted = []
    for member in draft.active_modes():
        waits_for = questions.open_for(asked, member.mode, member.record)
        if member.record.has_question_pending and [question.id for question in waits_for] == [found.id]:
            draft.answer(member)
            lifted.append(member.mode)
    return lifted


def _refuse_closed(question: Question) -> None:
    if not questions.is_open(question):
        raise Refused(f"{question.id} is already {clean(question.record.get('status'))}; nothing was changed")


def _find(scope: Scope, question: str) -> tuple[Scope, Question]:
    """Return the question with an id, and its scope: looks first where one may be open, then everywhere.

    Raises Refused.
    """
    open_in = [scope] if scope.session else each_active_scope(scope)
    for each in open_in:
        for asked in questions.load(each.folder, each.session, (question,)):
            if asked.id == question:
                return each, asked
    for each in [scope] if scope.session else each_scope(scope):
        for asked in questions.load_all(each.folder, each.session):
            if asked.id == question:
                return each, asked
    where = f"session {scope.session}" if scope.session else "this workspace"
    raise Refused(f"{clean(question)}: no such question in {where}; see them with: rcs question list --all")


def list_questions(scope: Scope, *, every: bool = False) -> QuestionList:
    """List the open questions; with `every`, also those that are closed."""
    load = questions.load_all if every else questions.load
    scopes = [scope] if scope.session else each_scope(scope) if every else each_active_scope(scope)
    found = [(each, asked) for each in scopes for asked in load(each.folder, each.session)]
    return {"questions": [_listed(each, asked) for each, asked in found if every or questions.is_open(asked)]}


def _listed(scope: Scope, question: Question) -> ListedQuestion:
    return {
        "question_id": question.id,
        "session_id": scope.session,
        "title": title_of(scope.view()),
        "mode": question.record.get("source"),
        "status": question.record.get("status"),
        "question": question.text,
        "options": question.record.get("options") or [],
        "created_at": question.record.get("created_at"),
        "answer": questions.answer_of(question) or None,
    }
