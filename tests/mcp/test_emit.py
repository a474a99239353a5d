"""The tool `emit`: it decides and answers as the command does, for JSON types and for strings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.mcp import tools
from tests.runs.support import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def called(here: Project, step: str | None, data: object, /, **more: object) -> tuple[Any, bool]:
    given = {"type": "status_change", "workflow": "build", "run_id": "r1", "step": step, "data": data} | more
    text, is_error = tools.call("emit", given, {"HOME": str(here.home)}, str(here.root))
    assert "\n" not in text
    return json.loads(text), is_error


@pytest.mark.parametrize("data", [{"status": "running"}, '{"status": "running"}'], ids=["object", "string"])
def test_it_stores_as_the_command_does(project: Project, data: object) -> None:
    assert called(project, "requirements", data, unit="", project="", agent=None) == (
        {"success": True, "event_id": 1, "run_id": "r1", "seq": 1, "step": "requirements",
         "completed_predecessors": [], "run_status": "running"}, False,
    )  # fmt: skip
    assert project.events() == [(1, "requirements", None, "running")]


@pytest.mark.parametrize("step", ["verify", "nope"])
def test_a_refusal_is_the_commands_to_the_letter(project: Project, step: str) -> None:
    called(project, "requirements", {"status": "running"})
    before = project.dump()
    answer, is_error = called(project, step, {"status": "running"})
    assert is_error
    assert answer == json.loads(project.rcs(*project.command(step), "--json").stderr)
    assert project.dump() == before


def test_project_names_another_folder_than_the_servers(project: Project, tmp_path: Path) -> None:
    arguments = {
        "type": "status_change",
        "workflow": "build",
        "run_id": 1,
        "step": "nope",
        "data": {"status": "running"},
    }
    env = {"HOME": str(project.home)}
    text, is_error = tools.call("emit", arguments | {"project": str(project.root)}, env, str(tmp_path))
    assert is_error
    assert json.loads(text)["valid_states"][0] == "requirements"
