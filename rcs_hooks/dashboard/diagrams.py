"""The Mermaid diagrams of a Markdown text, drawn; what cannot be drawn says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import graphs
from rcs_hooks.diagrams.flow_reader import read_flowchart
from rcs_hooks.diagrams.sequence_reader import read_sequence
from rcs_hooks.drawing import flow_svg
from rcs_hooks.drawing.sequence_svg import sequence_svg
from rcs_hooks.errors import MachineError
from rcs_hooks.machine.mermaid import header_of
from rcs_hooks.machine.mermaid import read as read_diagram
from rcs_hooks.machine.source import Source, lines_of
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable

Record = dict[str, Any]

MOST_DIAGRAMS = 20
MOST_DRAWN = 600
"""How many lines all diagrams of a text may have together and be drawn, so that a text is shown within a second."""
OTHERS = {
    "classDiagram": "class diagrams", "erDiagram": "entity relationship diagrams", "gantt": "Gantt charts",
    "pie": "pie charts", "journey": "user journeys", "gitGraph": "Git graphs", "mindmap": "mind maps",
    "timeline": "timelines", "quadrantChart": "quadrant charts", "C4Context": "C4 diagrams",
}  # fmt: skip
"""Kinds that agents write and that are not drawn, by the words with which they begin."""
DRAWN = "flowcharts, sequence diagrams and state diagrams (`stateDiagram-v2`)"
MOVED = "An arrow to or from a whole frame is drawn to a node in it."


def diagrams_in(text: str, name: str) -> list[Record]:
    """Return a picture of each Mermaid fence of a Markdown text, in their order, or why there is none, as JSON."""
    drawn, count = list[Record](), 0
    for fence in fences_in(text)[:MOST_DIAGRAMS]:
        count += fence.count("\n") + fence.count(";") + fence.count("&") + 1
        made = (
            _of_fence(fence, name) if count <= MOST_DRAWN or not drawn else _refused("this text has too many diagrams")
        )
        drawn.append({"note": None} | made | {"source": fence})
    return drawn


def _refused(why: str) -> Record:
    return {"svg": None, "problem": why}


def fences_in(text: str) -> list[str]:
    """Return what is in the Mermaid fences of a Markdown text; a fence that is never closed goes up to the end."""
    found: list[list[str]] = []
    closing, inside = "", False
    for line in text.splitlines():
        words = line.strip()
        if closing and words.startswith(closing) and not words.strip(closing[0]):
            closing = ""
        elif closing and inside:
            found[-1].append(line)
        elif not closing and words.startswith(("```", "~~~")):
            closing = words[: len(words) - len(words.lstrip(words[0]))]
            inside = words[len(closing) :].strip().lower() == "mermaid"
            found += [[]] if inside else []
    return ["\n".join(lines) for lines in found]


def _of_fence(text: str, name: str) -> Record:
    try:
        source = Source(lines_of(text), name)
        kind = header_of(source)[1].partition(";")[0]
        return _reader_of(kind)(text, name)
    except MachineError as error:
        return _refused(f"line {error.line} of the diagram: {clean(error.problem, 200)}")


def _reader_of(kind: str) -> Callable[[str, str], Record]:
    if kind.partition("-")[0] in ("flowchart", "graph"):
        return _flowchart
    if kind == "sequenceDiagram":
        return _sequence
    if kind.startswith("stateDiagram"):
        return _machine
    named = OTHERS.get(kind.partition("-")[0].rstrip(":"))
    return lambda *_: _refused(f"{named} are not drawn here" if named else f"only {DRAWN} are drawn here")


def _machine(text: str, name: str) -> Record:
    return graphs.draw(read_diagram(text, name=name, file=name))


def _flowchart(text: str, name: str) -> Record:
    chart = read_flowchart(text, name=name)
    if not chart.nodes:
        return _refused("this flowchart has no nodes")
    if problem := flow_svg.too_large(chart):
        return _refused(problem)
    return {"svg": flow_svg.flow_svg(chart), "problem": None, "note": MOVED if chart.is_moved else None}


def _sequence(text: str, name: str) -> Record:
    diagram = read_sequence(text, name=name)
    if not diagram.participants:
        return _refused("this sequence diagram has no participants")
    return {"svg": sequence_svg(diagram), "problem": None}
