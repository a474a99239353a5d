"""The list of steps: text of others is one line, bounded, and moves no cursor."""

from __future__ import annotations

from rcs_hooks.drawing.listing import LONGEST_LABEL, as_text
from rcs_hooks.machine.graph import Machine
from tests.table import each_row

ESCAPES = "x\x1b[31mred\x07"


@each_row(
    "text, line",
    [
        ("go on", "go on"),
        ("one<br/>two<br>three\\nfour", "one two three four"),
        (ESCAPES, "x [31mred"),
        ("right\u202eleft\u200b", "right left"),
        ("a" * LONGEST_LABEL, "a" * LONGEST_LABEL),
        ("計" * LONGEST_LABEL, "計" * ((LONGEST_LABEL - 1) // 2) + "…"),
    ],
    ids=str,
)
def test_a_label_is_one_line_without_control_characters(text: str, line: str) -> None:
    listed = as_text(Machine("m", "", ["a", "b"], {"b": text}, ["a"], ["b"], [("a", "b", text)]))
    assert listed.splitlines() == ["m", "  a  (start)", f"    -> b : {line}", f"  b  ({line})", "    -> end"]


def test_the_list_of_steps_moves_no_cursor() -> None:
    machine = Machine(ESCAPES, ESCAPES, ["a", "b"], {"a": ESCAPES}, ["a"], ["b"], [("a", "b", ESCAPES)], {"b": ESCAPES})
    assert all(line.isprintable() for line in as_text(machine).split("\n"))
