"""The timeline, the visits and the state graph of a mode's run, from its path and its machine. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import mode_graph, mode_path
from rcs_hooks.files.clock import seconds
from rcs_hooks.runs.path import OUTSIDE
from rcs_hooks.runs.records import COMPLETED, RUNNING
from rcs_hooks.workflow.silence import QUIET

if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.dashboard.mode_path import ModePath
    from rcs_hooks.runs.path import StepVisit

Record = dict[str, Any]

CLOSED, UNKNOWN = "closed", "unknown"


def as_json(
    mode: str, definition: ModeDef | None, path: ModePath, phase: str | None, status: str, now: float
) -> Record:
    """Return `timeline`, `visits` and `graph` of a run as JSON. `definition`: None where nothing declares the mode."""
    names = _names(definition, path, phase)
    return {
        "timeline": [_step(name, definition, path, phase, status, now) for name in names],
        "visits": [visit.as_json() for visit in path.visits],
        "graph": _graph(mode, definition, path, phase),
    }


def _names(definition: ModeDef | None, path: ModePath, phase: str | None) -> list[str]:
    """Return the phases in the order in which the run was in them first, then the states that are to come."""
    known = list(definition.states) if definition else []
    seen = dict.fromkeys(step for edge in path.edges for step in edge if step != OUTSIDE)
    entered = [name for name in dict.fromkeys((*seen, phase)) if name]
    others = frozenset([name for name in entered if name not in known][: mode_path.MOST_PHASES])
    return list(dict.fromkeys((*(name for name in entered if name in known or name in others), *known)))


def _step(
    name: str, definition: ModeDef | None, path: ModePath, phase: str | None, run_status: str, now: float
) -> Record:
    visits = [visit for visit in path.visits if visit.step == name]
    is_entered = any(name in edge for edge in path.edges)
    status = visits[-1].status if visits else (COMPLETED if is_entered else None)
    if name == phase:
        status = RUNNING if run_status in (CLOSED, UNKNOWN, *QUIET) else run_status
    is_open = bool(visits) and visits[-1].ended_at is None
    spent = [length for visit in visits if (length := _length(visit, now)) is not None]
    return {
        "step": name,
        "unit": None,
        "agent": None,
        "parent": None,
        "status": status,
        "started_at": visits[0].started_at if visits else None,
        "ended_at": None if is_open or not visits else visits[-1].ended_at,
        "seconds": round(sum(spent), 3) if spent else None,
        "visits": len(visits) if visits else None,
        "stays": [],
        "label": None,
        "units": [],
        "agents": [],
        "asks": (definition.states.get(name) or None) if definition else None,
    }


def _length(visit: StepVisit, now: float) -> float | None:
    begun, ended = seconds(visit.started_at), now if visit.ended_at is None else seconds(visit.ended_at)
    return None if begun is None or ended is None else max(0.0, ended - begun)


def _graph(mode: str, definition: ModeDef | None, path: ModePath, phase: str | None) -> Record:
    if definition is None:
        return {"svg": None, "problem": f"nothing declares the mode {mode} any more, so its phases are unknown"}
    return mode_graph.drawn(mode_graph.machine_of(definition), tuple(path.edges), phase)
