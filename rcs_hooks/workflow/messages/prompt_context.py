"""Tells the model what a prompt has done and how to continue."""

from __future__ import annotations

from rcs_hooks.text import clean, word
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.messages import next_step as next_step_words
from rcs_hooks.workflow.messages.lines import LAST, LATE, LATER, SOONER, Line, fit_lines
from rcs_hooks.workflow.messages.shared import (
    CONTEXT_LENGTH,
    dollars,
    names_of,
    unreadable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.shared import BrokenFile, SkillFile
    from rcs_hooks.workflow.next_step import NextStep
    from rcs_hooks.workflow.replies import AnsweredQuestion, OpenQuestion
    from rcs_hooks.workflow.transitions import Plan

REASON_SHOWN, REASON_CUT = 120, 40
TITLES_SHOWN = (80, 50, 30)
ONE_RUN_LENGTH = 700
"""How long the context may be where a prompt starts one mode and does nothing else."""
PRESERVED = "planning preserved over simultaneous execution follow-up"


class Ended(NamedTuple):
    """A run that has ended: its mode, its outcome, why, and the plan that it leaves."""

    mode: str
    outcome: str
    reason: str = ""
    plan: str = ""


class PromptSummary(NamedTuple):
    """What a prompt has done, as data for the messages about it."""

    tokens: tuple[tuple[str, str], ...]
    """Each token as typed, and the mode that it names."""
    plan: Plan
    active: tuple[tuple[str, str], ...] = ()
    """The active modes afterwards, each with its phase."""
    path: str | None = None
    """The file of the mode that was started last; None if none was started."""
    resumed: tuple[tuple[str, str], ...] = ()
    """The modes that were resumed, each with the outcome of its earlier run."""
    transitions: tuple[str, ...] = ()
    """The line about each handoff, as the contract words it."""
    answered: tuple[AnsweredQuestion, ...] = ()
    still_open: tuple[OpenQuestion, ...] = ()
    unanswered: tuple[BrokenFile, ...] = ()
    """The files that kept an answer from being recorded."""
    delivered: tuple[tuple[str, str, str], ...] = ()
    """The questions that were answered elsewhere: text, answer, and the path of the full answer."""
    offered: tuple[str, ...] = ()
    """The deferred modes that may start now."""
    offered_by: str = ""
    """The planning mode that the modes in `offered` waited for; empty if unknown."""
    unreadable: tuple[BrokenFile, ...] = ()
    """The state files that cannot be read."""
    left_out: tuple[str, ...] = ()
    """Tokens that the prompt asks for, but not next to the first one."""
    typed_only: frozenset[str] = frozenset()
    """The modes that start only where a person types their names: those of the project that have not run here."""
    of_workspace: frozenset[str] = frozenset()
    """The modes whose record belongs to the workspace, not to the session."""
    next_steps: tuple[NextStep, ...] = ()
    """What each active mode asks now, in the order of `active`."""
    advice: tuple[str, ...] = ()
    """The lines that the definitions of the active modes have for the agent."""
    skills: tuple[SkillFile, ...] = ()
    """The skills of the modes that this prompt has started or resumed, where they are installed."""
    reasons: tuple[tuple[str, str], ...] = ()
    """The modes that were resumed, each with the reason why its earlier run had ended."""
    titles: tuple[tuple[str, str], ...] = ()
    """The modes that were resumed, each with the first words of the prompt that had started it."""
    counted_anew: tuple[str, ...] = ()
    """The modes whose count of rounds starts over, because it was at its end and the person goes on."""
    plans: tuple[tuple[str, str], ...] = ()
    """What stands from planning, as `Plan` or `Brief` and its path."""
    findings: tuple[str, ...] = ()
    """What a review found that led to the modes which were started."""
    offered_end: Ended | None = None
    """How the planning ended that the modes in `offered` waited for; None if that is unknown."""
    ended: tuple[Ended, ...] = ()
    """The runs that a prompt means which only says `go on`, although they have ended."""

    @property
    def has_started_nothing(self) -> bool:
        """Tell whether something kept the prompt from all that it asked for."""
        return bool(self.unanswered or self.plan.denied or (self.unreadable and self.plan.steps))

    def commands_for(self, mode: str, commands: Commands) -> Commands:
        """Return the commands that reach the record of a mode, which may belong to the workspace."""
        return commands.of_workspace() if mode in self.of_workspace else commands


def prompt_context(summary: PromptSummary, commands: Commands) -> str:
    """Return the context that is injected after a prompt; empty if there is nothing to say."""
    if summary.has_started_nothing:
        from rcs_hooks.workflow.messages.denial import why_nothing

        lines = [Line.of(line) for line in why_nothing(summary, commands)]
    else:
        lines = [*_what_happened(summary, commands), *_how_to_go_on(summary, commands)]
    # Questions are reported only once, so they come before the lines that may be left out.
    questions = []
    if summary.delivered or summary.answered or summary.still_open:
        from rcs_hooks.workflow.messages import prompt_questions

        questions = [Line.of(line) for line in prompt_questions.questions(summary, commands)]
    is_one_run = len(summary.active) == 1 and not (questions or summary.unreadable or summary.plan.denied)
    limit = ONE_RUN_LENGTH if is_one_run and summary.next_steps else CONTEXT_LENGTH
    first = 1 if summary.tokens else 0
    return fit_lines([*lines[:first], *questions, *lines[first:]], limit)


def _what_happened(summary: PromptSummary, commands: Commands) -> list[Line]:
    plan, lines = summary.plan, []
    if summary.tokens:
        lines.append(f"[rcs] detected: {names_of(summary.tokens)}")
    if plan.cancels:
        ended = " + ".join(plan.before)
        lines.append(f"cancelled: {ended} (userinterlude)" if ended else "cancelled: nothing was active")
    lines += [unreadable(file, commands) for file in summary.unreadable]
    if plan.deferred:
        lines.append(f"{PRESERVED}; deferred skills: {', '.join(plan.deferred)}")
    lines += [f"{text} (auto-completed)" for text in summary.transitions]
    shown = [Line.of(line) for line in lines]
    if plan.steps:
        shown.append(_state_line(summary))
    if plan.deferred:
        shown.append(_only_planning(plan))
    lines = []
    if summary.offered:
        lines.append(_offer(summary))
    lines += [_counted_anew(mode, summary) for mode in summary.counted_anew]
    lines += [_has_ended(each) for each in summary.ended]
    return [*shown, *(Line.of(line) for line in lines)]


def _only_planning(plan: Plan) -> Line:
    only, typed = f"Only {plan.source} runs", dollars(plan.deferred)
    return Line.of(
        f"{only}: plan, change no code; the user starts `{typed}` by name when it has ended, you cannot.",
        f"{only}: change no code; the user starts `{typed}` when it has ended.",
        f"{only}: change no code.",
        when=LATER,
        last_step=LATE,
    )


def _offer(summary: PromptSummary) -> str:
    end, by, typed = summary.offered_end, summary.offered_by or "the planning", dollars(summary.offered)
    how = f" ({end.outcome}{_because(end.reason)}{f'; plan {end.plan}' if end.plan else ''})" if end else ""
    it = "it" if len(summary.offered) == 1 else "them"
    return (
        f"[rcs] {by} has ended{how}; deferred: {typed}. You cannot start {it}:"
        f" if this prompt says to go on, ask the user to type `{typed}`."
    )


def _because(reason: str, length: int = REASON_SHOWN) -> str:
    return f": {clean(reason, length)}" if clean(reason) else ""


def _counted_anew(mode: str, summary: PromptSummary) -> str:
    first = "" if summary.plan.steps else "[rcs] "
    return f"{first}{mode} had used its last round and goes on: the count of rounds starts over."


def _has_ended(each: Ended) -> str:
    return (
        f"[rcs] {each.mode} does not run: it ended {each.outcome}{_because(each.reason)}. You cannot take it up:"
        f" if the user means that run, ask them to type `{dollars([each.mode])}`."
    )


def _state_line(summary: PromptSummary) -> Line:
    how = f"initialized: {summary.path}" if summary.path else "no new run" if summary.resumed else "already running"
    shorter = "initialized" if summary.path else how
    return Line.of(
        f"{_states(summary, REASON_SHOWN)}; {how}",
        f"{_states(summary, REASON_CUT)}; {shorter}",
        when=LAST if summary.path else SOONER,
    )


def _states(summary: PromptSummary, length: int) -> str:
    """Return what is active, with at most `length` characters of the reason why an earlier run had ended."""
    shown = (f"{mode} ({_state_of(mode, phase, summary, length)})" for mode, phase in summary.active)
    return f"active: {' + '.join(shown)}"


def _state_of(mode: str, phase: str, summary: PromptSummary, length: int) -> str:
    after, reasons = dict(summary.resumed), dict(summary.reasons)
    number = next((step.round for step in summary.next_steps if step.mode == mode), 0)
    in_round = f", round {number}" if number else ""
    resumed = f", resumed after {after[mode]}{_because(reasons.get(mode, ''), length)}" if mode in after else ""
    return f"phase {word(phase)}{in_round}{resumed}"


def _how_to_go_on(summary: PromptSummary, commands: Commands) -> list[Line]:
    if summary.still_open:
        return []
    if not summary.plan.steps:
        going_on = {*summary.counted_anew, *(mode for reply in summary.answered for mode in reply.modes)}
        return next_step_words.asks([step for step in summary.next_steps if step.mode in going_on])
    titles = dict(summary.titles)
    lines = [_another_task(mode, titles.get(mode, ""), summary, commands) for mode, _ in summary.resumed]
    lines += [Line.of(f"{kind} that stands: {path}") for kind, path in summary.plans]
    lines += [Line.of(f"The review found: {finding}") for finding in summary.findings]
    lines += [_skills(summary.skills)] if summary.skills else []
    lines += [Line.of(advice, f"{advice.partition(',')[0].rstrip('.')}.", when=LATER) for advice in summary.advice]
    steps = summary.next_steps
    if not steps:
        return lines
    asked = summary.plan.steps[-1].requested
    step = next((each for each in steps if each.mode == asked), steps[-1])
    lines += [*next_step_words.asks(steps), next_step_words.ways(steps)]
    return [*lines, next_step_words.question(step), next_step_words.outcomes(steps)]


def _another_task(mode: str, title: str, summary: PromptSummary, commands: Commands) -> Line:
    fresh = summary.commands_for(mode, commands).write(mode, "--fresh")
    if not clean(title):
        return Line.of(f"Another task? Begin anew: {fresh}", f"Another task: {fresh}", when=SOONER)
    full, short, shortest = (f'Task: "{clean(title, length)}"' for length in TITLES_SHOWN)
    return Line.of(
        f"{full}. Another one? Begin anew: {fresh}",
        f"{short}; another one: {fresh}",
        f"{shortest}; another one: {fresh}",
        f"{shortest}; another one: --fresh in place of --phase",
        when=SOONER,
        last_step=LATE,
    )


def _skills(skills: Sequence[SkillFile]) -> Line:
    names, full = ", ".join(each.named for each in skills), ", ".join(each.located for each in skills)
    read = "Read the skill" if len(skills) == 1 else "Read the skills"
    return Line.of(f"{read} {full} first.", f"{read} {names} first.", when=LATER)


def typed_for(summary: PromptSummary, mode: str) -> str:
    """Return the token that the person typed for a mode; empty if the prompt has none."""
    return next((typed for typed, named in summary.tokens if named == mode), "")
