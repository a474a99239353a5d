"""Removes the questions of ended runs, with their answers, outputs that no proof names, and old sessions."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from rcs_hooks.files import paths, preparation, reading, transaction
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Reader
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import proof_output, questions
from rcs_hooks.state.scopes import each_scope
from rcs_hooks.state.session_listing import known_sessions, look, written_at

if TYPE_CHECKING:
    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.results import PrunedQuestion, PruneResult
    from rcs_hooks.state.scopes import Scope
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord

MOST_AT_ONCE = 500
"""So many are removed in one commit, so that the lock is held only for a moment."""


def prune(scope: Scope, *, dry_run: bool = False, older_than: float | None = None) -> PruneResult:
    """Remove the closed questions of ended runs, in one session or, if the scope names none, everywhere.

    The outputs of proofs that no record names go too: those of earlier runs and proofs. `older_than`: with it, whole
    sessions go that nobody has written for so many seconds and in which nothing is active. `dry_run`: change nothing,
    and return what would be done.
    """
    sessions = [] if older_than is None or scope.session else _old_sessions(scope, older_than)
    if sessions and not dry_run:
        _remove_sessions(scope, sessions)
    scopes = [scope] if scope.session else [each for each in each_scope(scope) if each.session not in sessions]
    removed = [entry for each in scopes for entry in _prune_in(each, dry_run=dry_run)]
    if not dry_run:
        for each in scopes:
            _sweep(each)
    outputs = sum(_prune_outputs(each, dry_run=dry_run) for each in scopes)
    return {
        "success": True,
        "dry_run": dry_run,
        "removed": len(removed),
        "questions": removed,
        "outputs": outputs,
        "sessions": sessions,
    }


def _old_sessions(scope: Scope, older_than: float) -> list[str]:
    """List the sessions that nobody has written for so many seconds, and in which nothing is active or unreadable."""
    reader = Reader(scope.folder)
    names = (name for name in known_sessions(scope.folder) if scope.now - written_at(scope.folder, name) >= older_than)
    return [name for name in names if not look(reader, name).may_be_active]


def _remove_sessions(scope: Scope, names: list[str]) -> None:
    """Remove the folders of sessions, but for those in which something has become active meanwhile."""
    for name in names:
        with Lock(scope.folder):
            transaction.recover(scope.folder)
            if not look(Reader(scope.folder), name).may_be_active:
                shutil.rmtree(f"{scope.folder}/{paths.SESSIONS}/{name}")


def _prune_outputs(scope: Scope, *, dry_run: bool) -> int:
    """Remove the outputs of proofs that no record names; return how many were removed or, in a dry run, would be.

    What a record that cannot be read may name stays.
    """
    if not _unnamed_outputs(scope):
        return 0
    if dry_run:
        return len(_unnamed_outputs(scope))
    with Lock(scope.folder):
        transaction.recover(scope.folder)
        return proof_output.remove(scope.folder, scope.session, _unnamed_outputs(scope))


def _unnamed_outputs(scope: Scope) -> list[str]:
    there = proof_output.names_in(scope.folder, scope.session)
    view = scope.view() if there else None
    if view is None or view.unreadable:
        return []
    records = (view.own if view.session else view.root).values()
    named = {proof.output for record in records if (proof := record.proof)}
    return [name for name in there if name not in named]


def _sweep(scope: Scope) -> None:
    """Remove the files that a kill left staged; take the lock only if there are any."""
    place = paths.session_folder(scope.session)
    for folder in (place.rstrip("/"), f"{place}{reading.QUESTIONS}"):
        if any(name.endswith(paths.STAGED) for name in _names_in(f"{scope.folder}/{folder}")):
            with Lock(scope.folder):
                transaction.recover(scope.folder)
                transaction.sweep(scope.folder, folder)


def _names_in(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _prune_in(scope: Scope, *, dry_run: bool) -> list[PrunedQuestion]:
    """Remove the closed questions of ended runs in one scope; return them, or in a dry run what would be removed.

    Looks without the lock first, to create no state if there is nothing to do.
    """
    found = _removable(scope)
    if dry_run or not found:
        return [_entry(scope, question) for question in found]
    removed: list[Question] = []
    folder = preparation.prepare(scope.root)
    while True:
        with Lock(folder):
            transaction.recover(folder)
            found = _removable(scope)[:MOST_AT_ONCE]
            transaction.commit(folder, [Write(question.path, None) for question in found])
        removed += found
        if len(found) < MOST_AT_ONCE:
            return [_entry(scope, question) for question in removed]


def _removable(scope: Scope) -> list[Question]:
    asked = questions.load_all(scope.folder, scope.session)
    view = scope.view()
    waiting = {question.id for question in questions.awaiting_delivery(asked, ())}
    return [question for question in asked if question.id not in waiting and _is_over(question, view)]


def _is_over(question: Question, view: Session) -> bool:
    """Tell whether a question is closed and was asked in a run that has ended."""
    if questions.is_open(question):
        return False
    mode = question.record.get("source")
    may_run = {member.mode for member in view.active_modes()} | _unknown(view)
    if not isinstance(mode, str) or mode not in view.modes:  # another tool asked it, for whichever mode runs
        return not may_run
    return mode not in may_run and not _is_later(question, view.record_of(mode))


def _unknown(view: Session) -> set[str]:
    """Return the modes whose file cannot be read: they may be active."""
    return {paths.clear_name(broken.path) for broken in view.unreadable} & set(view.modes)


def _is_later(question: Question, ended: ModeRecord | None) -> bool:
    """Tell whether a question was asked after the run had ended, so that it belongs to a run that nobody knows."""
    asked, end = seconds(question.record.get("created_at")), seconds(ended.completed_at if ended else None)
    return asked is not None and end is not None and asked > end


def _entry(scope: Scope, question: Question) -> PrunedQuestion:
    return {
        "question_id": question.id,
        "session_id": scope.session,
        "mode": question.record.get("source"),
        "status": question.record.get("status"),
        "path": f"{paths.STATE}/{question.path}",
    }
