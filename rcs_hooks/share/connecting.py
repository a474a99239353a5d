"""Opens connections to the shared database, and turns what can go wrong into one sentence without a secret.

The only module that imports the driver first; what loads after it may use it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks.errors import Refused, needs_extra
from rcs_hooks.share import driver_errors, sql
from rcs_hooks.share.errors import MISSING, NEWER, OLDER, OTHER, ShareError

try:
    import psycopg
    from psycopg.conninfo import make_conninfo
except ImportError as error:
    raise Refused(needs_extra(error.name or "psycopg", "sharing", "share")) from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from psycopg import Connection
    from psycopg.abc import Params
    from psycopg.rows import TupleRow

    from rcs_hooks.config.database_url import DatabaseAddress

CONNECT_SECONDS = 10
ANSWER_SECONDS = 60.0
"""How long a transaction may be idle, and twice as long as it may wait for a lock, unless the caller says otherwise."""
BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems keep the certificates that they trust."""
APPLICATION = "rcs share"
TRANSACTION_TIMEOUT = 170_000
"""The version of the server that knows the setting."""


def parameters(address: DatabaseAddress, env: Mapping[str, str]) -> dict[str, str | int]:
    """Return what libpq is given: what the address says, and else what is safe.

    What leads to another server, or does without its certificate, is always said here: libpq would take the rest from
    variables, which a workspace may have brought.
    """
    hosts, ports = zip(*address.hosts, strict=True)
    said: dict[str, str | int] = {
        "hostaddr": "",
        "options": "",
        "application_name": APPLICATION,
        "client_encoding": "utf8",
        "connect_timeout": CONNECT_SECONDS,
        "keepalives": 1,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
        "sslmode": "prefer" if address.is_local else "verify-full",
        "sslrootcert": "",
        "gssencmode": "disable",  # else it would take the place of TLS, and of its certificate
    }
    said |= dict(address.options)
    said |= {"host": ",".join(hosts), "port": ",".join(map(str, ports)), "dbname": address.database}
    if address.user:
        said["user"] = address.user
    if said["sslmode"] == "verify-full" and not said["sslrootcert"]:
        said["sslrootcert"] = _system_certificates(env)
    return said


def _system_certificates(env: Mapping[str, str]) -> str:
    """Return what libpq takes for the certificates of the system. Its own copy of OpenSSL may look elsewhere."""
    if env.get("SSL_CERT_FILE") or env.get("SSL_CERT_DIR"):
        return "system"
    return next((path for path in BUNDLES if os.path.isfile(path)), "system")


