"""Questions as the surfaces ask and answer them: a mode waits, the turn may end, the next prompt is the answer."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import LockTimeout, RcsError, Refused
from rcs_hooks.state import active, files, ledger, modes, paths, questions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import Lock
from rcs_hooks.state.paths import INVENTORY
from rcs_hooks.state.reconcile import ACTIVATES, ANSWERS, Draft
from rcs_hooks.state.surface import each_active_scope, each_scope, refuse_unreadable, with_session
from rcs_hooks.workflow import messages
from rcs_hooks.workflow.lifecycle import outcome_of, question_pending
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.session import Member
    from rcs_hooks.state.surface import Scope

Record = dict[str, Any]

KIND = "rcs.question/v1"
MOST_OPTIONS = 12
LONGEST_OPTION = 200


def ask(scope: Scope, mode: str, text: str, options: Sequence[str] = ()) -> Record:
    """Records a blocking question of an active mode. All that runs in the session waits with it, for Stop would hold
    the rest in the same breath that the agent is told to end its turn. Raises Refused."""
    scope = with_session(scope, mode)
    _checked(text, options)
    _active(scope, mode)
    folder = files.prepare(scope.root)
    with Lock(folder):
        files.recover(folder)
        member = _active(scope, mode)
        _refuse_second(scope, member)
        draft = Draft(scope.view(), turn=None, now=iso(scope.now))
        question = _new_id()
        draft.put(ANSWERS, paths.question_file(question, scope.session), _record(scope, mode, question, text, options))
        waiting = [each for each in draft.members() if each.mode == mode or not outcome_of(each.record).waits]
        for each in waiting:
            record = modes.waiting(each.mode, each.record, question=question, now=draft.now)
            draft.put_mode(ACTIVATES, each.mode, record)
            if each.session is None:
                draft.end_survivor(each.mode)
        draft.sync()
        files.commit(folder, draft.writes())
    with suppress(LockTimeout, OSError, RcsError):  # the question is asked; the next call does it
        active.fold_questions(folder, scope.session, seconds=active.FOLD_SECONDS)
    return {
        "success": True,
        "question_id": question,
        "mode": mode,
        "also_waiting": [each.mode for each in waiting if each.mode != mode],
        "path": f"{paths.STATE}/{paths.question_file(question, scope.session)}",
        "say": messages.question_to_say(text, options),
    }


def _refuse_second(scope: Scope, member: Member) -> None:
    """One open question a mode: nobody could tell which of two a prompt answers."""
    if not outcome_of(member.record).waits:
        return
    asked = questions.load(scope.folder, scope.session, (questions.named_in(member.record),))
    for question in questions.open_for(asked, member.mode, member.record):
        raise Refused(messages.asked_already(member.mode, question.text, question.id))


def _checked(text: str, options: Sequence[str]) -> None:
    if not text.strip():
        raise Refused("text: nothing found, one concrete question needed")
    if len(text) > questions.ANSWER_LENGTH:
        raise Refused(f"text: {len(text)} characters found, {questions.ANSWER_LENGTH} at most")
    if len(options) > MOST_OPTIONS or any(not option.strip() or len(option) > LONGEST_OPTION for option in options):
        raise Refused(f"option: at most {MOST_OPTIONS}, each of 1 to {LONGEST_OPTION} characters")


def _active(scope: Scope, mode: str) -> Member:
    view = scope.view()
    refuse_unreadable(scope, view, (mode, INVENTORY))
    member = next((member for member in view.members() if member.mode == mode), None)
    if member is None:
        active = " + ".join(member.mode for member in view.members()) or "nothing"
        raise Refused(f"mode: {mode} is not active here ({active} is), so it cannot wait for an answer")
    return member


def _new_id() -> str:
    return f"q-{os.urandom(5).hex()}"


def _record(scope: Scope, mode: str, question: str, text: str, options: Sequence[str]) -> Record:
    now = iso(scope.now)
    turn = _current_turn(scope)
    return {
        "kind": KIND,
        "question_id": question,
        "session_id": scope.session,
        "source": mode,
        "status": "pending",
        "created_at": now,
        "updated_at": now,
        "question": text,
        "options": list(options),
        "answer": None,
        **({"asked_in_turn": turn} if turn else {}),
    }


def _current_turn(scope: Scope) -> str | None:
    """The turn in which the agent asks: a prompt that the person sends in it was typed before the question."""
    kept = ledger.load(scope.folder, scope.session) if scope.session else {}
    return None if isinstance(kept, Unreadable) else ledger.current_turn(kept)


def answer(scope: Scope, question: str, text: str, *, source: str) -> Record:
    """Answers a question in whatever scope it is; the next prompt of its session is told. Raises Refused."""
    if not text.strip():
        raise Refused("answer: nothing found, some text needed")
    scope, found = _found(scope, question)
    _refuse_closed(found)
    folder = files.prepare(scope.root)
    with Lock(folder):
        files.recover(folder)
        asked = questions.load(folder, scope.session, (question,))
        found = next((each for each in asked if each.id == question), found)
        _refuse_closed(found)
        view = scope.view()
        refuse_unreadable(scope, view, (INVENTORY,))
        draft = Draft(view, turn=None, now=iso(scope.now))
        draft.put(ANSWERS, found.path, questions.answered(found, text, source=source, now=draft.now))
        lifted = _lift(draft, asked, found)
        draft.sync()
        files.commit(folder, draft.writes())
    return {"success": True, "question_id": question, "session_id": scope.session, "goes_on": lifted}


def _lift(draft: Draft, asked: list[Question], found: Question) -> list[str]:
    """The modes that wait for this question and no other go on."""
    lifted = []
    for member in draft.members():
        waits_for = questions.open_for(asked, member.mode, member.record)
        if question_pending(member.record) and [question.id for question in waits_for] == [found.id]:
            draft.answer(member)
            lifted.append(member.mode)
    return lifted


def _refuse_closed(question: Question) -> None:
    if question.record.get("status") not in questions.OPEN:
        raise Refused(f"{question.id} is {clean(question.record.get('status'))} already; nothing was changed")


def _found(scope: Scope, question: str) -> tuple[Scope, Question]:
    """Where a question is: first where one may be open, then everywhere."""
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


def listed(scope: Scope, *, every: bool = False) -> Record:
    """The open questions; with `every` the others too."""
    load = questions.load_all if every else questions.load
    scopes = [scope] if scope.session else each_scope(scope) if every else each_active_scope(scope)
    found = [(each, asked) for each in scopes for asked in load(each.folder, each.session)]
    return {
        "questions": [
            {
                "question_id": asked.id,
                "session_id": each.session,
                "mode": asked.record.get("source"),
                "status": asked.record.get("status"),
                "question": asked.text,
                "options": asked.record.get("options") or [],
                "created_at": asked.record.get("created_at"),
                "answer": questions.answer_of(asked) or None,
            }
            for each, asked in found
            if every or asked.record.get("status") in questions.OPEN
        ]
    }
