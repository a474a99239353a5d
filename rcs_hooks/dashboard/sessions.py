"""The sessions of a workspace as the dashboard shows them; the active set and the outcomes are those of `state`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import RcsError, UnsafePath
from rcs_hooks.state import active, ledger, modes, paths, questions
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.known import known_sessions
from rcs_hooks.workflow.lifecycle import is_active, outcome_of
from rcs_hooks.workflow.text import clean, cut

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.state.questions import Question

Record = dict[str, Any]

LONGEST_ERROR = 500
MOST_OPTIONS = 12


ACTIVE, NEEDY = "active", "needy"
LISTS = {None: known_sessions, ACTIVE: active.candidates, NEEDY: active.needy}


class Place(NamedTuple):
    """One scope of one workspace, and when something in it was last written."""

    root: str
    session: str | None
    touched: float


def listed(
    roots: Iterable[str], now: float, *, limit: int, block_limit: int, only: str | None = None
) -> tuple[list[Record], bool]:
    """Those last touched first; whether some were left out. `only`: ACTIVE, or NEEDY."""
    there = (place for root in roots for place in _places(root, only))
    places = sorted(there, key=lambda place: -place.touched)
    found: list[Record] = []
    for place in places:
        shown = _shown(place, now, block_limit)
        if shown is None or (only == ACTIVE and shown["status"] == "ended"):
            continue
        if len(found) == limit:
            return found, True
        found.append(shown)
    return found, False


def _places(root: str, only: str | None) -> list[Place]:
    try:
        folder = paths.state_folder(root)
        names = LISTS[only](folder)
    except (UnsafePath, OSError):
        return []
    return [
        Place(root, name, _touched(folder, paths.session_folder(name)) if name else _root_touched(folder))
        for name in (None, *names)
    ]


def _touched(folder: str, place: str) -> float:
    """Every write of ours renames a file into its folder."""
    found = [0.0]
    for path in (f"{folder}/{place}", f"{folder}/{place}questions"):
        try:
            found.append(os.stat(path).st_mtime)
        except OSError:
            continue
    return max(found)


def _root_touched(folder: str) -> float:
    """By its files: the folder itself is touched whenever a session is."""
    found = [0.0]
    for mode in MODES:
        try:
            found.append(os.lstat(f"{folder}/{paths.mode_file(mode, None)}").st_mtime)
        except OSError:
            continue
    return max(found)


def _shown(place: Place, now: float, block_limit: int) -> Record | None:
    """None where nothing is kept."""
    folder = paths.state_folder(place.root)
    try:
        view = sessions.load(folder, place.session, now)
    except (RcsError, OSError):
        return None
    try:
        asked = questions.load(folder, place.session)
    except (RcsError, OSError):  # one session's folder that may not be read hides no other session
        asked = []
    open_questions = [question for question in asked if question.record.get("status") in questions.OPEN]
    known = [_mode(view, mode) for mode in MODES]
    shown = [mode for mode in known if mode is not None]
    if not (shown or open_questions or view.unreadable):
        return None
    waits = any(mode["waiting"] for mode in shown)
    is_closed = place.session is not None and ledger.is_closed(ledger.load(folder, place.session))
    return {
        "root": place.root,
        "session": place.session,
        "status": _status(shown, waits=waits, broken=bool(view.unreadable), is_closed=is_closed),
        "modes": sorted(shown, key=lambda mode: not mode["active"]),
        "questions": [_question(question) for question in open_questions],
        "blocks": _blocks(folder, place.session, block_limit),
        "unreadable": [
            {"path": f"{paths.STATE}/{each.path}", "why": clean(each.why, 200), "clear_as": paths.cleared_as(each.path)}
            for each in view.unreadable
        ],
        "updated_at": iso(place.touched) if place.touched else None,
    }


def _status(shown: list[Record], *, waits: bool, broken: bool, is_closed: bool) -> str:
    if waits:
        return "waiting"
    if any(mode["active"] for mode in shown):
        return "closed" if is_closed else "active"
    return "broken" if broken else "ended"


def _mode(view: sessions.Session, mode: str) -> Record | None:
    record = view.record_of(mode)
    if record is None or modes.is_tombstone(record):
        return None
    outcome = outcome_of(record)
    runs = is_active(record)
    return {
        "mode": mode,
        "active": runs,
        "waiting": runs and outcome.waits,
        "phase": clean(record.get("current_phase")) or None,
        "outcome": outcome.public,
        "iteration": _number(record.get("iteration")),
        "max_iterations": _number(record.get("max_iterations")),
        "error": clean(record.get("error"), LONGEST_ERROR) or None,
        "started_at": clean(record.get("started_at")) or None,
        "updated_at": clean(record.get("updated_at")) or None,
        "completed_at": clean(record.get("completed_at")) or None,
        "session": view.session if mode in view.own else None,
    }


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9 else None


def _question(question: Question) -> Record:
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
    """Other tools write an object for each."""
    if isinstance(value, dict):
        value = value.get("value") or value.get("label")
    return clean(value, 200)


def _text(text: str, limit: int) -> str:
    """With its lines, and nothing else that has no picture."""
    return cut("".join(char if char.isprintable() or char in "\n\t" else " " for char in text), limit)


def _blocks(folder: str, session: str | None, limit: int) -> Record:
    kept = ledger.load(folder, session) if session else {}
    count = ledger.count_of(kept) if isinstance(kept, dict) else None
    return {
        "in_a_row": count.in_a_row if count else 0,
        "of_prompt": count.of_prompt if count else 0,
        "limit": limit,
    }
