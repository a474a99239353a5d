"""The state diagrams of a Markdown text, drawn; what cannot be drawn says why."""

from __future__ import annotations

from typing import Any

from rcs_hooks.dashboard import graphs
from rcs_hooks.errors import MachineError
from rcs_hooks.machine.mermaid import OLD_HEADER, header_of
from rcs_hooks.machine.mermaid import read as read_diagram
from rcs_hooks.machine.source import Source, lines_of
from rcs_hooks.text import clean

Record = dict[str, Any]

MOST_DIAGRAMS = 20
MOST_DRAWN = 600
"""How many lines all diagrams of a text may have together and be drawn, so that a text is shown within a second."""


def diagrams_in(text: str, name: str) -> list[Record]:
    """Return a picture of each state diagram of a Markdown text, in their order, or why there is none, as JSON.

    A diagram of another kind is left out: it is shown as the text that it is.
    """
    found, count = list[Record](), 0
    for fence in [fence for fence in _fences_in(text) if _is_state_diagram(fence, name)][:MOST_DIAGRAMS]:
        count += fence.count("\n") + 1
        is_too_much = count > MOST_DRAWN and found
        drawn = _refused("this text has too many diagrams") if is_too_much else _drawn(fence, name)
        found.append(drawn | {"source": fence})
    return found


def _fences_in(text: str) -> list[str]:
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


def _is_state_diagram(text: str, name: str) -> bool:
    try:
        return header_of(Source(lines_of(text), name))[1].startswith(OLD_HEADER)
    except MachineError:
        return False


def _drawn(text: str, name: str) -> Record:
    try:
        return graphs.draw(read_diagram(text, name=name, file=name))
    except MachineError as error:
        return _refused(f"line {error.line} of the diagram: {clean(error.problem, 200)}")


def _refused(why: str) -> Record:
    return {"svg": None, "problem": why}
