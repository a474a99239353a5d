"""Read a Mermaid flowchart, from its first letter to its last, without ever going back.

Rules of this file:
- A statement ends at the end of its line or at `;`. A text in quotation marks may have several lines.
- Statements that only style a diagram, or make it react to clicks, are passed over.
- What is too large is refused while it is read, because a line such as `a & b --> c & d` has a product of edges.
"""

from __future__ import annotations

import re

from rcs_hooks.diagrams import flowchart as flow
from rcs_hooks.diagrams.flowchart import Flowchart, FlowEdge, FlowFrame, FlowNode
from rcs_hooks.diagrams.node_shapes import NAMED_SHAPES, SHAPES
from rcs_hooks.diagrams.wording import plain
from rcs_hooks.machine.mermaid import content_lines
from rcs_hooks.machine.source import LineError, Source, lines_of

LARGEST = 50_000
MOST_NODES, MOST_EDGES, MOST_FRAMES = 300, 600, 40
DEEPEST = 8
LONGEST_TEXT = 2_000
TOO_LONG = f"this diagram has more than {LARGEST} letters, which are too many to be drawn"
TOO_MANY = "this diagram has more than {} {}, which are too many to be drawn"

HEADER = re.compile(r"\s*(?:flowchart|graph)(?:-elk)?(?=[\s;]|$)[ \t]*(TB|TD|BT|RL|LR|[><^v](?=[\s;]|$))?")
DIRECTIONS = {
    "TB": flow.DOWN, "TD": flow.DOWN, "v": flow.DOWN, "BT": flow.UP, "^": flow.UP, "LR": flow.RIGHT, ">": flow.RIGHT,
    "RL": flow.LEFT, "<": flow.LEFT,
}  # fmt: skip
BETWEEN = re.compile(r"(?:[\s;]|%%[^\n]*)*")
BLANKS = re.compile(r"[ \t]*")
PASSED_OVER = re.compile(r"(?:classDef|class|style|linkStyle|click|direction|accTitle|accDescr)\b(?=[ \t:{])[^\n]*")
SUBGRAPH = re.compile(r"subgraph\b[ \t]*([^\n;]*)")
TITLED = re.compile(r"([^\s\[\]\"]+)[ \t]*\[(.*)\]$")
END = re.compile(r"end(?=[ \t]*(?:[\n;]|%%|$))")
IDENT = re.compile(r"(?:[\w#$*+./!?']|-(?=[^->.\s])|=(?=[^=>\s]))+")
CLASS = re.compile(r":::[\w-]+")
PROPERTIES = re.compile(r"@\{([^{}]*)\}")
PROPERTY = re.compile(r"(shape|label)\s*:\s*(\"[^\"]*\"|[^,\"]*)")
EDGE_NAME = re.compile(r"[\w-]+@(?=[-=<~xo.])")
LINK = re.compile(r"([<xo]?)(?:(--+[->xo])|(==+[=>xo])|(-?\.+-[>xo]?)|(~~~+))")
OPEN_LINK = re.compile(r"([<xo]?)(--|==|-\.)")
CLOSINGS = {"--": re.compile(r"--+[->xo]"), "==": re.compile(r"==+[=>xo]"), "-.": re.compile(r"\.+-[>xo]?")}
LABEL = re.compile(r"[ \t]*\|(?:[ \t]*(\"[^\"]*\")[ \t]*|([^|]*))\|")
NEW_LINE = re.compile(r"\n[ \t]*")

LINES = {2: flow.SOLID, 3: flow.THICK, 4: flow.DOTTED, 5: flow.INVISIBLE}
ENDS = {">": flow.ARROW, "<": flow.ARROW, "x": flow.CROSS, "o": flow.DOT}


def read_flowchart(text: str, *, name: str) -> Flowchart:
    """Read a Mermaid flowchart. Raises MachineError for the first fault."""
    source = Source(lines_of(text[: LARGEST + 1]), name)
    if len(text) > LARGEST:
        raise source.fault_of_line(len(source.lines) - 1, TOO_LONG)
    lines = [""] * len(source.lines)
    for number, line in content_lines(source):
        lines[number] = line
    reader = _Reader("\n".join(lines))
    try:
        return reader.read()
    except _Stopped as why:
        number = reader.text.count("\n", 0, why.at)
        column = why.at - (reader.text.rfind("\n", 0, why.at) + 1)
        raise source.fault(number, LineError(str(why), column, column + 1)) from None


