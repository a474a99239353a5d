"""Makes the schema `rcs` of a shared database, or brings an older one up to this version.

All that is due is one transaction, under an advisory lock: of two who do it at once, the second finds it done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from psycopg.sql import SQL, Identifier

from rcs_hooks.share import connecting, sql
from rcs_hooks.share.errors import DENIED, MISSING, NEWER, OTHER, ShareError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg import Connection
    from psycopg.rows import TupleRow

    from rcs_hooks.config.database_url import DatabaseAddress
    from rcs_hooks.share.sql import Migration

LOCK_WAIT = "60s"
INIT_SECONDS = 600.0
"""How long the server may take for one migration."""


class Made(NamedTuple):
    """What `init` found and did."""

    before: int
    """The version of the schema before; 0 where there was none."""
    after: int
    has_roles: bool


def init(address: DatabaseAddress, *, roles: bool = False, migrations: Sequence[Migration] = sql.MIGRATIONS) -> Made:
    """Make the schema or bring it up to this version; with `roles`, also make the roles and what they may do.

    Raises ShareError: for a newer schema, for another one of that name, and where the user may not do it.
    """
    with connecting.connection(address, seconds=INIT_SECONDS) as link:
        _check_server(link)
        before = _version(link)
        if before > len(migrations):
            raise ShareError(
                f"the shared database has version {before} of the schema, and this program knows {len(migrations)}; "
                "update rcs-hooks here",
                NEWER,
            )
        if before == len(migrations) and not roles:
            return Made(before, before, _has_roles(link))
        try:
            return _bring_up(link, roles, migrations)
        except ShareError as error:
            raise _as_told(error, address, before) from None


def _as_told(error: ShareError, address: DatabaseAddress, before: int) -> ShareError:
    if error.kind != DENIED:
        return error
    what, who = ("change", "its owner") if before else ("make", "somebody who may")
    return ShareError(f"this user may not {what} the schema in {address.shown}; {who} types: rcs share init", DENIED)


def _check_server(link: connecting.Link) -> None:
    if link.connection.info.server_version < sql.OLDEST_SERVER:
        found = link.connection.info.server_version // 10000
        raise ShareError(
            f"the server is PostgreSQL {found}, and {sql.OLDEST_SERVER // 10000} or later is needed", OTHER
        )
    ((encoding,),) = link.rows(sql.ENCODING)
    if encoding != "UTF8":
        raise ShareError(f"the database has the encoding {encoding}, and UTF8 is needed; make another one", OTHER)


def _version(link: connecting.Link) -> int:
    """Return the version of the schema; 0 if there is none. Raises ShareError for a schema of somebody else's."""
    comments = link.rows(sql.STATE_OF_SCHEMA)
    if not comments:
        return 0
    if comments[0][0] != sql.MARK:
        raise ShareError(
            "the database has a schema `rcs` that is not of rcs-hooks, so it was left unchanged; name another database",
            MISSING,
        )
    return connecting.versions(link).version


def _has_roles(link: connecting.Link) -> bool:
    return bool(link.rows(sql.HAS_ROLES)[0][0])


def _bring_up(link: connecting.Link, roles: bool, migrations: Sequence[Migration]) -> Made:
    with link.transaction() as connection:
        connection.execute(sql.WAIT_FOR_LOCKS, (LOCK_WAIT,))
        connection.execute(sql.TAKE_LOCK, (sql.LOCK,))
        before = _version(link)  # somebody else may have done it while we waited
        if before > len(migrations):
            raise ShareError("a newer rcs-hooks has just changed the schema; update rcs-hooks here", NEWER)
        if before == 0:
            connection.execute(sql.CREATE_SCHEMA)
            connection.execute(sql.MARK_SCHEMA)
        for number, migration in enumerate(migrations[before:], before + 1):
            for statement in migration.statements:
                connection.execute(statement.encode())
            connection.execute(sql.SET_VERSION, (number, migration.min_writer, migration.min_reader))
        _protect(connection)
        has_roles = roles or _has_roles(link)
        if has_roles:
            _give_rights(connection)
        return Made(before, len(migrations), has_roles)


def _protect(connection: Connection[TupleRow]) -> None:
    """Let nobody but the owner and those whom a policy names see a row."""
    for table, is_protected in connection.execute(sql.TABLES).fetchall():
        if not is_protected:
            connection.execute(
                SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(Identifier(sql.SCHEMA, str(table)))
            )


def _give_rights(connection: Connection[TupleRow]) -> None:
    """Make the roles where they are missing, and give them what they may do now."""
    for role in sql.ROLES:
        ((exists,),) = connection.execute(sql.ROLE_EXISTS, (role,)).fetchall()
        if not exists:
            connection.execute(SQL("CREATE ROLE {} NOLOGIN").format(Identifier(role)))
    for statement in sql.RIGHTS:
        connection.execute(statement.encode())
    for table, _ in connection.execute(sql.TABLES).fetchall():
        _give_rights_on(connection, str(table))


def _give_rights_on(connection: Connection[TupleRow], name: str) -> None:
    table = Identifier(sql.SCHEMA, name)
    writer, reader = Identifier(sql.WRITER), Identifier(sql.READER)
    found = connection.execute(sql.COLUMNS, (f"{sql.SCHEMA}.{name}",)).fetchall()
    columns = SQL(", ").join(Identifier(str(column)) for (column,) in found)
    own = SQL(sql.OWN_ROWS)
    check = SQL(f"{sql.OWN_ROWS} AND {sql.FURTHER_CHECKS[name]}") if name in sql.FURTHER_CHECKS else own
    for statement in (
        SQL("GRANT SELECT ON {} TO {}, {}").format(table, writer, reader),
        SQL("REVOKE INSERT, UPDATE, DELETE ON {} FROM {}").format(table, writer),
        SQL("GRANT INSERT ({}) ON {} TO {}").format(columns, table, writer),
        SQL("DROP POLICY IF EXISTS reads ON {}").format(table),
        SQL("CREATE POLICY reads ON {} FOR SELECT TO {} USING (true)").format(table, reader),
        SQL("DROP POLICY IF EXISTS own ON {}").format(table),
        SQL("CREATE POLICY own ON {} TO {} USING ({}) WITH CHECK ({})").format(table, writer, own, check),
    ):
        connection.execute(statement)
    if name not in sql.ONLY_ADDED:
        connection.execute(SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, table, writer))
    if name in sql.DELETED_FROM:
        connection.execute(SQL("GRANT DELETE ON {} TO {}").format(table, writer))
