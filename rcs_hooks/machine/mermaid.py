"""Read a Mermaid `stateDiagram-v2` into a machine, in one pass over its lines and in linear time."""

from rcs_hooks.machine.graph import Machine
from rcs_hooks.machine.source import LineError, Source, lines_of
from rcs_hooks.machine.statement import EDGE, EDGE_OF_ALL, STATE, read_statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.machine.statement import Statement

HEADER, OLD_HEADER = "stateDiagram-v2", "stateDiagram"
NO_HEADER = "a diagram begins with the line `stateDiagram-v2`"
OLD = "the header `stateDiagram` is not supported; write `stateDiagram-v2`"
NO_START = "no start: at least one line `[*] --> state` is needed"
SEPARATOR = " / "
"""What stands between the labels of several edges of one pair of states."""
OPEN_DIRECTIVE = "this directive is never closed by `}%%`"
OPEN_DESCRIPTION = "this description is never closed by `}`"


def read(source: str, *, name: str, file: str, first_line: int = 1) -> Machine:
    """Read a Mermaid diagram into a machine. Raises MachineError for the first fault.

    `first_line` is the number of the first line of `source` in `file`.
    """
    text = Source(lines_of(source), file, first_line)
    states: dict[str, None] = {}
    labels: dict[str, str] = {}
    endings: dict[str, dict[str, None]] = {}
    initial: dict[str, None] = {}
    terminal: dict[str, None] = {}
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for _, (kind, one, other, label) in statements(text):
        if kind == STATE:
            states[one] = None
            if label:
                labels[one] = label
        elif kind == EDGE and one == EDGE_OF_ALL:
            states[other] = initial[other] = None
        elif kind == EDGE and other == EDGE_OF_ALL:
            states[one] = terminal[one] = None
            if label:
                endings.setdefault(one, {})[label] = None
        elif kind == EDGE:
            states[one] = states[other] = None
            edges.setdefault((one, other), {}).update({label: None} if label else {})
    if not initial:
        raise text.fault_of_line(header_of(text)[0], NO_START)
    transitions = ((one, other, SEPARATOR.join(labels) or None) for (one, other), labels in edges.items())
    last = {one: SEPARATOR.join(labels) for one, labels in endings.items()}
    return Machine(name, file, states, labels, initial, terminal, transitions, last)


def header_of(text: Source) -> tuple[int, str]:
    """Return the number, counted from 0, of the first line with content, and its first word; 0 and "" if none has."""
    number, line = next(content_lines(text), (0, ""))
    return number, (line.split(None, 1) or [""])[0]


def statements(text: Source) -> "Iterator[tuple[int, Statement]]":
    """Yield each statement with the number of its line, counted from 0. Raises MachineError."""
    lines = content_lines(text)
    number, line = next(lines, (0, ""))
    start = len(line) - len(line.lstrip())
    word = line[start:].split(None, 1)[0] if line else ""
    if word != HEADER:
        problem = OLD if word == OLD_HEADER else NO_HEADER
        raise text.fault(number, LineError(problem, start, start + len(word)))
    rest = " " * (start + len(HEADER)) + line[start + len(HEADER) :]
    if rest.strip():
        yield number, _statement(text, number, rest)
    for number, line in lines:
        yield number, _statement(text, number, line)


def _statement(text: Source, number: int, line: str) -> "Statement":
    try:
        return read_statement(line)
    except LineError as spot:
        raise text.fault(number, spot) from None


def content_lines(text: Source) -> "Iterator[tuple[int, str]]":
    """Yield the lines with content and their numbers, without front matter, comments, directives and descriptions."""
    lines = text.lines
    number = _behind_front_matter(lines)
    while number < len(lines):
        line = lines[number].strip()
        if line.startswith("%%{"):
            number = _closed(text, number, "}%%", OPEN_DIRECTIVE)
        elif line[:8].lower() == "accdescr" and line[8:].lstrip().startswith("{"):
            yield number, lines[number]
            number = _closed(text, number, "}", OPEN_DESCRIPTION)
        elif line and not line.startswith("%%"):
            yield number, lines[number]
        number += 1


def _behind_front_matter(lines: list[str]) -> int:
    """Return the first line after the front matter between two lines `---`; 0 where there is none."""
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].strip() != "---":
        return 0
    return next((number + 1 for number in range(first + 1, len(lines)) if lines[number].strip() == "---"), 0)


def _closed(text: Source, number: int, mark: str, problem: str) -> int:
    """Return the number of the first line from `number` on that has `mark`. Raises MachineError with `problem`."""
    for later in range(number, len(text.lines)):
        if mark in text.lines[later]:
            return later
    raise text.fault_of_line(number, problem)
