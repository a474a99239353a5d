"""Whether what a client would start answers, and how fast.

Rules of this file:
- A settings file may have come with a repository, and a program that it names with it. Started is only a call of ours
  by itself (the line that setup writes, `rcs-hook`, `rcs mcp`), and only of this Python or the programs beside it, or
  of those that a file of the person's own names and that do not lie in the project.
- What is started finds no state: it is told of a root in which there can be none. An entry's own variables are not
  passed on.
- It gets a bounded time and a bounded say, and nothing of it stays behind.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.errors import Refused
from rcs_hooks.hook.place import SYSTEM_PATH
from rcs_hooks.install import clients, merge
from rcs_hooks.install.check import BROKEN, NOTE, OK, WARN, Check
from rcs_hooks.install.clients import CODEX, TITLES, Machine
from rcs_hooks.install.settings import Server, in_project
from rcs_hooks.workflow.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SLOW = 0.3
SECONDS = 10.0
TRIES = 3
MOST_SAID = 256 * 1024
READ_SIZE = 64 * 1024
LATE = "does not end in time"
NOWHERE = os.devnull
"""As the root of a workspace: no state can be under it."""
SHOWN = 200


class Ran(NamedTuple):
    out: bytes
    err: bytes
    seconds: float
    why: str
    """Empty where it ended well."""

    @property
    def said(self) -> str:
        text = clean((self.err or self.out)[-SHOWN:].decode(errors="replace"), SHOWN)
        return f": {text}" if text else ""


def run(
    words: Sequence[str], given: bytes, env: Mapping[str, str], seconds: float = SECONDS, *, enough: bytes = b""
) -> Ran:
    """`given` is small enough for a pipe to hold it. `enough`: a server ends when its stdin does, whatever it was
    asked, so that stays open until it has said this much."""
    started = time.monotonic()
    pipe = subprocess.PIPE
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # within Popen, it would leave what was started
    try:
        process = subprocess.Popen(
            list(words), stdin=pipe, stdout=pipe, stderr=pipe, cwd=os.sep, env=env, start_new_session=True
        )
    except (OSError, ValueError) as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        return Ran(b"", b"", 0.0, f"cannot be started: {(getattr(error, 'strerror', None) or str(error)).lower()}")
    said: dict[int, bytes] = {}
    why = "was interrupted"
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        why = _heard(process, given, said, started + seconds, enough)
        why = why or ("" if enough else _ended(process, started + seconds))
    finally:
        if why or enough:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
        with suppress(BrokenPipeError), process:
            pass
    out, err = said.values()
    return Ran(out, err, time.monotonic() - started, why)


def _heard(process: subprocess.Popen[bytes], given: bytes, said: dict[int, bytes], until: float, enough: bytes) -> str:
    """Fills `said` until both ends are closed; what is wrong with that."""
    assert process.stdin and process.stdout and process.stderr  # noqa: S101 - all three are pipes
    said.update({process.stdout.fileno(): b"", process.stderr.fileno(): b""})
    with suppress(BrokenPipeError):
        process.stdin.write(given)
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
                    return "says more than a client takes"
    return ""


def _ended(process: subprocess.Popen[bytes], until: float) -> str:
    try:
        status = process.wait(max(0.1, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        return LATE
    return f"ends with status {status}" if status else ""


def environment(machine: Machine) -> dict[str, str]:
    """Of a client, and nothing that would lead to real state, or to a client's own files."""
    kept = {name: machine.env[name] for name in ("PATH", "HOME", "LANG") if name in machine.env}
    homes = {"RCS_ROOT": NOWHERE, "CODEX_HOME": NOWHERE, "CLAUDE_CONFIG_DIR": NOWHERE}
    return kept | homes | {"PYTHONDONTWRITEBYTECODE": "1"}


# --- what may be started


def _program(machine: Machine, word: str) -> str | None:
    """Where the client would find it; None where it would find nothing to run."""
    try:
        path = word if os.path.isabs(word) else shutil.which(word, path=machine.env.get("PATH", os.defpath)) or ""
        return os.path.abspath(path) if os.path.isfile(path) and os.access(path, os.X_OK) else None
    except ValueError:  # no name that a file can have
        return None


def _refusal(machine: Machine, path: str, *, is_mine: bool) -> str:
    """Why it is not started; empty where it may be. Ours by its whole path: a link to our Python, in a folder of
    somebody else's, finds the packages of that folder."""
    with suppress(Refused):
        if path in (clients.interpreter(), clients.program(), clients.program("rcs")):
            return ""
    if any(in_project(machine, place) for place in (path, os.path.dirname(path))):
        return "it lies in this project, and it is not the one beside this Python"
    return "" if is_mine else "a file of this project names it, and it is not the one beside this Python"


def _shown(words: Sequence[str]) -> str:
    return clean(" ".join(words), SHOWN) or "nothing"


