"""`rcs hud --watch`: a live page on a terminal; elsewhere the line of the HUD, each time that it changes."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from rcs_hooks.cli import hud, output
from rcs_hooks.files.workspaces import working_folder
from rcs_hooks.overview import collect, words
from rcs_hooks.overview.entries import WAITING, Overview
from rcs_hooks.overview.events import carried_over, compare
from rcs_hooks.overview.live import LiveOverview
from rcs_hooks.overview.page import lay_out
from rcs_hooks.terminal import style, width

if TYPE_CHECKING:
    from rcs_hooks.cli.screen import Screen
    from rcs_hooks.state.scopes import Scope

DRAWN_EVERY = 10.0
"""After so many seconds a page is drawn again, as ages change."""


def watch(scope: Scope, session: str | None) -> int:
    """Follow a workspace until Ctrl-C. `session`: the only one that the page is about; None for all."""
    live = LiveOverview(os.environ, scope.root, scope.commands._replace(session=""), working_folder())
    try:
        if width.of(sys.stdout, os.environ) is None or os.environ.get("TERM", "dumb") == "dumb":
            return _lines(live, scope)
        from rcs_hooks.cli.screen import Screen

        with Screen(sys.stdout, sys.stdin) as screen:
            return LivePage(live, scope, session, screen).follow()
    finally:
        live.close()


def _lines(live: LiveOverview, scope: Scope) -> int:
    """Print the line of the HUD whenever it has changed."""
    last = ""
    while True:
        scope = scope._replace(now=time.time())
        found = live.news(scope.now)
        line = last if found is None else hud.line_of(scope, found)
        if line != last:
            output.text(line)
            output.flush()
            last = line
        output.pause(live.pause)


class LivePage:
    """The live page of a workspace, or of one session of it."""

    def __init__(self, live: LiveOverview, scope: Scope, session: str | None, screen: Screen) -> None:
        self._live = live
        self._scope = scope.of(session)
        self._session = session
        self._screen = screen
        self.style = style.wanted(os.environ)
        self._shown = Overview()
        self._nothing = words.NOTHING
        self._before: Overview | None = None
        """What was last seen of each thing, also of what cannot be read just now."""
        self._seen_at = 0.0

    def follow(self) -> int:
        """Draw the page whenever something has changed, until the person ends it."""
        drawn_at, size = 0.0, (0, 0)
        lines: list[str] = []
        while True:
            now = time.time()
            rings = self._has_news(now)
            if rings is not None or size != self._screen.size() or abs(now - drawn_at) >= DRAWN_EVERY:
                drawn_at, size = now, self._screen.size()
                lines = self._lines(now, *size)
            self._screen.draw(lines, with_bell=bool(rings))
            if "q" in self._screen.wait(self._live.pause).lower():
                return output.OK

    def _has_news(self, now: float) -> bool | None:
        """Read what has changed, and tell whether something waits for the person that did not; None without news."""
        found = self._live.news(now)
        if found is None:
            return None
        self._shown = collect.of_session(found, self._session) if self._session else found
        self._nothing = words.nothing_in(self._session, found) if self._session else words.NOTHING
        before, seen_at = self._before, self._seen_at
        self._before, self._seen_at = carried_over(before or self._shown, self._shown), now
        return before is not None and any(event.kind == WAITING for event in compare(before, self._shown, seen_at))

    def _lines(self, now: float, columns: int, rows: int) -> list[str]:
        head = hud.line_of(self._scope._replace(now=now), self._shown, self.style, columns)
        return lay_out(self._shown, head, now, columns, rows, self.style, self._nothing)
