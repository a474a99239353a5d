"""Starts our own programs as a client would start them, to see whether they answer and how fast.

Rules of this file:
- A settings file may have come with a repository, and so may a program that it names. So only a plain call of ours is
  started (the line that setup writes, `rcs-hook`, `rcs mcp`), and only with this Python or the programs beside it, or
  with those that the person's own file names and that are not in the project.
- A started program finds no state: its root is one that can hold none. An entry's own variables are not passed on.
- Time is bounded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.clients import CLIENTS, entries, handlers, installers, lines
from rcs_hooks.clients.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.clients.entries import SERVER
from rcs_hooks.clients.reading import Server, is_from_project
from rcs_hooks.errors import Refused
from rcs_hooks.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.clients.installer import Host

SLOW = 0.3
SECONDS = 10.0
TRIES = 3
NOWHERE = os.devnull
"""The root that a started program gets: a workspace in which there can be no state."""
SHOWN = 200


class ProgramAnswer(NamedTuple):
    """The outcome of running a program: its output, the time it took, and what went wrong."""

    out: bytes
    err: bytes
    seconds: float
    why: str
    """What went wrong; empty if the program ended well."""

    @property
    def said(self) -> str:
        """The end of what the program printed, after a colon, to add to a message; empty if it printed nothing."""
        text = clean((self.err or self.out)[-SHOWN:].decode(errors="replace"), SHOWN)
        return f": {text}" if text else ""


def run(words: Sequence[str], stdin: bytes, env: Mapping[str, str], seconds: float = SECONDS) -> ProgramAnswer:
    """Run a program, and kill it if it takes longer than `seconds`."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            list(words), input=stdin, capture_output=True, cwd=os.sep, env=env, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return ProgramAnswer(b"", b"", seconds, "does not end in time")
    except OSError as error:
        return ProgramAnswer(b"", b"", 0.0, f"cannot be started: {(error.strerror or str(error)).lower()}")
    why = f"ends with status {done.returncode}" if done.returncode else ""
    return ProgramAnswer(done.stdout, done.stderr, time.monotonic() - started, why)


def environment(host: Host) -> dict[str, str]:
    """Return the environment for a started program, in which nothing leads to real state or to a client's own files."""
    passed = {name: host.env[name] for name in ("PATH", "HOME", "LANG") if name in host.env}
    homes = {installer.home_variable: NOWHERE for installer in installers().values()}
    return passed | {"RCS_ROOT": NOWHERE} | homes | {"PYTHONDONTWRITEBYTECODE": "1"}


# --- what may be started


def _program(host: Host, word: str) -> str | None:
    """Return the path of the program that a client would run for this word; None if there is none."""
    try:
        path = word if os.path.isabs(word) else shutil.which(word, path=host.env.get("PATH", os.defpath)) or ""
        return os.path.abspath(path) if os.path.isfile(path) and os.access(path, os.X_OK) else None
    except ValueError:  # not a name that a file can have
        return None


def _refusal(host: Host, path: str, *, is_mine: bool) -> str:
    """Return why a program is not started; empty if it may be. `is_mine`: whether the person's own file names it.

    Our programs are known by their whole path: a link to our Python in another folder finds that folder's packages.
    """
    with suppress(Refused):
        if path in (handlers.interpreter(), handlers.program(), handlers.program("rcs")):
            return ""
    if any(is_from_project(host, each) for each in (path, os.path.dirname(path))):
        return "it is in this project, and it is not the one beside this Python"
    return "" if is_mine else "a file of this project names it, and it is not the one beside this Python"


def _shown(words: Sequence[str]) -> str:
    return clean(" ".join(words), SHOWN) or "nothing"


def _program_to_start(
    host: Host, title: str, words: Sequence[str], again: str, *, is_alone: bool, is_mine: bool
) -> str | Check:
    """Return the path of the program to start, or a check that says why none is started.

    `again`: the command that sets the client up. `is_alone`: the words call our program and do nothing else. `is_mine`:
    the person's own file names the program.
    """
    path = _program(host, words[0]) if words else None
    if path is None:
        return Check(title, BROKEN, f"{_shown(words)} is not a program that can be run", again)
    if not is_alone:
        return Check(title, NOTE, f"{_shown(words)} was not tried: it does more than call ours")
    if why := _refusal(host, path, is_mine=is_mine):
        todo = f"look at it before you trust this project; `{again}` puts ours in its place"
        return Check(title, WARN, f"{_shown(words)} was not started: {why}", todo)
    return path


