"""Who may speak to the server, and what every response says to the browser. Around the whole application.

Rules of this file:
- The host in the address is one of this machine's: a foreign name that leads here (DNS rebinding) is refused.
- A request that a page of another origin has made is refused; one that acts, or opens the WebSocket, must say that it
  comes from a page of this one. One that acts is JSON besides, and carries the token that only such a page can read.
- Where the server can be reached from outside, or is told to, it asks for a key, which people know as the token.
- What the server prints or opens is not the key but a code, which opens one page once: in a process list, in a log and
  in a browser's history it is worth nothing after that.
- The cookie is not the key either, but made of it and of the port: a browser shows a cookie to each port of a name.
- Only what has passed counts among the requests that are answered at once, so that nobody is locked out by strangers.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs

from rcs_hooks import jsontext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-rcs-token"  # noqa: S105 - its name
KEY = "token"
"""What the key, or a code in its place, is called in an address."""
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
LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Refusal(NamedTuple):
    status: int
    sentence: str


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Rules:
    """What is allowed at the address that the server is bound to."""

    def __init__(self, host: str, *, key: str | None) -> None:
        self.key = key
        self.token = secrets.token_urlsafe(24)
        """Another one with each start: a page asks for it before it acts."""
        self._codes: dict[str, Callable[[], None]] = {}
        self.is_open = not is_loopback(host)
        named = host.lower() if ":" not in host else f"[{host.strip('[]').lower()}]"
        self._names = {named, *LOCAL_NAMES}
        if self.is_open:
            here = socket.gethostname().lower()
            self._names |= {here, here.partition(".")[0], f"{here.partition('.')[0]}.local"}

    def new_code(self, used: Callable[[], None]) -> str:
        """Returns a code that opens one page once; `used` is called when it has."""
        code = secrets.token_urlsafe(24)
        self._codes[code] = used
        return code

    def take_code(self, given: str) -> None:
        """A code is worth nothing after this."""
        code = next((each for each in self._codes if _same(given, each)), None)
        if code is not None:
            self._codes.pop(code)()

    def knows(self, host: str) -> bool:
        """Whether a Host header names this machine; through a tunnel the port may be another."""
        name = _without_port(host).lower()
        if host[len(name) :].strip(":0123456789"):  # the policy quotes it
            return False
        if name in self._names:
            return True
        return self.is_open and _is_address(name)

    def refusal(self, scope: Scope, headers: Mapping[str, str]) -> Refusal | None:
        host = headers.get("host", "")
        if not self.knows(host):
            return Refusal(
                403, f"the host {host[:80]!r} is not this server's; open the address that rcs dashboard says"
            )
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = headers.get("origin")
        if (acts or origin is not None) and origin not in (f"http://{host}", f"https://{host}"):
            return Refusal(403, f"a page of {(origin or 'no origin')[:80]!r} may neither read nor act here")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin") and not _is_navigation(scope, headers):
            return Refusal(403, "a page of another origin may not read this")
        if self.key is not None and not self._has_key(scope, headers):
            return Refusal(401, "a token is needed; open the address that rcs dashboard said when it started")
        if acts and scope["type"] == "http":
            return self._unfit_to_act(headers)
        return None

    def _unfit_to_act(self, headers: Mapping[str, str]) -> Refusal | None:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            return Refusal(415, f"the body is {kind or 'nothing'!r}; send application/json")
        if not _same(headers.get(TOKEN_HEADER, ""), self.token):
            return Refusal(403, "the page's token is missing or of an earlier start; reload the page")
        return None

    def _has_key(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        name, content = self.cookie(headers)
        if any(_same(value, content) for each, value in _cookies(headers.get("cookie", "")) if each == name):
            return True
        in_header = bearer.strip() if kind.lower() == "bearer" else ""
        in_address = self.key_in_address(scope) or ""
        return any(_same(given, self.key or "") for given in (in_header, in_address)) or any(
            _same(in_address, code) for code in self._codes
        )

    def key_in_address(self, scope: Scope) -> str | None:
        """Only a page can be opened so: no address of data or of the WebSocket ever holds the key."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"].startswith(("/api/", "/static/")):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get(KEY)
        return given[0] if given else None

    def cookie(self, headers: Mapping[str, str]) -> tuple[str, str]:
        """Returns name and content, which hold for one port: a browser shows a cookie to every port of a name, so that
        a server at another one must learn neither the key nor what opens a second dashboard with the same key."""
        port = headers.get("host", "").rpartition(":")[2]
        port = port if port.isascii() and port.isdigit() else "80"
        content = hmac.new((self.key or "").encode(), f"port {port}".encode(), hashlib.sha256).hexdigest()
        return f"rcs-dashboard-{port}", content


class Guard:
    def __init__(self, app: ASGIApp, rules: Rules) -> None:
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

        if refusal := self.rules.refusal(scope, headers) or self._too_much(scope):
            await _refuse(scope, refusal, send_guarded)
        elif self.rules.key is not None and self.rules.key_in_address(scope) is not None:
            await self._take_key(scope, headers, send_guarded)
        else:
            self.answering += 1
            try:
                await self.app(scope, receive, send_guarded)
            finally:
                self.answering -= 1

    def _too_much(self, scope: Scope) -> Refusal | None:
        length = len(scope.get("raw_path") or scope["path"])
        if length > LONGEST_PATH:
            return Refusal(414, f"the address has {length} letters; {LONGEST_PATH} at most are read")
        if self.answering >= AT_ONCE:
            return Refusal(503, f"{AT_ONCE} requests are being answered already; close some pages, or try again")
        return None

    async def _take_key(self, scope: Scope, headers: Mapping[str, str], send: Send) -> None:
        """By a page of our own, and not by a redirect: a strict cookie would not go with one that began elsewhere."""
        name, content = self.rules.cookie(headers)
        self.rules.take_code(self.rules.key_in_address(scope) or "")
        cookie = f"{name}={content}; HttpOnly; SameSite=Strict; Path=/"
        path = "/" + "".join(char for char in scope["path"].lstrip("/") if char.isalnum() or char in "/-_.:")
        body = GO_ON.format(path=path).encode()
        await _respond(send, 200, body, "text/html; charset=utf-8", [(b"set-cookie", cookie.encode())])


async def _refuse(scope: Scope, refusal: Refusal, send: Send) -> None:
    body = jsontext.dumps_line({"error": refusal.sentence}).encode()
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
    headers = [
        (b"content-type", kind.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *(more or []),
    ]
    await send({"type": f"{prefix}http.response.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    """One that is there twice and must not be is neither: it is no host and no origin."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}; {text}" if key in found else text
    return found


def _policy(host: str) -> tuple[bytes, bytes]:
    """Some browsers do not count a WebSocket of the same host as their own."""
    return b"content-security-policy", POLICY.format(sockets=f"ws://{host} wss://{host}" if host else "").encode()


def _is_navigation(scope: Scope, headers: Mapping[str, str]) -> bool:
    """A link that a person follows to a page of ours; what it shows stays here."""
    return (
        scope["type"] == "http"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not scope["path"].startswith("/api/")
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


def _same(given: str, wanted: str) -> bool:
    return bool(given) and hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
