"""One connection that listens for what machines have written, in a thread of its own. Nothing is asked again and again.

Where the connection is lost, it is opened again after a pause that doubles, with a random part.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

from rcs_hooks.share import sql
from rcs_hooks.share.errors import ShareError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.share.connecting import Link

PRUNED = "pruned"
"""What a notice says when rows were deleted."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
LISTENED = 0.5
"""Seconds after which the thread looks whether it is to end; the server is asked nothing for that."""
CHECKED = 30.0
"""Seconds of silence after which the server is asked whether it is still there."""
CALM = 1.5
"""A shorter break is nobody's business."""


class Listening:
    """The thread, and what it knows of the connection."""

    def __init__(self, connect: Callable[[], Link], told: Callable[[bool], None]) -> None:
        """Create one that does not listen yet. `told` is called in the thread with news; True: rows were deleted."""
        self._connect = connect
        self._told = told
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._lost_at: float | None = None
        self._why = ""

    @property
    def problem(self) -> str:
        """Return why nothing is heard; empty while the connection is open, or was lost only a moment ago."""
        lost = self._lost_at
        return self._why if lost is not None and time.monotonic() - lost > CALM else ""

    def start(self) -> None:
        """Begin to listen; a second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="listen", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread and its connection."""
        self._ends.set()
        if self._thread is not None:
            self._thread.join(5)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._ends.is_set():
            link = None
            try:
                link = self._connect()
                with link.speaking() as connection:
                    connection.execute(sql.LISTEN)
                self._lost_at, pause = None, FIRST_PAUSE
                self._told(False)  # what was written before it listened
                self._listen(link)
            except (ShareError, OSError) as error:
                self._why = str(error)
                self._lost_at = self._lost_at or time.monotonic()
            finally:
                if link is not None:
                    link.close()
            if self._ends.wait(pause * random.uniform(0.75, 1.25)):  # noqa: S311 - only spreads the attempts
                return
            pause = min(LONGEST_PAUSE, pause * 2)
            self._told(False)  # so that a problem is looked at

    def _listen(self, link: Link) -> None:
        heard = time.monotonic()
        while not self._ends.is_set():
            with link.speaking() as connection:
                for notice in connection.notifies(timeout=LISTENED, stop_after=1):
                    self._told(notice.payload == PRUNED)
                    heard = time.monotonic()
            if time.monotonic() - heard > CHECKED:
                link.rows(sql.ALIVE)
                heard = time.monotonic()
