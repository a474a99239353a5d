"""The pages and their styles and scripts: files of this package, and no others."""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from rcs_hooks.dashboard import script
from rcs_hooks.dashboard.guard import DATA

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
COMPRESSED = tuple(kind for kind in KINDS.values() if kind.startswith("text/") or kind in ("image/svg+xml",))
PAGE, SCRIPT = "index.html", "pages.js"
ADDRESSES = ("/", "/attention", "/all", "/runs", "/runs/{run}", "/sessions", "/modes/{mode}", "/tasks")
SHARED_ADDRESSES = ("/machines",)


async def page(request: Request) -> Response:
    """Answer every address of the page with the same file; its script shows what belongs to the address."""
    return _file(request, PAGE)


async def page_with_switch(request: Request) -> Response:
    """Answer as `page`, with the mark by which the page shows the switch between this machine and all machines."""
    with open(os.path.join(STATIC, PAGE), "rb") as opened:
        data = opened.read().replace(b"<body>", b'<body data-shared="both">')
    return _answer(request, data, KINDS[".html"])


def is_for_person(request: Request) -> bool:
    """Tell whether a browser wants a page to show, and no part of one."""
    is_part = request.url.path.startswith((*DATA, "/static/"))
    return not is_part and "text/html" in request.headers.get("accept", "")


def nothing_here(request: Request) -> Response:
    """Answer with the page that says that there is nothing at this address."""
    return _file(request, PAGE, 404)


async def file(request: Request) -> Response:
    return _file(request, request.path_params["path"])


def _file(request: Request, path: str, status: int = 200) -> Response:
    """Answer with a static file. Raises HTTPException."""
    if path == SCRIPT:
        return _answer(request, script.bundle(STATIC), KINDS[".js"])
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
    return _answer(request, data, kind, status)


def _answer(request: Request, data: bytes, kind: str, status: int = 200) -> Response:
    """Answer with a file, compressed where the browser takes that, or with the word that it has not changed."""
    tag = f'"{len(data):x}-{zlib.crc32(data):08x}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if status == 200 and request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    if kind in COMPRESSED and "gzip" in request.headers.get("accept-encoding", ""):
        data, headers = _compressed(data), headers | {"Content-Encoding": "gzip"}
    return Response(data, status, headers, kind)


@lru_cache(maxsize=32)
def _compressed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def routes(prefix: str = "", *, has_shared: bool = False) -> list[Route]:
    """Return the routes of every page; `prefix` is what their addresses begin with."""
    answer = page_with_switch if has_shared else page
    addresses = [f"{prefix}{address}" for address in (*ADDRESSES, *(SHARED_ADDRESSES if prefix else ()))]
    return [Route(address, answer, name=address) for address in addresses]


def static() -> Route:
    """Return the route of the files that the pages need."""
    return Route("/static/{path:path}", file)
