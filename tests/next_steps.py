"""Makes `tests/workflow/next_steps.txt` anew: `python -m tests.next_steps`. Read what has changed before you commit it.

It has what the agent is told in every phase of every mode that ships: when a prompt starts the run or takes it up, when
its Stop is held, when it has written the phase, and when its session starts again.
"""

from __future__ import annotations

import functools
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.write_reply import Written, write_reply
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import UNPROVEN, Proof, judged
from tests.support import CHECKOUT, Answer, Record, Workspace

FILE = CHECKOUT / "tests" / "workflow" / "next_steps.txt"
SESSION = "0197f4a2-6b1c-7d3e-8f90-a1b2c3d4e5f6"
TASK = "fix the rounding of the totals and add a transfer between two accounts"
REASON = "two writers race"
PROOF = "sh -c 'pytest -q && ruff check .'"

START, RESUME, STOP, REPLY, SESSION_START = "start", "resume", "Stop", "reply", "SessionStart"
BUDGETS = {START: 700, RESUME: 700, STOP: 600, REPLY: 600, SESSION_START: 900}


class Situation(NamedTuple):
    """A run in a phase, in its first round or a later one.

    `verdict`: that of a review. `proof`: the command of a proof that has failed. `is_named`: the settings name the
    command that proves it.
    """

    mode: str
    phase: str
    is_later: bool = False
    verdict: str = ""
    proof: str = ""
    is_named: bool = False

    @property
    def name(self) -> str:
        later = ", a later round" if self.is_later else ""
        verdict = f", verdict {self.verdict}" if self.verdict else ""
        named = ", its command named" if self.is_named else ""
        return f"{self.mode}, {self.phase}{later}{verdict}{', a proof failed' if self.proof else ''}{named}"

    @property
    def fields(self) -> Record:
        """What is in the record."""
        mode = MODES[self.mode]
        fields: Record = {"current_phase": self.phase, "title": TASK, "visited": [self.phase]}
        if self.is_later:
            fields["iteration"] = max(mode.iteration or 0, 1) + 1
        if self.verdict:
            state: Record = {"review_verdict": self.verdict}
            fields["state"] = state | ({"return_to_blueprint_reason": REASON} if self.verdict == "not clean" else {})
        if self.proof:
            proof = Proof(self.proof, 1, 2.5, "2026-01-01T00:00:00Z", f"files:{'0' * 64}")
            fields["proof"] = judged(proof, UNPROVEN, at=proof.at)
        if self.is_named:
            fields["proof_named"] = True
        return fields


class Said(NamedTuple):
    """What the agent is told in a situation, and in which place."""

    situation: Situation
    place: str
    text: str


def situations() -> list[Situation]:
    found = []
    for mode in MODES.values():
        order = list(mode.states)
        for phase in order:
            found.append(Situation(mode.name, phase))
            back = [start for start, end, _ in mode.edges if end == phase and order.index(start) > order.index(end)]
            found += [Situation(mode.name, phase, is_later=True)] if back else []
            if mode.returns_to and mode.can_finish(phase):
                found += [Situation(mode.name, phase, verdict=verdict) for verdict in ("clean", "not clean")]
            if mode.can_finish(phase) and not mode.is_planning:
                proven = Situation(mode.name, phase, verdict="clean" if mode.returns_to else "", proof=PROOF)
                found += [proven, proven._replace(proof="", is_named=True)]
    return found


class Scene(Workspace):
    """A workspace with the skills installed, whose hooks call the program by any words."""

    def __init__(self, root: Path, rcs: str = "rcs") -> None:
        super().__init__(root)
        self.rcs = rcs
        for mode in MODES.values():
            skill = root / ".agents" / "skills" / mode.tokens[0] / "SKILL.md"
            skill.parent.mkdir(parents=True, exist_ok=True)
            skill.touch()

    def call(self, event: str, session: str = SESSION, **fields: object) -> Answer:
        self.now += 1
        raw = self.payload(event, session, model="a model", **fields)  # as Codex does
        return Answer(event, respond(raw, Environment(self.env, str(self.root), self.now, self.rcs)))

    def enter(self, situation: Situation) -> Answer:
        """Start the run, and bring it into the situation."""
        answer = self.prompt(f"${MODES[situation.mode].tokens[0]} {TASK}", SESSION)
        self.edit(situation.mode, SESSION, **situation.fields)
        return answer


def scene_of(situation: Situation, place: str, root: Path) -> Scene:
    """Return a workspace in which the agent has just read what it is told in a place."""
    scene = Scene(root)
    scene.enter(situation)
    if place == RESUME:
        scene.prompt("$cancel", SESSION)
        scene.prompt(f"${MODES[situation.mode].tokens[0]}", SESSION)
    return scene


def said_in(situation: Situation, root: Path, rcs: str = "rcs") -> list[Said]:
    scene = Scene(root, rcs)
    mode = MODES[situation.mode]
    started = scene.enter(situation)
    texts = {START: started.context} if situation == Situation(mode.name, mode.first_phase) else {}
    record = ModeRecord(scene.read(mode.name, SESSION))
    texts[STOP] = scene.stop(SESSION).reason
    if START not in texts:
        before = record.with_fields({"current_phase": "elsewhere"})
        texts[REPLY] = write_reply([Written(mode, before, record, Commands(rcs, SESSION))])
    texts[SESSION_START] = scene.call("SessionStart", SESSION, source="compact").context
    scene.prompt("$cancel", SESSION)
    texts[RESUME] = scene.prompt(f"${mode.tokens[0]}", SESSION).context
    return [Said(situation, place, texts[place]) for place in BUDGETS if place in texts]


