"""The arrays in which rows are sent come back as the values that they were made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.share.writer import columns

if TYPE_CHECKING:
    from tests.share.conftest import Database

TEXTS = ["", "null", "NULL", "Null", "plain", 'a "quote"', "back\\slash", '\\"', "{}", '{"a":1}', "a,b"]
TEXTS += [" blank ", "a\nb", "naïve", "日本", "🙂", "'"]
NUMBERS = [0, -1, 2**53, None]
TRUTHS = [True, False, None]


def test_an_array_is_read_as_what_it_was_made_of(database: Database) -> None:
    with database.connect() as sql:
        for kind, values in (("text", [*TEXTS, None]), ("bigint", NUMBERS), ("bool", TRUTHS)):
            (array,) = columns([(value,) for value in values])
            ((found,),) = sql.execute(f"SELECT %s::{kind}[]".encode(), (array,)).fetchall()
            assert found == values
