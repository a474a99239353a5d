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
    ("postgresql://localhost,db/team", {"sslmode": "verify-full", "sslrootcert": "system"}),
    ("postgresql://localhost/team", {"sslmode": "prefer", "sslrootcert": ""}),
    ("postgresql:///team?host=/run/postgresql", {"sslmode": "prefer", "sslrootcert": ""}),
    ("postgresql://localhost/team?hostaddr=10.0.0.1", {"sslmode": "verify-full", "hostaddr": "10.0.0.1"}),
    ("postgresql://localhost/team?sslmode=verify-full", {"sslmode": "verify-full", "sslrootcert": "system"}),
    ("postgresql://db/team?sslmode=require", {"sslmode": "require", "sslrootcert": ""}),
    ("postgresql://db/team?sslmode=disable", {"sslmode": "disable", "sslrootcert": ""}),
    ("postgresql://db/team?sslrootcert=/ca.pem", {"sslmode": "verify-full", "sslrootcert": "/ca.pem"}),
    ("postgresql://db/team?sslmode=verify-ca&sslrootcert=/ca.pem", {"sslmode": "verify-ca", "sslrootcert": "/ca.pem"}),
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


def test_a_password_is_found_in_a_file_and_in_a_service(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = database.address_of(database.role("ada", password=SECRET))
    passwords, services = tmp_path / "passwords", tmp_path / "services"
    passwords.write_text(f"127.0.0.1:*:*:{address.user}:{SECRET}\n")
    passwords.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(passwords))
    with connecting.connection(address) as link:
        assert link.rows("SELECT 1") == [(1,)]
    monkeypatch.delenv("PGPASSFILE")
    services.write_text(f"[team]\npassword={SECRET}\nhost=192.0.2.1\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    with connecting.connection(address._replace(options=(("service", "team"),))) as link:
        assert link.rows("SELECT 1") == [(1,)]


def test_a_user_and_a_database_that_are_not_there(database: Database) -> None:
    error = refusal(database.address_of("nobody_there"))
    assert (error.kind, str(error).partition(": ")[2]) == (DENIED, "the server has no such user who may log in")
    error = refusal(database.address._replace(database="nothing_there"))
    assert error.kind == MISSING
    assert str(error).endswith(": the server has no such database; make it with createdb")


def test_a_database_that_this_user_may_not_enter(database: Database) -> None:
    role = database.role("outsider")
    with database.connect() as admin:
        admin.execute(f'REVOKE CONNECT ON DATABASE "{database.name}" FROM PUBLIC'.encode())
    error = refusal(database.address_of(role))
    assert (error.kind, str(error).partition(": ")[2]) == (DENIED, "this user may not connect to that database")


def test_a_server_with_too_many_connections(database: Database) -> None:
    role = database.role("busy")
    with database.connect() as admin:
        admin.execute(f'ALTER ROLE "{role}" CONNECTION LIMIT 1'.encode())
    with database.connect(role):
        error = refusal(database.address_of(role))
    assert (error.kind, str(error).partition(": ")[2]) == (BUSY, "no connection is left")


def said_by_server(code: str, message: str) -> Callable[[socket.socket], None]:
    """What a server sends that lets nobody in, by the protocol."""
    fields = b"".join(kind + text.encode() + b"\0" for kind, text in ((b"S", "FATAL"), (b"C", code), (b"M", message)))

    def answer(accepted: socket.socket) -> None:
        accepted.recv(1000)
        accepted.sendall(b"E" + (len(fields) + 5).to_bytes(4, "big") + fields + b"\0")
        accepted.shutdown(socket.SHUT_RDWR)

    return answer


@each_row(("code", "message", "kind", "words"), [
    ("57P03", "the database system is starting up", BUSY, "the server is starting up or shutting down"),
    ("57P03", "the database system is shutting down", BUSY, "the server is starting up or shutting down"),
    ("57P03", "the database system is in recovery mode", BUSY, "the server is starting up or shutting down"),
    ("53300", "sorry, too many clients already", BUSY, "no connection is left"),
    ("53300", "remaining connection slots are reserved for non-replication superuser connections", BUSY,
     "no connection is left"),
    ("28000", 'no pg_hba.conf entry for host "10.0.0.9", user "ada", database "team", no encryption', DENIED,
     "the server does not let this user in from here"),
    ("53100", 'could not write init file: No space left on device', FULL, "the server has no room left"),
    ("XX000", "\x1b[31mein Fehler", OTHER, None),
])  # fmt: skip
def test_what_a_server_says_that_lets_nobody_in(code: str, message: str, kind: str, words: str | None) -> None:
    with listener(said_by_server(code, message)) as port:
        error = refusal(parse(f"postgresql://ada@127.0.0.1:{port}/team?sslmode=disable"))
    assert error.kind == kind
    assert "\x1b" not in str(error)
    if words is not None:
        assert str(error) == f"no connection to team on 127.0.0.1:{port}: {words}"


@pytest.mark.postgres
def test_a_server_that_stops_ends_its_connections_and_takes_no_more() -> None:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    with running(programs) as own:
        link = connecting.open_link(own.address("postgres"))
    with pytest.raises(ShareError) as raised:
        link.rows("SELECT 1")
    link.close()
    assert raised.value.kind == LOST
    assert refusal(own.address("postgres")).kind == UNREACHABLE


# --- what is loaded


@each_row("module", ["cli.main", "cli.share", "cli.dashboard", "config.share_table", "hook.entry"])
def test_the_driver_is_loaded_by_what_shares_and_nothing_else(module: str) -> None:
    code = f"import sys, rcs_hooks.{module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"psycopg", "rcs_hooks.share.connecting"} & set(done.stdout.split())
