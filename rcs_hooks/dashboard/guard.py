"""The guard around the application: which requests are answered, and the security headers of every response.

Rules of this file:
- The host in the address must be a name of this machine: another name that leads here (DNS rebinding) is refused.
- A request from a page of another origin is refused; one that acts, or opens the WebSocket, must name this origin. One
  that acts must also be JSON, and carry the token that only a page of this origin can read.
- Where others can reach the server, or a person wants it, it asks for a key, which people know as the token.
- The server prints and opens not the key but a code, which opens one page once: later it is worthless to anybody
  who finds it in a process list, in a log or in a browser's history.
- The cookie is not the key either, but derived from it and the port: a browser sends a cookie to each port of a name.
- Only requests that were let through count towards the limit, so that strangers cannot lock anybody out.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs

from rcs_hooks import jsontext
from rcs_hooks.errors import error_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-rcs-token"  # noqa: S105 - its name
KEY = "token"
"""The parameter of an address that holds the key, or a code instead of it."""
AT_ONCE = 300
LONGEST_PATH = 2_000
POLICY = (
    "default-src 'self'; connect-src 'self' {sockets}; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
FIXED = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
GO_ON = "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content='0;url={path}'><title>rcs</title>"
DATA = ("/api/", "/shared/api/")
"""What the addresses of data begin with, which are no pages."""
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


class DeniedRequest(NamedTuple):
    """Why a request is denied: the HTTP status, and one sentence."""

    status: int
    sentence: str


CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    414: "address_too_long",
    415: "unsupported_media_type",
    503: "busy",
}


def error_of(status: int, sentence: str) -> dict[str, Any]:
    """Return the error object for a refusal with an HTTP status, in the form of every surface."""
    return error_json(CODES.get(status, "error"), sentence, error=sentence)


def is_loopback(host: str) -> bool:
    """Tell whether a host is reached from this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class AccessRules:
    """The rules for requests, at the address that the server listens at."""

    def __init__(self, host: str, *, key: str | None) -> None:
        self.key = key
        self.token = secrets.token_urlsafe(24)
        """A token that changes with each start; a page reads it before it acts."""
        self._codes: dict[str, Callable[[], None]] = {}
        self.is_open = not is_loopback(host)
        named = host.lower() if ":" not in host else f"[{host.strip('[]').lower()}]"
        self._names = {named, *LOCAL_NAMES}
        if self.is_open:
            here = socket.gethostname().lower()
            self._names |= {here, here.partition(".")[0], f"{here.partition('.')[0]}.local"}

    def new_code(self, used: Callable[[], None]) -> str:
        """Return a new code that opens one page once; `used` is called when that happens."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = used
        return code

    def take_code(self, value: str) -> None:
        """Use up a code, and call the function that it was made with; any other value is ignored."""
        code = next((each for each in self._codes if _is_same(value, each)), None)
        if code is not None:
            self._codes.pop(code)()

    def knows(self, host: str) -> bool:
        """Tell whether a Host header names this machine; through a tunnel the port may be another."""
        name = _without_port(host).lower()
        if host[len(name) :].strip(":0123456789"):  # the policy header repeats it
            return False
        if name in self._names:
            return True
        return self.is_open and _is_address(name)

    def refusal(self, scope: Scope, headers: Mapping[str, str]) -> DeniedRequest | None:
        """Return why a request is denied; None if it is allowed."""
        host = headers.get("host", "")
        if not self.knows(host):
            return DeniedRequest(
                403, f"the host {host[:80]!r} is not this server's; open the address that rcs dashboard says"
            )
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = headers.get("origin")
        if (acts or origin is not None) and origin not in (f"http://{host}", f"https://{host}"):
            return DeniedRequest(403, f"a page of {(origin or 'no origin')[:80]!r} may neither read nor act here")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not _is_navigation(scope, headers):
            return DeniedRequest(403, "a page of another origin may not read this")
        if self.key is not None and not self._has_key(scope, headers):
            return DeniedRequest(401, "a token is needed; open the address that rcs dashboard said when it started")
        if acts and scope["type"] == "http":
            return self._cannot_act(headers)
        return None

    def _cannot_act(self, headers: Mapping[str, str]) -> DeniedRequest | None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return DeniedRequest(415, f"the body is {kind or 'nothing'!r}; send application/json")
        if not _is_same(headers.get(TOKEN_HEADER, ""), self.token):
            return DeniedRequest(403, "the page's token is missing or of an earlier start; reload the page")
        return None

    def _has_key(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        name, content = self.cookie(headers)
        if any(_is_same(value, content) for each, value in _cookies(headers.get("cookie", "")) if each == name):
            return True
        in_header = bearer.strip() if kind.lower() == "bearer" else ""
        in_address = self.key_in_address(scope) or ""
        return any(_is_same(value, self.key or "") for value in (in_header, in_address)) or any(
            _is_same(in_address, code) for code in self._codes
        )

    def key_in_address(self, scope: Scope) -> str | None:
        """Return the key or code in the address of a page; None if there is none.

        Addresses of data and of the WebSocket may have none.
        """
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith((*DATA, "/static/")):
            return None
        value = parse_qs(scope["query_string"].decode("latin-1")).get(KEY)
        return value[0] if value else None

    def cookie(self, headers: Mapping[str, str]) -> tuple[str, str]:
        """Return the name and the content of the cookie for the port of a request.

        A browser sends a cookie to every port of a name. So a server at another port must learn from it neither the
        key nor what opens a second dashboard with the same key.
        """
        port = headers.get("host", "").rpartition(":")[2]
        port = port if port.isascii() and port.isdigit() else "80"
        content = hmac.new((self.key or "").encode(), f"port {port}".encode(), hashlib.sha256).hexdigest()
        return f"rcs-dashboard-{port}", content


class Guard:
    """The ASGI application that lets through what the rules allow."""

    def __init__(self, app: ASGIApp, rules: AccessRules) -> None:
        self.app = app
        self.rules = rules
        self.answering = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = _headers(scope)
        fixed = [*FIXED, _policy(headers.get("host", "") if self.rules.knows(headers.get("host", "")) else "")]

        async def send_guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                message["headers"] = [*message.get("headers", ()), *fixed]
            await send(message)

        if refusal := self.rules.refusal(scope, headers) or self._over_limit(scope):
            await _refuse(scope, refusal, send_guarded)
        elif self.rules.key is not None and self.rules.key_in_address(scope) is not None:
            await self._take_key(scope, headers, send_guarded)
        else:
            self.answering += 1
            try:
                await self.app(scope, receive, send_guarded)
            finally:
                self.answering -= 1

    def _over_limit(self, scope: Scope) -> DeniedRequest | None:
        length = len(scope.get("raw_path") or scope["path"])
        if length > LONGEST_PATH:
            return DeniedRequest(414, f"the address has {length} letters; {LONGEST_PATH} at most are read")
        if self.answering >= AT_ONCE:
            return DeniedRequest(503, f"{AT_ONCE} requests are being answered already; close some pages, or try again")
        return None

    async def _take_key(self, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
        """Set the cookie, and lead on by a page: after a redirect from elsewhere, a browser sends no strict cookie."""
        name, content = self.rules.cookie(headers)
        self.rules.take_code(self.rules.key_in_address(scope) or "")
        cookie = f"{name}={content}; HttpOnly; SameSite=Strict; Path=/"
        path = "/" + "".join(char for char in scope["path"].lstrip("/") if char.isalnum() or char in "/-_.:")
        body = GO_ON.format(path=path).encode()
        await _respond(send, 200, body, "text/html; charset=utf-8", [(b"set-cookie", cookie.encode())])


async def _refuse(scope: Scope, refusal: DeniedRequest, send: Send) -> None:
    body = jsontext.dumps_line(error_of(refusal.status, refusal.sentence)).encode()
    if scope["type"] == "http":
        await _respond(send, refusal.status, body, "application/json")
    elif "websocket.http.response" in scope.get("extensions", {}):
        await _respond(send, refusal.status, body, "application/json", prefix="websocket.")
    else:
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.sentence[:120]})


async def _respond(
    send: Send,
    status: int,
    body: bytes,
    kind: str,
    more: list[tuple[bytes, bytes]] | None = None,
    *,
    prefix: str = "",
) -> None:
    headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), *(more or [])]
    if not prefix:  # uvicorn adds it where it refuses a WebSocket; older versions would send it twice
        headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": f"{prefix}http.response.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; two of one name are joined, so that a doubled host or origin equals no allowed one."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found


def _policy(host: str) -> tuple[bytes, bytes]:
    """Return the policy header; it names the WebSocket, which some browsers do not count as part of `self`."""
    return b"content-security-policy", POLICY.format(sockets=f"ws://{host} wss://{host}" if host else "").encode()


def _is_navigation(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Tell whether a person follows a link to a page; the page that has the link cannot read the answer."""
    return (
        scope["type"] == "http"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not scope["path"].startswith(DATA)
    )


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _cookies(text: str) -> list[tuple[str, str]]:
    pairs = (part.strip().partition("=") for part in text.split(";"))
    return [(name, value) for name, _, value in pairs]


def _is_same(value: str, wanted: str) -> bool:
    return bool(value) and hmac.compare_digest(value.encode("utf-8", "replace"), wanted.encode())
