"""Read state.json, and compute what a move makes of it. Pure."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused
from rcs_hooks.tasks import messages, phases
from rcs_hooks.tasks.phases import DONE, PHASES, PLANNING, REVERT
from rcs_hooks.text import clean
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.proof import FIELD, PROVEN, status_of, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.proof import ProofStatus

PENDING, COMPLETED = "pending", "completed"
BASE, COLLECTED = "start", "collected"
"""The fields of state.json that say which commit was checked out when the task began, and what was taken from git."""
REQUIRED_BY, REQUIRED_COMMAND = "required_by", "required_command"
"""The keys of a verdict where the person requires a proof: who says so, and which command proves."""
COMMAND_LENGTH = 200
WHY, BY = "why", "by"
MOST_REASONS = 6
LONGEST_REASON = 240


class Actor(NamedTuple):
    """What state.json says about one phase: how often it was entered, and what its agent reports."""

    round: int = 0
    status: str | None = None
    why: tuple[str, ...] = ()
    """What sent the task back to this phase, and is to be changed there; empty if it came forward."""
    by: str = ""
    """Who took the task to this phase last; empty if nobody knows."""


class LackingProof(NamedTuple):
    """What is missing where a proof is required: what there is instead, who requires it, and which command proves."""

    found: str
    required_by: str
    command: str


class TaskState(NamedTuple):
    """A state.json that was checked: the fields that are known, and the whole record, which survives every write."""

    phase: str
    actors: Mapping[str, Actor]
    record: JsonObject

    @property
    def round(self) -> int:
        """Return how often the present phase was entered."""
        return self.round_of(self.phase)

    @property
    def why(self) -> tuple[str, ...]:
        """Return what sent the task back to the present phase; empty if nothing did."""
        return self.actors.get(self.phase, Actor()).why

    @property
    def finished_by(self) -> str:
        """Return who took the task to done; empty if it is not done, or nobody knows."""
        return self.actors.get(DONE, Actor()).by if self.phase == DONE else ""

    @property
    def start(self) -> str | None:
        """Return the commit at which the task began; empty before the first one, None if that is not known."""
        start = self.record.get(BASE)
        commit = start.get("commit") if isinstance(start, dict) else None
        return commit if isinstance(commit, str) and (commit.isalnum() or not commit) else None

    @property
    def collected(self) -> dict[str, str]:
        """Return the hash of each thing that was taken from git last, by its path."""
        collected = self.record.get(COLLECTED)
        hashes = collected.get("hashes") if isinstance(collected, dict) else None
        found = hashes if isinstance(hashes, dict) else {}
        return {path: digest for path, digest in found.items() if isinstance(digest, str)}

    @property
    def proof(self) -> ProofStatus | None:
        """Return the verdict on the tests of the task; None before it has come to acceptance."""
        if FIELD not in self.record:
            return None
        return status_of(ModeRecord.from_json(self.record))

    @property
    def lacking_proof(self) -> LackingProof | None:
        """Return what is missing where the person requires a proof; None where nothing is, or no proof is required."""
        stored, proof = self.record.get(FIELD), self.proof
        required_by = stored.get(REQUIRED_BY) if isinstance(stored, dict) else None
        if proof is None or proof.state == PROVEN or not isinstance(required_by, str):
            return None
        command = stored.get(REQUIRED_COMMAND) if isinstance(stored, dict) else None
        return LackingProof(words_of(proof), clean(required_by), clean(command, COMMAND_LENGTH))

    def judged(self, verdict: JsonObject | None) -> TaskState:
        """Return the state with a verdict on its tests; as it is where there is none."""
        return self if verdict is None else self._replace(record={**self.record, FIELD: verdict})

    def round_of(self, phase: str) -> int:
        return self.actors.get(phase, Actor()).round

    @property
    def rounds(self) -> dict[str, int]:
        return {name: actor.round for name, actor in self.actors.items()}

    @property
    def statuses(self) -> dict[str, str | None]:
        return {name: actor.status for name, actor in self.actors.items()}


def parse(record: JsonObject) -> TaskState:
    """Return the state that a record holds. Raises Refused for an impossible phase or actor; nothing is repaired."""
    phase = record.get("phase")
    if not isinstance(phase, str):
        raise Refused(messages.wrong_state("phase", _shown(record, "phase"), f"one of {', '.join(PHASES)}"))
    if phase not in PHASES:
        raise Refused(messages.unknown_phase(_spelled(phase)))
    actors = record.get("actors", {})
    if not isinstance(actors, dict):
        raise Refused(messages.wrong_state("actors", _shown(record, "actors"), "an object"))
    return TaskState(phase, {name: _actor(f"actors.{clean(name)}", actor) for name, actor in actors.items()}, record)


def _actor(field: str, actor: object) -> Actor:
    if not isinstance(actor, dict):
        raise Refused(messages.wrong_state(field, _value(actor), "an object"))
    number, status = actor.get("round", 0), actor.get("status")
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise Refused(messages.wrong_state(f"{field}.round", _value(number), "a whole number from 1"))
    if not isinstance(status, str | None):
        raise Refused(messages.wrong_state(f"{field}.status", _value(status), "a word or null"))
    return Actor(number, status, _reasons(actor.get(WHY)), clean(actor.get(BY)))


def _reasons(why: object) -> tuple[str, ...]:
    """Return what is readable of the reasons in a record, cleaned and bounded: a repository may bring any."""
    texts = why[:MOST_REASONS] if isinstance(why, list) else []
    return tuple(text for text in (clean(each, LONGEST_REASON) for each in texts) if text)


def _shown(record: JsonObject, key: str) -> str:
    return _value(record[key]) if key in record else "missing"


def _value(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    return clean(value if isinstance(value, str) else str(value)[:40]) or "empty"


def _spelled(phase: str) -> str:
    """Return an unknown phase as written, blanks included: they may be what is wrong with the name."""
    return "".join(char if char.isprintable() else " " for char in phase[:40])


def new(task: str, at: str, start: str | None = None) -> JsonObject:
    """Return the record of a new task, which begins in planning. `start`: the commit that is checked out, if known."""
    actors = {PLANNING: {"round": 1, "status": PENDING}}
    begun: JsonObject = {} if start is None else {BASE: {"commit": start}}
    return {"task_id": task, "phase": PLANNING, "actors": actors, "created_at": at, "updated_at": at, **begun}


def collected(state: TaskState, base: str, hashes: Mapping[str, str], at: str) -> JsonObject:
    """Return the content of state.json after the code was taken from git; `hashes` are those of what was taken."""
    return {**state.record, COLLECTED: {"base": base, "hashes": dict(hashes), "at": at}}


def moved(state: TaskState, target: str, at: str, why: Sequence[str] = (), by: str = "") -> JsonObject:
    """Return the content of state.json after a move of the task to the phase `target`, which `by` asked for.

    `why` is what sent it back.

    The number of rounds of that phase goes up by one. A move back sets the status of every later phase to None, and
    removes an old verdict on the tests. The reasons of an earlier move are removed, unless the same phase is done
    again. Nothing else is changed; unknown keys stay.
    """
    source, after = state.phase, copy.deepcopy(state.record)
    actors = after.get("actors")
    if not isinstance(actors, dict):  # there is none; `parse` has refused everything else
        actors = after["actors"] = {}
    if phases.is_back(source, target):
        for phase in phases.later(target):
            if phase in actors:
                actors[phase]["status"] = None
    elif source in actors:
        actors[source]["status"] = COMPLETED
    entered = actors.setdefault(target, {})
    entered["round"] = entered.get("round", 0) + 1
    entered["status"] = COMPLETED if target == DONE else PENDING
    if by:
        entered[BY] = by
    else:
        entered.pop(BY, None)
    if why:
        entered[WHY] = shortened(why)
    elif source != target:
        entered.pop(WHY, None)
    if phases.is_back(source, target) or target == REVERT:
        after.pop(FIELD, None)
    after["phase"], after["updated_at"] = target, at
    return after


def shortened(why: Sequence[str]) -> list[str]:
    """Return the first reasons, and how many more there are."""
    most = MOST_REASONS - 1
    return [*why] if len(why) <= most else [*why[:most], f"and {len(why) - most} more"]
