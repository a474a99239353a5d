"""The exit statuses of a command line that runs a command, beside that command's own; those of `timeout` and `env`."""

from __future__ import annotations

from rcs_hooks.errors import RcsError, Refused, UsageError

WRONG_LINE = 2
TIMED_OUT, NOTHING_RAN, NOT_RUNNABLE, NOT_FOUND, SIGNALLED = 124, 125, 126, 127, 128
"""SIGNALLED: and the number of the signal that ended it. NOTHING_RAN: also, nothing was recorded."""


class CommandNotFound(Refused):
    """Raised when there is no such command."""

    code = "not_found"


class NotRunnable(Refused):
    """Raised when the system does not run a file that is there."""

    code = "not_runnable"


def of_error(error: RcsError) -> int:
    """Return the exit status for an error because of which a command was not run."""
    if isinstance(error, UsageError):
        return WRONG_LINE
    if isinstance(error, CommandNotFound):
        return NOT_FOUND
    return NOT_RUNNABLE if isinstance(error, NotRunnable) else NOTHING_RAN
