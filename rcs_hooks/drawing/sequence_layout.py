"""The layout of a sequence diagram: a column for each participant, and one step below the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest

from rcs_hooks.diagrams.sequence import (
    LEFT_OF,
    OVER,
    RIGHT_OF,
    Activity,
    BlockEnd,
    BlockPart,
    BlockStart,
    SequenceDiagram,
    SequenceMessage,
    SequenceNote,
)  # fmt: skip
from rcs_hooks.diagrams.sequence_reader import MOST_STEPS
from rcs_hooks.drawing import text_metrics

TEXT_SIZE, LINE, NAME_SIZE, NAME_LINE = 13.0, 17.0, 14.0, 18.0
FIGURE = 40.0
"""The height of the figure of an actor, above the name."""
WIDEST_TEXT, WIDEST_NOTE, WIDEST_NAME, MOST_LINES = 260.0, 220.0, 180.0, 6
LEAST_COLUMN, GAP, AROUND = 110.0, 26.0, 36.0
SELF_WIDTH, SELF_HEIGHT = 34.0, 22.0
NOTE_PAD, SIDE = 9.0, 12.0
STEP_GAP, BLOCK_HEAD, BLOCK_PAD = 16.0, 26.0, 12.0
ACTIVE = 5.0
"""Half the width of the bar of an active participant."""


@dataclass
class ParticipantColumn:
    """The column of a participant: the box at its top, and how its line runs down."""

    ident: str
    lines: tuple[str, ...]
    is_actor: bool
    width: float
    x: float = 0.0

    @property
    def height(self) -> float:
        return len(self.lines) * NAME_LINE + (FIGURE if self.is_actor else 20.0)


@dataclass(frozen=True)
class PlacedArrow:
    """A message: from where to where, and its text above it."""

    message: SequenceMessage
    lines: tuple[str, ...]
    begin: float
    end: float
    y: float


@dataclass(frozen=True)
class PlacedNote:
    """A note in its rectangle."""

    lines: tuple[str, ...]
    x: float
    y: float
    width: float
    height: float


@dataclass
class PlacedBlock:
    """A frame such as `loop`, with the lines where its parts begin."""

    kind: str
    lines: tuple[str, ...]
    top: float
    depth: int
    left: float = float("inf")
    right: float = float("-inf")
    bottom: float = 0.0
    parts: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)

    def reach(self, left: float, right: float) -> None:
        """Make the frame wide enough for what is in it."""
        self.left, self.right = min(self.left, left), max(self.right, right)


@dataclass(frozen=True)
class PlacedBar:
    """The time in which a participant is active."""

    x: float
    top: float
    bottom: float


@dataclass
class SequenceLayout:
    """Everything that a picture of a sequence diagram shows, with its place."""

    columns: list[ParticipantColumn]
    head: float
    arrows: list[PlacedArrow] = field(default_factory=list)
    notes: list[PlacedNote] = field(default_factory=list)
    blocks: list[PlacedBlock] = field(default_factory=list)
    bars: list[PlacedBar] = field(default_factory=list)
    bottom: float = 0.0


def lay_out_sequence(diagram: SequenceDiagram) -> SequenceLayout:
    """Give everything in a sequence diagram its place; `x` may be less than 0."""
    return _Placing(diagram).done()


def text_lines(text: str, widest: float = WIDEST_TEXT) -> tuple[str, ...]:
    """Break a text of a sequence diagram into lines."""
    return text_metrics.lines(text, TEXT_SIZE, widest, MOST_LINES)


def text_width(lines: tuple[str, ...]) -> float:
    """Return the width of lines of text."""
    return max((text_metrics.width(line, TEXT_SIZE) for line in lines), default=0.0)


class _Placing:
    def __init__(self, diagram: SequenceDiagram) -> None:
        self.diagram = diagram
        columns = []
        for each in diagram.participants.values():
            lines = text_metrics.lines(each.text, NAME_SIZE, WIDEST_NAME, 3)
            wide = max((text_metrics.width(line, NAME_SIZE) for line in lines), default=0.0)
            columns.append(ParticipantColumn(each.ident, lines, each.is_actor, max(wide + 28, 70.0)))
        self.layout = SequenceLayout(columns, max((column.height for column in columns), default=0.0))
        self.index = {column.ident: number for number, column in enumerate(columns)}
        self.y = self.layout.head + 8
        self.open: list[PlacedBlock] = []
        self.active: dict[str, list[float]] = {}
        self.count = 0
        self._place_columns()

    def _x(self, ident: str) -> float:
        return self.layout.columns[self.index[ident]].x

    def _place_columns(self) -> None:
        """Put the columns as near to each other as their names, and the texts between them, allow."""
        columns = self.layout.columns
        needs: dict[int, list[tuple[int, float]]] = {}
        for number in range(1, len(columns)):
            between = (columns[number - 1].width + columns[number].width) / 2 + GAP
            needs.setdefault(number, []).append((number - 1, max(LEAST_COLUMN, between)))
        for step in self.diagram.steps:
            for left, right, width in self._wide(step):
                if 0 <= left < right < len(columns):
                    needs.setdefault(right, []).append((left, width))
        for number, column in enumerate(columns):
            column.x = max((columns[other].x + width for other, width in needs.get(number, [])), default=0.0)

    def _wide(self, step: object) -> list[tuple[int, int, float]]:
        """Return between which columns a step needs how much room."""
        if isinstance(step, SequenceMessage):
            one, other = sorted((self.index[step.source], self.index[step.target]))
            wide = text_width(text_lines(self._text(step, MOST_STEPS)))
            if one == other:
                return [(one, one + 1, SELF_WIDTH + wide + 20)]
            return [(one, other, wide + AROUND)]
        if isinstance(step, SequenceNote):
            wide = text_width(text_lines(step.text, WIDEST_NOTE)) + 2 * NOTE_PAD
            one, other = sorted((self.index[step.first], self.index[step.last]))
            if one != other:
                return [(one, other, wide - 30)]
            left = {OVER: wide / 2, LEFT_OF: wide + SIDE, RIGHT_OF: 0.0}[step.side]
            right = {OVER: wide / 2, LEFT_OF: 0.0, RIGHT_OF: wide + SIDE}[step.side]
            return [(one - 1, one, left + 16), (one, one + 1, right + 16)]
        return []

    def done(self) -> SequenceLayout:
        """Place all steps, one below the other."""
        for step, after in zip_longest(self.diagram.steps, self.diagram.steps[1:]):
            if isinstance(step, SequenceMessage):
                self._message(step, after.who if isinstance(after, Activity) and after.is_begin else "")
            elif isinstance(step, SequenceNote):
                self._note(step)
            elif isinstance(step, BlockStart):
                self._open(step)
            elif isinstance(step, BlockPart):
                self._part(step)
            elif isinstance(step, BlockEnd):
                self._close()
            elif step:
                self._activity(step)
        self.y += STEP_GAP
        for ident, begins in self.active.items():
            for depth, begin in enumerate(begins):
                self.layout.bars.append(PlacedBar(self._x(ident) + depth * ACTIVE, begin, self.y))
        self.layout.bottom = self.y
        return self.layout

    def _reach(self, left: float, right: float) -> None:
        if self.open:
            self.open[-1].reach(left, right)

    def _text(self, message: SequenceMessage, number: int) -> str:
        return f"{number}. {message.text}" if self.diagram.is_numbered else message.text

    def _message(self, message: SequenceMessage, activated: str) -> None:
        self.count += 1
        lines = text_lines(self._text(message, self.count))
        begin, end = self._x(message.source), self._x(message.target)
        wide = text_width(lines)
        is_own = message.source == message.target
        self.y += STEP_GAP + len(lines) * LINE
        y = self.y
        middle = (begin + end) / 2
        if is_own:
            self._reach(begin - 24, begin + max(SELF_WIDTH, 12 + wide) + 12)
            self.y += SELF_HEIGHT
        else:
            self._reach(min(begin, end, middle - wide / 2) - 24, max(begin, end, middle + wide / 2) + 24)
        shift = ACTIVE if begin <= end else -ACTIVE
        begin += shift * (1 if self.active.get(message.source) else 0)
        end -= (shift if not is_own else -ACTIVE) * (
            1 if self.active.get(message.target) or message.target == activated else 0
        )
        self.layout.arrows.append(PlacedArrow(message, lines, begin, end, y))

    def _note(self, note: SequenceNote) -> None:
        lines = text_lines(note.text, WIDEST_NOTE)
        wide, high = text_width(lines) + 2 * NOTE_PAD, max(1, len(lines)) * LINE + NOTE_PAD
        one, other = sorted((self._x(note.first), self._x(note.last)))
        if note.side == LEFT_OF:
            x = one - SIDE - wide
        elif note.side == RIGHT_OF:
            x = one + SIDE
        else:
            wide = max(wide, other - one + 50 if one != other else 0.0)
            x = (one + other) / 2 - wide / 2
        self.y += STEP_GAP
        self.layout.notes.append(PlacedNote(lines, x, self.y, wide, high))
        self._reach(x - 12, x + wide + 12)
        self.y += high

    def _open(self, start: BlockStart) -> None:
        self.y += STEP_GAP
        lines = text_lines(start.text)
        block = PlacedBlock(start.kind, lines, self.y, len(self.open))
        self.open.append(block)
        self.layout.blocks.append(block)
        self.y += max(BLOCK_HEAD, len(lines) * LINE + 8)

    def _part(self, part: BlockPart) -> None:
        self.y += BLOCK_PAD
        lines = text_lines(part.text)
        self.open[-1].parts.append((self.y, lines))
        self.y += len(lines) * LINE + 4

    def _close(self) -> None:
        block = self.open.pop()
        columns = self.layout.columns
        if block.left > block.right:
            block.reach(columns[0].x - 40 if columns else 0.0, columns[-1].x + 40 if columns else 100.0)
        title = tab_width(block.kind) + text_width(block.lines) + 24
        parts = max((text_width(lines) + 24 for _, lines in block.parts), default=0.0)
        block.right = max(block.right, block.left + max(title, parts))
        self.y += BLOCK_PAD
        block.bottom = self.y
        self._reach(block.left - 10, block.right + 10)

    def _activity(self, step: Activity) -> None:
        begins = self.active.setdefault(step.who, [])
        if step.is_begin:
            begins.append(self.y)
        elif begins:
            begin = begins.pop()
            self.layout.bars.append(PlacedBar(self._x(step.who) + len(begins) * ACTIVE, begin, max(self.y, begin + 8)))


def tab_width(kind: str) -> float:
    """Return the width of the tab in the corner of a frame, which says its kind."""
    return text_metrics.width(kind, TEXT_SIZE) * 1.12 + 20
