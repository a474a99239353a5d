"""The answers under `/api/`; every failure is answered with one sentence."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response
from starlette.routing import Route

from rcs_hooks import jsontext
from rcs_hooks.dashboard import (
    actions,
    artifacts,
    everything,
    parameters,
    runs,
)
from rcs_hooks.dashboard.sessions import ACTIVE
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.state.validation import check_session_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from rcs_hooks.dashboard.source import DashboardSource
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

RUNS, EVENTS, SESSIONS = 50, 500, 100
MOST = 1000


def answered(value: object, status: int = 200) -> Response:
    """Return a response with JSON, in ASCII alone, so that no character of a file can make it something else."""
    text = jsontext.dumps_line(value)
    return Response(text, status, {"Cache-Control": "no-store"}, "application/json")


def _route(
    path: str,
    answer: Callable[[Request, DashboardSource], Awaitable[Record]],
    data: DashboardSource,
    prefix: str,
    method: str = "GET",
) -> Route:
    async def endpoint(request: Request) -> Response:
        return answered(await answer(request, data))

    path = prefix + path
    return Route(path, endpoint, methods=[method], name=path)


def routes(data: DashboardSource, token: str, prefix: str = "") -> list[Route]:
    """Return the routes of every answer about some data; `prefix` is what their addresses begin with."""

    async def give_token(request: Request, _: DashboardSource) -> Record:
        return {"token": token}

    async def send_file(request: Request) -> Response:
        return await send_artifact(request, data)

    get = partial(_route, data=data, prefix=prefix)
    post = partial(_route, data=data, prefix=prefix, method="POST")
    machines = [get("/api/machines", list_machines)] if prefix else []
    return [
        *machines,
        get("/api/overview", list_all),
        get("/api/all", search_all),
        get("/api/runs", list_runs),
        get("/api/runs/{run}", show_run),
        get("/api/runs/{run}/events", list_events),
        get("/api/runs/{run}/artifact", show_artifact),
        Route(f"{prefix}/api/runs/{{run}}/file", send_file, name=f"{prefix}/api/runs/{{run}}/file"),
        get("/api/sessions", list_sessions),
        get("/api/modes/{mode}", show_mode),
        get("/api/tasks", list_tasks),
        get("/api/attention", list_needs),
        get("/api/token", give_token),
        post("/api/questions/{question}/answer", actions.answer),
        post("/api/runs/{run}/end", actions.end),
        post("/api/modes/clear", actions.clear),
    ]


# --- the one list


async def list_all(request: Request, data: DashboardSource) -> Record:
    parameters.only(request.query_params, "project")
    return await data.overview(parameters.text(request.query_params, "project"))


async def search_all(request: Request, data: DashboardSource) -> Record:
    query = request.query_params
    parameters.only(query, "q", "kind", "project", "state", "sort", "limit")
    limit = parameters.number(query, "limit", RUNS, least=1, most=MOST)
    wanted = everything.EntryQuery(
        parameters.text(query, "q") or "",
        parameters.one_of(query, "kind", (everything.MODE, everything.RUN, everything.TASK)),
        parameters.text(query, "project"),
        parameters.one_of(query, "state", everything.STATES),
        parameters.one_of(query, "sort", everything.SORTS) or "last",
    )
    return await data.everything(wanted, limit)


# --- runs


async def list_runs(request: Request, data: DashboardSource) -> Record:
    query = request.query_params
    parameters.only(
        query, "project", "workflow", "status", "feature", "session", "since", "until", "before", "limit", "sort"
    )
    limit = parameters.number(query, "limit", RUNS, least=1, most=MOST)
    before = parameters.number(query, "before")
    filters = parameters.filters(query, data.now_ms)
    sort = parameters.one_of(query, "sort", runs.SORTS) or "last"
    return await data.store.ask(_list_runs, data, filters, limit=limit, before=before, sort=sort)


def _list_runs(
    store: RunStore | None, /, data: DashboardSource, filters: RunFilter, *, limit: int, before: int | None, sort: str
) -> Record:
    """Return a page of runs as JSON. `seq` is read first, so that an event which comes meanwhile has a higher one."""
    seq = runs.newest_event(store)
    if sort == "last":
        found = runs.list_runs(store, data.now_ms, filters, limit=limit, before=before)
    else:
        found = runs.sorted_runs(store, data.now_ms, filters, sort=sort, limit=limit)
    return found | runs.totals(store, data.now_ms, filters) | data.filters(store) | {"seq": seq}


async def show_run(request: Request, data: DashboardSource) -> Record:
    found = await data.store.ask(_show_run, data, request.path_params["run"], **_event_page(request))
    return found | await data.session_of_run(found)


def _show_run(store: RunStore | None, /, data: DashboardSource, run_id: str, **page: Any) -> Record:
    seq = runs.newest_event(store)
    return data.show_run(store, run_id, **page) | {"seq": seq}


async def list_events(request: Request, data: DashboardSource) -> Record:
    return await data.store.ask(runs.list_events, request.path_params["run"], **_event_page(request))


def _event_page(request: Request) -> Record:
    parameters.only(request.query_params, "after", "limit")
    return {
        "after": parameters.number(request.query_params, "after"),
        "limit": parameters.number(request.query_params, "limit", EVENTS, least=1, most=MOST),
    }


async def show_artifact(request: Request, data: DashboardSource) -> Record:
    parameters.only(request.query_params, "path")
    return await data.artifact(request.path_params["run"], request.query_params.get("path", ""))


async def send_artifact(request: Request, data: DashboardSource) -> Response:
    """Answer with an artifact as it is: a picture to be shown, or any file to be stored, which no browser opens."""
    parameters.only(request.query_params, "path", "download")
    path = request.query_params.get("path", "")
    is_stored = parameters.flag(request.query_params, "download")
    content, kind = await data.artifact_file(request.path_params["run"], path)
    is_shown = kind != artifacts.UNKNOWN and not is_stored
    name = quote(os.path.basename(path), safe="")
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f"{'inline' if is_shown else 'attachment'}; filename*=utf-8''{name}",
    }
    return Response(content, 200, headers, kind)


# --- sessions, tasks, and what needs a person


async def list_sessions(request: Request, data: DashboardSource) -> Record:
    query = request.query_params
    parameters.only(query, "project", "session", "active", "limit")
    limit = parameters.number(query, "limit", SESSIONS, least=1, most=MOST)
    only = ACTIVE if parameters.flag(query, "active") else None
    session = parameters.text(query, "session") or query.get("session")  # an empty one is the root's
    return await data.sessions(parameters.text(query, "project"), session, limit=limit, only=only)


async def show_mode(request: Request, data: DashboardSource) -> Record:
    query = request.query_params
    parameters.only(query, "project", "session", "run")
    session = check_session_id(parameters.text(query, "session"))
    run = parameters.number(query, "run")
    return await data.mode(request.path_params["mode"], parameters.text(query, "project"), session, run)


async def list_tasks(request: Request, data: DashboardSource) -> Record:
    parameters.only(request.query_params, "project")
    return await data.tasks(parameters.text(request.query_params, "project"))


async def list_machines(request: Request, data: DashboardSource) -> Record:
    parameters.only(request.query_params)
    return await data.machines()


async def list_needs(request: Request, data: DashboardSource) -> Record:
    parameters.only(request.query_params)
    return await data.attention()
