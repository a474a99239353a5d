"""The layout: what it holds, and that nothing in it lies on anything else."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.drawing import text_metrics
from rcs_hooks.drawing.svg import LABEL_SIZE, svg
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.mermaid import read
from tests.machine.test_mermaid import AGENT, LIFECYCLE, LINEAR
from tests.properties import examples
from tests.support import few, least, processor

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def machine(body: str) -> Machine:
    return read(f"stateDiagram-v2\n{body}", name="m", file="")


def of_size(states: int, edges: int, throw: int) -> Machine:
    """Mostly downwards, with labels, loops, routes back, and ends here and there."""
    dice = random.Random(throw)
    lines = ["[*] --> s0", f"s{states - 1} --> [*]", f"s{states // 2} --> [*]"]
    lines += [f"s{dice.randrange(max(0, one - 4), one)} --> s{one}" for one in range(1, states)]
    known: set[tuple[int, int]] = set()
    while len(known) < edges - states:
        known.add((dice.randrange(states), dice.randrange(states)))
    lines += [f"s{one} --> s{other}{' : event' * dice.randrange(4)}" for one, other in sorted(known)]
    return machine("\n".join(lines))


LOOP = """[*] --> requirements
requirements --> build
build --> verify : build_complete
verify --> build : retry
verify --> [*]"""
FAN = "\n".join(f"hub --> w{number} : to\nw{number} --> hub : back\nw{number} --> end" for number in range(12))
PICTURES = {
    "a line": machine(LINEAR),
    "an agent": machine(AGENT),
    "a loop": machine(LOOP),
    "a lifecycle": machine(LIFECYCLE),
    "one state": machine("[*] --> a"),
    "a self-loop": machine("[*] --> a\na --> a : again and again"),
    "unreachable states": machine("[*] --> a\na --> [*]\nx --> a\ny --> z\nz --> y\nisland"),
    "several starts": machine("[*] --> a\n[*] --> b\n[*] --> c\na --> b\nb --> c : on\nc --> a\nc --> [*]\na --> [*]"),
    "long words": machine(f"[*] --> {'x' * 300}\n{'x' * 300} --> b : {'w' * 300}\nb : {'long words ' * 40}"),
    "broken labels": machine('[*] --> a\nstate "one<br/>two<br>three\\nfour" as a\na --> a : x<br/>y'),
    "letters of Japan": machine("[*] --> 計画\n計画 --> 実行 : 次へ進む\n計画 : 計画を立てる"),
    "ends with labels": machine(
        "[*] --> a\na --> b : go\nb --> a : check_fails\na --> [*] : give_up\nb --> [*] : all_pass"
    ),
    "a fan": machine(f"[*] --> hub\n{FAN}"),
    "30 states": of_size(30, 60, 1),
    "60 states and 200 edges": of_size(60, 200, 2),
}


def boxes(root: ET.Element) -> dict[str, Box]:
    found = {}
    for group in root.iter(f"{SVG}g"):
        if "data-state" in group.attrib:
            (rect,) = group.iter(f"{SVG}rect")
            x, y, width, height = (float(rect.attrib[name]) for name in ("x", "y", "width", "height"))
            found[group.attrib["data-state"]] = (x, y, x + width, y + height)
    return found


def labels(root: ET.Element) -> list[Box]:
    """The words beside edges, as wide as the house takes them to be."""
    found = []
    for text in root.iter(f"{SVG}text"):
        if "words" in text.get("class", "").split():
            x, y = float(text.attrib["x"]), float(text.attrib["y"])
            found.append((x, y - LABEL_SIZE * 0.75, x + text_metrics.width(text.text or "", LABEL_SIZE), y + 2))
    return found


def edges(root: ET.Element) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Points on each edge."""
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for group in root.iter(f"{SVG}g"):
        if "data-from" in group.attrib:
            line = next(group.iter(f"{SVG}path")).attrib["d"]
            found[group.attrib["data-from"], group.attrib["data-to"]] = points(line)
    return found


def points(line: str) -> list[tuple[float, float]]:
    """Of a path of M, V and C; ten of each piece."""
    done: list[tuple[float, float]] = []
    for piece in line.replace("M", "|M").replace("V", "|V").replace("C", "|C").split("|")[1:]:
        numbers = [float(number) for number in piece[1:].split()]
        if piece[0] == "M":
            done.append((numbers[0], numbers[1]))
            continue
        x, y = done[-1]
        x1, y1, x2, y2, x3, y3 = numbers if piece[0] == "C" else (x, y, x, numbers[0], x, numbers[0])
        for step in range(1, 11):
            t = step / 10
            a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
            done.append((a * x + b * x1 + c * x2 + d * x3, a * y + b * y1 + c * y2 + d * y3))
    return done


def overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def inside(point: tuple[float, float], box: Box, by: float = 0.5) -> bool:
    return box[0] + by < point[0] < box[2] - by and box[1] + by < point[1] < box[3] - by


def check_room(graph: Machine) -> None:
    root = ET.fromstring(svg(graph))
    states, words = boxes(root), labels(root)
    assert set(states) == set(graph.states)
    for (name, one), (other_name, other) in combinations(states.items(), 2):
        assert not overlap(one, other), (name, other_name)
    for label in words:
        assert not [name for name, box in states.items() if overlap(label, box)]
    for one, other in combinations(words, 2):
        assert not overlap(one, other)
    for ends, line in edges(root).items():
        for name, box in states.items():
            assert not [point for point in line if inside(point, box)], (ends, name)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for left, top, right, bottom in (*states.values(), *words):
        assert 0 <= left + 16 <= right + 16 <= width
        assert 0 <= top + 16 <= bottom + 16 <= height