@functools.cache
def said(rcs: str) -> tuple[Said, ...]:
    """Return all that the agent is told, where its shell calls the program by these words."""
    found: list[Said] = []
    for situation in situations():
        with tempfile.TemporaryDirectory() as folder:
            found += said_in(situation, Path(folder), rcs)
    return tuple(found)


class Together(NamedTuple):
    """What the agent is told where several modes are asked for, or run; `most`: how many characters at most."""

    name: str
    text: str
    most: int
    enter: Callable[[Path], Scene]
    """Makes a workspace in which the agent has just read it."""
    is_named: bool = False
    """Whether the settings name the command that proves it."""


STARTS = ("$blueprint $crew", "$brief $blueprint $crew", "$brief $forge", "$autoresearch $forge $ultrawork")
"""Prompts that start one mode and defer the others."""
RUNNING: tuple[dict[str, str], ...] = (
    *({"team": phase, "forge": phase} for phase in MODES["team"].states),
    {"ultrawork": "verifying", "forge": "starting"},
    {"team": "fixing", "forge": "verifying"},
    {"team": "verifying", "forge": "verifying", "ultrawork": "verifying"},
    {"team": "executing", "forge": "fixing", "ultrawork": "planning"},
)
NAMED: tuple[tuple[dict[str, str], tuple[str, ...]], ...] = (
    ({"team": "verifying", "forge": "verifying"}, ("team", "forge")),
    ({"team": "fixing", "forge": "verifying"}, ("forge",)),
    ({"team": "verifying", "forge": "verifying", "ultrawork": "verifying"}, ("forge",)),
)
"""Such phases, and the modes whose records say that the settings name the command."""
"""The phases of modes that run together."""
LENGTHS = {1: 600, 2: 900, 3: 1200}


@functools.cache
def said_together(rcs: str) -> tuple[Together, ...]:
    """Return what the agent is told of several modes, and of a run of the workspace beside one of the session."""
    found: list[Together] = []
    for typed in STARTS:
        with tempfile.TemporaryDirectory() as folder:
            answer = Scene(Path(folder), rcs).prompt(f"{typed} {TASK}", SESSION)
            name = f"{typed}: {START}"
            found.append(Together(name, answer.context, BUDGETS[START], functools.partial(_started, typed)))
    for phases, named in (*((phases, ()) for phases in RUNNING), *NAMED):
        name = " + ".join(f"{mode}, {phase}{', its command named' * (mode in named)}" for mode, phase in phases.items())
        with tempfile.TemporaryDirectory() as folder:
            enter = functools.partial(_running, phases, named)
            scene = enter(Path(folder), rcs)
            reason = scene.stop(SESSION).reason
            found.append(Together(f"{name}: {STOP}", reason, LENGTHS[len(phases)], enter, bool(named)))
            context = scene.call(SESSION_START, SESSION, source="compact").context
            found.append(Together(f"{name}: {SESSION_START}", context, BUDGETS[SESSION_START], enter, bool(named)))
    for phase in ("executing", "verifying"):
        with tempfile.TemporaryDirectory() as folder:
            reason = _beside_the_workspace(phase, Path(folder), rcs).stop(SESSION).reason
            name = f"forge of the workspace, {phase} + team: {STOP}"
            found.append(Together(name, reason, LENGTHS[3], functools.partial(_beside_the_workspace, phase)))
    return tuple(found)


def _started(typed: str, root: Path, rcs: str = "rcs") -> Scene:
    scene = Scene(root, rcs)
    scene.prompt(f"{typed} {TASK}", SESSION)
    return scene


def _running(phases: dict[str, str], named: tuple[str, ...], root: Path, rcs: str = "rcs") -> Scene:
    scene = Scene(root, rcs)
    scene.prompt(f"{' '.join(f'${mode}' for mode in phases)} {TASK}", SESSION)
    for mode, phase in phases.items():
        scene.edit(mode, SESSION, current_phase=phase, proof_named=True if mode in named else None)
    return scene


def _beside_the_workspace(phase: str, root: Path, rcs: str = "rcs") -> Scene:
    scene = Scene(root, rcs)
    scene.now = time.time()  # a record of the workspace counts for a day
    scene.write("forge", None, current_phase=phase)
    scene.prompt(f"$crew {TASK}", SESSION)
    return scene


def table() -> str:
    """Return what stands in `FILE`."""
    texts = [(f"{each.situation.name}: {each.place}", each.text) for each in said("rcs")]
    texts += [(each.name, each.text) for each in said_together("rcs")]
    return "\n".join(f"### {name}\n{text}\n" for name, text in texts)


def commands_in(text: str, rcs: str = "rcs") -> list[str]:
    """Return the commands of a text: each stands at the end of a line, after a colon or alone."""
    found = []
    for line in text.splitlines():
        _, colon, command = line.rpartition(f": {rcs} ")
        if colon or line.startswith(f"{rcs} "):
            found.append(f"{rcs} {command if colon else line.removeprefix(f'{rcs} ')}")
    return found


if __name__ == "__main__":
    FILE.write_text(table())
