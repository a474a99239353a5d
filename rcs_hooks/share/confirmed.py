"""Asks the shared database what it has of the runs here, for whoever is about to delete them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from rcs_hooks.runs import store as stores
from rcs_hooks.share import connecting, identity, settings, sql
from rcs_hooks.share.runs_source import is_restored
from rcs_hooks.share.writer import project_key, shown_id

if TYPE_CHECKING:
    from collections.abc import Mapping


def runs_upto(env: Mapping[str, str], location: str) -> dict[str, int]:
    """Return for each shared project the number of the last event in a database of runs that others have.

    What was sent from another state of the database, before it was restored from a backup, does not count.
    Raises Refused and StoreError.
    """
    found = settings.load(env)
    machine = identity.machine_id(found.home)
    log = stores.open_log(location)
    if log is None:
        return {}
    with closing(log), connecting.connection(found.needed_address()) as link:
        connecting.check_writer(link)
        rows = link.rows(sql.SENT_RUNS, (shown_id(machine), list(log.keys)))
        upto = {key: position for key, position, at in rows if not is_restored(log, position, at)}
    paths = {project_key(machine, each.path): each.path for each in found.projects}
    return {path: upto[key] for key, path in paths.items() if key in upto}
