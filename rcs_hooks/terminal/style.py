"""Colours by what they mean, for a stream that shows them.

Rules of this file:
- A colour says nothing that the words do not say too.
- Each colour can be read on black and on white: well where the terminal has 256, and as well as the usual palettes
  allow where it has 16.
"""

from __future__ import annotations

from rcs_hooks.tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

RESET = "\x1b[0m"
STRONG, QUIET, WAITS, GOES_ON, GOOD, BAD = "strong", "quiet", "waits", "goes on", "good", "bad"
"""What a text is: what leads a row, what matters least, what waits for the person, runs, went well, or failed."""
BASIC = {STRONG: "1", QUIET: "2", WAITS: "35", GOES_ON: "94", GOOD: "32", BAD: "31"}
"""Without yellow and cyan, which nobody can read on white, and without dark blue, which nobody can on black."""
OF_256 = {STRONG: "1", QUIET: "38;5;244", WAITS: "38;5;166", GOES_ON: "38;5;32", GOOD: "38;5;28", BAD: "38;5;196"}

STATES = {
    WAITS: "waiting stalled open pending prompting askuserquestion stale unproven",
    GOES_ON: "running active",
    GOOD: "completed finished done proven answered accepted",
    BAD: "failed blocked unreadable broken",
    QUIET: "idle inactive skipped closed aborted userinterlude stopped",
}
KINDS = {word: kind for kind, words in STATES.items() for word in words.split()}


class Style(NamedTuple):
    """The escape codes of one terminal, by what a text is; none for a stream that shows no colours."""

    codes: Mapping[str, str]

    def paint(self, text: str, kind: str) -> str:
        """Return a text in the colour of its kind; unchanged where there is no colour for it."""
        code = self.codes.get(kind)
        return f"\x1b[{code}m{text}{RESET}" if code and text.strip() else text


PLAIN, FEW, MANY = Style({}), Style(BASIC), Style(OF_256)


def of(stream: TextIO | None, env: Mapping[str, str]) -> Style:
    """Return the style of a stream: without colours if it is no terminal, or if NO_COLOR or TERM=dumb asks for none."""
    return wanted(env) if stream is not None and stream.isatty() else PLAIN


def wanted(env: Mapping[str, str]) -> Style:
    """Return the style that an environment asks for, of a text that reaches a terminal in the end."""
    if env.get("NO_COLOR") or env.get("TERM") == "dumb":
        return PLAIN
    return MANY if "256color" in env.get("TERM", "") or env.get("COLORTERM") else FEW


def kind_of(state: str) -> str:
    """Return the kind of a state that is called by one word, such as `failed`; empty for a word that is not known."""
    return KINDS.get(state.lower(), "")
