"""A prompt in plain words needs no pattern: what is found without one is what the pattern would find."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.workflow.tokens import (
    clause,
    code_lines,
    directed,
    inline_spans,
    neighbours,
    pasted_lines,
    quoted_spans,
    scan,
)
from tests.properties import examples

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN = re.compile(r"\$([A-Za-z][A-Za-z0-9-]*(?::[A-Za-z0-9-]+)*)")
PIECES = (
    *"$:-_.,;!?'/@|#>`~\"()[]{}<*+=\\%1²éΣ中。\x1a\x1c\x1e\x0b\r\n\t \x85\u2028\ufffc",
    "$team", "$x:y", "$a::b", "fix it", "don't", "a/b.py", "v1.2", "user:", "ERROR", "[WARN]", "PS C:\\x> ", "a@b:~$ ",
    "12:30:11 ", "2026-01-02 10:11 ", "In [3]: ", "rcs: ", "[rcs] ", "⏺ ", "diff --git ", "@@ -1 @@", "--- a\n+++ b",
    "```", "~~~", "    ", "SELECT ", " FROM ", "error: ", "cat ", "color:", "://", "• ", "10. ", "- [ ] ",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def by_pattern(text: str) -> list[str]:
    return ["\x1a" if match[0][0] == "@" else match[0].lower() for match in clause.ITEMS.finditer(text)]


@given(TEXTS)
@examples(4000)
def test_the_items_of_any_text_are_those_of_the_pattern(text: str) -> None:
    assert clause.split_items(text) == by_pattern(text)


@given(TEXTS)
@examples(4000)
def test_the_tokens_of_any_text_are_those_of_the_pattern(text: str) -> None:
    assert list(scan._places(text)) == [match.span() for match in TOKEN.finditer(text)]


@given(TEXTS)
@examples(4000)
def test_what_may_follow_a_token_is_what_the_pattern_says(text: str) -> None:
    says = neighbours.AFTER.match(text) is not None or clause.is_cjk(text[:1])
    assert neighbours._is_free_after(text, 0) is says


@given(TEXTS, TEXTS)
@examples(4000)
def test_a_token_that_stands_free_is_one(before: str, after: str) -> None:
    text, start = f"{before}$team{after}", len(before)
    found = neighbours.why_not_a_token(text, start, start + 5, "team", has_operator=False, has_equals=False)
    assert not scan._stands_free(text, start, start + 5) or found is None


def bare(line: str) -> str:
    return line.strip()


def may_be_speaker(line: str) -> bool:
    return bare(line)[0] in quoted_spans.SPEAKER_SIGNS or ":" in bare(line)[: quoted_spans.LONGEST_SPEAKER]


GATES: dict[str, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "a diff": (quoted_spans.DIFF, lambda line: line.startswith(quoted_spans.DIFF_STARTS)),
    "a fence": (quoted_spans.FENCE, lambda line: "```" in line or "~~~" in line),
    "a block quote": (quoted_spans.BLOCK_QUOTE, lambda line: ">" in line),
    "a heading": (quoted_spans.HEADING, lambda line: bare(line)[:1] == "#"),
    "a line of rcs": (quoted_spans.OURS, lambda line: bare(line).startswith(("[rcs]", "rcs:"))),
    "a speaker": (quoted_spans.SPEAKER, may_be_speaker),
    "a pasted line": (quoted_spans.PASTED, lambda line: quoted_spans._may_be_pasted(line, bare(line))),
    "a label": (directed.LABEL, directed._may_be_label),
    "a marker": (clause.MARKER, lambda line: clause._marker(line) is not None),
}


@given(TEXTS)
@examples(4000)
def test_any_line_that_a_pattern_matches_has_its_sign(text: str) -> None:
    for line in text.split("\n"):
        assert [name for name, (pattern, gate) in GATES.items() if pattern.match(line) and not gate(line)] == []


@given(TEXTS)
@examples(4000)
def test_any_line_of_code_has_its_sign(text: str) -> None:
    """The signs that were asked for before: the pattern alone would match more."""
    for line in text.split("\n"):
        is_code = not frozenset("{};=@(:+-").isdisjoint(line) and code_lines.CODE.match(line) is not None
        assert pasted_lines.is_code(line) == is_code


@given(TEXTS)
@examples(4000)
def test_a_text_that_opens_nothing_has_no_span(text: str) -> None:
    if not quoted_spans._may_open(text):
        openers = [match for match in inline_spans.OPENER.finditer(text) if match[0] != "'"]
        assert not openers and not any(inline_spans.opens(text, at, "'") for at, char in enumerate(text) if char == "'")
