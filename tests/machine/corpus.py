"""Diagrams with the graph that stands in them, or with the message that they are refused with. Written by hand."""

from __future__ import annotations

from typing import Any

Edge = tuple[str, str, str | None]


def graph(
    states: str, *edges: Edge, start: str = "a", end: str = "", labels: dict[str, str] | None = None
) -> dict[str, Any]:
    return {
        "states": tuple(states.split()),
        "labels": labels or {},
        "initial": tuple(start.split()),
        "terminal": tuple(end.split()),
        "transitions": edges,
    }


AB: Edge = ("a", "b", None)

PASSED_OVER = (
    "direction LR", "state a <<choice>>", "classDef bad fill:#f00,color:white", "class a, b bad",
    "style a fill:#f00", 'click a href "https://example.org" "tip"', "accTitle: x --> y", "accDescr : x",
    "accDescr {\nx --> y\n{\n}", "hide empty description", "scale 350 width", "[*]", "[*] --> [*]", "[*] --> a:::bad",
    "%% a --> b", "%% stateDiagram-v2", "# c --> d", "%%{init: {\n'theme': 'dark'\n}}%%",
)  # fmt: skip
"""Lines that change nothing of what is read."""

# What it shows, the diagram without its header, the graph.
ACCEPTED: list[tuple[str, str, dict[str, Any]]] = [
    # --- the table of what is supported
    ("terminal transition", "[*] --> a\na --> [*]", graph("a", end="a")),
    ("labeled transition", "[*] --> a\na --> b : go on", graph("a b", ("a", "b", "go on"))),
    ("state declaration", "[*] --> a\nstate a : The first", graph("a", labels={"a": "The first"})),
    ("labelled start and end", "[*] --> a : begin\na --> [*] : done", graph("a", end="a")),
    # --- rules
    ("several starts", "[*] --> a\n[*] --> b", graph("a b", start="a b")),
    ("no end at all", "[*] --> a\na --> b\nb --> a", graph("a b", AB, ("b", "a", None))),
    ("order of first mention", "c --> b\n[*] --> a\na --> c", graph("c b a", ("c", "b", None), ("a", "c", None))),
    ("both ways", "[*] --> a\na --> b\nb --> a : no", graph("a b", AB, ("b", "a", "no"))),
    ("a self-loop", "[*] --> a\na --> a : again", graph("a", ("a", "a", "again"))),
    ("an unreachable state", "[*] --> a\nx --> a", graph("a x", ("x", "a", None))),
    # --- ids
    ("letters and signs", "[*] --> a\na --> b_c\nb_c --> d-e\nd-e --> f.g\nf.g --> A\nA --> 計画", graph(
        "a b_c d-e f.g A 計画", ("a", "b_c", None), ("b_c", "d-e", None), ("d-e", "f.g", None), ("f.g", "A", None),
        ("A", "計画", None))),
    ("a keyword before an arrow", "[*] --> a\nnote --> a", graph("a note", ("note", "a", None))),
    ("direction as a state", "[*] --> a\na --> direction\ndirection", graph("a direction", ("a", "direction", None))),
    ("end as a state", "[*] --> end\nend --> [*]", graph("end", start="end", end="end")),
    # --- blanks
    ("no blanks", "[*]-->a\na-->b:go\nb-->[*]", graph("a b", ("a", "b", "go"), end="b")),
    ("no-break space", "[*] -->\u00a0a", graph("a")),
    ("CRLF", "[*] --> a\r\na --> b : go\r\n", graph("a b", ("a", "b", "go"))),
    ("a line separator ends no line", "[*] --> a\na --> b : x\u2028y", graph("a b", ("a", "b", "x\u2028y"))),
    # --- labels
    ("id : Label", "[*] --> a\na : The first", graph("a", labels={"a": "The first"})),
    ("state \"Label\" as id", '[*] --> a\nstate "The first" as a', graph("a", labels={"a": "The first"})),
    ("a quoted label and another", '[*] --> a\nstate "One" as a : Two', graph("a", labels={"a": "Two"})),
    ("an empty quoted label", '[*] --> a\nstate "" as a', graph("a")),
    ("a bare mention takes no label away", "[*] --> a\na : One\na\nstate a", graph("a", labels={"a": "One"})),
    ("a bare id", "[*] --> a\nb", graph("a b")),
    ("a second colon belongs to the label", "[*] --> a\na --> b : x: y", graph("a b", ("a", "b", "x: y"))),
    ("::: in a label", "[*] --> a\na --> b : x:::y", graph("a b", ("a", "b", "x:::y"))),
    ("an empty label", "[*] --> a\na --> b :", graph("a b", AB)),
    ("two colons", "[*] --> a\na :: x", graph("a", labels={"a": ": x"})),
    ("a namespaced step is a label", "[*] --> a\na:running --> b", graph("a", labels={"a": "running --> b"})),
    *((lines, f"{lines}\n[*] --> a", graph("a")) for lines in PASSED_OVER),
    ("::: on both sides", "[*]:::x --> a\na:::x --> b:::y : go", graph("a b", ("a", "b", "go"))),
    ("::: and a label", "[*] --> a\na:::x : Label", graph("a", labels={"a": "Label"})),
    ("state in capitals", "[*] --> a\nSTATE a : One", graph("a", labels={"a": "One"})),
]  # fmt: skip

