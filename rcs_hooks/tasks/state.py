"""state.json: what it must hold to be used, and what a move makes of it. Pure."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import Refused
from rcs_hooks.tasks import messages, phases
from rcs_hooks.tasks.phases import DONE, PHASES, PLANNING
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Record = dict[str, Any]
PENDING, COMPLETED = "pending", "completed"


def checked(found: Record) -> Record:
    """Raises Refused where it says nothing that can be acted upon."""
    phase = found.get("phase")
    if not isinstance(phase, str):
        raise Refused(messages.wrong_state("phase", _shown(found, "phase"), f"one of {', '.join(PHASES)}"))
    if phase not in PHASES:
        raise Refused(messages.unknown_phase(_spelled(phase)))
    actors = found.get("actors", {})
    if not isinstance(actors, dict):
        raise Refused(messages.wrong_state("actors", _shown(found, "actors"), "an object"))
    for name, actor in actors.items():
        _check_actor(f"actors.{clean(name)}", actor)
    return found


def _check_actor(field: str, actor: object) -> None:
    if not isinstance(actor, dict):
        raise Refused(messages.wrong_state(field, _kind(actor), "an object"))
    number = actor.get("round", 1)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise Refused(messages.wrong_state(f"{field}.round", _kind(number), "a whole number from 1"))
    if not isinstance(actor.get("status"), str | None):
        raise Refused(messages.wrong_state(f"{field}.status", _kind(actor["status"]), "a word or null"))


def _shown(record: Mapping[str, Any], key: str) -> str:
    return _kind(record[key]) if key in record else "missing"


def _kind(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return str(value).lower() if value is not None else "null"
    return clean(value if isinstance(value, str) else str(value)[:40]) or "empty"


def _spelled(phase: str) -> str:
    """To the letter, blanks too: they may be what is wrong with it."""
    return "".join(char if char.isprintable() else " " for char in phase[:40])


def rounds(state: Record) -> dict[str, int]:
    """How often each phase was entered."""
    return {name: int(actor.get("round", 0)) for name, actor in _actors(state)}


def statuses(state: Record) -> dict[str, str | None]:
    return {name: actor.get("status") for name, actor in _actors(state)}


def _actors(state: Record) -> Iterator[tuple[str, Record]]:
    yield from state.get("actors", {}).items()


def new(task: str, at: str) -> Record:
    actors = {PLANNING: {"round": 1, "status": PENDING}}
    return {"task_id": task, "phase": PLANNING, "actors": actors, "created_at": at, "updated_at": at}


def moved(state: Record, source: str, target: str, at: str) -> Record:
    """The phase that is entered begins a round; what came after it is no longer begun. Nothing else is touched."""
    after = copy.deepcopy(state)
    actors = after.setdefault("actors", {})
    if phases.is_back(source, target):
        for phase in phases.later(target):
            if phase in actors:
                actors[phase]["status"] = None
    elif source in actors:
        actors[source]["status"] = COMPLETED
    entered = actors.setdefault(target, {})
    entered["round"] = entered.get("round", 0) + 1
    entered["status"] = COMPLETED if target == DONE else PENDING
    after["phase"], after["updated_at"] = target, at
    return after
