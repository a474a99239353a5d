"""A machine as an SVG picture: no script, nothing from elsewhere, every text escaped; in the ink of where it is shown.

Colours are attributes and `currentColor`, so that the picture keeps them where a page forbids styles; the style block
only gives it an ink where it stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.machine import lettering
from rcs_hooks.machine.layers import BOX, END, START, Node, Picture, Way, layered, pieces
from rcs_hooks.machine.order import put_in_order
from rcs_hooks.machine.placing import put_in_place
from rcs_hooks.machine.strokes import ARROW, curve_of, escape, head_of, n, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rcs_hooks.machine.graph import Machine

NAME_SIZE, ID_SIZE, LABEL_SIZE = 14.0, 11.0, 12.0
NAME_LINE, ID_LINE, LABEL_LINE = 18.0, 15.0, 15.0
WIDEST_NAME, WIDEST_LABEL = 200.0, 140.0
BOLD = 1.12
"""How much wider bold letters are."""
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


MOST_STATES, MOST_WAYS, MOST_PIECES = 400, 800, 10_000
"""Of what can be drawn in seconds, and taken in at all."""


def too_large(machine: Machine) -> str | None:
    """Say why a machine cannot be drawn; None where it can."""
    if len(machine.states) > MOST_STATES:
        return f"{len(machine.states)} states are too many to be drawn"
    if len(machine.transitions) > MOST_WAYS:
        return f"{len(machine.transitions)} transitions are too many to be drawn"
    if pieces(machine) > MOST_PIECES:
        return "the transitions pass too many other states to be drawn"
    return None


def svg(machine: Machine, *, path: Sequence[tuple[str, str]] = (), current: str | None = None) -> str:
    """`path`: the steps that a run has taken, as pairs; `[*]` for its beginning. `current`: where it is."""
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
        self.picture = self._laid_out()
        self.tops, self.heights, bottom = rows_of(self.picture)
        nodes = [node for row in self.picture.rows for node in row]
        self.width = max((node.x + node.right for node in nodes), default=0.0) + 2 * MARGIN
        self.height = bottom + 2 * MARGIN

    # --- room

    def _laid_out(self) -> Picture:
        picture = layered(self.machine)
        for row in picture.rows:
            for node in row:
                self._measure(node, picture)
        for way in picture.ways:
            self._measure_label(way)
        put_in_order(picture)
        put_in_place(picture)
        return picture

    def _measure(self, node: Node, picture: Picture) -> None:
        if node.kind in (START, END):
            node.left = node.right = DOT + 1
            node.height = 2 * DOT
        elif node.kind == BOX:
            name, ident = self._words(node.state)
            wide = max(
                [64.0, *(lettering.width(line, NAME_SIZE) * BOLD for line in name), lettering.width(ident, ID_SIZE)]
            )
            touching = max(len(node.above), len(node.below))
            node.left = node.right = max(wide / 2 + PADDING, touching * 7.0 + 10)
            node.height = len(name) * NAME_LINE + (ID_LINE if ident else 0) + 20
            if node.state in picture.loops:
                node.right += LOOP + self._label_width(self._label(node.state, node.state, picture.loops[node.state]))
                node.height = max(node.height, 44.0)

    def _measure_label(self, way: Way) -> None:
        label = self._label(way.source, way.target, way.label)
        if label:
            row = (way.nodes[0].row + way.nodes[-1].row) // 2
            row -= row % 2 == 0
            piece = way.nodes[row - way.nodes[0].row]
            piece.label = label
            piece.left, piece.right = 3.0, self._label_width(label) + 8
            piece.height = len(label) * LABEL_LINE

    def _words(self, state: str) -> tuple[tuple[str, ...], str]:
        """What stands in a box: its label with the id below, or the id alone."""
        label = self.machine.labels.get(state)
        if label is None or label == state:
            return lettering.lines(state, NAME_SIZE, WIDEST_NAME, 3), ""
        return lettering.lines(label, NAME_SIZE, WIDEST_NAME, 3), lettering.shortened(state, ID_SIZE, WIDEST_NAME)

    def _label(self, source: str, target: str, label: str | None) -> tuple[str, ...]:
        times = self.taken.get((source, target), 0)
        words = lettering.lines(label, LABEL_SIZE, WIDEST_LABEL, 3) if label else ()
        return (*words, f"× {times}") if times > 1 else words

    @staticmethod
    def _label_width(label: tuple[str, ...]) -> float:
        return max((lettering.width(line, LABEL_SIZE) for line in label), default=0.0)

    # --- ink

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
        """Those that were taken last, so that they lie on top."""
        for way in sorted(self.picture.ways, key=self._is_taken):
            points = self._points(way)
            ends_at = points[0] if way.is_upward else points[-1]
            yield from self._edge(
                way.source, way.target, way.label, curve_of(points, way), head_of(ends_at, way.is_upward)
            )
            yield from (
                self._letters(node.label, node.x + 7, self._middle(node), way.source, way.target)
                for node in way.nodes
                if node.label
            )
        for state, label in self.picture.loops.items():
            yield from self._loop(state, label)

    def _is_taken(self, way: Way) -> bool:
        return (way.source, way.target) in self.taken

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
        node = self.picture.boxes[state]
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
        for node in (node for row in self.picture.rows for node in row):
            at = f'cx="{n(node.x)}" cy="{n(self._middle(node))}"'
            if node.kind == START:
                yield f'<circle class="start" {at} r="{n(DOT)}" fill="currentColor" stroke="none"/>'
            elif node.kind == END:
                yield (
                    f'<g class="end"><circle {at} r="{n(DOT)}" stroke-width="1.5"/>'
                    f'<circle {at} r="{n(DOT - 3)}" fill="currentColor" stroke="none"/></g>'
                )

    def _boxes(self) -> Iterator[str]:
        for state, node in self.picture.boxes.items():
            yield from self._box(state, node)

    def _box(self, state: str, node: Node) -> Iterator[str]:
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

    def _middle(self, node: Node) -> float:
        return self.tops[node.row] + self.heights[node.row] / 2

    def _points(self, way: Way) -> list[tuple[float, float]]:
        """From the upper end to the lower one; an edge is upright in the rows and bends between them."""
        upper, lower = way.nodes[0], way.nodes[-1]
        x = upper.x + way.upper.port
        points = [(x, self._middle(upper) + upper.height / 2), (x, self.tops[upper.row] + self.heights[upper.row])]
        for node in way.nodes[1:-1]:
            points += [(node.x, self.tops[node.row]), (node.x, self.tops[node.row] + self.heights[node.row])]
        x = lower.x + way.lower.port
        return [*points, (x, self.tops[lower.row]), (x, self._middle(lower) - lower.height / 2)]


def _centred(words: str, x: float, y: float, size: float, ink: str, more: str) -> str:
    return (
        f'<text x="{n(x)}" y="{n(y)}" font-size="{n(size)}" text-anchor="middle" fill="{ink}" stroke="none" {more}>'
        f"{escape(words)}</text>"
    )
