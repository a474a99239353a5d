"""The address of a shared database: what is read, and what is refused without a word of it."""

from __future__ import annotations

import re

import pytest

from rcs_hooks.config.database_url import (
    BAD_AT,
    BAD_PERCENT,
    BAD_PORT,
    NO_DATABASE,
    NO_HOST,
    NO_PASSWORD,
    NO_URL,
    TOO_LONG,
    DatabaseAddress,
    parse,
)
from tests.table import each_row

DB = (("db", 5432),)


@each_row(("url", "address"), [
    ("postgresql://db/team", DatabaseAddress(DB, "team")),
    ("POSTGRESQL://DB./team", DatabaseAddress(DB, "team")),
    ("postgresql://ada@db/team", DatabaseAddress(DB, "team", "ada")),
    ("postgresql://ada%40corp@db:6543/team", DatabaseAddress((("db", 6543),), "team", "ada@corp")),
    ("postgresql://[::1]:6543/team", DatabaseAddress((("::1", 6543),), "team")),
    ("postgresql://[fe80::1%25eth0]/team", DatabaseAddress((("fe80::1%eth0", 5432),), "team")),
    ("postgresql://a:1,b:2/team", DatabaseAddress((("a", 1), ("b", 2)), "team")),
    ("postgresql://a,b/team", DatabaseAddress((("a", 5432), ("b", 5432)), "team")),
    ("postgresql:///team?host=/run/postgresql", DatabaseAddress((("/run/postgresql", 5432),), "team")),
    ("postgresql://db/team?host=other&port=7", DatabaseAddress((("other", 7),), "team")),
    ("postgresql://ada@db/team?user=eve%40corp", DatabaseAddress(DB, "team", "eve@corp")),
    ("postgresql://db/team?sslmode=require&service=x",
     DatabaseAddress(DB, "team", "", (("service", "x"), ("sslmode", "require")))),
    ("postgresql://db/a%3Db://c", DatabaseAddress(DB, "a=b://c")),
])  # fmt: skip
def test_an_address_is_read_as_libpq_reads_it(url: str, address: DatabaseAddress) -> None:
    assert parse(url) == address


SECRET = "hunter2"


@each_row(("url", "problem"), [
    ("", NO_URL),
    ("mysql://db/team", NO_URL),
    ("host=db dbname=team password=hunter2", NO_URL),
    ("postgresql://ada:hunter2@db/team", NO_PASSWORD),
    ("postgresql://:hunter2@db/team", NO_PASSWORD),
    ("postgresql://ada:hunter2/x@db/team", NO_PASSWORD),
    ("postgresql://ada:hunter2?@db/team", "an option of this kind"),
    ("postgresql://ada:hunter2#@db/team", NO_PASSWORD),
    ("postgresql://ada%3Ahunter2@db/team?user=ada", NO_PASSWORD),
    ("postgresql://a,ada:hunter2@b/team?user=ada", NO_PASSWORD),
    ("postgresql://ada@a,eve:hunter2@b/team?user=ada", BAD_AT),
    ("postgresql://ada%3Ahunter2%40db/team", NO_PASSWORD),
    ("postgresql://db/team?host=ada:hunter2@db", NO_PASSWORD),
    ("postgresql://db/team?host=db,ada:hunter2@db&hostaddr=127.0.0.1", NO_PASSWORD),
    ("postgresql://db/team?dbname=postgresql://ada:hunter2@db/team", NO_PASSWORD),
    ("postgresql://db/host%3Ddb%20PassWord%3Dhunter2", NO_PASSWORD),
    ("postgresql://db/team?dbname=postgresql://db/team?pass%2577ord=hunter2", NO_PASSWORD),
    ("postgresql://db/team;password=hunter2", NO_PASSWORD),
    ("postgresql://db/team?password=hunter2", NO_PASSWORD),
    ("postgresql://db/team?PASSWORD=hunter2", "an option PASSWORD"),
    ("postgresql://db/team?pass%77ord=hunter2", NO_PASSWORD),
    ("postgresql://db/team?sslpassword=hunter2", NO_PASSWORD),
    ("postgresql://ada@corp@db/team", BAD_AT),
    ("postgresql://db", NO_DATABASE),
    ("postgresql:///team", NO_HOST),
    ("postgresql://a,,b/team", NO_HOST),
    ("postgresql://db:hunter2/team", BAD_PORT),
    ("postgresql://db:65536/team", BAD_PORT),
    ("postgresql://a:1,b:2/team?port=1,2,3", BAD_PORT),
    ("postgresql://db/team?user=ada:hunter2", NO_PASSWORD),
    ("postgresql://db/team%", BAD_PERCENT),
    ("postgresql://db/team%ff", BAD_PERCENT),
    ("postgresql://db/team%00", TOO_LONG),
    ("postgresql://db/team\n", TOO_LONG),
    ("postgresql://db/te am", TOO_LONG),
    ("postgresql://db/" + "x" * 1000, TOO_LONG),
    ("postgresql://[::1/team", NO_URL),
    ("postgresql://db/team?nonsense=hunter2", "an option nonsense"),
    ("postgresql://db/team?sslmode=require&sslmode=disable", "an option sslmode"),
])  # fmt: skip
def test_what_is_wrong_is_said_without_a_word_of_the_address(url: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)) as raised:
        parse(url)
    assert SECRET not in str(raised.value)


@each_row(("url", "is_local"), [
    ("postgresql://localhost/x", True),
    ("postgresql://127.0.0.1/x", True),
    ("postgresql://[::1]/x", True),
    ("postgresql:///x?host=/run/postgresql", True),
    ("postgresql://db/x", False),
    ("postgresql://localhost.example.com/x", False),
    ("postgresql://localhost,db/x", False),
    ("postgresql://localhost/x?hostaddr=10.0.0.1", False),
    ("postgresql://localhost/x?hostaddr=127.0.0.1", True),
])  # fmt: skip
def test_a_server_is_local_by_its_hosts(url: str, is_local: bool) -> None:
    assert parse(url).is_local is is_local


@each_row(("url", "shown"), [
    ("postgresql://[::1]/team", "team on ::1"),
    ("postgresql://[::1]:6543/team", "team on [::1]:6543"),
    ("postgresql:///team?host=/run/a:b&port=6543", "team on /run/a:b:6543"),
])  # fmt: skip
def test_an_address_is_shown_by_database_and_host(url: str, shown: str) -> None:
    assert parse(url).shown == shown
