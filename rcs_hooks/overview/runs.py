"""Read the runs that `rcs emit` reports for the overview: those that wait, go on, or ended lately."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.client_names import TITLES
from rcs_hooks.overview.entries import ENDED, LATELY, RUN, RUNNING, WAITING, Entry
from rcs_hooks.overview.reasons import reason_of
from rcs_hooks.runs.queries import place_words
from rcs_hooks.runs.records import COMPLETED, FAILED, SKIPPED, RunFilter
from rcs_hooks.runs.records import WAITING as WAITS
from rcs_hooks.terminal.ids import short
from rcs_hooks.text import clean, quoted
from rcs_hooks.workflow.mode_record import TITLE_LENGTH
from rcs_hooks.workflow.silence import QUIET, shown_status

if TYPE_CHECKING:
    from rcs_hooks.runs.records import RunRecord
    from rcs_hooks.runs.store import RunStore
    from rcs_hooks.workflow.commands import Commands

MOST = 200
"""How many runs are shown, those with the newest events."""
WAITS_FOR = 7 * LATELY
"""Seconds for which a run that waits is shown without a new event; others are shown for a day."""
LONGEST_REASON = 200
OUTCOMES = {COMPLETED: "completed", FAILED: "failed", SKIPPED: "skipped"}


def entries(store: RunStore | None, root: str, now: float, commands: Commands) -> list[Entry]:
    """Return an entry for each run of a workspace. Raises StoreError."""
    if store is None:
        return []
    now_ms = round(now * 1000)
    filters = RunFilter(project=os.path.realpath(root), since_ms=now_ms - round(WAITS_FOR * 1000))
    found = [run for run in store.runs(now_ms, filters, limit=MOST) if is_shown(run, now_ms)]
    return [of_run(run, root, now_ms, commands, reason_of(store, run, LONGEST_REASON)) for run in found]


def is_shown(run: RunRecord, now_ms: int) -> bool:
    """Tell whether a run of the last week waits, or was heard of lately."""
    return run.status == WAITS or now_ms - run.last_ms < LATELY * 1000


def of_run(run: RunRecord, root: str, now_ms: int, commands: Commands, reason: str) -> Entry:
    """Return the entry of a run. `reason`: why it waits or has failed; empty if nobody said so."""
    name = clean(run.workflow) or "run"
    title = clean(run.feature, TITLE_LENGTH)
    step = clean(run.current) or None
    entry = Entry(
        RUN, name, title or f"{name} {short(run.run_id)}", RUNNING, id=run.run_id, phase=step, has_title=bool(title),
        since=run.started_at, started_at=run.started_at, last_at=run.last_at, project=root,
    )  # fmt: skip
    status = shown_status(run.status, run.last_ms, now_ms)
    entry = entry._replace(quiet=status if status in QUIET else "", client=TITLES.get(run.client or "", ""))
    place = place_words(run.current_steps)
    at = (f" at {clean(place)}" if place else "") + (f": {reason}" if reason else "")
    show = f"{commands.rcs} runs show {quoted(run.run_id)}"
    if run.status == WAITS:
        says = f"{entry.quiet}, waits{at}" if entry.quiet else f"waits{at}"
        return entry._replace(group=WAITING, since=run.last_at, detail=says, to="To see it", command=show)
    if run.status in OUTCOMES:
        outcome = OUTCOMES[run.status]
        return entry._replace(group=ENDED, since=run.last_at, detail=f"{outcome}{at}", outcome=outcome)
    return entry._replace(detail=f"{clean(status)}{at}", to="To see it", command=show)
