"""Draw a flowchart as an SVG picture, with the layout of state diagrams, turned in the direction that it asks for.

The layout has rows from the top to the bottom: `along` is the direction of its edges, `across` that of its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.diagrams import flowchart as flow
from rcs_hooks.drawing import shapes, text_metrics
from rcs_hooks.drawing.flow_frames import ChartFrames, frame_of
from rcs_hooks.drawing.flow_parts import TRIM, Turn, edge_of, head, letters, widest
from rcs_hooks.drawing.frames import put_into_frames
from rcs_hooks.drawing.layout import GraphNode, Layout, Route, lay_out, pieces
from rcs_hooks.drawing.ordering import put_in_order
from rcs_hooks.drawing.placement import put_in_place
from rcs_hooks.drawing.svg import FONT, LABEL_LINE, LABEL_SIZE, LOOP, MARGIN, MOST_PIECES, NAME_LINE, NAME_SIZE
from rcs_hooks.drawing.svg_parts import at, curve_of, escape, n, rows_of
from rcs_hooks.machine.graph import Machine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rcs_hooks.drawing.svg_parts import Point

WIDEST_TEXT, WIDEST_IN_DIAMOND, MOST_LINES = 220.0, 150.0, 8
WIDEST_LABEL, MOST_LABEL_LINES = 150.0, 4
FILL = 'fill="currentColor" fill-opacity="0.05" stroke-width="1.25"'
SIDES = {
    flow.DOWN: (shapes.BOTTOM, shapes.TOP), flow.UP: (shapes.TOP, shapes.BOTTOM),
    flow.RIGHT: (shapes.RIGHT, shapes.LEFT), flow.LEFT: (shapes.LEFT, shapes.RIGHT),
}  # fmt: skip
"""Where an edge leaves its upper node, and where it meets its lower one, by the direction of the chart."""


def graph_of(chart: flow.Flowchart) -> Machine:
    """Return a flowchart as the graph that is laid out: nothing begins or ends it, and two edges may be of one pair."""
    edges = [(edge.source, edge.target, edge.label or None) for edge in chart.edges]
    return Machine("flowchart", "", chart.nodes, {}, (), (), edges)


def too_large(chart: flow.Flowchart) -> str | None:
    """Return why a flowchart cannot be drawn; None if it can."""
    if pieces(graph_of(chart)) > MOST_PIECES // 4:
        return "the edges pass too many other nodes to be drawn"
    return None


def flow_svg(chart: flow.Flowchart) -> str:
    """Return a flowchart as an SVG picture."""
    return FlowDrawing(chart).text()


class FlowDrawing:
    """A flowchart with the place of everything in it."""

    def __init__(self, chart: flow.Flowchart) -> None:
        self.chart = chart
        self.turn = Turn(chart.direction)
        self.texts = {name: self._lines(node) for name, node in chart.nodes.items()}
        self.edge_of: dict[Route, flow.FlowEdge] = {}
        self.layout = self._make_layout()
        self.frames = ChartFrames(chart)
        frames = self.frames.frames
        if frames:
            owner = {name: frames[node.frame] for name, node in chart.nodes.items() if node.frame}
            put_into_frames(self.layout, list(frames.values()), owner)
        self.tops, self.heights, length = rows_of(self.layout, self.frames.room())
        rights = [node.x + node.right for row in self.layout.rows for node in row]
        across = max([*rights, *(frame.right for frame in frames.values())], default=0.0)
        self.turn = Turn(chart.direction, length)
        self.width, self.height = (length, across) if self.turn.is_sideways else (across, length)

    # --- sizes

    @staticmethod
    def _lines(node: flow.FlowNode) -> tuple[str, ...]:
        widest = WIDEST_IN_DIAMOND if node.shape in (flow.DIAMOND, flow.CIRCLE, flow.DOUBLE_CIRCLE) else WIDEST_TEXT
        return text_metrics.lines(node.text, NAME_SIZE, widest, MOST_LINES)

    def _make_layout(self) -> Layout:
        layout = lay_out(graph_of(self.chart))
        plain = [edge for edge in self.chart.edges if edge.source != edge.target]
        self.edge_of = dict(zip(layout.routes, plain, strict=True))
        for name, node in layout.boxes.items():
            self._measure(self.chart.nodes[name], node, layout.loops.get(name), has_loop=name in layout.loops)
        for route, edge in self.edge_of.items():
            self._measure_label(route, edge.label)
        put_in_order(layout)
        put_in_place(layout)
        return layout

    def _measure(self, says: flow.FlowNode, node: GraphNode, loop: str | None, *, has_loop: bool) -> None:
        lines = self.texts[says.ident]
        wide = max((text_metrics.width(line, NAME_SIZE) for line in lines), default=0.0)
        width, height = shapes.size_of(says.shape, wide, len(lines) * NAME_LINE)
        side = height if self.turn.is_sideways else width
        anchors = max(len(node.above), len(node.below))
        free = 2 * shapes.corner_of(says.shape, width, height, is_sideways=self.turn.is_sideways)
        needed = (
            (anchors - 1) * 14.0 * side / max(side - free, 1.0)
            if says.shape == flow.DIAMOND
            else (anchors - 1) * 14.0 + free
        )
        if needed > side:
            is_round = says.shape in (flow.CIRCLE, flow.DOUBLE_CIRCLE)
            width = needed if is_round or not self.turn.is_sideways else width
            height = needed if is_round or self.turn.is_sideways else height
        node.corner = shapes.corner_of(says.shape, width, height, is_sideways=self.turn.is_sideways)
        across, node.height = (height, width) if self.turn.is_sideways else (width, height)
        node.left = node.right = across / 2
        node.is_centred = True
        if has_loop:
            lines = self._label(loop or "")
            node.right += LOOP + (len(lines) * LABEL_LINE if self.turn.is_sideways else widest(lines))
            node.height = max(node.height, widest(lines) if self.turn.is_sideways else 44.0)

    @staticmethod
    def _label(label: str) -> tuple[str, ...]:
        return text_metrics.lines(label, LABEL_SIZE, WIDEST_LABEL, MOST_LABEL_LINES)

    def _measure_label(self, route: Route, label: str) -> None:
        lines = self._label(label)
        if not lines:
            return
        row = (route.nodes[0].row + route.nodes[-1].row) // 2
        row -= row % 2 == 0
        piece = route.nodes[row - route.nodes[0].row]
        piece.label = lines
        wide, high = widest(lines), len(lines) * LABEL_LINE
        if self.turn.is_sideways:
            piece.left, piece.right, piece.height = high + 5, 3.0, wide + 10
        else:
            piece.left, piece.right, piece.height = 3.0, wide + 8, high

    # --- drawing

    def text(self) -> str:
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        size = f'width="{n(width)}" height="{n(height)}" viewBox="0 0 {n(width)} {n(height)}"'
        said = escape(", ".join(node.text for node in self.chart.nodes.values())[:2000])
        begin = f'<svg xmlns="http://www.w3.org/2000/svg" class="rcs-diagram" role="img" {size} font-family="{FONT}">'
        return "\n".join(
            [
                begin,
                "<title>Flowchart</title>",
                f"<desc>Flowchart. Nodes: {said}</desc>",
                f'<g transform="translate({n(MARGIN)} {n(MARGIN)})" fill="none" stroke="currentColor">',
                *(frame_of(self._area(name)) for name in self.chart.frames),
                *self._edges(),
                *(self.frames.title(name, self._area(name), self._entries(name)) for name in self.chart.frames),
                *(self._node(node, self.chart.nodes[name]) for name, node in self.layout.boxes.items()),
                "</g>",
                "</svg>",
                "",
            ]
        )

    def _area(self, name: str) -> shapes.Area:
        frame = self.frames.frames[name]
        first = self.tops[frame.first] - self.frames.above(frame)
        last = self.tops[frame.last] + self.heights[frame.last] + self.frames.below(frame)
        (one, top), (other, bottom) = (self.turn.place(point) for point in ((frame.left, first), (frame.right, last)))
        return shapes.Area(min(one, other), min(top, bottom), abs(other - one), abs(bottom - top))

    def _entries(self, name: str) -> list[float]:
        """Return where edges cross the upper side of a frame, as far as they come from the row above it."""
        if self.turn.is_sideways:
            return []
        row = (self.frames.frames[name].last, self.frames.frames[name].first)[self.turn.direction == flow.DOWN]
        nodes = ((node, route.shift(node)) for route in self.edge_of for node in route.nodes if node.row == row)
        return [node.x + shift for node, shift in nodes]

    def _edges(self) -> Iterator[str]:
        for route, edge in self.edge_of.items():
            if edge.line != flow.INVISIBLE:
                yield self._edge(route, edge)
        for edge in self.chart.edges:
            if edge.source == edge.target and edge.line != flow.INVISIBLE:
                yield from self._loop(edge)

    def _edge(self, route: Route, edge: flow.FlowEdge) -> str:
        points = self._points(route)
        upper, lower = (edge.head, edge.tail) if route.is_upward else (edge.tail, edge.head)
        curve = curve_of(points, upper=TRIM[upper], lower=TRIM[lower], place=self.turn.place)
        heads = head(self.turn, points[0], upper, 1.0) + head(self.turn, points[-1], lower, -1.0)
        words = "".join(self._words(node) for node in route.nodes if node.label)
        return edge_of(edge, curve, heads) + words

    def _words(self, piece: GraphNode) -> str:
        """Return the label of an edge: to the right of an edge that runs down, above one that runs sideways."""
        x, y = self.turn.place((piece.x, self.middle(piece)))
        high = len(piece.label) * LABEL_LINE
        if self.turn.is_sideways:
            return letters(piece.label, x, y - 4 - high, 'text-anchor="middle"')
        return letters(piece.label, x + 7, y - high / 2)

    def _loop(self, edge: flow.FlowEdge) -> Iterator[str]:
        node, corner = self.layout.boxes[edge.source], self.turn.place
        right, middle = node.x + node.left, self.middle(node)
        side = shapes.BOTTOM if self.turn.is_sideways else shapes.RIGHT
        width, height = self._size(node)
        right -= shapes.inset_of(self.chart.nodes[edge.source].shape, side, width, height, 10.0)
        ends = [
            (right, middle - 10),
            (right + LOOP, middle - 16),
            (right + LOOP, middle + 16),
            (right + 7, middle + 10),
        ]
        start, one, other, end = (at(corner(point)) for point in ends)
        tip = "L".join(
            at(corner(point)) for point in ((right, middle + 10), (right + 8, middle + 6), (right + 8, middle + 14))
        )
        tip_of = f'<path d="M{tip}z" fill="currentColor" fill-opacity="0.8" stroke="none"/>'
        yield edge_of(edge, f"M{start}C{one} {other} {end}", tip_of)
        lines = self._label(self.layout.loops[edge.source] or "")
        x, y = corner((right + LOOP - 2, middle))
        if self.turn.is_sideways:
            yield letters(lines, x, y, 'text-anchor="middle"')
        else:
            yield letters(lines, x, y - len(lines) * LABEL_LINE / 2)

    def _node(self, node: GraphNode, says: flow.FlowNode) -> str:
        x, y = self.turn.place((node.x, self.middle(node)))
        width, height = self._size(node)
        drawn = shapes.outline(says.shape, shapes.Area(x - width / 2, y - height / 2, width, height), FILL)
        lines = self.texts[says.ident]
        x += {flow.FLAG: shapes.TIP / 2}.get(says.shape, 0.0)
        first = y - len(lines) * NAME_LINE / 2 + NAME_SIZE - 0.5 + (shapes.ARC if says.shape == flow.CYLINDER else 0)
        words = "".join(
            f'<text x="{n(x)}" y="{n(first + number * NAME_LINE)}" font-size="{n(NAME_SIZE)}" text-anchor="middle" '
            f'fill="currentColor" stroke="none">{escape(line)}</text>'
            for number, line in enumerate(lines)
        )
        return f'<g class="node" data-node="{escape(says.ident)}"><title>{escape(says.text)}</title>{drawn}{words}</g>'

    # --- geometry

    def _size(self, node: GraphNode) -> tuple[float, float]:
        """Return width and height of a node in the picture."""
        return (node.height, 2 * node.left) if self.turn.is_sideways else (2 * node.left, node.height)

    def middle(self, node: GraphNode) -> float:
        """Return where the middle of a node is along the edges."""
        return self.tops[node.row] + self.heights[node.row] / 2

    def _points(self, route: Route) -> list[Point]:
        """Return the points of an edge from its upper end to its lower one, each end on the outline of its node."""
        upper, lower = route.nodes[0], route.nodes[-1]
        leaves, meets = SIDES[self.turn.direction]
        x = upper.x + route.upper.port
        begin = self.middle(upper) + upper.height / 2 - self._inset(upper, leaves, route.upper.port)
        points = [(x, begin), (x, self.tops[upper.row] + self.heights[upper.row])]
        for node in route.nodes[1:-1]:
            points += [(node.x, self.tops[node.row]), (node.x, self.tops[node.row] + self.heights[node.row])]
        x = lower.x + route.lower.port
        end = self.middle(lower) - lower.height / 2 + self._inset(lower, meets, route.lower.port)
        return [*points, (x, self.tops[lower.row]), (x, end)]

    def _inset(self, node: GraphNode, side: str, port: float) -> float:
        return shapes.inset_of(self.chart.nodes[node.state].shape, side, *self._size(node), port)
