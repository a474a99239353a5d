"""Finds the spans of a prompt that are somebody else's words: code, quotations, links, markup.

Rules of this file:
- Spans are in order and never overlap.
- Whole lines come first (fences, indented code, block quotes, headings, diffs, transcripts, pasted console lines), then
  spans inside the remaining lines: `inline_spans.py`, which is loaded only where a mark may open one.
- No pattern has a possessive quantifier or an atomic group: Python before 3.11.5 matches some of them wrongly.
- A fence that never closes runs to the end.
"""

from __future__ import annotations

from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.tokens.pasted_lines import is_code, log_end, part_of, text_start
from rcs_hooks.workflow.tokens.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Span(NamedTuple):
    """A part of a prompt that is somebody else's words; `what` says what it is: `fenced code`, `a link`."""

    start: int
    end: int
    what: str


LIST_MARKER = r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*"
FENCE = pattern(rf"[ \t]*{LIST_MARKER}(?P<fence>`{{3,}}(?=[^`]*$)|~{{3,}})")
BLOCK_QUOTE = pattern(rf"[ \t]*{LIST_MARKER}>")
INDENTED = pattern(r"(?: {4}| {0,3}\t)")
HEADING = pattern(r" {0,3}#{1,6}(?:[ \t]|$)")
OURS = pattern(r"[ \t]*(?:\[rcs\]|rcs:)[ ]")
SPEAKER_SIGNS = frozenset("⏺⎿›❯")
LONGEST_SPEAKER = len("**assistant**:")
SPEAKER = pattern(
    r"(?i)[ \t]*(?:[⏺⎿›❯][ \t]"
    r"|(?:\*\*)?(?:user|human|assistant|system|ai|bot|claude|codex|gpt|chatgpt|copilot)(?:\*\*)?:)"
)
DIFF_STARTS = ("diff --git ", "@@ ", "--- ")
DIFF = pattern(r"diff --git |@@ -\d|@@ .*@@|--- \S[^\n]*\n\+\+\+ \S")
IN_DIFF = pattern(
    r"[-+ \t@\\]|diff --git |index [0-9a-f]|(?:new|deleted) file|old mode|new mode|similarity |rename |Binary |$"
)
LINE_ENDS = str.maketrans(dict.fromkeys("\r\x0b\x0c\x85\u2028\u2029", "\n"))
PASTED = pattern(
    r"""(?x)[ \t]*(?:
        [$%][ ] | In[ ]\[\d+\]:[ ]                                  # a console's prompt,
      | [\w.-]+@[\w.-]+:[^\s$#]*[$\#][ ]                            # one with user, host and folder,
      | \[[\w.-]+@[\w.-]+[^\]\n]{0,80}\][$\#%][ ]                  # the same in brackets,
      | [\w.-]+@[\w.-]+[ ]\S{1,80}[ ]%[ ]                            # zsh's,
      | PS[ ][A-Za-z]:\\[^>\n]{0,200}>[ ]                             # PowerShell's,
      | \[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d                     # a line of a log,
      | \[?\d\d:\d\d:\d\d(?:[.,]\d+|\]|[ ]+\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b)
      | \[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)(?:[\]:][ ]|[ ]\$)
      | [\w./-]+:[ ](?:line[ ]\d+:[ ])?\$\S+:[ ]                     # a shell that complains,
      | \|[^\n]*\|[ \t]*$                                           # a row of a table
    )"""
)
TRACE = "Traceback (most recent call last):"
# What may open a span inside a line. A backslash escapes the next character.
OPENERS = frozenset('\\`"“”„«»‹›‘‚「｢『《〈〝＂<[({')


def with_line_feeds(text: str) -> str:
    """Return a text of the same length in which every line ends in a line feed."""
    if text.isascii() and not ("\r" in text or "\x0b" in text or "\x0c" in text):
        return text
    return text.replace("\r\n", " \n").translate(LINE_ENDS)


