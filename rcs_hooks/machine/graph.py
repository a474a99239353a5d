"""A machine: states, and which may follow which.

A plain class, for every `rcs emit` loads it: a NamedTuple costs the import of typing, and more than the whole reading.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Edge = tuple[str, str, str | None]


class Machine:
    """Immutable. States and edges stand in the order in which they were first mentioned."""

    __slots__ = (
        "_after", "_before", "_origins", "file", "initial", "labels", "name", "states", "terminal", "transitions",
    )  # fmt: skip

    name: str
    file: str
    """Where it was read, for messages; empty if nowhere."""
    states: tuple[str, ...]
    labels: "Mapping[str, str]"
    """Only of states that have one."""
    initial: tuple[str, ...]
    terminal: tuple[str, ...]
    transitions: "tuple[Edge, ...]"
    """Between two states; each pair once, with its label."""
    _after: dict[str, list[str]]
    _before: dict[str, list[str]]
    _origins: dict[str, frozenset[str]]

    def __init__(
        self,
        name: str,
        file: str,
        states: "Iterable[str]",
        labels: "Mapping[str, str]",
        initial: "Iterable[str]",
        terminal: "Iterable[str]",
        transitions: "Iterable[Edge]",
    ) -> None:
        known = tuple(states), dict(labels), tuple(initial), tuple(terminal), tuple(transitions)
        fields = ("name", "file", "states", "labels", "initial", "terminal", "transitions")
        for field, value in zip(fields, (name, file, *known), strict=True):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "_after", _grouped((source, target) for source, target, _ in known[4]))
        object.__setattr__(self, "_before", _grouped((target, source) for source, target, _ in known[4]))
        object.__setattr__(self, "_origins", {})

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"a machine is never changed, so {field} cannot be set")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.name, self.file, self.states, self.transitions))

    def __repr__(self) -> str:
        return f"Machine({', '.join(map(repr, self._key()))})"

    def _key(self) -> "tuple[Any, ...]":
        return self.name, self.file, self.states, self.labels, self.initial, self.terminal, self.transitions

    def successors(self, state: str) -> tuple[str, ...]:
        """The states that an edge leads to; the state itself, if it has a loop."""
        return tuple(self._after.get(state, ()))

    def predecessors(self, state: str) -> tuple[str, ...]:
        """The states that an edge comes from; the state itself, if it has a loop."""
        return tuple(self._before.get(state, ()))

    def steps(self) -> tuple[str, ...]:
        """In the order to be shown: breadth-first from the starts, then what no start reaches."""
        return (*self._reached(), *self.unreachable())

    def unreachable(self) -> tuple[str, ...]:
        """The states that no start leads to."""
        reached = self._reached()
        return tuple(state for state in self.states if state not in reached)

    def _reached(self) -> dict[str, None]:
        reached = dict.fromkeys(self.initial)
        queue = list(reached)
        for state in queue:  # it grows meanwhile
            new = [after for after in self._after.get(state, ()) if after not in reached]
            reached.update(dict.fromkeys(new))
            queue += new
        return reached

    def origins(self, target: str) -> frozenset[str]:
        """The states that a path of one edge or more leads from to this one; so it is its own only on a cycle."""
        if target not in self._origins:  # a large diagram asks for the same again and again
            seen: dict[str, None] = {}
            queue = [target]
            for state in queue:  # it grows meanwhile
                new = [before for before in self._before.get(state, ()) if before not in seen]
                seen.update(dict.fromkeys(new))
                queue += new
            self._origins[target] = frozenset(seen)
        return self._origins[target]

    def as_json(self) -> "dict[str, Any]":
        return {
            "name": self.name,
            "file": self.file,
            "states": list(self.states),
            "labels": dict(self.labels),
            "initial": list(self.initial),
            "terminal": list(self.terminal),
            "transitions": [list(edge) for edge in self.transitions],
            "steps": list(self.steps()),
        }


def _grouped(pairs: "Iterable[tuple[str, str]]") -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
