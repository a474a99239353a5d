"""Asks git which files below the `.rcs` of a workspace it tracks, and waits for no more than `SECONDS`.

Loaded only where something depends on the answer. Not by `subprocess`, whose import takes longer than git itself.

Rules of this file:
- git runs nothing that a repository names, and writes nothing: `ls-files` runs no hook, and the rest is overridden.
- The git folder is named, so that neither a variable of the caller nor another owner of it changes the answer.
- What a config includes may be a pipe, so git is killed when the time is up.
"""

from __future__ import annotations

import os
import select
import signal
import time

from rcs_hooks.errors import reason_of, suppress
from rcs_hooks.files.paths import HOME, inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS = 0.2
READ_SIZE = 1 << 16
MOST_OUTPUT = 1 << 24
ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "LC_ALL": "C",
}
"""What keeps git from writing, asking and fetching."""
OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--icase-pathspecs")


class NoAnswer(Exception):
    """Raised when git does not say what it tracks; says why."""


def find_git(env: Mapping[str, str], top: str) -> str | None:
    """Return the path of git: the first on PATH that does not lie below a folder; None if there is none."""
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, "git")
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            if inside(os.path.realpath(folder), top) or inside(os.path.realpath(path), top):
                continue
            return path
    return None


def guarded(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment in which git is run."""
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_") and name != "LANGUAGE"}
    return kept | ENVIRONMENT


def names_below(top: str, git_folder: str, folder: str) -> list[str]:
    """List what git tracks at or below the `.rcs` of a folder, relative to that folder. Raises NoAnswer.

    `top`: the work tree that the folder is in. `git_folder`: the folder with its index.
    """
    program = find_git(os.environ, top)
    if program is None:
        raise NoAnswer("git is not installed")
    where = (f"--git-dir={git_folder}", f"--work-tree={top}", "-C", folder)
    try:
        output = _output([program, *where, *OPTIONS, "ls-files", "-z", "--", HOME])
    except (OSError, ValueError) as error:
        raise NoAnswer(reason_of(error) if isinstance(error, OSError) else str(error)) from None
    return [os.fsdecode(name) for name in output.split(b"\0") if name]


def _output(words: list[str]) -> bytes:
    """Run a program; return what it prints. Raises NoAnswer and OSError."""
    here, there = os.pipe()
    try:
        process = _started(words, there)
    except BaseException:
        os.close(here)
        raise
    finally:
        os.close(there)
    is_over = False
    try:
        output = _read(here, time.monotonic() + SECONDS)
        is_over = True
    finally:
        os.close(here)
        if not is_over:
            with suppress(OSError):
                os.killpg(process, signal.SIGKILL)
        status = os.waitpid(process, 0)[1]
    if status:
        raise NoAnswer(f"`git ls-files` failed with exit status {os.waitstatus_to_exitcode(status)}")
    return output


def _started(words: list[str], stdout: int) -> int:
    """Start a program in a group of its own; return its process id."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, stdout, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    return os.posix_spawn(words[0], words, guarded(os.environ), file_actions=actions, setpgroup=0)


def _read(fd: int, until: float) -> bytes:
    """Read all that a program prints. Raises NoAnswer if that takes too long or is too much."""
    waiting = select.poll()
    waiting.register(fd, select.POLLIN)
    output = bytearray()
    while len(output) <= MOST_OUTPUT:
        if not waiting.poll(max(0, until - time.monotonic()) * 1000):
            raise NoAnswer(f"`git ls-files` takes longer than {SECONDS:g} s")
        chunk = os.read(fd, READ_SIZE)
        if not chunk:
            return bytes(output)
        output += chunk
    raise NoAnswer("git tracks more files there than can be read")
