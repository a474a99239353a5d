"""A second engine: the system's Firefox, driven over WebDriver BiDi, without a driver beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAMES = ("firefox-esr", "firefox")
PATIENCE = 60.0
SETTINGS = """user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("services.settings.server", "data:,");
"""


class Unavailable(Exception):
    """There is no Firefox here, or it cannot be driven; says why."""


class Firefox:
    """A headless Firefox, and the page in it that was opened last."""

    def __init__(self, folder: Path) -> None:
        """Start it with a profile in a folder. Raises Unavailable."""
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            raise Unavailable(f"no Firefox is installed ({', '.join(NAMES)}); try: apt-get install firefox-esr")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "user.js").write_text(SETTINGS)
        words = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
        self._program = subprocess.Popen(
            [*words, "about:blank"], env=os.environ | {"HOME": str(folder)}, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.problems: list[str] = []
        """What the page has complained of."""
        self._number = 0
        self._context = ""
        try:
            self._connection = self._connect()
            self._socket = self._connection.__enter__()
            self._ask("session.new", capabilities={})
            self._ask("session.subscribe", events=["log.entryAdded"])
        except BaseException:
            self._program.kill()
            raise

    def _connect(self) -> Any:
        from websockets.sync.client import connect

        assert self._program.stderr
        too_long = threading.Timer(PATIENCE, self._program.kill)
        too_long.start()
        said = []
        try:
            for line in self._program.stderr:
                said.append(line)
                if found := re.search(r"BiDi listening on (ws://\S+)", line):
                    break
            else:
                raise Unavailable(f"Firefox does not listen: {''.join(said)[-300:]}")
        finally:
            too_long.cancel()
        self._reader = threading.Thread(target=self._program.stderr.read, daemon=True)
        self._reader.start()
        return connect(f"{found[1]}/session", max_size=None, proxy=None, open_timeout=PATIENCE, ping_interval=None)

    def _ask(self, method: str, **params: Any) -> Any:
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(PATIENCE))
            if answer.get("method") == "log.entryAdded":
                entry = answer["params"]
                if entry["level"] in ("error", "warn"):
                    self.problems.append(f"{entry['level']}: {entry['text']}")
            elif answer.get("id") == self._number:
                if answer["type"] == "error":
                    raise AssertionError(f"{method}: {answer['error']}: {answer['message'][:500]}")
                return answer["result"]

    def open(self) -> None:
        """Open a page that nothing was done with."""
        self._context = self._ask("browsingContext.create", type="tab")["context"]

    def leave(self) -> None:
        """Close the page, which then asks nobody for anything."""
        self._ask("browsingContext.close", context=self._context)

    def go(self, address: str) -> None:
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="complete")
        self.until("document.querySelector('main:not([aria-busy])') !== null")
        self.until("document.querySelector('#connection[data-state=live]') !== null")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression as JSON has it."""
        wrapped = f"(async () => JSON.stringify(await ({expression}) ?? null))()"
        found = self._ask(
            "script.evaluate", expression=wrapped, target={"context": self._context}, awaitPromise=True
        )  # fmt: skip
        assert found["type"] == "success", found["exceptionDetails"]["text"]
        return json.loads(found["result"]["value"])

    def until(self, expression: str, wanted: Callable[[Any], bool] = bool) -> Any:
        """Wait until an expression has a value that is wanted, and return it."""
        end = time.monotonic() + PATIENCE
        while not wanted(found := self.evaluate(expression)):
            assert time.monotonic() < end, f"{expression} is still {found!r}"
            time.sleep(0.05)  # between two looks at a condition
        return found

    def text(self, selector: str) -> str:
        """Return the words of an element, once it is there."""
        place = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{place} !== null")
        return " ".join(str(self.evaluate(f"{place}.innerText")).split())

    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a mouse does."""
        place = f"document.querySelector({json.dumps(selector)})"
        self.until(f"{place} !== null")
        x, y = self.evaluate(
            f"(() => {{ const found = {place}; found.scrollIntoView({{ block: 'center', behavior: 'instant' }});"
            " const box = found.getBoundingClientRect();"
            " return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]; })()"
        )
        moves = [{"type": "pointerMove", "x": x, "y": y}, {"type": "pointerDown", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "actions": [*moves, {"type": "pointerUp", "button": 0}]}
        self._ask("input.performActions", context=self._context, actions=[mouse])

    def close(self) -> None:
        self._connection.__exit__(None, None, None)
        self._program.terminate()
        try:
            self._program.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        self._reader.join()
        if self._program.stderr:
            self._program.stderr.close()
