"""The reader: every row of the contract's table, its rules, and the corpus; and that no text breaks it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.markdown import machine_in
from rcs_hooks.machine.mermaid import read
from tests.machine.corpus import ACCEPTED, REFUSED
from tests.properties import examples
from tests.support import least
from tests.table import each_row

FILE = "SKILL.md"


def machine(body: str) -> Machine:
    return read(f"stateDiagram-v2\n{body}", name="x", file=FILE)


def refusal(source: str, first_line: int = 1) -> str:
    with pytest.raises(MachineError) as caught:
        read(source, name="x", file=FILE, first_line=first_line)
    return str(caught.value)


def test_the_corpus_is_large() -> None:
    assert len(ACCEPTED) + len(REFUSED) >= 120
    assert len({row[0] for row in ACCEPTED}) == len(ACCEPTED)
    assert len({row[0] for row in REFUSED}) == len(REFUSED)


@each_row(("body", "graph"), [pytest.param(*row[1:], id=row[0]) for row in ACCEPTED])
def test_accepted(body: str, graph: dict[str, Any]) -> None:
    found = machine(body)
    assert {field: getattr(found, field) for field in graph} == graph
    assert (found.name, found.file) == ("x", FILE)


def test_the_label_of_an_edge_to_the_end_is_kept() -> None:
    found = machine("[*] --> a\na --> b : go\na --> [*] : give_up\nb --> [*]")
    assert found.endings == {"a": "give_up"}
    assert found != machine("[*] --> a\na --> b : go\na --> [*]\nb --> [*]")


@each_row(("line", "problem", "marker"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED])
def test_refused_with_the_whole_message(line: str, problem: str, marker: str) -> None:
    shown = "".join(char if char.isprintable() else " " for char in line).rstrip()
    said = refusal(f"stateDiagram-v2\n[*] --> a\n{line}\nz --> [*]")
    assert said == f"SKILL.md:3: {problem}\n    {shown}\n    {marker}"


# --- the header, and what stands before it

HEADERS = {
    "blank lines before": "\n\n  stateDiagram-v2\n[*] --> a",
    "a comment before": "%% c\nstateDiagram-v2\n[*] --> a",
    "a directive before": "%%{init: {\n'theme':'dark'}}%%\nstateDiagram-v2\n[*] --> a",
    "front matter before": "---\ntitle: x --> y\n---\nstateDiagram-v2\n[*] --> a",
    "front matter behind blank lines": "\n---\ntitle: x\n---\nstateDiagram-v2\n[*] --> a",
    "a statement beside it": "stateDiagram-v2 [*] --> a",
    "blanks behind": "stateDiagram-v2  \t\n[*] --> a",
    "a byte order mark": "\ufeffstateDiagram-v2\n[*] --> a",
}


@each_row("source", [pytest.param(source, id=name) for name, source in HEADERS.items()])
def test_the_header_is_found(source: str) -> None:
    assert read(source, name="x", file="").states == ("a",)


NO_HEADER = "a diagram begins with the line `stateDiagram-v2`"
NO_START = "no start: at least one line `[*] --> state` is needed"
OLD = "the header `stateDiagram` is not supported; write `stateDiagram-v2`"
NO_START_AT_ALL = f"SKILL.md:1: {NO_START}\n    stateDiagram-v2\n    {'^' * 15}"
BAD_HEADERS = [
    ("nothing", "", f"SKILL.md:1: {NO_HEADER}\n    \n    ^"),
    ("only comments", "%% x\n%% y", f"SKILL.md:1: {NO_HEADER}\n    %% x\n    ^"),
    ("no header", "[*] --> a", f"SKILL.md:1: {NO_HEADER}\n    [*] --> a\n    ^^^"),
    ("another diagram", "\ngraph TD\n", f"SKILL.md:2: {NO_HEADER}\n    graph TD\n    ^^^^^"),
    ("other capitals", "StateDiagram-v2\n[*] --> a", f"SKILL.md:1: {NO_HEADER}\n    StateDiagram-v2\n    {'^' * 15}"),
    ("the old header", " stateDiagram\n[*] --> a", f"SKILL.md:1: {OLD}\n     stateDiagram\n     {'^' * 12}"),
    ("another version", "stateDiagram-v3\n", f"SKILL.md:1: {NO_HEADER}\n    stateDiagram-v3\n    {'^' * 15}"),
    ("an empty diagram", "stateDiagram-v2", NO_START_AT_ALL),
    ("no start", "%%\nstateDiagram-v2\na --> [*]", f"SKILL.md:2: {NO_START}\n    stateDiagram-v2\n    {'^' * 15}"),
    ("only start to end", "stateDiagram-v2\n[*] --> [*]", NO_START_AT_ALL),
]  # fmt: skip


@each_row(("source", "message"), [pytest.param(*row[1:], id=row[0]) for row in BAD_HEADERS])
def test_a_diagram_needs_its_header_and_a_start(source: str, message: str) -> None:
    assert refusal(source) == message


def test_an_error_counts_lines_from_the_beginning_of_the_file() -> None:
    assert refusal("stateDiagram-v2\na -> b", first_line=40).startswith("SKILL.md:41: ")


def test_an_error_carries_its_parts() -> None:
    with pytest.raises(MachineError) as caught:
        machine("a -> b")
    error = caught.value
    assert (error.file, error.line, error.problem) == (FILE, 2, "a transition is written with the arrow `-->`")


def test_without_a_file_the_line_is_named_alone() -> None:
    with pytest.raises(MachineError) as caught:
        read("x", name="x", file="")
    assert str(caught.value).startswith("line 1: a diagram begins")


def test_a_long_line_is_cut_about_the_spot() -> None:
    said = refusal("stateDiagram-v2\n" + "a" * 500 + " -> " + "b" * 500).splitlines()
    assert said[1] == "    …" + "a" * 59 + " -> " + "b" * 37 + "…"
    assert said[2] == " " * (4 + 1 + 60) + "^^"


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in refusal("stateDiagram-v2\na\x1b[31m --> b")


# --- the examples of the contract

LINEAR = "[*] --> plan\nplan --> build : plan_ready\nbuild --> review : build_complete\nreview --> [*] : done"
SCAN = "[*] --> scan\nscan --> analyze : scan_complete\nanalyze --> report : analysis_complete\nreport --> [*] : done"
AGENT = """[*] --> building
building --> completed : build_success
building --> failed : build_error
completed --> [*]
failed --> [*]"""
EXAMPLES = [
    ("plan, build, review", LINEAR, ("plan", "build", "review"), ("review",)),
    ("scan, analyze, report", SCAN, ("scan", "analyze", "report"), ("report",)),
    ("an agent", AGENT, ("building", "completed", "failed"), ("completed", "failed")),
]


@pytest.mark.parametrize(("body", "steps", "terminal"), [pytest.param(*row[1:], id=row[0]) for row in EXAMPLES])
def test_the_examples(body: str, steps: tuple[str, ...], terminal: tuple[str, ...]) -> None:
    found = machine(body)
    assert (found.initial, found.steps(), found.terminal) == (steps[:1], steps, terminal)


LIFECYCLE = """[*] --> planning

