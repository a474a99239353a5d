"""The one seam to the tasks: what that room says of those of a workspace. It may not be there."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.errors import RcsError
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

Record = dict[str, Any]

ROOM = "rcs_hooks.tasks"
MOST = 200
"""Of one workspace."""


def listed(roots: Iterable[str], now: float) -> list[Record]:
    """Those last touched first."""
    if importlib.util.find_spec(ROOM) is None:
        return []
    found = [task for root in roots for task in _of(root, now)]
    return sorted(found, key=lambda task: task["updated_at"] or "", reverse=True)


def _room(name: str) -> Any:
    return importlib.import_module(f"{ROOM}.{name}")


def _of(root: str, now: float) -> list[Record]:
    if not os.path.isdir(root):
        return []
    try:
        names = _room("store").names(root)
    except (RcsError, OSError):
        return []
    return [_shown(root, name, now) for name in names[:MOST]]


def _shown(root: str, name: str, now: float) -> Record:
    """One that cannot be read hides no other."""
    shown: Record = {
        "task_id": name, "root": root, "phase": None, "round": None, "done": False, "created_at": None,
        "updated_at": None, "gates": [], "problem": None,
    }  # fmt: skip
    try:
        store = _room("store").Store(root, name, now)
        state = store.state()
        shown |= _known(state)
        return shown | {"gates": _gates(state, store.snapshot(state))}
    except RcsError as error:
        return shown | {"problem": " ".join(str(error).split())}
    except OSError as error:
        return shown | {"problem": f"it cannot be read: {(error.strerror or str(error)).lower()}"}


def _known(state: Record) -> Record:
    return {
        "phase": state["phase"],
        "round": _room("state").rounds(state).get(state["phase"], 0),
        "done": state["phase"] == _room("phases").DONE,
        "created_at": clean(state.get("created_at")) or None,
        "updated_at": clean(state.get("updated_at")) or None,
    }


def _gates(state: Record, snapshot: Any) -> list[Record]:
    flow = _room("flow")
    following = flow.decide(state["phase"], snapshot, flow.Request(flow.NEXT), _room("state").rounds(state))
    target = following.target if isinstance(following, flow.Move) else None
    return [
        {
            "to": way.to,
            "label": way.label,
            "open": not way.failed,
            "reasons": [failure.words for failure in way.failed] or ([way.label] if way.label else []),
            "suggested": way.to == target,
        }
        for way in flow.allowed(state["phase"], snapshot)
    ]
