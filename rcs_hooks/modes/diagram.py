"""Reads the machine of a mode from `## MODE`: its states, their texts, and the events of its edges."""

from __future__ import annotations

from rcs_hooks.errors import MachineError
from rcs_hooks.fault import Fault
from rcs_hooks.machine.markdown import MODE_HEADING, near_heading, section
from rcs_hooks.machine.mermaid import read, statements
from rcs_hooks.machine.source import Source, lines_of
from rcs_hooks.machine.statement import EDGE, EDGE_OF_ALL, STATE
from rcs_hooks.mode_def import END, LONGEST_NAME, MOST_EDGES, MOST_STATES, is_state_name, label, spelling_key
from rcs_hooks.workflow.lifecycle import spelled


class DiagramReader:
    """The machine in one text; `states`, `edges` and `first` are filled by `read`, unless there are faults."""

    def __init__(self, text: str, file: str) -> None:
        self.states: dict[str, str] = {}
        self.edges: tuple[tuple[str, str, str], ...] = ()
        self.first = ""
        self.faults: list[Fault] = []
        self._text = text
        self._file = file
        self._diagram: tuple[str, int] | None = None
        try:
            self._diagram = section(text, file, MODE_HEADING)
        except MachineError as error:
            self._fail(error)

    @property
    def is_there(self) -> bool:
        """Tell whether the text has a diagram below `## MODE`; a heading alone may belong to anybody's prose."""
        return self._diagram is not None

    def read(self, line_of_kind: int) -> None:
        """Read the machine, and collect its faults. `line_of_kind`: where a missing section is reported."""
        if self._diagram is None:
            if not self.faults:
                self._missing(line_of_kind)
            return
        diagram, first_line = self._diagram
        try:
            read(diagram, name="", file=self._file, first_line=first_line)
            self._take(Source(lines_of(diagram), self._file, first_line))
        except MachineError as error:
            self._fail(error)

    def _fail(self, error: MachineError) -> None:
        self.fault(error.line or 0, error.problem or str(error))

    def fault(self, line: int, problem: str) -> None:
        self.faults.append(Fault(self._file, line, problem))

    def _missing(self, line: int) -> None:
        near = near_heading(self._text, MODE_HEADING)
        if near:
            self.fault(near[0], f"this heading begins no machine; write `{MODE_HEADING}`")
        else:
            self.fault(line, f"a mode needs its phases: write a section `{MODE_HEADING}` with a stateDiagram-v2")

    def _take(self, source: Source) -> None:
        """Collect states and edges, and the faults that a mode's machine may have and another machine may not."""
        edges: dict[tuple[str, str], str] = {}
        spellings: dict[str, str] = {}
        for number, (kind, one, other, text) in statements(source):
            line = source.first_line + number
            for name in (one, other) if kind == EDGE else (one,) if kind == STATE else ():
                if name not in self.states and name != EDGE_OF_ALL:
                    self.states[name] = ""
                    self._check_state(line, name, spellings)
            if kind == STATE and text:
                self.states[one] = label(text)
            elif kind == EDGE and one == EDGE_OF_ALL:
                self._start(line, other)
            elif kind == EDGE:
                pair = one, END if other == EDGE_OF_ALL else other
                edges[pair] = label(text) or edges.get(pair, "")
        self.edges = tuple((one, other, event) for (one, other), event in edges.items())
        if len(self.states) > MOST_STATES or len(edges) > MOST_EDGES:
            self.fault(source.first_line, f"a mode has at most {MOST_STATES} states and {MOST_EDGES} transitions")
        if not any(to == END for _, to in edges):
            self.fault(
                source.first_line, "no state leads to `[*]`, so the mode could never finish; add `state --> [*]`"
            )

    def _start(self, line: int, state: str) -> None:
        if self.first and self.first != state:
            self.fault(line, f"a second start; a mode begins in one phase, and that is `{self.first}`")
        self.first = self.first or state

    def _check_state(self, line: int, name: str, spellings: dict[str, str]) -> None:
        spelling = spelling_key(name)
        if not is_state_name(name):
            self.fault(line, f"the state `{name[:LONGEST_NAME]}…` is longer than {LONGEST_NAME} letters")
        elif outcome := spelled(name):
            self.fault(line, f"`{name}` is the outcome {outcome} and no phase; lead to `[*]` in its place")
        elif spelling in spellings:
            self.fault(line, f"`{name}` and `{spellings[spelling]}` are one spelling; a phase has one name")
        spellings.setdefault(spelling, name)
