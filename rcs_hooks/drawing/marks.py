"""What is marked in a picture of a machine: the path of a run, and where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Marks(NamedTuple):
    """What is marked: how often a run took each edge, the states that it was in, and the one where it is."""

    taken: Mapping[tuple[str, str], int]
    visited: frozenset[str]
    current: str | None

    @classmethod
    def of(cls, path: Sequence[tuple[str, str]], current: str | None) -> Marks:
        """Return the marks for the edges that a run took, from `[*]` on."""
        taken: dict[tuple[str, str], int] = {}
        for pair in path:
            taken[pair] = taken.get(pair, 0) + 1
        return cls(taken, frozenset(state for pair in path for state in pair), current)
