"""Reads the address of a shared database: `postgresql://user@host/db`, as libpq does, and never with a password.

No sentence of this file repeats the address: a password may stand in it where nobody looks for one.
"""

from __future__ import annotations

from urllib.parse import unquote

from rcs_hooks.tuples import NamedTuple

SCHEMES = ("postgresql://", "postgres://")
DEFAULT_PORT = 5432
LONGEST = 1000
EXAMPLE = "postgresql://user@host/database"
HOST, HOSTADDR, PORT, USER, DATABASE = "host", "hostaddr", "port", "user", "dbname"
SECRET = frozenset({"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"})
OPTIONS = frozenset(
    {"application_name", "channel_binding", "connect_timeout", "gssencmode", "hostaddr", "krbsrvname", "options"}
    | {"keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "load_balance_hosts", "passfile"}
    | {"require_auth", "requirepeer", "service", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert"}
    | {"sslcrl", "sslcrldir", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs"}
    | {"tcp_user_timeout"}
)
"""The options of libpq that an address may have, besides those that name the database."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

NO_PASSWORD = (
    "a password does not belong in the address; put it into ~/.pgpass, PGPASSWORD or a service file, "
    f"and write {EXAMPLE}"
)
NO_URL = f"it is not the address of a PostgreSQL database; write {EXAMPLE}"
NO_HOST = f"it names no host; write {EXAMPLE}"
NO_DATABASE = f"it names no database; write {EXAMPLE}"
BAD_PORT = f"its port must be a number from 1 to 65535; write {EXAMPLE}"
BAD_PERCENT = "a % in it must begin two hexadecimal digits, as in %40 for @"
BAD_AT = "it has an @ too many; a @ in a name is written %40"
TOO_LONG = f"it must be printable, without blanks, and have at most {LONGEST} characters"


class DatabaseAddress(NamedTuple):
    """Where a shared database is, as far as an address says it."""

    hosts: tuple[tuple[str, int], ...]
    """Each host with its port; a folder of sockets begins with `/`."""
    database: str
    user: str = ""
    """Empty where libpq finds it elsewhere."""
    options: tuple[tuple[str, str], ...] = ()
    """Further options of libpq, in the order of their names."""

    @property
    def is_local(self) -> bool:
        """Tell whether the server is on this machine."""
        return all(host.startswith(("/", "@")) or host in LOOPBACK for host, _ in self.hosts) and not any(
            name == HOSTADDR and value not in LOOPBACK for name, value in self.options
        )

    @property
    def shown(self) -> str:
        """Return the database and its host for people: `db on host`."""
        hosts = ", ".join(host if port == DEFAULT_PORT else f"{_bracketed(host)}:{port}" for host, port in self.hosts)
        return f"{self.database} on {hosts}"

    def option(self, name: str) -> str:
        """Return an option; empty if the address does not have it."""
        return dict(self.options).get(name, "")


def parse(text: str) -> DatabaseAddress:
    """Read an address. Raises ValueError with what is wrong with it, which repeats nothing of it."""
    scheme = next((each for each in SCHEMES if text.lower().startswith(each)), None)
    if scheme is None:
        raise ValueError(NO_URL)
    if len(text) > LONGEST or not text.isprintable() or " " in text:
        raise ValueError(TOO_LONG)
    place, _, query = text[len(scheme) :].partition("?")
    said = _query(query)
    authority, _, path = place.partition("/")
    if "@" in path:
        raise ValueError(NO_PASSWORD)  # a password with a slash, as libpq does not read it either
    if authority.count("@") > 1:
        raise ValueError(NO_PASSWORD if ":" in authority.partition("@")[0] else BAD_AT)
    typed, _, where = authority.rpartition("@")
    typed = _decoded(typed)
    user = said.pop(USER, "") or typed
    if ":" in typed or ":" in user:
        raise ValueError(NO_PASSWORD)
    hosts = _hosts(where, said)
    database = said.pop(DATABASE, "") or _decoded(path)
    if not database:
        raise ValueError(NO_DATABASE)
    squeezed = unquote(database).lower().replace(" ", "")
    if ("://" in squeezed and "@" in squeezed) or any(f"{each}=" in squeezed for each in SECRET):
        raise ValueError(NO_PASSWORD)  # an address in place of a name, which would be shown
    return DatabaseAddress(hosts, database, user, tuple(sorted(said.items())))


def _query(query: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for each in filter(None, query.split("&")):
        name, equals, value = each.partition("=")
        name = _decoded(name)
        if name in SECRET:
            raise ValueError(NO_PASSWORD)
        if name not in OPTIONS | {HOST, PORT, USER, DATABASE} or not equals or name in said:
            # Before an @, it may be the end of a password that has a question mark.
            shown = name if name.isidentifier() and len(name) <= 40 and "@" not in query else "of this kind"
            raise ValueError(f"it has an option {shown}, which is not known, has no value or is there twice")
        said[name] = _decoded(value)
    return said


def _hosts(where: str, said: dict[str, str]) -> tuple[tuple[str, int], ...]:
    """Return the hosts with their ports, and take them out of what the options say."""
    found = [_host(each) for each in where.split(",")]
    names = [host for host, _ in found]
    ports = [port for _, port in found]
    if HOST in said:
        names = said.pop(HOST).split(",")
    if PORT in said:
        ports = said.pop(PORT).split(",")
    if len(ports) != len(names):
        ports = ports[:1] * len(names) if len(set(ports)) == 1 else []
    if not all(names):
        raise ValueError(NO_HOST)
    if any("@" in name for name in names if not name.startswith(("/", "@"))):
        raise ValueError(NO_PASSWORD)
    if not ports or not all(_is_port(port) for port in ports):
        raise ValueError(BAD_PORT)
    return tuple(
        (name if name.startswith(("/", "@")) else name.lower().rstrip("."), int(port or DEFAULT_PORT))
        for name, port in zip(names, ports, strict=True)
    )


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("/") else host


def _host(text: str) -> tuple[str, str]:
    if text.startswith("["):
        inside, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError(NO_URL)
        return _decoded(inside), rest[1:]
    host, _, port = text.partition(":")
    return _decoded(host), port


def _is_port(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) <= 65535)


def _decoded(text: str) -> str:
    parts = text.split("%")[1:]
    if not all(len(part) >= 2 and all(char in "0123456789abcdefABCDEF" for char in part[:2]) for part in parts):
        raise ValueError(BAD_PERCENT)
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise ValueError(BAD_PERCENT) from None
    if not decoded.isprintable():
        raise ValueError(TOO_LONG)
    return decoded
