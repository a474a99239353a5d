"""`/api/schema`: the addresses and their JSON as OpenAPI, made from the `json_*.py` beside it."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic.json_schema import models_json_schema

from rcs_hooks import __version__
from rcs_hooks.dashboard import json_live, json_machines, json_models, json_modes, json_runs
from rcs_hooks.dashboard.json_models import JsonModel

Record = dict[str, Any]

FILTERS = ("project", "workflow", "status", "feature", "since", "until", "before", "limit", "sort")
READ: dict[str, tuple[tuple[str, ...], type[JsonModel]]] = {
    "/api/overview": (("project",), json_modes.OverviewJson),
    "/api/all": (("q", "kind", "project", "state", "sort", "limit"), json_modes.AllJson),
    "/api/runs": (FILTERS, json_runs.RunsJson),
    "/api/runs/{run}": (("after", "limit"), json_runs.RunDetailJson),
    "/api/runs/{run}/events": (("after", "limit"), json_runs.EventsJson),
    "/api/runs/{run}/artifact": (("path",), json_runs.ArtifactTextJson),
    "/api/sessions": (("project", "session", "active", "limit"), json_models.SessionsJson),
    "/api/modes/{mode}": (("project", "session", "run"), json_modes.ModeRunJson),
    "/api/tasks": (("project",), json_models.TasksJson),
    "/api/attention": ((), json_models.AttentionJson),
    "/api/token": ((), json_models.TokenJson),
    "/shared/api/machines": ((), json_machines.MachinesJson),
}
ACT: dict[str, tuple[type[JsonModel], type[JsonModel]]] = {
    "/api/questions/{question}/answer": (json_models.AnswerJson, json_models.AnsweredJson),
    "/api/runs/{run}/end": (json_models.EndJson, json_models.EndedJson),
    "/api/modes/clear": (json_models.ClearJson, json_models.ClearedJson),
}
MESSAGES = (
    json_live.HelloJson,
    json_live.NewEventsJson,
    json_live.RunsChangedJson,
    json_live.StateChangedJson,
    json_live.ResetJson,
)
FILE = "/api/runs/{run}/file"
REF = "#/components/schemas/"


@cache
def document() -> Record:
    """Describe every address of the server as one OpenAPI document."""
    models: set[type[JsonModel]] = {json_models.ErrorJson, *MESSAGES, *(model for _, model in READ.values())}
    models |= {model for pair in ACT.values() for model in pair}
    named = sorted(models, key=lambda model: model.__name__)
    _, known = models_json_schema([(model, "validation") for model in named], ref_template=REF + "{model}")
    described = {
        "openapi": "3.1.0",
        "info": {"title": "rcs dashboard", "version": __version__, "description": json_models.__doc__},
        "paths": {
            FILE: {"get": _file()},
            **{path: {"get": _read(path, query, model)} for path, (query, model) in READ.items()},
            **{path: {"post": _act(path, *pair)} for path, pair in ACT.items()},
        },
        "components": {"schemas": known["$defs"]},
        "x-websocket": {"path": "/ws", "query": ["after"], "messages": [{"$ref": _ref(model)} for model in MESSAGES]},
    }
    return cast("Record", _with_public_names(described))


def _with_public_names(value: Any) -> Any:
    """Return JSON without the class name suffixes, which only tell the classes from those of other rooms."""
    if isinstance(value, dict):
        return {_public_name(key): _with_public_names(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_public_names(each) for each in value]
    return _public_name(value) if isinstance(value, str) else value


def _public_name(name: str) -> str:
    """Return the public name of a class, alone or at the end of a reference; other text is returned unchanged."""
    return name.removesuffix("Json")


def _ref(model: type[JsonModel]) -> str:
    return REF + model.__name__


def _content(model: type[JsonModel]) -> Record:
    return {"content": {"application/json": {"schema": {"$ref": _ref(model)}}}}


def _parameters(path: str, query: tuple[str, ...]) -> list[Record]:
    in_path = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    text = {"schema": {"type": "string"}}
    return [
        *({"name": name, "in": "path", "required": True} | text for name in in_path),
        *({"name": name, "in": "query", "required": name == "path"} | text for name in query),
    ]


def _answers(model: type[JsonModel]) -> Record:
    return {
        "200": {"description": "done"} | _content(model),
        "default": {"description": "refused"} | _content(json_models.ErrorJson),
    }


def _read(path: str, query: tuple[str, ...], model: type[JsonModel]) -> Record:
    return {"parameters": _parameters(path, query), "responses": _answers(model)}


def _file() -> Record:
    content = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    answers = _answers(json_models.ErrorJson)
    answers["200"] = {"description": "the file, or the picture"} | content
    return {"parameters": _parameters(FILE, ("path", "download")), "responses": answers}


def _act(path: str, body: type[JsonModel], answer: type[JsonModel]) -> Record:
    header = {"name": "X-RCS-Token", "in": "header", "required": True, "schema": {"type": "string"}}
    return {
        "parameters": [*_parameters(path, ()), header],
        "requestBody": {"required": True} | _content(body),
        "responses": _answers(answer),
    }
