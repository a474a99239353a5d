"""Questions that a mode waits on: which are open, and what happens when the person speaks."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.errors import UnsafePath
from rcs_hooks.state import paths
from rcs_hooks.state.files import QUESTIONS, Reader, Unreadable, check_inside, check_passing
from rcs_hooks.workflow.lifecycle import question_pending
from rcs_hooks.workflow.replies import option_meant
from rcs_hooks.workflow.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Record = dict[str, Any]

OPEN = ("pending", "prompting")
MOST_READ = 200
ANSWER_LENGTH = 4_000


class Question(NamedTuple):
    path: str
    record: Record

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2].removesuffix(".json")

    @property
    def text(self) -> str:
        return text_of(self.record)


def unreadable(folder: str, session: str | None, wanted: Iterable[object]) -> list[Unreadable]:
    """The records among the `wanted` ids that are there and cannot be read."""
    reader = Reader(folder)
    ids = dict.fromkeys(name for name in wanted if paths.is_name(name))
    found = [reader.read(paths.question_file(str(name), session)) for name in ids]
    return [record for record in found if isinstance(record, Unreadable)]


def load(folder: str, session: str | None, wanted: Iterable[object] = ()) -> list[Question]:
    """The readable question records of a scope, oldest first; of very many the latest, and the `wanted` ids.

    Without those that were closed long ago and folded away: they have nothing to say any more.
    """
    reader = Reader(folder)
    place, ids = _ids(reader, session)
    if len(ids) > MOST_READ:
        ids.sort(key=lambda name: _touched(f"{folder}/{place}/{name}.json"))
        kept = {name for name in wanted if isinstance(name, str)}
        ids = [*(name for name in ids[:-MOST_READ] if name in kept), *ids[-MOST_READ:]]
    return _read(reader, place, ids)


def load_all(folder: str, session: str | None) -> list[Question]:
    """Every readable question record of a scope, oldest first, those too that were folded away."""
    reader = Reader(folder)
    found = _read(reader, *_ids(reader, session))
    there = {question.id for question in found}
    folded = _read(reader, *_ids(reader, session, paths.FOLDED))
    return sorted((*(question for question in folded if question.id not in there), *found), key=_order)


def _ids(reader: Reader, session: str | None, *below: str) -> tuple[str, list[str]]:
    """The folder with the questions of a scope, and the ids of those in it."""
    place = "/".join((paths.session_folder(session) + QUESTIONS, *below))
    place = paths.folded(reader.folder, place) or place
    try:
        check_inside(reader.folder, place)
        names = os.listdir(f"{reader.folder}/{place}")
    except (FileNotFoundError, NotADirectoryError, UnsafePath):
        names = []
    there = dict.fromkeys((*names, *reader.pending_in(place)))
    return place, [name[:-5] for name in there if name.endswith(".json") and paths.is_name(name[:-5])]


def _read(reader: Reader, place: str, ids: Iterable[str]) -> list[Question]:
    found = []
    for name in ids:
        record = reader.read(f"{place}/{name}.json")
        check_passing(record)  # else the run would go on, and its question stay open
        if record is not None and not isinstance(record, Unreadable):
            found.append(Question(f"{place}/{name}.json", record))
    return sorted(found, key=_order)


def _order(question: Question) -> tuple[str, str]:
    return str(question.record.get("created_at")), question.path


def _touched(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return math.inf  # not there yet: a commit is about to make it


def text_of(record: Mapping[str, Any]) -> str:
    """The words of a question, in either of the forms that are written."""
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


def named_in(record: Mapping[str, Any]) -> object:
    """The id of the question that a mode file says it waits for."""
    enforcement = record.get("question_enforcement")
    return enforcement.get("question_id") if isinstance(enforcement, dict) else None


def named_by(questions: Iterable[Question], record: Mapping[str, Any]) -> list[Question]:
    return [question for question in questions if question.id == named_in(record)]


def open_for(questions: Iterable[Question], mode: str, record: Mapping[str, Any]) -> list[Question]:
    """The open questions of a mode: the one its file names, and those that name it as their source."""
    return [
        question
        for question in questions
        if question.record.get("status") in OPEN
        and (question.id == named_in(record) or question.record.get("source") == mode)
    ]


def options_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    options = record.get("options")
    return tuple(option for option in options if isinstance(option, str)) if isinstance(options, list) else ()


def answered(question: Question, text: str, *, source: str, now: str, words: str | None = None) -> Record:
    """Records the answer, as the option that it means if it means one.

    `source`: where the answer was given; one that the prompt itself gives is known to the model already.
    `words`: what of the text is looked for among the options, where that is not all of it.
    """
    option = option_meant(options_of(question.record), text if words is None else words)
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


def aborted(question: Question, *, now: str) -> Record:
    return question.record | {"status": "aborted", "updated_at": now}


def undelivered(questions: Iterable[Question], records: Iterable[Mapping[str, Any]]) -> list[Question]:
    """Answered elsewhere, and not yet told to the model. Other tools keep no note of that: theirs count while one of
    the mode files still waits for them."""
    waited_for = [named_in(record) for record in records if question_pending(record)]
    return [
        question
        for question in questions
        if question.record.get("status") == "answered"
        and question.record.get("delivered_at", None if question.id in waited_for else "told") is None
    ]


def delivered(question: Question, *, now: str) -> Record:
    return question.record | {"delivered_at": now, "updated_at": now}


def answer_of(question: Question) -> str:
    answer = question.record.get("answer")
    if isinstance(answer, dict):
        answer = answer.get("value")
    return answer if isinstance(answer, str) else ""
