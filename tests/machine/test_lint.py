"""What is said about a diagram that can be read. What Mermaid draws was asked of Mermaid 11 itself."""

from __future__ import annotations

import pytest

from rcs_hooks.machine.lint import LintWarning, lint_warnings
from rcs_hooks.machine.markdown import machine_in
from tests.table import each_row

HEAD = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\na --> [*]\n"
LINE = 6


def said(body: str) -> list[LintWarning]:
    text = f"{HEAD}{body}\n```\n"
    return lint_warnings(text, machine_in(text, name="x", file="f.md"), "f.md")


def drawn_wrong(name: str) -> str:
    return f"Mermaid itself cannot draw a state called `{name}`, which is a keyword there"


LABEL = "Mermaid itself cannot draw a label with `;`, with `::` or with `:` at its end"
EMPTY = "Mermaid itself cannot draw an empty label; remove the colon"

IGNORED = (
    "direction LR", "classDef x fill:red", 'click a href "x"', "hide empty description", "accDescr {\nx\n}", "# x",
    "[*]",
)  # fmt: skip
REMARKS = [
    *((line, line, f"`{line.split()[0]}` is ignored") for line in IGNORED),
    ("choice", "state a <<choice>>", "`<<choice>>` is ignored; `a` is a state like any other"),
    (":::", "a:::x --> a:::y", "`:::` is ignored"),
    ("a duplicate edge", "a --> a\na --> a", "`a --> a` is repeated; it counts once, with its last label"),
    ("a namespaced step", "a:b --> a", "everything after the colon is the label of `a`, not a transition"),
    ("state id", "state a", "Mermaid itself does not draw this line; `a : Label` without `state` it does"),
    ("state id : Label", "state a : L", "Mermaid itself does not draw this line; `a : Label` without `state` it does"),
    ("a semicolon in a label", "a --> a : x; y", LABEL),
    ("two colons in a label", "a --> a : x::y", LABEL),
    ("a colon at the end of a label", "a --> a : x:", LABEL),
    ("an empty label", "a --> a :", EMPTY),
]  # fmt: skip


@each_row(("body", "text"), [pytest.param(*row[1:], id=row[0]) for row in REMARKS])
def test_a_line_is_remarked_on(body: str, text: str) -> None:
    line = LINE + (body == "a --> a\na --> a")
    found = said(body)
    assert LintWarning(line, text) in found
    assert [remark for remark in found if remark.line] == [LintWarning(line, text)]


IDS = [
    ("a-b", "Mermaid itself cannot draw a state called `a-b`; write `a_b`"),
    *((word, drawn_wrong(word)) for word in ("note", "class", "default")),
]


@each_row(("name", "text"), [pytest.param(*row, id=row[0]) for row in IDS])
def test_a_name_that_mermaid_cannot_draw_is_remarked_on_once(name: str, text: str) -> None:
    assert said(f"a --> {name}\n{name} --> [*]\n{name} --> a") == [LintWarning(LINE, text)]


SILENT = [
    ("nothing", "%% x"),
    ("the state of another kind of declaration", 'state "L" as a'),
    ("a second colon", "a --> a : x:y"),
    ("%% in a label", "a --> a : 50%% done"),
    ("a state called end", "a --> end\nend --> [*]"),
    ("letters of Japan", "a --> 計画\n計画 --> [*]"),
]


@each_row("body", [pytest.param(body, id=name) for name, body in SILENT])
def test_what_mermaid_draws_as_it_is_read_is_not_remarked_on(body: str) -> None:
    assert said(body) == []


def test_a_graph_is_remarked_on() -> None:
    assert said("a --> b\nx --> a") == [
        LintWarning(0, "no start leads to `x`"),
        LintWarning(0, "`b` leads nowhere and is not an end; write `b --> [*]`"),
    ]
    text = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n"
    machine = machine_in(text, name="x", file="f.md")
    assert lint_warnings(text, machine, "f.md") == [LintWarning(0, "no end: a line `state --> [*]` is recommended")]


@each_row("heading", ["### STATE-MACHINE", "# State machine", "## state_machine"])
def test_a_heading_that_was_probably_meant(heading: str) -> None:
    expected = [LintWarning(2, "this heading begins no state machine; write `## STATE-MACHINE`")]
    assert lint_warnings(f"# x\n{heading}\n", None, "f.md") == expected


def test_a_file_without_any_heading_is_left_alone() -> None:
    assert lint_warnings("# x\nThe state machine of this.\n## Use\n", None, "f.md") == []
