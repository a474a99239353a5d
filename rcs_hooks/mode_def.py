"""Defines `ModeDef`: what a mode is called, what may run beside it, and the machine that its phases are the states of.

The eight modes that ship and the modes that a person or a project declares are objects of this one class. Nothing is
imported here, because every hook call that has work loads it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from rcs_hooks.jsontext import JsonObject

PLANNING = "planning-like"
EXECUTION = "execution-like"

HOME, PROJECT = "home", "project"
"""Where the file of an own mode lies: in the person's home, or in the project. That of a mode that ships is ""."""

END = ""
"""The target of an edge to `[*]`."""

LONGEST_NAME = 40
LONGEST_TEXT = 120
"""How much of the text of a state or an event is kept."""
MOST_STATES = 40
MOST_EDGES = 200
MOST_NAMES = 20
MOST_ITERATIONS = 10_000
LONGEST_FILE = 4096


class ModeDef:
    """The definition of one mode.

    `kind`: `PLANNING` or `EXECUTION`. `first_phase`, `iteration`, `max_iterations`: what a new record begins with.
    `tokens`: what a person may type after the `$`; the first is the name of the mode's skill.
    `misnamed`: what people type by mistake, each with the token that they mean.
    `after`: the modes that are completed when this mode starts.
    `overlaps`: the modes that may run at the same time as this mode; `overlaps_all`: every mode may.
    `returns_to`: the modes that this mode hands back to while its review is not clean.
    `advice`: a line for the agent that runs this mode; empty if there is none.
    `asks_in_text`: the agent may ask this mode's questions in its message, so a Stop after one is blocked only once.
    `states`: the text of each state, in the order of the diagram. `edges`: from, to and event; `END` is the `[*]`.
    `source`: where the file lies, "" for a mode that ships. `file`: the path of the SKILL.md of an own mode.
    """

    __slots__ = (
        "advice",
        "after",
        "asks_in_text",
        "edges",
        "file",
        "first_phase",
        "iteration",
        "kind",
        "max_iterations",
        "misnamed",
        "name",
        "overlaps",
        "overlaps_all",
        "returns_to",
        "source",
        "states",
        "tokens",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        tokens: tuple[str, ...],
        *,
        first_phase: str,
        states: "Mapping[str, str] | Iterable[tuple[str, str]]",
        edges: "Iterable[tuple[str, str, str]]",
        misnamed: "Mapping[str, str] | Iterable[tuple[str, str]]" = (),
        iteration: int | None = None,
        max_iterations: int | None = None,
        after: tuple[str, ...] = (),
        overlaps: tuple[str, ...] = (),
        overlaps_all: bool = False,
        returns_to: tuple[str, ...] = (),
        advice: str = "",
        asks_in_text: bool = False,
        source: str = "",
        file: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.tokens = tokens
        self.misnamed = dict(misnamed)
        self.first_phase = first_phase
        self.iteration = iteration
        self.max_iterations = max_iterations
        self.after = after
        self.overlaps = overlaps
        self.overlaps_all = overlaps_all
        self.returns_to = returns_to
        self.advice = advice
        self.asks_in_text = asks_in_text
        self.states = dict(states)
        self.edges = tuple(edges)
        self.source = source
        self.file = file

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModeDef) and all(
            getattr(self, each) == getattr(other, each) for each in ModeDef.__slots__
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"ModeDef({self.name!r}, {self.kind!r}, source={self.source!r})"

    @property
    def is_planning(self) -> bool:
        return self.kind == PLANNING

    @property
    def is_own(self) -> bool:
        """Tell whether a person or a project declares this mode, so that it does not ship."""
        return bool(self.source)

    @property
    def is_of_project(self) -> bool:
        """Tell whether the project declares this mode, so that its texts are not the person's."""
        return self.source == PROJECT

    @property
    def skill(self) -> str:
        """Return the name of the skill that says how to work in this mode."""
        return self.tokens[0]

    # --- the machine; a phase may be given in any spelling

    def state_named(self, phase: str) -> str | None:
        """Return the state that a phase spells, as the machine writes it; None if the machine does not know it."""
        if phase in self.states:
            return phase
        wanted = spelling_key(phase)
        return next((state for state in self.states if spelling_key(state) == wanted), None)

    def legal_from(self, phase: str) -> tuple[str, ...]:
        """Return the states that may follow a phase, each once; all states if the machine does not know the phase."""
        state = self.state_named(phase)
        if state is None:
            return tuple(self.states)
        return tuple(dict.fromkeys(to for source, to, _ in self.edges if source == state and to != END))

    def can_finish(self, phase: str) -> bool:
        """Tell whether an edge leads from a phase to `[*]`; True for a phase that the machine does not know."""
        state = self.state_named(phase)
        return state is None or any(source == state and to == END for source, to, _ in self.edges)

    def event(self, source: str, to: str) -> str:
        """Return the event of an edge; empty if it has none, or there is no such edge. `to`: `END` for `[*]`."""
        return next((event for one, other, event in self.edges if one == source and other == to), "")

    def first_fields(self) -> "JsonObject":
        """Return the fields of a new record that only a mode with a review has; empty for the others."""
        if not self.returns_to:
            return {}
        artifacts: JsonObject = {state.replace("-", "_"): None for state in self.states}
        return {
            "review_cycle": 0,
            "state": {
                "phase_cycle": list(self.states),
                "handoff_artifacts": artifacts,
                "review_verdict": None,
                "return_to_blueprint_reason": None,
            },
        }

    # --- in the record of an own mode

    def to_json(self) -> "JsonObject":
        """Return what a record keeps of an own mode, so that its run is judged by it when the file has gone."""
        return {
            "name": self.name,
            "kind": "planning" if self.is_planning else "execution",
            "after": list(self.after),
            "beside": list(self.overlaps),
            "first": self.first_phase,
            "iteration": self.iteration,
            "max_iterations": self.max_iterations,
            "states": dict(self.states),
            "edges": [list(edge) for edge in self.edges],
            "source": self.source,
            "file": self.file,
        }

    @classmethod
    def from_json(cls, value: object) -> "Self | None":
        """Read what a record keeps of an own mode; None if anything in it is not as `to_json` writes it.

        A record may be written by others, so every text is checked and cut.
        """
        from rcs_hooks.catalog import is_own_name

        if not isinstance(value, dict):
            return None
        name, kind, source = value.get("name"), _KINDS.get(_text(value.get("kind"))), value.get("source")
        states, edges = _states(value.get("states")), _edges(value.get("edges"))
        after, beside = _names(value.get("after")), _names(value.get("beside"))
        iteration, most = value.get("iteration"), value.get("max_iterations")
        first, file = _text(value.get("first")), value.get("file")
        if not isinstance(name, str) or not is_own_name(name) or kind is None or source not in (HOME, PROJECT):
            return None
        if not states or edges is None or after is None or beside is None or first not in states:
            return None
        if not {one for one, _, _ in edges} <= set(states) or not {to for _, to, _ in edges} <= {*states, END}:
            return None
        if not _is_count(iteration, 0) or not _is_count(most, 1) or not isinstance(file, str):
            return None
        return cls(
            name,
            kind,
            (name,),
            first_phase=first,
            states=states,
            edges=edges,
            iteration=iteration,
            max_iterations=most,
            after=after,
            overlaps=beside,
            source=source,
            file=file if len(file) <= LONGEST_FILE and file.isprintable() else "",
        )


_KINDS = {"planning": PLANNING, "execution": EXECUTION}


def spelling_key(phase: str) -> str:
    """Return a phase without what may differ between two spellings of it: case, `-`, `_` and blanks."""
    return "".join(char for char in phase.lower() if char not in "-_" and not char.isspace())


def is_state_name(value: object) -> bool:
    """Tell whether a value can be the name of a state: letters, digits, `_`, `.` and `-`, and not too many."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= LONGEST_NAME
        and all(char.isalnum() or char in "_.-" or (char > "\x7f" and f"a{char}".isidentifier()) for char in value)
    )


def label(value: object) -> str:
    """Return the text of a state or an event as it is shown: on one line, without control characters, cut."""
    from rcs_hooks.text import clean

    return clean(value, LONGEST_TEXT)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_count(value: object, least: int) -> bool:
    if not isinstance(value, int) or isinstance(value, bool):
        return value is None
    return least <= value <= MOST_ITERATIONS


def _names(value: object) -> tuple[str, ...] | None:
    names = value if isinstance(value, list) and len(value) <= MOST_NAMES else None
    return tuple(names) if names is not None and all(map(is_state_name, names)) else None


def _states(value: object) -> dict[str, str]:
    """Return the states and their texts; empty if they are not such."""
    if not isinstance(value, dict) or len(value) > MOST_STATES or not all(map(is_state_name, value)):
        return {}
    return {state: label(text) for state, text in value.items()}


def _edges(value: object) -> tuple[tuple[str, str, str], ...] | None:
    if not isinstance(value, list) or len(value) > MOST_EDGES:
        return None
    edges = []
    for edge in value:
        if not isinstance(edge, list) or len(edge) != 3 or not isinstance(edge[0], str) or not isinstance(edge[1], str):
            return None
        edges.append((edge[0], edge[1], label(edge[2])))
    return tuple(edges)


def shipped() -> dict[str, ModeDef]:
    """Return the modes that ship, by name, from the module that `python -m tests.make_modes` writes."""
    from rcs_hooks.shipped_modes import FIELDS, MODES

    definitions = (ModeDef(**dict(zip(FIELDS, row, strict=True))) for row in MODES)  # type: ignore[arg-type]  # generated
    return {mode.name: mode for mode in definitions}
