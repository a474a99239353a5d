"""The small subset of YAML that the metadata of a SKILL.md is read by."""

from __future__ import annotations

from rcs_hooks.modes.front_matter import Value, read
from tests.table import each_row

SCALARS = {
    "plain": ("execution", "execution"),
    "a comment": ("a # b", "a"),
    "double marks": ('"a: # b"', "a: # b"),
    "an escaped mark": ('"a\\"b\\\\c"', 'a"b\\c'),
    "single marks": ("'a: # b'", "a: # b"),
    "a doubled mark": ("'a''b'", "a'b"),
    "a backslash in single marks": ("'a\\b'", "a\\b"),
    "a comment behind marks": ("'a' # b", "a"),
}
"""What is written after the colon, and the text that is read."""


@each_row("case", SCALARS)
def test_a_value_on_one_line(case: str) -> None:
    written, text = SCALARS[case]
    found = read(f"---\nname: x\nmetadata:\n  rcs-x: {written}\n---\n", "f")
    assert (found.metadata, found.faults) == ({"rcs-x": Value(text, 4)}, ())


UNREAD = ("{a: b}", "[a]", ">", "- a", "-", "&a x", "*a", "!!str x", "%a", "@a", "`a`", "a:", "a: b", "'a'b", "'a''",
          '"a\\', '"\\n"', "' '", "", "# a")  # fmt: skip
"""Values that are not one line of text."""
LINES = {
    "metadata: {rcs-x: a}": 2,
    "rcs-x: a": 2,
    "metadata:\n\trcs-x: a": 3,
    "metadata:\n  a: b\n    rcs-x: a": 4,
    "metadata:\n  rcs-x:a": 3,
    "metadata:\n  rcs-x a": 3,
    "metadata:\n  rcs-y: a\n  - b": 4,
    "metadata:\n  rcs-y: a\n- b": 4,
    "metadata:\n  rcs-y: a\n    b": 4,
}
"""Lines that are not written as a key is, and the number of the one at fault."""


@each_row(("text", "line"), [*LINES.items(), *((f"metadata:\n  rcs-x: {value}", 3) for value in UNREAD)])
def test_what_is_not_read_is_one_sentence(text: str, line: int) -> None:
    found = read(f"---\n{text}\n---\n", "f")
    assert "rcs-x" not in found.metadata
    (fault,) = found.faults
    words = "this line is not read; write `rcs-KEY: VALUE`, on one line and indented, below `metadata:`"
    assert fault.sentence == f"f:{line}: {words}"


NAMES = {
    "name: release": "release",
    "name: 'release'": "release",
    'name: "release" # it': "release",
    "'name': release": "release",
    '"name": release': "release",
    "name: [release]": None,
    "name:": None,
    "name: one\nname: two": "one",
}


@each_row("written", NAMES)
def test_the_name_of_the_skill(written: str) -> None:
    found = read(f"---\n{written}\n---\nname: elsewhere\n", "f")
    name = NAMES[written]
    assert (found.name, found.faults) == (Value(name, 2) if name else None, ())


def test_only_what_is_between_the_first_lines_is_read() -> None:
    for text in ("", "\n---\nname: x\n---\n", "name: x\n---\n", "# x\n---\nname: x\n---\n", "----\nname: x\n---\n"):
        assert read(text, "f") == (None, {}, ())
    assert read("\ufeff--- \r\nname: x\r\n---\r\n", "f").name == Value("x", 2)


def test_the_keys_of_others_are_passed_over_whatever_they_hold() -> None:
    theirs = "short: {a: [b\n  \tdeep: x\n  - list\n    more: |\n      rcs: no\n  end: 'open\n"
    ours = "  # ours\n  'rcs-kind': planning # it\r\n"
    found = read(f"---\ndescription: >\n  rcs-kind: no\nmetadata:\n  {theirs}{ours}---\n", "f")
    assert (found.metadata, found.faults) == ({"rcs-kind": Value("planning", 12)}, ())


def test_a_front_matter_has_at_most_500_lines() -> None:
    blank = "\n" * 497
    assert read(f"---\nname: x{blank}\n---\n", "f").faults == ()
    text = f"---\nmetadata:\n  rcs-kind: planning\n{blank}---\n"
    assert [fault.line for fault in read(text, "f").faults] == [1]
