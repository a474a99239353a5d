"""A TCP proxy before the server that can refuse, cut and swallow."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

PASSES, REFUSES, SWALLOWS = "passes", "refuses", "swallows"


class Proxy:
    """Passes what comes to the server and back, until it is told otherwise."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.mode = PASSES
        self.refused = 0
        """How many connections were refused."""
        self.before: Callable[[bytes], object] = len
        """Called with what comes to the server, before it is passed."""
        self._pairs: list[socket.socket] = []
        self._guard = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """End all connections at once."""
        with self._guard:
            ended, self._pairs = self._pairs, []
        for each in ended:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.mode == REFUSES:
                    client.close()
                    self.refused += 1
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self._port), timeout=5)
                except OSError:
                    client.close()
                    continue
                server.settimeout(None)
                with self._guard:
                    self._pairs += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=(source, target, target is server), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_to_server: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if is_to_server:
                    self.before(data)
                if self.mode != SWALLOWS:
                    target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
