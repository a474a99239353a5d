"""The answers of the operations on state, as JSON objects; the keys are the same on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject


class WriteResult(TypedDict):
    success: bool
    mode: str
    path: str
    phase: str
    iteration: int | None
    next: str
    """What the phase asks of the agent; empty if the mode does not run."""
    can_finish: bool
    early: NotRequired[bool]
    proof: NotRequired[JsonObject]
    """The stored verdict, and the proof that it rests on, as `ProofStatus.to_json` writes them; missing without any."""
    transition: NotRequired[str]
    warnings: NotRequired[list[str]]
    says: NotRequired[str]
    """The whole answer in words."""
    modes: NotRequired[list[WriteResult]]
    """The answer for each mode, if the write named several."""


class ClearResult(TypedDict):
    cleared: bool
    mode: str
    path: NotRequired[str]
    all_sessions: NotRequired[bool]
    removed: NotRequired[int]
    paths: NotRequired[list[str]]


class UnreadableState(TypedDict):
    """A state file that cannot be read, so that nobody knows whether its mode is active."""

    path: str
    why: str
    clear: str
    """The command that clears it."""


class ActiveResult(TypedDict):
    active_modes: list[str]
    title: NotRequired[str]
    """What the person asked for; missing if no active mode has a title."""
    session: NotRequired[str]
    sessions: NotRequired[dict[str, list[str]]]
    titles: NotRequired[dict[str, str]]
    """The titles of those of the `sessions` that have one."""
    closed: NotRequired[list[str]]
    unreadable: NotRequired[list[UnreadableState]]


class ModeStatus(TypedDict):
    active: bool
    phase: object
    outcome: str | None
    title: str
    """What the person asked for; empty if nobody recorded it."""
    iteration: int | None
    next: str
    """What the phase asks of the agent; empty if the mode does not run."""
    can_finish: bool
    proof: JsonObject
    """The stored verdict, and the proof that it rests on, as `ProofStatus.to_json` writes them."""
    verdict_says: str
    """The verdict in words; empty where none is due, as for a planning mode or a run that goes on."""
    path: str
    data: JsonObject


class StatusResult(TypedDict):
    statuses: dict[str, ModeStatus]
    closed: NotRequired[bool]
    unreadable: NotRequired[list[UnreadableState]]
    off: NotRequired[str]


class AskResult(TypedDict):
    success: bool
    question_id: str
    mode: str
    also_waiting: list[str]
    path: str
    say: str


class AnswerResult(TypedDict):
    success: bool
    question_id: str
    session_id: str | None
    goes_on: list[str]
    says: str


class ListedQuestion(TypedDict):
    question_id: str
    session_id: str | None
    title: str
    """What the person asked for in that session; empty if nobody recorded it."""
    mode: object
    status: object
    question: str
    options: object
    created_at: object
    answer: str | None


class QuestionList(TypedDict):
    questions: list[ListedQuestion]


class PrunedQuestion(TypedDict):
    question_id: str
    session_id: str | None
    mode: object
    status: object
    path: str


class PruneResult(TypedDict):
    success: bool
    dry_run: bool
    removed: int
    questions: list[PrunedQuestion]
    outputs: int
    """How many outputs of proofs were removed, as no record names them."""
    sessions: list[str]
    """The sessions that were removed whole, as they were old."""
