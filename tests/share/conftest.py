"""A real PostgreSQL for the tests of sharing: one server for each worker, on loopback, and a database for each test."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Literal

from rcs_hooks.config.database_url import DatabaseAddress
from rcs_hooks.share import schema

UNPRIVILEGED = "nobody"
ADMIN = "postgres"
TEMPLATE = "with_schema"
WITH_PASSWORD = "asks_password"
SPEED = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200", "autovacuum=off")
GUARD = """"$0" "$@" & child=$!
read -r _
kill -INT "$child"
wait "$child"
exec rm -rf "$RCS_TEST_SERVER"
"""
"""Ends the server, and removes its folder, when the tests end, however they do: then the pipe is closed."""


def binaries() -> Path | None:
    """Where the programs of a server are; None if there are none."""
    found = shutil.which("initdb")
    folders = [str(Path(found).resolve().parent)] if found else []
    folders += sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True)
    return next((Path(each) for each in folders if Path(each, "postgres").exists()), None)


class Server:
    """A running server of the tests' own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._numbers = itertools.count(1)

    def address(self, database: str, user: str = ADMIN) -> DatabaseAddress:
        return DatabaseAddress((("127.0.0.1", self.port),), database, user)

    def connect(self, database: str = ADMIN, user: str = ADMIN) -> psycopg.Connection:
        """A connection outside all that is tested; each statement is a transaction."""
        return psycopg.connect(
            host="127.0.0.1",
            hostaddr="127.0.0.1",
            port=self.port,
            dbname=database,
            user=user,
            sslmode="disable",
            options="",
            autocommit=True,
            connect_timeout=60,
        )

    def make(self, template: str = "template0") -> Database:
        """A new database."""
        name = f"test_{next(self._numbers)}"
        with self.connect() as admin:
            admin.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(template)))
        return Database(self, name)


class Database:
    """One database of a test, which goes when the test ends."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self._roles: list[str] = []

    @property
    def address(self) -> DatabaseAddress:
        """As the owner of the schema."""
        return self.server.address(self.name)

    def address_of(self, role: str) -> DatabaseAddress:
        return self.server.address(self.name, role)

    def url(self, role: str = ADMIN) -> str:
        """What a person would write for it."""
        return f"postgresql://{role}@127.0.0.1:{self.server.port}/{self.name}"

    def connect(self, role: str = ADMIN) -> psycopg.Connection:
        return self.server.connect(self.name, role)

    def role(self, name: str, *groups: str, password: str | None = None) -> str:
        """Make a user who may log in, in these groups; return its whole name."""
        whole = f"{name}_{self.name}"
        with self.server.connect() as admin:
            admin.execute(SQL("CREATE ROLE {} LOGIN").format(Identifier(whole)))
            self._roles.append(whole)
            if password is not None:
                admin.execute(SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(whole), Literal(password)))
                groups = (*groups, WITH_PASSWORD)
            for group in groups:
                admin.execute(SQL("GRANT {} TO {}").format(Identifier(group), Identifier(whole)))
        return whole

    def drop(self) -> None:
        with self.server.connect() as admin:
            admin.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(self.name)))
            for role in self._roles:
                admin.execute(SQL("DROP ROLE {}").format(Identifier(role)))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "server" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")


@pytest.fixture(autouse=True)
def _no_settings_of_libpq(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("PG"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    programs = binaries()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed: neither initdb on PATH nor /usr/lib/postgresql/*/bin")
    with running(programs) as found:
        with found.connect() as admin:
            admin.execute(SQL("CREATE ROLE {}").format(Identifier(WITH_PASSWORD)))
            admin.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(TEMPLATE)))
        schema.init(found.address(TEMPLATE), roles=True)
        yield found


@contextlib.contextmanager
def running(programs: Path, settings: tuple[str, ...] = SPEED) -> Iterator[Server]:
    """Start a server in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="rcs-postgres-"))
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    data = folder / "data"
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "RCS_TEST_SERVER": str(folder)}
    initdb = [str(programs / "initdb"), "-D", str(data), "-U", ADMIN, "-E", "UTF8", "--locale=C", "-A", "trust"]
    try:
        subprocess.run(
            [*initdb, "--no-sync"], env=env, cwd=folder, user=user, check=True, capture_output=True, timeout=120
        )
        (data / "pg_hba.conf").write_text(
            f"host all +{WITH_PASSWORD} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        )
        port, process = _started(programs, data, env, user, settings)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    try:
        yield Server(port)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)
    assert not folder.exists()


def free_port() -> int:
    """Return a port that nobody has at this moment."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _started(
    programs: Path, data: Path, env: dict[str, str], user: str | None, settings: tuple[str, ...]
) -> tuple[int, subprocess.Popen[bytes]]:
    """Start the server on a free port. Between the choice of the port and its use, somebody else may take it."""
    options = [word for each in settings for word in ("-c", each)]
    options += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
    while True:
        port = free_port()
        log = data / "log.txt"
        with log.open("wb") as to:
            process = subprocess.Popen(
                ["/bin/sh", "-c", GUARD, str(programs / "postgres"), "-D", str(data), "-p", str(port), *options],
                env=env,
                cwd=data,
                user=user,
                stdin=subprocess.PIPE,
                stdout=to,
                stderr=to,
            )
        if _is_ready(log):
            return port, process
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()
        assert b"Address already in use" in log.read_bytes(), log.read_text()


def _is_ready(log: Path) -> bool:
    """Wait until the server takes connections; tell whether it does."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        said = log.read_bytes()
        if b"ready to accept connections" in said:
            return True
        if b"FATAL" in said:
            return False
        time.sleep(0.01)
    raise TimeoutError(log.read_text())


@pytest.fixture
def database(server: Server) -> Iterator[Database]:
    """A database with the schema and the roles."""
    found = server.make(TEMPLATE)
    yield found
    found.drop()


@pytest.fixture
def empty_database(server: Server) -> Iterator[Database]:
    """A database without the schema."""
    found = server.make()
    yield found
    found.drop()
