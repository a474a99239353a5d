"""Define what the overview consists of: the entries, and the groups that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.terminal.ids import LONG_ID, telling_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.proof import ProofStatus

VERSION = 1
"""The version of an entry's JSON."""
MODE, RUN, TASK = "mode", "run", "task"
WAITING, RUNNING, ENDED, TASKS, CLOSED = "waiting", "running", "ended", "tasks", "closed"
ENDINGS = (".", "?", "!", "…", "。", "？", "！")
"""What a sentence may end with, behind which there is no full stop."""
LATELY = 86_400.0
"""Seconds for which something that has ended is shown."""


class AskedQuestion(NamedTuple):
    """A question that the person has not answered."""

    id: str
    text: str
    options: tuple[str, ...]


class LastStop(NamedTuple):
    """What became of the last Stop of a session: it was held, or let go. `at`: when that was."""

    was_held: bool
    at: str | None


class Entry(NamedTuple):
    """One thing in the overview: a mode of a session, a run that `rcs emit` reports, or a task."""

    kind: str
    """MODE, RUN or TASK."""
    name: str
    """The mode, the workflow or the task."""
    title: str
    """What the person asked for; where nobody recorded it, the name and the first letters of the id."""
    group: str
    """The group that the entry is in."""
    session: str | None = None
    """The session of a mode; None for a record that belongs to the workspace."""
    id: str = ""
    """The id of a run or a task. Of a mode: the question that no active mode asks, or the event that ended it."""
    client: str = ""
    """What people call the client of the session; empty if it is not known."""
    phase: str | None = None
    since: str | None = None
    """When it began to wait, to run, to be in its phase, or when it ended or was closed."""
    started_at: str | None = None
    """When a run, of a workflow or of a mode, began; None if nobody knows, or for a task."""
    last_at: str | None = None
    """When there was the last activity in it; None if nobody knows, or for a task."""
    detail: str = ""
    """What there is to say about it, without the command."""
    to: str = ""
    """What the command is for, as in `To answer`."""
    command: str = ""
    """The command to type; empty if there is none."""
    to_end: str = ""
    """The command that ends the run of a mode from any terminal; empty for everything else."""
    has_title: bool = True
    """Whether `title` is what the person asked for."""
    project: str = ""
    """The workspace."""
    iteration: int | None = None
    max_iterations: int | None = None
    outcome: str | None = None
    """How it ended; None if it has not."""
    is_early: bool = False
    """Whether it was said to be finished in a phase from which its machine does not end."""
    question: AskedQuestion | None = None
    is_answered: bool = False
    """Whether it was answered elsewhere than in its client, so that the next prompt brings the agent the answer."""
    stop: LastStop | None = None
    quiet: str = ""
    """`stalled` or `inactive`, the words of `workflow.silence`, for what has not ended; empty for everything else."""
    proof: ProofStatus | None = None
    """The stored verdict on the run of a mode, or on a task that has come to acceptance, and the proof that it rests
    on; None for everything else."""
    verdict: str = ""
    """The verdict on a task, or on a run that has finished and is more than a plan, so that people are told; empty
    otherwise."""
    resume: tuple[tuple[str, str], ...] = ()
    """The commands that resume a mode's session, each behind the title of its client."""
    is_unreadable: bool = False
    """Whether the entry only says that something cannot be read."""
    lost_question: str = ""
    """The id of the question that a mode asks, where that cannot be read; empty otherwise."""

    @property
    def says(self) -> str:
        """Return the entry's sentence for people, with the command to type."""
        stop = "" if self.detail.endswith(ENDINGS) else "."
        return f"{self.detail}{stop} {self.to}: {self.command}" if self.command else self.detail

    @property
    def shown_id(self) -> str:
        """Return the id that is shown with the entry: of its session or run; empty if there is none."""
        return (self.session or "") if self.kind == MODE else self.id if self.kind == RUN else ""

    @property
    def key(self) -> str:
        """Return what identifies the entry among those of all workspaces, and stays the same while it changes."""
        place = (self.session or "", self.name, self.id) if self.kind == MODE else (self.id,)
        return ":".join((self.kind, self.project, *filter(None, place)))

    def as_json(self) -> JsonObject:
        """Return the entry as JSON, with the keys that programs may rely on."""
        where: JsonObject = {"session": self.session} if self.kind == MODE else {"id": self.id}
        return {
            "v": VERSION,
            "kind": self.kind,
            "name": self.name,
            "title": self.title,
            **where,
            "client": self.client or None,
            "phase": self.phase,
            "since": self.since,
            "says": self.says,
            "proof": self.proof and self.proof.to_json(),
        }


class Overview(NamedTuple):
    """Everything in a workspace that a person may want to know of, each thing once, the newest first in each group.

    `waiting`: what waits for the person, and what cannot be read. `ended`: what has ended in the last day. `closed`:
    the sessions that their client has ended with a run or a question open.
    """

    waiting: tuple[Entry, ...] = ()
    running: tuple[Entry, ...] = ()
    ended: tuple[Entry, ...] = ()
    tasks: tuple[Entry, ...] = ()
    closed: tuple[Entry, ...] = ()
    off: str = ""
    """What switches the hooks off; empty if they are on."""

    @property
    def groups(self) -> Mapping[str, tuple[Entry, ...]]:
        """Return the entries by their group, the group that concerns the person most first."""
        return {
            WAITING: self.waiting,
            RUNNING: self.running,
            ENDED: self.ended,
            TASKS: self.tasks,
            CLOSED: self.closed,
        }

    def as_json(self) -> JsonObject:
        """Return the overview as JSON; `off` is there only while the hooks are off."""
        groups: JsonObject = {name: [entry.as_json() for entry in group] for name, group in self.groups.items()}
        return groups | ({"off": self.off} if self.off else {})


def length_for(entries: Iterable[Entry]) -> int:
    """Return how many letters of an id tell these entries apart."""
    return telling_length(id_ for entry in entries if len(id_ := entry.shown_id) >= LONG_ID)
