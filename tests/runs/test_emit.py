"""What an emit does and what it refuses, to the letter; a refused one changes nothing."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import pytest

from rcs_hooks.errors import MachineError, Rejected
from rcs_hooks.machine import mermaid
from rcs_hooks.runs import queries, rules, sqlite_schema
from tests.runs.support import Project, Record, with_section
from tests.table import each_row


def refused(here: Project, step: str | None, status: str = "running", **given: Any) -> Rejected:
    """The refusal; the content of the database, and whether there is one, is as before."""
    before, was_there = here.dump(), here.database.exists()
    with pytest.raises(Rejected) as caught:
        here.emit(step, status, **given)
    assert (here.dump(), here.database.exists()) == (before, was_there)
    return caught.value


def walk(here: Project, workflow: str, reports: str) -> Record:
    """Report each step as running, unless it says otherwise: STEP@UNIT=STATUS; return the receipt of the last one."""
    receipt: Record = {}
    for report in reports.split():
        place, _, status = report.partition("=")
        step, _, unit = place.partition("@")
        receipt = here.emit(step, status or "running", unit=unit or None, workflow=workflow)
    return receipt


# --- what is taken

ALL = "requirements design tasks build verify archive"
TAKEN = [
    # the workflow, what was reported, the report, and the predecessors that it completes
    ("build", "requirements design tasks", "build", ["tasks"]),
    ("build", "requirements=waiting", "design", ["requirements"]),
    *(("build", f"requirements={status}", "design", []) for status in ("completed", "failed", "skipped")),
    ("build", "requirements=not_started", "design", []),
    *(("build", "requirements", f"design={status}", []) for status in ("waiting", "completed", "failed", "skipped")),
    ("build", "requirements", "requirements=waiting", []),
    ("build", "requirements design tasks", "build@T1", []),
    ("build", "requirements", "other:design", []),
    ("build", "requirements@T1 requirements=completed", "design", []),
    ("build", "requirements design tasks build verify", "build", ["verify"]),
    ("build", ALL, "archive=completed", []),
    ("fork", "a b", "c", []),
    ("fork", "a b c", "d", ["b", "c"]),
    ("fork", "a b c b=completed", "d", ["c"]),
    ("blueprint", "detect charter", "prd", []),
    ("nobody-has-it", "anything", "at-all", []),
    ("plain", "anything", "at-all", []),
    ("again", "a", "a", []),
]  # fmt: skip


@each_row(("workflow", "before", "report", "completed"), TAKEN)
def test_a_step_that_may_follow_is_taken_and_completes_its_direct_predecessors(
    project: Project, workflow: str, before: str, report: str, completed: list[str]
) -> None:
    project.skill("again", with_section("    [*] --> a\n    a --> a\n"))
    walk(project, workflow, before)
    stood = project.statuses()
    receipt = walk(project, workflow, report)
    assert sorted(receipt["completed_predecessors"]) == completed
    step, status = receipt["step"], report.partition("=")[2] or "running"
    assert project.statuses() == stood | dict.fromkeys(completed, "completed") | {
        f"{step}/T1" if "@" in report else step: status
    }


NO_STEP = 'step "{}" is not a valid state in the "{}" state machine. Valid states: [{}].'
INVALID = "Invalid transition from '{}' to '{}'.\nValid next states: {}"
BUILDER = "building, completed, failed"
REFUSED = [
    # the workflow, what was reported, the report, and the whole refusal
    ("build", "", "biulding", NO_STEP.format("biulding", "build", ALL.replace(" ", ", "))),
    ("build", "requirements design tasks", "biulding", NO_STEP.format("biulding", "build", ALL.replace(" ", ", ")) +
     ' Current state: "tasks". Valid transitions from "tasks": [build].'),
    ("build", "", "building", NO_STEP.format("building", "build", ALL.replace(" ", ", "))),
    ("build", "", "buildingg@T1", NO_STEP.format("buildingg", "build", ALL.replace(" ", ", "))),
    ("build", "", "task-builder:verify", NO_STEP.format("verify", "task-builder", BUILDER)),
    ("build", "", "verify", "Invalid first step 'verify': a run begins with an initial state.\n"
     "Valid next states: requirements"),
    ("build", "requirements", "verify", INVALID.format("requirements", "verify", "design")),
    ("build", "requirements verify@T1", "verify", INVALID.format("requirements", "verify", "design")),
    ("build", "requirements design", "requirements", INVALID.format("design", "requirements", "tasks")),
    ("build", f"{ALL[:-8]} build", "archive", INVALID.format("build", "archive", "verify")),
    ("build", ALL, "build", INVALID.format("archive", "build", "none ('archive' is an end of this workflow)")),
    ("fork", "a b d", "b", INVALID.format("d", "b", "c")),
    ("fork", "a b", "a", INVALID.format("b", "a", "d, c")),
]  # fmt: skip


@each_row(("workflow", "before", "report", "said"), REFUSED)
def test_any_other_step_is_refused_to_the_letter(
    project: Project, workflow: str, before: str, report: str, said: str
) -> None:
    walk(project, workflow, before)
    step, _, unit = report.partition("@")
    assert str(refused(project, step, unit=unit or None, workflow=workflow)) == said


def test_a_refusal_carries_its_parts(project: Project) -> None:
    walk(project, "build", "requirements design tasks")
    error = refused(project, "biulding")
    assert (error.current, error.valid_next, error.did_you_mean) == ("tasks", ("build",), "build")


def test_a_broken_section_is_an_error_and_never_no_machine(project: Project) -> None:
    project.skill("broken", "## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n    [*] --> \n```\n")
    with pytest.raises(MachineError):
        project.emit("a", workflow="broken")
    assert project.dump() == []


# --- predecessors


def test_a_completed_predecessor_has_an_event_of_its_own_just_before(project: Project) -> None:
    project.walk("requirements", "design", "tasks", "build")
    assert project.query("SELECT seq, step, at, data, automatic FROM events ORDER BY id DESC LIMIT 2") == [
        (7, "build", "2023-11-14T22:13:24.000Z", '{"status":"running"}', 0),
        (6, "tasks", "2023-11-14T22:13:23.999Z", '{"status": "completed"}', 1),
    ]


@each_row("back", [1, 3600])
def test_events_keep_their_order_in_time_where_the_clock_does_not(project: Project, back: int) -> None:
    project.emit("requirements")
    project.now -= back
    project.emit("design")
    times = [at.partition(":13:")[2] for (at,) in project.query("SELECT at FROM events ORDER BY seq")]
    assert times == ["21.000Z", "21.000Z", "21.001Z"]


# --- units and agents


AGENTS: list[tuple[str, dict[str, str], str]] = [
    # the step of unit T1, and more that is given; as what it is stored
    ("building", {}, "task-builder:building"),
    ("completed", {}, "task-builder:completed"),
    ("reviewing", {}, "task-reviewer:reviewing"),
    ("completed", {}, "task-reviewer:completed"),
    ("completed", {"agent": "task-builder"}, "task-builder:completed"),
]


def test_a_unit_stays_with_the_agent_that_it_is_with_unless_another_is_named(project: Project) -> None:
    project.agent("a-broken-one", "## STATE-MACHINE\n\n```mermaid\nstateDiagram-v2\n    [*] -->\n```\n")
    assert [project.emit(step, unit="T1", **more)["step"] for step, more, _ in AGENTS] == [
        stored for _, _, stored in AGENTS
    ]
    with pytest.raises(MachineError):
        project.emit("a-broken-one:building")
    error = refused(project, "building", unit="T1", agent="task-reviewer")
    assert str(error) == (
        'step "building" is not a valid state in the "task-reviewer" state machine. Valid states: [reviewing, '
        'completed, failed]. Current state: "completed". Valid transitions from "completed": [].'
    )


def test_an_agent_moves_the_workflow_nowhere(project: Project) -> None:
    project.emit("requirements")
    project.emit("task-builder:building")
    assert project.query("SELECT current FROM runs") == [("requirements",)]
    assert project.query("SELECT parent FROM steps WHERE agent = 'task-builder'") == [("requirements",)]


# --- runs


def test_a_run_belongs_to_one_workflow(project: Project) -> None:
    project.emit("requirements")
    assert str(refused(project, "detect", workflow="blueprint")) == (
        'run "r1" belongs to the workflow "build", not to "blueprint"; give --workflow build, or a run id of its own'
    )


STATUS: list[tuple[str, str, str]] = [
    # the workflow, what was reported, and the status of the run
    ("build", "requirements=not_started", "idle"),
    ("build", "requirements", "running"),
    ("build", "requirements=failed design", "running"),
    # of two, the worse one
    ("build", "requirements design@T1=waiting", "waiting"),
    ("build", "requirements requirements@T1=failed", "failed"),
    ("build", "requirements design@T1=failed design@T1", "running"),
    ("fork", "a a=completed b=failed c=waiting", "failed"),
    ("fork", "a a=completed b=waiting c", "waiting"),
    ("fork", "a a=completed b=completed c=completed", "idle"),
    # an agent belongs to the step in which it began
    ("build", "requirements=skipped x:y", "running"),
    ("build", "requirements x:y=failed requirements=completed", "idle"),
    ("build", "requirements x:y=failed design", "running"),
    # an end, and what nothing follows
    ("build", f"{ALL} archive=completed", "completed"),
    ("short", "a b=completed", "completed"),
]


@each_row(("workflow", "reports", "status"), STATUS)
def test_run_status(project: Project, workflow: str, reports: str, status: str) -> None:
    project.skill("short", with_section("    [*] --> a\n    a --> b\n"))
    assert (walk(project, workflow, reports)["run_status"], project.status()) == (status, status)


# --- artifacts


def test_an_artifact_moves_no_step_and_needs_no_edge_and_no_file(project: Project) -> None:
    project.emit("requirements")
    project.artifact("./docs//design.md", step="verify")
    assert project.query("SELECT path, step, subflow FROM artifacts") == [("docs/design.md", "verify", 0)]
    assert project.statuses() == {"requirements": "running"}
    error = refused(project, "nope", type="artifact_registered", data={"path": "a.md"})
    assert 'step "nope" is not a valid state' in str(error)


def test_an_artifact_registered_again_is_the_same_one(project: Project) -> None:
    project.artifact("a.md")
    project.artifact("a.md", type="report")
    assert project.query("SELECT path, type, seq FROM artifacts") == [("a.md", "report", 2)]
    assert project.query("SELECT artifacts, events FROM runs") == [(1, 2)]


@each_row("path", ["", "/etc/passwd", "../x", "a/../../x", ".", "a\\b", 7, "a\nb"])
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
    ("a run id of 129", {"run_id": "a" * 129}, "cannot be used"),
    ("no workflow", {"workflow": None, "data": None}, "--workflow is missing; give --workflow NAME"),
    ("a workflow that is a path", {"workflow": "../x", "data": None}, "--workflow '../x' cannot be used"),
    ("no data", {"data": None, "step": None}, """--data is missing; give --data '{"status": "running"}'"""),
    ("data that is no JSON", {"data": "{", "step": None}, "--data is not a JSON object ("),
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
    ("a flag with a variation selector", "🏳\ufe0f\u200d🌈", True),
    ("two emoji without a joiner", "👨👩 login", True),
    ("an accent that is added", "cafe\u0301", True),
    ("a joiner between letters", "a\u200db", False),
    ("a joiner before a letter", "👩\u200da", False),
    ("two joiners", "👩\u200d\u200d💻", False),
    ("a zero width space", "a\u200bb", False),
    ("a right-to-left override", "a\u202eb", False),
    ("an isolate between emoji", "👩\u2067💻", False),
    ("the tags of a flag, which can hide any text", "🏴\U000e0067\U000e0062\U000e007f", False),
]


@each_row(("name", "is_accepted"), [pytest.param(*row[1:], id=row[0]) for row in NAMES])
@each_row("field", ["unit", "feature"])
def test_a_name_may_have_joined_emoji_and_no_other_character_without_a_look(
    project: Project, field: str, name: str, is_accepted: bool
) -> None:
    given: dict[str, Any] = {"unit": name} if field == "unit" else {"data": {"status": "running", "feature": name}}
    if not is_accepted:
        assert "printable text is needed" in str(refused(project, step="requirements", **given))
        return
    assert project.emit("requirements", **given)["run_id"]


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


def test_a_large_diagram_with_many_branches_is_judged_at_once() -> None:
    count = 1000
    lines = "".join(f"    a{number} --> a{number + 1}\n    a{number} --> b{number}\n" for number in range(count))
    machine = mermaid.read(f"stateDiagram-v2\n    [*] --> a0\n{lines}", name="comb", file="")
    position = rules.RunPosition(f"a{count}", {f"a{number}": number + 1 for number in range(count + 1)}, {})
    begun = time.process_time()
    rules.check_step(machine, "b3", position)
    with pytest.raises(Rejected):
        rules.check_step(machine, "a0", position)
    assert time.process_time() - begun < 5, "it took minutes"
