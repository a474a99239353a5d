"""A state machine: its states, and which state may follow which."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Edge = tuple[str, str, str | None]
    JsonObject = dict[str, object]


class Machine:
    """An immutable state machine; states and edges keep the order in which the diagram mentions them first."""

    __slots__ = (
        "_after", "_before", "_origins", "endings", "file", "initial", "labels", "name", "states", "terminal",
        "transitions",
    )  # fmt: skip

    name: str
    file: str
    """The file that declares the machine, for messages; may be empty."""
    states: tuple[str, ...]
    labels: "Mapping[str, str]"
    """The labels of the states that have one."""
    initial: tuple[str, ...]
    terminal: tuple[str, ...]
    endings: "Mapping[str, str]"
    """The labels of the edges to the end, by their source, for those that have one."""
    transitions: "tuple[Edge, ...]"
    """The edges between two states: source, target and label, each pair once, with the labels of all its edges."""
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
        endings: "Mapping[str, str] | None" = None,
    ) -> None:
        known = tuple(states), dict(labels), tuple(initial), tuple(terminal), tuple(transitions)
        fields = ("name", "file", "states", "labels", "initial", "terminal", "transitions")
        for field, value in zip(fields, (name, file, *known), strict=True):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "endings", dict(endings or {}))
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

    def _key(self) -> "tuple[object, ...]":
        told = self.name, self.file, self.states, self.labels, self.initial, self.terminal, self.transitions
        return (*told, self.endings) if self.endings else told

    def successors(self, state: str) -> tuple[str, ...]:
        """Return the states that an edge from `state` leads to, among them `state` itself if it has a loop."""
        return tuple(self._after.get(state, ()))

    def predecessors(self, state: str) -> tuple[str, ...]:
        """Return the states that an edge to `state` comes from, among them `state` itself if it has a loop."""
        return tuple(self._before.get(state, ()))

    def steps(self) -> tuple[str, ...]:
        """Return all states in reading order: breadth-first from the initial states, then the unreachable ones."""
        return (*self._reached(), *self.unreachable())

    def unreachable(self) -> tuple[str, ...]:
        """Return the states that no path from an initial state reaches."""
        reached = self._reached()
        return tuple(state for state in self.states if state not in reached)

    def _reached(self) -> dict[str, None]:
        reached = dict.fromkeys(self.initial)
        queue = list(reached)
        for state in queue:  # the queue grows while it is walked
            new = [after for after in self._after.get(state, ()) if after not in reached]
            reached.update(dict.fromkeys(new))
            queue += new
        return reached

    def origins(self, target: str) -> frozenset[str]:
        """Return the states with a path of one edge or more to `target`; `target` is among them only on a cycle."""
        if target not in self._origins:  # cached, because the rules ask for the same state many times
            seen: dict[str, None] = {}
            queue = [target]
            for state in queue:  # the queue grows while it is walked
                new = [before for before in self._before.get(state, ()) if before not in seen]
                seen.update(dict.fromkeys(new))
                queue += new
            self._origins[target] = frozenset(seen)
        return self._origins[target]

    def as_json(self) -> "JsonObject":
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
