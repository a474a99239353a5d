"""A repository that brings commands, in git's files and in `rcs.toml`: nothing but what a person types runs any.

`RUN` is a program of the repository; whatever runs it leaves its mark.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rcs_hooks.dashboard.data import DashboardData
from rcs_hooks.mcp import tools
from tests.dashboard.support import Board
from tests.proof.repositories import git
from tests.support import Record, Workspace, clean_env, run_hook, run_rcs

HOOKS = (
    "pre-commit",
    "post-checkout",
    "post-index-change",
    "post-commit",
    "fsmonitor-watchman",
    "reference-transaction",
)
LONG = "\\u001b]0;owned\\u0007\\u202e" + "x" * 900


class Hostile:
    """The repository of a stranger, cloned by a person who has a forge running in it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.mark = folder / "clone", folder / "home", folder / "ran"
        self.root.mkdir()
        self.home.mkdir()
        git(self.root, "init", "-q")
        run = folder / "run"
        run.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{self.mark}'\ncat 2>/dev/null\n")
        run.chmod(0o755)
        (self.root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text eol=lf ident\n")
        (self.root / "rcs.toml").write_text(f'[proof]\ncommand = "{run}"\nrequired = true\n"{LONG}" = 1\n')
        for number in range(20):
            (self.root / f"file{number}.py").write_text("one\n")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "x")
        for hook in HOOKS:
            path = self.root / ".git/hooks" / hook
            path.parent.mkdir(exist_ok=True)
            path.write_text(run.read_text())
            path.chmod(0o755)
        settings = {
            **dict.fromkeys(("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external"), run),
            **dict.fromkeys(("filter.evil.clean", "filter.evil.smudge", "filter.evil.process"), run),
            **dict.fromkeys(("diff.evil.textconv", "diff.evil.command", "credential.helper", "gpg.program"), run),
            "filter.evil.required": "true",
            "core.hooksPath": self.root / ".git/hooks",
            "alias.ls-files": f"!{run}",
        }
        for key, value in settings.items():
            git(self.root, "config", key, str(value))
        self.touch()
        self.env = clean_env(HOME=str(self.home))

    def touch(self) -> None:
        """Write the same content again, so that git has to look into the files."""
        for path in self.root.glob("file*.py"):
            path.write_text(path.read_text())

    @property
    def ran(self) -> list[str]:
        return self.mark.read_text().splitlines() if self.mark.exists() else []

    def rcs(self, *words: str) -> tuple[int, str]:
        done = run_rcs(*words, cwd=self.root, env=self.env)
        assert all(line.isprintable() for line in f"{done.stdout}{done.stderr}".replace("\t", " ").split("\n")), words
        return done.returncode, done.stdout + done.stderr

    def hook(self, event: str, **fields: object) -> Record:
        raw = Workspace(self.root).payload(event, "s1", **fields)
        line, status = run_hook(raw, cwd=self.root, env=self.env)
        assert status == 0
        answer: Record = json.loads(line)
        return answer


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Hostile]:
    found = Hostile(tmp_path)
    yield found
    assert found.ran == []


def test_the_repository_would_run_its_commands(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    subprocess.run(["git", "status"], cwd=hostile.root, env=hostile.env, capture_output=True, check=False)
    assert len(hostile.ran) >= 2, "fsmonitor and a filter"


READING = [
    ("status",),
    ("status", "--json"),
    ("hud",),
    ("hud", "--json"),
    ("log",),
    ("config",),
    ("modes",),
    ("state", "get-status", "--json"),
    ("state", "list-active"),
    ("state", "read", "--mode", "forge"),
    ("overlay", "show"),
    ("machine", "list"),
    ("runs", "list"),
    ("question", "list"),
    ("task", "list"),
    ("try", "$team fix this"),
]


def test_no_hook_and_no_command_that_shows_something_runs_anything(hostile: Hostile) -> None:
    assert "active: forge" in str(hostile.hook("UserPromptSubmit", prompt="$forge fix this", turn_id="t1"))
    for words in READING:
        hostile.touch()
        assert hostile.rcs(*words)[0] == 0, words
    for event in ("SessionStart", "Stop", "UserPromptSubmit", "Stop", "SessionEnd"):
        hostile.touch()
        hostile.hook(event, prompt="Go on.", turn_id="t2", last_assistant_message="Working.")
    assert hostile.rcs("doctor")[1].count("rcs.toml") >= 2
    assert hostile.rcs("task", "new", "login")[0] == 0
    assert hostile.rcs("task", "status", "login")[0] == 0


def test_what_it_requires_refuses_nothing_while_nobody_trusts_it(hostile: Hostile) -> None:
    hostile.hook("UserPromptSubmit", prompt="$forge fix this", turn_id="t1")
    status, said = hostile.rcs("state", "write", "--mode", "forge", "--session", "s1", "--outcome", "finished")
    assert (status, "owned" in said) == (0, False)
    record = json.loads((hostile.root / ".rcs/state/sessions/s1/forge-state.json").read_text())
    assert record["active"] is False


def test_no_tool_and_no_page_runs_anything(hostile: Hostile, tmp_path: Path) -> None:
    hostile.hook("UserPromptSubmit", prompt="$forge fix this", turn_id="t1")
    for name in [name for name in tools.NAMES if name != "state_clear"]:
        hostile.touch()
        fields = {"session_id": "s1", "mode": "forge", "cwd": str(hostile.root), "prompt": "Go on.", "question": "a?"}
        tools.call(name, fields, hostile.env, str(hostile.root))
    (tmp_path / "board").mkdir()
    board = Board(tmp_path / "board")
    board.data = DashboardData(str(tmp_path / "runs.db"), str(hostile.root), hostile.env, time.time)
    for address in ("/", "/api/overview", "/api/sessions", "/api/modes/forge?session=s1", "/api/tasks", "/api/runs"):
        hostile.touch()
        assert board.client.get(address).status_code == 200, address
    assert "forge" in board.client.get("/api/sessions").text
    board.close()


def test_a_proof_runs_the_command_that_was_typed_and_nothing_else(hostile: Hostile) -> None:
    hostile.hook("UserPromptSubmit", prompt="$forge fix this", turn_id="t1")
    assert os.path.exists(hostile.root / ".rcs")
    status, said = hostile.rcs("prove", "--session", "s1", "--", "true")
    assert status == 0, said
    hostile.touch()
    status, said = hostile.rcs("state", "write", "--mode", "forge", "--session", "s1", "--outcome", "finished")
    assert (status, "proven by" in said) == (0, True), said
    status, said = hostile.rcs("prove", "--session", "s1")
    assert status == 125, said
