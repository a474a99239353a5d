"""The shapes that documents of other machines must have: a session, a task and an entry of the one list.

They are the JSON of the dashboard of this machine; what its values mean is said where they are made.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Verdict = Literal["proven", "stale", "unproven"]


class Shape(BaseModel):
    """A JSON object with these keys and no others."""

    model_config = ConfigDict(extra="forbid")


class ModeShape(Shape):
    mode: str
    title: str | None
    active: bool
    waiting: bool
    phase: str | None
    outcome: str | None
    early: bool
    verdict: Verdict | None
    iteration: int | None
    max_iterations: int | None
    reason: str | None
    started_at: str | None
    updated_at: str | None
    completed_at: str | None
    session: str | None


class QuestionShape(Shape):
    question_id: str
    mode: str | None
    question: str
    options: list[str]
    created_at: str | None


class BlocksShape(Shape):
    in_a_row: int
    of_prompt: int
    limit: int


class BrokenShape(Shape):
    path: str
    why: str
    clear_as: str


class ResumeShape(Shape):
    client: str
    command: str


class SessionShape(Shape):
    root: str
    session: str | None
    client: str | None
    resume: list[ResumeShape]
    status: str
    early: bool
    quiet_because: str | None
    quiet_since: str | None
    deferred: list[str]
    deferred_source: str | None
    modes: list[ModeShape]
    questions: list[QuestionShape]
    blocks: BlocksShape
    unreadable: list[BrokenShape]
    updated_at: str | None
    runs: int


class GateShape(Shape):
    to: str
    label: str | None
    open: bool
    reasons: list[str]
    suggested: bool


class TaskDecisionShape(Shape):
    decision: str
    by: str
    at: str | None
    reasons: list[str]


class TaskProofShape(Shape):
    verdict: Verdict
    says: str


class TaskShape(Shape):
    task_id: str
    root: str
    phase: str | None
    round: int | None
    done: bool
    created_at: str | None
    updated_at: str | None
    why: list[str]
    proof: TaskProofShape | None
    decision: TaskDecisionShape | None
    gates: list[GateShape]
    problem: str | None


class AskedShape(Shape):
    id: str
    text: str
    options: list[str]


class LastStopShape(Shape):
    held: bool
    at: str | None


class ProofShape(Shape):
    state: Verdict
    command: str
    exit: int | None
    at: str


class EntryShape(Shape):
    v: int
    kind: Literal["mode", "run", "task"]
    name: str
    title: str
    session: str | None
    id: str | None
    client: str | None
    phase: str | None
    since: str | None
    started_at: str | None
    last_at: str | None
    says: str
    key: str
    project: str
    detail: str
    command: str
    has_title: bool
    short: str
    iteration: int | None
    max_iterations: int | None
    outcome: str | None
    early: bool
    proof: ProofShape | None
    verdict: Verdict | None
    proof_says: str | None
    event: int | None
    question: AskedShape | None
    quiet: Literal["stalled", "inactive"] | None
    resume: list[ResumeShape]
    stop: LastStopShape | None
    page: str | None
