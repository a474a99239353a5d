"""What a person may do from a page: answer a question, end a run, clear a mode; as the commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from rcs_hooks.dashboard import runs, shapes
from rcs_hooks.dashboard.asked import Unfit
from rcs_hooks.errors import Refused
from rcs_hooks.hook.call import Surroundings
from rcs_hooks.hook.place import commands
from rcs_hooks.runs import store
from rcs_hooks.state import asking, surface
from rcs_hooks.state.fields import checked_mode, checked_session
from rcs_hooks.state.paths import INVENTORY
from rcs_hooks.state.surface import Scope
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from starlette.requests import Request

    from rcs_hooks.dashboard.sources import Sources

Record = dict[str, Any]

LARGEST = 64 * 1024
SOURCE = "dashboard"


async def answer(request: Request, sources: Sources) -> Record:
    given = shapes.Answer.model_validate_json(await _body(request))
    scope = await _scope(sources, given.root, given.session)
    return await run_in_threadpool(asking.answer, scope, request.path_params["question"], given.answer, source=SOURCE)


async def end(request: Request, sources: Sources) -> Record:
    given = shapes.End.model_validate_json(await _body(request))
    return await run_in_threadpool(_end, sources, request.path_params["run"], given.status)


def _end(sources: Sources, run_id: str, status: str) -> Record:
    """With a connection of its own: it may have to wait for those who emit."""
    kept = store.opened(sources.reader.path)
    try:
        return runs.end(kept, run_id, status, sources.clock())
    finally:
        if kept:
            kept.close()


async def clear(request: Request, sources: Sources) -> Record:
    given = shapes.Clear.model_validate_json(await _body(request))
    scope = await _scope(sources, given.root, given.session)
    mode = given.mode if given.mode == INVENTORY else checked_mode(given.mode)
    return await run_in_threadpool(surface.clear, scope, mode)


async def _scope(sources: Sources, root: str, session: str | None) -> Scope:
    """Only a workspace that is shown: no path from a request is ever taken for one."""
    if root not in await sources.workspaces():
        raise Refused(f"{clean(root, 200)!r} is no workspace that is shown here")
    name = checked_session(session) if session else None
    now = sources.clock()
    around = Surroundings(sources.env, root, now)
    return Scope(root, name, now, commands(root, root, name or "", around))


async def _body(request: Request) -> bytes:
    """Raises Unfit."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > LARGEST:
            raise Unfit(f"the body is larger than {LARGEST} bytes")
    return bytes(data)


def words_of(error: ValidationError) -> str:
    """One sentence of what pydantic found."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'the body'}: {first['msg'][:1].lower()}{first['msg'][1:]}"
