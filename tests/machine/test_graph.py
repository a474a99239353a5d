"""What a machine answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.machine.graph import Machine
from tests.properties import examples
from tests.table import each_row


def machine(*edges: tuple[str, str], start: str = "a", end: str = "", extra: str = "") -> Machine:
    states = dict.fromkeys((*start.split(), *(state for edge in edges for state in edge), *extra.split()))
    return Machine("m", "", states, {}, start.split(), end.split(), ((one, other, None) for one, other in edges))


BUILD = machine(("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), end="d")
FORK = machine(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("x", "c"), end="d")


def test_successors_and_predecessors_stand_in_the_order_of_the_edges() -> None:
    assert FORK.successors("a") == ("b", "c")
    assert FORK.predecessors("d") == ("b", "c")
    assert FORK.predecessors("c") == ("a", "x")
    assert FORK.successors("d") == FORK.predecessors("a") == FORK.successors("zz") == ()


STEPS = [
    ("a line with a loop", BUILD, "a b c d"),
    ("breadth first", machine(("a", "b"), ("b", "d"), ("a", "c"), ("c", "e")), "a b c d e"),
    ("several starts", machine(("a", "c"), ("b", "d"), start="b a"), "b a d c"),
    ("unreachable ones last, as mentioned", machine(("y", "x"), ("a", "b"), extra="z"), "a b y x z"),
    ("a start that another leads to", machine(("a", "b"), ("a", "c"), start="a c"), "a c b"),
]


@each_row(("graph", "steps"), [row[1:] for row in STEPS])
def test_steps(graph: Machine, steps: str) -> None:
    assert graph.steps() == tuple(steps.split())


def test_as_json_is_exactly_this_and_never_changed() -> None:
    graph = Machine("m", "f.md", ("b", "a"), {"a": "One"}, ("a",), ("b",), (("a", "b", None), ("b", "a", "no")))
    assert graph.as_json() == {
        "name": "m", "file": "f.md", "states": ["b", "a"], "labels": {"a": "One"}, "initial": ["a"], "terminal": ["b"],
        "transitions": [["a", "b", None], ["b", "a", "no"]], "steps": ["a", "b"],
    }  # fmt: skip
    with pytest.raises(AttributeError, match="never changed"):
        graph.states = ()
    assert hash(BUILD) == hash(machine(("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), end="d"))
    assert BUILD not in (FORK, "m")


EDGES = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), unique=True, max_size=14)


@examples(100)
@given(EDGES)
def test_every_state_is_a_step_once_and_origins_are_the_closure(edges: list[tuple[str, str]]) -> None:
    graph = machine(*edges)
    assert sorted(graph.steps()) == sorted(graph.states)
    closure = set(edges)
    while more := {(one, end) for one, other in closure for begin, end in edges if other == begin} - closure:
        closure |= more
    assert {(one, other) for one in "abcdef" for other in "abcdef" if one in graph.origins(other)} == closure
