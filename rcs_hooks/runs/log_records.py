"""The records of a run as they are read in the order of their events: each names the run by its number."""

from typing import NamedTuple, Protocol


class LoggedRun(NamedTuple):
    """One run as the database has it now."""

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
    last_event: int
    ended: str | None
    session: str | None
    client: str | None
    open_steps: str | None
    reason: str | None
    """The data of the event that said why the run waits or has failed; None if it does neither."""


class LoggedRunEvent(NamedTuple):
    """One event. `position` is its number in the database, which no other event of that database ever has."""

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


class LoggedStep(NamedTuple):
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


class LoggedArtifact(NamedTuple):
    """One file that a run has registered."""

    run: int
    path: str
    type: str | None
    feature: str | None
    step: str | None
    subflow: bool
    at: str
    seq: int


class LogPart(NamedTuple):
    """Some events of a project, in order, and what they have changed. `upto`: the number up to which was looked."""

    upto: int
    events: tuple[LoggedRunEvent, ...] = ()
    runs: tuple[LoggedRun, ...] = ()
    steps: tuple[LoggedStep, ...] = ()
    artifacts: tuple[LoggedArtifact, ...] = ()


class RunLog(Protocol):
    """One open store, to read its events in order. Each method raises StoreError if the store cannot be read."""

    path: str

    def close(self) -> None:
        """Release the connection."""

    def change_token(self) -> int:
        """Return a number that changes whenever somebody has written."""

    def is_replaced(self) -> bool:
        """Tell whether the path no longer leads to the open file."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what identifies the store: its random id, if it has one, then what was used before it had one."""

    def end(self) -> int:
        """Return the number of the newest event that the store ever had."""

    def at(self, position: int) -> str | None:
        """Return the moment of an event; None if there is no such event."""

    def unread(self, project: str, after: int, most: int) -> tuple[int, str | None]:
        """Return how many events of a project have a number above `after`, at most `most`, and when the first was."""

    def part(self, project: str, after: int, most: int, most_bytes: int) -> LogPart:
        """Return the next events of a project whose number is above `after`, at most `most`, and of bounded size.

        A part without events has an `upto` that lies above `after` as long as there is more to look at.
        """
