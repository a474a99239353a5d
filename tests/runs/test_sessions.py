"""Which session a run belongs to: the last one in whose shell it was reported."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rcs_hooks.environment import Environment, session_of
from rcs_hooks.runs.emit import emit
from tests.runs.support import Project
from tests.table import each_row

OF_RUN = "SELECT session, client, workspace FROM runs"
CODEX = {"CODEX_SESSION_ID": "c1"}
CLAUDE = {"CLAUDE_CODE_SESSION_ID": "s1"}
NOWHERE = (None, None, None)


@each_row(("env", "session", "client"), [
    ({}, "", ""), ({"RCS_SESSION_ID": "", "CODEX_SESSION_ID": ""}, "", ""), (CODEX, "c1", "codex"),
    (CLAUDE, "s1", "claude"), ({"COPILOT_AGENT_SESSION_ID": "p1"}, "p1", "copilot"),
    ({"QWEN_CODE_SESSION_ID": "q1"}, "q1", "qwen"), (CODEX | CLAUDE, "s1", "claude"),
    ({"RCS_SESSION_ID": "c1"} | CODEX | CLAUDE, "c1", "codex"), ({"RCS_SESSION_ID": "r1"} | CODEX, "r1", ""),
])  # fmt: skip
def test_the_session_is_that_which_a_variable_names(env: dict[str, str], session: str, client: str) -> None:
    assert session_of(env) == (session, client)


def test_a_run_has_the_session_that_reported_it_last(project: Project) -> None:
    def of_run() -> Any:
        ((*found,),) = project.query(OF_RUN)
        return tuple(found)

    root = str(project.root)
    project.emit("requirements")
    assert of_run() == NOWHERE
    project.emit("design", env=CODEX)
    assert of_run() == ("c1", "codex", root)
    project.emit("tasks")
    assert of_run() == ("c1", "codex", root)
    project.emit("build", env=CLAUDE)
    assert of_run() == ("s1", "claude", root)
    project.emit("build", unit="T1", env=CODEX)
    assert of_run() == ("c1", "codex", root)
    project.emit(None, type="artifact_registered", data={"path": "a.md"}, env=CLAUDE)
    assert of_run() == ("s1", "claude", root)


def test_a_report_from_a_session_with_an_impossible_id_is_taken(project: Project) -> None:
    for number, session in enumerate(("../s1", "a b", "x" * 500, "\udcff")):
        project.emit("requirements", run=f"r{number}", env={"RCS_SESSION_ID": session})
    assert project.query(OF_RUN) == [NOWHERE] * 4


def test_the_server_of_mcp_says_no_session(project: Project) -> None:
    asked = {"type": "status_change", "workflow": "build", "run_id": "r1", "step": "requirements"}
    env = {"HOME": str(project.home)} | CODEX
    emit(asked | {"data": {"status": "running"}}, Environment(env, str(project.root), project.now, mcp=True))
    assert project.query(OF_RUN) == [NOWHERE]


def test_the_workspace_is_that_of_the_session_and_not_of_the_project(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".git" / "refs").mkdir(parents=True)
    inner = project.root / "inner"
    inner.mkdir()
    (project.root / ".rcs/state/sessions/c1").mkdir(parents=True)
    assert project.rcs(
        *project.command("a", workflow="plain"), "--project", str(other), RCS_SESSION_ID="c1"
    ).returncode == 0  # fmt: skip
    assert project.query("SELECT project, session, workspace FROM runs") == [
        (os.path.realpath(other), "c1", os.path.realpath(project.root))
    ]
