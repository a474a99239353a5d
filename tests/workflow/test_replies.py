"""Which option of a question a reply names."""

from __future__ import annotations

import pytest

from rcs_hooks.workflow.replies import option_meant

DATABASES = ("Postgres", "SQLite", "an SQL dump")
BY_NUMBER = ("1 bug only", "2 both", "none")
AT_ODDS = ("2 days", "1 day")

ROWS = [
    (DATABASES, "1", "Postgres"),
    (DATABASES, "2.", "SQLite"),
    (DATABASES, "(3)", "an SQL dump"),
    (DATABASES, "#2", "SQLite"),
    (DATABASES, "p", "Postgres"),
    (DATABASES, "POST", "Postgres"),
    (DATABASES, "postgres!", "Postgres"),
    (DATABASES, ' "SQLite" ', "SQLite"),
    (DATABASES, "an  sql", "an SQL dump"),
    (DATABASES, "Postgres, please", None),
    (DATABASES, "4", None),
    (DATABASES, "0", None),
    (DATABASES, "-1", None),
    (DATABASES, "²", None),
    (DATABASES, "", None),
    (DATABASES, "?", None),
    (DATABASES, "neither", None),
    (("Yes", "Yes, later", "No"), "y", None),
    (("Yes", "Yes, later", "No"), "yes", "Yes"),
    (("Yes", "Yes, later", "No"), "yes,", "Yes"),
    (BY_NUMBER, "1", "1 bug only"),
    (BY_NUMBER, "2 b", "2 both"),
    (("8", "16", "2"), "2", "2"),
    (("16", "32"), "1", "16"),
    (AT_ODDS, "1", None),
    (AT_ODDS, "1 d", "1 day"),
    (("same", "same"), "s", "same"),
    ((), "1", None),
]


@pytest.mark.parametrize(("options", "words", "meant"), ROWS, ids=[f"{row[1]!r} of {row[0]}" for row in ROWS])
def test_a_reply_names_an_option_only_where_nothing_else_could_be_meant(
    options: tuple[str, ...], words: str, meant: str | None
) -> None:
    assert option_meant(options, words) == meant
