"""`rcs watch`: what it prints of what happens, which words it takes, and the lines of the page about it."""

from __future__ import annotations

import json
import os
import re
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace

import pytest

from rcs_hooks.cli import output, pages, watch_program
from rcs_hooks.cli.watch_program import WatchProgram
from rcs_hooks.files.clock import iso
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.writing import write
from tests.cli.test_watch_program import ASKED, AT, HOSTILE
from tests.runs.support import Project
from tests.state.test_operations import at
from tests.support import RCS_HOOK, Workspace, clean_env, few, run_rcs
from tests.table import each_row
from tests.test_docs import blocks

S1, S2 = "3f2a9c01-1111-4222-8333-444455556666", "77aa9c01-1111-4222-8333-444455556666"
Step = Callable[[], object]


class Watching:
    """A workspace in which something happens while `rcs watch` runs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.project = Project(folder)
        self.workspace = Workspace(self.project.root, now=time.time() - 2)
        self.env = clean_env(HOME=str(self.project.home), PATH=f"{RCS_HOOK.parent}{os.pathsep}{os.environ['PATH']}")
        self.project.now = time.time() - 60
        self.monkeypatch = monkeypatch

    def watch(
        self, *words: str, steps: list[Step], columns: int = 0, env: dict[str, str] | None = None
    ) -> CompletedProcess[str]:
        """Run it: each of the steps happens while it waits, and then comes Ctrl-C."""
        waiting = list(steps)

        def sleep(_: float) -> None:
            if not waiting:
                raise KeyboardInterrupt
            waiting.pop(0)()

        size = {"COLUMNS": str(columns), "TERM": "dumb"} if columns else {}
        with self.monkeypatch.context() as patch:
            # Only what watches: a process that is waited for sleeps as well.
            patch.setattr(output, "pause", sleep)
            patch.setattr(watch_program, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
            return run_rcs(
                "watch", *words, cwd=self.project.root, env=self.env | size | (env or {}), is_terminal=bool(columns)
            )

    def events(self, *words: str, steps: list[Step], **env: str) -> list[str]:
        """The events that it prints, each with the name of what it happened to."""
        done = self.watch("--json", *words, steps=steps, env=env)
        assert (done.returncode, done.stderr) == (130, "")
        found = map(json.loads, done.stdout.splitlines())
        return [f"{each['event']} {each['name']} {each.get('session') or each.get('id')}" for each in found]

    # --- what happens

    def start(self, session: str = S1, title: str = "fix the ledger") -> None:
        self.workspace.prompt(f"$forge {title}", session)

    def ask(self) -> None:
        ask(self.session(S1), "forge", "Which database?", ["sqlite", "postgres"])

    def fail(self) -> None:
        write(self.session(S1), "forge", {"lifecycle_outcome": "failed", "reason": "no database"})

    def finish(self) -> None:
        self.workspace.edit("forge", S2, active=False, lifecycle_outcome="finished", completed_at=iso(time.time()))

    def let_go(self) -> None:
        self.workspace.edit("forge", S1, current_phase="executing")
        while self.workspace.stop(S1).blocks:
            pass

    def emit(self, step: str, status: str = "running") -> None:
        self.project.emit(step, status)

    def session(self, session: str) -> Scope:
        return at(self.workspace, session)._replace(now=time.time())


@pytest.fixture
def watching(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watching:
    return Watching(tmp_path, monkeypatch)


# --- what happens


def test_a_day(watching: Watching) -> None:
    steps: list[Step] = [
        watching.start,
        watching.ask,
        lambda: watching.start(S2),
        watching.fail,
        watching.finish,
        lambda: watching.emit("requirements"),
        lambda: watching.emit("requirements", "waiting"),
        lambda: watching.emit("requirements", "failed"),
        lambda: None,
    ]
    assert watching.events(steps=steps) == [
        f"waiting forge {S1}",
        f"failed forge {S1}",
        f"ended forge {S2}",
        "waiting build r1",
        "failed build r1",
    ]


def test_what_was_there_before_is_no_event(watching: Watching) -> None:
    watching.start()
    watching.ask()
    assert watching.events(steps=[lambda: None]) == []
    assert watching.events(steps=[watching.fail, lambda: None]) == [f"failed forge {S1}"]


def test_a_question_that_cannot_be_read_for_a_moment_is_no_event(watching: Watching) -> None:
    watching.start()
    watching.ask()
    (path,) = watching.workspace.folder(S1).glob("questions/*.json")
    whole = path.read_bytes()
    steps: list[Step] = [lambda: path.write_bytes(b"{"), lambda: path.write_bytes(whole), lambda: None]
    assert watching.events(steps=steps) == []


def test_a_run_that_stop_lets_go_waits_for_the_person(watching: Watching) -> None:
    watching.start()
    assert watching.events(steps=[watching.let_go, lambda: None]) == [f"waiting forge {S1}"]


@each_row(
    ("on", "kinds"),
    [("ended", ["failed", "ended"]), (" failed, waiting ", ["waiting", "failed"])],
)
def test_only_what_was_asked_for(on: str, kinds: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watching = Watching(tmp_path, monkeypatch)
    watching.start()
    watching.start(S2)
    steps: list[Step] = [watching.ask, watching.fail, watching.finish]
    assert [line.split()[0] for line in watching.events("--on", on, steps=steps)] == kinds


def test_it_writes_nothing_where_there_is_nothing(watching: Watching) -> None:
    assert watching.events(steps=[lambda: None]) == []
    assert not (watching.project.root / ".rcs").exists()


# --- what is printed

PRINTED = """\
TIME  waiting  fix the ledger  forge  3f2a9c01
  asks: Which database? (sqlite | postgres)
  To answer: rcs question answer question-ID 'YOUR ANSWER'
