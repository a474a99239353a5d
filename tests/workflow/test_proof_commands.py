"""The command that a run is told to prove itself by: whatever a record says, it can be pasted and means the same."""

from __future__ import annotations

import shlex

from rcs_hooks.mode_def import EXECUTION, ModeDef
from rcs_hooks.workflow.commands import Commands, pasteable, proving
from rcs_hooks.workflow.messages.next_step import outcomes, ways
from rcs_hooks.workflow.mode_record import ModeRecord
from rcs_hooks.workflow.next_step import NextStep, next_step
from tests.table import each_row

COMMANDS = Commands("rcs", "s1")


@each_row(
    ("line", "shown"),
    [
        ("pytest -q", "pytest -q"),
        ("sh -c 'pytest -q && ruff check .'", "sh -c 'pytest -q && ruff check .'"),
        ("pytest -k 'a b'", "pytest -k 'a b'"),
        ("""'it'"'"'s'""", """'it'"'"'s'"""),
        # what only a shell can read
        ("pytest -q && ruff check .", "sh -c 'pytest -q && ruff check .'"),
        ("A=1 pytest", "sh -c 'A=1 pytest'"),
        ('echo "$HOME"', "sh -c 'echo \"$HOME\"'"),
        ("make %x", "sh -c 'make %x'"),
        ("echo 'é'", "echo 'é'"),
        ("écho", "sh -c 'écho'"),
        ("echo 'a", """sh -c 'echo '"'"'a'"""),
        ('echo "it\'s" $(id) "he\'s"', """sh -c 'echo "it'"'"'s" $(id) "he'"'"'s"'"""),
        # what cannot be shown whole
        ("x" * 100, "x" * 100),
        ("x" * 101, "COMMAND"),
        ("pytest\n-q", "COMMAND"),
        ("pytest\ufffd-q", "COMMAND"),
        ("pytest \u202e", "COMMAND"),
        ("", "COMMAND"),
    ],
)
def test_the_command_of_a_proof_can_be_pasted(line: str, shown: str) -> None:
    assert pasteable(line) == shown


@each_row("argv", [["pytest", "-q"], ["sh", "-c", "a && b"], ["echo", "it's", 'a "b"', "$HOME", "é x", ""]])
def test_the_words_of_a_proof_are_the_same_when_they_are_pasted(argv: list[str]) -> None:
    once = pasteable(shlex.join(argv))
    assert shlex.split(once) == argv
    assert pasteable(once) == once, "nor does it grow with each proof"


# a record, the words after `--` (empty: none), the folder that is named
@each_row(
    ("fields", "command", "folder"),
    [
        ({}, "COMMAND", ""),
        ({"command": "make check"}, "make check", ""),
        ({"command": "make\ncheck"}, "COMMAND", ""),
        ({"command": "make check", "folder": "sub"}, "make check", "sub"),
        ({"command": "make check", "folder": "a-b/été_1.0"}, "make check", "a-b/été_1.0"),
        ({"command": "make check", "folder": "x" * 60}, "make check", "x" * 60),
        # elsewhere the command would be another one, so none is offered where the folder cannot be told
        ({"command": "make check", "folder": "x" * 61}, "COMMAND", ""),
        ({"command": "make check", "folder": "../other"}, "COMMAND", ""),
        ({"command": "make check", "folder": "a/../b"}, "COMMAND", ""),
        ({"command": "make check", "folder": "/etc"}, "COMMAND", ""),
        ({"command": "make check", "folder": "-x"}, "COMMAND", ""),
        ({"command": "make check", "folder": " sub"}, "COMMAND", ""),
        ({"command": "make check", "folder": ["sub"]}, "make check", ""),
    ],
)
def test_the_command_of_a_proof_is_offered_with_its_folder(
    fields: dict[str, object], command: str, folder: str
) -> None:
    record = ModeRecord({"proof": PROOF | fields} if fields else {})
    assert proving(record) == (command, folder)
    assert proving(record.with_fields({"proof_named": True})) == ("", ""), "the settings go first"


@each_row("value", [1, "true", "", [True], {"is": True}, None, False, 10**400])
def test_anything_else_in_its_place_says_nothing_of_the_settings(value: object) -> None:
    assert proving(ModeRecord({"proof_named": value})) == ("COMMAND", "")


# --- the line about the end


def step(edges: tuple[tuple[str, str, str], ...], **fields: object) -> NextStep:
    mode = ModeDef("release", EXECUTION, ("release",), first_phase="a", states={"a": "", "b": ""}, edges=edges)
    return next_step(mode, ModeRecord({"active": True, "current_phase": "b"} | fields), COMMANDS)


PROOF = {"command": "make check", "exit": 1, "seconds": 1.0, "at": "2026-01-01T00:00:00Z", "tree": ""}
END = ("b", "", "all_green")
BACK = ("b", "a", "not_yet")


def test_a_run_that_has_a_proof_is_told_the_same_command() -> None:
    assert ways([step((END,), proof=PROOF)]).forms[0] == (
        "all green: rcs prove --finish --mode release --session s1 -- make check"
    )


def test_where_the_command_ran_in_another_folder_the_way_says_so() -> None:
    assert ways([step((END,), proof=PROOF | {"folder": "sub"})]).forms == (
        "all green (in sub/): rcs prove --finish --mode release --session s1 -- make check",
        "all green: rcs prove --finish --mode release --session s1 -- COMMAND",
    )


def test_where_the_settings_name_the_command_none_is_offered() -> None:
    named = step((BACK, END), proof=PROOF, proof_named=True)
    assert ways([named]).forms == (
        "not yet: rcs state write --mode release --phase a --session s1\n"
        "all green (the settings name the command): rcs prove --finish --mode release --session s1",
        "all green (the settings name the command): rcs prove --finish --mode release --session s1\n"
        "not yet: state write --phase a, rest as above",
    )


def test_the_line_about_the_end_tells_planning_from_execution() -> None:
    from rcs_hooks.catalog import MODES

    steps = [
        next_step(MODES[mode], ModeRecord({"active": True, "current_phase": phase}), COMMANDS)
        for mode, phase in (("blueprint", "planning"), ("ultrawork", "planning"))
    ]
    assert outcomes(steps).forms[-1] == (
        "It ends by `prove --finish` (ultrawork, from verifying), or --outcome finished (blueprint, from reviewing),"
        " blocked, failed or userinterlude."
    )
