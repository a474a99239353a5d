"""Which stretches of a prompt are somebody else's words: code, quotations, links, markup.

Rules of this file:
- A stretch is `(start, end, what)`; stretches are in order and never overlap.
- First whole lines (fences, indented code, block quotes, headings, diffs, transcripts, pasted console lines), then what
  stands inside the remaining lines, from left to right; the first opener wins.
- No pattern has a possessive quantifier or an atomic group: Python before 3.11.5 matches some of them wrongly.
- A quote or backtick that never closes quotes nothing; a fence that never closes runs to the end.
- Linear in the length of the text: every closer is found through a sorted list that is made once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stretch(NamedTuple):
    start: int
    end: int
    what: str


LIST_MARKER = r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
FENCE = re.compile(rf"[ \t]*{LIST_MARKER}(?P<fence>`{{3,}}(?=[^`]*$)|~{{3,}})")
BLOCK_QUOTE = re.compile(rf"[ \t]*{LIST_MARKER}>")
INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
OURS = re.compile(r"[ \t]*(?:\[rcs\]|rcs:)[ ]")
SPEAKER = re.compile(
    r"[ \t]*(?:[⏺⎿›❯][ \t]|(?:\*\*)?(?:user|human|assistant|system|ai|bot|claude|codex|gpt|chatgpt|copilot)(?:\*\*)?:)",
    re.IGNORECASE,
)
DIFF = re.compile(r"diff --git |@@ -\d|@@ .*@@|--- \S[^\n]*\n\+\+\+ \S")
IN_DIFF = re.compile(
    r"[-+ \t@\\]|diff --git |index [0-9a-f]|(?:new|deleted) file|old mode|new mode|similarity |rename |Binary |$"
)
LINE_END = re.compile(r"[\r\x0b\x0c]")
LINE_ENDS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))
PASTED = re.compile(
    r"""[ \t]*(?:
        \$[ ]                                                       # a console's prompt,
      | [\w.-]+@[\w.-]+:[^\s$#]*[$\#][ ]                            # one with user, host and folder,
      | \[[\w.-]+@[\w.-]+[^\]\n]{0,80}\][$\#%][ ]                  # the same in brackets,
      | [\w.-]+@[\w.-]+[ ]\S{1,80}[ ]%[ ]                            # zsh's,
      | PS[ ][A-Za-z]:\\[^>\n]{0,200}>[ ]                             # PowerShell's,
      | \[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d                     # a line of a log,
      | \[?\d\d:\d\d:\d\d(?:[.,]\d+|\]|[ ]+\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b)
      | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)(?:[\]:][ ]|[ ]\$)
      | [\w./-]+:[ ](?:line[ ]\d+:[ ])?\$\S+:[ ]                     # a shell that complains,
      | \|[^\n]*\|[ \t]*$                                           # a row of a table
    )""",
    re.VERBOSE,
)

CODE_SIGNS = frozenset("{};=@(:+-")
"""A line without any of them is no code."""


def lined(text: str) -> str:
    """`text` at its own length with every end of a line as a line feed."""
    return text.replace("\r\n", " \n").translate(LINE_ENDS) if not text.isascii() or LINE_END.search(text) else text


def foreign(text: str) -> list[Stretch]:
    """The stretches of `text` in which a word is not the writer's own request."""
    lines = list(_line_stretches(text))
    inner = _inline_stretches(blanked(text, lines))
    return sorted([*lines, *inner])


def blanked(text: str, stretches: list[Stretch], fill: str = " ") -> str:
    """`text` at its own length with those stretches filled, so that positions stay true."""
    pieces: list[str] = []
    at = 0
    for start, end, _ in stretches:
        pieces += (text[at:start], fill * (end - start))
        at = end
    return "".join((*pieces, text[at:]))


def _line_stretches(text: str) -> Iterator[Stretch]:  # noqa: PLR0912 - one branch for each kind of line
    fence = ""
    after_blank = in_indented = in_diff = False
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        end = start + len(line)
        bare = line.strip()
        if fence:
            yield Stretch(start, end, "fenced code")
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif in_diff := DIFF.match(text, start) is not None or (in_diff and IN_DIFF.match(line) is not None):
            yield Stretch(start, end, "a diff")
        elif not bare:
            after_blank = True
            continue
        elif opened := FENCE.match(line):
            fence = opened["fence"]
            yield Stretch(start, end, "fenced code")
        elif BLOCK_QUOTE.match(line):
            yield Stretch(start, end, "a block quote")
        elif (after_blank or in_indented) and INDENTED.match(line):
            in_indented = True
            yield Stretch(start, end, "indented code")
            continue
        elif HEADING.match(line):
            yield Stretch(start, end, "a heading")
        elif OURS.match(line):
            yield Stretch(start, end, "a line of rcs")
        elif SPEAKER.match(line):
            yield Stretch(start, end, "a transcript")
        elif PASTED.match(line):
            yield Stretch(start, end, "pasted output")
        elif "$" in line and not CODE_SIGNS.isdisjoint(line) and _is_code(line):
            yield Stretch(start, end, "pasted code")
        after_blank = in_indented = False


def _is_code(line: str) -> bool:
    from rcs_hooks.workflow import codelines  # its pattern takes a millisecond and a half to compile

    return codelines.CODE.match(line) is not None


