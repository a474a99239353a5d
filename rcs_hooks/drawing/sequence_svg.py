"""Draw a sequence diagram as an SVG picture, under the same rules as a state diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.diagrams import sequence
from rcs_hooks.drawing.sequence_layout import (
    ACTIVE,
    FIGURE,
    LINE,
    NAME_LINE,
    NAME_SIZE,
    NOTE_PAD,
    SELF_HEIGHT,
    SELF_WIDTH,
    TEXT_SIZE,
    ParticipantColumn,
    PlacedArrow,
    PlacedBlock,
    lay_out_sequence,
    tab_width,
    text_width,
)  # fmt: skip
from rcs_hooks.drawing.svg import FONT, MARGIN
from rcs_hooks.drawing.svg_parts import escape, n

if TYPE_CHECKING:
    from collections.abc import Iterator

THIN = 'stroke-width="1" stroke-opacity="0.45"'
INK = 'stroke-width="1.25" stroke-opacity="0.8"'
FAINT = 'fill="currentColor" fill-opacity="0.05"'
TITLE_HEIGHT = 30.0


def sequence_svg(diagram: sequence.SequenceDiagram) -> str:
    """Return a sequence diagram as an SVG picture."""
    return _SequenceDrawing(diagram).text()


class _SequenceDrawing:
    def __init__(self, diagram: sequence.SequenceDiagram) -> None:
        self.diagram = diagram
        self.layout = lay_out_sequence(diagram)
        self.names = {each.ident: " ".join(each.lines) for each in self.layout.columns}

    def text(self) -> str:
        layout = self.layout
        left, right = self._reach()
        top = TITLE_HEIGHT if self.diagram.title else 0.0
        width = right - left + 2 * MARGIN
        height = top + layout.bottom + layout.head + 2 * MARGIN
        size = f'width="{n(width)}" height="{n(height)}" viewBox="0 0 {n(width)} {n(height)}"'
        said = escape(", ".join(self.names.values()))
        title = escape(self.diagram.title or "Sequence diagram")
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="rcs-diagram" role="img" {size} font-family="{FONT}">',
                f"<title>{title}</title>",
                f"<desc>Sequence diagram of {said}; {len(layout.arrows)} messages.</desc>",
                f'<g transform="translate({n(MARGIN - left)} {n(MARGIN + top)})" fill="none" stroke="currentColor">',
                *([_words((self.diagram.title,), (left + right) / 2, -14, "middle")] if self.diagram.title else []),
                *(self._line(column) for column in layout.columns),
                *map(_block, layout.blocks),
                *(self._bar(bar.x, bar.top, bar.bottom) for bar in layout.bars),
                *self._arrows(),
                *map(_block_words, layout.blocks),
                *self._notes(),
                *(_participant(column, layout.head - column.height) for column in layout.columns),
                *(_participant(column, layout.bottom) for column in layout.columns),
                "</g>",
                "</svg>",
                "",
            ]
        )

    def _reach(self) -> tuple[float, float]:
        layout = self.layout
        reaches = [(each.x - each.width / 2, each.x + each.width / 2) for each in layout.columns]
        reaches += [(each.left, each.right) for each in layout.blocks]
        reaches += [(each.x, each.x + each.width) for each in layout.notes]
        for arrow in layout.arrows:
            wide = text_width(arrow.lines)
            middle = (arrow.begin + arrow.end) / 2
            is_own = arrow.message.source == arrow.message.target
            reaches.append((arrow.begin, arrow.begin + 12 + wide) if is_own else (middle - wide / 2, middle + wide / 2))
            reaches.append((min(arrow.begin, arrow.end) - 12, max(arrow.begin, arrow.end) + SELF_WIDTH * is_own))
        return min((left for left, _ in reaches), default=0.0), max((right for _, right in reaches), default=100.0)

    def _line(self, column: ParticipantColumn) -> str:
        return f'<path d="M{n(column.x)} {n(self.layout.head)}V{n(self.layout.bottom)}" {THIN} stroke-dasharray="4 4"/>'

    @staticmethod
    def _bar(x: float, top: float, bottom: float) -> str:
        return (
            f'<rect class="bar" x="{n(x - ACTIVE)}" y="{n(top)}" width="{n(2 * ACTIVE)}" '
            f'height="{n(bottom - top)}" rx="2" fill="currentColor" fill-opacity="0.18" stroke-width="1"/>'
        )

    def _notes(self) -> Iterator[str]:
        for note in self.layout.notes:
            first = note.y + NOTE_PAD / 2 + TEXT_SIZE
            yield (
                f'<g class="note-box"><rect class="ground" x="{n(note.x)}" y="{n(note.y)}" width="{n(note.width)}" '
                f'height="{n(note.height)}" rx="3" {FAINT} stroke-width="1" stroke-dasharray="2 2"/>'
                f"{_words(note.lines, note.x + note.width / 2, first, 'middle', kind='name')}</g>"
            )

    def _arrows(self) -> Iterator[str]:
        for arrow in self.layout.arrows:
            message = arrow.message
            dashes = ' stroke-dasharray="5 4"' if message.is_dashed else ""
            said = f"{self.names[message.source]} → {self.names[message.target]}: {message.text}"
            is_own = message.source == message.target
            forward = -1.0 if is_own or arrow.end < arrow.begin else 1.0
            y = arrow.y + (SELF_HEIGHT if is_own else 0.0)
            if is_own:
                out = max(arrow.begin, arrow.end) + SELF_WIDTH
                path = (
                    f"M{n(arrow.begin)} {n(arrow.y)}H{n(out - 6)}Q{n(out)} {n(arrow.y)} {n(out)} {n(arrow.y + 6)}"
                    f"V{n(y - 6)}Q{n(out)} {n(y)} {n(out - 6)} {n(y)}H{n(arrow.end)}"
                )
                words = _words(arrow.lines, arrow.begin + 8, _first(arrow), "start")
            else:
                path = f"M{n(arrow.begin)} {n(arrow.y)}H{n(arrow.end)}"
                words = _words(arrow.lines, (arrow.begin + arrow.end) / 2, _first(arrow), "middle")
            heads = _head(message.head, arrow.end, y, forward)
            heads += _head(message.head, arrow.begin, arrow.y, -forward) if message.has_tail and not is_own else ""
            yield (
                f'<g class="edge" data-from="{escape(message.source)}" data-to="{escape(message.target)}">'
                f'<title>{escape(said)}</title><path d="{path}" {INK}{dashes}/>{heads}{words}</g>'
            )


def _first(arrow: PlacedArrow) -> float:
    """Return the base line of the first line of the text above an arrow."""
    return arrow.y - 6 - (len(arrow.lines) - 1) * LINE


def _head(kind: str, x: float, y: float, forward: float) -> str:
    """Return the head of an arrow with its tip at a point; `forward` is 1 where it points to the right, else -1."""
    back = x - forward * 8
    if kind == sequence.ARROW:
        return f'<path d="M{n(x)} {n(y)}L{n(back)} {n(y - 4)}V{n(y + 4)}z" fill="currentColor" stroke="none"/>'
    if kind == sequence.OPEN:
        return f'<path d="M{n(back)} {n(y - 4.5)}L{n(x)} {n(y)}L{n(back)} {n(y + 4.5)}" stroke-width="1.5"/>'
    if kind == sequence.CROSS:
        near = x - forward * 3
        far = near - forward * 9
        path = f"M{n(near)} {n(y - 4.5)}L{n(far)} {n(y + 4.5)}M{n(near)} {n(y + 4.5)}L{n(far)} {n(y - 4.5)}"
        return f'<path d="{path}" stroke-width="1.75"/>'
    return ""


def _participant(column: ParticipantColumn, top: float) -> str:
    x, half = column.x, column.width / 2
    if column.is_actor:
        figure = f"M{n(x)} {n(top + 15)}v11m-10 -7h20m-10 7l-7 9m7 -9l7 9"
        body = (
            f'<circle class="ground" cx="{n(x)}" cy="{n(top + 9)}" r="6" fill="none" stroke-width="1.25"/>'
            f'<path d="{figure}" stroke-width="1.25"/>'
        )
        first = top + FIGURE - 4 + NAME_SIZE
    else:
        body = (
            f'<rect class="ground" x="{n(x - half)}" y="{n(top)}" width="{n(column.width)}" '
            f'height="{n(column.height)}" rx="5" {FAINT} stroke-width="1.25"/>'
        )
        first = top + 10 + NAME_SIZE - 0.5
    words = _words(column.lines, x, first, "middle", size=NAME_SIZE, line=NAME_LINE, kind="name")
    return f'<g class="participant" data-node="{escape(column.ident)}">{body}{words}</g>'


def _block(block: PlacedBlock) -> str:
    width, height = block.right - block.left, block.bottom - block.top
    parts = "".join(
        f'<path d="M{n(block.left)} {n(y)}H{n(block.right)}" {THIN} stroke-dasharray="5 4"/>' for y, _ in block.parts
    )
    return (
        f'<g class="frame"><rect x="{n(block.left)}" y="{n(block.top)}" width="{n(width)}" height="{n(height)}" rx="4" '
        f'fill="currentColor" fill-opacity="0.025" stroke-width="1" stroke-opacity="0.5"/>{parts}</g>'
    )


def _block_words(block: PlacedBlock) -> str:
    wide = tab_width(block.kind)
    tab = f"M{n(block.left)} {n(block.top)}h{n(wide)}v14l-7 7H{n(block.left)}z"
    words = _words(block.lines, block.left + wide + 10, block.top + 15, "start")
    words += "".join(_words(lines, block.left + 12, y + 15, "start") for y, lines in block.parts)
    return (
        f'<path class="ground" d="{tab}" fill="currentColor" fill-opacity="0.1" stroke-width="1" stroke-opacity="0.5"/>'
        f'<text x="{n(block.left + 8)}" y="{n(block.top + 15)}" font-size="{n(TEXT_SIZE)}" font-weight="600" '
        f'fill="currentColor" stroke="none">{escape(block.kind)}</text>{words}'
    )


def _words(
    lines: tuple[str, ...],
    x: float,
    first: float,
    anchor: str,
    *,
    kind: str = "over",
    size: float = TEXT_SIZE,
    line: float = LINE,
) -> str:
    return "".join(
        f'<text class="{kind}" x="{n(x)}" y="{n(first + number * line)}" font-size="{n(size)}" text-anchor="{anchor}" '
        f'fill="currentColor" stroke="none">{escape(words)}</text>'
        for number, words in enumerate(lines)
    )
