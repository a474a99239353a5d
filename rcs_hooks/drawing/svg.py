"""Draw a machine as an SVG picture: no script, no other file, every text escaped, in the colour of the text around it.

Colours are attributes and `currentColor`, so that the picture keeps them where a page forbids styles; the style block
only chooses a text colour where the picture is shown alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.drawing import text_metrics
from rcs_hooks.drawing.layout import BOX, END, START, GraphNode, Layout, Route, lay_out, pieces
from rcs_hooks.drawing.ordering import put_in_order
from rcs_hooks.drawing.placement import put_in_place
from rcs_hooks.drawing.svg_parts import ARROW, curve_of, escape, head_of, n, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.machine.graph import Machine

NAME_SIZE, ID_SIZE, LABEL_SIZE = 14.0, 11.0, 12.0
NAME_LINE, ID_LINE, LABEL_LINE = 18.0, 15.0, 15.0
WIDEST_NAME, WIDEST_LABEL = 200.0, 140.0
BOLD = 1.12
"""The width of bold letters, relative to regular ones."""
MARGIN, PADDING = 16.0, 14.0
DOT, LOOP = 7.0, 26.0
ACCENT = "#1f6feb"
FONT = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, monospace"
STYLE = (
    ".rcs-machine{color-scheme:light dark;color:var(--rcs-ink,#1f2328)}"
    "@media (prefers-color-scheme:dark){.rcs-machine{color:var(--rcs-ink,#e6edf3)}"
    ".rcs-machine .words.taken{fill:#6cb6ff}}"
)


MOST_STATES, MOST_TRANSITIONS, MOST_PIECES = 400, 800, 10_000
"""The largest machine that is drawn in seconds, and that anybody can read."""


def too_large(machine: Machine) -> str | None:
    """Return why a machine cannot be drawn; None if it can."""
    if len(machine.states) > MOST_STATES:
        return f"{len(machine.states)} states are too many to be drawn"
    if len(machine.transitions) > MOST_TRANSITIONS:
        return f"{len(machine.transitions)} transitions are too many to be drawn"
    if pieces(machine) > MOST_PIECES:
        return "the transitions pass too many other states to be drawn"
    return None


def svg(machine: Machine, *, path: Sequence[tuple[str, str]] = (), current: str | None = None) -> str:
    """Return a machine as an SVG picture.

    `path` holds the edges that a run took, from `[*]` on; `current` is the present step of the run.
    """
    return _Drawing(machine, path, current).text()


class _Drawing:
    def __init__(self, machine: Machine, path: Sequence[tuple[str, str]], current: str | None) -> None:
        self.machine = machine
        self.current = current
        self.taken: dict[tuple[str, str], int] = {}
        for pair in path:
            self.taken[pair] = self.taken.get(pair, 0) + 1
        self.visited = {state for pair in path for state in pair} | ({current} if current else set())
        self.unreachable = frozenset(machine.unreachable())
        self.layout = self._make_layout()
        self.tops, self.heights, bottom = rows_of(self.layout)
        nodes = [node for row in self.layout.rows for node in row]
        self.width = max((node.x + node.right for node in nodes), default=0.0) + 2 * MARGIN
        self.height = bottom + 2 * MARGIN

    # --- sizes

    def _make_layout(self) -> Layout:
        layout = lay_out(self.machine)
        for row in layout.rows:
            for node in row:
                self._measure(node, layout)
        for route in layout.routes:
            self._measure_label(route)
        put_in_order(layout)
        put_in_place(layout)
        return layout

    def _measure(self, node: GraphNode, layout: Layout) -> None:
        if node.kind in (START, END):
            node.left = node.right = DOT + 1
            node.height = 2 * DOT
        elif node.kind == BOX:
            name, ident = self._words(node.state)
            wide = max(
                [
                    64.0,
                    *(text_metrics.width(line, NAME_SIZE) * BOLD for line in name),
                    text_metrics.width(ident, ID_SIZE),
                ]
            )
            anchors = max(len(node.above), len(node.below))
            node.left = node.right = max(wide / 2 + PADDING, anchors * 7.0 + 10)
            node.height = len(name) * NAME_LINE + (ID_LINE if ident else 0) + 20
            if node.state in layout.loops:
                node.right += LOOP + self._label_width(self._label(node.state, node.state, layout.loops[node.state]))
                node.height = max(node.height, 44.0)

    def _measure_label(self, route: Route) -> None:
        label = self._label(route.source, route.target, route.label)
        if label:
            row = (route.nodes[0].row + route.nodes[-1].row) // 2
            row -= row % 2 == 0
            piece = route.nodes[row - route.nodes[0].row]
            piece.label = label
            piece.left, piece.right = 3.0, self._label_width(label) + 8
            piece.height = len(label) * LABEL_LINE

    def _words(self, state: str) -> tuple[tuple[str, ...], str]:
        """Return the lines of text in the box of a state, and the id below them; the id is empty if it is the text."""
        label = self.machine.labels.get(state)
        if label is None or label == state:
            return text_metrics.lines(state, NAME_SIZE, WIDEST_NAME, 3), ""
        return text_metrics.lines(label, NAME_SIZE, WIDEST_NAME, 3), text_metrics.shortened(state, ID_SIZE, WIDEST_NAME)

    def _label(self, source: str, target: str, label: str | None) -> tuple[str, ...]:
        times = self.taken.get((source, target), 0)
        words = text_metrics.lines(label, LABEL_SIZE, WIDEST_LABEL, 3) if label else ()
        return (*words, f"× {times}") if times > 1 else words

    @staticmethod
    def _label_width(label: tuple[str, ...]) -> float:
        return max((text_metrics.width(line, LABEL_SIZE) for line in label), default=0.0)

    # --- drawing

    def text(self) -> str:
        name = escape(self.machine.name or "machine")
        steps = escape(", ".join(self.machine.steps()))
        now = f" Now at {escape(self.current)}." if self.current else ""
        size = f'width="{n(self.width)}" height="{n(self.height)}" viewBox="0 0 {n(self.width)} {n(self.height)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="rcs-machine" role="img" {size} font-family="{FONT}">'
        return "\n".join(
            [
                head,
                f"<title>{name}</title>",
                f"<desc>State machine of {name}. Steps: {steps}.{now}</desc>",
                f"<style>{STYLE}</style>",
                f'<g transform="translate({n(MARGIN)} {n(MARGIN)})" fill="none" stroke="currentColor">',
                *self._edges(),
                *self._dots(),
                *self._boxes(),
                "</g>",
                "</svg>",
                "",
            ]
        )

    def _edges(self) -> Iterator[str]:
        """Yield the parts of all edges; edges that were taken come last, so that they lie on top."""
        for route in sorted(self.layout.routes, key=self._is_taken):
            points = self._points(route)
            ends_at = points[0] if route.is_upward else points[-1]
            upper, lower = (ARROW - 1, 0.0) if route.is_upward else (0.0, ARROW - 1)
            curve = curve_of(points, upper=upper, lower=lower)
            yield from self._edge(route.source, route.target, route.label, curve, head_of(ends_at, route.is_upward))
            yield from (
                self._letters(node.label, node.x + 7, self._middle(node), route.source, route.target)
                for node in route.nodes
                if node.label
            )
        for state, label in self.layout.loops.items():
            yield from self._loop(state, label)

    def _is_taken(self, route: Route) -> bool:
        return (route.source, route.target) in self.taken

    def _edge(self, source: str, target: str, label: str | None, curve: str, head: str) -> Iterator[str]:
        taken = (source, target) in self.taken
        ink = f'stroke="{ACCENT}" stroke-width="2.5"' if taken else 'stroke-width="1.25" stroke-opacity="0.7"'
        fill = f'fill="{ACCENT}"' if taken else 'fill="currentColor" fill-opacity="0.8"'
        said = f"{source} → {target}" + (f": {label}" if label else "")
        yield (
            f'<g class="edge{" taken" if taken else ""}" data-from="{escape(source)}" data-to="{escape(target)}">'
            f'<title>{escape(said)}</title><path d="{curve}" {ink}/><path d="{head}" {fill} stroke="none"/></g>'
        )

    def _letters(self, lines: tuple[str, ...], x: float, middle: float, source: str, target: str) -> str:
        taken = (source, target) in self.taken
        ink = f'class="words taken" fill="{ACCENT}"' if taken else 'class="words" fill="currentColor"'
        first = middle - (len(lines) - 1) * LABEL_LINE / 2 + LABEL_SIZE * 0.35
        return "".join(
            f'<text x="{n(x)}" y="{n(first + number * LABEL_LINE)}" font-size="{n(LABEL_SIZE)}" {ink} '
            f'stroke="none">{escape(line)}</text>'
            for number, line in enumerate(lines)
        )

    def _loop(self, state: str, label: str | None) -> Iterator[str]:
        node = self.layout.boxes[state]
        right, middle = node.x + node.left, self._middle(node)
        curve = (
            f"M{n(right)} {n(middle - 10)}C{n(right + LOOP)} {n(middle - 16)} "
            f"{n(right + LOOP)} {n(middle + 16)} {n(right + ARROW - 1)} {n(middle + 10)}"
        )
        head = f"M{n(right)} {n(middle + 8.5)}l{n(ARROW)} -2.5l-1 8z"
        yield from self._edge(state, state, label, curve, head)
        lines = self._label(state, state, label)
        yield self._letters(lines, right + LOOP - 2, middle, state, state)

    def _dots(self) -> Iterator[str]:
        for node in (node for row in self.layout.rows for node in row):
            at = f'cx="{n(node.x)}" cy="{n(self._middle(node))}"'
            if node.kind == START:
                yield f'<circle class="start" {at} r="{n(DOT)}" fill="currentColor" stroke="none"/>'
            elif node.kind == END:
                yield (
                    f'<g class="end"><circle {at} r="{n(DOT)}" stroke-width="1.5"/>'
                    f'<circle {at} r="{n(DOT - 3)}" fill="currentColor" stroke="none"/></g>'
                )

    def _boxes(self) -> Iterator[str]:
        for state, node in self.layout.boxes.items():
            yield from self._box(state, node)

    def _box(self, state: str, node: GraphNode) -> Iterator[str]:
        is_now, was = state == self.current, state in self.visited
        name, ident = self._words(state)
        top = self._middle(node) - node.height / 2
        kinds = ["state", *(["current"] if is_now else []), *(["visited"] if was else [])]
        fill = (
            f'fill="{ACCENT}"'
            if is_now
            else f'fill="{ACCENT}" fill-opacity="0.12"'
            if was
            else ('fill="currentColor" fill-opacity="0.05"')
        )
        line = f'stroke="{ACCENT}" stroke-width="2"' if was or is_now else 'stroke-width="1.25"'
        dashes = ' stroke-dasharray="5 4"' if state in self.unreachable else ""
        said = self.machine.labels.get(state, state)
        said = said if said == state else f"{said} ({state})"
        yield f'<g class="{" ".join(kinds)}" data-state="{escape(state)}"><title>{escape(said)}</title>'
        yield (
            f'<rect x="{n(node.x - node.left)}" y="{n(top)}" width="{n(2 * node.left)}" height="{n(node.height)}" '
            f'rx="9" {fill} {line}{dashes}/>'
        )
        ink = "#ffffff" if is_now else "currentColor"
        y = self._middle(node) - (len(name) * NAME_LINE + (ID_LINE if ident else 0)) / 2 + NAME_SIZE
        for number, words in enumerate(name):
            yield _centred(words, node.x, y + number * NAME_LINE, NAME_SIZE, ink, 'font-weight="600"')
        if ident:
            below = y + len(name) * NAME_LINE - 2
            yield _centred(ident, node.x, below, ID_SIZE, ink, f'font-family="{MONO}" fill-opacity="0.75"')
        yield "</g>"

    # --- geometry

    def _middle(self, node: GraphNode) -> float:
        return self.tops[node.row] + self.heights[node.row] / 2

    def _points(self, route: Route) -> list[tuple[float, float]]:
        """Return the points of an edge from its upper end to its lower one: upright in the rows, bent between them."""
        upper, lower = route.nodes[0], route.nodes[-1]
        x = upper.x + route.upper.port
        points = [(x, self._middle(upper) + upper.height / 2), (x, self.tops[upper.row] + self.heights[upper.row])]
        for node in route.nodes[1:-1]:
            points += [(node.x, self.tops[node.row]), (node.x, self.tops[node.row] + self.heights[node.row])]
        x = lower.x + route.lower.port
        return [*points, (x, self.tops[lower.row]), (x, self._middle(lower) - lower.height / 2)]


def _centred(words: str, x: float, y: float, size: float, ink: str, more: str) -> str:
    return (
        f'<text x="{n(x)}" y="{n(y)}" font-size="{n(size)}" text-anchor="middle" fill="{ink}" stroke="none" {more}>'
        f"{escape(words)}</text>"
    )
