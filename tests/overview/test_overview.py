"""The overview: each thing once, in its group, whatever else cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.overview.collect import grouped, overview
from rcs_hooks.overview.entries import Entry, Overview
from rcs_hooks.overview.words import MOST, lines
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.writing import write
from tests.runs.support import Project
from tests.state.test_operations import at
from tests.support import NOW, Workspace
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


def test_an_open_question_of_no_active_mode_is_shown_and_one_that_cannot_be_read_named(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    path = f"sessions/s1/questions/{ask(at(workspace), 'forge', 'Which?')['question_id']}.json"
    whole = (workspace.state / path).read_text()
    (workspace.state / path).write_text("{")
    assert f"{path} cannot be read" in only(look(workspace), "waiting").says
    for source in (["forge"], {"mode": "forge"}, "forge"):
        (workspace.state / path).write_text(json.dumps(json.loads(whole) | {"source": source}))
        assert "asks: Which?" in only(look(workspace), "waiting").says
    workspace.edit("forge", active=False, lifecycle_outcome="finished", question_enforcement=None)
    assert groups(look(workspace)) == {"waiting": ["forge"], "ended": ["forge"]}


def test_a_session_that_leads_out_of_the_workspace_hides_nothing(workspace: Workspace) -> None:
    workspace.prompt("$team", "s2")
    workspace.folder("s1").symlink_to(workspace.root)
    assert groups(look(workspace)) == {"waiting": ["session"], "running": ["team"]}


def test_what_waited_for_planning_waits_for_the_person_once_it_has_ended(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $forge split the export")
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished", completed_at=iso(workspace.now))
    entry = only(look(workspace), "waiting")
    assert (entry.name, entry.title, entry.has_title) == ("forge", "split the export", True)
    assert entry.says == "blueprint has ended; type $forge to go on, or any prompt to be asked"
    workspace.prompt("$forge")
    assert look(workspace).waiting == ()


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


LATELY, ALMOST = "2023-11-14T20:00:00Z", "2023-11-13T22:13:00Z"
ENDED: list[tuple[Record, str]] = [
    # what its record says, what is shown of it; nothing where it did not end by an outcome in the last day
    ({"lifecycle_outcome": "finished", "current_phase": "verifying"}, "finished, unproven"),
    ({"lifecycle_outcome": "finished", "early": True}, "finished early, in phase executing; unproven"),
    ({"lifecycle_outcome": "failed", "error": "it broke", "current_phase": "failed"}, "failed: it broke"),
    ({"run_outcome": "cancelled"}, "stopped by the user in phase executing"),
    ({"lifecycle_outcome": "finished", "completed_at": ALMOST}, ""),
    ({"completed_at": None}, ""),
    ({"current_phase": "cleared"}, ""),
    ({"lifecycle_outcome": "finished", "completed_at": "soon", "updated_at": 3}, ""),
]


@each_row(("fields", "says"), ENDED)
def test_what_ended_lately_says_how(fields: Record, says: str, workspace: Workspace) -> None:
    workspace.write("forge", "s1", **({"active": False, "completed_at": LATELY} | fields))
    found = look(workspace)
    assert [entry.says for entry in found.ended] == ([says] if says else [])
    assert groups(found) == ({"ended": ["forge"]} if says else {})


# --- runs and tasks


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def of_project(project: Project) -> Overview:
    env = {"HOME": str(project.home), "PATH": os.defpath, "RCS_DB": str(project.database)}
    return overview(env, str(project.root), project.now)


HOUR = 3600.0


SEE = "To see it: rcs runs show r1"
OF_RUNS: list[tuple[str, float, dict[str, list[str]]]] = [
    # the status of its step, how long ago, the group and what it says
    ("running", 0, {"running": [f"running at requirements. {SEE}"]}),
    ("running", 25 * HOUR, {}),
    ("waiting", 25 * HOUR, {"waiting": [f"inactive, waits at requirements. {SEE}"]}),
    ("waiting", 169 * HOUR, {}),
    ("failed", HOUR, {"ended": ["failed at requirements"]}),
    ("failed", 25 * HOUR, {}),
]


@each_row(("status", "later", "shown"), OF_RUNS)
def test_a_run_is_in_the_group_of_its_status(
    status: str, later: float, shown: dict[str, list[str]], project: Project
) -> None:
    project.emit("requirements", status)
    project.now += later
    found = of_project(project)
    assert {name: [each.says for each in group] for name, group in found.groups.items() if group} == shown


NEEDS, DECIDE = "What it needs: rcs task status login", "waits for your decision. To decide: rcs task accept login"
TASKS: list[tuple[str, float, str | None, str, str]] = [
    # its phase, how long ago, the decision about it, the group, what it says
    ("planning", 0, None, "tasks", f"phase planning. {NEEDS}"),
    ("review", 9e6, None, "tasks", f"phase review. {NEEDS}"),
    ("done", HOUR, None, "tasks", "done"),
    ("done", 9e4, None, "", ""),
    ("accept", 9e5, None, "waiting", DECIDE),
    ("accept", 0, "deferred", "waiting", DECIDE),
    ("accept", 0, "accepted", "tasks", f"phase accept. {NEEDS}"),
]


@each_row(("phase", "age", "decision", "group", "says"), TASKS)
def test_a_task_is_shown_while_it_is_open_and_waits_where_only_a_person_can_go_on(
    phase: str, age: float, decision: str | None, group: str, says: str, workspace: Workspace
) -> None:
    folder = workspace.root / ".rcs" / "tasks" / "login"
    (folder / "accept").mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"phase": phase, "updated_at": iso(workspace.now - age)}))
    if decision:
        (folder / "accept" / "decision.json").write_text(json.dumps({"decision": decision}))
    found = look(workspace)
    assert groups(found) == ({group: ["login"]} if group else {})
    assert [entry.as_json()["id"] for entry in found.groups.get(group, ())] == ["login"] * bool(group)
    assert all(entry.says.startswith(says) for entry in found.groups.get(group, ()))


def test_of_very_many_the_first_are_shown() -> None:
    entry = Entry("mode", "forge", "fix it", "running", "s1")
    found = list(lines(grouped((entry,) * (MOST + 5)), NOW, width=80))
    assert (len(found), found[-1]) == (2 + MOST, "    and 5 more: rcs status --json")