TIME  failed  fix the ledger  forge  3f2a9c01
  failed in phase starting: no database
"""


def test_what_is_printed_at_each_width_in_the_same_words(watching: Watching) -> None:
    shown = {}
    for columns in (80, 44, 0):
        watching.start()
        done = watching.watch(steps=[watching.ask, watching.fail], columns=columns)
        assert (done.returncode, done.stderr) == (130, "")
        text = re.sub(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d", "TIME", done.stdout)
        shown[columns] = re.sub(r"\bq-\w+", "question-ID", text).replace(S1, S1[:8])
    assert shown[80] == PRINTED + "\n"
    assert shown[44].split() == PRINTED.split()
    lines = shown[0].replace("). To answer", ") To answer").splitlines()
    assert [line.split()[:2] for line in lines] == [["TIME", "waiting"], ["TIME", "failed"]]
    assert " ".join(lines).split() == PRINTED.split()


# --- the program that is called


def test_a_program_is_called_and_nothing_is_printed(watching: Watching) -> None:
    script = f'cat > "{watching.project.home}/$RCS_EVENT"; echo told'
    for words in (["--exec", "sh", "-c", script], ["--", "sh", "-c", script], ["--exec=sh", "-c", script]):
        watching.start()
        done = watching.watch("--on", "failed", *words, steps=[watching.fail, *[lambda: None] * 3])
        assert (done.returncode, done.stdout) == (130, "")
        told = watching.project.home / "failed"
        assert json.loads(told.read_text())["detail"].endswith("no database")
        told.unlink()


WRONG = {
    "--exec": (2, "--exec needs a program, like: rcs watch --exec notify-send rcs 'Something waits for you'"),
    "--exec cat -n --on waiting,failed":
        (2, "--exec comes last, as all that follows is given to it: rcs watch --on waiting,failed --exec cat -n"),
    "--exec no-such-program -x": (1, "there is no program `no-such-program`"),
    "--exec 'cat -n'": (1, "there is no program `cat -n`; a line for a shell: rcs watch --exec sh -c 'cat -n'"),
    "--exec ./notify": (1, "`./notify` cannot be run; to make it a program: chmod +x ./notify"),
    "--exec ../": (1, "`../` is a folder, so it cannot be run"),
}  # fmt: skip


@each_row(("line", "status", "says"), [(line, *rest) for line, rest in WRONG.items()], ids=WRONG)
def test_a_program_that_cannot_be_meant(line: str, status: int, says: str, tmp_path: Path) -> None:
    (tmp_path / "notify").write_text("#!/bin/sh\n")
    done = run_rcs("watch", *shlex.split(line), cwd=tmp_path, env=clean_env(HOME=str(tmp_path)))
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"rcs: {says}\n")


LINES = [line for line in "".join(blocks(pages.text_of("notifications"), "sh")).splitlines() if " --exec " in line]
STAND_IN = """#!/bin/sh
{ printf '%s\\n' "${0##*/}" "$@"; echo =====; cat; } >> "$CALLS"
"""
JQ = """#!/bin/sh
exec python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[2][1:]])' "$@"
"""


@pytest.mark.parametrize("line", few(LINES, 2))
def test_a_line_of_the_page_calls_its_program_and_lets_no_text_become_a_command(line: str, tmp_path: Path) -> None:
    for name in ("notify-send", "osascript", "terminal-notifier", "curl", "jq"):
        (tmp_path / name).write_text(JQ if name == "jq" else STAND_IN)
        (tmp_path / name).chmod(0o755)
    program = shlex.split(line)[shlex.split(line).index("--exec") + 1 :]
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "CALLS": str(tmp_path / "calls"), "WEBHOOK": "https://example.org/hook"}
    said: list[str] = []
    called = WatchProgram(program, env, said.append, seconds=60)
    event = ASKED._replace(entry=ASKED.entry._replace(title=HOSTILE))
    called.add([event], AT)
    while called.is_busy:
        called.work(time.monotonic() + 0.05)
    words, _, stdin = (tmp_path / "calls").read_text().partition("\n=====\n")
    assert said == []
    assert not list(tmp_path.glob("gone*"))
    assert HOSTILE in words.splitlines() if "jq" in line else json.loads(stdin) == event.as_json(AT)


def test_one_session_and_no_other(watching: Watching) -> None:
    watching.start()
    watching.start(S2)
    steps: list[Step] = [watching.fail, watching.finish, lambda: watching.emit("requirements", "waiting")]
    assert watching.events("--session", S2[:4], steps=steps, RCS_SESSION_ID=S1) == [f"ended forge {S2}"]
