"""The actions of a page: answer a question, end a run, clear a mode; each does what its command does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from rcs_hooks.dashboard import json_models, runs
from rcs_hooks.dashboard.parameters import InvalidParameter
from rcs_hooks.environment import Environment
from rcs_hooks.errors import Refused
from rcs_hooks.files.paths import INVENTORY
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.runs.store import exists, open_readwrite
from rcs_hooks.state import clearing, question_service
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.validation import check_session_id
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from starlette.requests import Request

    from rcs_hooks.dashboard.data import DashboardData

Record = dict[str, Any]

LARGEST = 64 * 1024
SOURCE = "dashboard"


async def answer(request: Request, data: DashboardData) -> Record:
    """Answer the question in the address, and return the result as JSON."""
    body = json_models.AnswerJson.model_validate_json(await _body(request))
    scope = await _scope(data, body.root, body.session)
    question = request.path_params["question"]
    return dict(await run_in_threadpool(question_service.answer, scope, question, body.answer, source=SOURCE))


async def end(request: Request, data: DashboardData) -> Record:
    """End the run in the address, and return the result as JSON."""
    body = json_models.EndJson.model_validate_json(await _body(request))
    return await run_in_threadpool(_end, data, request.path_params["run"], body.status)


def _end(data: DashboardData, run_id: str, status: str) -> Record:
    """End a run through a separate connection, because it may have to wait for those who emit."""
    if not exists(data.store.location):
        runs.find_run(None, run_id)
    store = open_readwrite(data.store.location)
    try:
        return runs.end(store, run_id, status, data.clock())
    finally:
        store.close()


async def clear(request: Request, data: DashboardData) -> Record:
    """Clear a mode of a session, and return the result as JSON."""
    body = json_models.ClearJson.model_validate_json(await _body(request))
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


async def _body(request: Request) -> bytes:
    """Return the body of a request. Raises InvalidParameter for one that is too large."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > LARGEST:
            raise InvalidParameter(f"the body is larger than {LARGEST} bytes")
    return bytes(data)


def words_of(error: ValidationError) -> str:
    """Return the first fault that pydantic has found, as one line."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'the body'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
