"""Words what the driver or the server says went wrong: one sentence, and nothing of what was sent.

A statement's error is told by its SQLSTATE alone: the server's own words may repeat a value. A connection's error has
no SQLSTATE, so it is told by the words of libpq and the server.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rcs_hooks.share.errors import (
    BUSY,
    DATA,
    DENIED,
    FULL,
    LOST,
    MISSING,
    OTHER,
    READ_ONLY,
    SILENT,
    UNREACHABLE,
    ShareError,
)
from rcs_hooks.text import clean

if TYPE_CHECKING:
    import psycopg

    from rcs_hooks.config.database_url import DatabaseAddress

LONGEST = 160
PASSWORDS = "put the password into ~/.pgpass, PGPASSWORD or a service file"
NO_LOGIN = f"does not let this user in; {PASSWORDS}"
IS_DOWN = "is starting up or shutting down; try again"
IS_FULL = "has no room left; its administrator has to make some"
IS_CROWDED = "has no connection left; try again"
IS_READ_ONLY = "is read-only now; it is a standby, or its administrator has set it so"
HAS_NO_DATABASE = "has no such database; make it with createdb, or name another one"
NO_RIGHTS = "does not let this user do that; its owner gives the right with: GRANT rcs_writer TO … or GRANT rcs_reader"
NO_SCHEMA = "has no schema of rcs-hooks that this user may see; to make it: rcs share init"
WAS_LOST = "has ended the connection; try again"
HAD_TO_WAIT = "could not do it while others were at work; try again"
CANNOT_BE_SENT = "what was to be sent holds a NUL, or half of a surrogate pair"
TOOK_TOO_LONG = "took too long; try again"

OF_STATEMENTS = (
    (
        "RC001",
        DENIED,
        "knows this machine under another user; connect as that user, or remove ~/.rcs/share/machine.json",
    ),
    ("28", DENIED, NO_LOGIN),
    ("3D000", MISSING, HAS_NO_DATABASE),
    ("3F000", MISSING, NO_SCHEMA),
    ("42P01", MISSING, NO_SCHEMA),
    ("42501", DENIED, NO_RIGHTS),
    ("25006", READ_ONLY, IS_READ_ONLY),
    ("53300", BUSY, IS_CROWDED),
    ("53", FULL, IS_FULL),
    ("57P03", BUSY, IS_DOWN),
    ("57P", LOST, WAS_LOST),
    ("57014", SILENT, TOOK_TOO_LONG),
    ("55P03", BUSY, HAD_TO_WAIT),
    ("40", BUSY, HAD_TO_WAIT),
    ("08", LOST, WAS_LOST),
)
"""How a SQLSTATE begins, the kind of the error, and what is said of the database; the first that fits counts."""
OF_DATA = ("21", "22", "23", "54")
"""How the SQLSTATE begins where another record may well be taken. Not 42: there the schema is another one."""
OF_CONNECTIONS = (
    ("could not translate host name|resolve host|name or service not known", UNREACHABLE, "there is no such host"),
    ("connection refused|no such file or directory", UNREACHABLE, "no server answers there"),
    ("network is unreachable|no route to host|host is down", UNREACHABLE, "the host cannot be reached"),
    ("no password supplied", DENIED, f"the server asks for a password; {PASSWORDS}"),
    ("password authentication failed|pgpass", DENIED, f"the server refuses the user or the password; {PASSWORDS}"),
    (r"no pg_hba\.conf entry|authentication failed", DENIED, "the server does not let this user in from here"),
    ("is not permitted to log in|role .* does not exist", DENIED, "the server has no such user who may log in"),
    ("database .* does not exist", MISSING, "the server has no such database; make it with createdb"),
    ("permission denied for database", DENIED, "this user may not connect to that database"),
    (
        "too many connections|too many clients|remaining connection slots|connection limit",
        BUSY,
        "no connection is left",
    ),
    ("the database system is", BUSY, "the server is starting up or shutting down"),
    (
        "session is read-only|session is not read-only|server is (not )?in hot standby",
        READ_ONLY,
        "no server there is the one that writes",
    ),
    (
        "certificate|ssl |tls",
        DENIED,
        "the server has no certificate that is trusted here for that host; see sslmode and sslrootcert of libpq",
    ),
    ("timeout expired|timed out", SILENT, "the server has not answered"),
    ("no space left|could not write", FULL, "the server has no room left"),
    ("closed the connection|terminating connection|reset by peer", LOST, "the server has ended the connection"),
)


def worded(error: psycopg.Error | UnicodeError, address: DatabaseAddress) -> ShareError:
    """Return an error of the driver as one of ours."""
    from psycopg import DataError

    if isinstance(error, UnicodeError):
        return ShareError(CANNOT_BE_SENT, DATA)
    state = error.sqlstate
    if state is None:  # the server was not asked
        return ShareError(CANNOT_BE_SENT, DATA) if isinstance(error, DataError) else _of_connection(str(error), address)
    for start, kind, words in OF_STATEMENTS:
        if state.startswith(start):
            return ShareError(f"{address.shown} {words}", kind)
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    kind = DATA if state[:2] in OF_DATA and state != "23503" else OTHER  # a row that another one needs is not data
    return ShareError(f"{address.shown} refused what was sent (SQLSTATE {state}, {name})", kind)


def _of_connection(message: str, address: DatabaseAddress) -> ShareError:
    # Where all of several hosts fail, the driver repeats each error; the first line is that of the last host.
    lines = message.strip().splitlines() or [""]
    for pattern, kind, words in OF_CONNECTIONS:
        if re.search(pattern, message, re.IGNORECASE):
            return ShareError(f"no connection to {address.shown}: {words}", kind)
    said = clean(lines[0], LONGEST)
    return ShareError(f"no connection to {address.shown}: {said}", OTHER)
