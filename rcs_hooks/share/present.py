"""The documents that machines show, as the JSON of the dashboard: other people's text, and judged as that. Pure.

Rules of this file:
- A document is made to fit the shape that the dashboard answers with, or is passed over; ids must be ids.
- A command in a document is never shown: what to type is worded here, from ids.
- What depends on the time, such as a long silence, is decided here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.client_names import RESUMES, TITLES
from rcs_hooks.dashboard import overview as overviews
from rcs_hooks.errors import Refused
from rcs_hooks.files.clock import iso, seconds
from rcs_hooks.files.paths import is_name
from rcs_hooks.overview.entries import CLOSED, ENDED, LATELY, MODE, RUNNING, TASKS, VERSION, WAITING
from rcs_hooks.overview.records import moment
from rcs_hooks.share.fitting import cleaned, fitted
from rcs_hooks.share.shapes import EntryShape, SessionShape, TaskShape
from rcs_hooks.state.silence import LET_GO, length
from rcs_hooks.state.validation import check_session_id
from rcs_hooks.text import clean, quoted
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.lifecycle import spelled
from rcs_hooks.workflow.proof import VERDICTS
from rcs_hooks.workflow.silence import QUIET, STALLED, shown_status
from rcs_hooks.workflow.silence import RUNNING as GOES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.share.shared_documents import SharedDocument

SESSION, TASK, ENTRY, PASSAGE = "session", "task", "entry", "passage"
GROUPS = (WAITING, RUNNING, ENDED, TASKS, CLOSED)
COMMANDS = Commands("rcs", "")
LONGEST_ID = 128
MOST_OPTIONS = 12
KEPT = 16_384
"""How many documents are kept as they were read, by their text."""
NOT_EARLY: JsonObject = {"early": False}
"""What an older machine does not say of a session, or of a mode in it."""
NOT_SAID: JsonObject = {"stop": None, "proof": None, "event": None, "started_at": None}
"""What an older machine does not say of an entry."""
UNSAID = "by whom is known on its machine"
TO_ANSWER = "To answer"


class SharedEntry(NamedTuple):
    """One entry of the overview, and the group that it is in."""

    group: str
    record: JsonObject


class SharedPassage(NamedTuple):
    """One passage of a mode, as `everything` has it."""

    session: str
    told: JsonObject
    client: str | None
    is_last: bool


def session(document: SharedDocument, now: float) -> JsonObject | None:
    """Return a session as JSON; None if the document is none."""
    name = session_of(document.key)
    if name is None and document.key:
        return None
    given: JsonObject = {
        "root": document.place.address, "session": name, "resume": [], "questions": [], "runs": 0,
        "quiet_because": None, "quiet_since": None,
    }  # fmt: skip
    record = _parsed(document.record)
    if isinstance(modes := record.get("modes"), list):
        given["modes"] = [_mode(each) if isinstance(each, dict) else each for each in modes]
    found = fitted(SessionShape, NOT_EARLY | record | given)
    if found is None:
        return None
    found["questions"] = [each for item in _list(record.get("questions")) if (each := question(item))]
    found["resume"] = _resume(found["client"], name)
    heard = max(filter(None, (_seconds(found["updated_at"]), _seconds(document.at))), default=now)
    if found["status"] == STALLED:
        found["quiet_because"] = LET_GO
    if found["status"] in (GOES, STALLED) and (quiet := quiet_since(heard, now)):
        found["status"] = quiet
        found["quiet_because"] = f"no activity for {length(now - heard)}"
    if found["status"] in QUIET:
        found["quiet_since"] = iso(heard)
    return found


def status_of(document: SharedDocument) -> object:
    """Return the status of a session as its machine told it; a long silence since then changes it."""
    return _parsed(document.record).get("status")


def _mode(record: JsonObject) -> JsonObject:
    return NOT_EARLY | record | {"phase": _phase(record.get("phase"))}


def _phase(value: object) -> object:
    """Return a phase; None for an outcome's word, which older machines tell in its place."""
    return None if spelled(value) else value


def quiet_since(heard: float, now: float) -> str:
    """Return `stalled` or `inactive` for what goes on and was heard of last at a moment; empty if it is not quiet."""
    word = shown_status(GOES, round(heard * 1000), round(now * 1000))
    return word if word in QUIET else ""


def question(record: object) -> JsonObject | None:
    """Return an open question as JSON; None if it has no id that can be typed."""
    if not isinstance(record, dict) or not is_id(record.get("question_id")):
        return None
    asked = cleaned(record)
    assert isinstance(asked, dict)  # noqa: S101 - for the type checker: a dict stays one
    options = [
        text
        for each in _list(asked.get("options"))[:MOST_OPTIONS]
        if isinstance(each, str) and (text := clean(each, 200))
    ]
    return {
        "question_id": record["question_id"],
        "mode": clean(asked.get("mode")) or None,
        "question": asked.get("question") if isinstance(asked.get("question"), str) else "(its text cannot be read)",
        "options": options,
        "created_at": moment(asked.get("created_at")),
    }


