"""A run of a mode in a session as its page shows it: its record, its history, and its machine with the path taken."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import mode_path, mode_proof, mode_timeline, sessions
from rcs_hooks.dashboard.mode_path import ModePath
from rcs_hooks.dashboard.mode_timeline import CLOSED, UNKNOWN
from rcs_hooks.dashboard.runs import NotFound
from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, workspaces
from rcs_hooks.files.clock import seconds
from rcs_hooks.files.tracked import has_tracked_session
from rcs_hooks.overview import resuming
from rcs_hooks.overview.records import moment, title_of
from rcs_hooks.runs.path import OUTSIDE
from rcs_hooks.runs.records import COMPLETED, OPEN, WAITING
from rcs_hooks.state import history, questions, session_notes, silence
from rcs_hooks.state import session as state_sessions
from rcs_hooks.state.session import ActiveMode
from rcs_hooks.state.unread_answers import waits_for_prompt
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import is_active, last_phase, outcome_of
from rcs_hooks.workflow.messages.steps import NO_REVIEW, why_early
from rcs_hooks.workflow.silence import INACTIVE, QUIET, STALLED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.history import Event
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.mode_record import ModeRecord

Record = dict[str, Any]

MOST_READ = 6_000
"""How many events of a mode are read."""
MOST_SHOWN = 200
"""How many of the events of a run are shown, the last ones."""
MOST_RUNS = 20
LONGEST_TEXT = 500
GOES_ON = (*OPEN, STALLED)
"""The statuses with which the time of a run counts on."""
HAS_NOT_ENDED = (*GOES_ON, INACTIVE, CLOSED)


def show(root: str, session: str | None, mode: str, now: float, upto: int | None = None) -> Record:
    """Return the last run of a mode in a session as JSON, or the run that the event numbered `upto` belongs to.

    `session`: None for the record of the workspace itself, which has no history. Raises NotFound.
    """
    name = clean(mode)
    if session and has_tracked_session(root, session):
        raise NotFound(f"session {clean(session)} came with the repository, so it counts for nothing")
    try:
        folder = workspaces.state_folder(root)
        view = state_sessions.load(folder, session, now)
    except (RcsError, OSError) as error:
        raise NotFound(f"the state of {clean(session) or 'this workspace'} cannot be read: {error}") from None
    record = (view.own if session else view.root).get(mode)
    runs = mode_path.runs_in(history.read(folder, session, MOST_READ, mode=mode) if session else [])
    broken = [each for each in view.unreadable if each.path == paths.mode_file(mode, session)]
    if record is None and not runs and not broken:
        raise NotFound(f"there is no run of {name} in {f'session {session}' if session else 'this workspace'}")
    at = mode_path.run_of(runs, upto)
    is_last = at == len(runs) - 1
    kept = record if record is not None and not record.is_tombstone else None
    last = _ModeRun(root, view, name, kept, runs[-1] if runs else [], is_last=True)
    shown = last if is_last else _ModeRun(root, view, name, None, runs[at], is_last=False)
    problem = f"{paths.STATE}/{broken[0].path} cannot be read ({clean(broken[0].why, 200)})" if broken else None
    return shown.as_json() | {
        "runs": run_lines(runs, last.status, last.outcome),
        "run": runs[at][0].n if runs else None,
        "problem": problem or (_history_problem(folder, session) if session and not runs else None),
    }  # fmt: skip


def _history_problem(folder: str, session: str) -> str | None:
    why = history.fault(folder, session)
    return f"the history of this session cannot be read: {clean(why, 200)}" if why else None


def run_lines(runs: Sequence[Sequence[Event]], status: str, outcome: str | None) -> list[Record]:
    """Return the last runs that the session has had, the newest first, which has `status` and `outcome`."""
    found = [_line(run) for run in runs[: -MOST_RUNS - 1 : -1]]
    if found:
        found[0] |= {"status": status, "outcome": outcome}
    return found


def _line(run: Sequence[Event]) -> Record:
    path = ModePath(run)
    return {
        "n": run[0].n,
        "title": path.title or None,
        "started_at": path.started_at,
        "status": path.status if path.outcome else UNKNOWN,
        "outcome": path.outcome,
        "early": path.is_early,
    }


def early_because(definition: ModeDef | None, phase: str | None) -> str:
    """Return why a run that has finished counts as early. `phase`: its last one; None if nobody knows it."""
    why = why_early(definition, phase) if phase else "its last phase is not known"
    return why if why == NO_REVIEW or not phase else f"{why}, which is not a final phase"


class _ModeRun:
    """One run of a mode. `record` is None where only the history tells of it."""

    def __init__(
        self, root: str, view: Session, mode: str, record: ModeRecord | None, events: Sequence[Event], *, is_last: bool
    ) -> None:
        self.root = root
        self.view = view
        self.mode = mode
        self.record = record
        self.events = events
        self.is_last = is_last
        self.definition = view.modes.get(mode)
        self.path = ModePath(events)
        self.phase = (clean(last_phase(record)) if record else "") or self.path.current
        self.status, self.outcome = self._status()
        if record and not events:
            self._path_of_record(record)
        if self.path.visits and self.path.visits[-1].ended_at is None and self.status == WAITING:
            self.path.visits[-1].status = WAITING

    def _status(self) -> tuple[str, str | None]:
        """Return what the run is doing, and the word for its outcome, which is None while it goes on."""
        if self.record is None:
            # It has a history alone: its record was taken out, or replaced by that of a later run.
            return (self.path.status, self.path.outcome) if self.path.outcome else (UNKNOWN, None)
        outcome = outcome_of(self.record)
        if not is_active(self.record):
            return mode_path.how_ended(outcome.public or ""), outcome.public
        if outcome.waits:
            return WAITING, None
        session = self.view.session
        notes = session_notes.load(self.view.folder, session) if session else {}
        if session_notes.is_closed(notes):
            return CLOSED, None
        if waits_for_prompt(self.view, ActiveMode(self.mode, self.record, session), notes):
            return WAITING, None
        return silence.status_of(self.view, notes), None

    def _path_of_record(self, record: ModeRecord) -> None:
        """Take the path from the phases that the record names, where there is no history."""
        phases = [clean(each) for each in record.visited[: mode_path.MOST_PHASES]]
        if self.phase and (not phases or phases[-1] != self.phase):
            phases.append(self.phase)
        self.path.edges = list(zip([OUTSIDE, *phases], phases, strict=False))
        if phases and self.status == COMPLETED:
            self.path.edges.append((phases[-1], OUTSIDE))

    def as_json(self) -> Record:
        record, path = self.record, self.path
        notes = session_notes.load(self.view.folder, self.view.session) if self.view.session else {}
        is_early = record.is_early if record else path.is_early
        recorded = record.title if record and record.title else path.title
        title, has_title = title_of(self.mode, self.view.session, recorded)
        started = (moment(record.started_at) if record else None) or path.started_at
        started = path.started_at if path.started_at and (not started or path.started_at < started) else started
        last = max(filter(None, (moment(record.updated_at) if record else None, path.last_at)), default=None)
        until = self.view.now if self.status in GOES_ON else seconds(last)
        lasted = max(0.0, until - (seconds(started) or until)) if until is not None and started else None
        if self.status not in GOES_ON:
            path.close(last)
        return {
            "mode": self.mode,
            "project": self.root,
            "session": self.view.session,
            "title": title,
            "has_title": has_title,
            "status": self.status,
            "outcome": self.outcome,
            "early": is_early,
            "early_because": early_because(self.definition, self.phase) if is_early else None,
            "handed_over_to": path.target,
            "phase": self.phase,
            "asks": self._asks(),
            "iteration": sessions.number(record.iteration) if record else sessions.number(path.iteration),
            "max_iterations": sessions.number(record.max_iterations) if record else None,
            "reason": self._text("reason", path.reason) or self._text("error"),
            "evidence": self._text("evidence", path.evidence),
            "proof": (
                mode_proof.of_record(self.view, self.definition, record)
                if record
                else mode_proof.of_history(self.definition, self.events)
            ),
            "plan": self._text("plan"),
            "brief": self._text("brief"),
            "started_at": started,
            "last_at": last,
            "seconds": None if lasted is None else round(lasted, 3),
            "kind": self._kind(),
            "client": session_notes.title_of_client(notes) or None,
            "resume": resuming.as_json(resuming.commands(self.root, self.view.session, notes)),
            "quiet_because": silence.why_quiet(self.view, notes) or None if self.status in QUIET else None,
            "source": self.definition.source if self.definition else "",
            "file": self._file(),
            "is_last": self.is_last,
            **mode_timeline.as_json(self.mode, self.definition, path, self.phase, self.status, self.view.now),
            "rounds": list(path.rounds),
            "asked": self._asked(),
            "questions": self._open,
            "events": [mode_path.event_as_json(event) for event in self.events[-MOST_SHOWN:]],
            "event_count": len(self.events),
        }

    def _text(self, name: str, otherwise: str = "") -> str | None:
        return clean(self.record.get(name), LONGEST_TEXT) or otherwise or None if self.record else otherwise or None

    def _asks(self) -> str | None:
        """Return what the present phase asks of the agent; None where its machine does not say."""
        if not (self.definition and self.phase and self.status in HAS_NOT_ENDED):
            return None
        return self.definition.states.get(self.phase) or None

    def _file(self) -> str | None:
        """Return the SKILL.md of a mode that does not ship, relative to the workspace if it lies there."""
        file = self.definition.file if self.definition else ""
        return clean(file.removeprefix(self.root.rstrip(os.sep) + os.sep), LONGEST_TEXT) or None

    def _kind(self) -> str | None:
        return None if self.definition is None else "planning" if self.definition.is_planning else "execution"

    @functools.cached_property
    def _open(self) -> list[Record]:
        return self._open_questions()

    def _asked(self) -> list[Record]:
        """Return the questions that the run has waited for, without those that are open, which its page shows first.

        The answers stand in the records of the questions alone.
        """
        open_ids = {each["question_id"] for each in self._open}
        found = [each for each in self.path.questions if each["answered_at"] or each["id"] not in open_ids]
        try:
            records = questions.load(self.view.folder, self.view.session, [each["id"] for each in found])
        except (RcsError, OSError):
            records = []
        answers = {question.id: clean(questions.answer_of(question), LONGEST_TEXT) for question in records}
        return [
            {
                "question": each["question"],
                "asked_at": each["asked_at"],
                "answer": answers.get(str(each["id"])) or None if each["answered_at"] else None,
                "answered_at": each["answered_at"],
            }
            for each in found
        ]

    def _open_questions(self) -> list[Record]:
        """Return the questions that the run waits for, to be answered on its page."""
        if not self.is_last or self.record is None or not is_active(self.record):
            return []
        try:
            asked = questions.load(self.view.folder, self.view.session, [self.record.question_id])
        except (RcsError, OSError):
            return []
        mine = questions.open_for(asked, self.mode, self.record)
        return [sessions.question_as_json(question) for question in mine if questions.is_open(question)]