@pytest.mark.parametrize("name", few(PICTURES, len(PICTURES) - 1))
def test_nothing_lies_on_anything_else(name: str) -> None:
    check_room(PICTURES[name])


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.text("ab ", max_size=12))))
@examples(80)
def test_nothing_lies_on_anything_else_whatever_the_edges(drawn: list[tuple[str, str, str]]) -> None:
    check_room(machine("[*] --> a\n" + "\n".join(f"{one} --> {other} : {label}" for one, other, label in drawn)))


@pytest.mark.parametrize("name", few(PICTURES, len(PICTURES) - 1))
def test_every_edge_is_there_once_and_touches_its_boxes(name: str) -> None:
    graph = PICTURES[name]
    root = ET.fromstring(svg(graph))
    found, states = edges(root), boxes(root)
    expected = {(one, other) for one, other, _ in graph.transitions}
    expected |= {("[*]", state) for state in graph.initial} | {(state, "[*]") for state in graph.terminal}
    assert set(found) == expected
    for (one, other), line in found.items():
        for state in {one, other} - {"[*]"}:
            left, top, right, bottom = states[state]
            near = (left - 9, top - 9, right + 9, bottom + 9)
            assert inside(line[0], near, 0) or inside(line[-1], near, 0)


def test_the_picture_of_a_run_is_as_it_was() -> None:
    assert svg(PICTURES["a loop"], path=WAY, current="verify") == (Path(__file__).parent / "a-loop.svg").read_text()


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in ("long words", "broken labels")])
def test_every_label_is_drawn(name: str) -> None:
    graph = PICTURES[name]
    drawn = "".join(text.text or "" for text in ET.fromstring(svg(graph)).iter(f"{SVG}text"))
    edges = [label for _, _, label in graph.transitions if label]
    for label in (*graph.states, *graph.labels.values(), *graph.endings.values(), *edges):
        for word in label.split():
            assert word in drawn


@pytest.mark.slow
def test_a_picture_does_not_depend_on_the_hashes_of_the_process() -> None:
    import subprocess
    import sys

    code = "from tests.drawing.test_svg import PICTURES, svg; print(svg(PICTURES['30 states']))"
    shown = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": number}
        ).stdout
        for number in ("1", "2")
    }
    assert shown == {svg(PICTURES["30 states"]) + "\n"}


@pytest.mark.slow
@pytest.mark.alone
def test_sixty_states_and_two_hundred_edges_are_drawn_within_a_moment() -> None:
    machine = of_size(60, 200, 3)
    assert least(lambda: processor(lambda: svg(machine)), 5) <= 5


NASTY = '"><script>alert(1)</script><a b="&amp;'


def test_every_text_is_escaped() -> None:
    graph = Machine(NASTY, "", ["a", NASTY], {"a": NASTY}, ["a"], [NASTY], [("a", NASTY, NASTY)])
    shown = svg(graph, path=[("a", NASTY)], current=NASTY)
    root = ET.fromstring(shown)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "desc", "style", "g", "path", "text", "rect", "circle",
    }  # fmt: skip
    assert NASTY in boxes(root)
    assert "<script" not in shown


def test_what_xml_cannot_hold_does_not_break_the_picture() -> None:
    graph = machine("[*] --> a\na --> b : x\x00y\x1b[31m\x0b\ufffez\ud800")
    assert "x\ufffdy" in "".join(ET.fromstring(svg(graph)).itertext())


@pytest.mark.parametrize("name", few(PICTURES, len(PICTURES) - 1))
def test_no_script_and_nothing_from_elsewhere(name: str) -> None:
    shown = svg(PICTURES[name])
    for word in ("script", "href", "url(", "@import", "<image", "<foreignObject", "data:"):
        assert word not in shown
    assert shown.count("http") == 1  # the name space
    names = {attribute for element in ET.fromstring(shown).iter() for attribute in element.attrib}
    assert not {attribute for attribute in names if attribute.startswith("on") or attribute == "style"}


def classes(shown: str, key: str) -> dict[str, set[str]]:
    found = {}
    for group in ET.fromstring(shown).iter(f"{SVG}g"):
        if key in group.attrib:
            name = group.attrib[key]
            name += f">{group.attrib['data-to']}" if key == "data-from" else ""
            found[name] = set(group.attrib["class"].split())
    return found


WAY = list(pairwise(["[*]", "requirements", "build", "verify", "build", "verify"]))


def test_the_way_of_a_run_is_marked() -> None:
    shown = svg(PICTURES["a loop"], path=WAY, current="verify")
    states, routes = classes(shown, "data-state"), classes(shown, "data-from")
    assert states["verify"] == {"state", "visited", "current"}
    assert states["build"] == states["requirements"] == {"state", "visited"}
    assert {name for name, kinds in routes.items() if "taken" in kinds} == {
        "[*]>requirements", "requirements>build", "build>verify", "verify>build",
    }  # fmt: skip
    assert "× 2" in shown
    assert "Now at verify." in shown


@examples(100)
@given(st.text(max_size=200), st.integers(1, 4))
def test_no_line_is_wider_than_it_may(text: str, most: int) -> None:
    found = text_metrics.lines(text, 10, 80, most)
    assert len(found) <= most
    assert all(text_metrics.width(line, 10) <= 80 for line in found)
