"""Read the modes of a workspace for the overview: those that are active in any session, and those that ended lately.

Rules of this file:
- `state` decides which modes are active and which outcome a record states; nothing is decided here.
- What a session or a file does wrong is said in an entry of its own, and hides nothing else.
- Of the sessions with nothing active, only the newest of those that were written lately are read whole.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rcs_hooks.errors import RcsError
from rcs_hooks.files import paths, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.tracked import has_tracked_session
from rcs_hooks.overview import endings, resuming
from rcs_hooks.overview.entries import (
    CLOSED,
    ENDED,
    LATELY,
    MODE,
    RUNNING,
    WAITING,
    AskedQuestion,
    Entry,
    LastStop,
)
from rcs_hooks.overview.records import moment, of_record, title_of, why
from rcs_hooks.state import deferral, questions, session_notes, silence, stop_notes
from rcs_hooks.state import session as sessions
from rcs_hooks.state.draft import Draft
from rcs_hooks.state.inventory import deferred_skills_in
from rcs_hooks.state.session_listing import active_sessions, latest_sessions, written_at
from rcs_hooks.state.unread_answers import waits_for_prompt
from rcs_hooks.text import clean
from rcs_hooks.workflow.lifecycle import INTERLUDE, outcome_of
from rcs_hooks.workflow.messages.question import answered_elsewhere
from rcs_hooks.workflow.messages.shared import dollars
from rcs_hooks.workflow.silence import QUIET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.session import ActiveMode, Session
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.mode_record import ModeRecord

MOST_ENDED = 10
"""How many modes are shown that have ended lately."""
MOST_LOOKED_AT = 30
"""In how many sessions at most such modes are looked for, those written last first."""
LONGEST_QUESTION = 300
MOST_OPTIONS = 12
LONGEST_OPTION = 60
"""How much of an option the sentence says; whoever answers with one click sends all of it."""
LONGEST_ANSWER = 200


def entries(root: str, now: float, commands: Commands) -> list[Entry]:
    """Return an entry for each mode of a workspace that is active or has ended lately, and for what cannot be read."""
    try:
        folder = workspaces.state_folder(root)
        names = active_sessions(folder)
        recent = [name for name in latest_sessions(folder) if now - written_at(folder, name) <= LATELY]
    except (RcsError, OSError) as error:
        return [_unreadable(root, None, "state", f"{paths.STATE} of {root} cannot be read: {why(error)}")]
    found = [entry for name in (None, *names) for entry in of_session(root, folder, name, now, commands)]
    looked_at = frozenset(names)
    for name in itertools.islice((name for name in recent if name not in looked_at), MOST_LOOKED_AT):
        if sum(entry.group == ENDED for entry in found) >= MOST_ENDED:
            break
        found += of_session(root, folder, name, now, commands)
    return _with_newest_ended(found)


def _with_newest_ended(found: list[Entry]) -> list[Entry]:
    ended = sorted((entry for entry in found if entry.group == ENDED), key=lambda entry: entry.since or "")
    return [*(entry for entry in found if entry.group != ENDED), *ended[-MOST_ENDED:]]


def of_session(root: str, folder: str, session: str | None, now: float, commands: Commands) -> Iterator[Entry]:
    """Yield the entries of a session, or those of the records that belong to no session if `session` is None."""
    try:
        view = sessions.load(folder, session, now)
        yield from _SessionEntries(root, view, commands._replace(session=session or "")).all()
    except (RcsError, OSError) as error:
        if session and has_tracked_session(root, session):
            return  # it came with the repository, and counts for nothing
        where = f"session {session}" if session else paths.STATE
        yield _unreadable(root, session, "session" if session else "state", f"{where} cannot be read: {why(error)}")


def _unreadable(root: str, session: str | None, name: str, detail: str, to: str = "", command: str = "") -> Entry:
    """Return the entry of something that cannot be read, so that nobody knows whether it runs."""
    title, has_title = title_of(name, session, "")
    return Entry(
        MODE, name, title, WAITING, session, detail=clean(detail, 400), to=to, command=command, has_title=has_title,
        project=root, is_unreadable=True,
    )  # fmt: skip


class _SessionEntries:
    """The entries of one session, from one reading of it."""

    def __init__(self, root: str, view: Session, commands: Commands) -> None:
        self.root = root
        self.view = view
        self.commands = commands
        notes = session_notes.load(view.folder, view.session) if view.session else {}
        self.is_closed = session_notes.is_closed(notes)
        self.notes = notes
        self.closed_at = moment(notes.get("closed_at")) if isinstance(notes, dict) else None
        # A root record is shown once: as one that belongs to the workspace, not in each session that sees it.
        self.members = [member for member in view.active_modes() if member.session == view.session]
        self.stop = _last_stop(notes, view.active_modes())
        self.deferred = deferred_skills_in(view.inventory)
        waited_for = [member.record.question_id for member in self.members]
        asked = questions.load(view.folder, view.session, waited_for)
        self.open = [question for question in asked if questions.is_open(question)]

    def all(self) -> Iterator[Entry]:
        """Yield every entry of the session."""
        client = session_notes.title_of_client(self.notes)
        resume = resuming.commands(self.root, self.view.session, self.notes)
        for entry in self._entries():
            yield entry._replace(client=client, resume=resume)

    def _entries(self) -> Iterator[Entry]:
        place = paths.session_folder(self.view.session)
        for broken in self.view.unreadable:
            if broken.path.startswith(place):
                yield self._broken(broken)
        told: set[str] = set()
        for member in self.members:
            question = self._question_of(member, told)
            if question:
                told.add(question.id)
            yield self._active(member, question)
        for question in self.open:
            if question.id not in told:
                yield self._orphan(question)
        if self.deferred and not self.is_closed and (skills := self._ready()):
            yield self._planned(skills)
        yield from endings.entries(self.root, self.view)

    def _ready(self) -> tuple[str, ...]:
        """Return the skills that were deferred until planning ends, if it has ended."""
        return deferral.waiting_after(Draft(self.view, turn=None, now=iso(self.view.now)))

    def _broken(self, broken: Unreadable) -> Entry:
        name = paths.clear_name(broken.path)
        detail = f"{paths.STATE}/{broken.path} cannot be read ({clean(broken.why, 80)})"
        return _unreadable(self.root, self.view.session, name, detail, "To clear it", self.commands.clear(name))

    def _question_of(self, member: ActiveMode, told: set[str]) -> Question | None:
        """Return the question that a mode asks; None for one that only waits for the question of another mode."""
        waiting = [each.mode for each in self.members]  # no set: a question may name anything
        mine = [
            question
            for question in questions.open_for(self.open, member.mode, member.record)
            if question.record.get("source") == member.mode or question.record.get("source") not in waiting
        ]
        return next((question for question in mine if question.id not in told), None)

    def _active(self, member: ActiveMode, question: Question | None) -> Entry:
        record, outcome = member.record, outcome_of(member.record)
        commands = self.commands if self.view.session else self.commands.of_workspace()
        to_end = commands.write(member.mode, "--outcome", INTERLUDE)
        entry = of_record(self.root, self.view, member.mode, record)._replace(to_end=to_end)
        phase = _phase_and_round(entry)
        if question:
            asked = question.record.get("created_at") or record.updated_at
            entry = self._asking(entry, question, moment(asked))
            return entry if not self.is_closed else entry._replace(group=CLOSED, since=self.closed_at)
        if self.is_closed:
            return entry._replace(
                group=CLOSED,
                since=self.closed_at,
                detail=f"{phase}; its client has closed the session, and resuming it goes on",
                to="To end it",
                command=to_end,
            )
        if outcome.waits:
            is_lost = record.has_question_pending and self._broken_question(record) is not None
            return entry._replace(
                group=WAITING,
                since=moment(record.updated_at),
                detail=self._waits_for(member),
                lost_question=str(record.question_id) if is_lost else "",
            )
        if waits_for_prompt(self.view, member, self.notes):
            detail = answered_elsewhere([member.mode], self.view.session)
            return entry._replace(group=WAITING, since=moment(record.updated_at), detail=detail, is_answered=True)
        then = f"; then {dollars(self.deferred)}" if self.deferred else ""
        status = silence.status_of(self.view, self.notes)
        return entry._replace(
            group=RUNNING,
            since=moment(record.started_at or record.updated_at),
            detail=phase + then,
            stop=self.stop,
            last_at=iso(self.view.now - silence.silence(self.view, self.notes)),
            quiet=status if status in QUIET else "",
        )

    def _planned(self, skills: Sequence[str]) -> Entry:
        """Return the entry of skills that were named together with planning, which has ended."""
        source = clean(self.view.inventory.get("deferred_source")) or "planning"
        record = self.view.own.get(source)
        title, has_title = title_of(skills[0], self.view.session, record.title if record else "")
        return Entry(
            MODE, skills[0], title, WAITING, self.view.session, has_title=has_title, project=self.root,
            since=moment(record.updated_at) if record else None,
            detail=f"{source} has ended; type {dollars(skills)} to go on, or any prompt to be asked",
        )  # fmt: skip

    def _waits_for(self, member: ActiveMode) -> str:
        """Tell what a mode without a question of its own waits for."""
        record = member.record
        shared = [each for each in self.open if each.id == record.question_id]
        if shared:
            return f"waits with {clean(shared[0].record.get('source')) or 'another mode'}, which asks"
        broken = self._broken_question(record)
        if broken and record.has_question_pending:
            path, why = f"{paths.STATE}/{broken.path}", clean(broken.why, 80)
            return f"asks, but {path} cannot be read ({why}); your next prompt is the answer"
        return "waits for your next prompt"

    def _broken_question(self, record: ModeRecord) -> Unreadable | None:
        """Return why the question that a mode waits for cannot be read; None if it can, or if there is none."""
        found = questions.unreadable_questions(self.view.folder, self.view.session, [record.question_id])
        return found[0] if found else None

    def _orphan(self, question: Question) -> Entry:
        """Return the entry of an open question whose mode is not active here."""
        name = clean(question.record.get("source")) or "question"
        title, has_title = title_of(name, self.view.session, "")
        entry = Entry(
            MODE, name, title, WAITING, self.view.session, question.id, has_title=has_title, project=self.root
        )
        entry = self._asking(entry, question, moment(question.record.get("created_at")))
        return entry._replace(group=CLOSED, since=self.closed_at) if self.is_closed else entry

    def _asking(self, entry: Entry, question: Question, since: str | None) -> Entry:
        options = tuple(clean(each, LONGEST_ANSWER) for each in questions.options_of(question.record)[:MOST_OPTIONS])
        text = clean(question.text, LONGEST_QUESTION) or "(its text cannot be read)"
        choice = f" ({' | '.join(clean(each, LONGEST_OPTION) for each in options)})" if options else ""
        return entry._replace(
            group=WAITING,
            since=since,
            detail=f"asks: {text}{choice}",
            to="To answer",
            command=self.commands.answer(question.id),
            question=AskedQuestion(question.id, text, options),
        )


def _phase_and_round(entry: Entry) -> str:
    phase = f"phase {entry.phase or 'unknown'}"
    if not (entry.iteration and entry.max_iterations):
        return phase
    return f"{phase}, round {entry.iteration} of {entry.max_iterations}"


def _last_stop(notes: object, members: Iterable[ActiveMode]) -> LastStop | None:
    """Tell what became of the last Stop of a session since its last prompt; None if there was none."""
    if not isinstance(notes, dict):
        return None
    at = moment(session_notes.part(notes, "stops").get("at"))
    if stop_notes.is_stalled(notes, tuple(members)):
        return LastStop(False, at)
    return LastStop(True, at) if stop_notes.count_of(notes).in_a_row else None
