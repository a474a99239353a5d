"""Runs that are taken up, and what their earlier life must not bring along; questions and offers told truly."""

from __future__ import annotations

import json

from rcs_hooks.files.clock import iso
from tests.support import Record, Workspace
from tests.table import each_row


def question(workspace: Workspace, name: str, **fields: object) -> Record:
    record: Record = {"kind": "rcs.question/v1", "question_id": name, "status": "pending", "question": f"{name}?"}
    path = workspace.folder("s1") / "questions" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record | fields))
    return record


def status_of(workspace: Workspace, name: str) -> str:
    text = (workspace.folder("s1") / "questions" / f"{name}.json").read_text()
    return str(json.loads(text)["status"])


def test_a_fresh_autopilot_does_not_inherit_the_old_review(workspace: Workspace) -> None:
    workspace.prompt("$autopilot")
    workspace.edit("autopilot", return_to_blueprint_reason="two findings")
    workspace.prompt("$blueprint")
    workspace.prompt("$autopilot again")
    assert workspace.prompt("$blueprint back").context.startswith("Cannot activate blueprint while autopilot")


def test_a_run_that_is_taken_up_does_not_wait_for_an_old_question(workspace: Workspace) -> None:
    enforcement = {"status": "pending", "question_id": "q1"}
    workspace.write("forge", active=False, run_outcome="cancelled", question_enforcement=enforcement)
    workspace.prompt("$forge again")
    assert workspace.stop().blocks


def test_each_mode_says_whether_it_was_taken_up(workspace: Workspace) -> None:
    workspace.write("team", active=False, run_outcome="failed", current_phase="verifying")
    context = workspace.prompt("$team $forge").context
    assert "active: team (phase verifying, resumed after failed) + forge (phase starting); initialized: " in context
    assert "initialized: .rcs/state/sessions/s1/forge-state.json" in context


