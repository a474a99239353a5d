"""The actions of a page: answer a question, end a run, clear a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from rcs_hooks.dashboard import json_models
from rcs_hooks.dashboard.parameters import InvalidParameter

if TYPE_CHECKING:
    from starlette.requests import Request

    from rcs_hooks.dashboard.source import DashboardSource

Record = dict[str, Any]

LARGEST = 64 * 1024


async def answer(request: Request, data: DashboardSource) -> Record:
    """Answer the question in the address, and return the result as JSON."""
    body = json_models.AnswerJson.model_validate_json(await _body(request))
    return await data.answer(request.path_params["question"], body)


async def end(request: Request, data: DashboardSource) -> Record:
    """End the run in the address, and return the result as JSON."""
    body = json_models.EndJson.model_validate_json(await _body(request))
    return await data.end(request.path_params["run"], body.status)


async def clear(request: Request, data: DashboardSource) -> Record:
    """Clear a mode of a session, and return the result as JSON."""
    return await data.clear(json_models.ClearJson.model_validate_json(await _body(request)))


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
