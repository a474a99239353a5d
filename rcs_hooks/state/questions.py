"""The records of questions: which are open, and what becomes of them when the person answers."""

from __future__ import annotations

import os

from rcs_hooks.errors import UnsafePath
from rcs_hooks.files import paths
from rcs_hooks.files.folders import refuse_link
from rcs_hooks.files.reading import QUESTIONS, Reader, Unreadable, check_available_unless_denied
from rcs_hooks.text import cut
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.replies import match_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.session import ActiveMode, Session
    from rcs_hooks.workflow.mode_record import ModeRecord

OPEN = ("pending", "prompting")
ASKED_IN_TURN = "asked_in_turn"
"""The turn in which a question was asked. None: the agent has asked, and no hook has noted its turn yet."""
MOST_READ = 200
ANSWER_LENGTH = 4_000


class Question(NamedTuple):
    """One question, and its path below the state folder."""

    path: str
    record: JsonObject

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".json")

    @property
    def text(self) -> str:
        return text_of(self.record)

    @property
    def is_in_root(self) -> bool:
        """Tell whether the question is in the root scope, not in a session."""
        return self.path.startswith(QUESTIONS)


def unreadable_questions(folder: str, session: str | None, wanted: Iterable[object]) -> list[Unreadable]:
    """Return the question files with a `wanted` id that exist and cannot be read."""
    reader = Reader(folder)
    ids = dict.fromkeys(name for name in wanted if paths.is_name(name))
    found = [reader.read(paths.question_file(str(name), session)) for name in ids]
    return [record for record in found if isinstance(record, Unreadable)]


def load(
    folder: str, session: str | None, wanted: Iterable[object] = (), reader: Reader | None = None
) -> list[Question]:
    """Return the readable questions of a scope, oldest first; of very many the latest, and those with a `wanted` id.

    `reader`: reads the folder, where the caller has listed that of the session.
    """
    if reader is None:
        reader = Reader(folder)
    elif not _may_be_in(reader, paths.session_folder(session).rstrip("/")):
        return []
    place, ids = _ids(reader, session)
    if len(ids) > MOST_READ:
        ids.sort(key=lambda name: _touched(f"{folder}/{place}/{name}.json"))
        asked_for = {name for name in wanted if isinstance(name, str)}
        ids = [*(name for name in ids[:-MOST_READ] if name in asked_for), *ids[-MOST_READ:]]
    return _read(reader, place, ids)


def load_for(view: Session, wanted: Iterable[object] = (), reader: Reader | None = None) -> list[Question]:
    """Return the questions that a session's prompt may answer: its own, and root's while a root record counts for it.

    `wanted`: ids that are included, however many questions there are. `reader`: the one that has read the session.
    """
    asked = load(view.folder, view.session, wanted, reader)
    if view.session and any(member.session is None for member in view.active_modes()):
        asked += load(view.folder, None, wanted)
    return asked


def _may_be_in(reader: Reader, place: str) -> bool:
    """Tell whether a folder may have questions in it."""
    return any(name.partition("/")[0].lower() == QUESTIONS for name in reader.names_in(place))


def of_member(questions: Iterable[Question], member: ActiveMode) -> list[Question]:
    """Return those of the questions that are open for an active mode, from the scope that its record is in.

    For a root record that names a session, the session's questions count as well.
    """
    record = member.record
    scopes = (False,) if member.session else (True,) if record.session_id is None else (True, False)
    return open_for((each for each in questions if each.is_in_root in scopes), member.mode, record)


def is_turn_unknown(question: Question) -> bool:
    """Tell whether the turn in which a question was asked is still to be noted; never so for one of another tool."""
    return ASKED_IN_TURN in question.record and question.record[ASKED_IN_TURN] is None


def with_turn(question: Question, turn: str | None) -> JsonObject:
    """Return the record of a question with the turn in which it was asked."""
    return question.record | {ASKED_IN_TURN: turn}


def of_unknown_turn(view: Session) -> list[Question]:
    """Return the questions that a session waits for and whose turn nobody has noted."""
    waiting = [member.record for member in view.active_modes() if member.record.has_question_pending]
    ids = dict.fromkeys(name for record in waiting if paths.is_name(name := record.question_id))
    reader = Reader(view.folder)
    found = [(path, reader.read(path)) for name in ids if (path := paths.question_file(str(name), view.session))]
    asked = [Question(path, record) for path, record in found if isinstance(record, dict)]
    return [each for each in asked if each.record.get("status") in OPEN and is_turn_unknown(each)]


def load_all(folder: str, session: str | None) -> list[Question]:
    """Return every readable question of a scope, oldest first."""
    reader = Reader(folder)
    return _read(reader, *_ids(reader, session))


