"""The entries of the shared overview: what each machine shows of its own, and the runs that its events are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.dashboard import overview
from rcs_hooks.overview import collect
from rcs_hooks.overview import runs as run_entries
from rcs_hooks.overview.entries import length_for
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.share import present
from rcs_hooks.terminal.ids import LONG_ID, short, telling_length
from rcs_hooks.text import quoted

if TYPE_CHECKING:
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.overview.entries import Entry
    from rcs_hooks.share.reader import PostgresStore

MOST_ENTRIES, MOST_RUNS = 3_000, 2_000


def groups(store: PostgresStore, project: str | None, now: float) -> dict[str, list[JsonObject]]:
    """Return the entries of the overview by their group, the newest first in each."""
    documents = store.shown.newest(present.ENTRY, project, MOST_ENTRIES)
    heard_of = store.shown.heard(project, MOST_ENTRIES)
    found = [shown for each in documents if (shown := present.entry(each, now, heard_of))]
    found += [
        present.SharedEntry(entry.group, collect.shown(entry, length_for((entry,))) | {"session": None, "page": page})
        for entry, page in _of_runs(store, project, now)
    ]
    ids = [str(each.record["session"] or each.record["id"] or "") for each in found]
    length = telling_length(each for each in ids if len(each) >= LONG_ID)
    for each, identifier in zip(found, ids, strict=True):
        each.record["short"] = short(identifier, length)
    found.sort(key=lambda each: (each.record["question"] is not None, each.record["since"] or ""), reverse=True)
    return {group: [each.record for each in found if each.group == group] for group in overview.GROUPS}


def _of_runs(store: PostgresStore, project: str | None, now: float) -> list[tuple[Entry, str | None]]:
    """Return the entries of runs with their pages."""
    now_ms = round(now * 1000)
    filters = RunFilter(project=project, since_ms=now_ms - round(run_entries.WAITS_FOR * 1000))
    found = []
    for run in store.runs(now_ms, filters, limit=MOST_RUNS):
        if run_entries.is_shown(run, now_ms):
            entry = run_entries.of_run(run, run.project, now_ms, present.COMMANDS, store.reason(run))
            command = f"rcs runs show --shared {quoted(run.run_id)}" if entry.command else ""
            page = overview.page_of_run(run)
            found.append((entry._replace(command=command), page))
    return found
