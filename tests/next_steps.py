"""Makes `tests/workflow/next_steps.txt` anew: `python -m tests.next_steps`. Read what has changed before you commit it.

It has what the agent is told in every phase of every mode that ships: when a prompt starts the run or takes it up, when
its Stop is held, when it has written the phase, and when its session starts again.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import NamedTuple

from rcs_hooks.catalog import MODES
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import respond
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.write_reply import Written, write_reply
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import CHECKOUT, Answer, Record, Workspace

FILE = CHECKOUT / "tests" / "workflow" / "next_steps.txt"
SESSION = "0197f4a2-6b1c-7d3e-8f90-a1b2c3d4e5f6"
TASK = "fix the rounding of the totals and add a transfer between two accounts"
REASON = "two writers race"

START, RESUME, STOP, REPLY, SESSION_START = "start", "resume", "Stop", "reply", "SessionStart"
BUDGETS = {START: 700, RESUME: 700, STOP: 600, REPLY: 600, SESSION_START: 900}


class Situation(NamedTuple):
    """A run in a phase, in its first round or a later one; `verdict` is that of a review."""

    mode: str
    phase: str
    is_later: bool = False
    verdict: str = ""

    @property
    def name(self) -> str:
        later = ", a later round" if self.is_later else ""
        return f"{self.mode}, {self.phase}{later}{f', verdict {self.verdict}' if self.verdict else ''}"

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
def said(rcs: str = "rcs") -> tuple[Said, ...]:
    """Return all that the agent is told, where its shell calls the program by these words."""
    found: list[Said] = []
    for situation in situations():
        with tempfile.TemporaryDirectory() as folder:
            found += said_in(situation, Path(folder), rcs)
    return tuple(found)


def table() -> str:
    return "\n".join(f"### {each.situation.name}: {each.place}\n{each.text}\n" for each in said())


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
