"""The machine that a Markdown file declares: where its diagram is, and what it says.

Rules of this file:
- The section begins with a line `## STATE-MACHINE` outside every fence, and ends before the next such line with `## `.
- The machine of a mode is read in the same way from `## MODE`; one file may have both sections.
- The first `mermaid` fence in it with a `stateDiagram-v2` header is the diagram.
- A file without the section has no machine; a section without a diagram is an error.
"""

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.mermaid import HEADER, OLD, OLD_HEADER, header_of, read
from rcs_hooks.machine.source import Source, lines_of

HEADING = "## STATE-MACHINE"
MODE_HEADING = "## MODE"
UNCLOSED = "this fence is never closed, so the {heading} section has no diagram"
HIDES = "this fence is never closed, so it swallows the {heading} section in line {line}"
NO_DIAGRAM = "this section has no ```mermaid fence with a stateDiagram-v2 diagram; write one, or take the section out"
NO_LANGUAGE = "this fence holds the diagram but is not marked as one; write ```mermaid"


class _Fence:
    """The opening line of a fence: its marks, and the text after them."""

    __slots__ = ("first", "info", "mark")

    def __init__(self, number: int, mark: str, info: str) -> None:
        self.first = number
        self.mark = mark
        self.info = info

    @property
    def language(self) -> str:
        return (self.info.strip("{} ").split(None, 1) or [""])[0].lower()

    def is_closed_by(self, line: str) -> bool:
        line = line.strip()
        return len(line) >= len(self.mark) and not line.strip(self.mark[0])


def machine_in(text: str, *, name: str, file: str, heading: str = HEADING) -> Machine | None:
    """Read the machine that a Markdown text declares; None if it has no section with the heading.

    Raises MachineError for the first fault.
    """
    found = section(text, file, heading)
    if found is None:
        return None
    diagram, first_line = found
    return read(diagram, name=name, file=file, first_line=first_line)


def section(text: str, file: str, heading: str = HEADING) -> tuple[str, int] | None:
    """Return the diagram in a Markdown text, and the number of its first line. Raises MachineError.

    Return None if the text has no section with the heading.
    """
    if heading not in text:
        return None
    source = Source(lines_of(text), file)
    start = _start(source, heading)
    return None if start is None else _diagram(source, start, heading)


def _start(source: Source, heading: str) -> int | None:
    """Return the number of the line that begins the section, counted from 0; None if none does. Raises MachineError."""
    fence, swallowed = None, None
    for number, line in enumerate(source.lines):
        if fence:
            if fence.is_closed_by(line):
                fence, swallowed = None, None
            elif swallowed is None and _is_heading(line, heading):
                swallowed = number
        elif _is_heading(line, heading):
            return number
        else:
            fence = _fence_at(number, line)
    if fence and swallowed is not None:
        raise source.fault_of_line(fence.first, HIDES.format(heading=heading, line=swallowed + 1))
    return None


def _diagram(source: Source, start: int, heading: str) -> tuple[str, int]:
    """Return the first diagram of a section, and the number of its first line. Raises MachineError if there is none.

    `start`: the number of the line with the heading, counted from 0.
    """
    fence, instead = None, None
    for number in range(start + 1, len(source.lines)):
        line = source.lines[number]
        if fence is None:
            if line.startswith("## "):
                break
            fence = _fence_at(number, line)
        elif fence.is_closed_by(line):
            inside = Source(source.lines[fence.first + 1 : number], source.file, fence.first + 2)
            kind = _first_word(inside)
            if fence.language == "mermaid" and kind == HEADER:
                return "\n".join(inside.lines), inside.first_line
            instead = instead or _instead(source, fence, inside, kind)
            fence = None
    if fence:
        raise source.fault_of_line(fence.first, UNCLOSED.format(heading=heading))
    raise instead or source.fault_of_line(start, NO_DIAGRAM)


def _instead(source: Source, fence: _Fence, inside: Source, kind: str) -> MachineError | None:
    """Return the error for a fence that was probably meant to be the diagram, to be raised if no other fence is one.

    Return None for a fence that was meant for something else.
    """
    if fence.language == "mermaid" and kind == OLD_HEADER:
        return inside.fault_of_line(header_of(inside)[0], OLD)
    if kind == HEADER:
        return source.fault_of_line(fence.first, NO_LANGUAGE)
    return None


def _first_word(inside: Source) -> str:
    """Return the first word of a fence; empty if it cannot be read."""
    try:
        return header_of(inside)[1] if inside.lines else ""
    except MachineError:
        return ""


def near_heading(text: str, heading: str = HEADING) -> tuple[int, str] | None:
    """Return number and text of a heading that was probably meant to begin the section; None if there is none."""
    wanted = heading.strip("# ").replace("-", "").lower()
    for number, line in enumerate(lines_of(text), 1):
        words = line.strip(" \t#:*").replace("-", "").replace("_", "").replace(" ", "").lower()
        if words == wanted and line.lstrip().startswith("#"):
            return number, line
    return None


def _is_heading(line: str, heading: str) -> bool:
    return line.startswith(heading) and line.rstrip() == heading


def _fence_at(number: int, line: str) -> _Fence | None:
    text = line.strip()
    for char in ("`", "~"):
        if text.startswith(char * 3):
            info = text.lstrip(char)
            return None if char in info and char == "`" else _Fence(number, text[: len(text) - len(info)], info)
    return None