# What may open a stretch inside a line. A backslash takes the next character with it.
OPENER = re.compile(
    r"""\\.                       # escaped: opens nothing
      | `+
      | ["'“”„«»‹›‘‚「｢『《〈〝＂]
      | <(?:!--|[A-Za-z/])
      | \[
      | ://
      | (?<=[\w$])[({]            # a call, $(...), ${...}
      | \{""",
    re.VERBOSE | re.DOTALL,
)
# Every closer, found once. A single quote closes only where a word ends.
CLOSER = re.compile(r"""\\.|(?<=\S)['’](?!\w)|["“”»«›‹」｣』》〉〞〟＂‘]""", re.DOTALL)
CLOSES = {
    '"': '"', "'": "'", "＂": "＂",
    "“": "”", "”": "”", "„": "“”", "«": "»", "»": "»«", "‹": "›", "›": "›‹",
    "‘": "’", "‚": "‘’", "「": "」", "｢": "｣", "〝": "〞〟", "『": "』", "《": "》", "〈": "〉",
}  # fmt: skip
LINK = re.compile(
    r"""\[\[[^\[\]\n]*\]\]
      | \[[ ](?=\S)[^\[\]\n]*(?<=[ ])\]
      | \[[^\[\]]*\](?: \((?:[^()\n]|\([^()\n]*\))*\) | \[[^\[\]\n]*\] | :[ \t] )""",
    re.VERBOSE,
)
TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*)(?:\s[^<>]*)?>")
COMMENT_END = "-->"
URL = re.compile(r"://\S*")
GROUP = {"(": re.compile(r"\([^()\n]*\)"), "{": re.compile(r"\{[^{}\n]*\}")}
PARAGRAPH_END = re.compile(r"\n[ \t\r]*(?=\n)")


class _Inline:
    """The closers of one text, each list made once and only when it is first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._closers: dict[str, list[int]] | None = None
        self._ticks: dict[int, list[int]] | None = None
        self._elements: dict[int, int] | None = None
        self._comment_ends = True
        self._paragraph_ends = [m.start() for m in PARAGRAPH_END.finditer(text)]

    def same_paragraph(self, start: int, end: int) -> bool:
        index = bisect_left(self._paragraph_ends, start)
        return index == len(self._paragraph_ends) or self._paragraph_ends[index] >= end

    def quote_end(self, start: int, char: str) -> int | None:
        if self._closers is None:
            self._closers = {}
            for match in CLOSER.finditer(self.text):
                self._closers.setdefault(match[0], []).append(match.start())
        nexts = [_next(self._closers.get(closer, []), start + 1) for closer in CLOSES[char]]
        found = [at for at in nexts if at is not None]
        if not found or (char in "'‘" and not self.same_paragraph(start, min(found))):
            return None
        return min(found) + 1

    def ticks_end(self, start: int, length: int) -> int | None:
        if self._ticks is None:
            self._ticks = {}
            for match in re.finditer("`+", self.text):
                self._ticks.setdefault(len(match[0]), []).append(match.start())
        at = _next(self._ticks.get(length, []), start + length)
        return at + length if at is not None and self.same_paragraph(start, at) else None

    def element_end(self, start: int) -> int | None:
        if self._elements is None:
            self._elements = _elements(self.text)
        return self._elements.get(start)

    def comment_end(self, start: int) -> int | None:
        at = self.text.find(COMMENT_END, start) if self._comment_ends else -1
        self._comment_ends = at >= 0
        return at + len(COMMENT_END) if at >= 0 else None


def _next(positions: list[int], start: int) -> int | None:
    index = bisect_left(positions, start)
    return positions[index] if index < len(positions) else None


def _elements(text: str) -> dict[int, int]:
    """Where each tag ends, or, where its element is closed, that element."""
    ends: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for tag in TAG.finditer(text):
        ends[tag.start()] = tag.end()
        if not tag["close"]:
            opened.setdefault(tag["name"], []).append(tag.start())
        elif opened.get(tag["name"]):
            ends[opened[tag["name"]].pop()] = tag.end()
    return ends


def _opens(text: str, start: int, char: str) -> bool:
    """Whether a quotation mark here can open: not an apostrophe, not the inches of a number."""
    before = text[start - 1 : start]
    if char in "'‘":
        return not before.isalnum() and before != "_" and not text[start + 1 : start + 2].isspace()
    return not (char == '"' and before.isdigit())


def _inline_stretches(text: str) -> Iterator[Stretch]:
    inline = _Inline(text)
    at = 0
    while opener := OPENER.search(text, at):
        start, at = opener.start(), opener.end()
        end, what = _stretch_at(inline, start, opener[0])
        if end is not None:
            yield Stretch(start, end, what)
            at = end


def _stretch_at(inline: _Inline, start: int, opener: str) -> tuple[int | None, str]:
    text, char = inline.text, opener[0]
    if char == "`":
        return inline.ticks_end(start, len(opener)), "inline code"
    if char in CLOSES:
        return inline.quote_end(start, char) if _opens(text, start, char) else None, "quotation marks"
    if char == "<":
        return inline.comment_end(start) if opener == "<!--" else inline.element_end(start), "markup"
    if char == "\\":
        return None, ""
    pattern, what = {
        "[": (LINK, "a link"), ":": (URL, "a link"), "(": (GROUP["("], "code"), "{": (GROUP["{"], "code"),
    }[char]  # fmt: skip
    match = pattern.match(text, start)
    return match.end() if match else None, what