def _ids(reader: Reader, session: str | None) -> tuple[str, list[str]]:
    """Return the folder that holds the questions of a scope, and their ids, with those that a commit will write."""
    place = paths.session_folder(session) + QUESTIONS
    try:
        refuse_link(reader.folder, place)
        names = os.listdir(f"{reader.folder}/{place}")
    except (FileNotFoundError, NotADirectoryError, UnsafePath):
        names = []
    there = dict.fromkeys((*names, *reader.pending_in(place)))
    return place, [name[:-5] for name in there if name.endswith(".json") and paths.is_name(name[:-5])]


def _read(reader: Reader, place: str, ids: Iterable[str]) -> list[Question]:
    found = []
    for name in ids:
        record = reader.read(f"{place}/{name}.json")
        check_available_unless_denied(record)  # without it the run would go on while its question stays open
        if record is not None and not isinstance(record, Unreadable):
            found.append(Question(f"{place}/{name}.json", record))
    return sorted(found, key=_order)


def _order(question: Question) -> tuple[str, str]:
    return str(question.record.get("created_at")), question.path


def _touched(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return float("inf")  # it is not there yet: a commit under way creates it


def text_of(record: JsonObject) -> str:
    """Return the words of a question, in any of the forms that tools write; empty if there are none."""
    direct = record.get("question")
    if isinstance(direct, str):
        return direct
    several = record.get("questions")
    for entry in several if isinstance(several, list) else [direct]:
        if isinstance(entry, str):
            return entry
        if isinstance(entry, dict) and isinstance(entry.get("question"), str):
            return str(entry["question"])
    return ""


def named_by(questions: Iterable[Question], record: ModeRecord) -> list[Question]:
    """Return those of the questions that a mode waits for according to its record."""
    return [question for question in questions if question.id == record.question_id]


def open_for(questions: Iterable[Question], mode: str, record: ModeRecord) -> list[Question]:
    """Return the open questions of a mode: the one that its record names, and those that name it as their source."""
    return [
        question
        for question in questions
        if is_open(question) and (question.id == record.question_id or question.record.get("source") == mode)
    ]


def options_of(record: JsonObject) -> tuple[str, ...]:
    options = record.get("options")
    return tuple(option for option in options if isinstance(option, str)) if isinstance(options, list) else ()


def option_in(question: Question, reply: str) -> str | None:
    """Return the option that a reply means; None if it means none."""
    return match_option(options_of(question.record), reply)


def answered(question: Question, text: str, *, source: str, now: str, reply: str | None = None) -> JsonObject:
    """Return the record of a question with its answer: an option if the reply means one, else the reply itself.

    `source`: where the answer was given; the model already knows an answer from "prompt". `reply`: the part of the text
    in which an option is looked for, if not all of it.
    """
    option = option_in(question, text if reply is None else reply)
    typed = {"answer_typed": cut(text, ANSWER_LENGTH)} if option not in (None, text) else {}
    return question.record | {
        "status": "answered",
        "answer": cut(text, ANSWER_LENGTH) if option is None else option,
        **typed,
        "answer_source": source,
        "answered_at": now,
        "updated_at": now,
        "delivered_at": now if source == "prompt" else None,
    }


def aborted(question: Question, *, now: str) -> JsonObject:
    """Return the record of a question that nobody waits for any more."""
    return question.record | {"status": "aborted", "updated_at": now}


def is_open(question: Question) -> bool:
    """Tell whether a question still waits for its answer."""
    return question.record.get("status") in OPEN


def is_settled(question: Question, records: Iterable[ModeRecord]) -> bool:
    """Tell whether nobody waits for the answer to a question, and nobody has to be told the answer.

    `records`: those of the modes that may wait for it.
    """
    return not is_open(question) and not awaiting_delivery([question], records)


def awaiting_delivery(questions: Iterable[Question], records: Iterable[ModeRecord]) -> list[Question]:
    """Return the questions that were answered elsewhere and of whose answer the model was not told yet.

    `records`: those of the modes that may wait. Other tools do not note what they told: their answers count while a
    mode still waits for one.
    """
    waited_for = [record.question_id for record in records if record.has_question_pending]
    return [
        question
        for question in questions
        if question.record.get("status") == "answered"
        and question.record.get("delivered_at", None if question.id in waited_for else "told") is None
    ]


def delivered(question: Question, *, now: str) -> JsonObject:
    """Return the record of a question whose answer the model was told."""
    return question.record | {"delivered_at": now, "updated_at": now}


def answer_of(question: Question) -> str:
    """Return the text of the answer, in either of the forms that tools write; empty if there is none."""
    answer = question.record.get("answer")
    if isinstance(answer, dict):
        answer = answer.get("value")
    return answer if isinstance(answer, str) else ""
