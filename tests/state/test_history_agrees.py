"""State and history agree after any story, whatever was killed in it at whichever call to the disk."""

from __future__ import annotations

import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.cli.options import scope
from rcs_hooks.config import ProofSettings
from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError
from rcs_hooks.files import clock
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.transaction import recover
from rcs_hooks.hook.entry import respond
from rcs_hooks.proof import tree
from rcs_hooks.state import clearing, history, proving, question_service, writing
from rcs_hooks.state import session as sessions
from rcs_hooks.workflow.lifecycle import is_active, outcome_of, spelled
from rcs_hooks.workflow.proof import Proof
from tests.files.test_transaction import killed_at
from tests.properties import examples
from tests.support import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.workflow.mode_record import ModeRecord

PROMPTS = (
    "$forge fix it", "$blueprint plan it", "$brief ask me", "$crew build it", "$ulw", "$autoforge all of it",
    "$cancel", "$cancel $forge again", "$blueprint $forge", "go on", "the first", "what now?", "/help",
)  # fmt: skip
MODES = ("forge", "blueprint", "team", "ultrawork", "autopilot", "deep-interview")
WRITES: tuple[dict[str, Any], ...] = (
    {"current_phase": "executing"}, {"current_phase": "verifying"}, {"current_phase": "fixing"},
    {"current_phase": "code-review"}, {"iteration": 2}, {"iteration": 3, "current_phase": "verifying"},
    {"lifecycle_outcome": "finished"}, {"lifecycle_outcome": "failed", "reason": "no disk"},
    {"lifecycle_outcome": "blocked"}, {"lifecycle_outcome": "askuserQuestion"}, {"active": False}, {"active": True},
    {"active": True, "current_phase": "executing"}, {"state": {"note": "x"}},
)  # fmt: skip

prompts = st.tuples(st.just("prompt"), st.sampled_from(PROMPTS), st.none())
writes = st.tuples(st.just("write"), st.sampled_from(MODES), st.sampled_from(WRITES))
others = st.tuples(st.sampled_from(["stop", "ask", "clear", "start"]), st.sampled_from(MODES), st.none())
proofs = st.tuples(
    st.just("prove"), st.sampled_from([*MODES, ""]), st.tuples(st.integers(0, 1), st.booleans(), st.booleans())
)
kills = st.one_of(st.none(), st.none(), st.integers(1, 60))
stories = st.lists(st.tuples(st.one_of(prompts, writes, others, proofs), kills, st.booleans()), min_size=1, max_size=14)


class RunState(NamedTuple):
    """Where a mode has got to, as its history tells."""

    is_active: bool = False
    phase: str = ""
    iteration: int | None = None
    outcome: str = ""
    """The word that people read for the outcome; empty while the run goes on."""
    title: str = ""


def replay(events: list[history.Event]) -> dict[str, RunState]:
    """Return where each mode has got to after these events, oldest first."""
    found: dict[str, RunState] = {}
    for event in events:
        found[event.mode] = after(event, found.get(event.mode, RunState()))
    return found


def after(event: history.Event, before: RunState) -> RunState:
    title = event.title if event.event == history.STARTED else event.title or before.title
    if event.event == history.OUTCOME or (event.event == history.PROOF and spelled(event.to)):
        return RunState(False, event.from_, event.iteration, event.to, title)
    if event.event == history.HANDOFF:
        return RunState(False, event.from_, event.iteration, "finished", title)
    if event.event == history.QUESTION:
        return RunState(True, event.to, event.iteration, history.text_of(event.data.get("outcome")), title)
    # A run that waits goes on waiting in another phase, and whatever a command has proven.
    goes_on = event.event in (history.PHASE, history.PROOF) and before.is_active
    waits_for = before.outcome if goes_on else ""
    return RunState(True, event.to, event.iteration, waits_for, title)


