"""The answers under `/api/`; every failure is answered with one sentence."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.routing import Route

from rcs_hooks import jsontext
from rcs_hooks.dashboard import (
    actions,
    artifacts,
    attention,
    everything,
    mode_runs,
    overview,
    parameters,
    runs,
    schema,
    tasks,
)
from rcs_hooks.dashboard.sessions import ACTIVE, NEEDY
from rcs_hooks.overview import state_version
from rcs_hooks.overview.reasons import reason_of
from rcs_hooks.runs import queries
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.state.validation import check_session_id
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from rcs_hooks.dashboard.data import DashboardData
    from rcs_hooks.runs.store import RunStore

Record = dict[str, Any]

RUNS, EVENTS, SESSIONS = 50, 500, 100
MOST = 1000
NEEDS = 100
LOOKED_AT = (("waiting", NEEDS), ("failed", NEEDS), ("stalled", NEEDS), ("inactive", NEEDS), ("running", MOST))
"""The statuses of runs that may need a person or work, and how many of each are looked at."""


def answered(value: object, status: int = 200) -> Response:
    """Return a response with JSON, in ASCII alone, so that no character of a file can make it something else."""
    text = jsontext.dumps_line(value)
    return Response(text, status, {"Cache-Control": "no-store"}, "application/json")


def _route(
    path: str,
    answer: Callable[[Request, DashboardData], Awaitable[Record]],
    data: DashboardData,
    method: str = "GET",
) -> Route:
    async def endpoint(request: Request) -> Response:
        return answered(await answer(request, data))

    return Route(path, endpoint, methods=[method], name=path)


def routes(data: DashboardData, token: str) -> list[Route]:
    async def give_token(request: Request, _: DashboardData) -> Record:
        return {"token": token}

    async def describe(request: Request, _: DashboardData) -> Record:
        return schema.document()

    async def send_file(request: Request) -> Response:
        return await send_artifact(request, data)

    get = partial(_route, data=data)
    post = partial(_route, data=data, method="POST")
    return [
        get("/api/overview", list_all),
        get("/api/all", search_all),
        get("/api/runs", list_runs),
        get("/api/runs/{run}", show_run),
        get("/api/runs/{run}/events", list_events),
        get("/api/runs/{run}/artifact", show_artifact),
        Route("/api/runs/{run}/file", send_file, name="/api/runs/{run}/file"),
        get("/api/sessions", list_sessions),
        get("/api/modes/{mode}", show_mode),
        get("/api/tasks", list_tasks),
        get("/api/attention", list_needs),
        get("/api/token", give_token),
        get("/api/schema", describe),
        post("/api/questions/{question}/answer", actions.answer),
        post("/api/runs/{run}/end", actions.end),
        post("/api/modes/clear", actions.clear),
    ]


# --- the one list


async def list_all(request: Request, data: DashboardData) -> Record:
    parameters.only(request.query_params, "project")
    project = parameters.text(request.query_params, "project")
    seq, others = await data.store.ask(_newest_and_projects, data.now_ms)
    roots = await data.workspaces()
    state = await run_in_threadpool(_version_of, roots)
    projects = list(dict.fromkeys([*roots, *others]))
    shown = [root for root in projects if project in (None, root)]
    found = await run_in_threadpool(overview.list_all, data.store.location, data.env, shown, data.clock())
    return found | {"projects": projects, "seq": seq, "state": state}


async def search_all(request: Request, data: DashboardData) -> Record:
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
    seq, others = await data.store.ask(_newest_and_projects, data.now_ms)
    roots = await data.workspaces()
    state = await run_in_threadpool(_version_of, roots)
    found = await run_in_threadpool(data.everything, list(dict.fromkeys([*roots, *others])), roots)
    shown = everything.page_of(found, wanted, limit)
    return shown | {"projects": list(dict.fromkeys([*roots, *others])), "seq": seq, "state": state}


def _newest_and_projects(store: RunStore | None, now_ms: int) -> tuple[int, list[str]]:
    """Return the id of the newest event, which is read first, and the projects of the latest runs."""
    return runs.newest_event(store), overview.projects_of_runs(store, now_ms)


def _version_of(roots: list[str]) -> str:
    return state_version.combine(state_version.versions(roots))


# --- runs


async def list_runs(request: Request, data: DashboardData) -> Record:
    query = request.query_params
    parameters.only(query, "project", "workflow", "status", "feature", "since", "until", "before", "limit", "sort")
    limit = parameters.number(query, "limit", RUNS, least=1, most=MOST)
    before = parameters.number(query, "before")
    filters = parameters.filters(query, data.now_ms)
    sort = parameters.one_of(query, "sort", runs.SORTS) or "last"
    return await data.store.ask(_list_runs, data, filters, limit=limit, before=before, sort=sort)


def _list_runs(
    store: RunStore | None, /, data: DashboardData, filters: RunFilter, *, limit: int, before: int | None, sort: str
) -> Record:
    """Return a page of runs as JSON. `seq` is read first, so that an event which comes meanwhile has a higher one."""
    seq = runs.newest_event(store)
    if sort == "last":
        found = runs.list_runs(store, data.now_ms, filters, limit=limit, before=before)
    else:
        found = runs.sorted_runs(store, data.now_ms, filters, sort=sort, limit=limit)
    return found | runs.totals(store, data.now_ms, filters) | data.filters(store) | {"seq": seq}


async def show_run(request: Request, data: DashboardData) -> Record:
    return await data.store.ask(_show_run, data, request.path_params["run"], **_event_page(request))


def _show_run(store: RunStore | None, /, data: DashboardData, run_id: str, **page: Any) -> Record:
    seq = runs.newest_event(store)
    return runs.show_run(store, run_id, data.now_ms, data.machines, data.paths, **page) | {"seq": seq}


async def list_events(request: Request, data: DashboardData) -> Record:
    return await data.store.ask(runs.list_events, request.path_params["run"], **_event_page(request))


def _event_page(request: Request) -> Record:
    parameters.only(request.query_params, "after", "limit")
    return {
        "after": parameters.number(request.query_params, "after"),
        "limit": parameters.number(request.query_params, "limit", EVENTS, least=1, most=MOST),
    }


async def show_artifact(request: Request, data: DashboardData) -> Record:
    parameters.only(request.query_params, "path")
    path = request.query_params.get("path", "")
    run_id = request.path_params["run"]
    project, found = await data.store.ask(runs.find_artifact, run_id, path)
    return await run_in_threadpool(artifacts.text_of, project, run_id, found)


async def send_artifact(request: Request, data: DashboardData) -> Response:
    """Answer with an artifact as it is: a picture to be shown, or any file to be stored, which no browser opens."""
    parameters.only(request.query_params, "path", "download")
    path = request.query_params.get("path", "")
    is_stored = parameters.flag(request.query_params, "download")
    project, found = await data.store.ask(runs.find_artifact, request.path_params["run"], path)
    content, kind = await run_in_threadpool(artifacts.bytes_of, project, found)
    is_shown = kind != artifacts.UNKNOWN and not is_stored
    name = quote(os.path.basename(found.path), safe="")
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f"{'inline' if is_shown else 'attachment'}; filename*=utf-8''{name}",
    }
    return Response(content, 200, headers, kind)


# --- sessions, tasks, and what needs a person


async def _roots(request: Request, data: DashboardData) -> list[str]:
    project = parameters.text(request.query_params, "project")
    return [root for root in await data.workspaces() if project in (None, root)]


async def list_sessions(request: Request, data: DashboardData) -> Record:
    query = request.query_params
    parameters.only(query, "project", "active", "limit")
    limit = parameters.number(query, "limit", SESSIONS, least=1, most=MOST)
    active = parameters.flag(query, "active")
    roots = await _roots(request, data)
    return await run_in_threadpool(data.sessions, roots, limit=limit, only=ACTIVE if active else None)


async def show_mode(request: Request, data: DashboardData) -> Record:
    query = request.query_params
    parameters.only(query, "project", "session", "run")
    root = parameters.text(query, "project") or data.root
    session = check_session_id(parameters.text(query, "session"))
    run = parameters.number(query, "run")
    roots = await data.workspaces()
    if root not in roots:
        raise runs.NotFound(f"{clean(root, 200)!r} is not a workspace that is shown here")
    state = await run_in_threadpool(_version_of, roots)
    mode = request.path_params["mode"]
    found = await run_in_threadpool(mode_runs.show, root, session, mode, data.clock(), run)
    return found | {"state": state}


async def list_tasks(request: Request, data: DashboardData) -> Record:
    parameters.only(request.query_params, "project")
    return await run_in_threadpool(data.tasks, await _roots(request, data))


async def list_needs(request: Request, data: DashboardData) -> Record:
    parameters.only(request.query_params)
    seq, found = await data.store.ask(_needy_runs, data.now_ms)
    roots = await data.workspaces()
    known = await run_in_threadpool(data.sessions, roots, limit=2 * NEEDS, only=NEEDY)
    listed = await run_in_threadpool(tasks.list_tasks, roots, data.clock())
    needs = attention.needs_of(found, known["sessions"], listed, data.clock())
    working = attention.working(found, known["sessions"], listed, needs)
    return {**needs, "working": working, "seq": seq, "state": known["state"]}


def _needy_runs(store: RunStore | None, now_ms: int) -> tuple[int, list[Record]]:
    """Return the id of the newest event, and the runs that may need a person, as JSON.

    The runs keep their stored status even after a day without an event, so that such a run counts as stalled.
    """
    if store is None:
        return 0, []
    seq = runs.newest_event(store)
    since = now_ms - round(attention.HISTORY_AFTER * 1000)
    found = [
        run
        for status, limit in LOOKED_AT
        for run in store.runs(now_ms, RunFilter(status=status, since_ms=since), limit=limit)
        if run.file
    ]
    return seq, [
        queries.run_as_json(run, now_ms) | {"status": run.status, "reason": reason_of(store, run)} for run in found
    ]
