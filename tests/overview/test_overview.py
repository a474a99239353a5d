"""The overview: each thing once, in its group, whatever else cannot be read."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.overview.collect import overview
from rcs_hooks.overview.entries import Entry, Overview
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.writing import write
from tests.runs.support import Project
from tests.state.test_operations import at
from tests.support import Workspace, run_rcs
from tests.table import each_row

Record = dict[str, Any]
KEYS = ["v", "kind", "name", "title", "session", "client", "phase", "since", "says", "proof"]
UUID = "3f2a9c01-1111-4222-8333-444455556666"


def look(workspace: Workspace) -> Overview:
    return overview(workspace.env | {"HOME": str(workspace.root / "home")}, str(workspace.root), workspace.now)


def groups(found: Overview) -> dict[str, list[str]]:
    """The name of every entry, by its group; groups without entries are left out."""
    return {name: [entry.name for entry in group] for name, group in found.groups.items() if group}


def only(found: Overview, group: str) -> Entry:
    (entry,) = found.groups[group]
    return entry


def test_nothing_is_five_empty_lists_and_makes_nothing(workspace: Workspace) -> None:
    assert look(workspace).as_json() == {"waiting": [], "running": [], "ended": [], "tasks": [], "closed": []}
    assert list(workspace.root.iterdir()) == []


# --- modes


def test_what_runs_in_any_session_has_the_named_keys(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger", UUID)
    workspace.edit("forge", UUID, title="fix the ledger", current_phase="verifying", iteration=2)
    entry = only(look(workspace), "running").as_json()
    assert entry == {
        "v": 1,
        "kind": "mode",
        "name": "forge",
        "title": "fix the ledger",
        "session": UUID,
        "client": "Codex",
        "phase": "verifying",
        "since": "2023-11-14T22:13:21.000Z",
        "says": "phase verifying, round 2 of 50",
        "proof": {"state": "unproven", "command": "", "exit": None, "at": ""},
    }
    assert list(entry) == KEYS


def test_without_a_title_the_mode_and_the_first_letters_of_the_session_stand_for_it(workspace: Workspace) -> None:
    workspace.prompt("$forge", UUID)
    workspace.edit("forge", UUID, title=None)
    assert only(look(workspace), "running").title == "forge 3f2a9c01"
    workspace.edit("forge", UUID, title="\x1b[31mred\u202e " + "x" * 200)
    title = only(look(workspace), "running").title
    assert title.startswith("[31mred xxx")
    assert len(title) == 80
    assert title.isprintable()


def test_a_record_of_the_workspace_is_shown_once_though_each_session_sees_it(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.prompt("$ultrawork", "s1")
    workspace.prompt("$ultrawork", "s2")
    found = look(workspace)
    assert sorted((entry.name, entry.session) for entry in found.running if entry.session) == [
        ("ultrawork", "s1"),
        ("ultrawork", "s2"),
    ]
    assert [entry.name for entry in found.running if entry.session is None] == ["forge"]


def test_a_question_waits_once_with_its_command_and_the_other_mode_waits_with_it(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    asked = ask(at(workspace), "forge", "Which database?", ["Postgres", "SQLite"])
    found = look(workspace)
    assert groups(found) == {"waiting": ["forge", "team"]}
    forge, team = found.waiting
    assert forge.says == (
        "asks: Which database? (Postgres | SQLite). "
        f"To answer: rcs question answer {asked['question_id']} 'YOUR ANSWER'"
    )
    assert team.says == "waits with forge, which asks"


def test_an_open_question_of_no_active_mode_is_shown(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    asked = ask(at(workspace), "forge", "Which?")
    workspace.edit("forge", active=False, lifecycle_outcome="finished", question_enforcement=None)
    found = look(workspace)
    assert groups(found) == {"waiting": ["forge"], "ended": ["forge"]}
    assert asked["question_id"] in only(found, "waiting").says
    assert len({entry.key for group in found.groups.values() for entry in group}) == 2


def test_a_question_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    asked = ask(at(workspace), "forge", "Which?")
    path = f"sessions/s1/questions/{asked['question_id']}.json"
    (workspace.state / path).write_text("{")
    assert f"{path} cannot be read" in only(look(workspace), "waiting").says


def test_the_last_stop_is_told(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    assert only(look(workspace), "running").stop is None
    assert workspace.stop().blocks
    held = only(look(workspace), "running").stop
    assert held
    assert (held.was_held, held.at) == (True, "2023-11-14T22:13:24.000Z")
    while workspace.stop().blocks:
        pass
    let_go = only(look(workspace), "running").stop
    assert let_go
    assert not let_go.was_held


def test_what_waits_for_planning_to_end_is_named(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team")
    assert only(look(workspace), "running").says == "phase planning, round 1 of 3; then $crew"


def test_what_waited_for_planning_waits_for_the_person_once_it_has_ended(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $forge split the export")
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished", completed_at=iso(workspace.now))
    entry = only(look(workspace), "waiting")
    assert (entry.name, entry.title, entry.has_title) == ("forge", "split the export", True)
    assert entry.says == "blueprint has ended; type $forge to go on, or any prompt to be asked"
    workspace.prompt("$forge")
    assert look(workspace).waiting == ()


ENDED: dict[str, tuple[Record, str]] = {
    "finished": ({"lifecycle_outcome": "finished", "current_phase": "verifying"}, "finished, unproven"),
    "finished early": (
        {"lifecycle_outcome": "finished", "current_phase": "executing", "early": True},
        "finished early, in phase executing; unproven",
    ),
    "with an outcome's word in place of its phase": (
        {"lifecycle_outcome": "failed", "error": "it broke", "current_phase": "failed"},
        "failed: it broke",
    ),
    "cancelled": ({"run_outcome": "cancelled"}, "stopped by the user in phase executing"),
}


@each_row(("fields", "says"), [pytest.param(*row, id=name) for name, row in ENDED.items()])
def test_what_ended_lately_says_how(workspace: Workspace, fields: Record, says: str) -> None:
    workspace.write("forge", "s1", **({"active": False, "completed_at": "2023-11-14T20:00:00Z"} | fields))
    ended = only(look(workspace), "ended")
    assert (ended.says, ended.since) == (says, "2023-11-14T20:00:00.000Z")
    assert ended.is_early == ("early" in says)


def test_a_run_that_ended_is_shown_beside_the_next_one_of_its_mode(workspace: Workspace) -> None:
    def ends(outcome: str) -> None:
        scope = at(workspace)._replace(now=workspace.now)
        write(scope, "forge", {"lifecycle_outcome": outcome, "reason": "no key"})

    workspace.prompt("$forge mend the ledger")
    ends("failed")
    ends("finished")  # corrected
    workspace.prompt("$forge paint the fence")
    ends("blocked")
    workspace.prompt("$forge")  # taken up
    found = look(workspace)
    assert [(entry.title, entry.says) for entry in found.running] == [("paint the fence", "phase starting")]
    assert [(entry.title, entry.outcome) for entry in found.ended] == [("mend the ledger", "finished")]
    ends("finished")
    workspace.prompt("$forge wash the car")
    found = look(workspace)
    assert [entry.title for entry in found.ended] == ["paint the fence", "mend the ledger"]
    assert len({entry.key for group in found.groups.values() for entry in group}) == 3


NOT_ENDED_LATELY: dict[str, Record] = {
    "a day and more ago": {"lifecycle_outcome": "finished", "completed_at": "2023-11-13T22:13:00Z"},
    "without an outcome": {"active": False},
    "cleared": {"current_phase": "cleared", "completed_at": "2023-11-14T22:00:00Z"},
    "at no known time": {"lifecycle_outcome": "finished", "completed_at": "soon", "updated_at": 3},
}


@each_row("fields", [pytest.param(row, id=name) for name, row in NOT_ENDED_LATELY.items()])
def test_what_did_not_end_lately_by_an_outcome_is_left_out(workspace: Workspace, fields: Record) -> None:
    workspace.write("forge", "s1", **({"active": False} | fields))
    assert groups(look(workspace)) == {}


def test_a_closed_session_shows_its_run_and_its_question_once(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$team", "s2")
    asked = ask(at(workspace, "s2"), "team", "Which?")
    for session in ("s1", "s2"):
        workspace.call("SessionEnd", session, reason="exit")
    found = look(workspace)
    assert groups(found) == {"closed": ["team", "forge"]}
    team, forge = found.closed
    assert asked["question_id"] in team.says
    assert forge.says == (
        "phase starting; its client has closed the session, and resuming it goes on. "
        "To end it: rcs state write --mode forge --outcome userinterlude --session s1"
    )
    assert forge.since == "2023-11-14T22:13:23.000Z"


# --- what cannot be read


def _iso(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


# --- runs and tasks


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def of_project(project: Project) -> Overview:
    env = {"HOME": str(project.home), "PATH": os.defpath, "RCS_DB": str(project.database)}
    return overview(env, str(project.root), project.now)


def test_a_run_is_shown_by_its_feature_or_its_workflow(project: Project) -> None:
    project.emit("requirements", run=UUID, data={"status": "running", "feature": "billing"})
    project.emit("requirements", run="r2")
    found = of_project(project)
    assert sorted((entry.kind, entry.name, entry.title, entry.id) for entry in found.running) == [
        ("run", "build", "billing", UUID),
        ("run", "build", "build r2", "r2"),
    ]
    assert list(found.running[0].as_json()) == ["id" if key == "session" else key for key in KEYS]
    assert found.running[0].as_json()["proof"] is None


HOUR = 3600.0
OF_RUNS: dict[str, tuple[str, float, dict[str, list[str]], str]] = {
    "running": ("running", 0, {"running": ["build"]}, "running at requirements. To see it: rcs runs show r1"),
    "silent for a day": ("running", 25 * HOUR, {}, ""),
    "waiting": (
        "waiting",
        25 * HOUR,
        {"waiting": ["build"]},
        "inactive, waits at requirements. To see it: rcs runs show r1",
    ),
    "waiting for a week": ("waiting", 169 * HOUR, {}, ""),
    "failed": ("failed", HOUR, {"ended": ["build"]}, "failed at requirements"),
    "failed the day before": ("failed", 25 * HOUR, {}, ""),
}


@pytest.mark.parametrize(("status", "later", "shown", "says"), OF_RUNS.values(), ids=OF_RUNS)
def test_a_run_is_in_the_group_of_its_status(
    project: Project, status: str, later: float, shown: dict[str, list[str]], says: str
) -> None:
    project.emit("requirements", status)
    project.now += later
    found = of_project(project)
    assert groups(found) == shown
    assert [entry.says for group in found.groups.values() for entry in group] == ([says] if says else [])


def test_a_run_says_why_it_waits(project: Project) -> None:
    project.emit("requirements", "waiting", data={"status": "waiting", "message": "Which\ndatabase?"})
    assert only(of_project(project), "waiting").detail == "waits at requirements: Which database?"
    project.emit("requirements", "failed", data={"status": "failed", "reason": "no key"})
    assert only(of_project(project), "ended").detail == "failed at requirements: no key"


def test_a_task_is_its_task_and_not_its_run_too(workspace: Workspace) -> None:
    env = {"HOME": str(workspace.root / "home"), "PATH": os.environ["PATH"]}
    workspace.now = time.time()
    assert run_rcs("task", "new", "login", cwd=workspace.root, env=env).returncode == 0
    found = look(workspace)
    assert groups(found) == {"tasks": ["login"]}
    assert found.tasks[0].says == "phase planning. What it needs: rcs task status login"
    assert found.tasks[0].as_json()["id"] == "login"


PHASES_OF_TASKS: dict[str, tuple[str, float, dict[str, list[str]]]] = {
    "in accept it waits for the person": ("accept", 9e5, {"waiting": ["t"]}),
    "done lately": ("done", 3600, {"tasks": ["t"]}),
    "done long ago": ("done", 9e4, {}),
    "open for long": ("review", 9e6, {"tasks": ["t"]}),
}


@each_row(("phase", "age", "shown"), [pytest.param(*row, id=name) for name, row in PHASES_OF_TASKS.items()])
def test_a_task_is_shown_while_it_is_open(
    workspace: Workspace, phase: str, age: float, shown: dict[str, list[str]]
) -> None:
    folder = workspace.root / ".rcs" / "tasks" / "t"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state.json").write_text(json.dumps({"phase": phase, "updated_at": _iso(workspace.now - age)}))
    assert groups(look(workspace)) == shown


DECISIONS: dict[str, tuple[Record | None, str, str]] = {
    "none yet": (None, "waiting", "waits for your decision. To decide: rcs task accept t --decision WORD --reason"),
    "one that leads out": ({"decision": "needs_changes"}, "tasks", "phase accept. What it needs: rcs task status t"),
    "accepted": ({"decision": "accepted"}, "tasks", "phase accept. What it needs: rcs task status t"),
    "deferred": ({"decision": "deferred"}, "waiting", "waits for your decision. "),
    "none that is known": ({"decision": "perhaps"}, "waiting", "waits for your decision. "),
}


@each_row(("decision", "group", "says"), [pytest.param(*row, id=name) for name, row in DECISIONS.items()])
def test_a_task_in_accept_waits_until_its_decision_leads_out_of_it(
    workspace: Workspace, decision: Record | None, group: str, says: str
) -> None:
    folder = workspace.root / ".rcs" / "tasks" / "t"
    (folder / "accept").mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"phase": "accept", "updated_at": _iso(workspace.now)}))
    if decision is not None:
        (folder / "accept" / "decision.json").write_text(json.dumps(decision))
    assert only(look(workspace), group).says.startswith(says)
