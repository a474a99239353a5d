"""Read the tasks of a workspace for the overview: the open ones, and those that were done lately."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rcs_hooks.errors import RcsError, reason_of
from rcs_hooks.files.clock import seconds
from rcs_hooks.overview.entries import LATELY, TASK, TASKS, WAITING, Entry
from rcs_hooks.tasks import phases
from rcs_hooks.tasks.store import TaskStore
from rcs_hooks.text import clean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rcs_hooks.tasks.state import TaskState
    from rcs_hooks.workflow.commands import Commands

MOST = 200
"""How many tasks of a workspace are shown."""


def entries(root: str, names: Iterable[str], now: float, commands: Commands) -> list[Entry]:
    """Return an entry for each of the tasks that is open, was done lately, or cannot be read."""
    found = (_entry(root, name, now, commands) for name in list(names)[:MOST])
    return [entry for entry in found if entry is not None]


def _entry(root: str, name: str, now: float, commands: Commands) -> Entry | None:
    entry = Entry(TASK, name, name, TASKS, id=name, has_title=False, project=root)
    status = f"{commands.rcs} task status {quoted(name)}"
    try:
        store = TaskStore(root, name, now)
        state = store.state()
        waits = _waits(store, state)
    except (RcsError, OSError) as error:
        why = " ".join(str(error).split()) if isinstance(error, RcsError) else reason_of(error)
        detail = f"{phases.folder_of(name)} cannot be read: {clean(why, 300)}"
        return entry._replace(group=WAITING, detail=detail, is_unreadable=True)
    since = clean(state.record.get("updated_at")) or None
    entry = entry._replace(phase=state.phase, since=since, iteration=state.round)
    proof = state.proof
    verdict = f", {proof.state}" if proof else ""
    if proof:
        entry = entry._replace(proof=proof, verdict=proof.state)
    if state.phase == phases.DONE:
        ended = seconds(since)
        return entry._replace(detail=f"done{verdict}") if ended is not None and now - ended < LATELY else None
    if waits:
        decide = f'{commands.rcs} task accept {quoted(name)} --decision WORD --reason "WHY"'
        return entry._replace(group=WAITING, detail=f"waits for your decision{verdict}", to="To decide", command=decide)
    return entry._replace(detail=_phase(state), to="What it needs", command=status)


def _waits(store: TaskStore, state: TaskState) -> bool:
    """Tell whether a task waits for a decision: it is in accept, and nothing yet leads out of it."""
    if state.phase != phases.ACCEPT:
        return False
    if not any(os.path.lexists(f"{store.folder}/{path}") for path in (phases.DECISION, phases.REVERT_RECORD)):
        return True  # every guard out of accept wants one of them; reading the artifacts would load pydantic
    from rcs_hooks.tasks import flow

    answer = flow.decide(state.phase, store.snapshot(state), flow.Request(flow.NEXT), state.rounds)
    return not isinstance(answer, flow.Move)


def _phase(state: TaskState) -> str:
    return f"phase {state.phase}" + (f", round {state.round}" if state.round > 1 else "")
