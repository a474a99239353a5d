"""Tells the agent what runs in a session that starts or is resumed, and all of it that its context may have lost."""

from __future__ import annotations

from rcs_hooks.text import clean
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.messages.lines import FIRST, LATER, SOONER, Line, fit_lines
from rcs_hooks.workflow.messages.next_step import asks, outcomes, position, ways
from rcs_hooks.workflow.messages.shared import QUESTION_LENGTH, dollars
from rcs_hooks.workflow.mode_record import TITLE_LENGTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.messages.shared import SkillFile
    from rcs_hooks.workflow.next_step import NextStep
    from rcs_hooks.workflow.proof import ProofStatus

START_LENGTH = 900
OPTIONS_LENGTH = 120
PATH_LENGTH = 200
FINDING_LENGTH = 160


class StartedMode(NamedTuple):
    """An active mode at the start of a session."""

    step: NextStep
    waits: bool
    belongs_to_workspace: bool
    """Whether its record names no session."""
    title: str = ""
    """The first words of the prompt that started the run; empty if they are unknown."""
    plan: str = ""
    brief: str = ""
    finding: str = ""
    """What a review found that led to this run; empty if none did."""
    proof: ProofStatus | None = None
    """What is stored of its newest proof; None if it has none."""


class WaitsFor(NamedTuple):
    """An open question, and the modes that wait for its answer."""

    modes: tuple[str, ...]
    question: str
    options: tuple[str, ...] = ()


def session_start(
    active: Sequence[StartedMode],
    *,
    questions: Sequence[WaitsFor] = (),
    deferred: Sequence[str] = (),
    skills: Sequence[SkillFile] = (),
) -> str:
    """Return the text that tells the agent what runs in a session that starts or is resumed.

    `active`: at least one mode. `deferred`: the modes that wait for the end of planning. `skills`: the files of
    the skills of the modes.
    """
    is_ours = not all(each.belongs_to_workspace for each in active)
    shown = " + ".join(_shown(each, names_owner=is_ours) for each in active)
    steps = [each.step for each in active if not each.waits]
    lines = [
        Line.of(f"[rcs] active in this {'session' if is_ours else 'workspace, in no session'}: {shown}."),
        *_tasks(active),
        *_left_by_planning(active),
        *_proofs(active),
        *([Line.of(f"Deferred until planning ends: {dollars(deferred)}.")] if deferred else []),
        *([_skills(skills)] if skills else []),
        *map(_question, questions),
        *asks(steps),
        *([ways(steps), outcomes(steps)] if steps else []),
    ]
    return fit_lines(lines, START_LENGTH)


def _shown(active: StartedMode, *, names_owner: bool) -> str:
    owner = ", of the workspace" if active.belongs_to_workspace and names_owner else ""
    waits = ", waiting for the user" if active.waits else ""
    return f"{active.step.mode} (phase {position(active.step)}{owner}{waits})"


def _tasks(active: Sequence[StartedMode]) -> list[Line]:
    titles = dict.fromkeys(shown for each in active if (shown := clean(each.title, TITLE_LENGTH)))
    return [Line.of(f'Task: "{title}"', f'Task: "{clean(title, TITLE_LENGTH // 2)}"', when=LATER) for title in titles]


def _left_by_planning(active: Sequence[StartedMode]) -> list[Line]:
    named = [*(("Plan", each.plan) for each in active), *(("Brief", each.brief) for each in active)]
    found = dict.fromkeys((kind, shown) for kind, path in named if (shown := clean(path, PATH_LENGTH)))
    findings = dict.fromkeys(shown for each in active if (shown := clean(each.finding, FINDING_LENGTH)))
    return [
        *(Line.of(f"{kind}: {path}", "", when=LATER) for kind, path in found),
        *(Line.of(f"The review found: {finding}", "", when=SOONER) for finding in findings),
    ]


def _proofs(active: Sequence[StartedMode]) -> list[Line]:
    """Return what came of the newest proof of each run. Files may have changed since: no hook looks."""
    shown: dict[str, None] = {}
    for each in active:
        if each.proof and each.proof.command:
            shown[f"Last proof: {each.proof.ran} {each.proof.result}"] = None
    return [Line.of(line, "", when=LATER) for line in shown]


def _skills(skills: Sequence[SkillFile]) -> Line:
    names, full = ", ".join(each.named for each in skills), ", ".join(each.located for each in skills)
    it, the = ("it", "the skill") if len(skills) == 1 else ("they", "the skills")
    return Line.of(
        f"Read again, for {it} may be out of your context: {the} {full}.",
        f"Read {the} {full} again.",
        f"Read {the} {names} again.",
        when=SOONER,
    )


def _question(waits: WaitsFor) -> Line:
    modes = " + ".join(waits.modes)
    verb = "waits" if len(waits.modes) == 1 else "wait"
    asked = f'{modes} {verb} for the user\'s answer to "{clean(waits.question, QUESTION_LENGTH)}"'
    shown = clean(" | ".join(f"{number} {clean(each)}" for number, each in enumerate(waits.options, 1)), OPTIONS_LENGTH)
    return Line.of(f"{asked} ({shown})." if shown else f"{asked}.", f"{asked}.", when=FIRST)