def quoted_spans(text: str) -> list[Span]:
    """Return the spans of a text that are somebody else's words, in order; they never overlap."""
    lines = list(_line_spans(text))
    rest = blanked(text, lines)
    if not _may_open(rest):
        return lines
    from rcs_hooks.workflow.tokens.inline_spans import inline_spans

    return sorted([*lines, *inline_spans(rest)])


def blanked(text: str, spans: list[Span], fill: str = " ") -> str:
    """Return a text in which these spans, in order, are filled with `fill`; all positions stay the same."""
    pieces: list[str] = []
    at = 0
    for start, end, _ in spans:
        pieces += (text[at:start], fill * (end - start))
        at = end
    return "".join((*pieces, text[at:]))


def _line_spans(text: str) -> Iterator[Span]:  # noqa: PLR0912 - one branch for each kind of line
    fence = ""
    after_blank = in_indented = in_diff = in_trace = is_text = ends_at_blank = False
    at = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        start, at = at, at + len(line) + 1
        end = start + len(line)
        bare = line.strip()
        if is_text and (bare or not ends_at_blank):
            yield Span(start, end, "a text to work on")
            continue
        is_text = False
        if fence:
            yield Span(start, end, "fenced code")
            if bare.startswith(fence) and not bare.strip(fence[0]):
                fence = ""
        elif in_trace := bare == TRACE or (in_trace and line[:1] in (" ", "\t")):
            yield Span(start, end, "pasted output")
        elif in_diff := _starts_diff(text, line, start) or (in_diff and IN_DIFF.match(line) is not None):
            yield Span(start, end, "a diff")
        elif not bare:
            after_blank = True
            continue
        elif fenced := FENCE.match(line) if "```" in line or "~~~" in line else None:
            fence = fenced["fence"]
            yield Span(start, end, "fenced code")
        elif ">" in line and BLOCK_QUOTE.match(line):
            yield Span(start, end, "a block quote")
        elif (after_blank or in_indented) and INDENTED.match(line):
            in_indented = True
            yield Span(start, end, "indented code")
            continue
        elif bare[0] == "#" and HEADING.match(line):
            yield Span(start, end, "a heading")
        elif bare.startswith(("[rcs]", "rcs:")) and OURS.match(line):
            yield Span(start, end, "a line of rcs")
        elif (bare[0] in SPEAKER_SIGNS or ":" in bare[:LONGEST_SPEAKER]) and SPEAKER.match(line):
            yield Span(start, end, "a transcript")
        elif _may_be_pasted(line, bare) and PASTED.match(line):
            yield Span(start, end, "pasted output")
        elif "$" in line and is_code(line):
            yield Span(start, end, "pasted code")
        elif "$" in line and (what := part_of(lines, number)):
            yield Span(start, end, what)
        elif ":" in line and (text_at := text_start(line)):
            is_text, ends_at_blank = True, text_at < len(line.rstrip())
            yield Span(start + text_at, end, "a text to work on")
        elif "$" in line and (logged := log_end(line)):
            yield Span(start, start + logged, "pasted output")
        after_blank = in_indented = False


def _starts_diff(text: str, line: str, start: int) -> bool:
    """Tell whether the line at `start` is one with which a diff begins."""
    return line.startswith(DIFF_STARTS) and DIFF.match(text, start) is not None


def _may_be_pasted(line: str, bare: str) -> bool:
    """Tell whether `PASTED` may match: it wants a name with an at sign, a level in capitals, or a certain beginning."""
    first = bare.partition(" ")[0]
    begins = (
        bare[0] in "[|" or bare[0].isdecimal() or bare.startswith("In [") or first in ("$", "%") or first[-1] == ":"
    )
    return begins or "@" in line or bare[1:2].isupper()


def _may_open(text: str) -> bool:
    """Tell whether a text has more than apostrophes of the marks that may open a span."""
    is_apart = any(not (piece[-1:].isalnum() or piece[-1:] == "_") for piece in text.split("'")[:-1])
    return is_apart or not OPENERS.isdisjoint(text) or "://" in text
