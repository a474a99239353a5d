"""The overview: each thing once, in its group, whatever else cannot be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.overview.collect import for_dashboard, of_session, overview
from rcs_hooks.overview.entries import Entry, Overview
from rcs_hooks.overview.words import lines
from rcs_hooks.runs.store import open_readonly
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.writing import write
from tests.hook.test_tracked_state import lay_index
from tests.runs.support import Project
from tests.state.test_operations import at
from tests.support import NOW, Workspace, clean_env, run_rcs
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


def test_a_mode_that_waits_without_a_question_says_so(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.edit("forge", run_outcome="blocked_on_user")
    assert only(look(workspace), "waiting").says == "waits for your next prompt"


@pytest.mark.parametrize("source", [["forge"], {"mode": "forge"}, 7, None])
def test_a_question_whose_mode_is_no_text_is_shown(source: object, workspace: Workspace) -> None:
    workspace.prompt("$forge")
    asked = ask(at(workspace), "forge", "Which?")
    (path,) = workspace.root.rglob(f"{asked['question_id']}.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"source": source}))
    assert asked["question_id"] in only(look(workspace), "waiting").says


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


def test_a_mode_that_was_silent_for_an_hour_is_stalled_and_one_that_was_held_lately_is_not(
    workspace: Workspace,
) -> None:
    workspace.prompt("$forge")
    assert only(look(workspace), "running").quiet == ""
    workspace.now += 3600
    assert only(look(workspace), "running").quiet == "stalled"
    assert workspace.stop().blocks
    assert only(look(workspace), "running").quiet == ""
    workspace.now += 24 * 3600
    assert only(look(workspace), "running").quiet == "inactive"


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
    "with the phase before that word": (
        {"lifecycle_outcome": "blocked", "current_phase": "Done", "visited": ["starting", "executing"]},
        "blocked in phase executing",
    ),
    "early, with no phase known": (
        {"lifecycle_outcome": "finished", "current_phase": "done", "early": True},
        "finished early; unproven",
    ),
    "blocked, with a reason": (
        {"lifecycle_outcome": "blocked", "reason": "no key"},
        "blocked in phase executing: no key",
    ),
    "failed, with an error": (
        {"lifecycle_outcome": "failed", "error": "it\nbroke"},
        "failed in phase executing: it broke",
    ),
    "cancelled": ({"run_outcome": "cancelled"}, "stopped by the user in phase executing"),
}


@each_row(("fields", "says"), [pytest.param(*row, id=name) for name, row in ENDED.items()])
def test_what_ended_lately_says_how(workspace: Workspace, fields: Record, says: str) -> None:
    workspace.write("forge", "s1", **({"active": False, "completed_at": "2023-11-14T20:00:00Z"} | fields))
    ended = only(look(workspace), "ended")
    assert (ended.says, ended.since) == (says, "2023-11-14T20:00:00.000Z")
    assert ended.is_early == ("early" in says)


def test_a_run_that_no_review_has_called_clean_says_so(workspace: Workspace) -> None:
    workspace.prompt("$autopilot mend the ledger")
    workspace.edit("autopilot", current_phase="code-review")
    write(at(workspace)._replace(now=workspace.now), "autopilot", {"lifecycle_outcome": "finished"})
    assert only(look(workspace), "ended").says == "finished early, no review has said clean; unproven"
    workspace.prompt("$autopilot paint the fence")
    assert only(look(workspace), "ended").says == "finished early, no review has said clean; unproven"


def test_a_handoff_says_to_which_mode(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    workspace.prompt("$forge")
    assert only(look(workspace), "ended").says == "finished, handed over to forge"


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


def test_of_many_that_ended_the_newest_are_shown(workspace: Workspace) -> None:
    for number in range(14):
        moment = f"2023-11-14T20:00:{number:02d}.000Z"
        workspace.write("forge", f"s{number}", active=False, lifecycle_outcome="finished", completed_at=moment)
    assert [entry.session for entry in look(workspace).ended] == [f"s{number}" for number in range(13, 3, -1)]


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


def test_a_session_whose_only_record_cannot_be_read_is_named_while_another_runs(workspace: Workspace) -> None:
    workspace.prompt("$forge", "s1")
    workspace.prompt("$team", "s2")
    workspace.mode_path("forge").write_text("{")
    found = look(workspace)
    assert groups(found) == {"waiting": ["forge"], "running": ["team"]}
    assert found.waiting[0].session == "s1"
    assert found.waiting[0].says.startswith(".rcs/state/sessions/s1/forge-state.json cannot be read (it is not JSON")
    assert found.waiting[0].command == "rcs state clear --mode forge --session s1"


def test_a_session_that_leads_out_of_the_workspace_hides_nothing(workspace: Workspace, tmp_path: Path) -> None:
    workspace.prompt("$team", "s2")
    (tmp_path / "elsewhere").mkdir()
    (workspace.state / "sessions" / "s1").symlink_to(tmp_path / "elsewhere")
    found = look(workspace)
    assert groups(found) == {"waiting": ["session"], "running": ["team"]}
    assert found.waiting[0].session == "s1"


def test_a_session_that_came_with_the_repository_counts_for_nothing(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace.state / "sessions").mkdir(parents=True)
    (workspace.state / "sessions" / "s1").symlink_to(tmp_path / "elsewhere")
    assert groups(look(workspace)) == {"waiting": ["session"]}
    lay_index(workspace.root, [b".rcs/state/sessions/s1"])
    assert groups(look(workspace)) == {}


def test_a_state_folder_that_is_not_used_is_named(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace.root / ".rcs").symlink_to(tmp_path / "elsewhere")
    assert {entry.name for entry in look(workspace).waiting} == {"state", "tasks"}


def test_a_store_of_runs_that_cannot_be_read_is_named(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.env["RCS_DB"] = "broken.db"
    (workspace.root / "broken.db").write_text("no database, but long enough to be looked at" * 50)
    found = look(workspace)
    assert groups(found) == {"waiting": ["runs"], "running": ["forge"]}
    assert found.waiting[0].says.startswith("the runs cannot be read: ")


def test_nothing_of_a_cloned_repository_reaches_a_terminal_unchecked(workspace: Workspace) -> None:
    bad = "\x1b]0;x\x07\n`$(reboot)`\u202e" * 100
    proof: Record = {"command": bad, "exit": 1, "at": bad, "changed": [bad], "state": bad, "judged_at": bad, "why": bad}
    workspace.write("forge", title=bad, current_phase=bad, iteration=10**30, max_iterations=-1, proof=proof)
    workspace.write("team", "s2", active=False, lifecycle_outcome="failed", error=bad, completed_at=_iso(NOW))
    ended: Record = {"active": False, "lifecycle_outcome": "finished", "completed_at": _iso(NOW)}
    workspace.write("forge", "s3", **ended, proof=proof)
    workspace.write("forge", "s4", **ended, proof=proof | {"exit": 0})
    workspace.write("forge", "s5", **ended, proof=[proof])
    found = look(workspace)
    assert len(found.running + found.ended) == 5
    for entry in (*found.running, *found.ended):
        shown = json.dumps(entry.as_json())
        assert all(each not in shown for each in ("\\u001b", "\\u202e", "\\u0007", "\\n"))
        assert len(shown) < 1000
    assert all(line.isprintable() for line in lines(found, workspace.now))


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


def test_a_run_of_another_project_is_not_shown(project: Project, tmp_path: Path) -> None:
    project.emit("requirements")
    env = {"HOME": str(project.home), "PATH": os.defpath}
    assert groups(overview(env, str(tmp_path), project.now)) == {}


def test_a_task_is_its_task_and_not_its_run_too(workspace: Workspace) -> None:
    env = {"HOME": str(workspace.root / "home"), "PATH": os.environ["PATH"]}
    workspace.now = time.time()
    assert run_rcs("task", "new", "login", cwd=workspace.root, env=env).returncode == 0
    found = look(workspace)
    assert groups(found) == {"tasks": ["login"]}
    assert found.tasks[0].says == "phase planning. What it needs: rcs task status login"
    assert found.tasks[0].as_json()["id"] == "login"


def test_a_task_that_cannot_be_read_hides_no_other(workspace: Workspace) -> None:
    for name, text in {"a": "[]", "b": '{"phase": "codegen", "actors": {"codegen": {"round": 2}}}'}.items():
        (workspace.root / ".rcs" / "tasks" / name).mkdir(parents=True)
        (workspace.root / ".rcs" / "tasks" / name / "state.json").write_text(text)
    found = look(workspace)
    assert groups(found) == {"waiting": ["a"], "tasks": ["b"]}
    assert found.waiting[0].says.startswith(".rcs/tasks/a cannot be read: ")
    assert found.tasks[0].says == "phase codegen, round 2. What it needs: rcs task status b"


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


PROOF: Record = {"command": "pytest -q", "exit": 0, "tree": "git:00", "at": "now", "judged_at": "now"}
PROOFS_OF_TASKS: list[tuple[str, Record | None, str]] = [
    ("accept", PROOF | {"state": "stale"}, "waits for your decision, stale"),
    ("accept", {"state": "unproven"}, "waits for your decision, unproven"),
    ("accept", None, "waits for your decision"),
    ("done", PROOF | {"state": "proven"}, "done, proven"),
    ("done", None, "done"),
]


@each_row(("phase", "proof", "detail"), PROOFS_OF_TASKS)
def test_a_task_at_acceptance_says_whether_it_is_proven(
    workspace: Workspace, phase: str, proof: Record | None, detail: str
) -> None:
    folder = workspace.root / ".rcs" / "tasks" / "t"
    folder.mkdir(parents=True, exist_ok=True)
    said = {} if proof is None else {"proof": proof}
    (folder / "state.json").write_text(json.dumps({"phase": phase, "updated_at": _iso(workspace.now), **said}))
    found = look(workspace)
    (entry,) = (*found.waiting, *found.tasks)
    state = proof["state"] if proof else ""
    assert (entry.detail, entry.verdict) == (detail, state)
    assert entry.as_json()["proof"] == (
        proof
        and {"state": state, "command": proof.get("command", ""), "exit": proof.get("exit"), "at": proof.get("at", "")}
    )


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
    in_accept(workspace, decision)
    assert only(look(workspace), group).says.startswith(says)


def in_accept(workspace: Workspace, decision: Record | None = None) -> None:
    folder = workspace.root / ".rcs" / "tasks" / "t"
    (folder / "accept").mkdir(parents=True, exist_ok=True)
    (folder / "state.json").write_text(json.dumps({"phase": "accept", "updated_at": _iso(workspace.now)}))
    if decision is not None:
        (folder / "accept" / "decision.json").write_text(json.dumps(decision))


def test_the_overview_of_a_task_that_waits_loads_nothing_that_takes_its_time(workspace: Workspace) -> None:
    in_accept(workspace)
    (workspace.root / ".rcs" / "tasks" / "t" / "planning").mkdir()
    (workspace.root / ".rcs" / "tasks" / "t" / "planning" / "planning.ai.json").write_text("{}")
    code = "import sys; from rcs_hooks.cli.main import main; main(['status']); print('pydantic' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=workspace.root, env=clean_env(), check=True
    )
    assert "waits for your decision" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


# --- parts, and the dashboard


def test_one_session_alone(workspace: Workspace) -> None:
    workspace.prompt("$forge", "s1")
    workspace.prompt("$team", "s2")
    assert groups(of_session(look(workspace), "s2")) == {"running": ["team"]}


def test_for_the_dashboard_a_key_stays_the_same_while_the_entry_moves(workspace: Workspace) -> None:
    root = str(workspace.root)
    workspace.prompt("$forge")
    before: Record = for_dashboard({}, [root, root], workspace.now, None)
    (entry,) = before["running"]
    assert list(entry)[:10] == KEYS
    assert (entry["project"], entry["question"], entry["stop"], entry["early"]) == (root, None, None, False)
    asked = ask(at(workspace), "forge", "Which?", ["a"])
    after: Record = for_dashboard({}, [root], workspace.now, None)
    assert after["running"] == []
    (moved,) = after["waiting"]
    assert moved["key"] == entry["key"]
    assert moved["question"] == {"id": asked["question_id"], "text": "Which?", "options": ["a"]}


def test_sessions_of_one_minute_are_told_apart_by_more_letters(workspace: Workspace) -> None:
    first, second = "01890a5d-ac96-7000-8000-000000000001", "01890a5d-b123-7000-8000-000000000001"
    for session in (first, second):
        workspace.prompt("$forge mend the ledger", session)
    found: Record = for_dashboard({}, [str(workspace.root)], workspace.now, None)
    assert {entry["short"] for entry in found["running"]} == {"01890a5d-a", "01890a5d-b"}
    shown = [line.split()[-1] for line in lines(look(workspace), workspace.now) if line.startswith("  mend")]
    assert sorted(shown) == ["01890a5d-a", "01890a5d-b"]


def test_for_the_dashboard_two_workspaces_with_one_session_have_two_keys(tmp_path: Path) -> None:
    roots = []
    for name in ("a", "b"):
        workspace = Workspace(tmp_path / name)
        workspace.root.mkdir()
        workspace.prompt("$forge")
        roots.append(str(workspace.root))
    found: Record = for_dashboard({}, roots, NOW, open_readonly(str(tmp_path / "none.db")))
    assert len({entry["key"] for entry in found["running"]}) == 2


def test_an_option_is_whole_for_whoever_answers_with_it_and_short_in_the_sentence(workspace: Workspace) -> None:
    workspace.prompt("$forge fix it")
    long = "Take the second one, " * 6
    ask(at(workspace), "forge", "Which?", [long.strip()])
    entry = only(look(workspace), "waiting")
    assert entry.question
    assert entry.question.options == (long.strip(),)
    assert len(entry.detail) < 90
