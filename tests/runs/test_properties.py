"""Random machines and random emits against a second, slower reading of the rules that keeps the whole history."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.errors import Rejected
from tests.properties import examples
from tests.runs.support import Project, with_section

STATES = ("a", "b", "c", "d", "e")
STATUSES = ("running", "running", "running", "waiting", "completed", "failed", "skipped")


class Said(NamedTuple):
    step: str
    status: str
    unit: str | None


class Model:
    """The rules, as they are told to a person. Every list is kept whole."""

    def __init__(self, starts: set[str], edges: set[tuple[str, str]], ends: set[str]) -> None:
        self.starts, self.edges = starts, edges
        self.states = starts | ends | {state for edge in edges for state in edge}
        self.ends = ends | (self.states - {before for before, _ in edges})
        self.entries: list[str] = []
        self.current: str | None = None
        self.status: dict[str, str] = {}
        self.units: dict[tuple[str, str], str] = {}
        self.events: list[tuple[str, str | None, str]] = []

    def path(self, source: str, target: str) -> bool:
        reached = {after for before, after in self.edges if before == source}
        while more := {after for before, after in self.edges if before in reached} - reached:
            reached |= more
        return target in reached

    def since(self, step: str) -> list[str]:
        """What was entered behind its last entry."""
        last = len(self.entries) - 1 - self.entries[::-1].index(step)
        return self.entries[last + 1 :]

    def is_beside(self, step: str) -> bool:
        befores = {
            before for before, after in self.edges if after == step and before != step and before in self.entries
        }
        return any(
            step not in self.since(before)
            and not any(self.path(later, before) for later in self.since(before))
            and not (self.current in self.ends and self.path(step, before))
            for before in befores
        )

    def stands(self, step: str) -> bool:
        return step in self.entries and not any(
            (step, later) in self.edges or self.path(later, step) for later in self.since(step)
        )

    def allows(self, said: Said) -> bool:
        if said.step not in self.states:
            return False
        if said.unit:
            return True
        if self.current is None:
            return said.step in self.starts
        is_next = (self.current, said.step) in self.edges
        return said.step == self.current or is_next or self.is_beside(said.step) or self.stands(said.step)

    def take(self, said: Said) -> None:
        if said.unit:
            self.units[said.step, said.unit] = said.status
        else:
            if said.status == "running":
                for before in {before for before, after in self.edges if after == said.step} - {said.step}:
                    if self.status.get(before) in ("running", "waiting"):
                        self.status[before] = "completed"
                        self.events.append((before, None, "completed"))
            if said.step != self.current and not self.stands(said.step):
                self.entries.append(said.step)
            self.current, self.status[said.step] = said.step, said.status
        self.events.append((said.step, said.unit, said.status))


states = st.sampled_from(STATES)
machines = st.tuples(
    st.sets(states, min_size=1, max_size=2), st.sets(st.tuples(states, states), max_size=9), st.sets(states, max_size=2)
)
emits = st.lists(
    st.builds(
        Said, st.sampled_from((*STATES, "z")), st.sampled_from(STATUSES), st.sampled_from((None, None, None, "T1"))
    ),
    max_size=14,
)


@examples(150)
@given(machines, emits)
def test_an_emit_is_taken_exactly_when_the_rules_say_so(
    machine: tuple[set[str], set[tuple[str, str]], set[str]], said: list[Said]
) -> None:
    model = Model(*machine)
    starts, edges, ends = machine
    lines = [f"    [*] --> {state}" for state in sorted(starts)]
    lines += [f"    {before} --> {after}" for before, after in sorted(edges)]
    lines += [f"    {state} --> [*]" for state in sorted(ends)]
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        project.skill("random", with_section("\n".join(lines) + "\n"))
        for each in said:
            if model.allows(each):
                model.take(each)
                project.emit(each.step, each.status, unit=each.unit, workflow="random")
                continue
            before = project.dump()
            try:
                project.emit(each.step, each.status, unit=each.unit, workflow="random")
            except Rejected as error:
                assert each.step not in error.valid_next
                assert all(model.allows(Said(step, "running", None)) for step in error.valid_next)
            else:
                raise AssertionError(f"{each} was taken")
            assert project.dump() == before
        if model.events:
            written = project.events()
            assert [seq for seq, *_ in written] == list(range(1, len(written) + 1))
            assert sorted(map(str, (event[1:] for event in written))) == sorted(map(str, model.events))
            units = {f"{step}/{unit}": status for (step, unit), status in model.units.items()}
            assert project.statuses() == model.status | units
