"""The names that a shell can complete: the modes, sessions, runs, tasks, questions and workflows that there are."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.files.workspaces import find_root, working_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.state.scopes import Scope

MOST = 50
"""How many runs, or sessions, are offered: the latest ones."""

Named = tuple[str, str]
"""A name, and a few words about what it names."""


class TypedSoFar(NamedTuple):
    """What a command line says so far; None and empty if it says nothing."""

    root: str | None = None
    mode: str = ""
    name: str = ""
    """The first word that is neither an action nor an option."""
    of_mode: bool = False
    """Whether `--mode` was typed, with a value or without."""

    @property
    def folder(self) -> str:
        """The workspace."""
        return os.path.abspath(self.root) if self.root else find_root(os.environ, working_folder())


def modes(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the modes that may be typed in the workspace."""
    from rcs_hooks.catalog import MODES
    from rcs_hooks.modes.listing import listing

    yield from ((name, f"${mode.tokens[0]}") for name, mode in MODES.items())
    found = listing(os.environ, asked.folder)
    yield from ((each.mode.name, "a mode of your own") for each in found.modes if each.mode.is_own)


def phases(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the phases of the mode that was named."""
    from rcs_hooks.catalog import MODES, SKILLS

    mode = MODES.get(SKILLS.get(asked.mode, asked.mode))
    yield from ((name, "") for name in (mode.states if mode else ()))


def sessions(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the sessions of the workspace, those with an active mode first."""
    from rcs_hooks.state.operations import list_active
    from rcs_hooks.state.session_listing import latest_sessions

    scope = _scope(asked)
    active = list_active(scope)
    titles = active.get("titles", {})
    for session, names in active.get("sessions", {}).items():
        yield session, ": ".join(filter(None, (" + ".join(names), titles.get(session, ""))))
    yield from ((session, "") for session in latest_sessions(scope.folder)[:MOST])


def questions(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the questions that are open."""
    from rcs_hooks.state.question_service import list_questions

    yield from ((each["question_id"], str(each["question"])) for each in list_questions(_scope(asked))["questions"])


def runs(_: TypedSoFar) -> Iterator[Named]:
    """Yield the runs with the latest events, of all projects."""
    yield from _runs(None)


def runs_of_machine(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the runs of the machine that was named, or the sessions if it is that of a mode; both before that."""
    from rcs_hooks.cli import machine_show

    if not asked.name:
        yield from (*runs(asked), *sessions(asked))
        return
    machine, mode = machine_show.find(asked.name, asked.folder, of_mode=asked.of_mode)
    yield from sessions(asked) if mode else _runs(machine.name)


def _runs(workflow: str | None) -> Iterator[Named]:
    from rcs_hooks.environment import real_environment
    from rcs_hooks.runs.records import RunFilter
    from rcs_hooks.runs.store import location_of, open_readonly

    here = real_environment()
    store = open_readonly(location_of(here))
    if store is None:
        return
    try:
        for each in store.runs(round(here.now * 1000), RunFilter(workflow=workflow), limit=MOST):
            yield each.run_id, f"{each.workflow}, {each.status}"
    finally:
        store.close()


def tasks(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the tasks of the workspace, each with the phase it is in."""
    from rcs_hooks.errors import RcsError
    from rcs_hooks.tasks.store import TaskStore, names

    for name in names(asked.folder):
        try:
            phase = TaskStore(asked.folder, name, 0).state().phase
        except RcsError:
            phase = ""
        yield name, phase


def workflows(asked: TypedSoFar) -> Iterator[Named]:
    """Yield the skills and agents whose machine may be shown."""
    from rcs_hooks.files.workspaces import home_of
    from rcs_hooks.runs.workflow_files import find_all

    yield from ((each.name, each.kind) for each in find_all(project=asked.folder, home=home_of(os.environ)))


def event_kinds() -> tuple[str, ...]:
    """Return what `rcs watch` may wait for."""
    from rcs_hooks.overview.events import KINDS

    return KINDS


def _scope(asked: TypedSoFar) -> Scope:
    from rcs_hooks.cli.options import scope

    return scope(os.environ, working_folder(), asked.root, None, time.time())
