"""Questions that a mode waits on: which are open, and what happens when the person speaks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.state import paths
from rcs_hooks.state.files import Unreadable, read
from rcs_hooks.workflow.text import cut

if TYPE_CHECKING:
    from collections.abc import Mapping

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


def load(folder: str, session: str | None) -> list[Question]:
    """The readable question records of a scope, oldest first."""
    place = paths.session_folder(session) + "questions"
    try:
        names = sorted(name for name in os.listdir(f"{folder}/{place}") if name.endswith(".json"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for name in names[-MOST_READ:]:
        record = read(folder, f"{place}/{name}") if paths.is_name(name.removesuffix(".json")) else None
        if record is not None and not isinstance(record, Unreadable):
            found.append(Question(f"{place}/{name}", record))
    return sorted(found, key=lambda question: str(question.record.get("created_at")))


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


def open_for(questions: list[Question], mode: str, record: Mapping[str, Any]) -> list[Question]:
    """The open questions of a mode: the one its file names, and those that name it as their source."""
    enforcement = record.get("question_enforcement")
    named = enforcement.get("question_id") if isinstance(enforcement, dict) else None
    return [
        question
        for question in questions
        if question.record.get("status") in OPEN and (question.id == named or question.record.get("source") == mode)
    ]


def answered(question: Question, text: str, *, source: str, now: str) -> Record:
    """`source`: where the answer was given; one that the prompt itself gives is known to the model already."""
    return question.record | {
        "status": "answered",
        "answer": cut(text, ANSWER_LENGTH),
        "answer_source": source,
        "answered_at": now,
        "updated_at": now,
        "delivered_at": now if source == "prompt" else None,
    }


def aborted(question: Question, *, now: str) -> Record:
    return question.record | {"status": "aborted", "updated_at": now}


def undelivered(questions: list[Question]) -> list[Question]:
    """Answered elsewhere, and not yet told to the model."""
    return [
        question
        for question in questions
        if question.record.get("status") == "answered"
        and "delivered_at" in question.record
        and question.record["delivered_at"] is None
    ]


def delivered(question: Question, *, now: str) -> Record:
    return question.record | {"delivered_at": now, "updated_at": now}


def answer_of(question: Question) -> str:
    answer = question.record.get("answer")
    if isinstance(answer, dict):
        answer = answer.get("value")
    return answer if isinstance(answer, str) else ""
