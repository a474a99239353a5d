"""`/api/schema`: the addresses and shapes as OpenAPI, made from `shapes.py`."""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic.json_schema import models_json_schema

from rcs_hooks import __version__
from rcs_hooks.dashboard import shapes

Record = dict[str, Any]

FILTERS = ("project", "workflow", "status", "feature", "since", "until", "before", "limit")
READ: dict[str, tuple[tuple[str, ...], type[shapes.Shape]]] = {
    "/api/runs": (FILTERS, shapes.Runs),
    "/api/runs/{run}": (("after", "limit"), shapes.RunDetail),
    "/api/runs/{run}/events": (("after", "limit"), shapes.Events),
    "/api/runs/{run}/artifact": (("path",), shapes.ArtifactText),
    "/api/sessions": (("project", "active", "limit"), shapes.Sessions),
    "/api/tasks": (("project",), shapes.Tasks),
    "/api/attention": ((), shapes.Attention),
    "/api/token": ((), shapes.Token),
}
ACT: dict[str, tuple[type[shapes.Shape], type[shapes.Shape]]] = {
    "/api/questions/{question}/answer": (shapes.Answer, shapes.Answered),
    "/api/runs/{run}/end": (shapes.End, shapes.Ended),
    "/api/modes/clear": (shapes.Clear, shapes.Cleared),
}
MESSAGES = (shapes.Hello, shapes.NewEvents, shapes.RunsChanged, shapes.StateChanged, shapes.Reset)
REF = "#/components/schemas/"


@cache
def document() -> Record:
    models: set[type[shapes.Shape]] = {shapes.Error, *MESSAGES, *(model for _, model in READ.values())}
    models |= {model for pair in ACT.values() for model in pair}
    named = sorted(models, key=lambda model: model.__name__)
    _, known = models_json_schema([(model, "validation") for model in named], ref_template=REF + "{model}")
    return {
        "openapi": "3.1.0",
        "info": {"title": "rcs dashboard", "version": __version__, "description": shapes.__doc__},
        "paths": {
            **{path: {"get": _read(path, query, model)} for path, (query, model) in READ.items()},
            **{path: {"post": _act(path, *pair)} for path, pair in ACT.items()},
        },
        "components": {"schemas": known["$defs"]},
        "x-websocket": {"path": "/ws", "query": ["after"], "messages": [{"$ref": _ref(model)} for model in MESSAGES]},
    }


def _ref(model: type[shapes.Shape]) -> str:
    return REF + model.__name__


def _content(model: type[shapes.Shape]) -> Record:
    return {"content": {"application/json": {"schema": {"$ref": _ref(model)}}}}


def _parameters(path: str, query: tuple[str, ...]) -> list[Record]:
    in_path = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    text = {"schema": {"type": "string"}}
    return [
        *({"name": name, "in": "path", "required": True} | text for name in in_path),
        *({"name": name, "in": "query", "required": name == "path"} | text for name in query),
    ]


def _answers(model: type[shapes.Shape]) -> Record:
    return {
        "200": {"description": "done"} | _content(model),
        "default": {"description": "refused"} | _content(shapes.Error),
    }


def _read(path: str, query: tuple[str, ...], model: type[shapes.Shape]) -> Record:
    return {"parameters": _parameters(path, query), "responses": _answers(model)}


def _act(path: str, taken: type[shapes.Shape], given: type[shapes.Shape]) -> Record:
    header = {"name": "X-RCS-Token", "in": "header", "required": True, "schema": {"type": "string"}}
    return {
        "parameters": [*_parameters(path, ()), header],
        "requestBody": {"required": True} | _content(taken),
        "responses": _answers(given),
    }
