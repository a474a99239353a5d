"""The first letters of an id are enough wherever a command takes one, and a question can be answered without its id."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runs.support import Project
from tests.support import Workspace, clean_env, run_rcs
from tests.table import each_row

ONE, OTHER = "550e8400-e29b-41d4-a716-446655440000", "550f9999-e29b-41d4-a716-446655440000"


# --- runs


@pytest.fixture
def runs(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    for run_id in (ONE, OTHER, "login"):
        words = ["--type", "status_change", "--workflow", "build", "--run-id", run_id, "--step", "requirements"]
        assert project.rcs("emit", *words, "--data", '{"status":"running"}').returncode == 0
    return project


def test_the_first_letters_name_a_run(runs: Project) -> None:
    for words in (("runs", "show", "550e", "--json"), ("runs", "export", "550e8400-e2")):
        done = runs.rcs(*words)
        assert {json.loads(line)["run_id"] for line in done.stdout.splitlines()} == {ONE}
    shown = runs.rcs("machine", "show", "build", "--run", "550e")
    assert (shown.returncode, shown.stdout) == (0, runs.rcs("machine", "show", "build", "--run", ONE).stdout)
    assert runs.rcs("runs", "end", "550f").stdout.startswith(f"{OTHER} is skipped")


@each_row(("typed", "says"), [
    ("5500", "there is no run '5500'; `rcs runs list` shows those that are\n"),
    ("550", "550 is too short for a run; type at least 4 letters of its id\n"),
    ("550f", f"2 runs begin with 550f; say which one:\n{OTHER}\n{OTHER}2\n"),
])  # fmt: skip
def test_letters_of_none_of_two_or_too_few_name_no_run(typed: str, says: str, project: Project) -> None:
    for run_id in (ONE, OTHER, f"{OTHER}2"):
        project.emit("requirements", run=run_id)
    done = project.rcs("runs", "show", typed)
    assert (done.returncode, done.stderr) == (1, f"rcs: {says}")


# --- tasks


def test_the_first_letters_name_a_task_but_a_new_one_is_called_as_it_is_typed(tmp_path: Path) -> None:
    env = clean_env(HOME=str(tmp_path), RCS_DB=str(tmp_path / "runs.db"))
    for name in ("login-page", "login", "search"):
        assert run_rcs("task", "new", name, cwd=tmp_path, env=env).returncode == 0
    shown = {
        typed: run_rcs("task", "status", typed, "--json", cwd=tmp_path, env=env).stdout
        for typed in ("login-", "login", "sear")
    }
    assert {typed: json.loads(out)["task"] for typed, out in shown.items()} == {
        "login-": "login-page", "login": "login", "sear": "search",
    }  # fmt: skip
    assert run_rcs("task", "new", "sear", cwd=tmp_path, env=env).returncode == 0
    refused = run_rcs("task", "next", "logi", cwd=tmp_path, env=env)
    said = "rcs: 2 tasks begin with logi; say which one:\nlogin\nlogin-page\n"
    assert (refused.returncode, refused.stderr) == (1, said)


# --- questions


def _asked(workspace: Workspace, session: str = "s1") -> str:
    workspace.prompt("$forge fix the login", session)
    words = ["--mode", "forge", "--session", session, "--text", "Which database?", "--json"]
    done = run_rcs("question", "ask", *words, cwd=workspace.root, env=clean_env())
    name: str = json.loads(done.stdout)["question_id"]
    return name


def _answer(workspace: Workspace) -> object:
    done = run_rcs("question", "list", "--all", "--json", cwd=workspace.root, env=clean_env())
    (question,) = json.loads(done.stdout)["questions"]
    return question["answer"]


@each_row("line", ["{id} Postgres", "{start} Postgres", "Postgres", "{id} --json Postgres"])
def test_a_question_is_answered_by_its_id_the_first_letters_or_as_the_only_one(line: str, workspace: Workspace) -> None:
    question = _asked(workspace)
    typed = line.format(id=question, start=question[:5]).split()
    done = run_rcs("question", "answer", *typed, cwd=workspace.root, env=clean_env())
    assert (done.returncode, done.stderr) == (0, "")
    assert _answer(workspace) == "Postgres"
    done = run_rcs("question", "answer", "yes", cwd=workspace.root, env=clean_env())
    said = "rcs: no question is open, so there is nothing to answer; see: rcs question list --all\n"
    assert (done.returncode, done.stderr) == (1, said)


@each_row(("line", "code", "said"), [
    ("{id}", 2, "question answer needs the answer too: rcs question answer {id} TEXT"),
    ("yes do it", 2, "put the answer in quotes: rcs question answer 'yes do it'"),
    ("{id} yes please", 2, "put the answer in quotes: rcs question answer {id} 'yes please'"),
    ("q-none yes", 1, "q-none: no such question in this workspace; see them with: rcs question list --all"),
])  # fmt: skip
def test_an_answer_that_is_not_clear_answers_nothing(line: str, code: int, said: str, workspace: Workspace) -> None:
    question = _asked(workspace)
    names = {"id": question, "start": question[:5]}
    done = run_rcs("question", "answer", *line.format(**names).split(), cwd=workspace.root, env=clean_env())
    assert (done.returncode, done.stderr) == (code, f"rcs: {said.format(**names)}\n")
    assert _answer(workspace) is None


def test_an_answer_alone_names_the_open_questions_where_there_are_several(workspace: Workspace) -> None:
    both = sorted([_asked(workspace), _asked(workspace, "s2")])
    done = run_rcs("question", "answer", "yes, both", cwd=workspace.root, env=clean_env())
    first, *lines = done.stderr.splitlines()
    assert (done.returncode, first) == (1, "rcs: 2 questions are open; say which one:")
    assert sorted(lines) == [f"rcs question answer {each} 'yes, both'" for each in both]
    in_one = run_rcs("question", "answer", "yes", "--session", "s2", cwd=workspace.root, env=clean_env())
    assert in_one.returncode == 0
