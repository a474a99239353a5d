"""The sessions of a workspace as the dashboard shows them; `state` decides which modes are active."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import RcsError, UnsafePath
from rcs_hooks.files import paths, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.reading import QUESTIONS
from rcs_hooks.overview import proofs, resuming
from rcs_hooks.state import deferral, questions, session_notes, silence, stop_notes
from rcs_hooks.state import session as sessions
from rcs_hooks.state.draft import Draft
from rcs_hooks.state.inventory import deferred_skills_in
from rcs_hooks.state.session import ActiveMode
from rcs_hooks.state.session_listing import active_sessions, known_sessions, needy_sessions, written_at
from rcs_hooks.state.unread_answers import waits_for_prompt
from rcs_hooks.text import clean, cut
from rcs_hooks.workflow.lifecycle import FINISHED, is_active, last_phase, outcome_of
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.silence import QUIET, RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.files.reading import Unreadable
    from rcs_hooks.state.questions import Question

Record = dict[str, Any]

LONGEST_ERROR = 500
MOST_OPTIONS = 12


ACTIVE, NEEDY = "active", "needy"
WAITS, CLOSED, UNREADABLE = "waiting", "closed", "unreadable"
GOES_ON = (RUNNING, WAITS, *QUIET, CLOSED, UNREADABLE)
"""The statuses of a session with something active, or of which nobody can tell."""
FIRST = (WAITS, RUNNING)
"""The statuses with which a session comes before all others."""
MOST_AHEAD = 200
"""How many sessions that may be active are looked at for these, those written last."""


class SessionEntry(NamedTuple):
    """One session of a workspace, or its root if `session` is None."""

    root: str
    session: str | None
    touched: float
    """When a file of it was written last."""
    may_be_active: bool


def list_sessions(
    roots: Iterable[str],
    now: float,
    *,
    limit: int,
    block_limit: int,
    session: str | None = None,
    only: str | None = None,
) -> tuple[list[Record], bool]:
    """Return sessions as JSON, and whether some were left out for `limit`.

    What waits comes first, then what runs, then the rest, each with the one written last first. With a higher limit the
    list begins as with a lower one. `session` is the id of the only one that is meant, empty for the records of the
    root; None for all. `only` is ACTIVE for active sessions, or NEEDY for those that may need a person.
    """
    there = (entry for root in roots for entry in _entries(root, only, now) if session in (None, entry.session or ""))
    entries = sorted(there, key=lambda entry: -entry.touched)
    found: list[Record] = []
    for shown in _in_order(entries, now, block_limit):
        if only == ACTIVE and shown["status"] not in GOES_ON:
            continue
        if len(found) == limit:
            return found, True
        found.append(shown)
    return found, False


def _in_order(entries: list[SessionEntry], now: float, block_limit: int) -> Iterable[Record]:
    """Yield sessions as JSON, those first that wait or run; `entries`: the one written last first."""
    ahead = [entry for entry in entries if entry.may_be_active][:MOST_AHEAD]
    looked_at = {entry: _shown(entry, now, block_limit) for entry in ahead}
    first = [entry for entry in ahead if (shown := looked_at[entry]) and shown["status"] in FIRST]
    first.sort(key=lambda entry: by_status(looked_at[entry]))
    told = frozenset(first)
    for entry in (*first, *(each for each in entries if each not in told)):
        shown = looked_at[entry] if entry in looked_at else _shown(entry, now, block_limit)
        if shown is not None:
            yield shown


def by_status(shown: Mapping[str, Any] | None) -> int:
    """Return the place of a session in a list by its status alone: what waits comes first, then what runs."""
    status = shown["status"] if shown else None
    return FIRST.index(status) if status in FIRST else len(FIRST)


def _entries(root: str, only: str | None, now: float) -> list[SessionEntry]:
    try:
        folder = workspaces.state_folder(root)
        first = needy_sessions(folder, now) if only == NEEDY else active_sessions(folder)
        names = first if only else known_sessions(folder)
    except (UnsafePath, OSError):
        return []
    return [SessionEntry(root, None, _root_touched(folder), may_be_active=True)] + [
        SessionEntry(root, name, _touched(folder, name), may_be_active=name in first) for name in names
    ]


def _touched(folder: str, session: str) -> float:
    """Return when a session was written last, or a question in it."""
    at = written_at(folder, session)
    try:
        return max(at, os.stat(f"{folder}/{paths.session_folder(session)}{QUESTIONS}").st_mtime)
    except OSError:
        return at


def _root_touched(folder: str) -> float:
    """Return when a root record was written last; the time of their folder changes with each session too."""
    found = [0.0]
    for mode in MODES:
        try:
            found.append(os.lstat(f"{folder}/{paths.mode_file(mode, None)}").st_mtime)
        except OSError:
            continue
    return max(found)


def _shown(entry: SessionEntry, now: float, block_limit: int) -> Record | None:
    """Return a session as JSON; None if it has no records or cannot be read."""
    folder = workspaces.state_folder(entry.root)
    try:
        view = sessions.load(folder, entry.session, now)
    except (RcsError, OSError):
        return None
    try:
        listed = questions.load(folder, entry.session)
    except (RcsError, OSError):  # a folder that cannot be read hides no other session
        listed = []
    open_questions = [question for question in listed if question.record.get("status") in questions.OPEN]
    notes = session_notes.load(folder, entry.session) if entry.session else {}
    known = [_mode(view, mode, notes) for mode in view.modes]
    shown = [mode for mode in known if mode is not None]
    if not (shown or open_questions or view.unreadable):
        return None
    ready = deferral.waiting_after(Draft(view, turn=None, now=iso(now))) if deferred_skills_in(view.inventory) else ()
    stops = _blocks(notes, block_limit)
    status = _status(
        shown,
        waits=bool(ready) or any(mode["waiting"] for mode in shown),
        broken=bool(view.unreadable),
        is_closed=session_notes.is_closed(notes),
        going=silence.status_of(view, notes),
    )
    why_quiet = silence.why_quiet(view, notes) or None
    return {
        "root": entry.root,
        "session": entry.session,
        "client": session_notes.title_of_client(notes) or None,
        "resume": resuming.as_json(resuming.commands(entry.root, entry.session, notes)),
        "status": status,
        "early": status == FINISHED and bool((last := _last_of(shown)) and last["early"]),
        "quiet_because": why_quiet,
        "quiet_since": iso(now - silence.silence(view, notes)) if why_quiet else None,
        "deferred": list(ready),
        "deferred_source": (clean(view.inventory.get("deferred_source")) or None) if ready else None,
        "modes": sorted(shown, key=lambda mode: not mode["active"]),
        "questions": [question_as_json(question) for question in open_questions],
        "blocks": stops,
        "unreadable": [
            {"path": f"{paths.STATE}/{each.path}", "why": clean(each.why, 200), "clear_as": paths.clear_name(each.path)}
            for each in view.unreadable
        ],
        "updated_at": iso(entry.touched) if entry.touched else None,
    }


def _status(shown: list[Record], *, waits: bool, broken: bool, is_closed: bool, going: str) -> str:
    if waits:
        return WAITS
    if any(mode["active"] for mode in shown):
        return CLOSED if is_closed else going
    if broken:
        return UNREADABLE
    last = _last_of(shown)
    return str(last["outcome"] or FINISHED) if last else FINISHED


def _last_of(shown: list[Record]) -> Record | None:
    """Return the mode that ended last; None if there is none."""
    return max(shown, key=lambda mode: mode["completed_at"] or mode["updated_at"] or "", default=None)


def _mode(view: sessions.Session, mode: str, notes: Mapping[str, object] | Unreadable) -> Record | None:
    record = view.record_of(mode)
    if record is None or record.is_tombstone:
        return None
    outcome = outcome_of(record)
    runs = is_active(record)
    session = view.session if mode in view.own else None
    waits = outcome.waits or waits_for_prompt(view, ActiveMode(mode, record, session), notes)
    return {
        "mode": mode,
        "title": clean(record.title, TITLE_LENGTH) or None,
        "active": runs,
        "waiting": runs and waits,
        "phase": clean(last_phase(record)) or None,
        "outcome": outcome.public,
        "early": outcome.word == FINISHED and record.is_early,
        "verdict": proofs.verdict_of(view.modes.get(mode), record) or None,
        "iteration": number(record.iteration),
        "max_iterations": number(record.max_iterations),
        "reason": clean(record.reason or record.get("error"), LONGEST_ERROR) or None,
        "started_at": clean(record.started_at) or None,
        "updated_at": clean(record.updated_at) or None,
        "completed_at": clean(record.completed_at) or None,
        "session": session,
    }


def number(value: int | None) -> int | None:
    """Return a count that a record states; None for one that is too large to be one."""
    return value if value is not None and abs(value) < 10**9 else None


def question_as_json(question: Question) -> Record:
    """Return a question that a page can show and answer."""
    options = question.record.get("options")
    return {
        "question_id": question.id,
        "mode": clean(question.record.get("source")) or None,
        "question": _text(question.text, questions.ANSWER_LENGTH),
        "options": [
            text for each in (options if isinstance(options, list) else []) if (text := _option(each))
        ][:MOST_OPTIONS],
        "created_at": clean(question.record.get("created_at")) or None,
    }  # fmt: skip


def _option(value: object) -> str:
    """Return the text of an option; other tools write an option as an object."""
    if isinstance(value, dict):
        value = value.get("value") or value.get("label")
    return clean(value, 200)


def _text(text: str, limit: int) -> str:
    """Return a text without control characters, but with its line breaks, cut to `limit`."""
    return cut("".join(char if char.isprintable() or char in "\n\t" else " " for char in text), limit)


def _blocks(notes: Mapping[str, object] | Unreadable, limit: int) -> Record:
    count = stop_notes.count_of(notes) if isinstance(notes, dict) else None
    return {
        "in_a_row": count.in_a_row if count else 0,
        "of_prompt": count.of_prompt if count else 0,
        "limit": limit,
    }
