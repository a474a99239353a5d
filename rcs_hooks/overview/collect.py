"""Put the overview of a workspace together. What one source cannot tell hides nothing that the others do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError
from rcs_hooks.files import workspaces
from rcs_hooks.overview import modes, proofs, resuming, runs, tasks
from rcs_hooks.overview.entries import (
    CLOSED,
    ENDED,
    MODE,
    RUN,
    RUNNING,
    TASK,
    TASKS,
    WAITING,
    Entry,
    Overview,
    length_for,
)
from rcs_hooks.overview.records import why
from rcs_hooks.runs import sqlite_store
from rcs_hooks.runs import store as stores
from rcs_hooks.tasks.store import names as task_names
from rcs_hooks.terminal.ids import short
from rcs_hooks.workflow.commands import Commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.runs.store import RunStore

PLAIN = Commands("rcs", "")


def overview(env: Mapping[str, str], root: str, now: float, commands: Commands = PLAIN, cwd: str = "") -> Overview:
    """Return the overview of a workspace, with its runs from the store that `env` names.

    `commands`: how a person calls this program. `cwd`: the folder that a relative RCS_DB counts from; `root` if empty.
    """
    try:
        store = sqlite_store.open_readonly(stores.location_of(Environment(env, cwd or root, now)))
    except (RcsError, OSError) as error:
        return _overview(env, root, now, commands, None, [_unreadable_runs(root, error)])
    try:
        return _overview(env, root, now, commands, store, [])
    finally:
        if store:
            store.close()


def overview_of_store(
    env: Mapping[str, str], root: str, now: float, store: RunStore | None, commands: Commands = PLAIN
) -> Overview:
    """Return the overview of a workspace, with its runs from an open store; `store` is None if no run was stored."""
    return _overview(env, root, now, commands, store, [])


def _overview(
    env: Mapping[str, str], root: str, now: float, commands: Commands, store: RunStore | None, found: list[Entry]
) -> Overview:
    found = [*found, *modes.entries(root, now, commands)]
    try:
        names = task_names(root)
    except (RcsError, OSError) as error:
        names = []
        found.append(
            Entry(
                TASK,
                "tasks",
                "tasks",
                WAITING,
                detail=f"the tasks cannot be read: {why(error)}",
                project=root,
                is_unreadable=True,
            )
        )
    found += tasks.entries(root, names, now, commands)
    try:
        found += runs.entries(store, root, now, commands)
    except (RcsError, OSError) as error:
        found.append(_unreadable_runs(root, error))
    return grouped(found, workspaces.off_by(env, root))


def _unreadable_runs(root: str, error: RcsError | OSError) -> Entry:
    detail = f"the runs cannot be read: {why(error)}"
    return Entry(RUN, "runs", "runs", WAITING, detail=detail, project=root, is_unreadable=True)


def grouped(found: Iterable[Entry], off: str = "") -> Overview:
    """Sort entries into an overview: in each group those with an open question first, and then the newest first."""
    newest_first = sorted(found, key=lambda entry: (entry.question is not None, entry.since or ""), reverse=True)

    def of(group: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in newest_first if entry.group == group)

    return Overview(of(WAITING), of(RUNNING), of(ENDED), of(TASKS), of(CLOSED), off or "")


def of_session(whole: Overview, session: str) -> Overview:
    """Return the part of an overview that is about one session."""
    each = (entry for group in whole.groups.values() for entry in group)
    return grouped((entry for entry in each if entry.kind == MODE and entry.session == session), whole.off)


def for_dashboard(env: Mapping[str, str], roots: Iterable[str], now: float, store: RunStore | None) -> JsonObject:
    """Return the overview of several workspaces as one JSON object, for `/api/overview` of the dashboard.

    It has the lists `waiting`, `running`, `ended`, `tasks` and `closed`, the newest entry first in each. An entry has
    the keys of `rcs status --json` (`v`, `kind`, `name`, `title`, `session` or `id`, `client`, `phase`, `since`,
    `says`) and:

    - `key`: identifies the entry among those of all workspaces. It is the same in each answer, also when the entry
      moves to another list, so a page can use it as the key of its row. Compare it, and do not take it apart.
    - `project`: the workspace.
    - `detail`, `command`: `says` in two parts; `command` is empty where there is nothing to type.
    - `short`: the first letters of the id of its session or run, as many as tell the entries apart; may be empty.
    - `has_title`: false if `title` is only made of the name and an id.
    - `iteration`, `max_iterations`: the round of a mode, and the last one; of a task its round. Each may be null.
    - `outcome`, `early`: how it ended, null if it has not; whether it finished where its machine does not end,
      or with no review that said clean.
    - `started_at`: when a run, of a workflow or of a mode, began; null if nobody knows, or for a task.
    - `last_at`: when there was the last activity in it; null if nobody knows, or for a task.
    - `verdict`: `proven`, `stale` or `unproven` if a run has finished and is more than a plan, or a task has come to
      acceptance; else null. `proof_says`: what came of the newest proof of any other run, without the time; null if
      there is none.
    - `event`: the number of the event that ended the run, where another run of the mode has followed it; else null.
    - `question`: null, or `{"id", "text", "options"}`; `POST` the answer as for any question.
    - `quiet`: `stalled` for what runs, but has been silent for an hour, or whose Stop was let go as nothing had
      changed; `inactive` for what has not ended, and has been silent for a day; else null.
    - `resume`: the commands that resume the session, each with its `client` and its `command`.
    - `stop`: null, or `{"held": bool, "at": moment}` for the last Stop of a session that runs.

    `store`: the open store of runs; None if there is none. Every text in it is cleaned and bounded, and has to be
    escaped as any text. Nothing is written, and what cannot be read is an entry of `waiting`.
    """
    views = [overview_of_store(env, root, now, store) for root in dict.fromkeys(roots)]
    entries = (entry for view in views for group in view.groups.values() for entry in group)
    whole = grouped(entries)
    length = length_for(entry for group in whole.groups.values() for entry in group)
    return {name: [shown(entry, length) for entry in group] for name, group in whole.groups.items()}


def shown(entry: Entry, length: int) -> JsonObject:
    """Return an entry as JSON. `length`: how many letters of its id are shown."""
    question, stop = entry.question, entry.stop
    return entry.as_json() | {
        "key": entry.key,
        "project": entry.project,
        "detail": entry.detail,
        "command": entry.command,
        "has_title": entry.has_title,
        "short": short(entry.shown_id, length),
        "iteration": entry.iteration,
        "max_iterations": entry.max_iterations,
        "outcome": entry.outcome,
        "early": entry.is_early,
        "started_at": entry.started_at,
        "last_at": entry.last_at,
        "verdict": entry.verdict or None,
        "proof_says": (entry.proof and not entry.verdict and proofs.newest(entry.proof)) or None,
        "event": int(entry.id) if entry.kind == MODE and entry.outcome and entry.id.isdecimal() else None,
        "question": question and {"id": question.id, "text": question.text, "options": list(question.options)},
        "quiet": entry.quiet or None,
        "resume": resuming.as_json(entry.resume),
        "stop": stop and {"held": stop.was_held, "at": stop.at},
    }
