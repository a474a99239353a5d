"""The block, and where it stands in a text. Pure: no file is touched here.

Applying is idempotent, stripping what was applied gives the text back, and a text whose markers are broken is
refused: to guess there would be to cut into somebody's words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.errors import Refused
from rcs_hooks.workflow.text import clean, word

if TYPE_CHECKING:
    from collections.abc import Sequence

START = "<!-- RCS:RUNTIME:START -->"
END = "<!-- RCS:RUNTIME:END -->"
LONGEST = 3_500


def block(active: Sequence[tuple[str, object, bool]], how_to_end: str, unreadable: Sequence[str] = ()) -> str:
    """Mode, phase, and whether it waits, for every active member."""
    lines = [START, "## Active workflows", ""]
    lines += [
        f"- {mode}: phase {word(phase)}{', waits for the user' if waits else ''}" for mode, phase, waits in active
    ]
    if active:
        lines += ["", f"Each goes on until its outcome is recorded, like: `{how_to_end}`"]
    else:
        lines.append("None.")
    lines += [f"- {clean(path, 200)} cannot be read" for path in unreadable]
    text = "\n".join([*lines, END])
    if len(text) > LONGEST:  # only a very long path can do this
        text = "\n".join([*lines[: 3 + len(active)], END])
    return text


def find(text: str) -> tuple[int, int] | None:
    """Where the block stands, with the newline that ends it; None if there is none. Raises Refused."""
    starts, ends = text.count(START), text.count(END)
    if starts == ends == 0:
        return None
    start, end = text.find(START), text.find(END)
    if starts != 1 or ends != 1 or end < start:
        raise Refused(
            f"the markers are broken: {starts} start and {ends} end found, one of each in that order needed;"
            f" mend the lines with {START[5:16]} by hand, nothing was changed"
        )
    end += len(END)
    return start, end


def applied(text: str, new: str) -> str:
    """With the block in its place, or at the end."""
    place = find(text)
    newline = "\r\n" if "\r\n" in (text[place[0] : place[1]] if place else text) else "\n"
    new = new.replace("\n", newline)
    if place:
        return text[: place[0]] + new + text[place[1] :]
    return f"{text}{_gap(text, newline)}{new}{newline}"


def _gap(text: str, newline: str) -> str:
    """What stands between the text and the block: told apart from the text's own end when it is stripped."""
    return newline if text else ""


def stripped(text: str) -> str:
    """Without the block; as it was before, where nothing else was changed."""
    place = find(text)
    if not place:
        return text
    before, after = text[: place[0]], text[place[1] :]
    for newline in ("\r\n", "\n"):
        if after == newline:
            return before.removesuffix(newline)
        if after.startswith(newline):
            return before + after.removeprefix(newline)
    return before + after
