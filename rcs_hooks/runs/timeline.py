"""A run as it is shown: its steps, and the units and agents under the step that they belong to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.records import StepRecord

TIMES = ("started_at", "ended_at", "seconds", "visits")


def flat(steps: Iterable[StepRecord], now_ms: int) -> list[JsonObject]:
    """Return every step, unit and agent as JSON, ordered by start; those that never started come last."""
    return [_as_json(step, now_ms) for step in sorted(steps, key=lambda step: (step.started_at or "~", step.last))]


def nested(steps: Iterable[StepRecord], now_ms: int, machine: Machine | None = None) -> list[JsonObject]:
    """Return the steps of the workflow as JSON, each with its units and agents.

    `machine` adds the steps that are still to come. Agents that were reported before the first step are in a step
    "".
    """
    steps = sorted(steps, key=lambda step: step.last)
    own = {step.step: step for step in steps if step.is_step_level}
    others = [step for step in steps if not step.is_step_level]
    names = dict.fromkeys((*(machine.steps() if machine else ()), *own, *(step.parent for step in others)))
    return [
        _step(name, own.get(name), [step for step in others if step.parent == name], now_ms, machine) for name in names
    ]


def _step(
    name: str, own: StepRecord | None, others: list[StepRecord], now_ms: int, machine: Machine | None
) -> JsonObject:
    units = [step for step in others if step.unit and not step.agent]
    agents: dict[tuple[str, str], list[StepRecord]] = {}
    for step in others:
        if step.agent:
            agents.setdefault((step.agent, step.unit), []).append(step)
    to_come: JsonObject = {"step": name, "unit": None} | dict.fromkeys(TIMES) | {"status": None}
    return (_as_json(own, now_ms) if own else to_come) | {
        "label": machine.labels.get(name) if machine else None,
        "units": [_as_json(step, now_ms) for step in units],
        "agents": [_agent(each, now_ms) for each in agents.values()],
    }


def _agent(steps: Sequence[StepRecord], now_ms: int) -> JsonObject:
    """Return an agent, or one unit of it, as JSON: its present step, and all `steps` that it took, given in order."""
    last = steps[-1]
    return {
        "agent": last.agent,
        "unit": last.unit or None,
        "step": last.step,
        "status": last.status,
        "started_at": min((step.started_at for step in steps if step.started_at), default=None),
        "ended_at": last.ended_at,
        "steps": [_as_json(step, now_ms) for step in steps],
    }


def _as_json(step: StepRecord, now_ms: int) -> JsonObject:
    spent = step.spent_ms + (max(0, now_ms - step.open_ms) if step.open_ms is not None else 0)
    return {
        "step": step.step,
        "unit": step.unit or None,
        "agent": step.agent or None,
        "parent": None if step.is_step_level else step.parent or None,
        "status": step.status,
        "started_at": step.started_at,
        "ended_at": step.ended_at,
        "seconds": spent / 1000,
        "visits": step.visits,
    }
