"""The shared reconciliation: from a decided plan to the files that it changes.

The contract's five steps, in the order in which the files are written:
1. decide (nothing is written unless all of it is allowed)
2. complete the source modes, with audit fields, and end their root survivors
3. sync the inventory from the mode files, never the other way round
4. activate the destination modes
5. return what happened, for rendering

All of it happens in memory on one `Draft`; the caller commits `Draft.writes()` under the lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks.catalog import CANCEL, MODES, is_planning
from rcs_hooks.state import inventory, modes, paths, questions
from rcs_hooks.state.files import Unreadable, Write
from rcs_hooks.state.session import Member, Session, active_members, belongs, entries_of
from rcs_hooks.workflow import transitions
from rcs_hooks.workflow.lifecycle import is_active, outcome_of, review_is_open
from rcs_hooks.workflow.replies import COMMAND, EARLY, ONLY_NAMES, Reply, StillOpen, is_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.state.questions import Question

Record = dict[str, Any]

ANSWERS, COMPLETES, SYNCS, ACTIVATES = range(4)

MOST_DELIVERED = 1
"""Answers told in one context, which is short; the next prompt tells the next."""


class Draft:
    """The records of a session as they will be, and which files that changes."""

    def __init__(self, view: Session, *, turn: str | None, now: str) -> None:
        self.view = view
        self.own = dict(view.own)
        self.root = dict(view.root)
        self.turn = turn
        self.now = now
        self._changed: dict[str, tuple[int, Record | None]] = {}
        self._started: list[str] = []

    def put(self, step: int, path: str, record: Record | None) -> None:
        self._changed[path] = (step, record)

    def put_mode(self, step: int, mode: str, record: Record) -> None:
        """Into the session, or into root where the call is about the root scope."""
        scope = self.own if self.view.session else self.root
        scope[mode] = record
        self.put(step, paths.mode_file(mode, self.view.session), record)

    def remove_mode(self, mode: str) -> None:
        scope = self.own if self.view.session else self.root
        scope.pop(mode, None)
        self.put(COMPLETES, paths.mode_file(mode, self.view.session), None)

    def members(self) -> tuple[Member, ...]:
        return active_members(self.view, self.own, self.root, self._started)

    def end(self, member: Member, record: Record) -> None:
        """The mode is over, as `record` says. What ran in root ends there, and the session keeps the record too."""
        if self.view.session and member.session is None:
            self.root[member.mode] = record
            self.put(COMPLETES, paths.mode_file(member.mode, None), record)
        if self.view.session:
            record = record | {"session_id": self.view.session}
        self.put_mode(COMPLETES, member.mode, record)
        self.end_survivor(member.mode)

    def end_survivor(self, mode: str) -> None:
        """Ends a root record of `mode` that names no session or this one, so that it cannot come back."""
        session, record = self.view.session, self.root.get(mode)
        if session and record and is_active(record) and belongs(record, session):
            self.root[mode] = modes.survivor_ended(mode, record, session=session, now=self.now)
            self.put(COMPLETES, paths.mode_file(mode, None), self.root[mode])

    def start(self, mode: str) -> str | None:
        """The outcome of the earlier run, where this takes one up."""
        old = self.own[mode] if mode in self.own else self.view.visible_root(mode, self.root)
        record = modes.started(mode, old, session=self.view.session, turn=self.turn, now=self.now)
        self.put_mode(ACTIVATES, mode, record)
        self._started.append(mode)
        self.end_survivor(mode)
        return str(record["resumed_from"]["outcome"]) if "resumed_from" in record else None

    def answer(self, member: Member) -> None:
        """Lifts a wait. A run that stood in root goes on in the session."""
        self.put_mode(ACTIVATES, member.mode, modes.answered(member.mode, member.record, now=self.now))
        if member.session is None:
            self.end_survivor(member.mode)

    def abandon(self, asked: Sequence[Question], mode: str, record: Record) -> None:
        """Aborts the open questions of a mode that waits no longer, but for what another mode waits for too."""
        others = [member for member in self.members() if member.mode != mode and outcome_of(member.record).waits]
        waited_for = {questions.named_in(member.record) for member in others}
        for question in questions.open_for(asked, mode, record):
            if question.id not in waited_for and question.path not in self._changed:
                self.put(ANSWERS, question.path, questions.aborted(question, now=self.now))

    def sync(self, told: inventory.Told | None = None, extra: Record | None = None, *, anew: bool = False) -> None:
        """Both inventories from the records; `extra` fields are set, or dropped where they are None.

        One that cannot be read is left as it is. Root's is only written where root has changed, or `anew`.
        """
        view = self.view
        if view.session:
            record = inventory.written(
                view.inventory, self.members(), session=view.session, turn=self.turn, now=self.now, told=told
            )
            record |= extra or {}
            record = {key: value for key, value in record.items() if not (extra and key in extra and value is None)}
            self._put_inventory(view.session, record)
        root_changed = any(paths.mode_file(mode, None) in self._changed for mode in MODES)
        if (root_changed and (view.root_inventory or not view.session)) or (anew and not view.session):
            there = active_members(view._replace(session=None, own={}, unreadable=()), {}, self.root, self._started)
            synced = inventory.written(view.root_inventory, there, session=None, turn=None, now=self.now)
            self._put_inventory(None, synced)

    def _put_inventory(self, session: str | None, record: Record) -> None:
        path = paths.inventory_file(session)
        if path not in {broken.path for broken in self.view.unreadable}:
            self.put(SYNCS, path, record)

    def writes(self) -> list[Write]:
        steps = sorted(self._changed.items(), key=lambda item: item[1][0])
        return [Write(path, record) for path, (_, record) in steps]


class Prompt(NamedTuple):
    """What a prompt asks of the state."""

    text: str
    skills: tuple[str, ...] = ()
    keyword: str | None = None
    turn: str | None = None
    now: str = ""
    words: str | None = None
    """The text without the skills that it asks for; None where it asks for none."""
    mentions: tuple[str, ...] = ()
    """The skills that a prompt which asks for none only talks about."""

    @property
    def only_names(self) -> bool:
        """Whether the prompt names skills and says nothing else."""
        return self.words is not None and not any(char.isalnum() for char in self.words)


class Reconciled(NamedTuple):
    """What a prompt did, or would do, to the state."""

    plan: transitions.Plan
    before: tuple[Member, ...]
    after: tuple[Member, ...]
    writes: tuple[Write, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()
    """Modes that were taken up where an earlier run had stopped, and its outcome."""
    messages: tuple[str, ...] = ()
    answered: tuple[Reply, ...] = ()
    """Waits that this prompt has lifted."""
    still_open: tuple[StillOpen, ...] = ()
    """Questions that this prompt is no answer to."""
    unanswered: tuple[Unreadable, ...] = ()
    """Files that could not be read, so that an answer could not be recorded; then nothing was changed."""
    delivered: tuple[tuple[str, str, str], ...] = ()
    """Question, answer, and where it is kept: given elsewhere, told once."""
    offered: tuple[str, ...] = ()
    offered_by: str = ""
    """The planning-like mode that has ended."""
    unreadable: tuple[Unreadable, ...] = ()
    """Files that stood in the way of what was asked for, or that a `$cancel` could not look at."""

    @property
    def started(self) -> tuple[str, ...]:
        return tuple(step.requested for step in self.plan.steps if step.kind != transitions.NO_CHANGE)

    @property
    def speaks(self) -> bool:
        """Whether there is something to tell that the prompt did not ask for."""
        return bool(self.answered or self.still_open or self.unanswered or self.delivered or self.offered)

    @property
    def stands(self) -> bool:
        """Whether what was asked for was allowed."""
        return self.plan.denied is None and not (self.unreadable and self.plan.steps) and not self.unanswered


def for_prompt(view: Session, asked: Sequence[Question], prompt: Prompt) -> Reconciled:
    """Decides and drafts all that a prompt does. `asked`: the question records of the session."""
    draft = Draft(view, turn=prompt.turn, now=prompt.now)
    before = draft.members()
    cancels = CANCEL in prompt.skills
    told_elsewhere = questions.undelivered(asked, [member.record for member in before])
    answered, still_open = ((), ()) if cancels else _answer(draft, asked, prompt, told_elsewhere)
    delivered = _deliver(draft, told_elsewhere)
    plan = transitions.plan((member.mode for member in draft.members()), prompt.skills, review_open=review_open(draft))
    result = Reconciled(plan, before, before, answered=answered, still_open=still_open, delivered=delivered)
    wants_more = any(skill in MODES for skill in prompt.skills)
    if plan.denied or (view.unreadable and wants_more):
        broken = view.unreadable if wants_more else ()
        if answered:
            draft.sync()
        return result._replace(after=draft.members(), writes=tuple(draft.writes()), unreadable=broken)
    if cancels:
        _cancel(draft, asked)
    messages, resumed = _apply(draft, plan)
    going_on = {member.mode for member in draft.members()}
    for member in before:
        if member.mode not in going_on:
            draft.abandon(asked, member.mode, member.record)
    still_open = _of_running(still_open, going_on)
    offered, offered_by, extra = _deferral(draft, plan, prompt, cancels=cancels)
    if extra or result.started or draft.members() != before or _is_outdated(draft):
        draft.sync(_told(result, view.session, prompt, messages), extra)
    return result._replace(
        after=draft.members(),
        writes=tuple(draft.writes()),
        still_open=still_open,
        resumed=resumed,
        messages=messages,
        offered=offered,
        offered_by=offered_by,
        unreadable=view.unreadable if cancels else (),
    )


def review_open(draft: Draft) -> bool:
    return any(member.mode == "autopilot" and review_is_open(member.record) for member in draft.members())


def _answer(
    draft: Draft, asked: Sequence[Question], prompt: Prompt, told_elsewhere: Sequence[Question]
) -> tuple[tuple[Reply, ...], tuple[StillOpen, ...]]:
    """The prompt answers what the session waits for, but for what was answered elsewhere, and for a question that
    it says nothing to or that nobody could see when it was typed."""
    answered: dict[str, tuple[Question, list[str]]] = {}
    still_open: dict[tuple[str, str], list[str]] = {}
    lifted: list[str] = []
    for member in draft.members():
        if not outcome_of(member.record).waits:
            continue
        open_questions = questions.open_for(asked, member.mode, member.record)
        if open_questions and (why := _why_no_answer(open_questions, prompt)):
            for question in open_questions:
                still_open.setdefault((question.text, why), []).append(member.mode)
            continue
        draft.answer(member)
        for question in open_questions:
            answered.setdefault(question.id, (question, []))[1].append(member.mode)
        if not (open_questions or questions.named_by(told_elsewhere, member.record)):
            lifted.append(member.mode)
    replies = [_record_answer(draft, question, prompt, tuple(modes)) for question, modes in answered.values()]
    replies += [Reply((mode,)) for mode in lifted]
    return tuple(replies), tuple(StillOpen(tuple(modes), text, why) for (text, why), modes in still_open.items())


def _why_no_answer(open_questions: Sequence[Question], prompt: Prompt) -> str:
    """Empty where the prompt is an answer."""
    turns = [question.record.get("asked_in_turn") for question in open_questions]
    if prompt.turn is not None and prompt.turn in turns:
        return EARLY
    if is_command(prompt.text):
        return COMMAND
    return ONLY_NAMES if prompt.only_names else ""


def _record_answer(draft: Draft, question: Question, prompt: Prompt, modes_waiting: tuple[str, ...]) -> Reply:
    record = questions.answered(question, prompt.text, source="prompt", now=prompt.now, words=prompt.words)
    draft.put(ANSWERS, question.path, record)
    options = questions.options_of(question.record)
    chosen = record["answer"] if record["answer"] in options else ""
    return Reply(modes_waiting, question.text, options, chosen)


def _of_running(still_open: Sequence[StillOpen], running: set[str]) -> tuple[StillOpen, ...]:
    """Without the modes that the prompt has handed over."""
    kept = [each._replace(modes=tuple(mode for mode in each.modes if mode in running)) for each in still_open]
    return tuple(each for each in kept if each.modes)


def _deliver(draft: Draft, told_elsewhere: Sequence[Question]) -> tuple[tuple[str, str, str], ...]:
    told = []
    for question in told_elsewhere[:MOST_DELIVERED]:
        draft.put(ANSWERS, question.path, questions.delivered(question, now=draft.now))
        told.append((question.text, questions.answer_of(question), f"{paths.STATE}/{question.path}"))
    return tuple(told)


def _cancel(draft: Draft, asked: Sequence[Question]) -> None:
    for member in draft.members():
        draft.end(member, modes.interrupted(member.mode, member.record, now=draft.now))
    for question in asked:
        if question.record.get("status") in questions.OPEN:
            draft.put(ANSWERS, question.path, questions.aborted(question, now=draft.now))


def _apply(draft: Draft, plan: transitions.Plan) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The transition messages, and the modes that were taken up again, with the outcome before."""
    messages: list[str] = []
    resumed: list[tuple[str, str]] = []
    for step in plan.steps:
        if step.kind != transitions.NO_CHANGE:
            texts, outcome = apply_step(draft, step)
            messages += texts
            resumed += [(step.requested, outcome)] if outcome else []
    return tuple(messages), tuple(resumed)