class _Stopped(Exception):
    """Raised where reading stops, with the number of the letter there."""

    def __init__(self, problem: str, at: int) -> None:
        super().__init__(problem)
        self.at = at


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.chart = Flowchart()
        self.open: list[tuple[str, int]] = []
        """The frames that are open, and where each begins."""

    def read(self) -> Flowchart:
        header = self._take(BETWEEN) and HEADER.match(self.text, self.at)
        if not header:
            raise _Stopped("a flowchart begins with `flowchart` or `graph`", self.at)
        self.chart.direction = DIRECTIONS[header[1] or "TB"]
        self.at = header.end()
        while True:
            self._take(BETWEEN)
            if self.at >= len(self.text):
                break
            self._statement()
        if self.open:
            raise _Stopped("this `subgraph` is never closed by `end`", self.open[-1][1])
        return _without_empty_frames(self.chart)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def _statement(self) -> None:
        begin = self.at
        if self._take(PASSED_OVER):
            return
        if found := self._take(SUBGRAPH):
            self._open(found[1], begin)
        elif self._take(END):
            if not self.open:
                raise _Stopped("this `end` closes nothing", begin)
            self.open.pop()
        else:
            self._chain()

    def _open(self, words: str, begin: int) -> None:
        words = words.partition("%%")[0].strip()
        titled = TITLED.match(words)
        ident, title = (titled[1], plain(titled[2])) if titled else (plain(words), plain(words))
        ident = ident or f"subgraph {len(self.chart.frames) + 1}"
        if len(self.chart.frames) >= MOST_FRAMES or len(self.open) >= DEEPEST:
            raise _Stopped(TOO_MANY.format(MOST_FRAMES, "subgraphs, or they are nested too deeply"), begin)
        if ident not in self.chart.frames:
            self.chart.frames[ident] = FlowFrame(ident, title, self.open[-1][0] if self.open else "")
        self.open.append((ident, begin))

    def _chain(self) -> None:
        """Read `a & b --> c -- words --> d`."""
        before = self._group()
        while not self._is_over():
            line, head, tail, label = self._link()
            after = self._group()
            if len(self.chart.edges) + len(before) * len(after) > MOST_EDGES:
                raise _Stopped(TOO_MANY.format(MOST_EDGES, "edges"), self.at)
            self.chart.edges += [FlowEdge(one, other, label, line, head, tail) for one in before for other in after]
            before = after

    def _is_over(self) -> bool:
        self._take(BLANKS)
        return self.at >= len(self.text) or self.text[self.at] in "\n;" or self.text.startswith("%%", self.at)

    def _group(self) -> list[str]:
        found = [self._node()]
        while True:
            self._take(BLANKS)
            if not self.text.startswith("&", self.at):
                return list(dict.fromkeys(found))
            self.at += 1
            found.append(self._node())

    def _node(self) -> str:
        self._take(NEW_LINE)
        self._take(BLANKS)
        begin = self.at
        ident = self._take(IDENT)
        if not ident:
            raise _Stopped("here should be the name of a node", begin)
        name = ident[0]
        text, shape = self._words()
        self._take(CLASS)
        if found := self._take(PROPERTIES):
            text, shape = _of_properties(found[1], text, shape)
            self._take(CLASS)
        self._add(name, text, shape, begin)
        return name

    def _add(self, name: str, text: str | None, shape: str, begin: int) -> None:
        frame = self.open[-1][0] if self.open else ""
        node = self.chart.nodes.get(name)
        if node is None:
            if len(self.chart.nodes) >= MOST_NODES:
                raise _Stopped(TOO_MANY.format(MOST_NODES, "nodes"), begin)
            node = self.chart.nodes[name] = FlowNode(name, plain(name), frame=frame)
        node.frame = node.frame or frame
        if text is not None:
            node.text, node.shape = plain(text), shape

    def _words(self) -> tuple[str | None, str]:
        """Read the text of a node in its brackets; None where it has none."""
        for opening, endings in SHAPES:
            if not self.text.startswith(opening, self.at):
                continue
            begin = self.at + len(opening)
            quote = self._behind_quotation(begin)
            line_end = self._line_end(quote)
            ends = [(self.text.find(each, quote, line_end), each, shape) for each, shape in endings]
            ends = [end for end in ends if end[0] >= 0]
            if not ends and len(opening) == 2 and opening[0] == "[" and opening[1] in "/\\":
                continue  # a path, such as in `[/etc/hosts]`, is no shape
            if not ends:
                raise _Stopped(f"this `{opening}` is never closed by `{endings[0][0]}`", self.at)
            end, mark, shape = min(ends)
            self.at = end + len(mark)
            return self.text[begin:end], shape
        return None, flow.BOX

    def _line_end(self, begin: int) -> int:
        """Return where the line ends, or where a text that begins here is too long for its end to be looked for."""
        last = min(len(self.text), begin + LONGEST_TEXT)
        found = self.text.find("\n", begin, last)
        return found if found >= 0 else last

    def _behind_quotation(self, begin: int) -> int:
        """Return where a text in quotation marks that begins here ends; `begin` where none does."""
        first = BLANKS.match(self.text, begin)
        at = first.end() if first else begin
        if not self.text.startswith('"', at):
            return begin
        closing = self.text.find('"', at + 1, at + LONGEST_TEXT)
        if closing < 0:
            raise _Stopped("this quotation is never closed", at)
        return closing + 1

    def _link(self) -> tuple[str, str, str, str]:
        """Read an edge with its label, and return its line, head, tail and label."""
        self._take(EDGE_NAME)
        begin = self.at
        if found := self._take(LINK):
            words = self._take(LABEL)
            line = LINES[next(number for number in LINES if found[number])]
            return (
                line,
                ENDS.get(found[0][-1], flow.NONE),
                ENDS.get(found[1], flow.NONE),
                plain(words[1] or words[2]) if words else "",
            )
        found = self._take(OPEN_LINK)
        if not found:
            raise _Stopped("here should be an edge such as `-->`, or the end of the line", begin)
        quote = self._behind_quotation(self.at)
        closing = CLOSINGS[found[2]].search(self.text, quote, self._line_end(quote))
        if not closing:
            raise _Stopped(f"the text of this edge is never closed by `{found[2].replace('-.', '.-')}>`", begin)
        label, self.at = self.text[self.at : closing.start()], closing.end()
        line = {"--": flow.SOLID, "==": flow.THICK, "-.": flow.DOTTED}[found[2]]
        return line, ENDS.get(closing[0][-1], flow.NONE), ENDS.get(found[1], flow.NONE), plain(label)


