"""Removes the question records of runs that have ended, with the answers in them, and folds away what is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import MODES
from rcs_hooks.state import active, files, paths, questions
from rcs_hooks.state.clock import seconds
from rcs_hooks.state.files import Write
from rcs_hooks.state.lock import LOCK_SECONDS, Lock
from rcs_hooks.state.surface import each_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.session import Session
    from rcs_hooks.state.surface import Scope

Record = dict[str, Any]

LONGEST = 60.0
"""Seconds for each part of it: a person waits, who has asked for all of it."""
MOST_AT_ONCE = 500
"""Removed in one commit, so that the lock is held for a moment only."""


def prune(scope: Scope, *, dry_run: bool = False, older_than: float = active.OLD) -> Record:
    """Removes the closed questions of ended runs, in one session or, where none is named, everywhere.

    What of the others is closed is folded away, and so are the sessions that nobody touched for so many seconds.
    """
    scopes = [scope] if scope.session else list(each_scope(scope))
    removed = [entry for each in scopes for entry in _prune_in(each, dry_run=dry_run)]
    gone = {entry["path"] for entry in removed}
    folded_questions = sum(_fold_questions(each, gone, dry_run=dry_run) for each in scopes)
    folded = [] if scope.session else _fold(scope, older_than, dry_run=dry_run)
    return {
        "success": True,
        "dry_run": dry_run,
        "removed": len(removed),
        "questions": removed,
        "folded_questions": folded_questions,
        "folded": folded,
    }


def _fold_questions(scope: Scope, gone: set[str], *, dry_run: bool) -> int:
    """The number of those that are, or would be, folded away."""
    if not dry_run:
        return active.fold_questions(scope.folder, scope.session, seconds=LONGEST, wait=LOCK_SECONDS)
    old = active.old_questions(scope.folder, scope.session)
    closed = active.closed_among(scope.folder, scope.session, old)
    place = f"{paths.STATE}/"
    return sum(f"{place}{paths.question_file(name, scope.session)}" not in gone for name in closed)


def _fold(scope: Scope, older_than: float, *, dry_run: bool) -> list[str]:
    """The sessions that are, or would be, folded away. Of few no index is made."""
    if not dry_run:
        active.refresh(scope.folder, scope.now, seconds=LONGEST, wait=LOCK_SECONDS)
    index = active.looked(scope.folder, scope.now, seconds=LONGEST)
    wanted = active.foldable(scope.folder, index, scope.now, older_than)
    if dry_run:
        return wanted
    parts = (wanted[at : at + MOST_AT_ONCE] for at in range(0, len(wanted), MOST_AT_ONCE))
    done = (active.fold(scope.folder, part, seconds=LONGEST, most=MOST_AT_ONCE, wait=LOCK_SECONDS) for part in parts)
    return [name for names in done for name in names]


def _prune_in(scope: Scope, *, dry_run: bool) -> list[Record]:
    """A look without the lock comes first, so that nothing is made where there is nothing to remove."""
    found = _removable(scope)
    if dry_run or not found:
        return [_entry(scope, question) for question in found]
    removed: list[Question] = []
    folder = files.prepare(scope.root)
    while True:
        with Lock(folder):
            files.recover(folder)
            found = _removable(scope)[:MOST_AT_ONCE]
            files.commit(folder, [Write(question.path, None) for question in found])
        removed += found
        if len(found) < MOST_AT_ONCE:
            return [_entry(scope, question) for question in removed]


def _removable(scope: Scope) -> list[Question]:
    asked = questions.load_all(scope.folder, scope.session)
    view = scope.view()
    waiting = {question.id for question in questions.undelivered(asked, ())}
    return [question for question in asked if question.id not in waiting and _is_over(question, view)]


def _is_over(question: Question, view: Session) -> bool:
    """Whether it is closed, and was asked in a run that has ended."""
    if question.record.get("status") in questions.OPEN:
        return False
    mode = question.record.get("source")
    active = {member.mode for member in view.members()} | _unknown(view)
    if not isinstance(mode, str) or mode not in MODES:  # another tool's: of whichever mode runs
        return not active
    return mode not in active and not _is_later(question, view.record_of(mode) or {})


def _unknown(view: Session) -> set[str]:
    """The modes whose file cannot be read: they may be active."""
    return {paths.cleared_as(broken.path) for broken in view.unreadable} & set(MODES)


def _is_later(question: Question, ended: Mapping[str, Any]) -> bool:
    """Whether it was asked after the run had ended, so that it belongs to none that is known."""
    asked, end = seconds(question.record.get("created_at")), seconds(ended.get("completed_at"))
    return asked is not None and end is not None and asked > end


def _entry(scope: Scope, question: Question) -> Record:
    return {
        "question_id": question.id,
        "session_id": scope.session,
        "mode": question.record.get("source"),
        "status": question.record.get("status"),
        "path": f"{paths.STATE}/{question.path}",
    }