class Link:
    """A connection whose errors are one sentence each."""

    def __init__(self, connection: Connection[TupleRow], address: DatabaseAddress, seconds: float) -> None:
        self.connection = connection
        self.address = address
        self._seconds = seconds

    @contextmanager
    def speaking(self) -> Iterator[Connection[TupleRow]]:
        """Give the connection to a block. Raises ShareError."""
        try:
            yield self.connection
        except (psycopg.Error, UnicodeError) as error:
            raise driver_errors.worded(error, self.address) from None

    @contextmanager
    def transaction(self) -> Iterator[Connection[TupleRow]]:
        """Give the connection to a block that is one transaction, as `speaking` does."""
        with self.speaking() as connection, connection.transaction():
            yield connection

    @contextmanager
    def quick(self) -> Iterator[Connection[TupleRow]]:
        """Give the connection to a block that is one transaction in a pipeline, which waits for no lock without end.

        Nor does the server wait for this program: what it has locked is free again soon, whatever becomes of it.
        """
        with self.speaking() as connection, connection.pipeline(), connection.transaction():
            self._set_limits(connection)
            yield connection

    @contextmanager
    def ended_at_once(self, last: Sequence[tuple[str, Params]]) -> Iterator[Connection[TupleRow]]:
        """Give the connection to a block that is one transaction, as `quick` does, and end it with these statements.

        They come to the server with the commit, in one message: what they lock is free again though this program, or
        its machine, is stopped at any moment. In a pipeline, no limit of the server counts between two statements.
        `last`: each with its values; the block may still change the list.
        """
        with self.speaking() as connection:
            try:
                with connection.pipeline():
                    connection.execute(sql.BEGIN)
                    self._set_limits(connection)
                    yield connection
                cursor = psycopg.ClientCursor(connection)
                said = [cursor.mogrify(statement.encode(), values) for statement, values in last]
                cursor.execute("; ".join([*said, sql.COMMIT]).encode())
            except BaseException:  # no transaction stays open, whatever ends the block; the error is raised again
                with suppress(psycopg.Error):  # the server may have gone; the first error is the one to tell
                    connection.rollback()
                raise

    def _set_limits(self, connection: Connection[TupleRow]) -> None:
        is_new = connection.info.server_version >= TRANSACTION_TIMEOUT
        limits = {"lock": f"{self._seconds * 500:.0f}", "idle": f"{self._seconds * 1000:.0f}"}
        connection.execute(sql.BE_QUICK_AS_A_WHOLE if is_new else sql.BE_QUICK, limits)

    def rows(self, statement: str, values: Params | None = None) -> Sequence[TupleRow]:
        """Execute one statement, and return all its rows. Raises ShareError."""
        with self.speaking() as connection:
            return connection.execute(statement.encode(), values).fetchall()

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Close the connection if the block raises: whoever has just opened it has nothing to close then."""
        try:
            yield
        except BaseException:  # Ctrl-C, too; the error is raised again
            self.close()
            raise

    def close(self) -> None:
        """Close the connection. Never raises, and never waits."""
        with suppress(psycopg.Error):
            self.connection.close()


def open_link(address: DatabaseAddress, *, seconds: float = ANSWER_SECONDS) -> Link:
    """Open a connection. Raises ShareError.

    `seconds`: as ANSWER_SECONDS. Nothing is prepared in the server, because a pooler may lead the next statement
    elsewhere.
    """
    try:
        conninfo = make_conninfo("", **parameters(address, os.environ))
        connection = psycopg.connect(conninfo, autocommit=True, prepare_threshold=None)
    except psycopg.Error as error:
        raise driver_errors.worded(error, address) from None
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED  # the database may have another one
    return Link(connection, address, seconds)


@contextmanager
def connection(address: DatabaseAddress, *, seconds: float = ANSWER_SECONDS) -> Iterator[Link]:
    """Open a connection for a block, and close it after. Raises ShareError."""
    link = open_link(address, seconds=seconds)
    try:
        yield link
    finally:
        link.close()


class Versions(NamedTuple):
    """What the schema says of itself."""

    version: int
    min_writer: int
    min_reader: int


def versions(link: Link) -> Versions:
    """Return the versions of the schema. Raises ShareError if there is no schema."""
    try:
        rows = link.rows(sql.VERSIONS)
    except ShareError as error:
        if error.kind == MISSING:
            raise ShareError(
                f"{link.address.shown} has no schema of rcs-hooks yet; to make it: rcs share init", MISSING
            ) from None
        raise
    if len(rows) != 1:
        raise ShareError(f"the schema of {link.address.shown} says no version of itself", OTHER)
    return Versions(*map(int, rows[0]))


def check_writer(link: Link, writes: int = sql.WRITES) -> Versions:
    """Return the versions of the schema. Raises ShareError if this program may not write into it."""
    found = versions(link)
    _check(found, writes, found.min_writer, "write")
    return found


def check_reader(link: Link, reads: int = sql.READS) -> Versions:
    """Return the versions of the schema. Raises ShareError if this program may not read it."""
    found = versions(link)
    _check(found, reads, found.min_reader, "read")
    return found


def _check(found: Versions, ours: int, least: int, what: str) -> None:
    if ours < least:
        raise ShareError(
            f"the shared database wants programs that {what} version {least} of its schema, and this one knows {ours}; "
            "update rcs-hooks here",
            NEWER,
        )
    if found.version < ours:
        raise ShareError(
            f"the shared database has version {found.version} of the schema, and this program needs {ours}; its owner "
            "types: rcs share init",
            OLDER,
        )
