"""How the text of a flowchart names the shapes of nodes: by brackets, or by words."""

from __future__ import annotations

from rcs_hooks.diagrams import flowchart as flow

SHAPES = (
    ("(((", ((")))", flow.DOUBLE_CIRCLE),)),
    ("((", (("))", flow.CIRCLE),)),
    ("([", (("])", flow.STADIUM),)),
    ("(-", (("-)", flow.STADIUM),)),
    ("[[", (("]]", flow.SUBROUTINE),)),
    ("[(", ((")]", flow.CYLINDER),)),
    ("[/", (("/]", flow.LEAN_RIGHT), ("\\]", flow.TRAPEZOID))),
    ("[\\", (("\\]", flow.LEAN_LEFT), ("/]", flow.INVERTED))),
    ("{{", (("}}", flow.HEXAGON),)),
    ("[", (("]", flow.BOX),)),
    ("(", ((")", flow.ROUND),)),
    ("{", (("}", flow.DIAMOND),)),
    (">", (("]", flow.FLAG),)),
)
"""How the text of a node begins, with what it ends, and the shape that this means; the longer beginning comes first."""
NAMED_SHAPES = {
    "rect": flow.BOX, "rounded": flow.ROUND, "stadium": flow.STADIUM, "subproc": flow.SUBROUTINE, "cyl": flow.CYLINDER,
    "circle": flow.CIRCLE, "dbl-circ": flow.DOUBLE_CIRCLE, "diam": flow.DIAMOND, "hex": flow.HEXAGON, "odd": flow.FLAG,
    "lean-r": flow.LEAN_RIGHT, "lean-l": flow.LEAN_LEFT, "trap-b": flow.TRAPEZOID, "trap-t": flow.INVERTED,
}  # fmt: skip
"""The shapes that have a name, as in `a@{ shape: diam }`."""
