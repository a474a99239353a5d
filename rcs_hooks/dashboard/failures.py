"""The answers to whatever fails: one sentence, as JSON; to a person's browser, a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException

from rcs_hooks.dashboard import actions, guard, pages, parameters, runs
from rcs_hooks.dashboard.api import answered
from rcs_hooks.errors import LockTimeout, RcsError, StoreError, SystemFailure, as_json, error_json
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def _status_of(error: Exception) -> int:
    if isinstance(error, runs.NotFound):
        return 404
    if isinstance(error, parameters.InvalidParameter):
        return 400
    return 503 if isinstance(error, (StoreError, LockTimeout)) else 409


async def refused(request: Request, error: Exception) -> Response:
    """Answer with an error of this package."""
    sentence = " ".join(str(error).split("\n"))
    body = as_json(error) if isinstance(error, RcsError) else guard.error_of(500, sentence)
    return answered(body | {"message": sentence, "error": sentence}, _status_of(error))


async def unfit(request: Request, error: Exception) -> Response:
    """Answer that the body of a request cannot be used."""
    words = actions.words_of(error) if isinstance(error, ValidationError) else str(error)
    return answered(guard.error_of(400, words), 400)


async def wrong_address(request: Request, error: Exception) -> Response:
    """Answer that an address or a method is not known: to a person's browser with a page, to a program with JSON."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404 and request.method == "GET" and pages.is_for_person(request):
        return pages.nothing_here(request)
    words = {404: f"there is nothing at {request.url.path[:200]!r}", 405: f"{request.method} is not allowed here"}
    return answered(guard.error_of(status, words.get(status, str(error))), status)


async def unusable(request: Request, error: Exception) -> Response:
    """Answer with an error of the system."""
    failure = SystemFailure(error) if isinstance(error, OSError) else RcsError(str(error))
    return answered(as_json(failure), 500)


async def unexpected(request: Request, error: Exception) -> Response:
    """Answer with an error that nobody foresaw."""
    sentence = f"something unexpected went wrong here: {type(error).__name__}: {clean(str(error), 200)}"
    return answered(error_json("unexpected", sentence, error=sentence), 500)


HANDLERS: dict[Any, Any] = {
    RcsError: refused,
    ValidationError: unfit,
    HTTPException: wrong_address,
    OSError: unusable,
    Exception: unexpected,
}
