"""One line that is made of parts, each of its own kind, and that is cut where the terminal ends."""

from __future__ import annotations

from rcs_hooks.terminal.style import PLAIN
from rcs_hooks.terminal.width import ELLIPSIS, cells, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.terminal.style import Style

    Part = tuple[str, str]
    """The kind of a text (see `style`), which may be empty, and the text."""


def joined(parts: Iterable[Part], style: Style = PLAIN, width: int | None = None) -> str:
    """Return the parts as one line in the colours of their kinds.

    `width`: the cells after which the line is cut, with an ellipsis; None: never.
    """
    parts = tuple(parts)
    if width is None or sum(cells(text) for _, text in parts) <= width:
        return "".join(style.paint(text, kind) for kind, text in parts)
    line, left = [], width
    for kind, text in parts:
        shown = text if cells(text) < left else cut(text + ELLIPSIS, left)  # the last cell is the ellipsis'
        line.append(style.paint(shown, kind))
        if shown != text:
            break
        left -= cells(text)
    return "".join(line)
