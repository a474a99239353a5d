"""The rows that leave a machine, with the columns of the tables that they go into.

They are written out here and not taken from the records of the local database: a column that is added there leaves only
once it is added here, too.
"""

from __future__ import annotations

from typing import NamedTuple


class RunRow(NamedTuple):
    """One run. `last_event`: the position of its last event in the database."""

    id: int
    run_id: str
    workflow: str
    feature: str | None
    file: str | None
    status: str
    current: str | None
    events: int
    artifacts: int
    started_at: str
    last_at: str
    last_ms: int
    ended: str | None
    reason: str | None
    session: str | None
    client: str | None
    open_steps: str | None
    local_last_event: int


class RunEventRow(NamedTuple):
    """One event of a run."""

    position: int
    run: int
    seq: int
    at: str
    type: str
    step: str | None
    unit: str | None
    status: str | None
    data: str
    automatic: bool


class StepRow(NamedTuple):
    """One step of a run, or one unit or agent in a step."""

    run: int
    step: str
    unit: str
    agent: str
    parent: str
    status: str
    entered: int
    last: int
    visits: int
    started_at: str | None
    ended_at: str | None
    open_ms: int | None
    spent_ms: int


class ArtifactRow(NamedTuple):
    """One file that a run has registered."""

    run: int
    path: str
    type: str | None
    feature: str | None
    step: str | None
    subflow: bool
    at: str
    seq: int


class ModeEventRow(NamedTuple):
    """One event in the history of a session."""

    position: int
    at: str | None
    mode: str
    event: str
    before: str
    after: str
    iteration: int | None
    title: str
    data: str


class TaskMoveRow(NamedTuple):
    """One line in the transcript of a task."""

    position: int
    at: str | None
    kind: str
    before: str
    after: str
    data: str
