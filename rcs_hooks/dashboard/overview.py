"""The one list of the dashboard: the modes of all sessions, the runs that `rcs emit` reports, and the tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from rcs_hooks.overview.collect import for_dashboard
from rcs_hooks.overview.entries import MODE, RUN
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.runs.sqlite_store import open_readonly

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

GROUPS = ("waiting", "running", "ended", "tasks", "closed")
MOST = 300
"""How many entries of one group are listed."""
MOST_RUNS, LATELY_MS = 1000, 7 * 86_400_000
MOST_PROJECTS = 50


def projects_of_runs(store: RunStore | None, now_ms: int) -> list[str]:
    """Return the projects of the runs with an event in the last week, also those that hold no state."""
    if store is None:
        return []
    found = store.runs(now_ms, RunFilter(since_ms=now_ms - LATELY_MS), limit=MOST_RUNS)
    return list(dict.fromkeys(run.project for run in found))[:MOST_PROJECTS]


def list_all(location: str, env: Mapping[str, str], roots: Iterable[str], now: float) -> Record:
    """Return everything in these workspaces as JSON, each thing once, in the group that it is in.

    The store at `location` is opened for this call, so that the pages that follow runs do not wait for it.
    """
    store = open_readonly(location)
    try:
        return of_store(store, env, roots, now)
    finally:
        if store:
            store.close()


def of_store(store: RunStore | None, env: Mapping[str, str], roots: Iterable[str], now: float) -> Record:
    """Return what `list_all` does, with the runs of an open store."""
    found: Record = for_dashboard(env, roots, now, store)
    more = any(len(found[group]) > MOST for group in GROUPS)
    return {
        group: [
            {"session": None, "id": None} | entry | {"page": page_of(entry, store)} for entry in found[group][:MOST]
        ]
        for group in GROUPS
    } | {"more": more}


def page_of(entry: Record, store: RunStore | None) -> str | None:
    """Return the address of the page that shows an entry; None for a run without a machine, which has none."""
    project = entry["project"]
    if entry["kind"] == RUN:
        run = store.run(entry["id"]) if store and entry["id"] else None
        return page_of_run(run) if run else None
    if entry["kind"] != MODE:
        return f"/tasks?{urlencode({'project': project})}#{quote(entry['id'], safe='')}"
    session = entry["session"] or ""
    where: Record = {"project": project, "session": session}
    if entry["phase"] is None and entry["outcome"] is None:
        return f"/sessions?{urlencode(where)}"
    if entry["event"] is not None:
        where["run"] = entry["event"]
    return f"/modes/{quote(entry['name'], safe='')}?{urlencode(where)}"


def page_of_run(run: RunRecord) -> str | None:
    """Return the address of the page of a run; None for one without a machine."""
    return f"/runs/{quote(run.run_id, safe='')}" if run.file else None
