"""`rcs runs`: what a person sees at 80 columns, what a program gets, and what is deleted."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from tests.runs.support import RCS, Project, Record
from tests.support import run_rcs
from tests.table import each_row

RUN = "550e8400-e29b-41d4-a716-446655440000"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.now = time.time() - 600
    return made


@pytest.fixture
def busy(project: Project) -> Project:
    project.walk("requirements", "design", run=RUN)
    project.emit("building", unit="T1", run=RUN)
    project.artifact("docs/design.md", step="design", run=RUN)
    return project


def said(project: Project, *words: str) -> str:
    done = project.rcs("runs", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def as_json(project: Project, *words: str) -> Record:
    found: Record = json.loads(said(project, *words, "--json"))
    return found


def test_without_a_database_there_are_no_runs_and_none_is_made(project: Project) -> None:
    assert said(project, "list") == "no reported runs (rcs emit); what runs in sessions: rcs status\n"
    assert said(project, "list", "--status", "failed") == "no such runs (rcs emit); what runs in sessions: rcs status\n"
    assert as_json(project, "list") == {"runs": [], "next": None}
    assert said(project, "export") == ""
    assert said(project, "prune", "--older-than", "1d") == "0 deleted\n"
    assert list(project.home.iterdir()) == []


def test_a_program_that_reads_the_list_gets_whole_ids_and_moments(busy: Project) -> None:
    busy.emit("a-step-with-a-name-that-is-far-too-long-for-any-list", run="r2", workflow="plain")
    _, first, second = (re.split("  +", line) for line in said(busy, "list").splitlines())
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(busy.now))
    assert [first[4:], second[5:]] == [[at, str(busy.root), "r2"], [str(busy.root), RUN]]
    words = ("--status", "running", "--workflow", "build", "--project", str(busy.root))
    (run,) = as_json(busy, "list", *words)["runs"]
    assert (run["run_id"], run["current"], run["event_count"], run["artifact_count"]) == (RUN, "design", 5, 1)
    assert run["machine"].endswith("build/SKILL.md")
    assert as_json(busy, "list", "--since", "1m")["runs"] == []


def test_show_gives_steps_and_events(busy: Project) -> None:
    run = as_json(busy, "show", RUN)
    steps = [{name: step[name] for name in ("step", "unit", "status")} for step in run["steps"]]
    assert steps == [
        {"step": "requirements", "unit": None, "status": "completed"},
        {"step": "design", "unit": None, "status": "running"},
        {"step": "task-builder:building", "unit": "T1", "status": "running"},
    ]
    first = run["steps"][0]
    assert first["started_at"] < first["ended_at"]
    assert run["steps"][1]["ended_at"] is None
    assert [(event["seq"], event["step"], event["status"]) for event in run["events"]] == [
        (1, "requirements", "running"), (2, "requirements", "completed"), (3, "design", "running"),
        (4, "task-builder:building", "running"), (5, "design", None),
    ]  # fmt: skip
    assert run["events"][0]["data"] == {"status": "running"}
    assert [artifact["path"] for artifact in run["artifacts"]] == ["docs/design.md"]
    assert [event["seq"] for event in as_json(busy, "show", RUN, "--after", "3")["events"]] == [4, 5]
    lines = said(busy, "show", RUN).splitlines()
    assert lines[0] == f"{RUN}: build is running"
    assert any(line.startswith("  task-builder:building (T1)") and " running " in line for line in lines)
    assert "  docs/design.md  (missing)" in lines
    assert any("requirements" in line and "completed  (by itself)" in line for line in lines)


def test_a_run_that_is_not_there_is_refused(busy: Project) -> None:
    for words in (["show", "nope"], ["end", "nope"], ["export", "nope"]):
        done = busy.rcs("runs", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "rcs: there is no run 'nope'; `rcs runs list` shows those that are\n"


# --- the end of a run


def test_end_ends_a_run_and_what_is_open_in_it(busy: Project) -> None:
    assert (
        said(busy, "end", RUN, "--status", "failed") == f"{RUN} is failed; so are design, task-builder:building (T1)\n"
    )
    assert busy.statuses(RUN) == {
        "requirements": "completed", "design": "failed", "task-builder:building/T1": "failed",
    }  # fmt: skip
    assert busy.rcs("runs", "end", RUN, "--json").returncode == 1
    last = as_json(busy, "show", RUN)["events"][-1]
    assert (last["type"], last["status"], last["data"]) == ("run_ended", "failed", {"status": "failed", "by": "person"})


@each_row("by", ["completed", "skipped", "its machine"])
def test_what_has_ended_is_not_ended_again_and_no_late_report_changes_it(by: str, project: Project) -> None:
    step = "charter" if by == "its machine" else "detect"
    if by == "its machine":
        project.walk("detect", "charter", run="c1", workflow="blueprint")
        project.emit("charter", "completed", run="c1", workflow="blueprint")
    else:
        project.walk("detect", run="c1", workflow="blueprint")
        said(project, "end", "c1", "--status", by)
    status, before = project.status("c1"), project.dump()
    done = project.rcs("runs", "end", "c1")
    refusal = f"rcs: run 'c1' has already ended as {status}; nothing was changed\n"
    assert (done.returncode, done.stdout, done.stderr, project.dump()) == (1, "", refusal, before)
    project.now = time.time()
    assert project.emit("building", unit="T2", run="c1", workflow="blueprint")["run_status"] == status
    assert project.emit(step, "failed", run="c1", workflow="blueprint")["run_status"] == status


# --- whose run


@each_row("words", [("show",), ("end", "--status", "failed")])
def test_a_run_of_another_project_is_named_and_refused(words: tuple[str, ...], project: Project) -> None:
    project.walk("requirements", run=RUN)
    (other := project.root.parent / "other").mkdir()
    (other / ".git").mkdir()
    before = project.dump()
    done = run_rcs("runs", words[0], RUN, *words[1:], cwd=other, env=project.env())
    command = f"rcs runs {words[0]} {RUN} {''.join(f'{word} ' for word in words[1:])}--project {project.root}"
    refusal = f"rcs: run '{RUN}' belongs to {project.root}, not to {other}; if it is meant: {command}\n"
    assert (done.returncode, done.stdout, done.stderr, project.dump()) == (1, "", refusal, before)
    assert run_rcs(*shlex.split(command)[1:], cwd=other, env=project.env()).returncode == 0


def test_prune_deletes_only_what_is_asked_for(busy: Project) -> None:
    busy.now = time.time()
    busy.emit("requirements", run="fresh")
    before = busy.dump()
    assert as_json(busy, "prune", "--older-than", "5m", "--dry-run") == {"deleted": 0, "dry_run": True, "runs": [RUN]}
    assert said(busy, "prune", "--older-than", "5m", "--dry-run") == f"{RUN}\n1 would be deleted\n"
    assert said(busy, "prune", "--older-than", "5m", "--workflow", "fork") == "0 deleted\n"
    assert said(busy, "prune", "--older-than", "30d") == "0 deleted\n"
    assert busy.dump() == before
    assert said(busy, "prune", "--older-than", "5m", "--status", "running") == "1 deleted\n"
    assert busy.query("SELECT run_id FROM runs") == [("fresh",)]
    for table in ("events", "steps"):
        assert busy.query(f"SELECT count(*) FROM {table}") == [(1,)]
    assert busy.query("SELECT count(*) FROM artifacts") == [(0,)]


@each_row("data", [{"a": "\u202e\x9b2J"}, {"a": "\ud800"}, {"a": 1 << 70}], ids=str)
def test_export_prints_no_letter_that_moves_a_cursor(data: dict[str, object], busy: Project) -> None:
    busy.emit("tasks", run=RUN, data={"status": "running"} | data)
    line = said(busy, "export").splitlines()[-1]
    assert line.isascii()
    assert json.loads(line)["data"]["a"] == data["a"]


def test_export_is_a_line_of_json_for_each_event(busy: Project) -> None:
    busy.emit("x", run="r2", workflow="plain")
    lines = [json.loads(line) for line in said(busy, "export").splitlines()]
    assert [line["id"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["run_id"] for line in lines] == [RUN] * 5 + ["r2"]
    assert lines[4]["data"] == {"path": "docs/design.md"}
    assert [json.loads(line)["id"] for line in said(busy, "export", "--after", "4").splitlines()] == [5, 6]
    assert [json.loads(line)["id"] for line in said(busy, "export", RUN).splitlines()] == [1, 2, 3, 4, 5]
    assert [json.loads(line)["id"] for line in said(busy, "export", "--workflow", "plain").splitlines()] == [6]


def test_a_reader_that_goes_away_is_no_error(busy: Project) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*RCS, "runs", "export"], stdout=write, stderr=-1, cwd=busy.root, env=busy.env(), check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_next_page_is_asked_for_with_the_same_filters(busy: Project) -> None:
    for number in range(3):
        busy.emit("requirements", run=f"r{number}", data={"status": "running", "feature": "a b"})
    busy.emit("detect", run="other", workflow="blueprint")
    words = ["--workflow", "build", "--feature", "a b", "--since", "1d", "--limit", "2"]
    first = said(busy, "list", *words).splitlines()
    more = first[-1].removeprefix("more: ")
    assert shlex.split(more)[: len(words) + 3] == ["rcs", "runs", "list", *words]
    second = said(busy, *shlex.split(more)[2:]).splitlines()
    shown = [line.split() for line in (*first[1:-1], *second[1:])]
    assert [(line[:2], line[-1]) for line in shown] == [(["a", "b"], run) for run in ("r2", "r1", "r0")]
