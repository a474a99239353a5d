"""`rcs emit` as an agent's shell calls it: streams, statuses, and what it loads."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.runs.support import Project
from tests.table import each_row


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_success_is_one_short_line(project: Project) -> None:
    project.rcs(*project.command("requirements"))
    done = project.rcs(*project.command("design"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "r1 3: design; completed requirements; the run is running\n"


def test_success_as_json(project: Project) -> None:
    project.rcs(*project.command("requirements"))
    done = project.rcs(*project.command("design"), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "success": True, "event_id": 3, "run_id": "r1", "seq": 3, "step": "design",
        "completed_predecessors": ["requirements"], "run_status": "running",
    }  # fmt: skip


def test_an_unknown_step_with_a_known_current_one_to_the_letter(project: Project) -> None:
    for step in ("requirements", "design", "tasks"):
        assert project.rcs(*project.command(step)).returncode == 0
    before = project.dump()
    done = project.rcs(*project.command("biulding"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'Error: step "biulding" is not a valid state in the "build" state machine. Valid states: [requirements, '
        'design, tasks, build, verify, archive]. Current state: "tasks". Valid transitions from "tasks": [build].\n'
    )
    assert project.dump() == before


def test_an_unknown_first_step_to_the_letter_and_no_database(project: Project) -> None:
    done = project.rcs(*project.command("biulding"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'Error: step "biulding" is not a valid state in the "build" state machine. Valid states: [requirements, '
        "design, tasks, build, verify, archive].\n"
    )
    assert list(project.home.iterdir()) == []


def test_an_invalid_transition_to_the_letter(project: Project) -> None:
    project.rcs(*project.command("requirements"))
    done = project.rcs(*project.command("verify"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: Invalid transition from 'requirements' to 'verify'.\nValid next states: design\n"


def test_a_refusal_as_json_goes_to_stderr(project: Project) -> None:
    project.rcs(*project.command("requirements"))
    done = project.rcs(*project.command("desing"), "--json")
    assert (done.returncode, done.stdout) == (1, "")
    said = json.loads(done.stderr)
    assert said.pop("message").startswith('Error: step "desing" is not a valid state in the "build" state machine.')
    reason = {
        "valid_states": ["requirements", "design", "tasks", "build", "verify", "archive"], "current": "requirements",
        "valid_next": ["design"], "did_you_mean": "design",
    }  # fmt: skip
    assert said == {
        "ok": False, "code": "rejected", "details": reason, "step": "desing", "workflow": "build", **reason
    }  # fmt: skip


@each_row("words", [["--nope"], ["--step"], ["--type", "--json"], ["--ste", "x"], ["extra"]], ids=" ".join)
def test_what_the_argument_parser_refuses_is_a_wrong_command_line(project: Project, words: list[str]) -> None:
    done = project.rcs("emit", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert (done.stderr[:5], done.stderr.count("\n")) == ('{"ok"' if "--json" in words else "rcs: ", 1)


def test_a_value_may_stand_behind_an_equals_sign(project: Project) -> None:
    words = ["--type=status_change", "--workflow=build", "--run-id=r1", "--step=requirements"]
    done = project.rcs("emit", *words, '--data={"status": "running", "note": "a=b"}')
    assert (done.returncode, done.stdout) == (0, "r1 1: requirements; the run is running\n")


STEP = ("--type", "status_change", "--workflow", "build", "--run-id", "r1", "--step", "requirements")
WRONG: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing": ((), "--type is missing; give --type status_change or artifact_registered"),
    "another type": (
        ("--type", "x"), "--type \"x\" is not known; it is one of status_change, artifact_registered",
    ),
    "a type mistyped": (
        ("--type", "status_chang"),
        "--type \"status_chang\" is not known; it is one of status_change, artifact_registered; did you mean "
        "status_change?",
    ),
    "no run": (STEP[:4], "--run-id is missing; give --run-id UUID"),
    "no workflow": ((*STEP[:2], *STEP[4:]), "--workflow is missing; give --workflow NAME"),
    "no data": (STEP, """--data is missing; give --data '{"status": "running"}'"""),
    "no step": ((*STEP[:6], "--data", '{"status": "running"}'), "--step is missing; give --step STATE"),
    "no status": ((*STEP, "--data", "{}"), """--data has no status; give one, like '{"status": "running"}'"""),
    "a status mistyped": (
        (*STEP, "--data", '{"status": "runing"}'),
        "--data: status is 'runing'; it is one of not_started, running, waiting, completed, failed, skipped; did you "
        "mean running?",
    ),
    "data that is no JSON": (
        (*STEP, "--data", "running"),
        "--data is not a JSON object (Expecting value: line 1 column 1 (char 0)); give one, like "
        "'{\"status\": \"running\"}'",
    ),
}  # fmt: skip


@each_row("name", WRONG)
def test_what_no_run_may_be_given_is_a_wrong_command_line(name: str, project: Project) -> None:
    words, says = WRONG[name]
    done = project.rcs("emit", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"rcs: {says}\n")
    done = project.rcs("emit", *words, "--json")
    answer = json.loads(done.stderr)
    assert (done.returncode, done.stdout, answer["code"], answer["message"]) == (2, "", "usage", says)
    assert {"ok", "details", "step", "workflow", "valid_states", "current", "did_you_mean"} <= answer.keys()
    assert list(project.home.iterdir()) == []


def test_an_unknown_workflow_is_accepted_with_a_note_that_nothing_was_checked(project: Project) -> None:
    done = project.rcs(*project.command("any", workflow="nope"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["success"] is True
    assert done.stderr == (
        'rcs: no skill or agent is called "nope", so nothing was checked; `rcs machine list` shows those that are\n'
    )


def test_a_workflow_without_a_section_is_silent(project: Project) -> None:
    done = project.rcs(*project.command("any", workflow="plain"))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broken_diagram_is_shown_with_its_file_and_line(project: Project) -> None:
    project.skill("broken", "## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n    [*] --> \n```\n")
    done = project.rcs(*project.command("a", workflow="broken"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert "SKILL.md:5" in done.stderr
    assert "^^^" in done.stderr


def test_project_and_file_name_other_places(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    words = project.command("requirements")
    done = subprocess.run(
        [*project_rcs(), *words, "--project", "../project"],
        cwd=elsewhere, env=project.env(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert project.query("SELECT project FROM runs") == [(str(project.root.resolve()),)]
    file = str(project.root / ".claude" / "skills" / "fork" / "SKILL.md")
    assert project.rcs(*project.command("a", run="r2", workflow="mine"), "--file", file).returncode == 0


def project_rcs() -> list[str]:
    from tests.runs.support import RCS

    return RCS


def test_rcs_db_is_where_it_is_stored(project: Project, tmp_path: Path) -> None:
    done = project.rcs(*project.command("requirements"), RCS_DB=str(tmp_path / "other" / "x.db"))
    assert done.returncode == 0
    assert (tmp_path / "other" / "x.db").exists()
    assert not project.database.exists()


@pytest.mark.parametrize("home", [None, "", "rel"])
def test_without_a_home_it_is_one_sentence(home: str | None, project: Project) -> None:
    env = {name: value for name, value in project.env().items() if name != "HOME"}
    env |= {} if home is None else {"HOME": home}
    done = subprocess.run(
        [*project_rcs(), *project.command("requirements")],
        cwd=project.root, env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == "Error: HOME is not an absolute path, so there is no place for .rcs/rcs.db; set RCS_DB to a file\n"
    )


def test_a_database_in_a_place_that_is_not_there_is_one_sentence(project: Project) -> None:
    done = project.rcs(*project.command("requirements"), RCS_DB="/proc/nope/rcs.db")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: /proc/nope")
    assert done.stderr.count("\n") == 1
    assert "RCS_DB" in done.stderr


HEAVY = {"re", "json", "argparse", "typing", "dataclasses", "pathlib", "uuid", "datetime", "sqlite3", "enum", "difflib"}


def test_the_examples_of_the_help_work_as_they_stand(project: Project) -> None:
    said = project.rcs("emit", "--help").stdout
    examples = said.partition("examples:\n")[2]
    done = subprocess.run(
        ["sh", "-ec", examples], cwd=project.root, capture_output=True, text=True, check=False,
        env=project.env(PATH=f"{Path(project_rcs()[-1]).parent}{os.pathsep}{os.environ['PATH']}"),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3
