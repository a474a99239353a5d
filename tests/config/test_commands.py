"""Which command is the one that the settings name."""

from __future__ import annotations

import shlex

from rcs_hooks.config import ProofSettings, proves, proves_text, seconds_of
from tests.table import each_row

PROVES: list[tuple[str | None, list[list[str]]]] = [
    (None, [["true"], []]),
    ("pytest -q", [["pytest", "-q"], ["sh", "-c", "pytest -q"], ["/bin/sh", "-c", "pytest -q"]]),
    ("pytest  -q", [["pytest", "-q"]]),
    ("pytest -k 'a && b'", [["pytest", "-k", "a && b"]]),
    ("make a && make b", [["sh", "-c", "make a && make b"]]),
    ("make A=b", [["make", "A=b"]]),
]
FOR_A_SHELL = (
    *("make a && make b", "make a; make b", "make $WHAT", "make `what`", "make *.c", "make > log", "make ~/a"),
    *("! make", "A=b make", "make 'a", 'make "a'),
)
OTHERS: list[tuple[str, list[list[str]]]] = [
    ("pytest -q", [["true"], [], ["pytest"], ["pytest", "-q", "tests/one.py"], ["pytest -q"]]),
    ("pytest -q", [["sh", "-c", "pytest -q; true"], ["sh", "-c", "pytest  -q"], ["sh", "-c", "pytest -q", "x"]]),
    ("pytest -q", [["sh", "-ec", "pytest -q"], ["bash", "-c", "pytest -q"], ["./sh", "-c", "pytest -q"]]),
    *((line, [line.split()]) for line in ("make a && make b", "make a; make b", "make $WHAT", "make `what`")),
    *((line, [line.split()]) for line in FOR_A_SHELL),
    *(('make "$WHAT"', [["make", "$WHAT"]]), ("make \\a", [["make", "a"]]), ("make # all", [["make"]])),
]


@each_row(
    ("command", "argv", "expected"),
    [
        *((command, argv, True) for command, rows in PROVES for argv in rows),
        *((command, argv, False) for command, rows in OTHERS for argv in rows),
    ],
)
def test_the_command_that_is_named_proves_and_no_other(command: str | None, argv: list[str], expected: bool) -> None:
    settings = ProofSettings(command)
    assert proves(settings, argv) is expected
    assert proves_text(settings, shlex.join(argv)) is (
        expected or (command == shlex.join(argv) and command is not None)
    )


@each_row(
    ("command", "text", "expected"),
    [
        (None, "anything '", True),
        ("make a && make b", "make a && make b", True),
        ("make a && make b", "make a '&&' make b", False),
        ("pytest -q", "pytest '-q'", True),
        ("pytest -q", "pytest -q '", False),
        ("pytest -q", "", False),
    ],
)
def test_a_command_that_was_kept_as_text_is_read_as_a_shell_does(
    command: str | None, text: str, expected: bool
) -> None:
    assert proves_text(ProofSettings(command), text) is expected


@each_row(
    ("text", "seconds"),
    [
        *[("1", 1.0), ("90", 90.0), ("90s", 90.0), ("30m", 1800.0), ("2h", 7200.0), ("1.5h", 5400.0), ("24h", 86400.0)],
        *(
            (text, None)
            for text in ("", "0", "0.5", "24.1h", "-1", "+1", "1 m", "1d", "m", ".", "1e3", "nan", "٣", "1_0")
        ),
        ("9" * 400, None),
    ],
)
def test_a_length_of_time_is_seconds_minutes_or_hours(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds
