"""The transition policy as whole hook calls leave it on disk: which files change, how, and what is said."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.workflow.transitions import plan
from tests.contract import MODES
from tests.properties import examples
from tests.support import Answer, Record, Workspace, run_hook
from tests.table import each_row
from tests.workflow.test_transitions import CELLS, Cell

in_both_scopes = pytest.mark.parametrize("scope", ["s1", None], ids=["session", "root"])

FIRST_PROMPT_AT = "2023-11-14T22:13:21.000Z"
ROLLBACK = "First clear current state first and retry if this action is intended."
TEAM_WORDS = "team runtime"
DEFERRAL = "planning preserved over simultaneous execution follow-up; deferred skills: "


def refusal(requested: str, active: str) -> str:
    return (
        f"Cannot activate {requested} while {active} is still active. Clear the incompatible state first via "
        "`rcs state ...` or the `rcs_state.*` MCP tools, then retry the transition."
    )


def clearing(mode: str, scope: str | None = "s1") -> str:
    return f"rcs state clear --mode {mode} " + (f"--session {scope}" if scope else "--root-scope")


MCP_FORM = "rcs_state.state_clear("


def run(workspace: Workspace, *prompts: str, session: str = "s1") -> Answer:
    """The prompts one after the other; the answer to the last."""
    return [workspace.prompt(text, session) for text in prompts][-1]


def fields(record: Record, *keys: str) -> Record:
    return {key: record.get(key) for key in keys}


def record_bytes(workspace: Workspace, mode: str, scope: str | None) -> bytes:
    return workspace.mode_path(mode, scope).read_bytes()


# --- every cell of the table, in both scopes


def at(cell: Cell, workspace: Workspace, scope: str | None) -> None:
    """The active mode of the cell is running."""
    verdict = {"review_verdict": {"clean": not cell.review_open}}
    workspace.write(cell.active, scope, **({"state": verdict} if cell.active == "autopilot" else {}))


def each_cell(*kinds: str) -> pytest.MarkDecorator:
    cells = [cell for cell in CELLS if cell.kind in kinds]
    return pytest.mark.parametrize("cell", cells, ids=[cell.id for cell in cells])


@in_both_scopes
@each_cell("no change")
def test_a_mode_asked_for_again_changes_no_byte(cell: Cell, scope: str | None, workspace: Workspace) -> None:
    at(cell, workspace, scope)
    before = workspace.snapshot()
    answer = workspace.prompt(f"${cell.requested}")
    assert workspace.workflow_state() == before
    assert f"active: {cell.active}" in answer.context
    assert answer.notice == ""


@in_both_scopes
@each_cell("overlap")
def test_an_overlap_runs_both(cell: Cell, scope: str | None, workspace: Workspace) -> None:
    at(cell, workspace, scope)
    before = record_bytes(workspace, cell.active, scope)
    workspace.prompt(f"${cell.requested}")
    assert sorted(workspace.active()) == sorted([cell.active, cell.requested])
    assert record_bytes(workspace, cell.active, scope) == before
    assert workspace.read(cell.requested)["active"] is True


@in_both_scopes
@each_cell("handoff")
def test_a_handoff_completes_the_source_with_its_audit(cell: Cell, scope: str | None, workspace: Workspace) -> None:
    at(cell, workspace, scope)
    answer = workspace.prompt(f"${cell.requested}")
    source, message = workspace.read(cell.active), f"mode transiting: {cell.active} -> {cell.requested}"
    audit = {
        "active": False,
        "current_phase": "completed",
        "completed_at": FIRST_PROMPT_AT,
        "auto_completed_reason": message,
        "transition_target_mode": cell.requested,
    }
    assert fields(source, *audit) == audit
    assert source["completion_note"]
    assert source["transition_source"]
    assert workspace.read(cell.requested)["active"] is True
    assert workspace.active() == [cell.requested]
    assert message in answer.context


@in_both_scopes
@each_cell("denied", "rollback")
def test_a_denied_transition_changes_no_byte_and_says_how_to_go_on(
    cell: Cell, scope: str | None, workspace: Workspace
) -> None:
    at(cell, workspace, scope)
    before = workspace.snapshot()
    answer = workspace.prompt(f"${cell.requested}")
    assert workspace.snapshot() == before
    assert answer.context.startswith(refusal(cell.requested, cell.active))
    assert (ROLLBACK in answer.context) == (cell.kind == "rollback")
    assert clearing(cell.active, scope) in answer.context
    assert f"ask the user whether to finish {cell.active} first or give it up" in answer.context
    assert MCP_FORM not in answer.context
    assert answer.notice == (
        f"rcs: Cannot activate {cell.requested} while {cell.active} is still active. Nothing was started. Finish "
        f"{cell.active} first, or type `$cancel ${cell.requested}` to end all that is active and start "
        f"{cell.requested}."
    )


# --- what the cells do not say: starts, sets, the review


@each_row("mode", MODES)
def test_a_mode_starts_in_its_first_phase(mode: str, workspace: Workspace) -> None:
    workspace.prompt(f"${mode}")
    started = workspace.read(mode)
    phase, iteration, most = MODES[mode].first, MODES[mode].iteration, MODES[mode].most
    expected = {"active": True, "mode": mode, "current_phase": phase, "session_id": "s1"}
    expected |= {"started_at": FIRST_PROMPT_AT, "iteration": iteration, "max_iterations": most}
    assert fields(started, *expected) == expected
    assert workspace.active() == [mode]


@pytest.mark.parametrize("pair", [("team", "forge"), ("team", "ultrawork")], ids="+".join)
def test_peers_run_together_in_either_order(pair: tuple[str, str], workspace: Workspace) -> None:
    for session, (first, second) in zip(("s1", "s2"), permutations(pair), strict=True):
        run(workspace, f"${first}", f"${second}", session=session)
        assert workspace.active(session) == [first, second]
        assert all(workspace.read(mode, session)["active"] is True for mode in pair)


def test_a_handoff_keeps_a_survivor_that_may_stand_beside_the_destination(workspace: Workspace) -> None:
    run(workspace, "$blueprint", "$ultrawork", "$forge")
    assert workspace.active() == ["ultrawork", "forge"]


@pytest.mark.parametrize("session", ["s1", "s" * 128], ids=["short id", "longest id"])
def test_the_denial_of_a_set_names_all_of_it_and_clears_what_is_in_the_way(session: str, workspace: Workspace) -> None:
    run(workspace, "$team", "$forge", "$ultrawork", session=session)
    before = workspace.workflow_state()
    context = workspace.prompt("$blueprint", session).context
    assert workspace.workflow_state() == before
    assert context.startswith(refusal("blueprint", "team + forge + ultrawork"))
    assert all(clearing(mode, session) in context for mode in ("team", "forge"))
    assert "--mode ultrawork" not in context


@each_row("place", ["state", "top"])
@each_row(
    ("review", "opens"),
    [
        ({"review_verdict": {"clean": False}}, True),
        ({"review_verdict": "changes requested"}, True),
        ({"return_to_blueprint_reason": "the plan is wrong"}, True),
        ({"review_verdict": {"clean": True}}, False),
        ({"review_verdict": "clean"}, False),
        ({"review_verdict": "approve"}, False),
        ({"review_verdict": "approved"}, False),
        ({"review_verdict": "pass"}, False),
        ({"review_verdict": "passed"}, False),
        ({"review_verdict": None, "return_to_blueprint_reason": None}, False),
        ({"return_to_blueprint_reason": "  "}, False),
        ({}, False),
    ],
    ids=str,
)
def test_autopilot_goes_back_to_the_blueprint_only_from_a_review_that_is_not_clean(
    place: str, review: Record, opens: bool, workspace: Workspace
) -> None:
    workspace.write("autopilot", **({"state": review} if place == "state" else review))
    context = workspace.prompt("$blueprint").context
    assert workspace.mode_path("blueprint").exists() == opens
    assert (ROLLBACK in context) != opens


def test_the_inventory_is_rewritten_from_the_mode_files_and_never_believed(workspace: Workspace) -> None:
    workspace.write("team")
    ghosts = [{"skill": "deep-interview", "active": True}, {"skill": "autopilot", "active": True}]
    for scope in ("s1", None):
        workspace.write("skill-active", scope, skill="autopilot", phase="starting", active_skills=ghosts)
    workspace.prompt("$forge")
    assert sorted(workspace.active()) == ["forge", "team"]


@pytest.mark.parametrize(
    ("prompts", "order"),
    [
        (("$forge $team",), ["forge", "team"]),
        (("$team", "$cancel", "$forge $team"), ["forge", "team"]),
        (("$ultrawork $team $forge",), ["ultrawork", "team", "forge"]),
    ],
    ids=["one prompt", "one is taken up", "three"],
)
def test_the_inventory_keeps_the_order_of_activation(
    prompts: tuple[str, ...], order: list[str], workspace: Workspace
) -> None:
    run(workspace, *prompts)
    assert workspace.active() == order


def test_a_mode_without_a_known_start_stands_before_the_one_just_started(workspace: Workspace) -> None:
    workspace.write("team")
    workspace.prompt("$forge")
    assert workspace.active() == ["team", "forge"]


def test_two_sessions_never_touch_each_other(workspace: Workspace) -> None:
    workspace.prompt("$forge", "s1")
    before = workspace.snapshot()
    run(workspace, "$blueprint", "$cancel", session="s2")
    after = workspace.snapshot()
    assert {path: after[path] for path in before} == before


# --- a prompt is all or nothing


def test_a_denied_chain_in_a_fresh_workspace_makes_nothing(workspace: Workspace) -> None:
    context = workspace.prompt("$team $forge $autopilot").context
    assert context.startswith("Cannot activate autopilot with team + forge: this prompt asks for both,")
    assert list(workspace.root.iterdir()) == []


@each_row(
    ("active", "text"),
    [
        ("blueprint", "$team $autopilot"),
        ("blueprint", "$ultrawork $ultraqa"),
        ("team", "$forge $ultrawork $autopilot"),
        ("forge", "$team $blueprint"),
        ("forge", "$cancel $team $autopilot"),
    ],
)
def test_one_denied_step_undoes_the_whole_prompt(active: str, text: str, workspace: Workspace) -> None:
    workspace.prompt(f"${active}")
    before = workspace.workflow_state()
    answer = workspace.prompt(text)
    assert answer.context.startswith("Cannot activate ")
    assert workspace.workflow_state() == before


@pytest.mark.parametrize(
    ("active", "text", "first"),
    [
        ("team", "$forge $autopilot", "Cannot activate autopilot while team is still active."),
        ("blueprint", "$team $autopilot", "Cannot activate autopilot with team: this prompt asks for both,"),
        ("team", "$cancel $forge $autopilot", "Cannot activate autopilot with forge: this prompt asks for both,"),
    ],
)
def test_a_denial_names_as_active_only_what_runs(active: str, text: str, first: str, workspace: Workspace) -> None:
    workspace.prompt(f"${active}")
    answer = workspace.prompt(text)
    assert answer.context.startswith(first)
    assert answer.notice.startswith(f"rcs: {first}")


def test_a_denial_after_a_blocked_stop_moves_nothing_but_the_count_of_stops(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    assert workspace.stop().blocks
    before = workspace.snapshot()
    workspace.prompt("$blueprint")
    changed = {path for path, data in workspace.snapshot().items() if data != before.get(path)}
    assert changed == {"state/sessions/s1/hook-ledger.json"}


def ask(workspace: Workspace, mode: str) -> Path:
    """The mode waits for the person; returns the question's file."""
    pending = {"status": "pending", "question_id": "q1", "source": mode}
    workspace.write(mode, lifecycle_outcome="askuserQuestion", question_enforcement=pending)
    path = workspace.folder("s1") / "questions" / "q1.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"kind": "rcs.question/v1", "question": "Which?"} | pending))
    return path


def test_a_denied_prompt_answers_the_question_all_the_same(workspace: Workspace) -> None:
    question = ask(workspace, "forge")
    assert workspace.prompt("$ultraqa the second").context.startswith(refusal("ultraqa", "forge"))
    assert json.loads(question.read_text())["status"] == "answered"
    lifted = {"active": True, "lifecycle_outcome": None}
    assert fields(workspace.read("forge"), *lifted) == lifted
    assert not workspace.mode_path("ultraqa").exists()


@in_both_scopes
def test_an_answer_beside_a_denial_keeps_the_inventory_true(scope: str | None, workspace: Workspace) -> None:
    waits = {"current_phase": "blocked_on_user", "lifecycle_outcome": "askuserQuestion"}
    workspace.write("forge", scope, session_id="s1", **waits)
    workspace.prompt("$ultraqa the second")
    assert workspace.active() == ["forge"]
    entry = workspace.read("skill-active")["active_skills"][0]
    assert entry["phase"] == workspace.read("forge")["current_phase"]


# --- deferral


def test_the_seeds_example_starts_the_planning_and_names_the_rest(workspace: Workspace) -> None:
    context = workspace.prompt("$blueprint $team $forge ship this fix").context
    assert workspace.active() == ["blueprint"]
    assert all(token in context for token in ("$blueprint", "$team", "$forge"))
    assert f"{DEFERRAL}team, forge" in context
    assert TEAM_WORDS not in context
    assert workspace.read("skill-active")["deferred_skills"] == ["team", "forge"]
    assert not any(workspace.mode_path(mode).exists() for mode in ("team", "forge"))


@pytest.mark.parametrize(
    ("text", "active", "deferred"),
    [
        ("$team $blueprint $forge", "blueprint", "team, forge"),
        ("$forge $team $blueprint", "blueprint", "forge, team"),
        ("$ultrawork $autoresearch", "autoresearch", "ultrawork"),
        ("$deep-interview $blueprint $team", "deep-interview", "blueprint, team"),
    ],
)
def test_the_first_planning_skill_is_the_source_wherever_it_stands(
    text: str, active: str, deferred: str, workspace: Workspace
) -> None:
    assert f"{DEFERRAL}{deferred}" in workspace.prompt(text).context
    assert workspace.active() == [active]


@pytest.mark.parametrize("before", ["$team", "$forge", "$blueprint", "go on"])
def test_the_team_hint_is_given_where_team_is_finally_active(before: str, workspace: Workspace) -> None:
    assert TEAM_WORDS in run(workspace, before, "$team").context


def test_the_team_hint_is_given_to_no_other(workspace: Workspace) -> None:
    prompts = ("$forge", "$ultrawork", "$cancel $autopilot", "$team")
    assert not any(TEAM_WORDS in workspace.prompt(text).context for text in prompts)


def offers(answer: Answer) -> bool:
    return "$crew" in answer.context and "$forge" in answer.context


def finish(workspace: Workspace, mode: str) -> None:
    """As the agent does it at the end of its work."""
    workspace.edit(mode, active=False, lifecycle_outcome="finished")


def test_the_deferred_are_offered_once_after_the_source_has_ended(workspace: Workspace) -> None:
    assert not offers(run(workspace, "$blueprint $team $forge", "go on"))
    finish(workspace, "blueprint")
    assert [offers(workspace.prompt(text)) for text in ("thanks", "thanks", "go on")] == [True, False, False]
    assert "deferred_skills" not in workspace.read("skill-active")


def test_a_handoff_offers_once_what_it_did_not_start(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team $forge")
    contexts = [workspace.prompt(text).context for text in ("$team", "go on", "go on")]
    assert sum("$forge" in context for context in contexts) == 1


def test_what_is_deferred_later_takes_no_earlier_one_away(workspace: Workspace) -> None:
    run(workspace, "$blueprint $forge", "$blueprint $team")
    finish(workspace, "blueprint")
    assert offers(workspace.prompt("thanks"))


def test_a_new_deferral_does_not_swallow_the_offer_of_the_old(workspace: Workspace) -> None:
    """The prompt that ends the old source brings a source and deferred skills of its own."""
    workspace.prompt("$deep-interview $team")
    contexts = [workspace.prompt(text).context for text in ("$blueprint $forge", "go on", "go on")]
    assert sum("$crew" in context for context in contexts) == 1


def test_cancel_drops_the_deferred_without_a_word(workspace: Workspace) -> None:
    workspace.prompt("$blueprint $team $forge")
    assert not any(offers(workspace.prompt(text)) for text in ("$cancel", "go on"))
    assert "deferred_skills" not in workspace.read("skill-active")


# --- what is over stays over

LATER = {
    "plain prompts": [("s1", "go on"), ("s1", "thanks")],
    "others join": [("s1", "$ultrawork"), ("s1", "$forge"), ("s1", "$team")],
    "cancelled and started again": [("s1", "$cancel"), ("s1", "$forge"), ("s1", "$cancel $blueprint")],
    "denied ones": [("s1", "$ultraqa"), ("s1", "$autoresearch")],
    "another session": [("s2", "$forge"), ("s1", "$team"), ("s2", "$cancel $team"), ("s1", "$cancel")],
}


@in_both_scopes
@each_row("later", LATER.values(), ids=LATER)
def test_a_completed_source_does_not_come_back(
    later: list[tuple[str, str]], scope: str | None, workspace: Workspace
) -> None:
    workspace.write("deep-interview", scope)
    workspace.prompt("$blueprint")
    source = record_bytes(workspace, "deep-interview", "s1")
    for session, text in later:
        workspace.prompt(text, session)
        assert "deep-interview" not in workspace.active(session)
        assert "deep-interview" not in workspace.stop(session).reason
    assert record_bytes(workspace, "deep-interview", "s1") == source


@each_row("named", [{}, {"session_id": ""}, {"session_id": "s1"}], ids=str)
@each_row("text", ["$cancel", "$blueprint"], ids=["cancelled", "handed off"])
def test_a_root_survivor_is_ended_and_the_session_keeps_a_tombstone(
    text: str, named: Record, workspace: Workspace
) -> None:
    workspace.write("deep-interview", None, **named)
    workspace.prompt(text)
    for scope in ("s1", None):
        assert workspace.read("deep-interview", scope)["active"] is False
        assert workspace.read("deep-interview", scope)["completed_at"] == FIRST_PROMPT_AT


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("$cancel", {"lifecycle_outcome": "userinterlude", "run_outcome": "cancelled"}),
        ("$blueprint", {"current_phase": "completed", "transition_target_mode": "blueprint"}),
    ],
    ids=["cancelled", "handed off"],
)
def test_a_root_record_that_was_the_run_says_how_it_ended(text: str, how: Record, workspace: Workspace) -> None:
    """Whoever reads root without this session finds there what became of the run."""
    workspace.write("deep-interview", None)
    workspace.prompt(text)
    assert fields(workspace.read("deep-interview", None), *how) == how


def test_the_root_inventory_lists_no_ended_survivor(workspace: Workspace) -> None:
    for mode in ("deep-interview", "ultrawork"):
        workspace.write(mode, None)
    listed = [{"skill": mode, "active": True} for mode in ("deep-interview", "ultrawork")]
    workspace.write("skill-active", None, active_skills=listed)
    workspace.prompt("$blueprint")
    entries = workspace.read("skill-active", None)["active_skills"]
    assert [entry["skill"] for entry in entries] == ["ultrawork"]


@pytest.mark.parametrize("text", ["$cancel", "$blueprint"], ids=["cancelled", "handed off"])
def test_a_root_survivor_behind_a_session_record_is_ended_with_it(text: str, workspace: Workspace) -> None:
    for scope in ("s1", None):
        workspace.write("deep-interview", scope)
    workspace.prompt(text)
    assert [workspace.read("deep-interview", scope)["active"] for scope in ("s1", None)] == [False, False]


def test_a_tombstone_hides_a_root_record_that_is_switched_on_again(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.prompt("$cancel")
    workspace.write("forge", None)
    workspace.prompt("$blueprint")
    assert workspace.active() == ["blueprint"]


@pytest.mark.parametrize("text", ["$cancel", "$blueprint", "$forge", "$ultrawork"])
def test_a_root_record_of_another_session_is_not_seen_and_not_touched(text: str, workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s2")
    before = record_bytes(workspace, "forge", None)
    assert "Cannot" not in workspace.prompt(text).context
    assert record_bytes(workspace, "forge", None) == before


A_DAY_OLD, ALMOST_A_DAY_OLD = "2023-11-13T22:13:21.000Z", "2023-11-13T22:13:22.000Z"


def test_a_root_record_untouched_for_a_day_is_in_nobodys_way(workspace: Workspace) -> None:
    workspace.write("forge", None, updated_at=A_DAY_OLD)
    before = record_bytes(workspace, "forge", None)
    workspace.prompt("$blueprint")
    assert workspace.active() == ["blueprint"]
    assert record_bytes(workspace, "forge", None) == before


def test_a_root_record_touched_within_the_day_is_in_the_way(workspace: Workspace) -> None:
    workspace.write("forge", None, updated_at=ALMOST_A_DAY_OLD)
    assert workspace.prompt("$blueprint").context.startswith(refusal("blueprint", "forge"))


def test_a_start_in_the_session_ends_a_stale_root_survivor_of_that_mode(workspace: Workspace) -> None:
    workspace.write("forge", None, updated_at=A_DAY_OLD, iteration=7)
    workspace.prompt("$forge")
    assert workspace.read("forge", None)["active"] is False
    assert fields(workspace.read("forge"), "active", "iteration") == {"active": True, "iteration": 0}


# --- $cancel

ENDED = {
    "active": False,
    "lifecycle_outcome": "userinterlude",
    "run_outcome": "cancelled",
    "completed_at": FIRST_PROMPT_AT,
}


@in_both_scopes
def test_cancel_ends_all_that_runs(scope: str | None, workspace: Workspace) -> None:
    modes = ("team", "forge", "ultrawork")
    for mode in modes:
        workspace.write(mode, scope)
    workspace.prompt("$cancel")
    assert [fields(workspace.read(mode), *ENDED) for mode in modes] == [ENDED] * 3
    assert workspace.active() == []
    assert not workspace.stop().blocks


def test_cancel_aborts_a_pending_question(workspace: Workspace) -> None:
    question = ask(workspace, "forge")
    workspace.prompt("$cancel")
    assert json.loads(question.read_text())["status"] == "aborted"
    assert fields(workspace.read("forge"), *ENDED) == ENDED


@pytest.mark.parametrize("text", ["$cancel $blueprint", "$blueprint $cancel"])
def test_what_stands_beside_cancel_is_planned_on_the_emptied_set(text: str, workspace: Workspace) -> None:
    run(workspace, "$forge", text)
    assert workspace.active() == ["blueprint"]
    assert workspace.read("forge")["lifecycle_outcome"] == "userinterlude"


def test_cancel_is_never_a_mode_and_makes_no_state_where_there_is_none(workspace: Workspace) -> None:
    workspace.prompt("$cancel")
    assert list(workspace.root.iterdir()) == []
    run(workspace, "$forge", "$cancel")
    assert not workspace.mode_path("cancel").exists()


# --- a skill named again

PROGRESS: Record = {"current_phase": "verifying", "state": {"done": ["a", "b"]}}
OUTCOME_FIELDS = ("lifecycle_outcome", "terminal_outcome", "run_outcome", "completed_at", "error")
AGAIN: Record = {"active": True} | dict.fromkeys(OUTCOME_FIELDS)


def over(workspace: Workspace, mode: str, scope: str | None = "s1", **more: object) -> None:
    """The mode has ended, with some work behind it."""
    ended = {"active": False, "completed_at": "2023-11-14T20:00:00.000Z"}
    workspace.write(mode, scope, **ended | PROGRESS | more)


@in_both_scopes
@each_row("outcome", ["blocked", "failed", "userinterlude"])
def test_naming_a_stopped_skill_again_takes_the_run_up(outcome: str, scope: str | None, workspace: Workspace) -> None:
    over(workspace, "forge", scope, lifecycle_outcome=outcome, iteration=7, max_iterations=50)
    workspace.prompt("$forge")
    expected = AGAIN | PROGRESS | {"iteration": 7, "max_iterations": 50}
    assert fields(workspace.read("forge"), *expected) == expected
    assert workspace.active() == ["forge"]


def test_a_cancelled_run_is_taken_up_where_it_was(workspace: Workspace) -> None:
    workspace.write("forge", **PROGRESS, iteration=7, max_iterations=50)
    run(workspace, "$cancel", "$forge")
    expected = AGAIN | PROGRESS | {"iteration": 7}
    assert fields(workspace.read("forge"), *expected) == expected


@pytest.mark.parametrize(("mode", "most", "first"), [("forge", 50, 0), ("autopilot", 10, 1)])
def test_an_iteration_at_its_maximum_starts_over(mode: str, most: int, first: int, workspace: Workspace) -> None:
    over(workspace, mode, lifecycle_outcome="blocked", iteration=most, max_iterations=most)
    workspace.prompt(f"${mode}")
    expected = AGAIN | PROGRESS | {"iteration": first, "max_iterations": most}
    assert fields(workspace.read(mode), *expected) == expected


@each_row(
    "stopped_by",
    [
        {"terminal_outcome": "Blocked"},
        {"run_outcome": "cancelled"},
        {"run_outcome": "aborted"},
        {"current_phase": "failed"},
        {"error": "no network"},
    ],
    ids=str,
)
def test_a_run_that_is_taken_up_really_runs_whatever_had_stopped_it(stopped_by: Record, workspace: Workspace) -> None:
    over(workspace, "forge", **stopped_by)
    workspace.prompt("$forge")
    assert workspace.read("forge")["state"] == PROGRESS["state"]
    assert workspace.active() == ["forge"]
    assert workspace.stop().blocks


@in_both_scopes
@pytest.mark.parametrize("end", [{"lifecycle_outcome": "finished"}, {"current_phase": "cleared"}], ids=str)
def test_a_skill_named_again_after_its_end_starts_afresh(end: Record, scope: str | None, workspace: Workspace) -> None:
    over(workspace, "forge", scope, iteration=7, max_iterations=50, **end)
    workspace.prompt("$forge")
    started = workspace.read("forge")
    expected = AGAIN | {"current_phase": "starting", "iteration": 0, "started_at": FIRST_PROMPT_AT}
    assert fields(started, *expected) == expected
    assert not started.get("state")


def test_a_completed_source_named_again_carries_no_audit_of_its_handoff(workspace: Workspace) -> None:
    run(workspace, "$blueprint", "$forge", "$cancel", "$blueprint")
    record = workspace.read("blueprint")
    assert not {"auto_completed_reason", "completion_note", "transition_target_mode"} & set(record)
    assert fields(record, "active", "current_phase") == {"active": True, "current_phase": "planning"}


# --- how files are kept

UNKNOWN: Record = {"x_tool": {"nested": [1, {"é": None}], "large": 2**70, "half": "\ud83d"}}


@in_both_scopes
@each_row(
    ("mode", "given", "text"),
    [
        ("blueprint", {}, "$forge"),
        ("forge", {}, "$cancel"),
        ("forge", {"active": False, "lifecycle_outcome": "blocked"}, "$forge"),
        ("forge", {"active": False, "lifecycle_outcome": "finished"}, "$forge"),
        ("forge", {"lifecycle_outcome": "askuserQuestion", "session_id": "s1"}, "the second one"),
    ],
    ids=["completed", "cancelled", "taken up", "started afresh", "answered"],
)
def test_unknown_fields_survive_every_write(
    mode: str, given: Record, text: str, scope: str | None, workspace: Workspace
) -> None:
    workspace.write(mode, scope, **given, **UNKNOWN)
    workspace.prompt(text)
    assert fields(workspace.read(mode), *UNKNOWN) == UNKNOWN
    assert fields(workspace.read(mode, scope), *UNKNOWN) == UNKNOWN


def test_unknown_fields_of_the_inventory_survive(workspace: Workspace) -> None:
    run(workspace, "$team")
    inventory = workspace.read("skill-active")
    entries = [entry | UNKNOWN for entry in inventory["active_skills"]]
    workspace.edit("skill-active", **UNKNOWN, active_skills=entries)
    workspace.prompt("$forge")
    inventory = workspace.read("skill-active")
    assert fields(inventory, *UNKNOWN) == UNKNOWN
    assert fields(inventory["active_skills"][0], *UNKNOWN) == UNKNOWN


@pytest.fixture
def _no_umask() -> Iterator[None]:
    """Nothing but the code itself keeps others out."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode_bits(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.usefixtures("_no_umask")
def test_files_and_folders_are_for_their_owner_alone(workspace: Workspace) -> None:
    run(workspace, "$blueprint $team", "$forge", "$cancel")
    home = workspace.root / ".rcs"
    open_to_others = {
        str(path.relative_to(workspace.root)): oct(mode_bits(path))
        for path in (home, *home.rglob("*"))
        if mode_bits(path) != (0o700 if path.is_dir() else 0o600)
    }
    assert open_to_others == {}


def test_a_file_that_others_could_read_is_closed_when_it_is_written(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.mode_path("forge").chmod(0o644)
    workspace.prompt("$cancel")
    assert mode_bits(workspace.mode_path("forge")) == 0o600


def test_files_are_json_with_two_spaces_and_a_newline_at_the_end(workspace: Workspace) -> None:
    run(workspace, "$blueprint $team", "$forge")
    texts = {path: data.decode() for path, data in workspace.snapshot().items() if path.endswith(".json")}
    assert {"state/sessions/s1/forge-state.json", "state/sessions/s1/skill-active-state.json"} <= set(texts)
    assert texts == {path: json.dumps(json.loads(text), indent=2) + "\n" for path, text in texts.items()}


def test_only_the_rcs_folder_is_made_and_git_is_kept_out_of_it(workspace: Workspace) -> None:
    (workspace.root / ".gitignore").write_text("build\n")
    workspace.prompt("$forge")
    assert sorted(path.name for path in workspace.root.iterdir()) == [".gitignore", ".rcs"]
    assert (workspace.root / ".gitignore").read_text() == "build\n"
    assert (workspace.root / ".rcs" / ".gitignore").read_text().split() == ["*"]


# --- who may ask, and how often


@pytest.mark.parametrize("key", ["turn_id", "prompt_id"])
def test_the_same_prompt_of_the_same_turn_changes_nothing_again(key: str, workspace: Workspace) -> None:
    workspace.prompt("$forge")
    call = {"prompt": "$cancel $forge", key: "turn-x"}
    workspace.call("UserPromptSubmit", **call)
    before = workspace.snapshot()
    workspace.call("UserPromptSubmit", **call)
    assert workspace.snapshot() == before


def test_the_same_prompt_counts_once_even_with_a_stop_between(workspace: Workspace) -> None:
    workspace.prompt("$forge", turn_id="turn-x")
    workspace.stop(turn_id="turn-x")
    finish(workspace, "forge")
    before = workspace.snapshot()
    workspace.prompt("$forge", turn_id="turn-x")
    assert workspace.snapshot() == before


@pytest.mark.parametrize(
    ("turn", "text", "active"),
    [("turn-y", "$forge", ["forge"]), ("turn-x", "$ultrawork", ["ultrawork"])],
    ids=["another turn", "another text"],
)
def test_another_turn_or_another_text_is_another_prompt(
    turn: str, text: str, active: list[str], workspace: Workspace
) -> None:
    workspace.prompt("$forge", turn_id="turn-x")
    finish(workspace, "forge")
    workspace.prompt(text, turn_id=turn)
    assert workspace.active() == active


@pytest.mark.slow
def test_of_one_prompt_sent_at_once_by_several_processes_one_counts(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    raw = workspace.payload("UserPromptSubmit", turn_id="turn-x", prompt="$cancel $forge")
    with ThreadPoolExecutor(4) as pool:
        lines = [line for line, _ in pool.map(lambda _: run_hook(raw, cwd=workspace.root), range(4))]
    assert sorted(line == "{}" for line in lines) == [False, True, True, True]
    assert workspace.active() == ["forge"]


@each_row("who", [{"agent_id": "a1"}, {"parent_agent_id": "s0"}], ids=str)
@each_row("text", ["$blueprint", "$ultrawork", "$cancel"])
def test_a_subagent_moves_nothing(text: str, who: Record, workspace: Workspace) -> None:
    assert workspace.prompt(text, **who).line == "{}"
    assert list(workspace.root.iterdir()) == []
    workspace.prompt("$forge")
    before = workspace.snapshot()
    assert workspace.prompt(text, **who).line == "{}"
    assert workspace.snapshot() == before


# --- whatever is asked, one after the other

asked = st.lists(st.sampled_from((*MODES, "cancel")), min_size=1, max_size=3)


@examples(60)
@given(st.lists(st.tuples(st.sampled_from(["s1", "s2"]), asked), max_size=8))
def test_any_row_of_prompts_leaves_on_disk_what_the_policy_says(prompts: list[tuple[str, list[str]]]) -> None:
    expected: dict[str, tuple[str, ...]] = {"s1": (), "s2": ()}
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder))
        for session, tokens in prompts:
            before, decided = workspace.workflow_state(), plan(expected[session], tokens)
            workspace.prompt(" ".join(f"${token}" for token in tokens), session)
            expected[session] = decided.after
            assert {name: set(workspace.active(name)) for name in expected} == {
                name: set(modes) for name, modes in expected.items()
            }
            assert decided.denied is None or workspace.workflow_state() == before
