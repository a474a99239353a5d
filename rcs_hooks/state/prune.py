"""Removes what nobody needs any more: the question records of runs that have ended, with the answers in them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import MODES
from rcs_hooks.state import files, paths, questions
from rcs_hooks.state.clock import seconds
from rcs_hooks.state.files import Write
from rcs_hooks.state.lock import Lock
from rcs_hooks.state.surface import each_scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.session import Session
    from rcs_hooks.state.surface import Scope

Record = dict[str, Any]

MOST_AT_ONCE = 500
"""Removed in one commit, so that the lock is held for a moment only."""


def prune(scope: Scope, *, dry_run: bool = False) -> Record:
    """Removes the closed questions of ended runs, in one session or, where none is named, everywhere."""
    scopes = [scope] if scope.session else each_scope(scope)
    removed = [entry for each in scopes for entry in _prune_in(each, dry_run=dry_run)]
    return {"success": True, "dry_run": dry_run, "removed": len(removed), "questions": removed}


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
    folder = scope.folder
    try:
        names = os.listdir(f"{folder}/{paths.session_folder(scope.session)}questions")
    except (FileNotFoundError, NotADirectoryError):
        return []
    view = scope.view()
    asked = questions.load(folder, scope.session, [name.removesuffix(".json") for name in names])
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
