"""Define an edge of the lifecycle with its guard. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rcs_hooks.tasks.failures import Failures
    from rcs_hooks.tasks.snapshot import Snapshot


def always_open(snap: Snapshot) -> Failures:
    return ()


def no_reasons(snap: Snapshot) -> Sequence[str]:
    return ()


def no_warning(snap: Snapshot) -> str | None:
    return None


class Edge(NamedTuple):
    """One edge as `lifecycle.md` draws it, and the guard that opens or closes it."""

    source: str
    target: str
    label: str | None
    guard: Callable[[Snapshot], Failures] = always_open
    """Returns every condition that does not hold; the edge is open where there is none."""
    tried: int | None = None
    """The turn of this edge among those that `next` tries from a phase. Problem edges come first, so that contradictory
    artifacts send a task back; the last one is the way forward. None where only `redo` takes the edge."""
    why: Callable[[Snapshot], Sequence[str]] = no_reasons
    """Returns what sends a task back, so that the next round knows what to change."""
    warning: Callable[[Snapshot], str | None] = no_warning
    """Returns what a person should know about a move that the guard allows, or None."""
