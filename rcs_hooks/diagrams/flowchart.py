"""A flowchart: its nodes, its edges, and the frames around nodes that are its subgraphs."""

from __future__ import annotations

from dataclasses import dataclass, field

BOX, ROUND, STADIUM, SUBROUTINE, CYLINDER = "box", "round", "stadium", "subroutine", "cylinder"
CIRCLE, DOUBLE_CIRCLE, DIAMOND, HEXAGON, FLAG = "circle", "double-circle", "diamond", "hexagon", "flag"
LEAN_RIGHT, LEAN_LEFT, TRAPEZOID, INVERTED = "lean-right", "lean-left", "trapezoid", "inverted-trapezoid"
SOLID, DOTTED, THICK, INVISIBLE = "solid", "dotted", "thick", "invisible"
ARROW, CROSS, DOT, NONE = "arrow", "cross", "dot", ""
DOWN, UP, RIGHT, LEFT = "TB", "BT", "LR", "RL"


@dataclass
class FlowNode:
    """A node: its text, its shape, and the frame that it is in, if any."""

    ident: str
    text: str
    shape: str = BOX
    frame: str = ""


@dataclass(frozen=True)
class FlowEdge:
    """An edge between two nodes: its line, and what is at its two ends."""

    source: str
    target: str
    label: str = ""
    line: str = SOLID
    head: str = ARROW
    tail: str = NONE


@dataclass(frozen=True)
class FlowFrame:
    """A subgraph: a titled frame around nodes, perhaps inside another one."""

    ident: str
    title: str
    parent: str = ""


@dataclass
class Flowchart:
    """Everything that a flowchart says; nodes and edges are in the order in which it mentions them first."""

    direction: str = DOWN
    nodes: dict[str, FlowNode] = field(default_factory=dict)
    edges: list[FlowEdge] = field(default_factory=list)
    frames: dict[str, FlowFrame] = field(default_factory=dict)
    is_moved: bool = False
    """Whether an edge leads to a frame in the text, and to a node in it here."""
