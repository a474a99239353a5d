"""A dashboard that runs as a program of its own, and the browser that looks at it."""

from __future__ import annotations

import shutil
import subprocess
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.sync_api import Error, Playwright

from tests.runs.support import RCS
from tests.support import CHECKOUT, clean_env

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

SYSTEM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Unavailable(Exception):
    """There is no Chromium here; says why."""


def chromium(playwright: Playwright) -> Browser:
    """The one that Playwright has fetched, else the system's. Raises Unavailable."""
    tried = []
    for path in (None, *filter(None, map(shutil.which, SYSTEM))):
        try:
            return playwright.chromium.launch(executable_path=path, args=["--disable-dev-shm-usage"])
        except Error as error:
            tried.append(f"{path or 'its own'}: {' '.join(error.message.split())[:120]}")
    raise Unavailable(f"Playwright starts no Chromium ({'; '.join(tried)}); try: playwright install chromium")


class Dashboard:
    """`rcs dashboard` in a project; it can end and come back at the same address."""

    def __init__(self, root: Path, home: Path, *words: str) -> None:
        self._root = root
        self._home = home
        self._words = words
        self._port = 0
        self._program: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> str:
        env = clean_env(HOME=str(self._home), PYTHONPATH=str(CHECKOUT))
        self._program = subprocess.Popen(
            [*RCS, "dashboard", "--port", str(self._port), *self._words],
            cwd=self._root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.url = self._said()
        self._port = urlsplit(self.url).port or 0
        return self.url

    def _said(self) -> str:
        """The address, from the line that is said once it answers."""
        assert self._program
        assert self._program.stdout
        program = self._program
        too_long = threading.Timer(60, program.kill)
        too_long.start()
        try:
            line = self._program.stdout.readline()
        finally:
            too_long.cancel()
        found = [word for word in line.split() if word.startswith("http://")]
        assert found, f"rcs dashboard said {line!r}"
        return found[0].rstrip("/")

    def stop(self) -> None:
        if self._program is None:
            return
        self._program.terminate()
        try:
            self._program.wait(60)
        except subprocess.TimeoutExpired:
            self._program.kill()
            self._program.wait()
        if self._program.stdout:
            self._program.stdout.close()
        self._program = None
