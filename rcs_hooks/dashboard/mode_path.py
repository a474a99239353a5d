"""The path of a mode's run through its machine, derived from its history: edges, visits, rounds and questions. Pure.

Rules of this file:
- A history may be cut short or written by others, so any event may be missing, and any text may be anything.
- An outcome's word is no phase, whoever wrote it in its place.
- A phase is left when another one is entered, or when the run ends; a question leaves no phase.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from rcs_hooks.overview import proofs
from rcs_hooks.overview.records import moment
from rcs_hooks.runs.path import MOST_VISITS, OUTSIDE, StepVisit
from rcs_hooks.runs.records import COMPLETED, FAILED, RUNNING, SKIPPED, WAITING
from rcs_hooks.state import history
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import FAILURES, FINISHED, spelled
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.proof import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.runs.path import Edges
    from rcs_hooks.state.history import Event

Record = dict[str, Any]

MOST_ROUNDS = 50
MOST_QUESTIONS = 50
MOST_PHASES = 40
"""How many phases of one round are told, and how many are shown that the machine does not know."""
LONGEST_NOTE = 200
NOTES = ("text", "reason", "evidence", "plan", "brief")
"""The data of an event that people read, the first that is there."""


def runs_in(events: Iterable[Event]) -> list[list[Event]]:
    """Return the events of each run of a mode, in their order. A run that was taken up again is the same run."""
    runs: list[list[Event]] = []
    for event in events:
        if event.event == history.STARTED or not runs:
            runs.append([])
        runs[-1].append(event)
    return runs


def run_of(runs: Sequence[Sequence[Event]], upto: int | None) -> int:
    """Return which of the runs has the event of this number; the last one for None, or for a number before all."""
    last = len(runs) - 1
    return last if upto is None else max((number for number, run in enumerate(runs) if run[0].n <= upto), default=last)


def how_ended(word: str) -> str:
    """Return the status of a run that has ended, given the word for its outcome."""
    if word == FINISHED:
        return COMPLETED
    return FAILED if word in FAILURES else SKIPPED


class ModePath:
    """The path that one run took, from the events of that run, the oldest first."""

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.edges: Edges = []
        self.visits: deque[StepVisit] = deque(maxlen=MOST_VISITS)
        self.rounds: deque[Record] = deque(maxlen=MOST_ROUNDS)
        self.questions: deque[Record] = deque(maxlen=MOST_QUESTIONS)
        """The last questions, each with `id`, `question`, `asked_at` and `answered_at`."""
        self.current: str | None = None
        self.iteration: int | None = None
        self.title = ""
        self.status = RUNNING
        self.outcome: str | None = None
        self.target: str | None = None
        """The mode that the run was handed over to."""
        self.reason = self.evidence = ""
        self.is_early = False
        self.started_at: str | None = None
        self.last_at: str | None = None
        for event in events:
            self._add(event)

    def _add(self, event: Event) -> None:
        at = moment(event.at) or self.last_at
        self.started_at = self.started_at or at
        self.last_at = at
        self.title = clean(event.title, TITLE_LENGTH) or self.title
        if event.event in (history.STARTED, history.RESUMED):
            self.status, self.outcome, self.target, self.is_early = RUNNING, None, None, False
            self._enter(OUTSIDE, event, at)
        elif event.event == history.PHASE:
            self._enter(clean(event.from_) or self.current or OUTSIDE, event, at)
        elif event.event in (history.QUESTION, history.ANSWER):
            self._ask(event, at)
        elif event.event in (history.OUTCOME, history.HANDOFF):
            self._end(event, at)

    def _enter(self, source: str, event: Event, at: str | None) -> None:
        phase = clean(event.to)
        if not phase or spelled(phase):
            return
        if phase != self.current or event.event != history.PHASE:
            self._leave(COMPLETED, at)
            self.edges.append((source, phase))
            self.current = phase
            if at:
                self.visits.append(StepVisit(phase, at))
        if self.rounds and self.iteration == 0 and event.iteration == 1:
            # A count that begins with 0 becomes 1 with the first step, which begins no other round.
            self.iteration = self.rounds[-1]["iteration"] = 1
        if not self.rounds or event.iteration != self.iteration:
            if self.rounds:
                self.rounds[-1]["ended_at"] = at
            self.iteration = event.iteration
            self.rounds.append({"iteration": event.iteration, "started_at": at, "ended_at": None, "phases": []})
        phases = self.rounds[-1]["phases"]
        if len(phases) < MOST_PHASES and (not phases or phases[-1] != phase):
            phases.append(phase)

    def _leave(self, status: str, at: str | None) -> None:
        if self.visits and self.visits[-1].ended_at is None:
            self.visits[-1].status, self.visits[-1].ended_at = status, at

    def close(self, at: str | None) -> None:
        """End what nothing has ended: its run is silent or closed, or is over without a word of it in its history."""
        if self.visits and self.visits[-1].ended_at is None:
            self.visits[-1].ended_at = at
        if self.rounds and self.rounds[-1]["ended_at"] is None:
            self.rounds[-1]["ended_at"] = at

    def _ask(self, event: Event, at: str | None) -> None:
        if event.event == history.QUESTION:
            self.status = WAITING
            words = clean(event.data.get("text"), LONGEST_NOTE) or None
            found = {"id": event.data.get("id"), "question": words, "asked_at": at, "answered_at": None}
            self.questions.append(found)
        else:
            self.status = RUNNING
            if self.questions and self.questions[-1]["answered_at"] is None:
                self.questions[-1]["answered_at"] = at

    def _end(self, event: Event, at: str | None) -> None:
        is_handoff = event.event == history.HANDOFF
        self.outcome = FINISHED if is_handoff else clean(event.to)
        self.target = clean(event.to) if is_handoff else None
        self.status = how_ended(self.outcome)
        self.reason = clean(event.data.get("reason"), LONGEST_NOTE)
        self.evidence = clean(event.data.get("evidence"), LONGEST_NOTE)
        self.is_early = event.data.get("early") is True
        self._leave(self.status, at)
        if self.rounds:
            self.rounds[-1]["ended_at"] = at
        if self.current and self.status == COMPLETED:
            self.edges.append((self.current, OUTSIDE))


def event_as_json(event: Event) -> Record:
    """Return an event of a history as JSON, with the one of its texts that people read."""
    note = next((text for name in NOTES if (text := clean(event.data.get(name), LONGEST_NOTE))), None)
    is_proof, verdict = event.event == history.PROOF, event.data.get("proof")
    return {
        "n": event.n,
        "at": moment(event.at),
        "event": event.event,
        "before": clean(event.from_) or None,
        "after": clean(event.to) or None,
        "iteration": event.iteration,
        "passed": event.data.get("passed") is True if is_proof else None,
        "verdict": verdict if event.event == history.OUTCOME and verdict in VERDICTS else None,
        "note": (proofs.newest(proofs.newest_in(event)) or None) if is_proof else note,
        "early": event.data.get("early") is True,
    }
