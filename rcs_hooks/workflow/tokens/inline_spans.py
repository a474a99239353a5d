"""Finds the spans inside the lines of a prompt that are somebody else's words: quotations, inline code, links, markup.

Rules of this file:
- Spans are found from left to right; the first opener wins. A quote or backtick that never closes quotes nothing.
- The work is linear in the length of the text: closers are looked up in sorted lists that are built once, never
  searched for from each opener.
"""

from __future__ import annotations

from bisect import bisect_left

from rcs_hooks.workflow.tokens.patterns import pattern
from rcs_hooks.workflow.tokens.quoted_spans import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPENER = pattern(
    r"""(?sx)\\.                  # escaped: opens nothing
      | `+
      | ["'“”„«»‹›‘‚「｢『《〈〝＂]
      | <(?:!--|[A-Za-z/])
      | \[
      | ://
      | (?<=[\w$])[({]            # a call, $(...), ${...}
      | \{"""
)
# A single quote closes only where a word ends.
CLOSER = pattern(r"""(?s)\\.|(?<=\S)['’](?!\w)|["“”»«›‹」｣』》〉〞〟＂‘]""")
CLOSES = {
    '"': '"', "'": "'", "＂": "＂",
    "“": "”", "”": "”", "„": "“”", "«": "»", "»": "»«", "‹": "›", "›": "›‹",
    "‘": "’", "‚": "‘’", "「": "」", "｢": "｣", "〝": "〞〟", "『": "』", "《": "》", "〈": "〉",
}  # fmt: skip
LINK = pattern(
    r"""(?x)\[\[[^\[\]\n]*\]\]
      | \[[ ](?=\S)[^\[\]\n]*(?<=[ ])\]
      | \[[^\[\]]*\](?: \((?:[^()\n]|\([^()\n]*\))*\) | \[[^\[\]\n]*\] | :[ \t] )"""
)
TAG = pattern(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
COMMENT_END = "-->"
URL = pattern(r"://\S*")
GROUP = {"(": pattern(r"\([^()\n]*\)"), "{": pattern(r"\{[^{}\n]*\}")}
TICKS = pattern("`+")
PARAGRAPH_END = pattern(r"\n[ \t\r]*(?=\n)")


class _Inline:
    """The places in one text where quotations, code and markup may close; each list is built when first needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._closers: dict[str, list[int]] | None = None
        self._ticks: dict[int, list[int]] | None = None
        self._elements: dict[int, int] | None = None
        self._comment_ends = True
        self._paragraph_ends = [m.start() for m in PARAGRAPH_END.finditer(text)]

    def same_paragraph(self, start: int, end: int) -> bool:
        """Tell whether no blank line lies between two places."""
        index = bisect_left(self._paragraph_ends, start)
        return index == len(self._paragraph_ends) or self._paragraph_ends[index] >= end

    def quote_end(self, start: int, char: str) -> int | None:
        """Return the end of the quotation that the mark `char` at `start` opens; None if it is never closed."""
        if self._closers is None:
            self._closers = {}
            for match in CLOSER.finditer(self.text):
                self._closers.setdefault(match[0], []).append(match.start())
        nexts = [self._next(self._closers.get(closer, []), start + 1) for closer in CLOSES[char]]
        ends = [at for at in nexts if at is not None]
        if not ends or (char in "'‘" and not self.same_paragraph(start, min(ends))):
            return None
        return min(ends) + 1

    def _next(self, positions: list[int], start: int) -> int | None:
        index = bisect_left(positions, start)
        return positions[index] if index < len(positions) else None

    def ticks_end(self, start: int, length: int) -> int | None:
        """Return the end of the inline code that `length` backticks at `start` open; None if it is never closed."""
        if self._ticks is None:
            self._ticks = {}
            for match in TICKS.finditer(self.text):
                self._ticks.setdefault(len(match[0]), []).append(match.start())
        at = self._next(self._ticks.get(length, []), start + length)
        return at + length if at is not None and self.same_paragraph(start, at) else None

    def element_end(self, start: int) -> int | None:
        """Return the end of the element whose tag is at `start`; None if no tag is there."""
        if self._elements is None:
            self._elements = _elements(self.text)
        return self._elements.get(start)

    def comment_end(self, start: int) -> int | None:
        """Return the end of the comment that opens at `start`; None if it is never closed."""
        at = self.text.find(COMMENT_END, start) if self._comment_ends else -1
        self._comment_ends = at >= 0
        return at + len(COMMENT_END) if at >= 0 else None


def _elements(text: str) -> dict[int, int]:
    """Map the start of each tag to the end of its element; to the end of the tag if its element is never closed."""
    ends: dict[int, int] = {}
    open_tags: dict[str, list[int]] = {}
    for tag in TAG.finditer(text):
        ends[tag.start()] = tag.end()
        if not tag["close"]:
            open_tags.setdefault(tag["name"], []).append(tag.start())
        elif open_tags.get(tag["name"]):
            ends[open_tags[tag["name"]].pop()] = tag.end()
    return ends


def opens(text: str, start: int, char: str) -> bool:
    """Tell whether the quotation mark at `start` can open a quotation: it is no apostrophe, and no sign for inches."""
    before = text[start - 1 : start]
    if char in "'‘":
        return not before.isalnum() and before != "_" and not text[start + 1 : start + 2].isspace()
    return not (char == '"' and before.isdigit())


def inline_spans(text: str) -> Iterator[Span]:
    """Yield the spans inside the lines of a text whose whole lines are blanked, from left to right."""
    if not OPENER.search(text):
        return
    inline = _Inline(text)
    at = 0
    while opener := OPENER.search(text, at):
        start, at = opener.start(), opener.end()
        end, what = _span_at(inline, start, opener[0])
        if end is not None:
            yield Span(start, end, what)
            at = end


def _span_at(inline: _Inline, start: int, opener: str) -> tuple[int | None, str]:
    text, char = inline.text, opener[0]
    if char == "`":
        return inline.ticks_end(start, len(opener)), "inline code"
    if char in CLOSES:
        return inline.quote_end(start, char) if opens(text, start, char) else None, "quotation marks"
    if char == "<":
        return inline.comment_end(start) if opener == "<!--" else inline.element_end(start), "markup"
    if char == "\\":
        return None, ""
    pattern, what = {
        "[": (LINK, "a link"), ":": (URL, "a link"), "(": (GROUP["("], "code"), "{": (GROUP["{"], "code"),
    }[char]  # fmt: skip
    match = pattern.match(text, start)
    return match.end() if match else None, what
