"""What a dashboard's data comes from: the one interface that the answers, the follower and the actions know.

`DashboardData` reads the stores of this machine. Another implementation may show what other machines have sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rcs_hooks.dashboard.actions import Answer, Clear
    from rcs_hooks.dashboard.everything import EntryQuery
    from rcs_hooks.dashboard.store_thread import StoreThread
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]


class DashboardSource(Protocol):
    """The data of one dashboard. Each method raises RcsError if it cannot be read."""

    @property
    def store(self) -> StoreThread:
        """Return the thread that reads the runs."""

    @property
    def now_ms(self) -> int:
        """Return the present moment, in milliseconds since 1970."""

    def forget_runs(self) -> None:
        """Drop everything cached about runs, because some were deleted."""

    async def close(self) -> None:
        """Release every connection and thread."""

    # --- answers: `project` is that of the address, and None means all

    def filters(self, store: RunStore | None) -> Record:
        """Return the projects and workflows that a list of runs can be filtered by, as JSON."""

    def show_run(self, store: RunStore | None, run_id: str, *, after: int | None, limit: int) -> Record:
        """Return a run as JSON, without `seq`. Raises NotFound."""

    async def session_of_run(self, run: Record) -> Record:
        """Return the page of the session that reported a run, given as JSON, and its mode, as JSON."""

    async def artifact(self, run_id: str, path: str) -> Record:
        """Return the text of an artifact as JSON. Raises Refused."""

    async def artifact_file(self, run_id: str, path: str) -> tuple[bytes, str]:
        """Return an artifact as it is, and the type of its content. Raises Refused."""

    async def overview(self, project: str | None) -> Record:
        """Return the one list of everything that goes on, as JSON."""

    async def everything(self, wanted: EntryQuery, limit: int) -> Record:
        """Return the first entries of everything that there is, as JSON."""

    async def sessions(self, project: str | None, session: str | None, *, limit: int, only: str | None) -> Record:
        """Return the sessions as JSON; `session` and `only` are as in `sessions.list_sessions`."""

    async def mode(self, mode: str, project: str | None, session: str | None, run: int | None) -> Record:
        """Return a run of a mode as JSON. Raises NotFound."""

    async def tasks(self, project: str | None) -> Record:
        """Return the tasks as JSON."""

    async def attention(self) -> Record:
        """Return what needs a person, as JSON."""

    async def machines(self) -> Record:
        """Return the machines as JSON; no page asks for that of this machine alone."""

    # --- acting; each method raises Refused where that is not possible from here

    async def answer(self, question: str, body: Answer) -> Record:
        """Answer a question, and return the result as JSON."""

    async def end(self, run_id: str, status: str) -> Record:
        """End a run, and return the result as JSON."""

    async def clear(self, body: Clear) -> Record:
        """Clear a mode of a session, and return the result as JSON."""

    # --- following

    @property
    def problem(self) -> str:
        """Return why the data cannot be followed now; empty if it can."""

    def undeleted(self, store: RunStore | None) -> frozenset[int]:
        """Return a set that loses a member whenever runs are deleted."""

    async def versions(self, *, is_fresh: bool = False) -> dict[str, int]:
        """Return a number for each project that changes with its state.

        `is_fresh`: also the list of the projects is read again.
        """

    async def next_events(self) -> None:
        """Wait until it is time to look for new events."""

    async def next_state(self) -> None:
        """Wait until it is time to look for new state."""
