"""Shares what is new on this machine, as long as it runs or once: the body of `rcs share run`.

One process of a home shares at a time; a second one says so and ends.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from rcs_hooks.errors import LockTimeout, RcsError, SystemFailure
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.share import connecting, identity, progress, settings
from rcs_hooks.share.backoff import Backoff
from rcs_hooks.share.errors import AtWork
from rcs_hooks.share.sharer import Sharer

if TYPE_CHECKING:
    from collections.abc import Mapping

EVERY = 0.1
"""Seconds between two looks for news."""


def run(
    env: Mapping[str, str],
    cwd: str,
    *,
    once: bool = False,
    stop: threading.Event | None = None,
    seconds: float = connecting.ANSWER_SECONDS,
) -> int:
    """Share until `stop` is set, or everything that is there `once`; return how many events were sent.

    `seconds`: how long the server may take for an answer.
    Raises Refused if another process shares from this home or no database is named; once, also ShareError.
    """
    stop = stop or threading.Event()
    home = settings.home_in(env)
    with only_one(home):
        sharing = Sharer(env, cwd, seconds=seconds)
        try:
            if once:
                while not (is_done := sharing.send_news(stop)) and not stop.is_set():
                    continue
                sharing.progress.done_at = iso(time.time()) if is_done else None
            else:
                _go_on(sharing, stop)
            return sharing.progress.sent
        finally:
            if sharing.progress.error is None:
                sharing.progress.state = progress.STOPPED
            sharing.note(now=True)
            sharing.close()


def only_one(home: str) -> Lock:
    """Return the lock of the process that shares from a home. To enter it raises Refused if another one has it."""
    folder = os.path.join(identity.folder_in(home), progress.RUNNING)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return _OnlyOne(folder, 0)


class _OnlyOne(Lock):
    def __enter__(self) -> Lock:
        try:
            return super().__enter__()
        except LockTimeout:
            why = "`rcs share run` is at work for this home already; to see how far it is: rcs share status"
            raise AtWork(why) from None


def _go_on(sharing: Sharer, stop: threading.Event) -> None:
    backoff = Backoff()
    while not stop.is_set():
        pause = EVERY
        try:
            sharing.send_news(stop)
            backoff.reset()
        except (RcsError, OSError) as error:  # of the database, the settings or the disk
            pause = backoff.next()
            sharing.failed(error if isinstance(error, RcsError) else SystemFailure(error), pause)
        stop.wait(pause)
