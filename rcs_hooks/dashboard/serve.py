"""The server: listens at an address of this machine, and serves the application until somebody ends it."""

from __future__ import annotations

import atexit
import errno
import os
import shutil
import socket
import tempfile
import threading
import urllib.parse
import webbrowser
from typing import TYPE_CHECKING, NamedTuple

import uvicorn

from rcs_hooks.dashboard import app
from rcs_hooks.dashboard.guard import KEY, AccessRules, is_loopback
from rcs_hooks.errors import Refused, reason_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.dashboard.source import DashboardSource

LARGEST_MESSAGE = 4096
GRACE = 2
GIVEN_UP_AFTER_MS = 30_000
"""How long the system waits for a peer that takes no data; then it drops the connection with what was queued."""


OPENING_PAGE = "<!doctype html><meta charset=utf-8><meta http-equiv=refresh content='0;url={url}'><title>rcs</title>"


class Address(NamedTuple):
    """The address that a person opens."""

    host: str
    port: int
    code: str | None = None
    """The code that opens the page once, where it asks for a token."""
    page: str = ""

    @property
    def url(self) -> str:
        """Return the URL for a person on this machine."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - only to be shown
        host = everywhere.get(self.host, f"[{self.host}]" if ":" in self.host else self.host)
        return f"http://{host}:{self.port}/{self.page}" + (f"?{KEY}={self.code}" if self.code else "")


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket. Raises Refused if the address cannot be used."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror:
        raise Refused(f"--host {host}: there is no such address; leave it out for 127.0.0.1") from None
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # so that a server that has just ended does not block the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GIVEN_UP_AFTER_MS)
        listening.bind(place)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise Refused(_words(error, host, port)) from None
    return listening


def _words(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use; end what uses it, or name another: rcs dashboard --port 0"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"--host {host}: this machine has no such address; leave it out for 127.0.0.1"
    if error.errno == errno.EACCES:
        return f"port {port} needs more rights than you have; name one above 1023"
    return f"port {port} of {host} cannot be used: {reason_of(error)}"


def serve(
    data: DashboardSource,
    listening: socket.socket,
    *,
    host: str,
    key: str | None,
    announce: Callable[[Address], None],
    opens: bool = False,
    shared: DashboardSource | None = None,
    page: str = "",
) -> None:
    """Serve until SIGINT or SIGTERM. `announce` gets the address, and a new one each time its code is used.

    `key` is the token that people need, or None; `opens` opens a browser. `shared`: the data of the machines of a team.
    `page`: the page that is announced and opened, without the slash before it.
    """
    rules = AccessRules(host, key=key)
    address = Address(host, listening.getsockname()[1], page=page)

    def say() -> None:
        announce(address._replace(code=rules.new_code(say)) if key else address)

    def started() -> None:
        say()
        if opens:
            target = _opening_page(address, rules) if key else address.url
            threading.Thread(target=webbrowser.open, args=(target,), daemon=True).start()

    config = uvicorn.Config(
        app.build_app(data, rules, shared=shared, started=started),
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http="h11",
        ws="websockets-sansio",
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
    )
    uvicorn.Server(config).run(sockets=[listening])


def _opening_page(address: Address, rules: AccessRules) -> str:
    """Return the URL of a file that leads on to the code, because everybody sees the arguments of a browser."""
    folder = tempfile.mkdtemp(prefix="rcs-dashboard-")
    path = os.path.join(folder, "open.html")

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    code = rules.new_code(remove)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(OPENING_PAGE.format(url=address._replace(code=code).url))
    return f"file://{urllib.parse.quote(path)}"


def needs_key(host: str) -> bool:
    """Tell whether other machines can reach a server that listens at a host."""
    return not is_loopback(host)
