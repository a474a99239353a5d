"""`rcs emit` as an agent's shell calls it: streams, statuses, places. What it decides: fixtures/6-emit.scene."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.runs.support import Project
from tests.support import RCS_HOOK, run_rcs
from tests.table import each_row


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_success_is_one_short_line(project: Project) -> None:
    project.rcs(*project.command("requirements"))
    done = project.rcs(*project.command("design"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "r1 3: design; completed requirements; the run is running\n"


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


def test_a_value_may_stand_behind_an_equals_sign(project: Project) -> None:
    words = ["--type=status_change", "--workflow=build", "--run-id=r1", "--step=requirements"]
    done = project.rcs("emit", *words, '--data={"status": "running", "note": "a=b"}')
    assert (done.returncode, done.stdout) == (0, "r1 1: requirements; the run is running\n")


def test_an_unknown_workflow_is_accepted_with_a_note_that_nothing_was_checked(project: Project) -> None:
    done = project.rcs(*project.command("any", workflow="nope"), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["success"] is True
    assert done.stderr == (
        'rcs: no skill or agent is called "nope", so nothing was checked; `rcs machine list` shows those that are\n'
    )


GIVE = """give one, like '{"status": "running"}'"""
TYPES = "it is one of status_change, artifact_registered"
WRONG: list[tuple[dict[str, str], str]] = [
    # what is given in place of a right word, or nothing; what is said
    ({"--type": ""}, "--type is missing; give --type status_change or artifact_registered"),
    ({"--type": "status_chang"}, f'--type "status_chang" is not known; {TYPES}; did you mean status_change?'),
    ({"--type": "x"}, f'--type "x" is not known; {TYPES}'),
    ({"--run-id": ""}, "--run-id is missing; give --run-id UUID"),
    ({"--workflow": ""}, "--workflow is missing; give --workflow NAME"),
    ({"--step": ""}, "--step is missing; give --step STATE"),
    ({"--data": ""}, """--data is missing; give --data '{"status": "running"}'"""),
    ({"--data": "{}"}, f"--data has no status; {GIVE}"),
    ({"--data": "running"}, f"--data is not a JSON object (Expecting value: line 1 column 1 (char 0)); {GIVE}"),
    (
        {"--data": '{"status": "runing"}'},
        "--data: status is 'runing'; it is one of not_started, running, waiting, completed, failed, skipped; did you "
        "mean running?",
    ),
]


@each_row(("given", "says"), WRONG)
def test_what_no_run_may_be_given_is_a_wrong_command_line(given: dict[str, str], says: str, project: Project) -> None:
    _, *right = project.command("requirements")
    options = dict(zip(right[::2], right[1::2], strict=True)) | given
    words = [f"{name}={value}" for name, value in options.items() if value]
    done = project.rcs("emit", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"rcs: {says}\n")
    done = project.rcs("emit", *words, "--json")
    answer = json.loads(done.stderr)
    assert (done.returncode, done.stdout, answer["code"], answer["message"]) == (2, "", "usage", says)
    assert {"ok", "details", "step", "workflow", "valid_states", "current", "did_you_mean"} <= answer.keys()
    assert list(project.home.iterdir()) == []


def test_project_and_file_name_other_places_and_rcs_db_another_store(project: Project, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    words = [*project.command("requirements"), "--project", "../project"]
    assert run_rcs(*words, cwd=tmp_path / "elsewhere", env=project.env()).returncode == 0
    assert project.query("SELECT project FROM runs") == [(str(project.root.resolve()),)]
    file = str(project.root / ".claude/skills/fork/SKILL.md")
    assert project.rcs(*project.command("a", run="r2", workflow="mine"), "--file", file).returncode == 0
    assert project.rcs(*project.command("requirements"), RCS_DB=str(tmp_path / "other/x.db")).returncode == 0
    assert (tmp_path / "other/x.db").exists()


@each_row(
    ("variables", "says"),
    [
        ({"HOME": ""}, "HOME is not an absolute path, so there is no place for .rcs/rcs.db; set RCS_DB to a file"),
        ({"RCS_DB": "/proc/nope/rcs.db"}, "/proc/nope"),
    ],
)
def test_without_a_place_for_the_database_it_is_one_sentence(
    variables: dict[str, str], says: str, project: Project
) -> None:
    done = run_rcs(*project.command("requirements"), cwd=project.root, env=project.env() | variables)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"Error: {says}")
    assert "RCS_DB" in done.stderr


def test_the_examples_of_the_help_work_as_they_stand(project: Project) -> None:
    examples = project.rcs("emit", "--help").stdout.partition("examples:\n")[2]
    env = project.env(PATH=f"{RCS_HOOK.parent}{os.pathsep}{os.environ['PATH']}")
    done = subprocess.run(
        ["sh", "-ec", examples], cwd=project.root, capture_output=True, text=True, check=False, env=env
    )
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 3)
