"""How many cells a text takes, and how it is wrapped."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from typing import TextIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.terminal import width
from rcs_hooks.terminal.width import cells, cut, wrapped
from tests.table import each_row


@each_row(("text", "count"), [
    ("forge", 5),
    ("cafe\u0301", 4),
    ("漢字", 4),
    ("ｆｕｌｌ", 8),
    ("a\u200db", 2),
    ("👨\u200d👩\u200d👧\u200d👦", 2),
    ("👩🏽\u200d💻 ok", 5),
    ("🏳\ufe0f\u200d🌈", 2),
    ("👨\u200d👩👨\u200d👩", 4),
])  # fmt: skip
def test_cells(text: str, count: int) -> None:
    assert cells(text) == count


@each_row(("text", "columns", "lines"), [
    ("   ", 10, []),
    ("one two", 7, ["one two"]),
    ("one two", 6, ["one", "two"]),
    ("one two three", 8, ["one two", "three"]),
    ("see /home/ada/projects/ledger now", 10, ["see", "/home/ada/projects/ledger", "now"]),
    ("漢字漢字", 5, ["漢字", "漢字"]),
    ("漢字 is kanji", 8, ["漢字 is", "kanji"]),
])  # fmt: skip
def test_lines_are_broken_at_blanks_alone(text: str, columns: int, lines: list[str]) -> None:
    assert wrapped(text, columns) == lines


@given(st.text("ab /漢e\u0301👍-", max_size=40), st.integers(1, 30))
def test_wrapping_loses_nothing_and_only_a_word_is_too_wide(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join(lines).replace(" ", "") == "".join(text.split())
    assert all(cells(line) <= columns or " " not in line for line in lines)
    widest_word = max(map(cells, wrapped(text, 1)), default=0)
    assert all(cells(line) <= max(columns, widest_word) for line in lines)


@each_row(("text", "columns", "shown"), [
    ("forge", 5, "forge"),
    ("forge", 4, "for…"),
    ("a forge", 3, "a…"),
    ("漢字漢字", 5, "漢字…"),
    ("forge", 1, "…"),
])  # fmt: skip
def test_what_is_cut_says_so(text: str, columns: int, shown: str) -> None:
    assert cut(text, columns) == shown


# --- the terminal


@pytest.fixture
def terminal() -> Iterator[TextIO]:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 123, 0, 0))
    with os.fdopen(follower, "w") as stream:
        yield stream
    os.close(leader)


@each_row(("env", "columns"), [
    ({}, 123),
    ({"COLUMNS": "44"}, 44),
    ({"COLUMNS": "1"}, 20),
    ({"COLUMNS": "9999"}, 1000),
    ({"COLUMNS": "many"}, 123),
])  # fmt: skip
def test_the_columns_of_a_terminal(env: dict[str, str], columns: int, terminal: TextIO) -> None:
    assert width.of(terminal, env) == columns


def test_what_is_no_terminal_has_no_width() -> None:
    with open(os.devnull, "w") as stream:
        assert width.of(stream, {"COLUMNS": "80"}) is None
    assert width.of(None, {}) is None
