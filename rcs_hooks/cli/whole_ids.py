"""Finds the whole id of a run, a question or a task from what a person typed: the id, or the first letters of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.catalog import SKILLS
from rcs_hooks.errors import Refused
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.terminal.ids import LEAST_TYPED, resolve, too_short
from rcs_hooks.terminal.near import nearest
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.runs.store import RunStore
    from rcs_hooks.state.scopes import Scope


def run(store: RunStore | None, typed: str, now: float, project: str | None = None) -> str:
    """Return the id of the run that is meant: one of `project` before one of another; `typed` if there is none.

    Raises Refused, with the candidates, if several begin so, or if it is not the name of a run but that of a mode.
    """
    if store is None:
        _refuse_unreported(typed)
        return typed
    if store.run(typed) is not None:
        return typed
    known = store.runs(round(now * 1000))
    if len(typed) < LEAST_TYPED and any(each.run_id.startswith(typed) for each in known):
        raise too_short(clean(typed), "run")
    here = [each.run_id for each in known if each.project == project]
    meant = _first(typed, "run", here, [each.run_id for each in known])
    if meant == typed:
        _refuse_unreported(typed)
    return meant


def _refuse_unreported(typed: str) -> None:
    """Raise Refused if a word names a mode, or a session: what runs there was not reported, and has no id of a run."""
    from rcs_hooks.cli import nouns
    from rcs_hooks.cli.options import scope
    from rcs_hooks.state.session_listing import latest_sessions

    here = scope(os.environ, working_folder(), None, None, 0)
    name = typed.removeprefix("$").lower()
    if name in SKILLS or name in dict(nouns.modes(here.root)):
        raise Refused(f"{clean(typed)} is a mode, and its runs are not reported with `rcs emit`: see `rcs status`")
    sessions = [each for each in latest_sessions(here.folder) if each.startswith(typed)]
    if sessions and len(typed) >= LEAST_TYPED:
        status = f"rcs status --session {sessions[0]}"
        raise Refused(f"{clean(typed)} is a session, and not reported with `rcs emit`: see `{status}`")


def question(scope: Scope, typed: str) -> str:
    """Return the id of the question that is meant: an open one before one that is closed; `typed` if there is none.

    Raises Refused, with the candidates, if several begin so.
    """
    from rcs_hooks.state import question_service

    both = (question_service.list_questions(scope, every=every)["questions"] for every in (False, True))
    return _first(typed, "question", *([each["question_id"] for each in known] for known in both))


def task(root: str, typed: str) -> str:
    """Return the name of the task that is meant; `typed` if there is none.

    Raises Refused if several begin so, or if one has a name that is nearly the same.
    """
    from rcs_hooks.tasks.store import names

    known = names(root)
    meant = resolve(typed, known, "task")
    if meant not in known and (near := nearest(meant, known)):
        raise Refused(f"there is no task {clean(meant)}; did you mean {near}?")
    return meant


def _first(typed: str, noun: str, *groups: Iterable[str]) -> str:
    """Return the id that is meant, from the first of these groups that has one."""
    for known in groups:
        names = list(known)
        meant = resolve(typed, names, noun)
        if meant in names:
            return meant
    return typed
