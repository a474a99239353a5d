"""Makes `made_by_0.1.0.json`: what version 0.1.0 leaves on disk, with runs active in it.

`python -m tests.upgrade.make`, in a clone with its history. The old program cannot be installed from an index, so it
is taken out of the commit that was 0.1.0. The file is made once, and changed only where 0.1.0 shows more.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.support import CHECKOUT, clean_env

COMMIT = "ea4e2a4d0f3d4089cc171c63a73b485e4b3a255d"
"""Version 0.1.0."""
MADE = Path(__file__).with_name("made_by_0.1.0.json")
WORKSPACE, HOME, BIN, PACKAGE = "/__workspace__", "/__home__", "/__bin__", "/__package__"
PLAN = {
    "meta": {"title": "Add a greeting"},
    "file_plan": [{"path": "src/a.py"}],
    "acceptance_criteria": ["it greets"],
}
CUT_SHORT = """
import os, sys
from rcs_hooks.hook.entry import main
from rcs_hooks.state import files
def killed(folder, each):
    path, remove = each[0]
    os.replace(f"{folder}/{path}{files.STAGED}", f"{folder}/{path}")
    os._exit(9)
files._apply = killed
main()
"""
"""A hook that is killed in the middle of a commit."""


def old_package(folder: Path) -> Path:
    """Takes version 0.1.0 out of the history; a clone without it fails."""
    done = subprocess.run(
        ["git", "-C", str(CHECKOUT), "archive", COMMIT, "rcs_hooks"], capture_output=True, check=False
    )
    if done.returncode:
        raise AssertionError(
            f"version 0.1.0, commit {COMMIT}, is not in the history of {CHECKOUT}; fetch it: git fetch --unshallow "
            f"({done.stderr.decode(errors='replace').strip()})"
        )
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


class Old:
    """Version 0.1.0 in a workspace and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.package = old_package(folder / "old")
        self.root = folder / "workspace"
        self.home = folder / "home"
        for each in (self.root / ".git", self.home / ".codex", self.home / ".claude"):
            each.mkdir(parents=True)

    def env(self) -> dict[str, str]:
        return clean_env(PYTHONPATH=str(self.package), HOME=str(self.home))

    def rcs(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "rcs_hooks", *words],
            cwd=self.root, env=self.env(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def hook(
        self, event: str, session: str, code: str = "from rcs_hooks.hook.entry import main; main()", **more: Any
    ) -> str:
        call = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), "transcript_path": None}
        done = subprocess.run(
            [sys.executable, "-c", code], input=json.dumps(call | more),
            cwd=self.root, env=self.env(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout


def live(old: Old) -> None:
    """One session of each kind, a run, a task and a set-up; the commit that is cut short comes last."""
    assert old.rcs("--version") == "rcs 0.1.0\n"
    old.rcs("setup", "--client", "all", "--skills", "--writable")
    old.hook("UserPromptSubmit", "asks", prompt="$forge go", turn_id="t1")
    old.rcs("state", "write", "--mode", "forge", "--session", "asks", "--phase", "executing", "--set", "theirs=[1, 2]")
    old.rcs("question", "ask", "--mode", "forge", "--session", "asks", "--text", "Which database?",
            "--option", "Postgres", "--option", "SQLite")  # fmt: skip
    old.hook("UserPromptSubmit", "works", prompt="$team go", turn_id="t1")
    for _ in range(2):
        old.hook("Stop", "works", turn_id="t1", last_assistant_message="Working.")
    old.hook("UserPromptSubmit", "plans", prompt="$blueprint $team $forge ship it", turn_id="t1")
    for step in ("requirements", "design"):
        old.rcs("emit", "--workflow", "build", "--type", "status_change", "--run-id", "r1", "--step", step,
                "--data", '{"status": "running"}')  # fmt: skip
    old.rcs("task", "new", "login")
    plan = old.root / ".rcs" / "tasks" / "login" / "planning" / "planning.ai.json"
    plan.parent.mkdir(parents=True, exist_ok=True)
    plan.write_text(json.dumps(PLAN))
    old.rcs("task", "next", "login")
    old.hook("UserPromptSubmit", "cut", CUT_SHORT, prompt="$ultrawork go", turn_id="t1")
    assert (old.root / ".rcs" / "state" / ".commit.json").is_file()


def portable(old: Old, text: str) -> str:
    named = {
        str(old.root): WORKSPACE, str(old.home): HOME, str(old.package): PACKAGE,
        str(Path(sys.executable).parent): BIN,
    }  # fmt: skip
    for path, name in named.items():
        text = text.replace(path, name)
    return text


def tree(old: Old, folder: Path) -> dict[str, str]:
    """Texts by name; the database is apart."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".rcs/rcs.db" not in str(path))
    return {str(path.relative_to(folder)): portable(old, path.read_text()) for path in files}


def dump(old: Old) -> str:
    database = old.home / ".rcs" / "rcs.db"
    found = sqlite3.connect(database)
    try:
        settings = [f"PRAGMA {name} = {found.execute(f'PRAGMA {name}').fetchone()[0]};"
                    for name in ("application_id", "user_version")]  # fmt: skip
        return portable(old, "\n".join([*found.iterdump(), *settings]) + "\n")
    finally:
        found.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        old = Old(Path(os.path.realpath(folder)))
        live(old)
        made = {
            "commit": COMMIT,
            "made_at": time.time(),
            "workspace": tree(old, old.root),
            "home": tree(old, old.home),
            "database": dump(old),
        }
    MADE.write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
