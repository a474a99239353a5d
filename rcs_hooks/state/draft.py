"""The records of a session as they will be, and the files that this changes.

Everything that one call changes is drafted in memory here, and the caller commits `Draft.writes()` under the lock: so a
call that is refused half-way has written nothing, and a look at what a prompt would do is the same code.

The steps are the order of the files in a commit: answers, the modes that end, the inventories, the modes that start. So
a reader that sees a part of it (another tool knows no journal) never sees a new mode active together with the one that
it replaces.
"""

from __future__ import annotations

from rcs_hooks.catalog import MODES
from rcs_hooks.files import paths
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import inventory, mode_changes, questions
from rcs_hooks.state.own_records import DECLARED
from rcs_hooks.state.questions import Question
from rcs_hooks.state.session import ActiveMode, Session, active_modes_of, belongs, belongs_to_workspace
from rcs_hooks.workflow.lifecycle import is_active, outcome_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.mode_record import ModeRecord

ANSWERS, COMPLETES, SYNCS, ACTIVATES = range(4)


class Draft:
    """The records of a session as a call is about to leave them, and the files that this changes.

    `turn`: the turn of the prompt that makes the change; None if no prompt does or its client names none.
    `title`: what that prompt says of the work that it starts.
    """

    def __init__(self, view: Session, *, turn: str | None, now: str, title: str = "") -> None:
        self.view = view
        self.modes = view.modes
        self.own = dict(view.own)
        self.root = dict(view.root)
        self.turn = turn
        self.title = title
        self.now = now
        self._changed: dict[str, tuple[int, JsonObject | None]] = {}
        self._started: list[str] = []
        self._members: tuple[ActiveMode, ...] | None = None
        """The active modes by the drafted records; None once a record has changed since they were last asked for."""
        self._steps: dict[str, list[ModeRecord | None]] = {}
        """For each mode whose record in the session changes: the record that counted before, then each drafted one."""

    def stage(self, step: int, path: str, record: JsonObject | None) -> None:
        """Stage a file for a step of the commit, such as `ANSWERS`; without a record the file is removed.

        Whoever changes `own` or `root` stages that right afterwards.
        """
        self._members = None
        self._changed[path] = (step, record)

    def stage_mode(self, step: int, mode: str, record: ModeRecord) -> None:
        """Stage the record of a mode in the session, or in root if the call is about the root scope."""
        scope = self.own if self.view.session else self.root
        scope[mode] = record
        self._steps.setdefault(mode, [self.view.record_of(mode)]).append(record)
        self.stage(step, paths.mode_file(mode, self.view.session), record.to_json())

    def stage_removal(self, mode: str) -> None:
        """Stage the removal of a mode's record from the scope that the call is about."""
        scope = self.own if self.view.session else self.root
        scope.pop(mode, None)
        self._steps.setdefault(mode, [self.view.record_of(mode)]).append(None)
        self.stage(COMPLETES, paths.mode_file(mode, self.view.session), None)

    def active_modes(self) -> tuple[ActiveMode, ...]:
        """Return the modes that are active by the drafted records; those that this draft has started come last."""
        if self._members is None:
            self._members = active_modes_of(self.view, self.own, self.root, self._started)
        return self._members

    def end(self, member: ActiveMode, record: ModeRecord) -> None:
        """End an active mode with `record`, the record of its ended run.

        A run in root ends there, and the session gets the record too: otherwise the session would see the root record
        again as soon as somebody writes it.
        """
        if self.view.session and member.session is None:
            self.root[member.mode] = record
            self.stage(COMPLETES, paths.mode_file(member.mode, None), record.to_json())
        if self.view.session:
            record = record.with_fields({"session_id": self.view.session})
        self.stage_mode(COMPLETES, member.mode, record)
        self.end_survivor(member.mode)

    def end_survivor(self, mode: str) -> None:
        """End the root record of a mode if it names this session or none.

        Otherwise it would count for the session again, and the mode would be active once more.
        """
        session, record = self.view.session, self.root.get(mode)
        if session and record and is_active(record) and belongs(record, session):
            ended = self.root[mode] = mode_changes.survivor_ended(mode, record, session=session, now=self.now)
            self.stage(COMPLETES, paths.mode_file(mode, None), ended.to_json())

    def start(self, mode: str, *, is_anew: bool = False) -> str | None:
        """Start a mode, or resume its last run; return the outcome of the run that is resumed, None if none is.

        `is_anew`: do not resume a run.
        """
        old = self.own[mode] if mode in self.own else self.view.visible_root(mode, self.root)
        given: JsonObject = {"title": self.title} if self.title else {}
        if records := self.own if self.view.session else self.root:
            from rcs_hooks.state import handover

            given = handover.given_to(self.modes[mode], records, self.modes, title=self.title, now=self.now)
        begin = mode_changes.fresh if is_anew else mode_changes.started
        record = begin(self.modes[mode], old, session=self.view.session, turn=self.turn, now=self.now, given=given)
        if self.modes[mode].is_own:
            record = record.with_fields({DECLARED: self.modes[mode].to_json()})
        self._started.append(mode)
        self.stage_mode(ACTIVATES, mode, record)
        self.end_survivor(mode)
        return record.resumed_after

    def begin_anew(self, mode: str) -> None:
        """Begin the run of an active mode anew."""
        from rcs_hooks.state import handover

        member = next(each for each in self.active_modes() if each.mode == mode)
        records = {**(self.own if self.view.session else self.root), mode: member.record}
        given = handover.given_anew(self.modes[mode], records, self.modes)
        record = mode_changes.fresh(
            self.modes[mode], member.record, session=self.view.session, turn=self.turn, now=self.now, given=given
        )
        self.stage_mode(ACTIVATES, mode, record)

    def answer(self, member: ActiveMode) -> None:
        """End the wait of an active mode.

        A root run that names the session goes on in the session; one that names no session stays in root.
        """
        self.stage_member(member, mode_changes.answered(self.modes[member.mode], member.record, now=self.now))
        if member.session is None and not belongs_to_workspace(member):
            self.end_survivor(member.mode)

    def stage_member(self, member: ActiveMode, record: ModeRecord) -> None:
        """Stage the record of a run that goes on: in root if the run belongs to the workspace, else in the session."""
        if not belongs_to_workspace(member):
            self.stage_mode(ACTIVATES, member.mode, record)
            return
        self.root[member.mode] = record
        self.stage(ACTIVATES, paths.mode_file(member.mode, None), record.to_json())

    def abandon(self, asked: Sequence[Question], mode: str, record: ModeRecord) -> None:
        """Abort those of the questions `asked` that a mode no longer waits for, unless another mode waits for them.

        `record`: the record of the mode, which may name a question.
        """
        others = [member for member in self.active_modes() if member.mode != mode and outcome_of(member.record).waits]
        waited_for = {member.record.question_id for member in others}
        for question in questions.open_for(asked, mode, record):
            if question.id not in waited_for and question.path not in self._changed:
                self.stage(ANSWERS, question.path, questions.aborted(question, now=self.now))

    def sync_inventories(
        self, audit: inventory.PromptAudit | None = None, extra: JsonObject | None = None, *, rebuild: bool = False
    ) -> None:
        """Stage the inventories of the session and of root, built from the drafted records.

        `audit`: what a prompt adds; None if no skill was named. `extra`: further fields of the session's inventory,
        removed where None. An inventory that cannot be read stays as it is, and root's is staged only if a root record
        has changed; `rebuild` stages that of this scope in any case. A session without any record, inventory or extra
        field gets none.
        """
        view = self.view
        if view.session and (self.own or view.inventory or extra or rebuild):
            record = inventory.build_inventory(
                view.inventory, self.active_modes(), session=view.session, turn=self.turn, now=self.now, audit=audit
            )
            record |= extra or {}
            record = {key: value for key, value in record.items() if not (extra and key in extra and value is None)}
            self._stage_inventory(view.session, record)
        root_changed = any(paths.mode_file(mode, None) in self._changed for mode in MODES)
        if (root_changed and (view.root_inventory or not view.session)) or (rebuild and not view.session):
            there = active_modes_of(view._replace(session=None, own={}, unreadable=()), {}, self.root, self._started)
            synced = inventory.build_inventory(view.root_inventory, there, session=None, turn=None, now=self.now)
            self._stage_inventory(None, synced)

    def _stage_inventory(self, session: str | None, record: JsonObject) -> None:
        path = paths.inventory_file(session)
        if path not in {broken.path for broken in self.view.unreadable}:
            self.stage(SYNCS, path, record)

    def writes(self) -> list[Write]:
        """Return the files to commit, in the order of the steps, and what the session's history says of them."""
        steps = sorted(self._changed.items(), key=lambda item: item[1][0])
        writes = [Write(path, record) for path, (_, record) in steps]
        return [*writes, *self._history()] if self.view.session and self._steps else writes

    def _history(self) -> list[Write]:
        from rcs_hooks.state import history, mode_events

        asked = {Question(path, record).id: record for path, (_, record) in self._changed.items() if record is not None}
        events = mode_events.events_of(self._steps, asked, now=self.now)
        write = history.append(self.view.folder, str(self.view.session), events) if events else None
        return [write] if write else []
