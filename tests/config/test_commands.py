"""Which command is the one that the settings name."""

from __future__ import annotations

import shlex

from rcs_hooks.config import ProofSettings, proves, proves_text, seconds_of
from tests.table import each_row


@each_row(
    ("command", "argv", "expected"),
    [
        (None, ["true"], True),
        (None, [], True),
        ("pytest -q", ["pytest", "-q"], True),
        ("pytest  -q", ["pytest", "-q"], True),
        ("pytest -q", ["sh", "-c", "pytest -q"], True),
        ("pytest -q", ["/bin/sh", "-c", "pytest -q"], True),
        ("pytest -k 'a b'", ["pytest", "-k", "a b"], True),
        ('pytest -k "a b"', ["pytest", "-k", "a b"], True),
        ("pytest -k 'a && b'", ["pytest", "-k", "a && b"], True),
        ("make a && make b", ["sh", "-c", "make a && make b"], True),
        ("pytest -q", ["true"], False),
        ("pytest -q", [], False),
        ("pytest -q", ["pytest"], False),
        ("pytest -q", ["pytest", "-q", "tests/one.py"], False),
        ("pytest -q", ["pytest -q"], False),
        ("pytest -q", ["sh", "-c", "pytest -q; true"], False),
        ("pytest -q", ["sh", "-c", "pytest  -q"], False),
        ("pytest -q", ["sh", "-c", "pytest -q", "x"], False),
        ("pytest -q", ["sh", "-ec", "pytest -q"], False),
        ("pytest -q", ["bash", "-c", "pytest -q"], False),
        ("pytest -q", ["./sh", "-c", "pytest -q"], False),
        ("make a && make b", ["make", "a", "&&", "make", "b"], False),
        ("make a; make b", ["make", "a;", "make", "b"], False),
        ("make $WHAT", ["make", "$WHAT"], False),
        ('make "$WHAT"', ["make", "$WHAT"], False),
        ("make `what`", ["make", "`what`"], False),
        ("make *.c", ["make", "*.c"], False),
        ("make > log", ["make", ">", "log"], False),
        ("make \\a", ["make", "a"], False),
        ("make # all", ["make"], False),
        ("make ~/a", ["make", "~/a"], False),
        ("! make", ["!", "make"], False),
        ("A=b make", ["A=b", "make"], False),
        ("make A=b", ["make", "A=b"], True),
        ("make 'a", ["make", "'a"], False),
        ('make "a', ["make", '"a'], False),
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
