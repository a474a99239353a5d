"""The transition policy as whole hook calls leave it on disk: which files change, how, and what is said."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.workflow.transitions import plan
from tests.contract import CLEAN, MODES
from tests.properties import examples
from tests.support import Answer, Record, Workspace
from tests.table import each_row
from tests.workflow.test_transitions import CELLS, Cell

in_both_scopes = pytest.mark.parametrize("scope", ["s1", None], ids=["session", "root"])

FIRST_PROMPT_AT = "2023-11-14T22:13:21.000Z"
ROLLBACK = "First clear current state first and retry if this action is intended."


def refusal(requested: str, active: str) -> str:
    return (
        f"Cannot activate {requested} while {active} is still active. Clear the incompatible state first via "
        "`rcs state ...` or the `rcs_state.*` MCP tools, then retry the transition."
    )


def clearing(mode: str, scope: str | None = "s1") -> str:
    return f"rcs state clear --mode {mode} " + (f"--session {scope}" if scope else "--root-scope")


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


@in_both_scopes
@each_row("cell", CELLS, ids=[cell.id for cell in CELLS])
def test_a_prompt_leaves_on_disk_what_its_cell_says(cell: Cell, scope: str | None, workspace: Workspace) -> None:
    at(cell, workspace, scope)
    before = workspace.workflow_state()
    active_before = record_bytes(workspace, cell.active, scope)
    answer = workspace.prompt(f"${cell.requested}")
    starts = cell.kind in ("overlap", "handoff")
    assert workspace.mode_path(cell.requested).exists() is (starts or (cell.kind == "no change" and scope is not None))
    assert (workspace.workflow_state() == before) is not starts
    assert (record_bytes(workspace, cell.active, scope) == active_before) is (cell.kind != "handoff")
    if cell.kind == "no change":
        assert (answer.notice, f"active: {cell.active}" in answer.context) == ("", True)
    elif cell.kind == "overlap":
        assert sorted(workspace.active()) == sorted([cell.active, cell.requested])
    elif cell.kind == "handoff":
        assert_handed_over(cell, answer, workspace)
    else:
        assert_denied(cell, answer, scope)


def assert_handed_over(cell: Cell, answer: Answer, workspace: Workspace) -> None:
    message = f"mode transiting: {cell.active} -> {cell.requested}"
    audit = {
        "active": False,
        "current_phase": "completed",
        "completed_at": FIRST_PROMPT_AT,
        "auto_completed_reason": message,
        "transition_target_mode": cell.requested,
    }
    source = workspace.read(cell.active)
    assert fields(source, *audit) == audit
    assert source["completion_note"]
    assert source["transition_source"]
    assert workspace.active() == [cell.requested]
    assert message in answer.context


def assert_denied(cell: Cell, answer: Answer, scope: str | None) -> None:
    assert answer.context.startswith(refusal(cell.requested, cell.active))
    assert (ROLLBACK in answer.context) == (cell.kind == "rollback")
    assert clearing(cell.active, scope) in answer.context
    assert f"ask the user whether to finish {cell.active} first or give it up" in answer.context
    assert f"Then start it: rcs state write --mode {cell.requested} --active" in answer.context
    assert answer.notice == (
        f"rcs: Cannot activate {cell.requested} while {cell.active} is still active. Nothing was started. Finish "
        f"{cell.active} first, or type `$cancel ${cell.requested}` to end all that is active and start "
        f"{cell.requested}."
    )


# --- what the cells do not say: sets, the review


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
        *(({"review_verdict": word}, False) for word in CLEAN),
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


# --- a prompt is all or nothing


@each_row(
    ("active", "text", "first"),
    [
        ("team", "$forge $autopilot", "Cannot activate autopilot while team is still active."),
        ("blueprint", "$team $autopilot", "Cannot activate autopilot with team: this prompt asks for both,"),
        ("blueprint", "$ultrawork $ultraqa", "Cannot activate ultraqa while blueprint is still active."),
        ("team", "$cancel $forge $autopilot", "Cannot activate autopilot with forge: this prompt asks for both,"),
    ],
)
def test_one_denied_step_undoes_the_whole_prompt_and_only_what_runs_is_named(
    active: str, text: str, first: str, workspace: Workspace
) -> None:
    workspace.prompt(f"${active}")
    before = workspace.workflow_state()
    answer = workspace.prompt(text)
    assert answer.context.startswith(first)
    assert answer.notice.startswith(f"rcs: {first}")
    assert workspace.workflow_state() == before


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


# --- deferral


def offers(answer: Answer) -> bool:
    return "$crew" in answer.context and "$forge" in answer.context


def finish(workspace: Workspace, mode: str) -> None:
    """As the agent does it at the end of its work."""
    workspace.edit(mode, active=False, lifecycle_outcome="finished")


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


# --- what is over stays over


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


def test_the_root_inventory_lists_no_ended_survivor(workspace: Workspace) -> None:
    for mode in ("deep-interview", "ultrawork"):
        workspace.write(mode, None)
    listed = [{"skill": mode, "active": True} for mode in ("deep-interview", "ultrawork")]
    workspace.write("skill-active", None, active_skills=listed)
    workspace.prompt("$blueprint")
    entries = workspace.read("skill-active", None)["active_skills"]
    assert [entry["skill"] for entry in entries] == ["ultrawork"]


def test_a_tombstone_hides_a_root_record_that_is_switched_on_again(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.prompt("$cancel")
    workspace.write("forge", None)
    workspace.prompt("$blueprint")
    assert workspace.active() == ["blueprint"]


@each_row("text", ["$cancel", "$blueprint", "$forge"])
def test_a_root_record_of_another_session_is_not_seen_and_not_touched(text: str, workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s2")
    before = record_bytes(workspace, "forge", None)
    assert "Cannot" not in workspace.prompt(text).context
    assert record_bytes(workspace, "forge", None) == before


A_DAY_OLD, ALMOST_A_DAY_OLD = "2023-11-13T22:13:21.000Z", "2023-11-13T22:13:22.000Z"


@each_row(("updated_at", "is_in_the_way"), [(A_DAY_OLD, False), (ALMOST_A_DAY_OLD, True)])
def test_a_root_record_untouched_for_a_day_is_in_nobodys_way(
    updated_at: str, is_in_the_way: bool, workspace: Workspace
) -> None:
    workspace.write("forge", None, updated_at=updated_at)
    before = record_bytes(workspace, "forge", None)
    assert workspace.prompt("$blueprint").context.startswith(refusal("blueprint", "forge")) is is_in_the_way
    assert (workspace.active() == ["blueprint"]) is not is_in_the_way
    assert record_bytes(workspace, "forge", None) == before


def test_a_start_in_the_session_ends_a_stale_root_survivor_of_that_mode(workspace: Workspace) -> None:
    workspace.write("forge", None, updated_at=A_DAY_OLD, iteration=7)
    workspace.prompt("$forge")
    assert workspace.read("forge", None)["active"] is False
    assert fields(workspace.read("forge"), "active", "iteration") == {"active": True, "iteration": 0}


# --- a skill named again

PROGRESS: Record = {"current_phase": "verifying", "state": {"done": ["a", "b"]}}
OUTCOME_FIELDS = ("lifecycle_outcome", "terminal_outcome", "run_outcome", "completed_at", "error")
AGAIN: Record = {"active": True} | dict.fromkeys(OUTCOME_FIELDS)


def over(workspace: Workspace, mode: str, scope: str | None = "s1", **more: object) -> None:
    """The mode has ended, with some work behind it."""
    ended = {"active": False, "completed_at": "2023-11-14T20:00:00.000Z"}
    workspace.write(mode, scope, **ended | PROGRESS | more)


STOPPED: list[Record] = [
    {"lifecycle_outcome": "blocked"},
    {"lifecycle_outcome": "failed"},
    {"terminal_outcome": "userinterlude"},
    {"run_outcome": "cancelled"},
    {"current_phase": "failed"},
    {"error": "no network"},
]


@in_both_scopes
@each_row("stopped_by", STOPPED, ids=str)
def test_naming_a_stopped_skill_again_takes_the_run_up(
    stopped_by: Record, scope: str | None, workspace: Workspace
) -> None:
    over(workspace, "forge", scope, iteration=7, max_iterations=50, **stopped_by)
    workspace.prompt("$forge")
    expected = AGAIN | PROGRESS | {"iteration": 7, "max_iterations": 50}
    if "current_phase" in stopped_by:
        del expected["current_phase"]
    assert fields(workspace.read("forge"), *expected) == expected
    assert workspace.active() == ["forge"]
    assert workspace.stop().blocks


def test_an_iteration_at_its_maximum_starts_over(workspace: Workspace) -> None:
    over(workspace, "autopilot", lifecycle_outcome="blocked", iteration=10, max_iterations=10)
    workspace.prompt("$autopilot")
    expected = AGAIN | PROGRESS | {"iteration": 1, "max_iterations": 10}
    assert fields(workspace.read("autopilot"), *expected) == expected


@in_both_scopes
@pytest.mark.parametrize("end", [{"lifecycle_outcome": "finished"}, {"current_phase": "cleared"}], ids=str)
def test_a_skill_named_again_after_its_end_starts_afresh(end: Record, scope: str | None, workspace: Workspace) -> None:
    over(workspace, "forge", scope, iteration=7, max_iterations=50, **end)
    workspace.prompt("$forge")
    started = workspace.read("forge")
    expected = AGAIN | {"current_phase": "starting", "iteration": 0, "started_at": FIRST_PROMPT_AT}
    assert fields(started, *expected) == expected
    assert not started.get("state")


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


def test_what_a_prompt_writes_is_the_owners_alone_and_kept_out_of_git(workspace: Workspace) -> None:
    (workspace.root / ".gitignore").write_text("build\n")
    before = os.umask(0)
    try:
        run(workspace, "$blueprint $team", "$forge", "$cancel")
    finally:
        os.umask(before)
    assert sorted(path.name for path in workspace.root.iterdir()) == [".gitignore", ".rcs"]
    assert (workspace.root / ".gitignore").read_text() == "build\n"
    home = workspace.root / ".rcs"
    assert (home / ".gitignore").read_text().split() == ["*"]
    modes = {(path.is_dir(), stat.S_IMODE(path.lstat().st_mode)) for path in (home, *home.rglob("*"))}
    assert modes == {(True, 0o700), (False, 0o600)}
    texts = [data.decode() for path, data in workspace.snapshot().items() if path.endswith("-state.json")]
    assert texts == [json.dumps(json.loads(text), indent=2) + "\n" for text in texts]


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
