"""Connections: what libpq is given, and one sentence for each way in which a server fails, without a secret in it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rcs_hooks.config.database_url import DatabaseAddress, parse
from rcs_hooks.share import connecting
from rcs_hooks.share.errors import (
    DENIED,
    ShareError,
)
from tests.table import each_row

if TYPE_CHECKING:
    from tests.share.conftest import Database

SECRET = "hunter2"


def refusal(address: DatabaseAddress) -> ShareError:
    with pytest.raises(ShareError) as raised, connecting.connection(address) as link:
        link.rows("SELECT 1")
    assert "\n" not in str(raised.value)
    assert SECRET not in str(raised.value)
    return raised.value


# --- what libpq is given


@each_row(("url", "wanted"), [
    ("postgresql://db/team", {"sslmode": "verify-full", "sslrootcert": "system"}),
    ("postgresql://localhost/team", {"sslmode": "prefer", "sslrootcert": ""}),
    ("postgresql:///team?host=/run/postgresql", {"sslmode": "prefer", "sslrootcert": ""}),
    ("postgresql://localhost/team?hostaddr=10.0.0.1", {"sslmode": "verify-full", "hostaddr": "10.0.0.1"}),
    ("postgresql://db/team?sslmode=require", {"sslmode": "require", "sslrootcert": ""}),
    ("postgresql://db/team?sslrootcert=/ca.pem", {"sslmode": "verify-full", "sslrootcert": "/ca.pem"}),
    ("postgresql://ada@a:1,b:2/team", {"host": "a,b", "port": "1,2", "user": "ada", "dbname": "team"}),
    ("postgresql://db/team", {"hostaddr": "", "options": "", "application_name": "rcs share", "connect_timeout": 10}),
    ("postgresql://db/team?connect_timeout=3", {"connect_timeout": "3"}),
])  # fmt: skip
def test_a_server_elsewhere_must_prove_who_it_is_unless_the_address_says_otherwise(
    url: str, wanted: dict[str, str | int]
) -> None:
    given = connecting.parameters(parse(url), {"SSL_CERT_FILE": "/certificates"})
    assert {name: given[name] for name in wanted} == wanted
    assert "password" not in given


# --- what may go wrong while a connection is opened


def test_a_wrong_password_and_none(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    role = database.role("ada", password="right")
    error = refusal(database.address_of(role))
    assert error.kind == DENIED
    assert "the server asks for a password; put the password into ~/.pgpass, PGPASSWORD or a service file" in str(error)
    monkeypatch.setenv("PGPASSWORD", SECRET)
    error = refusal(database.address_of(role))
    assert error.kind == DENIED
    assert "the server refuses the user or the password; put" in str(error)
    monkeypatch.setenv("PGPASSWORD", "right")
    with connecting.connection(database.address_of(role)) as link:
        assert link.rows("SELECT 1") == [(1,)]


def test_a_database_that_this_user_may_not_enter(database: Database) -> None:
    role = database.role("outsider")
    with database.connect() as admin:
        admin.execute(f'REVOKE CONNECT ON DATABASE "{database.name}" FROM PUBLIC'.encode())
    error = refusal(database.address_of(role))
    assert (error.kind, str(error).partition(": ")[2]) == (DENIED, "this user may not connect to that database")


# --- what is loaded


@each_row("module", ["cli.main", "cli.share", "cli.dashboard", "config.share_table", "hook.entry"])
def test_the_driver_is_loaded_by_what_shares_and_nothing_else(module: str) -> None:
    code = f"import sys, rcs_hooks.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"psycopg", "rcs_hooks.share.connecting"} & set(done.stdout.split())
