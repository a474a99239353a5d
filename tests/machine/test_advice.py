"""What is said about a diagram that can be read. What Mermaid draws was asked of Mermaid 11 itself."""

from __future__ import annotations

import pytest

from rcs_hooks.machine.advice import Remark, remarks
from rcs_hooks.machine.read import machine_in

HEAD = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\na --> [*]\n"
LINE = 6


def said(body: str) -> list[Remark]:
    text = f"{HEAD}{body}\n```\n"
    return remarks(text, machine_in(text, name="x", file="f.md"), "f.md")


def drawn_wrong(name: str) -> str:
    return f"Mermaid itself cannot draw a state called `{name}`, which is a word of its own"


LABEL = "Mermaid itself cannot draw a label with `;`, with `::` or with `:` at its end"
EMPTY = "Mermaid itself cannot draw an empty label; take the colon out"

REMARKS = [
    ("direction", "direction LR", "`direction` is passed over"),
    ("classDef", "classDef x fill:red", "`classDef` is passed over"),
    ("class", "class a x", "`class` is passed over"),
    ("style", "style a fill:red", "`style` is passed over"),
    ("click", 'click a href "x"', "`click` is passed over"),
    ("hide", "hide empty description", "`hide` is passed over"),
    ("scale", "scale 350 width", "`scale` is passed over"),
    ("accTitle", "accTitle: x", "`accTitle` is passed over"),
    ("accDescr", "accDescr {\nx\n}", "`accDescr` is passed over"),
    ("Mermaid's other comment", "# x", "`#` is passed over"),
    ("a bare [*]", "[*]", "`[*]` is passed over"),
    ("start to end", "[*] --> [*]", "`[*] --> [*]` is passed over; there is nothing on the way"),
    ("choice", "state a <<choice>>", "`<<choice>>` is passed over; `a` is a state like any other"),
    (":::", "a:::x --> a:::y", "`:::` is passed over"),
    ("a duplicate edge", "a --> a\na --> a", "`a --> a` stands here again; it counts once, with its last label"),
    ("a namespaced step", "a:b --> a", "all that follows the colon is the label of `a`, and no transition"),
    ("state id", "state a", "Mermaid itself does not draw this line; `a : Label` without `state` it does"),
    ("state id : Label", "state a : L", "Mermaid itself does not draw this line; `a : Label` without `state` it does"),
    ("a semicolon in a label", "a --> a : x; y", LABEL),
    ("two colons in a label", "a --> a : x::y", LABEL),
    ("a colon at the end of a label", "a --> a : x:", LABEL),
    ("an empty label", "a --> a :", EMPTY),
    ("an empty label of a state", "a :", EMPTY),
]  # fmt: skip


@pytest.mark.parametrize(("body", "text"), [pytest.param(*row[1:], id=row[0]) for row in REMARKS])
def test_a_line_is_remarked_on(body: str, text: str) -> None:
    line = LINE + (body == "a --> a\na --> a")
    found = said(body)
    assert Remark(line, text) in found
    assert [remark for remark in found if remark.line] == [Remark(line, text)]


IDS = [
    ("a-b", "Mermaid itself cannot draw a state called `a-b`; write `a_b`"),
    *((word, drawn_wrong(word)) for word in ("note", "state", "class", "style", "click", "scale", "default", "href")),
]


@pytest.mark.parametrize(("name", "text"), [pytest.param(*row, id=row[0]) for row in IDS])
def test_a_name_that_mermaid_cannot_draw_is_remarked_on_once(name: str, text: str) -> None:
    assert said(f"a --> {name}\n{name} --> [*]\n{name} --> a") == [Remark(LINE, text)]


SILENT = [
    ("nothing", "%% x"),
    ("the state of another kind of declaration", 'state "L" as a'),
    ("a label", "a : L"),
    ("a second colon", "a --> a : x:y"),
    ("%% in a label", "a --> a : 50%% done"),
    ("hash in a label", "a --> a : #1"),
    ("a state called end", "a --> end\nend --> [*]"),
    ("a state called direction", "a --> direction\ndirection --> [*]"),
    ("letters of Japan", "a --> 計画\n計画 --> [*]"),
]


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in SILENT])
def test_what_mermaid_draws_as_it_is_read_is_not_remarked_on(body: str) -> None:
    assert said(body) == []


def test_a_graph_is_remarked_on() -> None:
    assert said("a --> b\nx --> a") == [
        Remark(0, "no start leads to `x`"),
        Remark(0, "`b` leads nowhere and is no end; write `b --> [*]`"),
    ]


def test_a_machine_without_an_end() -> None:
    text = "## STATE-MACHINE\n```mermaid\nstateDiagram-v2\n[*] --> a\n```\n"
    machine = machine_in(text, name="x", file="f.md")
    assert remarks(text, machine, "f.md") == [Remark(0, "no end: a line `state --> [*]` is recommended")]


@pytest.mark.parametrize("heading", ["### STATE-MACHINE", "# State machine", "## state_machine", "## STATE-MACHINE:"])
def test_a_heading_that_was_probably_meant(heading: str) -> None:
    expected = [Remark(2, "this heading begins no state machine; write `## STATE-MACHINE`")]
    assert remarks(f"# x\n{heading}\n", None, "f.md") == expected


def test_a_file_without_any_heading_is_left_alone() -> None:
    assert remarks("# x\nThe state machine of this.\n## Use\n", None, "f.md") == []
