"""The pages and their styles and scripts: files of this package, and no others."""

from __future__ import annotations

import errno
import os
import zlib
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}
NOTHING_THERE = (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG)
PAGE = "index.html"
ADDRESSES = ("/", "/attention", "/runs", "/runs/{run}", "/sessions", "/modes/{mode}", "/tasks")


async def page(request: Request) -> Response:
    """Answer every address of the page with the same file; its script shows what belongs to the address."""
    return _file(request, PAGE)


async def file(request: Request) -> Response:
    return _file(request, request.path_params["path"])


def _file(request: Request, path: str) -> Response:
    """Answer with a static file. Raises HTTPException."""
    parts = path.split("/")
    kind = KINDS.get(os.path.splitext(path)[1])
    if kind is None or any(part.startswith(".") or not part or "\\" in part or "\0" in part for part in parts):
        raise HTTPException(404)
    try:
        with open(os.path.join(STATIC, *parts), "rb") as opened:
            data = opened.read()
    except OSError as error:
        if error.errno not in NOTHING_THERE:
            raise
        raise HTTPException(404) from None
    tag = f'"{len(data):x}-{zlib.crc32(data):08x}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(data, headers=headers, media_type=kind)


def routes() -> list[Route]:
    return [*(Route(address, page, name=address) for address in ADDRESSES), Route("/static/{path:path}", file)]
