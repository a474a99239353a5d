"""Finds the diagram in a Markdown file.

Rules of this file:
- The section begins with a line `## STATE-MACHINE` outside every fence, and ends before the next such line with `## `.
- The first `mermaid` fence in it with a `stateDiagram-v2` header is the diagram.
- No section, no machine. A section that promises one and does not deliver is an error, and never no machine.
"""

from rcs_hooks.errors import MachineError
from rcs_hooks.machine.faults import Source, lines_of
from rcs_hooks.machine.mermaid import HEADER, OLD, OLD_HEADER, header_of

HEADING = "## STATE-MACHINE"
UNCLOSED = "this fence is never closed, so the {heading} section has no diagram"
HIDES = "this fence is never closed, so it swallows the {heading} section in line {line}"
NO_DIAGRAM = "this section has no ```mermaid fence with a stateDiagram-v2 diagram; write one, or take the section out"
NO_LANGUAGE = "this fence holds the diagram but is not marked as one; write ```mermaid"


class _Fence:
    """An opening line: how long its marks are, and what it says behind them."""

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


def section(text: str, file: str) -> tuple[str, int] | None:
    """The diagram, and the number of its first line; None where the file has no section. Raises MachineError."""
    if HEADING not in text:
        return None
    source = Source(lines_of(text), file)
    heading = _heading(source)
    return None if heading is None else _diagram(source, heading)


def _heading(source: Source) -> int | None:
    """Where the first section begins."""
    fence, swallowed = None, None
    for number, line in enumerate(source.lines):
        if fence:
            if fence.is_closed_by(line):
                fence, swallowed = None, None
            elif swallowed is None and _is_heading(line):
                swallowed = number
        elif _is_heading(line):
            return number
        else:
            fence = _opened(number, line)
    if fence and swallowed is not None:
        raise source.fault_of_line(fence.first, HIDES.format(heading=HEADING, line=swallowed + 1))
    return None


def _diagram(source: Source, heading: int) -> tuple[str, int]:
    """The first diagram of the section that begins there."""
    fence, instead = None, None
    for number in range(heading + 1, len(source.lines)):
        line = source.lines[number]
        if fence is None:
            if line.startswith("## "):
                break
            fence = _opened(number, line)
        elif fence.is_closed_by(line):
            inside = Source(source.lines[fence.first + 1 : number], source.file, fence.first + 2)
            kind = _first_word(inside)
            if fence.language == "mermaid" and kind == HEADER:
                return "\n".join(inside.lines), inside.first_line
            instead = instead or _instead(source, fence, inside, kind)
            fence = None
    if fence:
        raise source.fault_of_line(fence.first, UNCLOSED.format(heading=HEADING))
    raise instead or source.fault_of_line(heading, NO_DIAGRAM)


def _instead(source: Source, fence: _Fence, inside: Source, kind: str) -> MachineError | None:
    """What a fence that is not the diagram was probably meant to be; said if no other is the diagram."""
    if fence.language == "mermaid" and kind == OLD_HEADER:
        return inside.fault_of_line(header_of(inside)[0], OLD)
    if kind == HEADER:
        return source.fault_of_line(fence.first, NO_LANGUAGE)
    return None


def _first_word(inside: Source) -> str:
    """What a fence begins with; nothing where even that cannot be read."""
    try:
        return header_of(inside)[1] if inside.lines else ""
    except MachineError:
        return ""


def almost(text: str) -> tuple[int, str] | None:
    """A heading that was probably meant to begin the section, in a text that has none; its number and its line."""
    wanted = HEADING.strip("# ").replace("-", "").lower()
    for number, line in enumerate(lines_of(text), 1):
        words = line.strip(" \t#:*").replace("-", "").replace("_", "").replace(" ", "").lower()
        if words == wanted and line.lstrip().startswith("#"):
            return number, line
    return None


def _is_heading(line: str) -> bool:
    return line.startswith(HEADING) and line.rstrip() == HEADING


def _opened(number: int, line: str) -> _Fence | None:
    text = line.strip()
    for char in ("`", "~"):
        if text.startswith(char * 3):
            info = text.lstrip(char)
            return None if char in info and char == "`" else _Fence(number, text[: len(text) - len(info)], info)
    return None
