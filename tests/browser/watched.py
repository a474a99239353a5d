"""A page in a browser, and all that it complains of or asks others for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Request

PATIENCE = 60_000
"""Milliseconds for whatever a page is waited for: a busy machine is slow, and only what never comes takes so long."""
AWAY = ("net::ERR_", "WebSocket is closed", "WebSocket connection to", "Connection closed")
"""What Chromium writes of a server that is away. How the connection broke is a matter of the moment."""
READY = "main:not([aria-busy])"


class Window:
    def __init__(self, browser: Browser, url: str, *, width: int = 1280, scheme: Any = "light", **options: Any) -> None:
        self.url = url
        self.problems: list[str] = []
        self.allowed: tuple[str, ...] = ()
        """What Chromium itself writes of a refusal that a test asks for, or of a server that is away."""
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        context.set_default_timeout(PATIENCE)
        self.page = context.new_page()
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self._alert)
        self.page.on("request", self._asks)
        self.page.on("websocket", lambda socket: self._address(socket.url))

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(each in message.text for each in self.allowed):
            self.problems.append(f"{message.type}: {message.text}")

    def _alert(self, dialog: Any) -> None:
        self.problems.append(f"a script ran: {dialog.message}")
        dialog.dismiss()

    def _asks(self, request: Request) -> None:
        self._address(request.url)

    def _address(self, url: str) -> None:
        if not url.replace("ws://", "http://").startswith(f"{self.url}/"):
            self.problems.append(f"asked elsewhere: {url}")

    def go(self, address: str) -> None:
        self.page.goto(self.url + address)
        self.page.wait_for_selector(READY)
        self.live()

    def live(self) -> None:
        self.page.wait_for_selector("#connection[data-state=live]", state="attached")

    def mark(self) -> None:
        """Something that a reload would take away."""
        self.page.evaluate("window.stillTheSame = true")

    def assert_not_reloaded(self) -> None:
        assert self.page.evaluate("window.stillTheSame") is True

    def text(self, selector: str) -> str:
        return " ".join(self.page.locator(selector).first.inner_text().split())
