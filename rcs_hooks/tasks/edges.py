"""List every edge of the lifecycle, in the order in which `lifecycle.md` draws them. Pure.

A test holds that the diagram and this table have the same edges.
"""

from __future__ import annotations

from rcs_hooks.tasks.guards import acceptance, code, plan
from rcs_hooks.tasks.guards.edge import Edge
from rcs_hooks.tasks.phases import PLANNING

EDGES: tuple[Edge, ...] = (*plan.EDGES, *code.EDGES, *acceptance.EDGES)


def edges_from(source: str, target: str | None = None) -> list[Edge]:
    """Return the edges out of a phase in the order drawn; with `target`, only those that lead there."""
    return [edge for edge in EDGES if edge.source == source and target in (None, edge.target)]


def as_tried(source: str) -> list[Edge]:
    """Return the edges out of a phase in the order in which `next` tries them."""
    return sorted((edge for edge in edges_from(source) if edge.tried is not None), key=lambda edge: edge.tried or 0)


def forward(source: str) -> str:
    """Return the phase that follows a phase where all is well."""
    return as_tried(source)[-1].target


def main_path() -> list[str]:
    """Return the phases from planning to done where nothing goes wrong."""
    path = [PLANNING]
    while as_tried(path[-1]):
        path.append(forward(path[-1]))
    return path
