"""The reader: every row of the contract's table, its rules, and the corpus; and that no text breaks it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.markdown import machine_in
from rcs_hooks.machine.mermaid import read
from tests.contract import EDGES
from tests.machine.corpus import ACCEPTED, REFUSED
from tests.properties import examples
from tests.support import least, processor
from tests.table import each_row

FILE = "SKILL.md"


def machine(body: str) -> Machine:
    return read(f"stateDiagram-v2\n{body}", name="x", file=FILE)


def refusal(source: str, first_line: int = 1) -> str:
    with pytest.raises(MachineError) as caught:
        read(source, name="x", file=FILE, first_line=first_line)
    return str(caught.value)


@each_row(("body", "graph"), [pytest.param(*row[1:], id=row[0]) for row in ACCEPTED])
def test_accepted(body: str, graph: dict[str, Any]) -> None:
    found = machine(body)
    assert {field: getattr(found, field) for field in graph} == graph
    assert (found.name, found.file) == ("x", FILE)


def test_several_edges_of_one_pair_are_one_edge_with_all_their_labels() -> None:
    made = machine("[*] --> a\na --> b : changes\na --> b : blocked\na --> b : changes\na --> b\nb --> [*] : done\n"
                   "b --> [*] : given up")  # fmt: skip
    assert made.transitions == (("a", "b", "changes / blocked"),)
    assert made.endings == {"b": "done / given up"}
    assert made != machine("[*] --> a\na --> b : changes\na --> b : blocked\nb --> [*]")


@each_row(("line", "problem", "marker"), REFUSED)
def test_refused_with_the_whole_message(line: str, problem: str, marker: str) -> None:
    shown = "".join(char if char.isprintable() else " " for char in line).rstrip()
    said = refusal(f"stateDiagram-v2\n[*] --> a\n{line}\nz --> [*]")
    assert said == f"SKILL.md:3: {problem}\n    {shown}\n    {marker}"


# --- the header, and what stands before it

HEADERS = (
    "\n\n  stateDiagram-v2\n[*] --> a",
    "%% c\nstateDiagram-v2\n[*] --> a",
    "%%{init: {\n'theme':'dark'}}%%\nstateDiagram-v2\n[*] --> a",
    "\n---\ntitle: x --> y\n---\nstateDiagram-v2\n[*] --> a",
    "stateDiagram-v2 [*] --> a",
    "\ufeffstateDiagram-v2  \t\n[*] --> a",
)


@each_row("source", HEADERS)
def test_the_header_is_found(source: str) -> None:
    assert read(source, name="x", file="").states == ("a",)


NO_HEADER = "a diagram begins with the line `stateDiagram-v2`"
NO_START = "no start: at least one line `[*] --> state` is needed"
OLD = "the header `stateDiagram` is not supported; write `stateDiagram-v2`"
NO_START_AT_ALL = f"SKILL.md:1: {NO_START}\n    stateDiagram-v2\n    {'^' * 15}"
BAD_HEADERS = [
    ("nothing", "", f"SKILL.md:1: {NO_HEADER}\n    \n    ^"),
    ("no header", "[*] --> a", f"SKILL.md:1: {NO_HEADER}\n    [*] --> a\n    ^^^"),
    ("another diagram", "\ngraph TD\n", f"SKILL.md:2: {NO_HEADER}\n    graph TD\n    ^^^^^"),
    ("the old header", " stateDiagram\n[*] --> a", f"SKILL.md:1: {OLD}\n     stateDiagram\n     {'^' * 12}"),
    ("no start", "%%\nstateDiagram-v2\na --> [*]", f"SKILL.md:2: {NO_START}\n    stateDiagram-v2\n    {'^' * 15}"),
    ("only start to end", "stateDiagram-v2\n[*] --> [*]", NO_START_AT_ALL),
]  # fmt: skip


@each_row(("source", "message"), [row[1:] for row in BAD_HEADERS])
def test_a_diagram_needs_its_header_and_a_start(source: str, message: str) -> None:
    assert refusal(source) == message


def test_an_error_names_the_line_in_its_file_and_carries_its_parts() -> None:
    assert refusal("stateDiagram-v2\na -> b", first_line=40).startswith("SKILL.md:41: ")
    with pytest.raises(MachineError) as caught:
        read("stateDiagram-v2\na -> b", name="x", file="")
    error = caught.value
    assert (error.file, error.line, error.problem) == ("", 2, "a transition is written with the arrow `-->`")
    assert str(error).startswith("line 2: ")


def test_a_long_line_is_cut_about_the_spot() -> None:
    said = refusal("stateDiagram-v2\n" + "a" * 500 + " -> " + "b" * 500).splitlines()
    assert said[1] == "    …" + "a" * 59 + " -> " + "b" * 37 + "…"
    assert said[2] == " " * (4 + 1 + 60) + "^^"


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in refusal("stateDiagram-v2\na\x1b[31m --> b")


# --- whole machines

LINEAR = "[*] --> plan\nplan --> build : plan_ready\nbuild --> review : build_complete\nreview --> [*] : done"
AGENT = """[*] --> building
building --> completed : build_success
building --> failed : build_error
completed --> [*]
failed --> [*]"""


LIFECYCLE = "[*] --> planning\n" + "\n".join(
    f"{source} --> {target}{f': {label}' if label else ''}" for source, target, label in EDGES
)


def test_whole_machines() -> None:
    linear, agent, found = map(machine, (LINEAR, AGENT, LIFECYCLE))
    assert (linear.initial, linear.steps(), linear.terminal) == (("plan",), ("plan", "build", "review"), ("review",))
    assert agent.terminal == ("completed", "failed")
    assert found.steps() == ("planning", "plan_review", "codegen", "review", "test", "accept", "done", "revert")
    assert len(found.transitions) == 19  # of 20 lines: one edge is there twice
    assert ("plan_review", "planning", "review needs changes / review blocked") in found.transitions
    assert found.terminal == ()


# --- no text breaks it

LINES = st.lists(
    st.one_of(
        st.sampled_from([row[0] for row in REFUSED] + [line for row in ACCEPTED for line in row[1].split("\n")]),
        st.text(max_size=30),
        st.text("[*]-> :{}<>\"'%#;.,ab\t\r`~", max_size=30),
    ),
    max_size=12,
)


@given(LINES, st.booleans())
@examples(400)
def test_any_text_is_read_or_refused_at_a_line_that_is_there(lines: list[str], in_markdown: bool) -> None:
    source = "\n".join(["stateDiagram-v2", *lines])
    count = source.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    try:
        if in_markdown:
            found = machine_in(f"## STATE-MACHINE\n```mermaid\n{source}\n```\n", name="x", file=FILE)
        else:
            found = read(source, name="x", file=FILE)
    except MachineError as error:
        assert 1 <= error.line <= count + 3
        assert str(error).startswith(f"SKILL.md:{error.line}: {error.problem}\n    ")
        assert len(str(error).splitlines()[-1]) <= 4 + 2 * 101
    else:
        assert found is not None
        assert set(found.initial) <= set(found.states)
        assert set(found.steps()) == set(found.states)


FENCED = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n{}"
SHAPES: dict[str, Callable[[int], str]] = {
    "a long label": lambda n: FENCED.format("[*] --> a : " + "b:" * (n // 2)),
    "many states": lambda n: FENCED.format("[*] --> s0\n" + "\n".join(f"s{i} --> s{i + 1}" for i in range(n // 16))),
    "one edge again and again": lambda n: FENCED.format("[*] --> a\n" + "a --> b : x\n" * (n // 12)),
    "open directives": lambda n: FENCED.format("[*] --> a\n" + "%%{\n" * (n // 4)),
    "open descriptions": lambda n: FENCED.format("[*] --> a\n" + "accDescr {\n" * (n // 11)),
    "hyphens and a letter": lambda n: FENCED.format("[*] --> " + "a-" * (n // 2)),
    "blanks": lambda n: FENCED.format("[*]" + " " * n + "--> a"),
    "quotation marks": lambda n: FENCED.format('state "' + '"' * n),
    "classes": lambda n: FENCED.format("[*] --> a\na" + ":::a" * (n // 4)),
    "headings": lambda n: "## STATE-MACHINE\n" * (n // 17),
    "open fences": lambda n: "## STATE-MACHINE\n" + "```mermaid\n" * (n // 11),
    "fences with an open directive": lambda n: "## STATE-MACHINE\n" + "```mermaid\n%%{\n```\n" * (n // 19),
    "backticks, each line longer": lambda n: "## STATE-MACHINE\n" + "\n".join("`" * i for i in range(int(n**0.5))),
    "a fence that swallows": lambda n: "```\n" + "## STATE-MACHINE\n" * (n // 17),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_text_and_no_faster(shape: str) -> None:
    """Four times the text in far less than the sixteen times of a square."""
    small, large = (SHAPES[shape](n) + "\n```\n" for n in (50_000, 200_000))
    assert least(lambda: _seconds(large) - 9 * _seconds(small), 0.05) <= 0.05


def _seconds(text: str) -> float:
    """The seconds of the processor: the best of three."""

    def measured() -> None:
        with suppress(MachineError):
            found = machine_in(text, name="x", file=FILE)
            assert found is None or found.steps()

    return min(processor(measured) for _ in range(3))
