"""The shell lines that run our hook from a client's file; none blocks a prompt, whatever has become of the hook. PURE.

`hook_command` exits with 0 in any case. `quiet_command` prints nothing but what the hook itself answers, and becomes
the hook: a client that kills the shell at its time-out kills the hook with it.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HOOK_CODE = "from rcs_hooks.hook.entry import main; main()"
HOOK_OPTIONS = ("-EP", "-c", HOOK_CODE)
"""Python's options for our hook: import nothing from the working directory, nor from a folder named by a variable."""
GUARD = ("||", "exit", "0")
"""What keeps a line from failing: a client takes exit status 2 as a block, and Python's own is 2 if it cannot start."""
NO_ERRORS = "2>/dev/null"


def hook_command(interpreter: str) -> str:
    """Return the shell line that runs our hook with this Python, and exits with 0 even if the hook cannot start."""
    return f"{shlex.join((interpreter, *HOOK_OPTIONS))} {' '.join(GUARD)}"


def quiet_command(interpreter: str) -> str:
    """Return the shell line that becomes our hook with this Python, and prints nothing if the hook cannot start.

    For a client that blocks by any exit status but 0 and 1 if there is text, shows what is on stderr, or at a time-out
    kills the shell alone and goes on waiting for what the shell has started. Such a client lets pass what fails in
    silence, whatever the status.
    """
    there = f"test -x {shlex.quote(interpreter)} {' '.join(GUARD)}"
    return f"{there}; exec {shlex.join((interpreter, *HOOK_OPTIONS))} {NO_ERRORS}"


FORMS = (hook_command, quiet_command)
"""Every line that setup writes into some client's file."""


def interpreter_of(words: Sequence[str]) -> str | None:
    """Return the Python that a line of `FORMS` runs; None if these words are no such line."""
    if not words:
        return None
    if tuple(words[1:]) == (*HOOK_OPTIONS, *GUARD):
        return words[0]
    python = words[2] if len(words) > len(GUARD) else ""
    quiet = ("test", "-x", python, *GUARD, ";", "exec", python, *HOOK_OPTIONS, "2", ">", "/dev/null")
    return python if tuple(words) == quiet else None
