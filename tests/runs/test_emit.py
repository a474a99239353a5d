"""What an emit does and what it refuses, to the letter; a refused one changes nothing."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import Any

import pytest

from rcs_hooks.errors import MachineError, Rejected
from rcs_hooks.machine import mermaid
from rcs_hooks.runs import queries, rules, sqlite_schema
from tests.runs.support import Project, with_section
from tests.table import each_row


def refused(here: Project, step: str | None, status: str = "running", **given: Any) -> Rejected:
    """The refusal; the content of the database, and whether there is one, is as before."""
    before, was_there = here.dump(), here.database.exists()
    with pytest.raises(Rejected) as caught:
        here.emit(step, status, **given)
    assert (here.dump(), here.database.exists()) == (before, was_there)
    return caught.value


# --- step validation


def test_an_unknown_step_names_the_states_the_current_one_and_what_may_follow(project: Project) -> None:
    project.walk("requirements", "design", "tasks")
    error = refused(project, "biulding")
    assert str(error) == (
        'step "biulding" is not a valid state in the "build" state machine. Valid states: [requirements, design, '
        'tasks, build, verify, archive]. Current state: "tasks". Valid transitions from "tasks": [build].'
    )
    assert (error.current, error.valid_next, error.did_you_mean) == ("tasks", ("build",), "build")


def test_an_unknown_first_step_names_the_states_alone(project: Project) -> None:
    assert str(refused(project, "biulding")) == (
        'step "biulding" is not a valid state in the "build" state machine. Valid states: [requirements, design, '
        "tasks, build, verify, archive]."
    )


def test_a_workflow_without_a_section_is_not_validated(project: Project) -> None:
    for step in ("anything", "at all", "anything"):
        assert project.emit(step, workflow="plain")["success"]
    assert project.query("SELECT file FROM runs") == [(None,)]


def test_an_unknown_workflow_is_no_error(project: Project) -> None:
    assert project.emit("anything", workflow="nobody-has-it")["success"]


def test_a_broken_section_is_an_error_and_never_no_machine(project: Project) -> None:
    project.skill("broken", "## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n    [*] --> \n```\n")
    with pytest.raises(MachineError):
        project.emit("a", workflow="broken")
    assert project.dump() == []


# --- transitions


def test_a_step_without_an_edge_is_refused_to_the_letter(project: Project) -> None:
    project.emit("requirements")
    error = refused(project, "verify")
    assert str(error) == "Invalid transition from 'requirements' to 'verify'.\nValid next states: design"
    assert (error.current, error.valid_next) == ("requirements", ("design",))


def test_the_first_step_is_an_initial_state(project: Project) -> None:
    assert str(refused(project, "verify")) == (
        "Invalid first step 'verify': a run begins with an initial state.\nValid next states: requirements"
    )


def test_an_end_has_no_way_out_and_may_be_reported_again(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build", "verify", "archive")
    assert str(refused(project, "build")) == (
        "Invalid transition from 'archive' to 'build'.\nValid next states: none ('archive' is an end of this workflow)"
    )
    assert project.emit("archive", "completed")["run_status"] == "completed"


@each_row("status", ["running", "waiting", "completed", "failed", "skipped", "not_started"])
def test_the_same_step_again_is_fine(project: Project, status: str) -> None:
    project.walk("requirements", "design")
    assert project.emit("design", status)["completed_predecessors"] == []
    assert project.statuses() == {"requirements": "completed", "design": status}


def test_a_loop_may_be_walked_again_and_counts_its_visits(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build", "verify", "build", "verify", "archive")
    visits = dict(project.query("SELECT step, visits FROM steps"))
    assert visits == {"requirements": 1, "design": 1, "tasks": 1, "build": 2, "verify": 2, "archive": 1}


def test_in_build_verify_build_the_step_after_verify_is_refused(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build", "verify", "build")
    assert str(refused(project, "archive")) == (
        "Invalid transition from 'build' to 'archive'.\nValid next states: verify"
    )


# --- parallel branches


def test_a_sibling_branch_may_start_while_the_other_runs(project: Project) -> None:
    assert project.walk("a", "b", "c", workflow="fork")["completed_predecessors"] == []
    assert project.statuses() == {"a": "completed", "b": "running", "c": "running"}


def test_the_join_completes_both_branches_at_once(project: Project) -> None:
    done = project.walk("a", "b", "c", "d", workflow="fork")["completed_predecessors"]
    assert sorted(done) == ["b", "c"]


def test_a_branch_may_report_again_while_its_sibling_is_current(project: Project) -> None:
    project.walk("a", "b", "c", workflow="fork")
    project.emit("b", "completed", workflow="fork")
    assert project.emit("d", workflow="fork")["completed_predecessors"] == ["c"]
    assert dict(project.query("SELECT step, visits FROM steps")) == {"a": 1, "b": 1, "c": 1, "d": 1}


def test_a_branch_is_not_gone_back_to_behind_the_join(project: Project) -> None:
    project.walk("a", "b", "d", workflow="fork")
    error = refused(project, "b", workflow="fork")
    assert str(error) == "Invalid transition from 'd' to 'b'.\nValid next states: c"


def test_siblings_stand_after_the_direct_ones(project: Project) -> None:
    project.walk("a", "b", workflow="fork")
    assert refused(project, "a", workflow="fork").valid_next == ("d", "c")


def test_at_an_end_another_branch_may_start_but_no_loop(project: Project) -> None:
    project.walk("detect", "charter", workflow="blueprint", run="r2")
    assert project.emit("prd", workflow="blueprint", run="r2")["success"]
    project.walk("requirements", "design", "tasks", "build", "verify", "archive")
    assert refused(project, "build").valid_next == ()


def test_a_step_that_was_left_is_not_gone_back_to(project: Project) -> None:
    project.walk("requirements", "design")
    assert refused(project, "requirements").valid_next == ("tasks",)


# --- predecessors


def test_a_running_step_completes_its_running_predecessor_just_before_itself(project: Project) -> None:
    project.walk("requirements", "design", "tasks")
    receipt = project.emit("build")
    assert receipt["completed_predecessors"] == ["tasks"]
    assert project.events()[-2:] == [(receipt["seq"] - 1, "tasks", None, "completed"),
                                     (receipt["seq"], "build", None, "running")]  # fmt: skip
    assert project.query("SELECT at, data, automatic FROM events ORDER BY id DESC LIMIT 2") == [
        ("2023-11-14T22:13:24.000Z", '{"status":"running"}', 0),
        ("2023-11-14T22:13:23.999Z", '{"status": "completed"}', 1),
    ]


def test_a_waiting_predecessor_is_completed_too(project: Project) -> None:
    project.emit("requirements", "waiting")
    assert project.emit("design")["completed_predecessors"] == ["requirements"]


@pytest.mark.parametrize("status", ["completed", "failed", "skipped", "not_started"])
def test_a_predecessor_with_another_status_is_not_modified(project: Project, status: str) -> None:
    project.emit("requirements", status)
    assert project.emit("design")["completed_predecessors"] == []
    assert project.statuses()["requirements"] == status


def test_with_a_unit_no_predecessor_is_completed(project: Project) -> None:
    project.walk("requirements", "design", "tasks")
    assert project.emit("build", unit="T1")["completed_predecessors"] == []
    assert project.statuses()["tasks"] == "running"


def test_with_a_namespaced_step_no_predecessor_is_completed(project: Project) -> None:
    project.emit("requirements")
    assert project.emit("other:design")["completed_predecessors"] == []
    assert project.statuses()["requirements"] == "running"


@each_row("status", ["waiting", "completed", "failed", "skipped", "not_started"])
def test_with_a_status_other_than_running_no_predecessor_is_completed(project: Project, status: str) -> None:
    project.emit("requirements")
    assert project.emit("design", status)["completed_predecessors"] == []
    assert project.statuses()["requirements"] == "running"


def test_only_direct_predecessors_are_completed_and_no_sibling(project: Project) -> None:
    project.walk("detect", "charter", workflow="blueprint")
    assert project.emit("prd", workflow="blueprint")["completed_predecessors"] == []
    assert project.statuses() == {"detect": "completed", "charter": "running", "prd": "running"}


def test_a_unit_of_a_predecessor_is_not_completed(project: Project) -> None:
    project.emit("requirements", unit="T1")
    project.emit("requirements", "completed")
    assert project.emit("design")["completed_predecessors"] == []
    assert project.statuses()["requirements/T1"] == "running"


def test_a_step_with_an_edge_to_itself_does_not_complete_itself(project: Project) -> None:
    project.skill("again", with_section("    [*] --> a\n    a --> a\n"))
    project.emit("a", workflow="again")
    assert project.emit("a", workflow="again")["completed_predecessors"] == []


def test_two_events_of_one_millisecond_keep_their_order_in_time(project: Project) -> None:
    project.emit("requirements")
    project.now -= 1
    project.emit("design")
    times = [at for (at,) in project.query("SELECT at FROM events ORDER BY seq")]
    assert times == ["2023-11-14T22:13:21.000Z", "2023-11-14T22:13:21.000Z", "2023-11-14T22:13:21.001Z"]


def test_a_clock_that_was_set_back_turns_no_run_round(project: Project) -> None:
    project.emit("requirements")
    project.now -= 3600
    project.emit("design")
    times = [at for (at,) in project.query("SELECT at FROM events ORDER BY seq")]
    assert times == sorted(times)


# --- units and agents


def test_each_unit_has_its_own_state(project: Project) -> None:
    """The three commands of per-task tracking."""
    assert project.emit("building", unit="T1")["step"] == "task-builder:building"
    assert project.emit("completed", "completed", unit="T1")["step"] == "task-builder:completed"
    assert project.emit("building", unit="T2")["step"] == "task-builder:building"
    assert project.statuses() == {
        "task-builder:building/T1": "running",
        "task-builder:completed/T1": "completed",
        "task-builder:building/T2": "running",
    }


def test_a_step_of_the_workflow_with_a_unit_is_not_checked_for_an_edge(project: Project) -> None:
    project.emit("requirements")
    assert project.emit("verify", unit="T1")["step"] == "verify"
    assert refused(project, "verify").current == "requirements"


def test_a_unit_stays_with_the_agent_that_it_is_with(project: Project) -> None:
    project.emit("reviewing", unit="T1")
    assert project.emit("completed", "completed", unit="T1")["step"] == "task-reviewer:completed"


def test_the_broken_file_of_one_agent_refuses_no_step_of_another(project: Project) -> None:
    project.agent("a-broken-one", "## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n    [*] -->\n```\n")
    assert project.emit("building", unit="T1")["step"] == "task-builder:building"
    with pytest.raises(MachineError):
        project.emit("a-broken-one:building")


def test_agent_narrows_a_step_to_one_agent(project: Project) -> None:
    assert project.emit("completed", "completed", unit="T1", agent="task-reviewer")["step"] == "task-reviewer:completed"
    error = refused(project, "building", unit="T1", agent="task-reviewer")
    assert str(error) == (
        'step "building" is not a valid state in the "task-reviewer" state machine. Valid states: [reviewing, '
        'completed, failed]. Current state: "completed". Valid transitions from "completed": [].'
    )


def test_a_typo_in_a_units_step_is_refused(project: Project) -> None:
    project.emit("requirements")
    assert str(refused(project, "buildingg", unit="T1")).startswith(
        'step "buildingg" is not a valid state in the "build" state machine.'
    )


def test_a_state_of_an_agent_without_a_unit_is_no_step_of_the_workflow(project: Project) -> None:
    assert 'step "building" is not a valid state in the "build"' in str(refused(project, "building"))


@pytest.mark.parametrize("step", ["task-builder:building", "task-builder:completed", "feature-verifier:verifying"])
def test_a_namespaced_step_is_stored_whole_and_not_checked_against_the_parent(project: Project, step: str) -> None:
    assert project.emit(step)["step"] == step
    assert project.statuses() == {step: "running"}


def test_the_part_after_the_colon_is_checked_against_the_agents_own_machine(project: Project) -> None:
    assert str(refused(project, "task-builder:verify")) == (
        'step "verify" is not a valid state in the "task-builder" state machine. '
        "Valid states: [building, completed, failed]."
    )


def test_an_agent_moves_the_workflow_nowhere(project: Project) -> None:
    project.emit("requirements")
    project.emit("task-builder:building")
    assert project.query("SELECT current FROM runs") == [("requirements",)]
    assert project.query("SELECT parent FROM steps WHERE agent = 'task-builder'") == [("requirements",)]


# --- runs


def test_runs_are_isolated(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build", run="run-A")
    project.emit("requirements", run="run-B")
    assert project.emit("verify", run="run-A")["success"]
    assert project.emit("design", run="run-B")["seq"] == 3
    assert refused(project, "verify", run="run-B").current == "design"


def test_a_run_belongs_to_one_workflow(project: Project) -> None:
    project.emit("requirements")
    assert str(refused(project, "detect", workflow="blueprint")) == (
        'run "r1" belongs to the workflow "build", not to "blueprint"; give --workflow build, or a run id of its own'
    )


def test_the_feature_is_stored_with_the_run(project: Project) -> None:
    project.emit("requirements", data={"status": "running", "feature": "login"})
    project.emit("design")
    assert project.query("SELECT feature FROM runs") == [("login",)]


STATUS: list[tuple[str, list[tuple[str, str, str | None]], str]] = [
    ("nothing has begun", [("requirements", "not_started", None)], "idle"),
    ("a step runs", [("requirements", "running", None)], "running"),
    ("a step is done and the next has not begun", [("requirements", "completed", None)], "idle"),
    ("a step waits", [("requirements", "waiting", None)], "waiting"),
    ("a step failed", [("requirements", "failed", None)], "failed"),
    ("a failed step was left", [("requirements", "failed", None), ("design", "running", None)], "running"),
    ("a unit waits while the step runs", [("requirements", "running", None), ("design", "waiting", "T1")], "waiting"),
    ("a unit failed", [("requirements", "running", None), ("requirements", "failed", "T1")], "failed"),
    ("a unit failed and was tried again",
     [("requirements", "running", None), ("design", "failed", "T1"), ("design", "running", "T1")], "running"),
    ("an agent goes on after its step was skipped",
     [("requirements", "skipped", None), ("x:y", "running", None)], "running"),
    ("a step that is done takes its agents with it",
     [("requirements", "running", None), ("x:y", "failed", None), ("requirements", "completed", None)], "idle"),
    ("an agent that is left behind says nothing",
     [("requirements", "running", None), ("x:y", "failed", None), ("design", "running", None)], "running"),
]  # fmt: skip


@each_row(("events", "status"), [pytest.param(*row[1:], id=row[0]) for row in STATUS])
def test_run_status(project: Project, events: list[tuple[str, str, str | None]], status: str) -> None:
    for step, each, unit in events:
        receipt = project.emit(step, each, unit=unit)
    assert (receipt["run_status"], project.status()) == (status, status)


@pytest.mark.parametrize(
    ("of_b", "of_c", "status"),
    [("failed", "waiting", "failed"), ("waiting", "running", "waiting"), ("running", "completed", "running"),
     ("completed", "completed", "idle")],
)  # fmt: skip
def test_of_two_branches_the_worse_one_counts(project: Project, of_b: str, of_c: str, status: str) -> None:
    project.emit("a", workflow="fork")
    project.emit("a", "completed", workflow="fork")
    project.emit("b", of_b, workflow="fork")
    assert project.emit("c", of_c, workflow="fork")["run_status"] == status


def test_a_completed_end_completes_the_run(project: Project) -> None:
    project.walk("detect", "prd", workflow="blueprint")
    assert project.emit("prd", "completed", workflow="blueprint")["run_status"] == "completed"


def test_a_state_that_nothing_follows_is_an_end_without_an_arrow_to_it(project: Project) -> None:
    project.skill("short", with_section("    [*] --> a\n    a --> b\n"))
    project.emit("a", workflow="short")
    assert project.emit("b", "completed", workflow="short")["run_status"] == "completed"


# --- artifacts


def test_an_artifact_has_a_row_of_its_own(project: Project) -> None:
    project.emit("requirements")
    receipt = project.artifact(".rcs/notes/tasks.md", step="requirements", feature="login", type="doc", subflow=True)
    assert receipt["seq"] == 2
    assert project.query("SELECT path, type, feature, step, subflow, seq FROM artifacts") == [
        (".rcs/notes/tasks.md", "doc", "login", "requirements", 1, 2)
    ]
    assert project.status() == "running"


def test_an_artifact_needs_no_step_and_no_file(project: Project) -> None:
    assert project.artifact("./docs//design.md")["run_status"] == "idle"
    assert project.query("SELECT path, step, subflow FROM artifacts") == [("docs/design.md", None, 0)]


def test_an_artifact_moves_no_step_and_needs_no_edge(project: Project) -> None:
    project.emit("requirements")
    project.artifact("a.md", step="verify")
    assert project.statuses() == {"requirements": "running"}
    assert 'step "nope" is not a valid state' in str(
        refused(project, "nope", type="artifact_registered", data={"path": "a.md"})
    )


def test_an_artifact_registered_again_is_the_same_one(project: Project) -> None:
    project.artifact("a.md")
    project.artifact("a.md", type="report")
    assert project.query("SELECT path, type, seq FROM artifacts") == [("a.md", "report", 2)]
    assert project.query("SELECT artifacts, events FROM runs") == [(1, 2)]


@each_row("path", ["", "/etc/passwd", "../x", "a/../../x", ".", "a\\b", 7, None, "a\nb", "a\x1b[1m"])
def test_an_artifact_lies_in_the_project(project: Project, path: object) -> None:
    error = refused(project, None, type="artifact_registered", data={"path": path})
    assert "a path relative to the project is needed" in str(error)


def test_a_link_out_of_the_project_is_no_artifact(project: Project) -> None:
    (project.root / "out").symlink_to("/etc")
    error = refused(project, None, type="artifact_registered", data={"path": "out/passwd"})
    assert "is a link that leads out of" in str(error)


# --- the form, in the order of the checks

FORM: list[tuple[str, dict[str, Any], str]] = [
    ("no type", {"type": None, "run_id": None}, "--type is missing; give --type status_change or artifact_registered"),
    ("another type", {"type": "status_chnge"},
     '--type "status_chnge" is not known; it is one of status_change, artifact_registered'),
    ("no run id", {"run_id": None, "workflow": None}, "--run-id is missing; give --run-id UUID"),
    ("a run id with a blank", {"run_id": "a b", "workflow": None}, "--run-id 'a b' cannot be used; letters, digits"),
    ("a run id that begins with a dot", {"run_id": ".a"}, "--run-id '.a' cannot be used; letters, digits"),
    ("a run id of 129", {"run_id": "a" * 129}, "cannot be used"),
    ("no workflow", {"workflow": None, "data": None}, "--workflow is missing; give --workflow NAME"),
    ("a workflow that is a path", {"workflow": "../x", "data": None}, "--workflow '../x' cannot be used"),
    ("no data", {"data": None, "step": None}, """--data is missing; give --data '{"status": "running"}'"""),
    ("data that is no JSON", {"data": "{", "step": None}, "--data is not a JSON object ("),
    ("data that is a list", {"data": "[]", "step": None}, "--data is not a JSON object ('[]' found)"),
    ("data with NaN", {"data": '{"status": NaN}'}, "--data is not a JSON object (NaN is not JSON)"),
    ("data that is too long", {"data": {"status": "running", "x": "y" * 300_000}}, "262144 at most"),
    ("no step", {"step": None, "data": {}}, "--step is missing; give --step STATE"),
    ("a step with a control character", {"step": "a\x1b[1m"}, "cannot be used; printable text is needed"),
    ("a step that ends with its colon", {"step": "x:"}, "an agent's step is written AGENT:STEP"),
    ("a step of another agent", {"step": "a:b", "agent": "c"}, 'step "a:b" names another agent than --agent c'),
    ("no status", {"data": {}, "project": "/nope"}, """--data has no status; give one, like '{"status": "running"}'"""),
    ("another status", {"data": {"status": "runing"}, "project": "/nope"},
     "--data: status is 'runing'; it is one of not_started, running, waiting, completed, failed, skipped"),
    ("a feature that is a number", {"data": {"status": "running", "feature": 7}}, "--data: feature is 7; printable"),
    ("no such project", {"project": "/nope", "step": "nope"}, "--project /nope is not a folder"),
    ("no such file", {"file": "nope.md"}, "--file nope.md is not a file"),
]  # fmt: skip


@each_row(("given", "said"), [pytest.param(*row[1:], id=row[0]) for row in FORM])
def test_what_is_not_in_good_form_is_refused_in_this_order(project: Project, given: dict[str, Any], said: str) -> None:
    assert said in str(refused(project, **({"step": "requirements"} | given)))


NAMES: list[tuple[str, str, bool]] = [
    ("a family", "👨\u200d👩\u200d👧\u200d👦", True),
    ("a profession with a colour of skin", "👩🏽\u200d💻", True),
    ("a flag with a variation selector", "🏳\ufe0f\u200d🌈", True),
    ("a heart in a sequence", "👩\u200d❤\ufe0f\u200d👨", True),
    ("an arrow behind a head", "🙂\u200d↔\ufe0f", True),
    ("two emoji without a joiner", "👨👩 login", True),
    ("an accent that is added", "cafe\u0301", True),
    ("a joiner between letters", "a\u200db", False),
    ("a joiner behind a letter", "a\u200d👩", False),
    ("a joiner before a letter", "👩\u200da", False),
    ("a joiner at the beginning", "\u200d👩", False),
    ("a joiner at the end", "👩\u200d", False),
    ("two joiners", "👩\u200d\u200d💻", False),
    ("a zero width space", "a\u200bb", False),
    ("a right-to-left override", "a\u202eb", False),
    ("an isolate between emoji", "👩\u2067💻", False),
    ("an isolate beside a joined emoji", "👩\u200d💻\u2066", False),
    ("a no-break space", "a\u00a0b", False),
    ("a byte order mark", "\ufeffa", False),
    ("the tags of a flag, which can hide any text", "🏴\U000e0067\U000e0062\U000e007f", False),
]


@each_row(("name", "is_accepted"), [pytest.param(*row[1:], id=row[0]) for row in NAMES])
@pytest.mark.parametrize("field", ["unit", "feature"])
def test_a_name_may_have_joined_emoji_and_no_other_character_without_a_look(
    project: Project, field: str, name: str, is_accepted: bool
) -> None:
    given: dict[str, Any] = {"unit": name} if field == "unit" else {"data": {"status": "running", "feature": name}}
    if not is_accepted:
        assert "printable text is needed" in str(refused(project, step="requirements", **given))
        return
    assert project.emit("requirements", **given)["run_id"]


@each_row("run", ["550e8400-e29b-41d4-a716-446655440000", "run-A", "a", "1:b_c.d", "a" * 128])
def test_run_ids_that_are_fine(project: Project, run: str) -> None:
    assert project.emit("requirements", run=run)["run_id"] == run


def test_a_project_is_the_workspace_of_the_folder(project: Project) -> None:
    (project.root / ".git").mkdir(exist_ok=True)
    (project.root / ".git" / "HEAD").touch()
    (project.root / "deep" / "er").mkdir(parents=True)
    project.root = project.root / "deep" / "er"
    project.emit("requirements")
    assert project.query("SELECT project FROM runs") == [(str(project.root.parent.parent),)]


def test_data_is_stored_as_it_came(project: Project) -> None:
    project.emit("requirements", data='{"status": "running", "note": "été \\ud83d\\ude00"}')
    assert project.query("SELECT data FROM events") == [('{"status": "running", "note": "été \\ud83d\\ude00"}',)]


def test_a_run_whose_diagram_lost_its_step_begins_again(project: Project) -> None:
    project.walk("a", "b", workflow="fork")
    (project.root / ".claude/skills/fork/SKILL.md").write_text(with_section("    [*] --> x\n    x --> y\n"))
    assert str(refused(project, "y", workflow="fork")).startswith("Invalid first step 'y'")
    assert project.emit("x", workflow="fork")["success"]


def test_nothing_is_stored_that_could_not_be_shown_again(project: Project) -> None:
    """JSON can be read a little deeper than it can be written."""
    for depth in (99, 100, 980, 988, 20_000):
        data = f'{{"status": "running", "x": {"[" * (depth - 1)}{"]" * (depth - 1)}}}'
        if depth <= 100:
            assert project.emit("requirements", data=data)["success"]
        else:
            assert "--data" in str(refused(project, "requirements", data=data))
    kept = project.store()
    assert len(list(queries.export(kept))) == 2
    kept.close()


def test_the_files_of_agents_are_read_before_the_database_is_locked(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.emit("requirements")
    project.agent("broken", "## STATE-MACHINE\n")
    monkeypatch.setattr(sqlite_schema, "BUSY_SECONDS", 0.05)
    holder = sqlite3.connect(project.database, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(MachineError):
        project.emit("broken:x")
    holder.execute("ROLLBACK")
    holder.close()


def test_for_an_agent_no_folder_of_skills_is_listed(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloned repository can bring a hundred thousand."""
    listed: list[str] = []
    real = os.listdir

    def listing(folder: str) -> list[str]:
        listed.append(folder)
        return real(folder)

    monkeypatch.setattr(os, "listdir", listing)
    project.emit("task-builder:building")
    assert [folder for folder in listed if not folder.endswith(".git")] == []
    project.emit("building", unit="T1")
    assert {os.path.basename(folder) for folder in listed} == {".git", "agents"}


@pytest.mark.parametrize("step", ["b3", "a0"])
def test_a_large_diagram_with_many_branches_is_judged_at_once(project: Project, step: str) -> None:
    count = 1000
    lines = "".join(f"    a{number} --> a{number + 1}\n    a{number} --> b{number}\n" for number in range(count))
    machine = mermaid.read(f"stateDiagram-v2\n    [*] --> a0\n{lines}", name="comb", file="")
    position = rules.RunPosition(f"a{count}", {f"a{number}": number + 1 for number in range(count + 1)}, {})
    begun = time.process_time()
    if step == "b3":
        rules.check_step(machine, step, position)
    else:
        with pytest.raises(Rejected):
            rules.check_step(machine, step, position)
    assert time.process_time() - begun < 5, "it took minutes"
