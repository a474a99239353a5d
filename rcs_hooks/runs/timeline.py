"""One run as it is shown: its steps, and units and agents under the step that they belong to. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rcs_hooks.machine.graph import Machine
    from rcs_hooks.runs.progress import Row

Record = dict[str, Any]


def flat(rows: Iterable[Row], now_ms: int) -> list[Record]:
    """Every step and unit, in the order in which they were first heard of."""
    return [_shown(row, now_ms) for row in sorted(rows, key=lambda row: (row.started_at or "~", row.last))]


def nested(rows: Iterable[Row], now_ms: int, machine: Machine | None = None) -> list[Record]:
    """The steps, with those to come where a machine is known. An agent from before the first one stands under ""."""
    rows = sorted(rows, key=lambda row: row.last)
    own = {row.step: row for row in rows if row.is_step_level}
    others = [row for row in rows if not row.is_step_level]
    names = dict.fromkeys((*(machine.steps() if machine else ()), *own, *(row.parent for row in others)))
    return [
        _step(name, own.get(name), [row for row in others if row.parent == name], now_ms, machine) for name in names
    ]


def _step(name: str, own: Row | None, rows: list[Row], now_ms: int, machine: Machine | None) -> Record:
    units = [row for row in rows if row.unit and not row.agent]
    agents: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.agent:
            agents.setdefault((row.agent, row.unit), []).append(row)
    shown = _shown(own, now_ms) if own else {"step": name, "unit": None} | dict.fromkeys(TIMES) | {"status": None}
    return shown | {
        "label": machine.labels.get(name) if machine else None,
        "units": [_shown(row, now_ms) for row in units],
        "agents": [_agent(each, now_ms) for each in agents.values()],
    }


def _agent(rows: Sequence[Row], now_ms: int) -> Record:
    """An agent, or one unit of it: where it is, and the way it came."""
    last = rows[-1]
    return {
        "agent": last.agent,
        "unit": last.unit or None,
        "step": last.step,
        "status": last.status,
        "started_at": min((row.started_at for row in rows if row.started_at), default=None),
        "ended_at": last.ended_at,
        "steps": [_shown(row, now_ms) for row in rows],
    }


TIMES = ("started_at", "ended_at", "seconds", "visits")


def _shown(row: Row, now_ms: int) -> Record:
    spent = row.spent_ms + (max(0, now_ms - row.open_ms) if row.open_ms is not None else 0)
    return {
        "step": row.step,
        "unit": row.unit or None,
        "agent": row.agent or None,
        "parent": None if row.is_step_level else row.parent or None,
        "status": row.status,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "seconds": spent / 1000,
        "visits": row.visits,
    }