planning --> plan_review: planning succeeded
planning --> planning: re-plan (redo)

plan_review --> codegen: review ok
plan_review --> planning: review needs changes
plan_review --> planning: review blocked
codegen --> review: codegen completed
codegen --> planning: scope mismatch
codegen --> plan_review: plan unclear
codegen --> codegen: re-run codegen
review --> test: review passes
review --> codegen: needs code changes
review --> planning: plan flawed
test --> accept: tests complete
test --> codegen: test failures
accept --> done: accepted
accept --> codegen: requires further changes
accept --> review: unclear / needs review
accept --> planning: upstream problem
accept --> revert: revert requested
revert --> done
"""


def test_a_lifecycle_of_eight_states() -> None:
    found = machine(LIFECYCLE)
    assert found.steps() == ("planning", "plan_review", "codegen", "review", "test", "accept", "done", "revert")
    assert len(found.transitions) == 19  # of 20 lines: one edge stands there twice
    assert ("plan_review", "planning", "review needs changes / review blocked") in found.transitions
    assert found.successors("accept") == ("done", "codegen", "review", "planning", "revert")
    assert found.terminal == ()


# --- no text breaks it

LINES = st.lists(
    st.one_of(
        st.sampled_from([row[1] for row in REFUSED] + [line for row in ACCEPTED for line in row[1].split("\n")]),
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


@given(st.text())
@examples(300)
def test_any_text_at_all(text: str) -> None:
    for source in (text, f"## STATE-MACHINE\n{text}", f"## STATE-MACHINE\n```mermaid\n{text}"):
        try:
            machine_in(source, name="x", file=FILE)
        except MachineError as error:
            assert error.line >= 1


SHAPES: dict[str, Callable[[int], str]] = {
    "a long id": lambda n: "[*] --> " + "a" * n,
    "a long label": lambda n: "[*] --> a : " + "b:" * (n // 2),
    "many states": lambda n: "[*] --> s0\n" + "\n".join(f"s{i} --> s{i + 1}" for i in range(n // 16)),
    "one edge again and again": lambda n: "[*] --> a\n" + "a --> b : x\n" * (n // 12),
    "open directives": lambda n: "[*] --> a\n" + "%%{\n" * (n // 4),
    "open descriptions": lambda n: "[*] --> a\n" + "accDescr {\n" * (n // 11),
    "front matter signs": lambda n: "---\n" * (n // 4),
    "hyphens": lambda n: "[*] --> " + "-" * n,
    "hyphens and a letter": lambda n: "[*] --> " + "a-" * (n // 2),
    "blanks": lambda n: "[*]" + " " * n + "--> a",
    "quotation marks": lambda n: 'state "' + '"' * n,
    "classes": lambda n: "[*] --> a\na" + ":::a" * (n // 4),
    "heads of a fan": lambda n: "[*] --> a\n" + "\n".join(f"a --> s{i}\ns{i} --> a" for i in range(n // 24)),
}


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_with_the_text_and_no_faster(shape: str) -> None:
    """Four times the text in far less than the sixteen times of a square."""
    small, large = (f"stateDiagram-v2\n{SHAPES[shape](n)}" for n in (50_000, 200_000))
    assert least(lambda: _seconds(large) - 9 * _seconds(small), 0.05) <= 0.05


MARKDOWN_SHAPES: dict[str, Callable[[int], str]] = {
    "headings": lambda n: "## STATE-MACHINE\n" * (n // 17),
    "open fences": lambda n: "## STATE-MACHINE\n" + "```mermaid\n" * (n // 11),
    "closed fences": lambda n: "## STATE-MACHINE\n" + "```mermaid\nx\n```\n" * (n // 17),
    "fences with an open directive": lambda n: "## STATE-MACHINE\n" + "```mermaid\n%%{\n```\n" * (n // 19),
    "backticks": lambda n: "## STATE-MACHINE\n" + "`" * n,
    "backticks, each line longer": lambda n: "## STATE-MACHINE\n" + "\n".join("`" * i for i in range(int(n**0.5))),
    "a fence that swallows": lambda n: "```\n" + "## STATE-MACHINE\n" * (n // 17),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("shape", MARKDOWN_SHAPES)
def test_finding_the_section_takes_linear_time_too(shape: str) -> None:
    small, large = (MARKDOWN_SHAPES[shape](n) for n in (50_000, 200_000))
    beyond = least(lambda: _seconds(large, in_markdown=True) - 9 * _seconds(small, in_markdown=True), 0.05)
    assert beyond <= 0.05


def _seconds(text: str, *, in_markdown: bool = False) -> float:
    """The seconds of the processor: the best of three."""
    times = []
    for _ in range(3):
        begun = time.process_time()
        try:
            if in_markdown:
                machine_in(text, name="x", file=FILE)
            else:
                found = read(text, name="x", file=FILE)
                found.steps()
                found.origins("zz")
        except MachineError:
            pass
        times.append(time.process_time() - begun)
    return min(times)


def test_several_edges_of_one_pair_are_one_edge_with_all_their_labels() -> None:
    made = machine("[*] --> a\na --> b : changes\na --> b : blocked\na --> b : changes\na --> b\nb --> [*] : done\n"
                   "b --> [*] : given up")  # fmt: skip
    assert made.transitions == (("a", "b", "changes / blocked"),)
    assert made.endings == {"b": "done / given up"}
