"""What a flowchart says: tables of sources with the nodes, edges and frames that they mean."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.diagrams.flow_reader import LARGEST, MOST_EDGES, MOST_NODES, read_flowchart
from rcs_hooks.diagrams.flowchart import Flowchart
from rcs_hooks.errors import MachineError
from tests.diagrams.samples import FRAMES, SHAPES
from tests.properties import examples
from tests.support import least, processor
from tests.table import each_row


def read(body: str, header: str = "flowchart TD") -> Flowchart:
    return read_flowchart(f"{header}\n{body}", name="f")


def problem(body: str) -> str:
    with pytest.raises(MachineError) as error:
        read(body)
    return f"{error.value.line}: {error.value.problem}"


HEADERS = [
    ("flowchart TD", "TB"),
    ("flowchart TB", "TB"),
    ("graph LR", "LR"),
    ("graph RL", "RL"),
    ("flowchart BT", "BT"),
    ("flowchart", "TB"),
    ("graph TD;", "TB"),
    ("flowchart-elk LR", "LR"),
    ("graph >", "LR"),
    ("---\ntitle: x\n---\n%%{init: {}}%%\n%% words\nflowchart LR", "LR"),
]


@each_row(("header", "direction"), HEADERS)
def test_the_header_says_the_direction(header: str, direction: str) -> None:
    chart = read("a --> b", header)
    assert (chart.direction, list(chart.nodes)) == (direction, ["a", "b"])


NODES = [
    ("a", "a", "box"),
    ("a[some words]", "some words", "box"),
    ("a(x)", "x", "round"),
    ("a([x])", "x", "stadium"),
    ("a[[x]]", "x", "subroutine"),
    ("a[(x)]", "x", "cylinder"),
    ("a((x))", "x", "circle"),
    ("a{x}", "x", "diamond"),
    ("a(((x)))", "x", "double-circle"),
    ("a{{x}}", "x", "hexagon"),
    ("a>x]", "x", "flag"),
    ("a[/x/]", "x", "lean-right"),
    (r"a[\x\]", "x", "lean-left"),
    (r"a[/x\]", "x", "trapezoid"),
    (r"a[\x/]", "x", "inverted-trapezoid"),
    ("a[/etc/hosts]", "/etc/hosts", "box"),
    ('a["x] --> (y)"]', "x] --> (y)", "box"),
    ('a["one\ntwo"]', "one\ntwo", "box"),
    ("a[x<br/>y]", "x<br/>y", "box"),
    ("a[<b>x</b> &amp; #35;1 #quot;]", 'x & #1 "', "box"),
    ("a[fa:fa-car x]", "x", "box"),
    ('a["`**x** y`"]', "x y", "box"),
    ("a:::big", "a", "box"),
    ("a[x]:::big", "x", "box"),
    ('a@{ shape: diam, label: "x" }', "x", "diamond"),
    ("a[x]; a", "x", "box"),
    ("a\na{x}", "x", "diamond"),
    ("a[&lt;script&gt;]", "<script>", "box"),
    ("a[x] %% words", "x", "box"),
]


@each_row(("source", "text", "shape"), NODES)
def test_a_node_has_its_text_and_its_shape(source: str, text: str, shape: str) -> None:
    (node,) = read(source).nodes.values()
    assert (node.ident, node.text, node.shape) == ("a", text, shape)


EDGES = [
    ("a --> b", "solid", "", "arrow", ""),
    ("a-->b", "solid", "", "arrow", ""),
    ("a --- b", "solid", "", "", ""),
    ("a ----> b", "solid", "", "arrow", ""),
    ("a -.-> b", "dotted", "", "arrow", ""),
    ("a -.- b", "dotted", "", "", ""),
    ("a ==> b", "thick", "", "arrow", ""),
    ("a === b", "thick", "", "", ""),
    ("a ~~~ b", "invisible", "", "", ""),
    ("a --x b", "solid", "", "cross", ""),
    ("a --o b", "solid", "", "dot", ""),
    ("a <--> b", "solid", "arrow", "arrow", ""),
    ("a x--x b", "solid", "cross", "cross", ""),
    ("a o--o b", "solid", "dot", "dot", ""),
    ("a -->|yes| b", "solid", "", "arrow", "yes"),
    ("a --> |yes| b", "solid", "", "arrow", "yes"),
    ("a -- yes --> b", "solid", "", "arrow", "yes"),
    ("a --yes--> b", "solid", "", "arrow", "yes"),
    ("a -- yes --- b", "solid", "", "", "yes"),
    ("a -. yes .-> b", "dotted", "", "arrow", "yes"),
    ("a == yes ==> b", "thick", "", "arrow", "yes"),
    ('a -->|"x | y"| b', "solid", "", "arrow", "x | y"),
    ('a -- "x --> y" --> b', "solid", "", "arrow", "x --> y"),
    ("a e1@--> b", "solid", "", "arrow", ""),
]


@each_row(("source", "line", "tail", "head", "label"), EDGES)
def test_an_edge_has_its_line_its_ends_and_its_label(source: str, line: str, tail: str, head: str, label: str) -> None:
    (edge,) = read(source).edges
    assert (edge.source, edge.target) == ("a", "b")
    assert (edge.line, edge.tail, edge.head, edge.label) == (line, tail, head, label)


PAIRS = [
    ("a --> b --> c", "ab bc"),
    ("a & b --> c", "ac bc"),
    ("a --> b & c --> d", "ab ac bd cd"),
    ("a --> a", "aa"),
    ("a --> b; b --> c", "ab bc"),
    ("a --> b\n\n%% c --> d\nb --> d", "ab bd"),
    ("a[x] --> b{y} --> c((z))", "ab bc"),
    ("a --> b\na -->|again| b", "ab ab"),
    ("style a fill:#f00\nclassDef x fill:#fff;\na --> b", "ab"),
    ('a --> b\nlinkStyle 0 stroke:red\nclass a,b x\nclick a "javascript:alert(1)" _blank', "ab"),
    ("subgraph s\ndirection LR\na --> b\nend\nb --> c", "ab bc"),
    ("subgraph s\na\nb\nend\ns --> c\nc --> s", "bc ca"),
]


@each_row(("source", "pairs"), PAIRS)
def test_each_edge_is_read(source: str, pairs: str) -> None:
    assert [f"{edge.source}{edge.target}" for edge in read(source).edges] == pairs.split()


SUBGRAPHS = [
    ("subgraph one [The first]\na\nend", {"one": ("The first", "")}, {"a": "one"}),
    ('subgraph "Some words"\na\nend\nb', {"Some words": ("Some words", "")}, {"a": "Some words", "b": ""}),
    ("subgraph x\nsubgraph y\na\nend\nb\nend", {"x": ("x", ""), "y": ("y", "x")}, {"a": "y", "b": "x"}),
    ("a --> b\nsubgraph x\nb\nend", {"x": ("x", "")}, {"a": "", "b": "x"}),
    ("subgraph x [Empty]\nend\nx --> a", {}, {"a": "", "x": ""}),
    ("subgraph\na\nend", {"subgraph 1": ("", "")}, {"a": "subgraph 1"}),
]


@each_row(("source", "frames", "nodes"), SUBGRAPHS)
def test_a_subgraph_is_a_frame(source: str, frames: dict[str, tuple[str, str]], nodes: dict[str, str]) -> None:
    chart = read(source)
    assert {name: (frame.title, frame.parent) for name, frame in chart.frames.items()} == frames
    assert {name: node.frame for name, node in chart.nodes.items()} == nodes


def test_an_edge_to_a_frame_is_known_to_be_moved() -> None:
    assert read("subgraph s\na\nend\nb --> s").is_moved
    assert not read(FRAMES.partition("\n")[2]).is_moved


WRONG = [
    ("a --> ", "2: here should be the name of a node"),
    ("a\nb -> c", "3: here should be an edge such as `-->`, or the end of the line"),
    ("a[x", "2: this `[` is never closed by `]`"),
    ('a["x]', "2: this quotation is never closed"),
    ("a -- x", "2: the text of this edge is never closed by `-->`"),
    ("end", "2: this `end` closes nothing"),
    ("a\nsubgraph x\nb", "3: this `subgraph` is never closed by `end`"),
    ("%% a\n\n)", "4: here should be the name of a node"),
]


@each_row(("source", "said"), WRONG)
def test_what_cannot_be_read_says_where(source: str, said: str) -> None:
    assert problem(source) == said


@each_row(
    ("source", "said"),
    [
        ("\n".join(f"n{number}" for number in range(MOST_NODES + 1)), f"more than {MOST_NODES} nodes"),
        ("a & b & c & d & e --> v & w & x & y & z\n" * 30, f"more than {MOST_EDGES} edges"),
        ("subgraph x\n" * 60, "more than 40 subgraphs"),
        ("%" * (LARGEST + 1), f"more than {LARGEST} letters"),
    ],
    ids=["nodes", "edges", "frames", "letters"],
)
def test_what_is_too_large_is_refused(source: str, said: str) -> None:
    assert said in problem(source)


PIECES = st.sampled_from(
    [
        *'ABxo&;|\n\t [](){}<>/\\-.=~"`:@%#é',
        "-->",
        "-.->",
        "==>",
        "subgraph ",
        "end",
        "[(",
        ")]",
        "{{",
        "}}",
        ":::",
        "@{",
        "%%",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=100))
@examples(600)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        chart = read(text)
    except MachineError as error:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 2
    else:
        assert {edge.source for edge in chart.edges} | {edge.target for edge in chart.edges} <= set(chart.nodes)
        assert {node.frame for node in chart.nodes.values()} <= {"", *chart.frames}


LONG = [letter * LARGEST for letter in string.punctuation + "x \n"] + [
    "a&" * 24_000,
    "a[x]-->" * 7_000,
    "a[/x&" * 9_000,
    'a["' * 15_000,
    'a["x"]&' * 7_000,
    "a-- " * 12_000,
    "a-.x" * 12_000,
    "a@{" * 16_000,
    "a{" * 20_000,
    "subgraph a[" * 4_000,
    "<b>" * 16_000,
    "a[" + "#x" * 20_000 + "]",
    "a --x" * 10_000,
]


@pytest.mark.slow
@pytest.mark.alone
def test_reading_takes_linear_time_whatever_the_text() -> None:
    def read_all() -> None:
        for text in LONG:
            try:
                read(text[: LARGEST - 20])
            except MachineError:
                continue

    assert least(lambda: processor(read_all), 10) <= 10


def test_the_samples_are_read() -> None:
    assert len(read_flowchart(SHAPES, name="").nodes) == 14
    assert len(read_flowchart(FRAMES, name="").frames) == 3
