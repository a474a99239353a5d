"""The shell lines that run our hook from a client's file; none blocks a prompt, whatever has become of the hook. PURE.

Each exits with 0 in any case. `quiet_command` prints nothing but the JSON object of a hook that has succeeded, and the
hook holds no pipe of the client: a client that kills the shell alone at its time-out waits for nothing else.
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
SILENCE = "exec 2>/dev/null"
ANSWER = 'case $out in {*}) printf %s "$out";; esac'


def hook_command(interpreter: str) -> str:
    """Return the shell line that runs our hook with this Python, and exits with 0 even if the hook cannot start."""
    return f"{shlex.join((interpreter, *HOOK_OPTIONS))} {' '.join(GUARD)}"


def quiet_command(interpreter: str) -> str:
    """Return the shell line that runs our hook with this Python, and prints nothing if the hook fails.

    For a client that blocks by text beside an exit status that is not 0, takes any text for a context of whatever
    length, shows what is on stderr, or at a time-out kills the shell alone and waits for whoever holds its pipes.
    """
    hook = shlex.join((interpreter, *HOOK_OPTIONS))
    return f"{SILENCE}; out=$({hook}) && {ANSWER}; {' '.join(GUARD[1:])}"


FORMS = (hook_command, quiet_command)
"""Every line that setup writes into some client's file."""
BEFORE = ("exec", "2", ">", "/dev/null", ";", "out=$", "(")
AFTER = (")", "&&", "case", "$out", "in", "{*}", ")", "printf", "%s", "$out", ";;", "esac", ";", *GUARD[1:])
"""The words of a quiet line before and after those of the hook, as `entries.words_of` splits it."""
PLACE = len(BEFORE)


def interpreter_of(words: Sequence[str]) -> str | None:
    """Return the Python that a line of `FORMS` runs; None if these words are no such line."""
    if not words:
        return None
    if tuple(words[1:]) == (*HOOK_OPTIONS, *GUARD):
        return words[0]
    python = words[PLACE] if len(words) > PLACE else ""
    return python if tuple(words) == (*BEFORE, python, *HOOK_OPTIONS, *AFTER) else None
