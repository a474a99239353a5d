"""Sentences with commands in them, in lines."""

from __future__ import annotations

from rcs_hooks.terminal import prose
from tests.table import each_row


@each_row(("text", "lines"), [
    ("It would not work yet.", ["It would not work", "yet."]),
    ("Nothing is here. To do: rcs setup --skills", ["Nothing is here. To", "do:", "rcs setup --skills"]),
    ("type `pytest -q tests/a.py` in it", ["type", "`pytest -q tests/a.py`", "in it"]),
    ("first: rcs uninstall, then another way", ["first: rcs uninstall,", "then another way"]),
    ("type: $forge fix the failing test", ["type:", "$forge fix the failing test"]),
])  # fmt: skip
def test_a_line_ends_at_a_blank_and_never_in_a_command(text: str, lines: list[str]) -> None:
    assert prose.lines(text, 21) == lines


def test_without_a_width_a_text_is_one_line() -> None:
    assert prose.lines("a text  of `two words` and more", None) == ["a text  of `two words` and more"]


@each_row(("text", "lines"), [
    ("type `go on there` in it", ["type", "`go on there` in", "it"]),
    ("type `go on there and here` now", ["type `go on", "there and here`", "now"]),
    ("it`s a `no mark", ["it`s a `no mark"]),
])  # fmt: skip
def test_what_is_between_backticks_stays_on_a_line_that_has_room_for_it(text: str, lines: list[str]) -> None:
    assert prose.wrapped_around_code(text, 16) == lines
