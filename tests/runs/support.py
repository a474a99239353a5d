"""What the tests of runs share: a project with skills and agents, a home of its own, and emits in it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

from rcs_hooks.runs import store
from rcs_hooks.runs.around import Around
from rcs_hooks.runs.emit import emit
from tests.support import NOW, RCS_HOOK, clean_env

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


class Project:
    """A project folder and a home; the clock goes on by one second with each emit."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.now = NOW
        for each in (self.root, self.home):
            each.mkdir()
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
        asked = {"type": "status_change", "workflow": "build", "run_id": run, "step": step}
        asked |= {"data": {"status": status}} | given
        return emit(asked, Around({}, str(self.home), str(self.root), self.now)).as_json

    def artifact(self, path: str, *, step: str | None = None, run: str = "r1", **data: Any) -> Record:
        return self.emit(step, run=run, type="artifact_registered", data={"path": path} | data)

    def walk(self, *steps: str, **given: Any) -> Record:
        """Each step running, one after the other; the receipt of the last."""
        return [self.emit(step, **given) for step in steps][-1]

    # --- what is stored

    def store(self) -> store.Store:
        found = store.opened(str(self.database))
        assert found
        return found

    def dump(self) -> list[str]:
        """The whole content; nothing where there is no database."""
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
        """Sequence, step, unit and status."""
        sql = (
            "SELECT seq, step, unit, events.status FROM events JOIN runs ON runs.id = run WHERE run_id = ? ORDER BY seq"
        )
        return self.query(sql, run)

    def statuses(self, run: str = "r1") -> dict[str, str]:
        """Of each step; of each unit as STEP/UNIT."""
        sql = "SELECT step, unit, steps.status FROM steps JOIN runs ON runs.id = run WHERE run_id = ?"
        return {f"{step}/{unit}" if unit else step: status for step, unit, status in self.query(sql, run)}

    def status(self, run: str = "r1") -> str:
        ((found,),) = self.query("SELECT status FROM runs WHERE run_id = ?", run)
        return str(found)

    # --- whole programs

    def env(self, **extra: str) -> dict[str, str]:
        return clean_env(HOME=str(self.home), **extra)

    def rcs(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*RCS, *words], capture_output=True, text=True, cwd=self.root, env=self.env(**env), timeout=60, check=False
        )

    def command(self, step: str, status: str = "running", *, run: str = "r1", workflow: str = "build") -> list[str]:
        data = json.dumps({"status": status})
        named = ["--workflow", workflow, "--run-id", run, "--step", step, "--data", data]
        return ["emit", "--type", "status_change", *named]


def as_nobody() -> bool:
    """Whether permissions bind this process."""
    return os.geteuid() != 0
