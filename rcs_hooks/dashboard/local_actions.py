"""What a page may do to the stores of this machine: each function does what its command does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from rcs_hooks.dashboard import runs
from rcs_hooks.environment import Environment
from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.runs.sqlite_store import open_readwrite
from rcs_hooks.state import clearing, question_service
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.validation import check_session_id
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from rcs_hooks.dashboard.actions import Answer, Clear
    from rcs_hooks.dashboard.data import DashboardData

Record = dict[str, Any]

SOURCE = "dashboard"


async def answer(data: DashboardData, question: str, body: Answer) -> Record:
    """Answer a question, and return the result as JSON."""
    scope = await _scope(data, body.root, body.session)
    return dict(await run_in_threadpool(question_service.answer, scope, question, body.answer, source=SOURCE))


def end(data: DashboardData, run_id: str, status: str) -> Record:
    """End a run through a separate connection, because it may have to wait for those who emit."""
    if not os.path.exists(data.location):
        runs.find_run(None, run_id)
    store = open_readwrite(data.location)
    try:
        return runs.end(store, run_id, status, data.clock())
    finally:
        store.close()


async def clear(data: DashboardData, body: Clear) -> Record:
    """Clear a mode of a session, and return the result as JSON."""
    scope = await _scope(data, body.root, body.session)
    mode = body.mode if body.mode == INVENTORY else check_name(scope, body.mode)
    return dict(await run_in_threadpool(clearing.clear, scope, mode))


async def _scope(data: DashboardData, root: str, session: str | None) -> Scope:
    """Return the scope of a workspace and session. Raises Refused for a workspace that is not shown here."""
    if root not in await data.workspaces():
        raise Refused(f"{clean(root, 200)!r} is not a workspace that is shown here")
    name = check_session_id(session) if session else None
    now = data.clock()
    environment = Environment(data.env, root, now)
    return Scope(root, name, now, commands(root, root, name or "", environment))
