"""What the tests of runs share: a project with skills and agents, a home of its own, and emits in it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from rcs_hooks.environment import Environment
from rcs_hooks.runs import queries
from rcs_hooks.runs.emit import emit
from rcs_hooks.runs.records import RunFilter
from rcs_hooks.runs.sqlite_store import SqliteStore, open_readonly, open_readwrite
from tests.support import NOW, RCS_HOOK, clean_env, run_rcs

RCS = [str(RCS_HOOK.with_name("rcs"))]
Record = dict[str, Any]

BUILD = """
    [*] --> requirements
    requirements --> design
    design --> tasks
    tasks --> build
    build --> verify
    verify --> build : retry
    verify --> archive
    archive --> [*] : done
"""
BLUEPRINT = """
    [*] --> detect
    detect --> charter
    detect --> prd
    charter --> [*]
    prd --> [*]
"""
FORK = """
    [*] --> a
    a --> b
    a --> c
    b --> d
    c --> d
    d --> [*]
"""
TASK_BUILDER = """
    [*] --> building
    building --> completed : build_success
    building --> failed : build_error
    completed --> [*]
    failed --> [*]
"""
TASK_REVIEWER = TASK_BUILDER.replace("building", "reviewing")


def with_section(diagram: str) -> str:
    return f"# Title\n\n## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n{diagram}```\n"


def listed(
    store: SqliteStore | None, now_ms: int, *, limit: int = 50, before: int | None = None, **asked: Any
) -> Record:
    """Return a page of runs, as `rcs runs list --json` prints it."""
    return queries.list_runs(store, now_ms, RunFilter(**asked), limit=limit, before=before)


def shown(store: SqliteStore | None, run_id: str, now_ms: int, **asked: Any) -> Record:
    """Return a run, as `rcs runs show --json` prints it."""
    return queries.show_run(store, run_id, now_ms, **asked)


class Project:
    """A repository and a home, with a clock that moves on one second with each emit."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.now = NOW
        for each in (self.root / ".git/refs", self.home):
            each.mkdir(parents=True)
        for name, diagram in (("build", BUILD), ("blueprint", BLUEPRINT), ("fork", FORK)):
            self.skill(name, with_section(diagram))
        self.agent("task-builder", with_section(TASK_BUILDER))
        self.agent("task-reviewer", with_section(TASK_REVIEWER))
        self.skill("plain", "# A skill without a diagram\n")

    @property
    def database(self) -> Path:
        return self.home / ".rcs" / "rcs.db"

    def skill(self, name: str, text: str) -> None:
        path = self.root / ".claude" / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text)

    def agent(self, name: str, text: str) -> None:
        path = self.root / ".claude" / "agents" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    # --- in this process

    def emit(self, step: str | None, status: str = "running", *, run: str = "r1", **given: Any) -> Record:
        self.now += 1
        env = {"HOME": str(self.home)} | given.pop("env", {})
        asked = {"type": "status_change", "workflow": "build", "run_id": run, "step": step}
        asked |= {"data": {"status": status}} | given
        return emit(asked, Environment(env, str(self.root), self.now)).as_json

    def artifact(self, path: str, *, step: str | None = None, run: str = "r1", **data: Any) -> Record:
        return self.emit(step, run=run, type="artifact_registered", data={"path": path} | data)

    def walk(self, *steps: str, **given: Any) -> Record:
        """Report each step as running, one after the other, and return the receipt of the last one."""
        return [self.emit(step, **given) for step in steps][-1]

    # --- what is stored

    def store(self) -> SqliteStore:
        """Open the store of this project to read from."""
        found = open_readonly(str(self.database))
        assert found
        return found

    def writable_store(self) -> SqliteStore:
        return open_readwrite(str(self.database))

    def dump(self) -> list[str]:
        """Return the whole content of the database as SQL; nothing where there is none."""
        if not self.database.exists():
            return []
        connection = sqlite3.connect(self.database)
        try:
            return list(connection.iterdump())
        finally:
            connection.close()

    def query(self, sql: str, *values: object) -> list[Any]:
        connection = sqlite3.connect(self.database)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def events(self, run: str = "r1") -> list[tuple[int, str | None, str | None, str | None]]:
        """Return the sequence, step, unit and status of each event."""
        sql = (
            "SELECT seq, step, unit, events.status FROM events JOIN runs ON runs.id = run WHERE run_id = ? ORDER BY seq"
        )
        return self.query(sql, run)

    def statuses(self, run: str = "r1") -> dict[str, str]:
        """Return the status of each step, and of each unit as STEP/UNIT."""
        sql = "SELECT step, unit, steps.status FROM steps JOIN runs ON runs.id = run WHERE run_id = ?"
        return {f"{step}/{unit}" if unit else step: status for step, unit, status in self.query(sql, run)}

    def status(self, run: str = "r1") -> str:
        ((found,),) = self.query("SELECT status FROM runs WHERE run_id = ?", run)
        return str(found)

    # --- the command line

    def env(self, **extra: str) -> dict[str, str]:
        return clean_env(HOME=str(self.home), **extra)

    def rcs(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run_rcs(*words, cwd=self.root, env=self.env(**env))

    def command(self, step: str, status: str = "running", *, run: str = "r1", workflow: str = "build") -> list[str]:
        data = json.dumps({"status": status})
        named = ["--workflow", workflow, "--run-id", run, "--step", step, "--data", data]
        return ["emit", "--type", "status_change", *named]
