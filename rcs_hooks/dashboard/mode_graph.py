"""The state graph of a mode's run: the machine of the mode, and its picture with the path taken."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rcs_hooks.dashboard import graphs
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.mermaid import SEPARATOR
from rcs_hooks.mode_def import END

if TYPE_CHECKING:
    from rcs_hooks.catalog import ModeDef

Record = dict[str, Any]


def machine_of(mode: ModeDef) -> Machine:
    """Return the machine of a mode as one that can be drawn; its states have no labels, as their texts are long."""
    pairs: dict[tuple[str, str], dict[str, None]] = {}
    for one, other, event in mode.edges:
        pairs.setdefault((one, other), {}).update({event: None} if event else {})
    labels = {pair: SEPARATOR.join(events) for pair, events in pairs.items()}
    edges = [(one, other, label or None) for (one, other), label in labels.items() if other != END]
    ends = dict.fromkeys(one for one, other in labels if other == END)
    endings = {one: label for (one, other), label in labels.items() if other == END and label}
    return Machine(mode.name, mode.file, mode.states, {}, [mode.first_phase], ends, edges, endings)


@lru_cache(maxsize=32)
def drawn(machine: Machine, edges: tuple[tuple[str, str], ...], current: str | None) -> Record:
    """Return the picture of a mode's machine with the path of a run, as JSON."""
    return graphs.draw(machine, list(edges), current)