def _of_properties(words: str, text: str | None, shape: str) -> tuple[str | None, str]:
    """Return text and shape of a node that has them as `@{ shape: rect, label: "words" }`."""
    found = {name: value.strip().strip('"') for name, value in PROPERTY.findall(words)}
    shape = NAMED_SHAPES.get(found.get("shape", ""), shape)
    return found.get("label", text if text is not None or "shape" not in found else None), shape


def _without_empty_frames(chart: Flowchart) -> Flowchart:
    """Replace what is no node: an edge to a frame leads to a node in it, and a frame without nodes is a node."""
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    named = [node for node in chart.nodes.values() if node.ident not in chart.frames]
    for node in named:
        frame = node.frame
        while frame:
            first.setdefault(frame, node.ident)
            last[frame] = node.ident
            frame = chart.frames[frame].parent
    frames = {name: frame for name, frame in chart.frames.items() if name in first}
    empty = [
        FlowNode(frame.ident, frame.title, frame=frame.parent)
        for name, frame in chart.frames.items()
        if name not in first
    ]
    nodes = {node.ident: node for node in [*named, *empty]}
    for node in nodes.values():
        while node.frame and node.frame not in frames:
            node.frame = chart.frames[node.frame].parent
    edges = [
        FlowEdge(last.get(edge.source, edge.source), first.get(edge.target, edge.target),
                 edge.label, edge.line, edge.head, edge.tail)
        for edge in chart.edges
    ]  # fmt: skip
    return Flowchart(chart.direction, nodes, edges, frames, edges != chart.edges)