def test_a_deferred_skill_that_was_started_is_not_offered(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $ulw $forge")
    workspace.prompt("$ulw")
    for mode in ("blueprint", "ultrawork"):
        workspace.edit(mode, active=False, lifecycle_outcome="finished")
    assert workspace.prompt("ok").context == (
        "[rcs] blueprint has ended (finished); deferred: $forge. You cannot start it: if this prompt says to go on, ask"
        " the user to type `$forge`."
    )


def test_deferred_skills_without_a_source_wait_until_no_planning_is_active(workspace: Workspace) -> None:
    """So an earlier version wrote the inventory."""
    workspace.prompt("$blueprint $forge")
    workspace.edit("skill-active", deferred_source=None)
    workspace.edit("blueprint", active=False, lifecycle_outcome="finished")
    workspace.write("autoresearch")
    assert workspace.prompt("ok").context == ""
    assert workspace.read("skill-active")["deferred_skills"] == ["forge"]
    workspace.edit("autoresearch", active=False, lifecycle_outcome="finished")
    assert workspace.prompt("ok").context == (
        "[rcs] the planning has ended; deferred: $forge. You cannot start it: if this prompt says to go on, ask the"
        " user to type `$forge`."
    )
    assert "deferred_skills" not in workspace.read("skill-active")


def test_cancel_aborts_every_open_question_of_the_session(workspace: Workspace) -> None:
    workspace.prompt("$team")
    question(workspace, "q1", source="forge")
    question(workspace, "q2", source="team", status="answered")
    workspace.prompt("$cancel")
    assert (status_of(workspace, "q1"), status_of(workspace, "q2")) == ("aborted", "answered")


def test_every_question_that_a_prompt_answers_is_named(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    for name in ("A", "B"):
        question(workspace, name, source="forge")
    context = workspace.prompt("both").context
    assert '"A?"' in context
    assert '"B?"' in context


def test_an_answer_that_another_tool_wrote_is_told_and_not_taken_for_the_prompt(workspace: Workspace) -> None:
    enforcement = {"status": "pending", "question_id": "q1"}
    workspace.write("forge", lifecycle_outcome="askuserQuestion", question_enforcement=enforcement)
    question(workspace, "q1", status="answered", answer="MySQL")
    assert workspace.prompt("continue").context == '[rcs] answered elsewhere: "q1?" -> "MySQL"'
    assert workspace.stop().blocks


def test_a_long_answer_says_where_the_rest_is(workspace: Workspace) -> None:
    workspace.write("forge")
    question(workspace, "q1", status="answered", answer="so " * 300, delivered_at=None)
    assert "(full answer: .rcs/state/sessions/s1/questions/q1.json)" in workspace.prompt("go on").context


def test_the_inventory_follows_what_another_tool_has_ended(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.edit("forge", active=False, lifecycle_outcome="finished")
    workspace.prompt("thanks")
    assert workspace.active() == []


def test_the_person_is_told_what_to_type_where_the_agent_is_told_to_ask(workspace: Workspace) -> None:
    workspace.prompt("$brief")
    answer = workspace.prompt("$crew")
    assert answer.notice == (
        "rcs: Cannot activate team while deep-interview is still active. Nothing was started. Finish deep-interview "
        "first, or type `$cancel $crew` to end all that is active and start team."
    )
    assert "Do not clear it yourself" in answer.context


def test_modes_of_one_prompt_that_exclude_each_other_say_so(workspace: Workspace) -> None:
    answer = workspace.prompt("$forge $autopilot")
    assert answer.context == (
        "Cannot activate autopilot with forge: this prompt asks for both, and they cannot run together. No workflow "
        "was started or ended. Ask which one is meant."
    )
    assert answer.notice == (
        "rcs: Cannot activate autopilot with forge: this prompt asks for both, and they cannot run together. Nothing "
        "was started: name only one of them."
    )


def test_a_number_that_json_cannot_hold_again_makes_a_file_unreadable(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    path = workspace.mode_path("forge")
    path.write_text(path.read_text().replace('"iteration": 0', '"iteration": 0, "cost": 1e999'))
    assert "forge-state.json cannot be read" in workspace.stop().notice
    assert "forge-state.json cannot be read" in workspace.prompt("$cancel").context


def test_the_real_question_is_found_among_many_others(workspace: Workspace) -> None:
    enforcement = {"status": "pending", "question_id": "real"}
    workspace.write("forge", lifecycle_outcome="askuserQuestion", question_enforcement=enforcement)
    question(workspace, "real", source="forge")
    for number in range(300):
        question(workspace, f"old-{number}", status="answered")
    assert '"real?"' in workspace.prompt("yes").context
    assert status_of(workspace, "real") == "answered"


def test_a_workspace_may_have_any_name_that_can_be_shown(workspace: Workspace) -> None:
    other = Workspace(workspace.root.parent / "新しい\u3000フォルダ 👨\u200d👩\u200d👧")
    other.root.mkdir()
    assert "active: team" in other.prompt("$team go").context


# --- `go on` where nothing runs

DAY = 24 * 3600
TAKEN_FOR_THE_RUN = {
    "go on": True,
    "Please go on now": True,
    "please go on now then": False,
    "go on with the login page": False,
    "thanks": False,
}


@each_row(("prompt", "is_meant"), TAKEN_FOR_THE_RUN.items())
def test_a_prompt_of_at_most_four_words_may_mean_the_run_that_ended(
    prompt: str, is_meant: bool, workspace: Workspace
) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="failed", completed_at=iso(workspace.now))
    assert ("forge does not run: it ended failed" in workspace.prompt(prompt).context) is is_meant


@each_row(("seconds", "is_meant"), [(60, True), (DAY - 1, True), (DAY, True), (DAY + 1, False), (3 * DAY, False)])
def test_a_run_that_ended_within_a_day_may_be_meant(seconds: int, is_meant: bool, workspace: Workspace) -> None:
    ended = workspace.now
    workspace.write("forge", active=False, lifecycle_outcome="failed", completed_at=iso(ended))
    workspace.now = ended + seconds - 1  # the prompt takes the second that is left
    assert bool(workspace.prompt("go on").context) is is_meant


def test_go_on_where_no_run_has_ended_says_nothing(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome=None, run_outcome=None)
    assert workspace.prompt("go on").line == "{}"
    assert not (workspace.root / ".rcs" / "logs").exists()
