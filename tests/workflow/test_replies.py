"""Which option of a question a reply names."""

from __future__ import annotations

from rcs_hooks.workflow.replies import is_command, match_option
from tests.table import each_row

DATABASES = ("Postgres", "SQLite", "an SQL dump")
BY_NUMBER = ("1 bug only", "2 both", "none")
AT_ODDS = ("2 days", "1 day")

ROWS = [
    (DATABASES, "1", "Postgres"),
    (DATABASES, "2.", "SQLite"),
    (DATABASES, "#2", "SQLite"),
    (DATABASES, "p", "Postgres"),
    (DATABASES, "POST", "Postgres"),
    (DATABASES, ' "SQLite" ', "SQLite"),
    (DATABASES, "an  sql", "an SQL dump"),
    (DATABASES, "Postgres, please", None),
    (DATABASES, "4", None),
    (DATABASES, "0", None),
    (DATABASES, "²", None),
    (DATABASES, "", None),
    (DATABASES, "?", None),
    (("Yes", "Yes, later", "No"), "y", None),
    (("Yes", "Yes, later", "No"), "yes", "Yes"),
    (BY_NUMBER, "1", "1 bug only"),
    (BY_NUMBER, "2 b", "2 both"),
    (("8", "16", "2"), "2", "2"),
    (("16", "32"), "1", "16"),
    (AT_ODDS, "1", None),
    (AT_ODDS, "1 d", "1 day"),
    (("same", "same"), "s", "same"),
    ((), "1", None),
    (("node", "deno"), "No!", None),
    (("okapi", "lion"), "ok", None),
    (("Yes, drop it", "No, keep it"), "no", "No, keep it"),
    (("now", "never"), "Non", None),
    (("síntesis", "análisis"), "sí", None),
    (("janus", "vim"), "ja", None),
    (("okay", "later"), "ok", "okay"),
    (DATABASES, "2 please", "SQLite"),
    (DATABASES, "option 2", "SQLite"),
    (DATABASES, "Option #3 please", "an SQL dump"),
    (DATABASES, "option 4", None),
    (DATABASES, "not 2", None),
    (DATABASES, "2 of them", None),
    (("option 2", "option 1"), "option 2", "option 2"),
]


@each_row(
    ("prompt", "is_one"),
    [
        ("/model opus", True),
        ("/my-command_2\nwith words", True),
        ("/etc/hosts is fine", False),
        ("/", False),
        ("use /model", False),
        ("/a.txt please", False),
    ],
)
def test_a_command_of_the_client_is_a_slash_and_one_word(prompt: str, is_one: bool) -> None:
    assert is_command(prompt) is is_one


@each_row(("options", "words", "meant"), ROWS, ids=[f"{row[1]!r} of {row[0]}" for row in ROWS])
def test_a_reply_names_an_option_only_where_nothing_else_could_be_meant(
    options: tuple[str, ...], words: str, meant: str | None
) -> None:
    assert match_option(options, words) == meant
