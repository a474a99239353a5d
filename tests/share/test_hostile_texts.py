"""Text of any origin in every column of the shared database stays text, and comes back as it was."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from rcs_hooks.share import connecting, sql
from rcs_hooks.share.errors import DATA, ShareError
from tests.share.conftest import Database
from tests.share.rows import TABLES, add_batch, fill, insert, owned

HOSTILE = (
    "'; DROP TABLE rcs.runs; --",
    "'); DELETE FROM rcs.machines; --",
    "$$; DROP SCHEMA rcs CASCADE; $$",
    "\\'; SELECT pg_sleep(100); --",
    'x" OR "1"="1',
    "%s %(name)s %% %b {0} {name}",
    ":name $1 ?",
    "\\x00 \\u0000 \\N \\. E'\\047'",
    '{1,2,"3"}',
    '{"a": {"b": null}}',
    "<script>alert(1)</script>",
    "\x1b]0;title\x07\x1b[2J",
    "a\nb\r\n\tc",
    "\u202etxt.exe\u2066",
    "\U0001f600\u0301\ufeff\uffff",
    "",
    "x" * 100_000,
)
TEXTS = """SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = 'rcs' AND data_type = 'text' ORDER BY 1, 2"""
CHECKED = {("projects", "name")}
"""Names that are parts of longer ones, so that the database refuses what could be taken for more."""


@pytest.fixture
def ada(database: Database) -> Iterator[psycopg.Connection]:
    with database.connect(database.role("ada", sql.WRITER)) as connection:
        yield connection


def columns(connection: psycopg.Connection) -> dict[str, list[str]]:
    """The text columns of each table."""
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(TEXTS).fetchall():
        found.setdefault(table, []).append(column)
    return found


def test_a_hostile_text_stays_text_in_every_column(database: Database, ada: psycopg.Connection) -> None:
    mine = owned(ada, "laptop")
    fill(ada, mine)
    texts = columns(ada)
    assert {*TABLES, "machines", "schema"} >= texts.keys() >= {*TABLES} - {"batches"}
    for table in sorted(texts.keys() & {*TABLES}):
        for number, text in enumerate(HOSTILE, 10):
            own = {column: text for column in texts[table] if (table, column) not in CHECKED}
            values = mine.values(table) | own
            values |= {key: number for key in ("position", "run", "id") if key in values}
            values |= {"key": uuid4()} if table == "projects" else {}
            insert(ada, table, values)
            names = SQL(", ").join(map(Identifier, own))
            which = SQL(" AND ").join(
                SQL("{} = %({})s").format(Identifier(key), SQL(key)) for key in values if key in own
            )
            statement = SQL("SELECT {} FROM {} WHERE {}").format(names, Identifier("rcs", table), which)
            assert ada.execute(statement, values).fetchall() == [(text,) * len(own)], (table, text[:40])
    with database.connect() as owner:
        for table in (*TABLES, "machines", "schema", "clock"):
            statement = SQL("SELECT count(*) > 0 FROM {}").format(Identifier("rcs", table))
            assert owner.execute(statement).fetchall() == [(True,)], table


def test_a_hostile_text_stays_text_in_a_document(ada: psycopg.Connection) -> None:
    mine = owned(ada, "laptop")
    for text in (each[:30_000] for each in HOSTILE):  # a larger document is refused
        insert(ada, "present", mine.values("present") | {"key": text[:1000], "record": Jsonb({text: [text]})})
        found = ada.execute("SELECT record FROM rcs.present WHERE key = %s", (text[:1000],)).fetchall()
        assert found == [({text: [text]},)]


def test_a_hostile_name_of_a_machine_stays_text_or_is_refused(database: Database, ada: psycopg.Connection) -> None:
    for text in HOSTILE:
        try:
            found = ada.execute("SELECT name FROM rcs.register(%s, %s, %s, %s)", (uuid4(), text, text or "x", text))
        except psycopg.errors.CheckViolation:
            assert not text or any(char in "/@" or ord(char) < 32 for char in text), text
        else:
            assert found.fetchall() == [(text[:60],)]
    with database.connect() as owner:
        assert owner.execute("SELECT count(*) > 5 FROM rcs.machines").fetchall() == [(True,)]


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\udc80"])
def test_what_no_database_holds_is_one_sentence_and_no_half_of_a_batch(database: Database, text: str) -> None:
    role = database.role("eve", sql.WRITER)
    with connecting.connection(database.address_of(role)) as link:
        mine = owned(link.connection, "desk")
        for table, column in (("mode_events", "title"), ("run_events", "data")):
            with pytest.raises(ShareError) as raised, link.transaction() as connection:
                add_batch(connection, mine)
                insert(connection, table, mine.values(table) | {column: text})
            assert raised.value.kind == DATA
            assert not raised.value.is_passing
            assert text not in str(raised.value)
        assert link.rows("SELECT count(*) FROM rcs.batches") == [(0,)]