FORK = "fork and join (<<fork>>, <<join>>) are not supported; draw one transition for each branch"
NESTED = "nested states ({ … }) are not supported; draw the inner states next to the others"
CONCURRENT = "concurrent regions (--) are not supported; draw one transition for each branch"
NOTE = "notes are not supported; write a comment on a line of its own: %% …"
SECOND = "a second diagram begins here; a section holds one stateDiagram-v2, so take the others out"
ARROW = "a transition is written with the arrow `-->`"
FROM_NOWHERE = "this arrow comes from nowhere; write `a --> b`, or `[*] --> a` for a start"
TO_NOWHERE = "this arrow leads nowhere; write `a --> b`, or `a --> [*]` for an end"
ONE = "one statement a line, and a label follows a colon: `a --> b : label`"
COMMENT = "a comment stands on a line of its own"
EDGE_OF_ALL = "the start and the end are both written `[*]`"
QUOTED = 'after the label comes the state: `state "Label" as id`'
NO_END_HYPHEN = "a state id does not end with `-`; the arrow is written `-->`"

# The problem, and the lines that have it, with the spot marked that the message points at.
MARKED: dict[str, list[str]] = {
    NESTED: ["state b «{»", "state b «{» c --> d }", "b «{»", "«}»"],
    FORK: ["state f «<<fork>>»", "state j «<<join>>»", "STATE f «<<FORK>>»", "f «<<fork>>»"],
    "<<history>> is not supported; only <<choice>> is read, and drawn as a state": ["state f «<<history>>»"],
    CONCURRENT: ["«--»"],
    NOTE: ["«note» right of a : x", '«note» "x" as n', "«Note» right of a : x", "«end note»"],
    SECOND: ["«stateDiagram-v2»"],
    ARROW: ["a «->» b", "a «--->» b", "a «=>» b", "a «-.->» b", "a «<--» b", "a «--» b", "      a «->» b"],
    NO_END_HYPHEN: ["a«->»b", "a«--->»b", "a --> b«-»"],
    FROM_NOWHERE: ["«-->» b"],
    TO_NOWHERE: ["a «-->»", "a «-->» : go", "a «-->» --> b"],
    "one transition a line; write `b --> …` on the next": ["a --> b «-->» c"],
    "a state id does not begin with `-`; the arrow is written `-->`": ["a --> «-b»"],
    "`,` cannot stand in a state id (letters, digits, `_`, `.`, `-`)": ["a --> b«,» c"],
    "`/` cannot stand in a state id (letters, digits, `_`, `.`, `-`)": ["a --> b«/»c"],
    'a label in quotation marks is written `state "Label" as id`': ['a --> «"»b"', '«"»B" as b'],
    EDGE_OF_ALL: ["a --> «[»H]", "«[»] --> a"],
    "`*` cannot stand in a state id (letters, digits, `_`, `.`, `-`)": ["«*» --> a"],
    COMMENT: ["a --> b «%% go»", "a «%% go»"],
    ONE: ["a --> b «go» on", "a «b»", "a --> b «c» --> d", "hide «footbox»", "state b «c»"],
    "`:::` names no class; write `a:::class`, or take it out": ["a«:::» --> b"],
    "`state` names no state; write `state id : Label`": ["«state»"],
    "`state` only declares a state; take it out before a transition": ["«state» a --> b"],
    "`[*]` is not declared; write `[*] --> a` for a start, `a --> [*]` for an end": ["state «[*]»"],
    'a label comes before its state: `state "Label" as id`': ['state b «as» "B"'],
    QUOTED: ['state «"B"»', 'state «"B"» b', 'state «"B"» as '],
    "`[*]` has no label": ['state "B" as «[*]»'],
    "this quotation mark is never closed on its line": ['state «"»B as b'],
    "this directive is never closed by `}%%`": ["«%%{init: {}»"],
    "this description is never closed by `}`": ["  «accDescr {»"],
}  # fmt: skip


def unmarked(problem: str, marked: str) -> tuple[str, str, str]:
    """Return the line, the problem, and the marker under the line."""
    before, _, rest = marked.partition("«")
    spot, _, after = rest.partition("»")
    return before + spot + after, problem, " " * len(before) + "^" * len(spot)


REFUSED: list[tuple[str, str, str]] = [
    *(unmarked(problem, line) for problem, lines in MARKED.items() for line in lines),
    # letters of another width than one
    ("a → b", ARROW, "  ^"),
    ("a\u200b --> b", "U+200B cannot stand in a state id (letters, digits, `_`, `.`, `-`)", " ^"),
    ("a --> \U0001f680", "`\U0001f680` cannot stand in a state id (letters, digits, `_`, `.`, `-`)", "      ^^"),
    ("\ta -> b", ARROW, "   ^^"),
    ("計画 -> b", ARROW, "     ^^"),
    ("e\u0301te\u0301 -> b", ARROW, "    ^^"),
]  # fmt: skip
