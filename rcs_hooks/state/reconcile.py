"""Decides what a prompt does to the state of its session, and drafts the files.

The contract's five steps, in the order in which the files are written:

1. Decide: nothing is written unless all of it is allowed.
2. Complete the source modes, with audit fields, and end their root records.
3. Build the inventory from the records of the modes, never the other way round.
4. Activate the destination modes.
5. Return what happened, to be put into words.

Nothing is written here: the caller commits the draft under the lock.
"""

from __future__ import annotations

from rcs_hooks.catalog import CANCEL
from rcs_hooks.files import paths
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import inventory, mode_changes, questions
from rcs_hooks.state.draft import ANSWERS, Draft
from rcs_hooks.state.session import ActiveMode, Session, entries_of
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow import transitions
from rcs_hooks.workflow.lifecycle import outcome_of, review_is_open
from rcs_hooks.workflow.replies import (
    AnsweredQuestion,
    OpenQuestion,
    is_only_courtesy,
    says_go_on,
    title_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.state.deferral import Offer
    from rcs_hooks.state.questions import Question
    from rcs_hooks.workflow.mode_record import ModeRecord

    Answers = tuple[tuple[AnsweredQuestion, ...], tuple[OpenQuestion, ...], tuple[tuple[str, str, str], ...]]

NO_MODES: dict[str, ModeDef] = {}


class Prompt(NamedTuple):
    """What a prompt asks of the state."""

    text: str
    skills: tuple[str, ...] = ()
    keyword: str | None = None
    turn: str | None = None
    now: str = ""
    text_without_skills: str | None = None
    """The text without the skills that it asks for; None if it asks for none."""
    moment: str | None = None
    """When the client says that it sent the prompt: the same for each program that it calls."""
    mentions: tuple[str, ...] = ()
    """The skills that a prompt talks about without asking for any."""
    is_command: bool = False
    """Whether it looks like a command that its client passes on."""
    own: Mapping[str, ModeDef] = NO_MODES
    """The definitions of the own modes that the prompt may name."""
    is_startable: Callable[[str], bool] | None = None
    """Tells whether an own mode can still be started; None where nobody can tell."""
    client: str = ""
    """The name of the client that sent it; empty if it is not known."""
    begins_turn: bool = True
    """Whether it begins a turn, and was not typed into one that goes on."""
    is_told_at_stop: bool = False
    """Whether the Stop of its turn tells the prompt again, so that it is known then whether the person typed this."""

    @property
    def cancels(self) -> bool:
        return CANCEL in self.skills

    @property
    def has_text(self) -> bool:
        return bool(self.text.strip())

    @property
    def reply(self) -> str:
        """Return the part of the prompt that may answer a question."""
        return self.text if self.text_without_skills is None else self.text_without_skills

    @property
    def only_names(self) -> bool:
        """Tell whether the prompt names skills and says nothing else that could be an answer."""
        return self.text_without_skills is not None and is_only_courtesy(self.text_without_skills)


class Reconciled(NamedTuple):
    """What a prompt did to the state, or would do."""

    plan: transitions.Plan
    before: tuple[ActiveMode, ...]
    after: tuple[ActiveMode, ...]
    writes: tuple[Write, ...] = ()
    resumed: tuple[tuple[str, str], ...] = ()
    """The modes that resumed an earlier run, and the outcome of that run."""
    messages: tuple[str, ...] = ()
    answered: tuple[AnsweredQuestion, ...] = ()
    """The questions that this prompt has answered, and the waits that it has ended."""
    still_open: tuple[OpenQuestion, ...] = ()
    """The questions that this prompt does not answer."""
    unanswered: tuple[Unreadable, ...] = ()
    """The files without which an answer cannot be recorded and that cannot be read; then nothing is changed."""
    delivered: tuple[tuple[str, str, str], ...] = ()
    """Question, answer and file of each answer that was given elsewhere; each is told once."""
    offered: tuple[str, ...] = ()
    offered_by: str = ""
    """The planning mode whose end the offered skills waited for; empty if the inventory names none."""
    gone: tuple[str, ...] = ()
    """The deferred own modes that cannot be offered, because their files are gone or declare no mode any more."""
    unreadable: tuple[Unreadable, ...] = ()
    """The files that cannot be read and so keep the prompt from what it asks for, or a `$cancel` from ending all."""
    modes: Mapping[str, ModeDef] = {}
    """The modes of the session, by name."""
    own: Mapping[str, ModeRecord] = {}
    """The session's own records afterwards, by mode."""
    counted_anew: tuple[str, ...] = ()
    """The modes whose count of rounds was at its end and starts over."""
    ended: tuple[str, ...] = ()
    """The mode that a prompt means which only says `go on`, although its run has ended and nothing runs."""

    @property
    def started(self) -> tuple[str, ...]:
        """Return the modes that this prompt started."""
        return tuple(step.requested for step in self.plan.steps if step.kind != transitions.NO_CHANGE)

    @property
    def has_news(self) -> bool:
        """Tell whether there is something to say that the prompt did not ask for."""
        replies = self.answered or self.still_open or self.unanswered or self.delivered
        return bool(replies or self.offered or self.counted_anew or self.ended)

    @property
    def is_allowed(self) -> bool:
        """Tell whether what the prompt asked for was allowed."""
        return self.plan.denied is None and not (self.unreadable and self.plan.steps) and not self.unanswered


def for_prompt(view: Session, asked: Sequence[Question], prompt: Prompt) -> Reconciled:
    """Return all that a prompt does, with the files to commit; writes nothing.

    `asked`: the questions of the session.
    """
    view = view.with_modes(prompt.own)
    title = title_of(prompt.reply) if prompt.skills else ""
    draft = Draft(view, turn=prompt.turn, now=prompt.now, title=title)
    before = draft.active_modes()
    if unanswered := _unreadable_for_answer(draft, asked, prompt):
        modes = tuple(member.mode for member in before)
        return Reconciled(transitions.Plan(modes, modes), before, before, unanswered=unanswered)
    answered, still_open, delivered = _answers(draft, asked, prompt)
    running = [member.mode for member in draft.active_modes()]
    plan = transitions.plan(running, prompt.skills, review_open=review_open(draft), modes=view.modes)
    result = Reconciled(plan, before, before, answered=answered, still_open=still_open, delivered=delivered)
    wants_more = any(skill in view.modes for skill in prompt.skills)
    if plan.denied or (view.unreadable and wants_more):
        if answered:
            draft.sync_inventories()
        broken = view.unreadable if wants_more else ()
        writes = tuple(draft.writes())
        after = draft.active_modes()
        return result._replace(after=after, writes=writes, unreadable=broken, modes=draft.modes, own=draft.own)
    return _carried_out(draft, asked, prompt, result)


def _unreadable_for_answer(draft: Draft, asked: Sequence[Question], prompt: Prompt) -> tuple[Unreadable, ...]:
    if not (draft.view.unreadable or _is_waiting(draft)):
        return ()
    from rcs_hooks.state import answers

    return answers.unreadable_for_answer(draft.view, asked, prompt)


def _answers(draft: Draft, asked: Sequence[Question], prompt: Prompt) -> Answers:
    """Let the prompt answer what the session waits for, and mark the answers that are told with it as told."""
    answered_elsewhere = questions.awaiting_delivery(asked, [member.record for member in draft.active_modes()])
    if not (answered_elsewhere or _is_waiting(draft)):
        return (), (), ()
    from rcs_hooks.state import answers

    return answers.take(draft, asked, prompt, answered_elsewhere)


def _is_waiting(draft: Draft) -> bool:
    return any(outcome_of(member.record).waits for member in draft.active_modes())


def _carried_out(draft: Draft, asked: Sequence[Question], prompt: Prompt, result: Reconciled) -> Reconciled:
    """Return `result`, whose plan is allowed, with all that the prompt does besides the answers."""
    if prompt.cancels:
        _cancel(draft, asked)
    used_up = {mode for mode, record in draft.own.items() if record.is_exhausted}
    messages, resumed = _apply(draft, result.plan)
    means_go_on = not prompt.skills and says_go_on(prompt.text)
    renewed = {mode for mode, _ in resumed}
    if means_go_on or any(member.mode in prompt.skills for member in result.before):
        from rcs_hooks.state import renewal

        renewed |= renewal.renew(draft, prompt.skills)
    going_on = {member.mode for member in draft.active_modes()}
    for member in result.before:
        if member.mode not in going_on:
            draft.abandon(asked, member.mode, member.record)
    offer = _deferral(draft, result.plan, prompt)
    extra = offer.fields if offer else {}
    if extra or result.started or draft.active_modes() != result.before or _is_outdated(draft):
        draft.sync_inventories(_audit(result, draft.view.session, prompt, messages), extra)
    return result._replace(
        after=draft.active_modes(),
        writes=tuple(draft.writes()),
        still_open=_of_running(result.still_open, going_on),
        resumed=resumed,
        messages=messages,
        offered=offer.skills if offer else (),
        offered_by=offer.source if offer else "",
        gone=offer.gone if offer else (),
        unreadable=draft.view.unreadable if prompt.cancels else (),
        modes=draft.modes,
        own=draft.own,
        counted_anew=tuple(sorted(used_up & renewed)),
        ended=renewal.meant_run(draft, prompt.text) if means_go_on else (),
    )


def _deferral(draft: Draft, plan: transitions.Plan, prompt: Prompt) -> Offer | None:
    """Return the deferred skills that are offered now; None if no skill is deferred."""
    if not (plan.deferred or inventory.deferred_skills_in(draft.view.inventory)):
        return None
    from rcs_hooks.state import deferral

    return deferral.offer(draft, plan, prompt)


def review_open(draft: Draft) -> bool:
    """Tell whether a mode is active whose review is still open."""
    return any(draft.modes[each.mode].returns_to and review_is_open(each.record) for each in draft.active_modes())


def _of_running(still_open: Sequence[OpenQuestion], running: set[str]) -> tuple[OpenQuestion, ...]:
    """Return the open questions with only those modes that still run; a question that has none left was aborted."""
    remaining = [each._replace(modes=tuple(mode for mode in each.modes if mode in running)) for each in still_open]
    return tuple(each for each in remaining if each.modes)


def _cancel(draft: Draft, asked: Sequence[Question]) -> None:
    for member in draft.active_modes():
        draft.end(member, mode_changes.interrupted(member.mode, member.record, now=draft.now))
    for question in asked:
        if questions.is_open(question):
            draft.stage(ANSWERS, question.path, questions.aborted(question, now=draft.now))


def _apply(draft: Draft, plan: transitions.Plan) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Carry the plan out; return the transition messages, and the resumed modes with the outcome of the run before."""
    messages: list[str] = []
    resumed: list[tuple[str, str]] = []
    for step in plan.steps:
        if step.kind != transitions.NO_CHANGE:
            texts, outcome = apply_step(draft, step)
            messages += texts
            resumed += [(step.requested, outcome)] if outcome else []
    return tuple(messages), tuple(resumed)


def apply_step(draft: Draft, step: transitions.Step, *, is_anew: bool = False) -> tuple[list[str], str | None]:
    """Draft a transition: complete its sources and start its destination, `is_anew` without resuming a run.

    Returns the messages, and the outcome of the run that is resumed; None if none is.
    """
    texts = []
    for member in draft.active_modes():
        if member.mode in step.completes:
            texts.append(mode_changes.transition_message(member.mode, step.requested))
            source = f"{paths.STATE}/{member.path}"
            ended = mode_changes.completed(member.mode, member.record, step.requested, now=draft.now, path=source)
            draft.end(member, ended)
    return texts, draft.start(step.requested, is_anew=is_anew)


def _is_outdated(draft: Draft) -> bool:
    """Tell whether the inventory lists other modes than are active, because another tool has written a record."""
    listed = [entry["skill"] for entry in entries_of(draft.view.inventory) if entry.get("active") is not False]
    return bool(draft.view.inventory) and listed != [member.mode for member in draft.active_modes()]


def _audit(
    result: Reconciled, session: str | None, prompt: Prompt, messages: tuple[str, ...]
) -> inventory.PromptAudit | None:
    """Return what the inventory records of this prompt, for other readers of that file; None if it asks for no skill.

    `messages`: the line about each handoff.
    """
    if not prompt.skills:
        return None
    last = result.started[-1] if result.started else None
    path = f"{paths.STATE}/{paths.mode_file(last, session)}" if last else None
    return inventory.PromptAudit(prompt.keyword, prompt.skills, messages, last, path)
