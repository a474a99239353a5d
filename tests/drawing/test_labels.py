"""Text of others on a terminal: one line, bounded, and nothing that moves a cursor."""

from __future__ import annotations

from rcs_hooks.drawing.labels import LONGEST, is_in_box, shown
from rcs_hooks.drawing.listing import as_text
from rcs_hooks.machine.graph import Machine
from rcs_hooks.terminal.width import cells
from tests.table import each_row

ESCAPES = "x\x1b[31mred\x07"


@each_row(
    "text, line",
    [
        ("go on", "go on"),
        (None, ""),
        ("one<br/>two<br>three\\nfour", "one two three four"),
        (ESCAPES, "x [31mred"),
        ("right\u202eleft\u200b", "right left"),
        ("a" * LONGEST, "a" * LONGEST),
        ("a" * LONGEST * 9, "a" * (LONGEST - 1) + "…"),
        ("計" * LONGEST, "計" * ((LONGEST - 1) // 2) + "…"),
    ],
    ids=str,
)
def test_a_label_is_one_line_without_control_characters(text: str | None, line: str) -> None:
    assert shown(text) == line
    assert cells(line) <= LONGEST


def test_the_list_of_steps_moves_no_cursor() -> None:
    machine = Machine(ESCAPES, ESCAPES, ["a", "b"], {"a": ESCAPES}, ["a"], ["b"], [("a", "b", ESCAPES)], {"b": ESCAPES})
    assert all(line.isprintable() for line in as_text(machine).split("\n"))


@each_row("label, is_there", [("Look first", True), ("", False), ("a", False), ("x" * 24, True), ("x" * 25, False)])
def test_a_short_label_that_is_not_the_id_stands_in_the_box(label: str, is_there: bool) -> None:
    assert is_in_box(Machine("m", "", ["a"], {"a": label}, ["a"], [], []), "a") == is_there
