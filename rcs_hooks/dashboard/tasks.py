"""The one seam to the tasks: what that room says of those of a workspace. It may not be there."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Record = dict[str, Any]

ROOM = "rcs_hooks.tasks"


def listed(roots: Iterable[str]) -> list[Record]:
    """Those last touched first."""
    if importlib.util.find_spec(ROOM) is None:
        return []
    overview = importlib.import_module(f"{ROOM}.overview")
    found = [task | {"root": root} for root in roots for task in overview.tasks(root)]
    return sorted(found, key=lambda task: task["updated_at"] or "", reverse=True)