# --- do they answer


def of_hook(
    host: Host,
    client: str,
    words: Sequence[str],
    again: str,
    *,
    is_mine: bool,
    seconds: float = SECONDS,
) -> Check:
    """Check that a hook answers a Stop, and how long that takes.

    `words`: what the hook runs. `again`: the command that sets the client up. `is_mine`: the person's own file has it.
    """
    title = f"{CLIENTS[client].title} hook"
    python = lines.interpreter_of(words)
    options = lines.HOOK_OPTIONS if python else ()
    words = [python] if python else words
    is_alone = bool(python) or (len(words) == 1 and words[0].rpartition("/")[2] == entries.PROGRAM)
    path = _program_to_start(host, title, words, again, is_alone=is_alone, is_mine=is_mine)
    if isinstance(path, Check):
        return path
    call = {"hook_event_name": "Stop", "session_id": "doctor", "cwd": os.sep, "last_assistant_message": None}
    stdin = jsontext.dumps_line(call).encode()
    best = SECONDS
    for _ in range(TRIES):
        ran = run([path, *options], stdin, environment(host), seconds)
        if ran.why:
            return Check(title, BROKEN, f"{words[0]} {ran.why}{ran.said}", again)
        if ran.out != b"{}\n":
            return Check(title, BROKEN, f"{words[0]} does not answer as our hook does{ran.said}", again)
        best = min(best, ran.seconds)
    return _quick(title, f"{words[0]} answers", best)


def _quick(title: str, what: str, seconds: float) -> Check:
    found = f"{what} in {seconds * 1000:.0f} ms"
    todo = "it is on a slow disk or started by a version manager; set it up from a plain venv"
    return Check(title, WARN, found, todo) if seconds > SLOW else Check(title, OK, found)


def of_server(host: Host, client: str, server: Server, again: str) -> Check:
    """Check that our server starts and offers the tools that hooks ask.

    `again`: the command that sets the client up.
    """
    title = f"{CLIENTS[client].title} server"
    command, args = server.entry.get("command"), server.entry.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return Check(title, BROKEN, f"the entry of {SERVER} has no command", again)
    words = [command, *map(str, args)]
    is_alone = command.rpartition("/")[2] == "rcs" and args == ["mcp"]
    if not server.is_mine and (more := unknown_fields(server.entry)):
        found = f"the entry of {SERVER} in a file of this project has {more}: it was not started"
        return Check(title, WARN, found, f"look at it before you trust this project; `{again}` puts ours in its place")
    path = _program_to_start(host, title, words, again, is_alone=is_alone, is_mine=server.is_mine)
    if isinstance(path, Check):
        return path
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}}
    asked = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    stdin = "".join(jsontext.dumps_line(message) + "\n" for message in asked).encode()
    ran = run([path, "mcp"], stdin, environment(host))
    if ran.why:
        return Check(title, BROKEN, f"{command} mcp {ran.why}{ran.said}", again)
    if b'"hook_stop"' not in ran.out:
        return Check(title, BROKEN, f"{command} mcp offers no hook_stop{ran.said}", again)
    return Check(title, OK, f"{SERVER} starts and names its tools in {ran.seconds * 1000:.0f} ms")


def unknown_fields(entry: Mapping[str, object]) -> str:
    """Return, as one text, the names in a server's entry that `rcs setup` would not write; empty if there are none."""
    known = entries.OUR_SERVER_FIELDS | entries.PERSONAL_SERVER_FIELDS
    env = entry.get("env", {})
    names = env if isinstance(env, dict) else {"env": env}
    more = [
        *(set(entry) - known),
        *(f"env.{name}" for name in names if not str(name).startswith(entries.OUR_VARIABLES)),
    ]
    return clean(", ".join(sorted(map(str, more))), SHOWN)


def of_words(host: Host, client: str, words: str, where: str) -> Check:
    """Check that `words`, which an agent is told to type and no file has brought, run this program.

    `where`: the place to name in what was found.
    """
    title = f"{CLIENTS[client].title} skills"
    env = environment(host) | {"PATH": CLIENTS[client].shell_path(host.env)}
    ran = run(["/bin/sh", "-c", f"{words} --version"], b"", env)
    if ran.why:
        return Check(title, BROKEN, f"{where}: `{words}` {ran.why}{ran.said}", "install rcs-hooks again")
    return Check(title, OK, f"{where}: they call `{words}`, which runs")