def task(document: SharedDocument) -> JsonObject | None:
    """Return a task as JSON; None if the document is none."""
    given: JsonObject = {"root": document.place.address, "task_id": clean(document.key) or "task"}
    record = _parsed(document.record)
    decision = record.get("decision")
    if isinstance(decision, dict) and not decision.get("by"):
        given["decision"] = decision | {"by": UNSAID}
    return fitted(TaskShape, record | given)


def entry(document: SharedDocument, now: float, heard_of: Mapping[tuple[int, str], str]) -> SharedEntry | None:
    """Return an entry of the overview; None if the document is none, or has grown old.

    `heard_of`: when each session was heard of last.
    """
    record = _parsed(document.record)
    group, kind = record.get("group"), record.get("kind")
    if group not in GROUPS or kind not in (MODE, TASK):
        return None
    name = session_of(record.get("session")) if kind == MODE else None
    place = document.place.address
    given: JsonObject = {
        "v": VERSION, "project": place, "key": f"{kind}:{place}:{document.key}", "short": "", "command": "", "says": "",
        "session": name, "id": clean(record.get("id"), LONGEST_ID) or None if kind == TASK else None, "page": None,
        "resume": [], "question": None, "quiet": None, "last_at": None,
    }  # fmt: skip
    if kind == MODE:
        given["phase"] = _phase(record.get("phase"))
    found = fitted(EntryShape, NOT_SAID | record | given)
    if found is None or (group == ENDED and now - (_seconds(found["since"]) or 0.0) > LATELY):
        return None
    asked = record.get("question")
    if isinstance(asked, dict) and is_id(asked.get("id")):
        found["question"] = {
            "id": asked["id"],
            "text": clean(asked.get("text"), 1_000) or "(its text cannot be read)",
            "options": [text for each in _list(asked.get("options"))[:MOST_OPTIONS] if (text := clean(each, 200))],
        }
        found["command"] = COMMANDS.answer(str(asked["id"]))
    heard = _seconds(heard_of.get((document.place.id, name or ""), document.at))
    found["last_at"] = moment(heard_of.get((document.place.id, name or ""), document.at)) if kind == MODE else None
    if group == RUNNING and (record.get("stalled") is True or record.get("quiet") == STALLED):
        found["quiet"] = STALLED
    if group == RUNNING and heard is not None and (quiet := quiet_since(heard, now)):
        found["quiet"] = quiet
        found["detail"] = f"{found['detail']}; no activity for {length(now - heard)}"
    found["says"] = f"{found['detail']}. {TO_ANSWER}: {found['command']}" if found["command"] else found["detail"]
    found["resume"] = _resume(found["client"], name)
    found["page"] = overviews.page_of(found, None)
    return SharedEntry(str(group), found)


def passage(document: SharedDocument) -> SharedPassage | None:
    """Return a passage of a mode; None if the document is none."""
    record = cleaned(_parsed(document.record))
    if not isinstance(record, dict) or not isinstance(number := record.get("n"), int):
        return None
    name, mode = session_of(record.get("session")), clean(record.get("mode"))
    if name is None or not mode:
        return None
    told: JsonObject = {
        "mode": mode, "n": number, "title": clean(record.get("title"), 200),
        "outcome": clean(record.get("outcome")) or None, "phase": clean(_phase(record.get("phase"))) or None,
        "started_at": moment(record.get("started_at")), "last_at": moment(record.get("last_at")),
        "reason": clean(record.get("reason"), 500),
        "verdict": record.get("verdict") if record.get("verdict") in VERDICTS else None,
        "early": record.get("early") is True,
    }  # fmt: skip
    return SharedPassage(name, told, clean(record.get("client")) or None, record.get("is_last") is not False)


def session_of(value: object) -> str | None:
    """Return the id of a session; None for what is no id."""
    if not isinstance(value, str) or not value:
        return None
    try:
        return check_session_id(value)
    except Refused:
        return None


def is_id(value: object) -> bool:
    """Tell whether a text is an id that can be typed as it is."""
    return isinstance(value, str) and is_name(value) and value[0] != "-"


def _resume(client: object, session: str | None) -> list[JsonObject]:
    """Return the command that resumes a session on its machine, where its client is known here."""
    name = next((key for key, title in TITLES.items() if title == client), None)
    if session is None or name is None or not RESUMES.get(name):
        return []
    return [{"client": TITLES[name], "command": RESUMES[name].format(quoted(session))}]


@lru_cache(KEPT)
def _parsed(text: str) -> JsonObject:
    """Return the object that a text of JSON is; an empty one for anything else. Nobody may change it."""
    try:
        found = jsontext.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _seconds(value: object) -> float | None:
    return seconds(value) if isinstance(value, str) else None
