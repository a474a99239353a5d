"""Starts what a client would start, to see whether it answers and how fast.

Rules of this file:
- A settings file may have come with a repository, and so may a program that it names. So only a plain call of ours is
  started (the line that setup writes, `rcs-hook`, `rcs mcp`), and only with this Python or the programs beside it, or
  with those that the person's own file names and that are not in the project.
- A started program finds no state: its root is one that can hold none. An entry's own variables are not passed on.
- Time and output are bounded, and no process is left behind.
"""

from __future__ import annotations

import os
import re
import selectors
import shutil
import signal
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
MOST_SAID = 256 * 1024
READ_SIZE = 64 * 1024
LATE = "does not end in time"
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


def run(
    words: Sequence[str], stdin: bytes, env: Mapping[str, str], seconds: float = SECONDS, *, enough: bytes = b""
) -> ProgramAnswer:
    """Run a program, and kill it if it takes longer than `seconds`. `stdin`: an input that is small enough for a pipe.

    `enough`: stdin is kept open until the output holds this, then the program is killed: a server ends with its stdin.
    """
    started = time.monotonic()
    pipe = subprocess.PIPE
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # in Popen, it would orphan the process
    try:
        process = subprocess.Popen(
            list(words), stdin=pipe, stdout=pipe, stderr=pipe, cwd=os.sep, env=env, start_new_session=True
        )
    except (OSError, ValueError) as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return ProgramAnswer(
            b"", b"", 0.0, f"cannot be started: {(getattr(error, 'strerror', None) or str(error)).lower()}"
        )
    said: dict[int, bytes] = {}
    why = "was interrupted"
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        why = _exchange(process, stdin, said, started + seconds, enough)
        why = why or ("" if enough else _ended(process, started + seconds))
    finally:
        if why or enough:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
        with suppress(BrokenPipeError), process:
            pass
    out, err = said.values()
    return ProgramAnswer(out, err, time.monotonic() - started, why)


def _exchange(
    process: subprocess.Popen[bytes], stdin: bytes, said: dict[int, bytes], until: float, enough: bytes
) -> str:
    """Fill `said` (by file descriptor) until stdout and stderr are closed; return what went wrong, or an empty text."""
    assert process.stdin and process.stdout and process.stderr  # noqa: S101 - all three are pipes
    said.update({process.stdout.fileno(): b"", process.stderr.fileno(): b""})
    with suppress(BrokenPipeError):
        process.stdin.write(stdin)
        process.stdin.flush() if enough else process.stdin.close()
    with selectors.DefaultSelector() as selector:
        for fd in said:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                return LATE
            for key, _ in ready:
                chunk = os.read(key.fd, READ_SIZE)
                said[key.fd] += chunk
                if not chunk:
                    selector.unregister(key.fd)
                if enough and enough in said[key.fd]:
                    return ""
                if len(said[key.fd]) > MOST_SAID:
                    return "prints more than a client reads"
    return ""


def _ended(process: subprocess.Popen[bytes], until: float) -> str:
    try:
        status = process.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return LATE
    return f"ends with status {status}" if status else ""


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


def of_server(host: Host, client: str, server: Server, again: str, seconds: float = SECONDS) -> Check:
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
    ran = run([path, "mcp"], stdin, environment(host), seconds, enough=b'"hook_stop"')
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


def of_words(host: Host, client: str, words: str, where: str, seconds: float = SECONDS) -> Check:
    """Check that `words`, which an agent is told to type and no file has brought, run this program.

    `where`: the place to name in what was found.
    """
    title = f"{CLIENTS[client].title} skills"
    env = environment(host) | {"PATH": CLIENTS[client].shell_path(host.env)}
    ran = run(["/bin/sh", "-c", f"{words} --version"], b"", env, seconds)
    if ran.why:
        return Check(title, BROKEN, f"{where}: `{words}` {ran.why}{ran.said}", "install rcs-hooks again")
    return Check(title, OK, f"{where}: they call `{words}`, which runs")


def of_version(host: Host, client: str, seconds: float = SECONDS) -> Check:
    """Return a check that shows the client's version, or says why it is not known."""
    title, path = CLIENTS[client].title, _program(host, client)
    if path is None:
        return Check(title, NOTE, f"`{client}` is not on PATH here, so its version is not known")
    if is_from_project(host, path):
        return Check(title, NOTE, f"{path} is in this project, so it was not asked for its version")
    ran = run([path, "--version"], b"", environment(host), seconds)
    if ran.why:
        return Check(title, WARN, f"{path} --version {ran.why}", f"run `{client} --version`")
    said = clean(ran.out.decode(errors="replace"), 60)
    installer = installers()[client]
    if said and _is_older(said, installer.oldest):
        oldest = ".".join(map(str, installer.oldest))
        return Check(title, WARN, f"{said} ({path}) is older than {oldest}: {installer.older_lacks}", f"update {title}")
    return Check(title, OK, f"{said or 'it says no version'} ({path})")


def _is_older(said: str, oldest: tuple[int, ...]) -> bool:
    """Tell whether the first version in what a program said is older than this; False if it holds none."""
    found = re.search(r"\d+(?:\.\d+)+", said)
    return found is not None and tuple(int(part[:9]) for part in found[0].split(".")) < oldest
