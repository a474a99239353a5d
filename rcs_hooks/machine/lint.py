"""Warnings about a diagram that can be read: what is ignored, what Mermaid itself does not draw, and likely mistakes.

Only `rcs machine check` loads this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.machine import markdown, mermaid
from rcs_hooks.machine.source import Source, lines_of
from rcs_hooks.machine.statement import EDGE, EDGE_OF_ALL, NO_WAY, PASSED, STATE, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.machine.graph import Machine

MERMAIDS_OWN = frozenset(
    ("state", "note", "class", "classdef", "style", "click", "href", "default", "scale", "statediagram")
)
"""Words that Mermaid does not accept as the name of a state."""


class LintWarning(NamedTuple):
    """One warning about a diagram."""

    line: int
    """The line in the file; 0 for a warning about the whole diagram."""
    text: str


def lint_warnings(text: str, machine: Machine | None, file: str, heading: str = markdown.HEADING) -> list[LintWarning]:
    """Return the warnings about a text, by line, then those about the whole diagram.

    `machine` is the one read from the text; None if the text has no section with the heading.
    """
    if machine is None:
        near = markdown.near_heading(text, heading)
        said = f"this heading begins no state machine; write `{heading}`"
        return [LintWarning(near[0], said)] if near else []
    diagram = markdown.section(text, file, heading)
    if diagram is None:
        return []
    source = Source(lines_of(diagram[0]), file, diagram[1])
    return [*_of_lines(source), *(LintWarning(0, said) for said in _of_graph(machine))]


def _of_lines(source: Source) -> Iterator[LintWarning]:
    seen: dict[str, None] = {}
    edges: set[tuple[str, str]] = set()
    for number, statement in mermaid.statements(source):
        line = source.first_line + number
        said = [*_of_statement(source.lines[number], statement), *_of_ids(statement, seen)]
        yield from (LintWarning(line, each) for each in said)
        kind, one, other, _ = statement
        if kind == EDGE and (one, other) in edges:
            yield LintWarning(line, f"`{one} --> {other}` is repeated; it counts once, with its last label")
        if kind == EDGE:
            edges.add((one, other))


def _of_statement(line: str, statement: Statement) -> Iterator[str]:
    kind, one, other, label = statement
    if kind == PASSED:
        yield f"`{one}` is ignored" + ("; it has no state" if one == NO_WAY else "")
    if other == "<<choice>>":
        yield f"`<<choice>>` is ignored; `{one}` is a state like any other"
    if ":::" in line and ":::" not in (label or ""):
        yield "`:::` is ignored"
    if kind == STATE and other != "<<choice>>" and _is_dropped_by_mermaid(line):
        yield f"Mermaid itself does not draw this line; `{one} : Label` without `state` it does"
    if kind == STATE and label and "-->" in label:
        yield f"everything after the colon is the label of `{one}`, not a transition"
    if kind in (EDGE, STATE) and ":" in line and label is None and line.rstrip().endswith(":"):
        yield "Mermaid itself cannot draw an empty label; remove the colon"
    elif label and (";" in label or "::" in label or label.endswith(":")):
        yield "Mermaid itself cannot draw a label with `;`, with `::` or with `:` at its end"


def _is_dropped_by_mermaid(line: str) -> bool:
    words = line.split(None, 1)
    return len(words) > 1 and words[0].lower() == "state" and words[1][0] not in ':"' and not words[1].startswith("-->")


def _of_ids(statement: Statement, seen: dict[str, None]) -> Iterator[str]:
    kind, *ids = statement[:3]
    for name in ids if kind in (EDGE, STATE) else ():
        if name in seen or name in (EDGE_OF_ALL, "", "<<choice>>"):
            continue
        seen[name] = None
        if "-" in name:
            yield f"Mermaid itself cannot draw a state called `{name}`; write `{name.replace('-', '_')}`"
        if name.lower() in MERMAIDS_OWN:
            yield f"Mermaid itself cannot draw a state called `{name}`, which is a keyword there"


def _of_graph(machine: Machine) -> Iterator[str]:
    if not machine.terminal:
        yield "no end: a line `state --> [*]` is recommended"
    for state in machine.unreachable():
        yield f"no start leads to `{state}`"
    terminal = set(machine.terminal)
    for state in machine.states:
        if terminal and state not in terminal and not set(machine.successors(state)) - {state}:
            yield f"`{state}` leads nowhere and is not an end; write `{state} --> [*]`"
