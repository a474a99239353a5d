"""The actions of a page: answer a question, end a run, clear a mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rcs_hooks.dashboard.parameters import InvalidParameter

if TYPE_CHECKING:
    from starlette.requests import Request

    from rcs_hooks.dashboard.source import DashboardSource

Record = dict[str, Any]

LARGEST = 64 * 1024


class Body(BaseModel):
    """What a page sends; no other keys than these."""

    model_config = ConfigDict(extra="forbid")


class Answer(Body):
    root: str
    session: str | None = None
    """As in the session that asks."""
    answer: str = Field(min_length=1, max_length=4000)


class End(Body):
    status: Literal["completed", "failed", "skipped"] = "skipped"


class Clear(Body):
    root: str
    session: str | None = None
    mode: str


async def answer(request: Request, data: DashboardSource) -> Record:
    """Answer the question in the address, and return the result as JSON."""
    body = Answer.model_validate_json(await _body(request))
    return await data.answer(request.path_params["question"], body)


async def end(request: Request, data: DashboardSource) -> Record:
    """End the run in the address, and return the result as JSON."""
    body = End.model_validate_json(await _body(request))
    return await data.end(request.path_params["run"], body.status)


async def clear(request: Request, data: DashboardSource) -> Record:
    """Clear a mode of a session, and return the result as JSON."""
    return await data.clear(Clear.model_validate_json(await _body(request)))


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