def apply_step(draft: Draft, step: transitions.Step) -> tuple[list[str], str | None]:
    """Completes the sources and starts the destination; what to say of it, and the outcome of a run taken up."""
    texts = []
    for member in draft.members():
        if member.mode in step.completes:
            texts.append(modes.transition_message(member.mode, step.requested))
            source = f"{paths.STATE}/{member.path}"
            ended = modes.completed(member.mode, member.record, step.requested, now=draft.now, path=source)
            draft.end(member, ended)
    return texts, draft.start(step.requested)


def _deferral(
    draft: Draft, plan: transitions.Plan, prompt: Prompt, *, cancels: bool
) -> tuple[tuple[str, ...], str, Record]:
    """What to offer once more, whose end it waited for, and the inventory's fields for what goes on waiting.

    Where the prompt talks about what waits, the person is told how it starts, and the offer comes with the next one.
    """
    stored = inventory.deferred_in(draft.view.inventory)
    waiting = () if cancels else stored
    active = [member.mode for member in draft.members()]
    source = draft.view.inventory.get("deferred_source")
    source = source if isinstance(source, str) and source in MODES else ""
    ended = source not in active if source else not any(is_planning(mode) for mode in active)
    ended = ended and not set(waiting) & set(prompt.mentions)
    offered = tuple(mode for mode in waiting if mode not in (*active, *plan.deferred)) if ended else ()
    still = () if ended else tuple(mode for mode in waiting if mode not in active)
    kept = tuple(dict.fromkeys((*still, *plan.deferred)))
    if kept == stored:
        return offered, source, {}
    fields = {
        "deferred_skills": list(kept) or None,
        "deferred_source": (plan.source or source or None) if kept else None,
    }
    return offered, source, fields


def _is_outdated(draft: Draft) -> bool:
    """Whether an inventory lists others than are active: another tool has written a mode file."""
    listed = [entry["skill"] for entry in entries_of(draft.view.inventory) if entry.get("active") is not False]
    return bool(draft.view.inventory) and listed != [member.mode for member in draft.members()]


def _told(result: Reconciled, session: str | None, prompt: Prompt, messages: tuple[str, ...]) -> inventory.Told | None:
    if not prompt.skills:
        return None
    last = result.started[-1] if result.started else None
    path = f"{paths.STATE}/{paths.mode_file(last, session)}" if last else None
    return inventory.Told(prompt.keyword, prompt.skills, messages, last, path)
