"""The frames of a flowchart's subgraphs: their titles, the room that they need, and their rectangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.diagrams import flowchart as flow
from rcs_hooks.drawing import text_metrics
from rcs_hooks.drawing.frames import Frame
from rcs_hooks.drawing.svg_parts import RowRoom, escape, n

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.drawing.shapes import Area

PAD, TITLE = 12.0, 33.0
TITLE_SIZE, WIDEST_TITLE = 12.5, 240.0
BOLD = 1.12
INK = 'fill="currentColor" fill-opacity="0.04" stroke-width="1" stroke-opacity="0.4"'


class ChartFrames:
    """The frames of a flowchart. The title is at the top of a frame in the picture, however the chart is turned."""

    def __init__(self, chart: flow.Flowchart) -> None:
        self.is_sideways = chart.direction in (flow.RIGHT, flow.LEFT)
        self.is_upside_down = chart.direction == flow.UP
        self.titles = {name: self._shown(frame.title) for name, frame in chart.frames.items()}
        self.frames: dict[str, Frame] = {}
        for name, says in chart.frames.items():  # an outer frame is mentioned before those in it
            parent = self.frames.get(says.parent)
            before = (TITLE - 7 if self.titles[name] else PAD) if self.is_sideways else PAD
            least = 0.0 if self.is_sideways else self.widths(name)
            self.frames[name] = Frame(name, parent, before, PAD, least)
            if parent:
                parent.children.append(self.frames[name])

    @staticmethod
    def _shown(title: str) -> str:
        lines = text_metrics.lines(title, TITLE_SIZE * BOLD, WIDEST_TITLE, 1)
        return lines[0] if lines else ""

    def widths(self, name: str) -> float:
        """Return how wide a frame is at least, so that its title fits."""
        return text_metrics.width(self.titles[name], TITLE_SIZE) * BOLD + 2 * PAD

    def above(self, frame: Frame) -> float:
        """Return the room in a frame above its first row."""
        own = PAD if self.is_sideways or self.is_upside_down or not self.titles[frame.ident] else TITLE
        return own + max((self.above(each) for each in frame.children if each.first == frame.first), default=0.0)

    def below(self, frame: Frame) -> float:
        """Return the room in a frame below its last row."""
        own = TITLE if self.is_upside_down and self.titles[frame.ident] else PAD
        return own + max((self.below(each) for each in frame.children if each.last == frame.last), default=0.0)

    def room(self) -> RowRoom:
        """Return the room that the frames need between the rows."""
        above, below, height = dict[int, float](), dict[int, float](), dict[int, float]()
        for frame in self.frames.values():
            above[frame.first] = max(above.get(frame.first, 0.0), self.above(frame))
            below[frame.last] = max(below.get(frame.last, 0.0), self.below(frame))
            if self.is_sideways and frame.first == frame.last:
                height[frame.first] = max(height.get(frame.first, 0.0), self.widths(frame.ident) - 2 * PAD)
        return RowRoom(above, below, height)

    def title(self, name: str, area: Area, entries: Sequence[float]) -> str:
        """Return the title of a frame: at its left, or at its right where fewer edges cross the frame there."""
        if not self.titles[name]:
            return ""
        room = area.width - 2 * PAD + 1
        title = text_metrics.shortened(self.titles[name], TITLE_SIZE, room / BOLD)
        left, right = area.x + PAD, area.x + area.width - PAD
        wide = text_metrics.width(title, TITLE_SIZE) * BOLD
        crossed = [sum(begin - 4 < x < begin + wide + 4 for x in entries) for begin in (left, right - wide)]
        place = f'x="{n(right)}" text-anchor="end"' if crossed[1] < crossed[0] else f'x="{n(left)}"'
        return (
            f'<text class="over" {place} y="{n(area.y + 17)}" font-size="{n(TITLE_SIZE)}" font-weight="600" '
            f'fill="currentColor" stroke="none">{escape(title)}</text>'
        )


def frame_of(area: Area) -> str:
    """Return the rectangle of a frame."""
    return (
        f'<g class="frame"><rect x="{n(area.x)}" y="{n(area.y)}" width="{n(area.width)}" height="{n(area.height)}" '
        f'rx="8" {INK}/></g>'
    )
