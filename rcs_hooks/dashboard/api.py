"""The answers under `/api/`: each asks one room, and every failure is one sentence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from rcs_hooks import jsontext
from rcs_hooks.dashboard import actions, artifacts, asked, attention, runs, schema
from rcs_hooks.dashboard.sessions import ACTIVE, NEEDY
from rcs_hooks.errors import LockTimeout, RcsError, StoreError
from rcs_hooks.runs import reading
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from rcs_hooks.dashboard.reader import Kept
    from rcs_hooks.dashboard.sources import Sources

Record = dict[str, Any]

RUNS, EVENTS, SESSIONS = 50, 500, 100
MOST = 1000
NEEDS = 100


def answered(value: object, status: int = 200) -> Response:
    """ASCII only: whatever stands in a file, it is JSON."""
    text = jsontext.dumps_line(value)
    return Response(text, status, {"Cache-Control": "no-store"}, "application/json")


def _route(
    path: str, answer: Callable[[Request, Sources], Awaitable[Record]], sources: Sources, method: str = "GET"
) -> Route:
    async def endpoint(request: Request) -> Response:
        return answered(await answer(request, sources))

    return Route(path, endpoint, methods=[method], name=path)


def routes(sources: Sources, token: str) -> list[Route]:
    async def give_token(request: Request, _: Sources) -> Record:
        return {"token": token}

    async def describe(request: Request, _: Sources) -> Record:
        return schema.document()

    get = partial(_route, sources=sources)
    post = partial(_route, sources=sources, method="POST")
    return [
        get("/api/runs", list_runs),
        get("/api/runs/{run}", show_run),
        get("/api/runs/{run}/events", list_events),
        get("/api/runs/{run}/artifact", show_artifact),
        get("/api/sessions", list_sessions),
        get("/api/tasks", list_tasks),
        get("/api/attention", list_needs),
        get("/api/token", give_token),
        get("/api/schema", describe),
        post("/api/questions/{question}/answer", actions.answer),
        post("/api/runs/{run}/end", actions.end),
        post("/api/modes/clear", actions.clear),
    ]


# --- runs


async def list_runs(request: Request, sources: Sources) -> Record:
    query = request.query_params
    asked.only(query, "project", "workflow", "status", "feature", "since", "until", "before", "limit")
    limit = asked.number(query, "limit", RUNS, least=1, most=MOST)
    before = asked.number(query, "before")
    return await sources.reader.ask(
        _list_runs, sources, limit=limit, before=before, **asked.filters(query, sources.now_ms)
    )


def _list_runs(kept: Kept, /, sources: Sources, **given: Any) -> Record:
    """`seq` is read first: what comes meanwhile is behind it."""
    seq = runs.head(kept)
    return runs.listed(kept, sources.now_ms, **given) | sources.filters(kept) | {"seq": seq}


async def show_run(request: Request, sources: Sources) -> Record:
    return await sources.reader.ask(_show_run, sources, request.path_params["run"], **_span(request))


def _show_run(kept: Kept, /, sources: Sources, run_id: str, **span: Any) -> Record:
    seq = runs.head(kept)
    return runs.whole(kept, run_id, sources.now_ms, sources.machines, sources.ways, **span) | {"seq": seq}


async def list_events(request: Request, sources: Sources) -> Record:
    return await sources.reader.ask(runs.events, request.path_params["run"], **_span(request))


def _span(request: Request) -> Record:
    asked.only(request.query_params, "after", "limit")
    return {
        "after": asked.number(request.query_params, "after"),
        "limit": asked.number(request.query_params, "limit", EVENTS, least=1, most=MOST),
    }


async def show_artifact(request: Request, sources: Sources) -> Record:
    asked.only(request.query_params, "path")
    path = request.query_params.get("path", "")
    run_id = request.path_params["run"]
    project, found = await sources.reader.ask(runs.artifact, run_id, path)
    return await run_in_threadpool(artifacts.text_of, project, run_id, found)


# --- sessions, tasks, and what needs a person


async def _roots(request: Request, sources: Sources) -> list[str]:
    project = asked.text(request.query_params, "project")
    return [root for root in await sources.workspaces() if project in (None, root)]


async def list_sessions(request: Request, sources: Sources) -> Record:
    query = request.query_params
    asked.only(query, "project", "active", "limit")
    limit = asked.number(query, "limit", SESSIONS, least=1, most=MOST)
    active = asked.yes(query, "active")
    roots = await _roots(request, sources)
    return await run_in_threadpool(sources.sessions, roots, limit=limit, only=ACTIVE if active else None)


async def list_tasks(request: Request, sources: Sources) -> Record:
    asked.only(request.query_params, "project")
    return await run_in_threadpool(sources.tasks, await _roots(request, sources))


async def list_needs(request: Request, sources: Sources) -> Record:
    asked.only(request.query_params)
    seq, found = await sources.reader.ask(_needy_runs, sources.now_ms)
    roots = await sources.workspaces()
    known = await run_in_threadpool(sources.sessions, roots, limit=2 * NEEDS, only=NEEDY)
    tasks = await run_in_threadpool(sources.tasks, roots)
    needs = attention.sorted_out(found, known["sessions"], tasks["tasks"], sources.clock())
    working = attention.working(found, known["sessions"], tasks["tasks"], needs)
    return {**needs, "working": working, "seq": seq, "state": known["state"]}


def _needy_runs(kept: Kept, now_ms: int) -> tuple[int, list[Record]]:
    """With the status that is stored: what is silent for a day is stalled all the same."""
    if kept is None:
        return 0, []
    seq = runs.head(kept)
    since = now_ms - round(attention.HISTORY_AFTER * 1000)
    found = [
        run
        for status, limit in (("waiting", NEEDS), ("failed", NEEDS), ("inactive", NEEDS), ("running", MOST))
        for run in kept.runs(now_ms, status=status, since_ms=since, limit=limit)
        if run["file"]
    ]
    return seq, [reading.run_of(run, now_ms) | {"status": run["status"]} for run in found]


# --- failures


def _status_of(error: Exception) -> int:
    if isinstance(error, runs.Missing):
        return 404
    if isinstance(error, asked.Unfit):
        return 400
    return 503 if isinstance(error, (StoreError, LockTimeout)) else 409


async def refused(request: Request, error: Exception) -> Response:
    return answered({"error": " ".join(str(error).split("\n"))}, _status_of(error))


async def unfit(request: Request, error: Exception) -> Response:
    words = actions.words_of(error) if isinstance(error, ValidationError) else str(error)
    return answered({"error": words}, 400)


async def wrong_address(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = {404: f"there is nothing at {request.url.path[:200]!r}", 405: f"{request.method} is not taken here"}
    return answered({"error": words.get(status, str(error))}, status)


async def unusable(request: Request, error: Exception) -> Response:
    """The system has said no."""
    where = f"{error.filename}: " if isinstance(error, OSError) and error.filename else ""
    why = (error.strerror or str(error)).lower() if isinstance(error, OSError) else str(error)
    return answered({"error": f"{where}{why}"}, 500)


async def unexpected(request: Request, error: Exception) -> Response:
    return answered(
        {"error": f"something unexpected went wrong here: {type(error).__name__}: {clean(str(error), 200)}"}, 500
    )


HANDLERS: dict[Any, Any] = {
    RcsError: refused,
    ValidationError: unfit,
    HTTPException: wrong_address,
    OSError: unusable,
    Exception: unexpected,
}