def _tried(
    machine: Machine, title: str, words: Sequence[str], again: str, *, is_alone: bool, is_mine: bool
) -> str | Check:
    """The program to start, or why none is. `is_alone`: the words call it, and do nothing besides."""
    path = _program(machine, words[0]) if words else None
    if path is None:
        return Check(title, BROKEN, f"{_shown(words)} is no program that can be run", again)
    if not is_alone:
        return Check(title, NOTE, f"{_shown(words)} was not tried: it does more than call ours")
    if why := _refusal(machine, path, is_mine=is_mine):
        todo = f"look at it before you trust this project; `{again}` puts ours in its place"
        return Check(title, WARN, f"{_shown(words)} was not started: {why}", todo)
    return path


# --- do they answer


def of_hook(
    machine: Machine,
    client: str,
    words: Sequence[str],
    again: str,
    *,
    is_mine: bool,
    seconds: float = SECONDS,
) -> Check:
    title = f"{TITLES[client]} hook"
    options = merge.HOOK_OPTIONS if merge.interpreter_of(words) else ()
    is_alone = bool(options) or (len(words) == 1 and words[0].rpartition("/")[2] == merge.PROGRAM)
    path = _tried(machine, title, words, again, is_alone=is_alone, is_mine=is_mine)
    if isinstance(path, Check):
        return path
    call = {"hook_event_name": "Stop", "session_id": "doctor", "cwd": os.sep, "last_assistant_message": None}
    given = jsontext.dumps_line(call).encode()
    best = SECONDS
    for _ in range(TRIES):
        ran = run([path, *options], given, environment(machine), seconds)
        if ran.why:
            return Check(title, BROKEN, f"{words[0]} {ran.why}{ran.said}", again)
        if ran.out != b"{}\n":
            return Check(title, BROKEN, f"{words[0]} answers what no hook of ours does{ran.said}", again)
        best = min(best, ran.seconds)
    return _quick(title, f"{words[0]} answers", best)


def _quick(title: str, what: str, seconds: float) -> Check:
    found = f"{what} in {seconds * 1000:.0f} ms"
    todo = "it is on a slow disk or behind a version manager; set it up from a plain venv"
    return Check(title, WARN, found, todo) if seconds > SLOW else Check(title, OK, found)


def of_server(machine: Machine, client: str, server: Server, again: str, seconds: float = SECONDS) -> Check:
    title = f"{TITLES[client]} server"
    command, args = server.entry.get("command"), server.entry.get("args", [])
    if not isinstance(command, str) or not isinstance(args, list):
        return Check(title, BROKEN, f"the entry of {merge.SERVER} has no command", again)
    words = [command, *map(str, args)]
    is_alone = command.rpartition("/")[2] == "rcs" and args == ["mcp"]
    if not server.is_mine and (more := _more(server.entry)):
        found = f"the entry of {merge.SERVER} in a file of this project has {more}: it was not started"
        return Check(title, WARN, found, f"look at it before you trust this project; `{again}` puts ours in its place")
    path = _tried(machine, title, words, again, is_alone=is_alone, is_mine=server.is_mine)
    if isinstance(path, Check):
        return path
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}}
    asked = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
    given = "".join(jsontext.dumps_line(message) + "\n" for message in asked).encode()
    ran = run([path, "mcp"], given, environment(machine), seconds, enough=b'"hook_stop"')
    if ran.why:
        return Check(title, BROKEN, f"{command} mcp {ran.why}{ran.said}", again)
    if b'"hook_stop"' not in ran.out:
        return Check(title, BROKEN, f"{command} mcp offers no hook_stop{ran.said}", again)
    return Check(title, OK, f"{merge.SERVER} starts and names its tools in {ran.seconds * 1000:.0f} ms")


def _more(entry: Mapping[str, object]) -> str:
    """What a server's entry has and `rcs setup` does not write."""
    known = merge.OUR_SERVER_FIELDS | merge.PERSONAL_SERVER_FIELDS
    env = entry.get("env", {})
    names = env if isinstance(env, dict) else {"env": env}
    more = [*(set(entry) - known), *(f"env.{name}" for name in names if not str(name).startswith(merge.OUR_VARIABLES))]
    return clean(", ".join(sorted(map(str, more))), SHOWN)


def of_words(machine: Machine, client: str, words: str, where: str, seconds: float = SECONDS) -> Check:
    """Whether the words that an agent is told to type run this program. `words` are ours, from no file."""
    title = f"{TITLES[client]} skills"
    env = environment(machine) | ({"PATH": SYSTEM_PATH} if client == CODEX else {})
    ran = run(["/bin/sh", "-c", f"{words} --version"], b"", env, seconds)
    if ran.why:
        return Check(title, BROKEN, f"{where}: `{words}` {ran.why}{ran.said}", "install rcs-hooks again")
    return Check(title, OK, f"{where}: they call `{words}`, which runs")


def of_version(machine: Machine, client: str, seconds: float = SECONDS) -> Check:
    title, path = TITLES[client], _program(machine, client)
    if path is None:
        return Check(title, NOTE, f"`{client}` is not on PATH here, so its version is not known")
    if in_project(machine, path):
        return Check(title, NOTE, f"{path} lies in this project, so it was not asked for its version")
    ran = run([path, "--version"], b"", environment(machine), seconds)
    if ran.why:
        return Check(title, WARN, f"{path} --version {ran.why}", f"run `{client} --version`")
    return Check(title, OK, f"{clean(ran.out.decode(errors='replace'), 60) or 'it says no version'} ({path})")