class Story:
    """A session to which things happen, some of them cut short by a kill."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root, now=time.time())
        self.folder = str(self.workspace.state)

    def step(self, what: tuple[str, str, Any], kill: int | None, *, torn: bool) -> None:
        self.workspace.now += 1
        self.workspace.turns += 1
        action = self.action(*what)
        if kill is None:
            action()
        else:
            killed_at(kill, action, torn=torn)

    def action(self, kind: str, word: str, fields: Any) -> Callable[[], object]:
        at = scope({}, str(self.workspace.root), str(self.workspace.root), "s1", self.workspace.now)
        turn = f"turn-{self.workspace.turns}"
        calls: dict[str, dict[str, Any]] = {
            "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": word},
            "stop": {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": word},
            "start": {"hook_event_name": "SessionStart", "source": "resume"},
        }

        def act() -> None:
            with suppress(RcsError):
                if kind in calls:
                    raw = self.workspace.payload("", turn_id=turn, **calls[kind])
                    respond(raw, Environment(self.workspace.env, str(self.workspace.root), self.workspace.now, "rcs"))
                elif kind == "write":
                    writing.write(at, word, fields)
                elif kind == "ask":
                    question_service.ask(at, word, "Which one?", ("the first", "the second"))
                elif kind == "clear":
                    clearing.clear(at, word)
                else:
                    self.prove(at, word, *fields)

        return act

    def prove(self, at: Any, mode: str, status: int, finish: bool, edits: bool) -> None:
        """What `rcs prove` does around a command, which may change a file that nobody tracks."""
        chosen = proving.choose(at, [mode] if mode else None)
        if edits:
            (self.workspace.root / f"made-{self.workspace.turns}").touch()
        digest = tree.fingerprint(str(self.workspace.root), {}).digest
        proof = Proof(f"make {self.workspace.turns}", status, 1.0, clock.iso(at.now), digest)
        proving.keep(at, chosen, proof, b"ok", finish=finish, settings=ProofSettings())

    def check_proof(self, mode: str, record: ModeRecord, lines: list[history.Event]) -> None:
        """Compare the proof and the verdict of a record with the last events that tell of them."""
        found = [event for event in lines if event.mode == mode]
        is_known = any(event.event == history.STARTED for event in found)
        run = found[max((at for at, event in enumerate(found) if event.event == history.STARTED), default=0) :]
        told = [event.data["command"] for event in run if event.event == history.PROOF]
        if is_known:
            assert (told[-1] if told else None) == (record.proof and record.proof.command), f"{mode}: {told}, {record}"
        if run and run[-1].event == history.OUTCOME and run[-1].to == "finished":
            verdict = record.proof_status.state if record.has("proof") else None
            assert run[-1].data.get("proof") == verdict, f"{mode}: {run[-1]}, {record}"

    def check(self) -> None:
        """Compare what the records say with what the history tells, both read without the lock."""
        view = sessions.load(self.folder, "s1", self.workspace.now)
        lines = history.read(self.folder, "s1", 10_000)
        told = replay(lines)
        for mode in {*view.own, *told}:
            state = told.get(mode, RunState())
            record = view.own.get(mode)
            if record is None:
                assert not state.is_active, f"{mode} has no record, and runs by its history"
                continue
            assert state.is_active == is_active(record), f"{mode}: {state}, {record}"
            self.check_proof(mode, record, lines)
            outcome = outcome_of(record)
            if is_active(record):
                found = RunState(True, record.phase, record.iteration, outcome.public or "", record.title)
                assert state == found, f"{mode}: {state}, {found}"
            elif mode in told:
                ended = history.CLEARED if record.is_tombstone else str(outcome.public) if outcome.ends else history.OFF
                assert state.outcome in (ended, history.CLEARED), f"{mode}: {state}, {record}"
        numbers = [event.n for event in lines]
        assert numbers == sorted(set(numbers))
        if numbers:
            assert numbers == [*range(numbers[0], numbers[-1] + 1)], "an event is missing"
        assert not any("gap" in event.data for event in lines)


@examples(150)
@given(story=stories)
def test_state_and_history_agree_after_every_step(story: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        played = Story(Path(folder))
        for what, kill, torn in story:
            played.step(what, kill, torn=torn)
            played.check()
        if played.workspace.state.exists():
            with Lock(played.folder):
                recover(played.folder)
            played.check()
