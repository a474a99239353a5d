"""Describe the tasks of workspaces as JSON: their phase, and each gate with what opens or closes it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import RcsError, reason_of
from rcs_hooks.files.clock import seconds
from rcs_hooks.tasks import edges, flow, phases
from rcs_hooks.tasks.author import signature
from rcs_hooks.tasks.store import TaskStore, names
from rcs_hooks.text import clean
from rcs_hooks.workflow.proof import words_of as proof_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.tasks.snapshot import Snapshot
    from rcs_hooks.tasks.state import TaskState

Record = dict[str, Any]

MOST = 200
"""The most tasks of one workspace."""
MOST_REASONS, LONGEST = 10, 200


def lifecycle() -> Record:
    """Return all phases, and the path through them where nothing goes wrong, as JSON."""
    return {"phases": list(phases.PHASES), "path": edges.main_path()}


def list_tasks(roots: Iterable[str], now: float) -> list[Record]:
    """Return the tasks of workspaces as JSON, the one that was changed last first."""
    tasks = [task for root in roots for task in _of(root, now)]
    return sorted(tasks, key=lambda task: task["updated_at"] or "", reverse=True)


def waits(task: Record) -> bool:
    """Tell whether a task, as JSON, waits for a decision: it is in accept, and nothing yet leads out of it."""
    return task["phase"] == phases.ACCEPT and not any(gate["suggested"] for gate in task["gates"])


def _of(root: str, now: float) -> list[Record]:
    if not os.path.isdir(root):
        return []
    try:
        found = names(root)
    except (RcsError, OSError):
        return []
    return [_task(root, name, now) for name in found[:MOST]]


def _task(root: str, name: str, now: float) -> Record:
    """Return a task as JSON; if it cannot be read, `problem` says why, and other tasks are not affected."""
    task: Record = {
        "task_id": name, "root": root, "phase": None, "round": None, "done": False, "created_at": None,
        "updated_at": None, "why": [], "proof": None, "decision": None, "gates": [], "problem": None,
    }  # fmt: skip
    try:
        store = TaskStore(root, name, now)
        state = store.state()
        task |= _fields(state)
        snapshot = store.snapshot(state)
        return task | {"decision": _decision(state, snapshot), "gates": _gates(state, snapshot)}
    except RcsError as error:
        return task | {"problem": " ".join(str(error).split())}
    except OSError as error:
        return task | {"problem": f"it cannot be read: {reason_of(error)}"}


def _fields(state: TaskState) -> Record:
    return {
        "phase": state.phase,
        "round": state.round,
        "done": state.phase == phases.DONE,
        "created_at": clean(state.record.get("created_at")) or None,
        "updated_at": clean(state.record.get("updated_at")) or None,
        "why": list(state.why),
        "proof": state.proof and {"verdict": state.proof.state, "says": proof_words(state.proof)},
    }


def _decision(state: TaskState, snapshot: Snapshot) -> Record | None:
    """Return the decision in accept with who gave it; None if there is none."""
    decision = snapshot.read(phases.DECISION).value
    if decision is None:
        return None
    at = clean(decision.decided_at)
    reasons = [clean(each, LONGEST) for each in decision.reasons[:MOST_REASONS]]
    return {
        "decision": decision.decision,
        "by": signature(decision.decided_by, state.finished_by),
        "at": at if seconds(at) is not None else None,
        "reasons": [each for each in reasons if each],
    }


def _gates(state: TaskState, snapshot: Snapshot) -> list[Record]:
    following = flow.decide(state.phase, snapshot, flow.Request(flow.NEXT), state.rounds)
    target = following.target if isinstance(following, flow.Move) else None
    return [
        {
            "to": gate.to,
            "label": gate.label,
            "open": not gate.failed,
            "reasons": [failure.words for failure in gate.failed] or ([gate.label] if gate.label else []),
            "suggested": gate.to == target,
        }
        for gate in flow.gates(state.phase, snapshot)
    ]
