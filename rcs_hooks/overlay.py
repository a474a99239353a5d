"""The overlay: a list of the active modes, between two markers in a file of the user's such as AGENTS.md.

Pure: reads and writes no file. Applying twice changes nothing, and stripping gives the text back as it was before:
no file where there was none, which the block itself notes.
A text whose markers are broken is refused, because a guess could cut into the user's own words.
"""

from __future__ import annotations

from rcs_hooks.errors import Refused
from rcs_hooks.text import clean, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from rcs_hooks.workflow.proof import ProofStatus

START = "<!-- RCS:RUNTIME:START -->"
END = "<!-- RCS:RUNTIME:END -->"
MADE = "<!-- RCS:RUNTIME:MADE this file -->"
"""The line in a block that says that the file was made for it, and so may be removed with it."""
LONGEST = 3_500


def block(
    active: Sequence[tuple[str, object, bool, ProofStatus | None]], how_to_end: str, unreadable: Sequence[str] = ()
) -> str:
    """Return the block, markers included, that lists the active modes.

    `active`: the mode, its phase, whether it waits, and the verdict on its newest proof, for every active mode.
    `how_to_end`: an example of the command that records an outcome. `unreadable`: the paths of the state files that
    cannot be read.
    """
    lines = [START, "## Active workflows", ""]
    lines += [
        f"- {mode}: phase {word(phase)}{', waits for the user' if waits else ''}{_proven(proof)}"
        for mode, phase, waits, proof in active
    ]
    if active:
        lines += ["", f"Each goes on until its outcome is recorded, like: `{how_to_end}`"]
    else:
        lines.append("None.")
    lines += [f"- {clean(path, 200)} cannot be read" for path in unreadable]
    text = "\n".join([*lines, END])
    if len(text) > LONGEST:  # only a very long path in `how_to_end` or `unreadable` gets here
        text = "\n".join([*lines[: 3 + len(active)], END])
    return text


def _proven(proof: ProofStatus | None) -> str:
    """Return the verdict on a proof in a word with its time; empty if there is none. The command could be any text."""
    return f", {proof.state} at {word(proof.at)}" if proof and proof.command else ""


def find(text: str) -> tuple[int, int] | None:
    """Return where the block starts and ends in a text; None if it has none. Raises Refused for broken markers."""
    starts, ends = text.count(START), text.count(END)
    if starts == ends == 0:
        return None
    start, end = text.find(START), text.find(END)
    if starts != 1 or ends != 1 or end < start:
        raise Refused(
            f"the markers are broken: expected one start and then one end, but found {starts} start and {ends} end;"
            f" fix the lines with {START[5:16]} by hand, then try again (nothing was changed)"
        )
    end += len(END)
    return start, end


def applied(text: str | None, new: str) -> str:
    """Return the text with the block `new` in place of the old block, or at the end if there is none.

    `text`: None if there is no file; the block then says that the file was made for it, and goes on saying so.
    """
    place = find(text or "")
    if text is None or (place and MADE in text[place[0] : place[1]]):
        new = f"{new.removesuffix(END)}{MADE}\n{END}"
    text = text or ""
    newline = "\r\n" if "\r\n" in (text[place[0] : place[1]] if place else text) else "\n"
    new = new.replace("\n", newline)
    if place:
        return text[: place[0]] + new + text[place[1] :]
    gap = newline if text else ""  # even after a newline, so that `stripped` knows which newlines are the text's own
    return f"{text}{gap}{new}{newline}"


def stripped(text: str) -> str | None:
    """Return the text without the block, as it was before the block was applied.

    None if there was no file before, and nothing else is in it now.
    """
    place = find(text)
    if not place:
        return text
    rest = _without(text, place)
    return None if not rest.strip() and MADE in text[place[0] : place[1]] else rest


def _without(text: str, place: tuple[int, int]) -> str:
    before, after = text[: place[0]], text[place[1] :]
    for newline in ("\r\n", "\n"):
        if after == newline:
            return before.removesuffix(newline)
        if after.startswith(newline):
            return before + after.removeprefix(newline)
    return before + after
