"""The pictures of flowcharts and sequence diagrams: what they hold, and that nothing lies on anything else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.diagrams.flow_reader import MOST_EDGES, MOST_NODES, read_flowchart
from rcs_hooks.diagrams.flowchart import Flowchart
from rcs_hooks.diagrams.sequence_reader import MOST_STEPS, read_sequence
from rcs_hooks.drawing import text_metrics
from rcs_hooks.drawing.flow_svg import FlowDrawing, flow_svg, too_large
from rcs_hooks.drawing.sequence_layout import lay_out_sequence, text_width
from rcs_hooks.drawing.sequence_svg import sequence_svg
from rcs_hooks.drawing.shapes import inset_of
from tests.diagrams.samples import FRAMES, SEQUENCE, SHAPES
from tests.drawing.test_svg import NASTY, SVG, Box, inside, overlap
from tests.properties import examples
from tests.support import least, processor
from tests.table import each_row

DIRECTIONS = ("TD", "BT", "LR", "RL")
LONG = (
    "flowchart TD\n" + f"a[{'words ' * 60}] -->|{'label ' * 30}| b{{{'x' * 200}}}\nb --> b2[{'日本' * 40}]\na --> b2\n"
)
CHARTS = {"shapes": SHAPES, "frames": FRAMES, "long": LONG}


def turned(source: str, direction: str) -> Flowchart:
    return read_flowchart(source.replace("flowchart TD", f"flowchart {direction}"), name="")


def boxes(drawing: FlowDrawing) -> dict[str, Box]:
    """The rectangle of each node in the layout, where it stands before it is turned."""
    middles = {name: (node.x, drawing.middle(node)) for name, node in drawing.layout.boxes.items()}
    return {
        name: (x - node.left, y - node.height / 2, x + node.left, y + node.height / 2)
        for name, node in drawing.layout.boxes.items()
        for x, y in (middles[name],)
    }


def frames(drawing: FlowDrawing) -> dict[str, Box]:
    return {
        name: (
            frame.left,
            drawing.tops[frame.first] - drawing.frames.above(frame),
            frame.right,
            drawing.tops[frame.last] + drawing.heights[frame.last] + drawing.frames.below(frame),
        )
        for name, frame in drawing.frames.frames.items()
    }


def check_flow(chart: Flowchart) -> None:
    drawing = FlowDrawing(chart)
    places, around = boxes(drawing), frames(drawing)
    assert set(places) == set(chart.nodes)
    for (name, one), (other_name, other) in combinations(places.items(), 2):
        assert not overlap(one, other), (name, other_name)
    for frame, area in around.items():
        for name, says in chart.nodes.items():
            within, outer = list[str](), says.frame
            while outer:
                within.append(outer)
                outer = chart.frames[outer].parent
            if frame in within:
                left, top, right, bottom = places[name]
                assert area[0] < left < right < area[2], (frame, name)
                assert area[1] < top < bottom < area[3], (frame, name)
            else:
                assert not overlap(area, places[name]), (frame, name)
    for (inner, area), (beside, other_area) in combinations(around.items(), 2):
        if chart.frames[inner].parent == chart.frames[beside].parent:
            assert not overlap(area, other_area), (inner, beside)
    for route in drawing.edge_of:
        for node in route.nodes[1:-1]:
            y = drawing.middle(node)
            assert not [name for name, box in places.items() if inside((node.x, y), box)]
    for left, top, right, bottom in [*places.values(), *around.values()]:
        across, along = (drawing.height, drawing.width) if drawing.turn.is_sideways else (drawing.width, drawing.height)
        assert -0.1 <= left <= right <= across + 0.1
        assert -0.1 <= top <= bottom <= along + 0.1


@each_row(("name", "direction"), [(name, direction) for name in CHARTS for direction in DIRECTIONS])
def test_nothing_lies_on_anything_else(name: str, direction: str) -> None:
    check_flow(turned(CHARTS[name], direction))


NAMES = st.sampled_from("abcdefgh")
PARTS = st.lists(
    st.tuples(NAMES, st.sampled_from(["", "p", "q", "q r"]), NAMES, st.text("ab ", max_size=12)), max_size=14
)


@given(PARTS, st.sampled_from(DIRECTIONS))
@examples(150)
def test_nothing_lies_on_anything_else_whatever_the_edges(
    drawn: list[tuple[str, str, str, str]], direction: str
) -> None:
    lines = [f"flowchart {direction}", "a"]
    for one, around, other, label in drawn:
        lines += [f"subgraph {name}" for name in around.split()] + [one] * bool(around) + ["end"] * len(around.split())
        lines.append(f"{one} -->|{label}| {other}")
    check_flow(read_flowchart("\n".join(lines), name=""))


@each_row("direction", DIRECTIONS)
def test_every_node_and_every_edge_is_in_the_picture(direction: str) -> None:
    chart = turned(SHAPES, direction)
    root = ET.fromstring(flow_svg(chart))
    assert {each.attrib["data-node"] for each in root.iter() if "data-node" in each.attrib} == set(chart.nodes)
    found = [(each.attrib["data-from"], each.attrib["data-to"]) for each in root.iter() if "data-from" in each.attrib]
    assert sorted(found) == sorted((edge.source, edge.target) for edge in chart.edges)
    words = {text.text for text in root.iter(f"{SVG}text")}
    assert {"Start", "Is it OK?", "really", "quoted [x] (y)", "no way"} <= words


def test_an_invisible_edge_is_not_drawn() -> None:
    assert "data-from" not in flow_svg(read_flowchart("flowchart LR\na ~~~ b", name=""))


INSETS = [
    ("box", "top", 0, 0),
    ("diamond", "top", 0, 0),
    ("diamond", "top", 25, 10),
    ("diamond", "left", 10, 25),
    ("circle", "bottom", 0, 0),
    ("hexagon", "left", 20, 14),
    ("hexagon", "right", 0, 0),
    ("flag", "left", 0, 14),
    ("flag", "right", 0, 0),
    ("lean-right", "left", -20, 16),
    ("lean-right", "left", 20, 0),
    ("lean-right", "right", 20, 16),
    ("lean-left", "left", 20, 16),
    ("trapezoid", "left", -20, 16),
    ("inverted-trapezoid", "right", 20, 16),
    ("cylinder", "top", 0, 0),
    ("stadium", "left", 0, 0),
]


@each_row(("shape", "side", "offset", "inset"), INSETS)
def test_an_edge_meets_the_outline_of_a_shape(shape: str, side: str, offset: float, inset: float) -> None:
    assert inset_of(shape, side, 100, 40, offset) == pytest.approx(inset)


def test_the_title_of_a_frame_is_drawn() -> None:
    texts = [each.text for each in ET.fromstring(flow_svg(read_flowchart(FRAMES, name=""))).iter(f"{SVG}text")]
    assert {"Frontend of the application", "Backend", "Data layer"} <= set(texts)


def check_sequence(source: str) -> None:
    diagram = read_sequence(source, name="")
    layout = lay_out_sequence(diagram)
    for one, other in combinations(layout.columns, 2):
        assert other.x - one.x >= (one.width + other.width) / 2
    texts: list[Box] = []
    for arrow in layout.arrows:
        wide, high = text_width(arrow.lines), len(arrow.lines) * 17
        left = arrow.begin + 8 if arrow.message.source == arrow.message.target else (arrow.begin + arrow.end - wide) / 2
        texts.append((left, arrow.y - high, left + wide, arrow.y))
    notes = [(each.x, each.y, each.x + each.width, each.y + each.height) for each in layout.notes]
    for one_box, other_box in combinations([*texts, *notes], 2):
        assert not overlap(one_box, other_box)
    for block in layout.blocks:
        for box in [*texts, *notes]:
            if block.top < box[1] < block.bottom:
                assert block.left <= box[0] <= box[2] <= block.right
    root = ET.fromstring(sequence_svg(diagram))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    left = min([each.x - each.width / 2 for each in layout.columns] + [box[0] for box in [*texts, *notes]])
    right = max([each.x + each.width / 2 for each in layout.columns] + [box[2] for box in [*texts, *notes]])
    assert right - left <= width - 30
    assert layout.bottom + layout.head <= height - 30


def test_the_steps_of_a_sequence_are_below_each_other() -> None:
    check_sequence(SEQUENCE)


LINES = st.sampled_from(
    [
        "A->>B: x",
        "A-->>+C: a longer text",
        "C-xB: y",
        "B-)B: self",
        "loop x",
        "alt when it is so",
        "end",
        "A->>+A: z",
        "Note over A,C: a note",
        "Note left of B: n",
        "Note right of C: m",
        "C-->>-A: done",
    ]
)


@given(st.lists(LINES, min_size=1, max_size=20))
@examples(150)
def test_whatever_the_steps_they_are_below_each_other(lines: list[str]) -> None:
    done, depth = ["sequenceDiagram", "participant A", "participant B", "participant C"], 0
    for line in lines:
        opens, closes = line.startswith(("loop", "alt")), line == "end"
        if (opens and depth > 3) or (closes and not depth):
            continue
        depth += opens - closes
        done.append(line)
    check_sequence("\n".join(done + ["end"] * depth))


def test_every_message_and_every_participant_is_in_the_picture() -> None:
    root = ET.fromstring(sequence_svg(read_sequence(SEQUENCE, name="")))
    found = [each.attrib["data-from"] + each.attrib["data-to"] for each in root.iter() if "data-from" in each.attrib]
    assert found == ["AB", "BA", "AC", "AB", "BB", "AA", "CC", "CA"]
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert {"loop", "alt", "opt", "every minute", "ok", "no", "2. Hi", "text of a note", "of things"} <= set(words)


NASTY_SEQUENCE = (
    f"sequenceDiagram\nparticipant A as {NASTY}\nA->>{NASTY.replace(':', '')}: {NASTY}\nNote over A: {NASTY}"
)
PICTURES = {
    "flow": lambda: flow_svg(
        read_flowchart(f"flowchart TD\na[{NASTY}] -->|{NASTY}| b\nsubgraph {NASTY}\nb\nend", name="")
    ),
    "sequence": lambda: sequence_svg(read_sequence(NASTY_SEQUENCE, name="")),
}


@each_row("name", PICTURES)
def test_every_text_is_escaped_and_nothing_comes_from_elsewhere(name: str) -> None:
    shown = PICTURES[name]()
    root = ET.fromstring(shown)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "g",
        "path",
        "text",
        "rect",
        "circle",
    }
    names = {attribute for element in root.iter() for attribute in element.attrib}
    assert not {attribute for attribute in names if attribute.startswith("on") or attribute in ("style", "href")}
    assert "alert(1)" in "".join(root.itertext())
    for word in ("<script", "href=", "url(", "@import", "<image", "<foreignObject", "data:"):
        assert word not in shown


def test_styles_and_links_of_the_text_do_not_get_in() -> None:
    source = (
        'flowchart TD\na --> b\nstyle a fill:#badbad\nclassDef x fill:#badbad\nclick a href "http://evil.example"\n'
    )
    shown = flow_svg(read_flowchart(source, name=""))
    assert "badbad" not in shown
    assert "evil" not in shown


def test_the_same_chart_gives_the_same_picture() -> None:
    assert flow_svg(turned(FRAMES, "LR")) == flow_svg(turned(FRAMES, "LR"))


def largest() -> list[str]:
    """Charts near every bound, made to cost much."""
    chain = "\n".join(f"n{number} --> n{number + 1}" for number in range(MOST_NODES - 1))
    wide = "\n".join(f"hub --> n{number} -->|label {number}| end{number % 9}" for number in range(MOST_EDGES // 2 - 20))
    framed = "\n".join(
        f"subgraph s{number}\n"
        + "\n".join(f"n{number * 5 + each} --> n{number * 5 + each + 1}" for each in range(5))
        + "\nend"
        for number in range(39)
    )
    mesh = "\n".join(f"n{(number * 7) % 60} --> n{(number * 13 + 5) % 60}" for number in range(MOST_EDGES))
    return [f"flowchart TD\n{body}" for body in (chain, wide, framed, mesh)]


@pytest.mark.slow
@pytest.mark.alone
def test_the_largest_pictures_take_bounded_time() -> None:
    for source in largest():
        chart = read_flowchart(source, name="")
        assert too_large(chart) or least(lambda chart=chart: processor(lambda: flow_svg(chart)), 8) <= 8  # type: ignore[misc]  # mypy infers no default
    sequence = read_sequence("sequenceDiagram\n" + "A->>B: x\n" * MOST_STEPS, name="")
    assert least(lambda: processor(lambda: sequence_svg(sequence)), 2) <= 2


def test_a_text_is_as_wide_as_it_is_measured_or_less() -> None:
    chart = read_flowchart(LONG, name="")
    for name, lines in FlowDrawing(chart).texts.items():
        assert max(text_metrics.width(line, 14) for line in lines) <= 220, name
