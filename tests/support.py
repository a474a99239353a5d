"""What the tests share: a workspace in a temporary folder, hook calls in it, and what a client accepts."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from rcs_hooks.cli.main import main
from rcs_hooks.environment import Environment
from rcs_hooks.hook.entry import answer, respond

CHECKOUT = Path(__file__).resolve().parent.parent
HOOKS = CHECKOUT / "hooks"
RCS_HOOK = Path(sys.executable).parent / "rcs-hook"
SCRIPTS = {"UserPromptSubmit": HOOKS / "user_prompt_submit.py", "Stop": HOOKS / "stop.py"}
NOW = 1_700_000_000.0
"""2023-11-14T22:13:20Z."""

Record = dict[str, Any]


class _Strict(BaseModel):
    """Codex drops an output with a field that it does not know."""

    model_config = ConfigDict(extra="forbid", strict=True)


class _PromptSpecific(_Strict):
    hookEventName: Literal["UserPromptSubmit"]  # noqa: N815 - the wire's own name
    additionalContext: str = Field(min_length=1, max_length=1500)  # noqa: N815 - as above


class PromptOutput(_Strict):
    """Everything that Codex accepts from us on UserPromptSubmit; never a block."""

    hookSpecificOutput: _PromptSpecific | None = None  # noqa: N815 - as above
    systemMessage: str | None = Field(default=None, min_length=1)  # noqa: N815 - as above


class _SessionSpecific(_Strict):
    hookEventName: Literal["SessionStart"]  # noqa: N815 - as above
    additionalContext: str = Field(min_length=1, max_length=1500)  # noqa: N815 - as above


class SessionOutput(_Strict):
    hookSpecificOutput: _SessionSpecific | None = None  # noqa: N815 - as above
    systemMessage: str | None = Field(default=None, min_length=1)  # noqa: N815 - as above


class _Allows(_Strict):
    systemMessage: str | None = Field(default=None, min_length=1)  # noqa: N815 - as above


class _Blocks(_Strict):
    decision: Literal["block"]
    reason: str = Field(min_length=1, max_length=1200, pattern=r"\S")
    systemMessage: str | None = Field(default=None, min_length=1)  # noqa: N815 - as above


def check_output(event: str, line: str) -> Record:
    """One JSON object on one line that the strictest client accepts; returns it."""
    assert "\n" not in line, "more than one line"
    output: Record = json.loads(line)
    if event == "Stop":
        (_Blocks if "decision" in output else _Allows).model_validate(output)
    elif event == "SessionStart":
        SessionOutput.model_validate(output)
    else:
        PromptOutput.model_validate(output)
    return output


class Answer:
    """What one hook call said."""

    def __init__(self, event: str, line: str) -> None:
        self.line = line
        self.output = check_output(event, line)
        self.context: str = self.output.get("hookSpecificOutput", {}).get("additionalContext", "")
        self.notice: str = self.output.get("systemMessage", "")
        self.reason: str = self.output.get("reason", "")
        self.blocks = "decision" in self.output

    def __repr__(self) -> str:
        return f"Answer({self.line})"


class Workspace:
    """A folder in which hooks are called, in this process unless said otherwise."""

    def __init__(self, root: Path, *, env: dict[str, str] | None = None, now: float = NOW) -> None:
        self.root = root
        self.env = {"PATH": os.defpath} | (env or {})
        self.now = now
        self.turns = 0

    def in_git(self) -> Workspace:
        """Make it a repository, as far as a workspace is known by it; return the workspace."""
        (self.root / ".git/refs").mkdir(parents=True, exist_ok=True)
        return self

    # --- hook calls

    def call(self, event: str, session: str = "s1", **fields: object) -> Answer:
        """A hook call in this process. The clock goes on by one second."""
        self.now += 1
        raw = self.payload(event, session, **fields)
        return Answer(event, respond(raw, Environment(self.env, str(self.root), self.now, "rcs")))

    def prompt(self, text: str, session: str = "s1", **fields: object) -> Answer:
        """A prompt with a turn of its own (Codex' way of naming it)."""
        self.turns += 1
        return self.call("UserPromptSubmit", session, **{"turn_id": f"turn-{self.turns}", "prompt": text} | fields)

    def stop(self, session: str = "s1", message: str | None = "Working.", **fields: object) -> Answer:
        """A Stop of the turn of the last prompt, three seconds after what was before: sooner it may be the same one."""
        self.now += 2
        mine = {"turn_id": f"turn-{self.turns}", "stop_hook_active": False, "last_assistant_message": message}
        return self.call("Stop", session, **mine | fields)

    def payload(self, event: str, session: str = "s1", **fields: object) -> bytes:
        call = {
            "session_id": session,
            "transcript_path": None,
            "cwd": str(self.root),
            "hook_event_name": event,
        }
        return json.dumps(call | fields).encode()

    # --- state on disk

    @property
    def state(self) -> Path:
        return self.root / ".rcs" / "state"

    def folder(self, session: str | None) -> Path:
        return self.state / "sessions" / session if session else self.state

    def mode_path(self, mode: str, session: str | None = "s1") -> Path:
        return self.folder(session) / f"{mode}-state.json"

    def read(self, mode: str, session: str | None = "s1") -> Record:
        """A mode's record; `skill-active` for the inventory."""
        record: Record = json.loads(self.mode_path(mode, session).read_text())
        return record

    def write(self, mode: str, session: str | None = "s1", **fields: object) -> Record:
        """A mode file as another tool might have written it: just started, unless `fields` say otherwise."""
        record: Record = {
            "active": True,
            "mode": mode,
            "current_phase": "executing",
            "updated_at": _iso(self.now),
        } | fields
        path = self.mode_path(mode, session)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record))
        return record

    def edit(self, mode: str, session: str | None = "s1", **fields: object) -> None:
        """Changes fields of a mode file, all at once for who reads it meanwhile; None takes a field out."""
        record = self.read(mode, session) | fields
        kept = {key: value for key, value in record.items() if value is not None}
        path = self.mode_path(mode, session)
        staged = path.with_name(f"{path.name}.new")
        staged.write_text(json.dumps(kept))
        staged.replace(path)

    def active(self, session: str = "s1") -> list[str]:
        """The active set as the inventory names it."""
        path = self.mode_path("skill-active", session)
        return [entry["skill"] for entry in json.loads(path.read_text())["active_skills"]] if path.exists() else []

    def workflow_state(self) -> dict[str, bytes]:
        """Every file under `.rcs` but what is the hooks' own: their notes, the lock, and what keeps git out."""
        own = ("hook-ledger.json", ".lock", ".gitignore")
        return {path: data for path, data in self.snapshot().items() if not path.endswith(own)}

    def snapshot(self) -> dict[str, bytes]:
        """Every file under `.rcs`, to the byte."""
        home = self.root / ".rcs"
        return {str(path.relative_to(home)): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


def _iso(now: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def few(rows: Iterable[Any], count: int = 2) -> list[Any]:
    """The first of a table whose rows cost a process or more each; the others are slow."""
    names = list(rows)
    return names[:count] + [pytest.param(name, marks=pytest.mark.slow) for name in names[count:]]


def error_json(code: str, message: str, **details: object) -> Record:
    """The whole object that a program is answered with for an error, on every surface but emit and task."""
    return {"ok": False, "code": code, "message": message, "details": details, "error": message}


def clean_env(**extra: str) -> dict[str, str]:
    """For whole programs: nothing of the caller's session, and a home that is not there."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "TZ")}
    coverage = {name: value for name, value in os.environ.items() if name.startswith("COV")}
    return kept | coverage | {"HOME": "/nonexistent"} | extra


def run_hook(
    raw: bytes, *, cwd: Path, script: Path | None = None, env: dict[str, str] | None = None
) -> tuple[str, int]:
    """A whole process: `rcs-hook`, or one of the scripts; its stdout without the newline, and its status."""
    command = [sys.executable, str(script)] if script else [str(RCS_HOOK)]
    done = subprocess.run(
        command, input=raw, capture_output=True, cwd=cwd, env=env or clean_env(), timeout=60, check=False
    )
    assert done.stderr == b"", done.stderr.decode(errors="replace")
    assert done.stdout.endswith(b"\n")
    assert done.stdout.count(b"\n") == 1
    return done.stdout.decode()[:-1], done.returncode


def hook_here(raw: bytes, *, cwd: Path, env: dict[str, str] | None = None) -> tuple[str, int]:
    """As `run_hook`, in this process: the line, and the status that it would have."""
    return answer(raw, Environment(clean_env() if env is None else env, str(cwd), time.time())), 0


def paste(command: str, *, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """As a shell runs a line that was pasted: in this process where it is a call of `rcs` and nothing else."""
    name, *words = shlex.split(command)
    is_ours = shutil.which(name, path=env["PATH"]) == str(RCS_HOOK.with_name("rcs"))
    if is_ours and not re.search(r"[;|&<>$`()*?~#\\]", re.sub("'[^']*'", "", command)):
        return run_rcs(*words, cwd=cwd, env=env)
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False
    )


class _Terminal(io.TextIOWrapper):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def run_rcs(
    *words: str,
    cwd: Path,
    env: dict[str, str] | None = None,
    stdin: bytes = b"",
    umask: int = -1,
    is_terminal: bool = False,
    is_typed: bool = False,
) -> subprocess.CompletedProcess[str]:
    """`rcs` in this process, with a folder, an environment and streams of its own, as if it were a program.

    `is_terminal`: whether stdout is one, as wide as COLUMNS says. `is_typed`: whether stdin is one.

    tests/test_in_process.py holds that a program says the same. Where Python itself heeds a variable as it starts,
    it is one.
    """
    env = clean_env() if env is None else env
    heeded = [name for name in env if name == "LANG" or name.startswith("PYTHON")]
    if any(env[name] != os.environ.get(name) for name in heeded):
        command = [str(RCS_HOOK.with_name("rcs")), *words]
        done = subprocess.run(
            command, input=stdin, capture_output=True, cwd=cwd, env=env, umask=umask, timeout=60, check=False
        )
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
    kinds = [_Terminal if each else io.TextIOWrapper for each in (is_typed, is_terminal, False)]
    buffers = [io.BytesIO(given) for given in (stdin, b"", b"")]
    streams = [kind(buffer, "utf-8", write_through=True) for kind, buffer in zip(kinds, buffers, strict=True)]
    shown, old_env = (sys.stdin, sys.stdout, sys.stderr), dict(os.environ)
    with contextlib.chdir(cwd):
        old_mask = os.umask(0o022)
        try:
            os.umask(old_mask if umask < 0 else umask)
            os.environ.clear()
            os.environ.update(env)
            time.tzset()  # a program of its own reads TZ as it starts
            sys.stdin, sys.stdout, sys.stderr = streams
            status = main(words)
        finally:
            sys.stdin, sys.stdout, sys.stderr = shown
            os.environ.clear()
            os.environ.update(old_env)
            time.tzset()
            os.umask(old_mask)
    out, err = (buffer.getvalue().decode() for buffer in buffers[1:])
    return subprocess.CompletedProcess(words, status, out, err)


def least(measure: Callable[[], float], enough: float, tries: int = 5) -> float:
    """Return the least that was measured. What else a machine does only adds, so the first that is enough will do."""
    found = measure()
    for _ in range(tries - 1):
        if found <= enough:
            break
        found = min(found, measure())
    return found


def processor(action: Callable[[], object]) -> float:
    """Return the seconds of the processor that this process takes for it."""
    start = time.process_time()
    action()
    return time.process_time() - start


def clock(action: Callable[[], object]) -> float:
    """Return how long it takes by the clock."""
    start = time.monotonic()
    action()
    return time.monotonic() - start


def of_children() -> float:
    """Return the seconds of the processor that all programs have taken which were run from here."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
