"""The five operations that every surface shares: their results, and refusals that change no byte."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks import catalog
from rcs_hooks.cli.options import scope
from rcs_hooks.errors import Refused, UnsafePath
from rcs_hooks.state.clearing import clear
from rcs_hooks.state.operations import get_status, list_active, read
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.writing import write
from rcs_hooks.workflow.lifecycle import is_active
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import NOW, Record, Workspace
from tests.table import each_row
from tests.workflow.test_lifecycle import ONE_OF_EACH
from tests.workflow.test_transitions import CELLS, MODES, Cell

AT = "2023-11-14T22:13:20.000Z"
DAY_BEFORE = "2023-11-13T22:13:20.000Z"
OUR_RCS = {"PATH": str(Path(sys.executable).parent)}
BROKEN = '{"active": true, '

in_both_scopes = pytest.mark.parametrize("session", ["s1", None], ids=["session", "root"])


def at(workspace: Workspace, session: str | None = "s1") -> Scope:
    return scope(OUR_RCS, str(workspace.root), None, session, NOW)


def test_a_run_that_would_be_nobodys_is_refused_with_the_sessions_to_choose_from(workspace: Workspace) -> None:
    workspace.prompt("$team ship", "s1")
    workspace.prompt("$team ship", "s2")
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace, None), "forge", {"active": True})
    first, *each = str(refused.value).splitlines()
    assert first == (
        "forge would be the workspace's and hold the Stop of every session; name the session, or add --root-scope:"
    )
    assert sorted(each) == [f"rcs state write --mode forge --active --session {session}" for session in ("s1", "s2")]
    assert workspace.snapshot() == before
    assert write(at(workspace, None), "forge", {"active": True}, root_scope=True)["success"] is True
    assert workspace.read("forge", None)["active"] is True
    assert write(at(workspace, None), "forge", {"active": True, "iteration": 2})["success"] is True


def test_a_run_that_would_be_nobodys_names_the_command_where_there_is_no_session(workspace: Workspace) -> None:
    with pytest.raises(Refused) as refused:
        write(at(workspace, None), "forge", {"active": True})
    assert str(refused.value).splitlines()[1:] == ["rcs state write --mode forge --active --root-scope"]


def test_the_workspace_and_a_session_are_not_both_meant(workspace: Workspace) -> None:
    with pytest.raises(Refused, match="name one of them"):
        write(at(workspace), "forge", {"active": True}, root_scope=True)


def break_file(workspace: Workspace, mode: str, session: str | None = "s1", text: str = BROKEN) -> Path:
    path = workspace.mode_path(mode, session)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def inventory(workspace: Workspace, session: str | None = "s1") -> list[str]:
    return [entry["skill"] for entry in workspace.read("skill-active", session)["active_skills"]]


def ask(workspace: Workspace, mode: str, question: str = "q-1", session: str | None = "s1", **fields: object) -> Path:
    """A pending question as another tool writes it."""
    folder = workspace.folder(session) / "questions"
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "kind": "rcs.question/v1",
        "question_id": question,
        "session_id": session,
        "source": mode,
        "status": "pending",
        "created_at": AT,
        "question": "Which database?",
    } | fields
    path = folder / f"{question}.json"
    path.write_text(json.dumps(record))
    return path


def agrees(workspace: Workspace, session: str | None = "s1") -> bool:
    """Whether the inventory names exactly the modes whose own file, in this scope, says that they are active."""
    there = [mode for mode in MODES if workspace.mode_path(mode, session).exists()]
    return set(inventory(workspace, session)) == {
        mode for mode in there if is_active(ModeRecord.from_json(workspace.read(mode, session)))
    }


# --- read


@in_both_scopes
def test_read_gives_the_record_as_it_stands_on_disk(session: str | None, workspace: Workspace) -> None:
    record = workspace.write("forge", session, note={"kept": [1, "two"]})
    assert read(at(workspace, session), "forge") == record


@in_both_scopes
def test_read_of_a_mode_without_a_file_says_that_there_is_none(session: str | None, workspace: Workspace) -> None:
    assert read(at(workspace, session), "forge") == {"exists": False, "mode": "forge"}


@pytest.mark.parametrize("owner", [None, "", "s1"], ids=["nobody", "blank", "this session"])
def test_read_falls_back_to_a_root_record_that_may_be_this_session_s(owner: str | None, workspace: Workspace) -> None:
    record = workspace.write("forge", None, session_id=owner)
    assert read(at(workspace), "forge") == record


@pytest.mark.parametrize(
    "fields", [{"session_id": "s2"}, {"updated_at": DAY_BEFORE}], ids=["of another session", "not touched for a day"]
)
def test_read_does_not_fall_back_to_a_root_record(fields: Record, workspace: Workspace) -> None:
    workspace.write("forge", None, **fields)
    assert read(at(workspace), "forge") == {"exists": False, "mode": "forge"}


def test_an_empty_record_of_the_session_is_a_record_and_hides_root(workspace: Workspace) -> None:
    break_file(workspace, "forge", text="{}")
    workspace.write("forge", None)
    assert read(at(workspace), "forge") == {}


@pytest.mark.parametrize(
    "operation",
    [read, lambda scope, _: get_status(scope), lambda scope, _: list_active(scope)],
    ids=["read", "get-status", "list-active"],
)
def test_a_reader_creates_nothing(operation: Any, workspace: Workspace) -> None:
    operation(at(workspace), "forge")
    operation(at(workspace, None), "forge")
    assert list(workspace.root.iterdir()) == []


def test_read_of_an_unreadable_file_is_refused_with_its_name_and_the_command_that_clears_it(
    workspace: Workspace,
) -> None:
    break_file(workspace, "forge")
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        read(at(workspace), "forge")
    assert ".rcs/state/sessions/s1/forge-state.json cannot be read" in str(refused.value)
    assert str(refused.value).endswith("To clear it: rcs state clear --mode forge --session s1")
    assert workspace.snapshot() == before


# --- list-active, get-status


def test_list_active_is_the_active_set_in_the_order_of_the_inventory(workspace: Workspace) -> None:
    workspace.prompt("$ultrawork $team fix it")
    workspace.write("forge", lifecycle_outcome="finished")
    assert list_active(at(workspace)) == {"active_modes": ["ultrawork", "team"], "title": "fix it"}


def test_list_active_without_a_session_shows_root_and_beside_it_each_session(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.write("team", "s1")
    workspace.write("blueprint", "s2", active=False)
    found = list_active(at(workspace, None))
    assert found["active_modes"] == ["forge"]
    assert found["sessions"] == {"s1": ["team"]}


@pytest.mark.parametrize("session", ["s1", None], ids=["session named", "no session named"])
def test_a_file_that_cannot_be_read_is_listed_with_the_command_that_clears_it(
    session: str | None, workspace: Workspace
) -> None:
    break_file(workspace, "forge")
    expected = {
        "path": ".rcs/state/sessions/s1/forge-state.json",
        "why": "not JSON: cut short",
        "clear": "rcs state clear --mode forge --session s1",
    }
    (listed,) = list_active(at(workspace, session))["unreadable"]
    assert listed | {"why": expected["why"]} == expected
    assert list_active(at(workspace, session))["active_modes"] == []
    (shown,) = get_status(at(workspace, session))["unreadable"]
    assert shown == listed
    assert get_status(at(workspace, session), "forge")["unreadable"] == [listed]
    assert "unreadable" not in get_status(at(workspace, "s1"), "team")


@pytest.mark.parametrize("mode", ["skill-active", "forge"])
@pytest.mark.parametrize("beside", [None, "s2"], ids=["something runs in root", "another session is broken too"])
def test_a_listed_session_without_modes_comes_with_the_file_that_cannot_be_read(
    beside: str | None, mode: str, workspace: Workspace
) -> None:
    workspace.mode_path(mode, "s1").mkdir(parents=True)
    if beside:
        workspace.mode_path("team", beside).mkdir(parents=True)
    else:
        workspace.write("ultrawork", None)
    found = list_active(at(workspace, None))
    assert found["sessions"] == {"s1": []} | ({beside: []} if beside else {})
    expected = [
        {
            "path": f".rcs/state/sessions/{session}/{name}-state.json",
            "why": "it is not a file",
            "clear": f"rcs state clear --mode {name} --session {session}",
        }
        for session, name in (("s1", mode), *([(beside, "team")] if beside else []))
    ]
    assert found["unreadable"] == expected


def test_list_active_believes_no_inventory(workspace: Workspace) -> None:
    workspace.write("forge", active=False)
    entry = {"skill": "forge", "active": True}
    workspace.mode_path("skill-active").write_text(
        json.dumps({"version": 1, "active": True, "skill": "forge", "active_skills": [entry]})
    )
    assert list_active(at(workspace)) == {"active_modes": []}


def test_get_status_says_active_phase_path_and_data_of_every_mode_that_has_a_record(workspace: Workspace) -> None:
    forge = workspace.write("forge", current_phase="verifying")
    team = workspace.write("team", None, lifecycle_outcome="finished", current_phase="done here")
    statuses = get_status(at(workspace))["statuses"]
    assert set(statuses) == {"forge", "team"}
    wanted = {
        "active": True,
        "phase": "verifying",
        "path": ".rcs/state/sessions/s1/forge-state.json",
        "data": forge,
    }
    assert statuses["forge"] | wanted == statuses["forge"]
    wanted = {"active": False, "phase": "done here", "path": ".rcs/state/team-state.json", "data": team}
    assert statuses["team"] | wanted == statuses["team"]


NEXT = {
    "the machine has no way out": ({"current_phase": "executing"}, "executing", False),
    "it may finish here": ({"current_phase": "verifying"}, "verifying", True),
    "a phase that the machine does not know": (
        {"current_phase": "polishing"},
        "That is not a phase of forge (starting, executing, verifying, fixing); record the one that you are in.",
        True,
    ),
    "it waits": ({"current_phase": "verifying", "run_outcome": "blocked_on_user"}, "", True),
    "it has ended": ({"current_phase": "verifying", "lifecycle_outcome": "finished"}, "", False),
}


@each_row(("fields", "asks", "can_finish"), [pytest.param(*row, id=name) for name, row in NEXT.items()])
def test_get_status_says_what_the_phase_asks_and_whether_the_run_may_finish(
    workspace: Workspace, fields: dict[str, object], asks: str, can_finish: bool
) -> None:
    workspace.write("forge", "s1", **fields, title="fix \x1b[31mit", iteration=2)
    status = get_status(at(workspace))["statuses"]["forge"]
    assert (status["title"], status["phase"], status["iteration"]) == ("fix [31mit", fields["current_phase"], 2)
    assert (status["next"], status["can_finish"]) == (catalog.MODES["forge"].states.get(asks, asks), can_finish)


def test_get_status_shows_no_root_record_in_place_of_an_unreadable_one(workspace: Workspace) -> None:
    break_file(workspace, "forge")
    workspace.write("forge", None, note="another run")
    statuses = get_status(at(workspace))["statuses"]
    assert "another run" not in str(statuses)


def test_get_status_of_one_mode_leaves_the_others_out(workspace: Workspace) -> None:
    workspace.write("forge")
    workspace.write("team")
    assert set(get_status(at(workspace), "team")["statuses"]) == {"team"}
    assert get_status(at(workspace), "ultraqa") == {"statuses": {}}


# --- write: the result, and merging


@pytest.mark.parametrize(
    ("session", "path"),
    [("s1", ".rcs/state/sessions/s1/forge-state.json"), (None, ".rcs/state/forge-state.json")],
    ids=["session", "root"],
)
def test_write_says_which_file_it_wrote(session: str | None, path: str, workspace: Workspace) -> None:
    workspace.write("forge", session)
    result = write(at(workspace, session), "forge", {"current_phase": "verifying"})
    assert result | {"success": True, "mode": "forge", "path": path} == result
    assert json.loads((workspace.root / path).read_text())["current_phase"] == "verifying"


@in_both_scopes
def test_write_keeps_every_field_that_it_was_not_given(session: str | None, workspace: Workspace) -> None:
    old = workspace.write("forge", session, iteration=3, thread_id="t", note={"any": ["thing"]}, state={"a": 1})
    write(at(workspace, session), "forge", {"current_phase": "verifying", "colour": "green"})
    new = workspace.read("forge", session)
    assert {key: new[key] for key in old if key not in ("current_phase", "updated_at")} == {
        key: old[key] for key in old if key not in ("current_phase", "updated_at")
    }
    assert (new["current_phase"], new["colour"], new["updated_at"]) == ("verifying", "green", AT)


def test_state_is_merged_key_by_key_and_not_deeper(workspace: Workspace) -> None:
    workspace.write("forge", state={"kept": 1, "replaced": {"a": 1}, "other": [1]})
    write(at(workspace), "forge", {"state": {"replaced": {"b": 2}, "new": None}})
    assert workspace.read("forge")["state"] == {"kept": 1, "replaced": {"b": 2}, "other": [1], "new": None}


def test_state_replaces_what_is_no_object(workspace: Workspace) -> None:
    workspace.write("forge", state="odd")
    write(at(workspace), "forge", {"state": {"a": 1}})
    assert workspace.read("forge")["state"] == {"a": 1}


def test_a_write_about_a_root_record_moves_it_to_the_session_and_ends_it_in_root(workspace: Workspace) -> None:
    workspace.write("forge", None, note="kept")
    write(at(workspace), "forge", {"current_phase": "verifying"})
    assert workspace.read("forge")["note"] == "kept"
    assert workspace.read("forge", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert agrees(workspace)


@pytest.mark.parametrize("given", [{"current_phase": "x"}, {"lifecycle_outcome": "finished"}, {"note": 1}])
def test_a_write_that_does_not_activate_starts_nothing(given: Record, workspace: Workspace) -> None:
    with pytest.raises(Refused, match="forge does not run in session s1"):
        write(at(workspace), "forge", given)
    assert workspace.snapshot() == {}


@pytest.mark.parametrize("value", [float("inf"), float("nan")], ids=["infinity", "nan"])
def test_what_is_no_json_is_refused_and_makes_nothing(value: float, workspace: Workspace) -> None:
    with pytest.raises(Refused):
        write(at(workspace), "forge", {"note": value})
    assert list(workspace.root.iterdir()) == []


def test_a_write_never_makes_a_file_that_cannot_be_read_again(workspace: Workspace) -> None:
    workspace.write("forge")
    deep: Any = "bottom"
    for _ in range(150):
        deep = [deep]
    before = workspace.snapshot()
    with pytest.raises(Refused, match="note"):
        write(at(workspace), "forge", {"note": deep})
    assert workspace.snapshot() == before


def test_a_write_looks_at_what_a_killed_commit_was_about_to_do(workspace: Workspace) -> None:
    workspace.write("team")
    files = [{"path": "sessions/s1/team-state.json", "remove": True}]
    (workspace.state / ".commit.json").write_text(json.dumps({"version": 1, "files": files}))
    assert write(at(workspace), "ultraqa", {"active": True})["success"] is True
    assert list_active(at(workspace)) == {"active_modes": ["ultraqa"]}


# --- write: what would activate asks the policy


def prepared(cell: Cell, workspace: Workspace, session: str | None) -> None:
    verdict = {"review_verdict": {"clean": not cell.review_open}}
    workspace.write(cell.active, session, **({"state": verdict} if cell.active == "autopilot" else {}))


def each_cell(*kinds: str) -> pytest.MarkDecorator:
    cells = [cell for cell in CELLS if cell.kind in kinds]
    return pytest.mark.parametrize("cell", cells, ids=[cell.id for cell in cells])


@in_both_scopes
def test_a_write_on_an_empty_set_starts_the_mode(session: str | None, workspace: Workspace) -> None:
    result = write(at(workspace, session), "forge", {"active": True}, root_scope=session is None)
    assert "transition" not in result
    wanted = {"active": True, "mode": "forge", "current_phase": "starting", "iteration": 0, "max_iterations": 50}
    record = workspace.read("forge", session)
    assert record | wanted == record
    assert inventory(workspace, session) == ["forge"]


@in_both_scopes
@each_cell("overlap")
def test_a_write_that_overlaps_leaves_the_other_to_the_byte(
    cell: Cell, session: str | None, workspace: Workspace
) -> None:
    prepared(cell, workspace, session)
    other = workspace.mode_path(cell.active, session).read_bytes()
    result = write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)
    assert "transition" not in result
    assert workspace.mode_path(cell.active, session).read_bytes() == other
    assert inventory(workspace, session) == [cell.active, cell.requested]


@in_both_scopes
@each_cell("handoff")
def test_a_write_that_hands_off_completes_the_source(cell: Cell, session: str | None, workspace: Workspace) -> None:
    prepared(cell, workspace, session)
    message = f"mode transiting: {cell.active} -> {cell.requested}"
    assert (
        write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)["transition"]
        == message
    )
    wanted = {
        "active": False,
        "current_phase": "completed",
        "completed_at": AT,
        "auto_completed_reason": message,
        "transition_target_mode": cell.requested,
    }
    source = workspace.read(cell.active, session)
    assert source | wanted == source
    assert inventory(workspace, session) == [cell.requested]


@in_both_scopes
@each_cell("denied", "rollback")
def test_a_denied_write_changes_no_byte(cell: Cell, session: str | None, workspace: Workspace) -> None:
    prepared(cell, workspace, session)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^Cannot activate {cell.requested} while {cell.active} is still active. "):
        write(at(workspace, session), cell.requested, {"active": True}, root_scope=session is None)
    assert workspace.snapshot() == before


@each_cell("denied", "rollback")
def test_a_denied_write_says_what_the_hook_says(cell: Cell, workspace: Workspace) -> None:
    prepared(cell, workspace, "s1")
    with pytest.raises(Refused) as refused:
        write(at(workspace), cell.requested, {"active": True})
    assert str(refused.value) == workspace.prompt(f"${cell.requested}").context


DORMANT: list[tuple[Record, Record]] = [
    ({"current_phase": "complete"}, {"current_phase": "executing"}),
    ({"run_outcome": "failed"}, {"run_outcome": "continue"}),
    ({"error": "it broke"}, {"error": None}),
    ({"completed_at": DAY_BEFORE}, {"completed_at": None}),
]


@pytest.mark.parametrize(("ended", "given"), DORMANT, ids=["current_phase", "run_outcome", "error", "completed_at"])
def test_no_write_activates_past_the_policy(ended: Record, given: Record, workspace: Workspace) -> None:
    """The file says active: true and an outcome, so the mode is not active; autopilot does not stand beside forge."""
    workspace.write("forge", **ended)
    workspace.write("autopilot")
    try:
        write(at(workspace), "forge", given)
    except Refused as error:
        assert "Cannot activate forge while autopilot" in str(error) or "forge has ended" in str(error)
    assert list_active(at(workspace)) == {"active_modes": ["autopilot"]}


@pytest.mark.parametrize("given", [{"note": 1}, {"active": True}], ids=["a field", "active"])
def test_an_empty_record_of_the_session_lets_no_root_record_past_the_policy(
    given: Record, workspace: Workspace
) -> None:
    break_file(workspace, "forge", text="{}")
    workspace.write("forge", None)
    workspace.write("autopilot")
    try:
        write(at(workspace), "forge", given)
    except Refused as error:
        assert "Cannot activate forge while autopilot" in str(error)
    assert list_active(at(workspace)) == {"active_modes": ["autopilot"]}


@pytest.mark.parametrize("broken", ["team", "skill-active"])
def test_a_write_that_activates_is_refused_while_what_is_active_is_not_known(broken: str, workspace: Workspace) -> None:
    break_file(workspace, broken)
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace), "forge", {"active": True})
    assert f"sessions/s1/{broken}-state.json cannot be read" in str(refused.value)
    assert f"rcs state clear --mode {broken} --session s1" in str(refused.value)
    assert workspace.snapshot() == before


@in_both_scopes
def test_a_write_overwrites_no_unreadable_inventory(session: str | None, workspace: Workspace) -> None:
    workspace.write("forge", session)
    path = break_file(workspace, "skill-active", session)
    try:
        write(at(workspace, session), "forge", {"current_phase": "verifying"})
    except Refused as error:
        assert "skill-active-state.json cannot be read" in str(error)
    assert BROKEN in {each.read_text() for each in path.parent.glob("skill-active-state.json*")}


# --- write: outcomes

ENDINGS = [
    ("finished", "finish"),
    ("failed", "failed"),
    ("blocked", "blocked"),
    ("userinterlude", "cancelled"),
]


@in_both_scopes
@each_row(("outcome", "legacy"), ENDINGS, ids=[outcome for outcome, _ in ENDINGS])
def test_an_outcome_that_ends_the_run_switches_it_off(
    outcome: str, legacy: str, session: str | None, workspace: Workspace
) -> None:
    workspace.write("forge", session, current_phase="verifying", iteration=4)
    write(at(workspace, session), "forge", {"lifecycle_outcome": outcome})
    wanted = {
        "active": False,
        "completed_at": AT,
        "lifecycle_outcome": outcome,
        "run_outcome": legacy,
        "current_phase": "verifying",
        "iteration": 4,
    }
    record = workspace.read("forge", session)
    assert record | wanted == record
    assert inventory(workspace, session) == []


def test_ask_user_question_leaves_the_mode_active_and_waiting(workspace: Workspace) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {"lifecycle_outcome": "askuserQuestion"})
    record = workspace.read("forge")
    wanted = {"active": True, "lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user"}
    assert record | wanted == record
    assert "completed_at" not in record
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    assert inventory(workspace) == ["forge"]
    assert not workspace.stop().blocks


WORDS = [(spelling, means.public) for spelling, means, _ in ONE_OF_EACH if means.public]


@each_row("field", ["lifecycle_outcome", "terminal_outcome"])
@each_row(("spelling", "public"), WORDS, ids=[spelling for spelling, _ in WORDS])
def test_every_spelling_of_an_outcome_is_written_as_its_public_word(
    field: str, spelling: str, public: str, workspace: Workspace
) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {field: spelling})
    assert workspace.read("forge")["lifecycle_outcome"] == public


LEGACY_WORDS = [
    ("finish", "finished"), ("done", "finished"), ("error", "failed"), ("blocked", "blocked"),
    ("canceled", "userinterlude"), ("interrupted", "userinterlude"),
]  # fmt: skip


@each_row(("word", "public"), LEGACY_WORDS, ids=[word for word, _ in LEGACY_WORDS])
def test_a_legacy_outcome_that_ends_the_run_gets_its_canonical_field(
    word: str, public: str, workspace: Workspace
) -> None:
    workspace.write("forge")
    write(at(workspace), "forge", {"run_outcome": word})
    wanted = {"active": False, "lifecycle_outcome": public, "run_outcome": word, "completed_at": AT}
    record = workspace.read("forge")
    assert record | wanted == record


def test_an_outcome_beside_active_true_is_refused_and_changes_no_byte(workspace: Workspace) -> None:
    workspace.write("forge")
    before = workspace.snapshot()
    with pytest.raises(Refused, match="finished"):
        write(at(workspace), "forge", {"active": True, "lifecycle_outcome": "done"})
    assert workspace.snapshot() == before


@each_row(
    "given",
    [
        {"iteration": 5},
        {"state": {"a": 1}},
        {"active": False},
    ],
    ids=lambda given: next(iter(given)),
)
@each_row("outcome", ["finished", "failed", "blocked", "userinterlude"])
def test_no_write_without_active_true_lifts_an_outcome(outcome: str, given: Record, workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=DAY_BEFORE)
    write(at(workspace), "forge", given)
    assert get_status(at(workspace), "forge")["statuses"]["forge"]["outcome"] == outcome
    assert list_active(at(workspace)) == {"active_modes": []}


@pytest.mark.parametrize(
    "wait",
    [
        {"lifecycle_outcome": "askuserQuestion"},
        {"run_outcome": "blocked_on_user"},
    ],
    ids=["canonical", "legacy"],
)
@pytest.mark.parametrize("given", [{"run_outcome": "continue"}, {"iteration": 2}], ids=["run_outcome", "iteration"])
def test_no_write_without_active_true_lifts_a_wait(given: Record, wait: Record, workspace: Workspace) -> None:
    workspace.write("forge", **wait)
    write(at(workspace), "forge", given)
    assert not workspace.stop().blocks


def test_active_true_lifts_a_wait(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion", run_outcome="blocked_on_user", iteration=3)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert not {"lifecycle_outcome", "run_outcome"} & set(record)
    assert (record["active"], record["iteration"]) == (True, 3)
    assert workspace.stop().blocks


@pytest.mark.parametrize("outcome", ["failed", "blocked", "userinterlude"])
def test_active_true_takes_a_stopped_run_up_where_it_was(outcome: str, workspace: Workspace) -> None:
    old: Record = {
        "current_phase": "verifying",
        "iteration": 7,
        "max_iterations": 50,
        "state": {"a": 1},
        "note": "kept",
    }
    workspace.write("forge", active=False, lifecycle_outcome=outcome, completed_at=DAY_BEFORE, error="x", **old)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert record | old | {"active": True} == record
    assert not {"lifecycle_outcome", "run_outcome", "completed_at", "error"} & set(record)


def test_active_true_after_finished_starts_afresh(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="finished", current_phase="x", iteration=7, note="kept")
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    wanted = {"active": True, "current_phase": "starting", "iteration": 0, "state": {}, "note": "kept"}
    assert record | wanted == record
    assert "lifecycle_outcome" not in record


def test_given_fields_stand_beside_active_true(workspace: Workspace) -> None:
    write(at(workspace), "forge", {"active": True, "current_phase": "executing", "state": {"a": 1}})
    record = workspace.read("forge")
    assert (record["current_phase"], record["state"], record["iteration"]) == ("executing", {"a": 1}, 1)


def test_starting_an_active_mode_again_keeps_its_progress(workspace: Workspace) -> None:
    old: Record = {"current_phase": "verifying", "iteration": 7, "started_at": DAY_BEFORE, "state": {"a": 1}}
    workspace.write("forge", **old)
    write(at(workspace), "forge", {"active": True})
    record = workspace.read("forge")
    assert record | old == record


def test_an_ending_aborts_the_pending_question_of_the_mode_and_no_other(workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine, other = ask(workspace, "forge", "q-1"), ask(workspace, "team", "q-2")
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert json.loads(mine.read_text())["status"] == "aborted"
    assert json.loads(other.read_text())["status"] == "pending"


# --- write: validation

LONG = "x" * 2_001
WRONG: dict[str, list[Any]] = {
    "active": [None, 0, 1, "true", "", [], {}],
    "mode": [None, 0, "", "team", "no mode", [], {}],
    "current_phase": [None, 0, True, "", "  ", LONG, [], {}],
    "iteration": [None, -1, 1.5, True, "3", 10**9, [], {}],
    "max_iterations": [None, 0, -1, 1.5, True, "3", 10**9, [], {}],
    "lifecycle_outcome": [None, 0, True, "", "nonsense", "progress", "continue", [], {}],
    "terminal_outcome": [None, 0, True, "", "nonsense", "progress", [], {}],
    "run_outcome": [None, 0, True, "", "nonsense", [], {}],
    "state": [None, 0, True, "", "{}", []],
    "started_at": [0, 1700000000, True, "", "yesterday", [], {}],
    "updated_at": [0, True, "", "yesterday", [], {}],
    "completed_at": [0, True, "", "yesterday", [], {}],
    "session_id": [0, True, LONG, [], {}],
    "thread_id": [0, True, LONG, [], {}],
    "turn_id": [0, True, LONG, [], {}],
    "error": [0, True, LONG, [], {}],
}
EACH_WRONG = [(field, value) for field, values in WRONG.items() for value in values]


@each_row(("field", "value"), EACH_WRONG, ids=[f"{field}={value!r:.20}" for field, value in EACH_WRONG])
def test_a_wrong_value_is_refused_by_the_name_of_its_field_and_changes_no_byte(
    field: str, value: Any, workspace: Workspace
) -> None:
    workspace.write("forge", state={"a": 1})
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^{field}: "):
        write(at(workspace), "forge", {"note": "good", field: value})
    assert workspace.snapshot() == before


@each_row("field", sorted(set(WRONG) - {"active"}))
def test_a_wrong_value_makes_nothing_in_an_empty_workspace(field: str, workspace: Workspace) -> None:
    with pytest.raises(Refused, match=f"^{field}: "):
        write(at(workspace), "forge", {"active": True, field: WRONG[field][-1]})
    assert list(workspace.root.iterdir()) == []


def test_validation_comes_before_any_transition(workspace: Workspace) -> None:
    workspace.write("autopilot")
    with pytest.raises(Refused, match=r"^iteration: expected a whole number, 0 or more, got -1"):
        write(at(workspace), "forge", {"active": True, "iteration": -1})


def test_a_denial_makes_nothing_where_only_root_has_state(workspace: Workspace) -> None:
    workspace.write("autopilot", None)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=r"^Cannot activate forge"):
        write(at(workspace), "forge", {"active": True})
    assert workspace.snapshot() == before
    assert not workspace.folder("s1").exists()


def test_state_behind_a_link_out_of_the_workspace_is_not_written(workspace: Workspace, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (workspace.root / ".rcs").symlink_to(elsewhere)
    with pytest.raises(UnsafePath):
        write(at(workspace), "forge", {"active": True})
    assert list(elsewhere.iterdir()) == []


# --- which session a call without one is about


def test_without_a_session_a_read_is_about_root(workspace: Workspace) -> None:
    record = workspace.write("forge", None)
    workspace.write("forge", "s1", current_phase="other")
    assert read(at(workspace, None), "forge") == record


def test_where_root_lacks_the_mode_the_one_session_that_has_it_active_is_meant(workspace: Workspace) -> None:
    record = workspace.write("forge", "s1")
    workspace.write("forge", "s2", lifecycle_outcome="finished")
    workspace.write("team", "s3")
    assert read(at(workspace, None), "forge") == record
    assert clear(at(workspace, None), "forge") == {
        "cleared": True,
        "mode": "forge",
        "path": ".rcs/state/sessions/s1/forge-state.json",
    }


def test_a_cleared_root_record_is_no_record(workspace: Workspace) -> None:
    """The hook itself leaves such a record: a root survivor that it has ended."""
    workspace.write("team", None)
    workspace.prompt("$cancel")
    workspace.prompt("$team")
    assert clear(at(workspace, None), "team")["cleared"] is True
    assert not workspace.stop().blocks


@pytest.mark.parametrize("operation", [read, clear], ids=["read", "clear"])
def test_where_several_sessions_have_the_mode_the_call_is_refused_with_the_commands_to_choose_from(
    operation: Any, workspace: Workspace
) -> None:
    workspace.write("forge", "s1")
    workspace.write("forge", "s2")
    workspace.write("forge", "s3", active=False)
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        operation(at(workspace, None), "forge")
    for session in ("s1", "s2"):
        assert f"--session {session}" in str(refused.value)
        assert f"rcs state {operation.__name__} --mode forge --session {session}" in str(refused.value)
    assert "s3" not in str(refused.value)
    assert workspace.snapshot() == before


def test_a_session_that_is_named_is_the_only_one_looked_at(workspace: Workspace) -> None:
    workspace.write("forge", "s2")
    before = workspace.snapshot()
    assert read(at(workspace), "forge") == {"exists": False, "mode": "forge"}
    assert clear(at(workspace), "forge")["cleared"] is False
    assert workspace.snapshot() == before


# --- clear


@in_both_scopes
def test_clearing_one_member_leaves_the_others_to_the_byte(session: str | None, workspace: Workspace) -> None:
    for mode in ("team", "forge", "ultrawork"):
        write(at(workspace, session), mode, {"active": True}, root_scope=session is None)
    kept = {mode: workspace.mode_path(mode, session).read_bytes() for mode in ("forge", "ultrawork")}
    assert clear(at(workspace, session), "team")["cleared"] is True
    assert not workspace.mode_path("team", session).exists()
    assert {mode: workspace.mode_path(mode, session).read_bytes() for mode in kept} == kept
    assert inventory(workspace, session) == ["forge", "ultrawork"]
    assert agrees(workspace, session)


def test_stop_blocks_no_longer_for_the_member_that_was_cleared(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    clear(at(workspace), "team")
    assert "team" not in workspace.stop().reason
    clear(at(workspace), "forge")
    assert not workspace.stop().blocks


@pytest.mark.parametrize("owner", [None, "s1"], ids=["nobody's", "this session's"])
@pytest.mark.parametrize("has_own", [True, False], ids=["own record", "root only"])
def test_a_root_survivor_is_ended_and_a_tombstone_kept(has_own: bool, owner: str | None, workspace: Workspace) -> None:
    workspace.write("team", None, session_id=owner)
    if has_own:
        workspace.write("team", note="gone")
    assert clear(at(workspace), "team")["cleared"] is True
    tombstone = workspace.read("team")
    wanted = {"active": False, "current_phase": "cleared", "completed_at": AT}
    assert tombstone | wanted == tombstone
    assert "note" not in tombstone
    assert workspace.read("team", None)["active"] is False
    assert list_active(at(workspace)) == {"active_modes": []}
    assert agrees(workspace)


@pytest.mark.parametrize("has_own", [True, False], ids=["own record", "root only"])
def test_another_session_s_root_record_is_not_touched(has_own: bool, workspace: Workspace) -> None:
    workspace.write("team", None, session_id="s2")
    if has_own:
        workspace.write("team")
    root = workspace.mode_path("team", None).read_bytes()
    assert clear(at(workspace), "team")["cleared"] is has_own
    assert workspace.mode_path("team", None).read_bytes() == root
    assert not workspace.mode_path("team").exists()


def test_another_session_is_not_touched(workspace: Workspace) -> None:
    workspace.prompt("$team", "s1")
    workspace.prompt("$team", "s2")
    before = {path: text for path, text in workspace.snapshot().items() if "sessions/s2/" in path}
    clear(at(workspace), "team")
    assert {path: text for path, text in workspace.snapshot().items() if "sessions/s2/" in path} == before


def nothing(workspace: Workspace) -> None:
    """An empty workspace."""


def another_mode(workspace: Workspace) -> None:
    workspace.write("forge")


def another_session(workspace: Workspace) -> None:
    workspace.write("team", "s2")


def cleared_before(workspace: Workspace) -> None:
    workspace.write("team", None)
    clear(at(workspace), "team")


def root_of_another(workspace: Workspace) -> None:
    workspace.write("team", None, session_id="s2")


def stale_root(workspace: Workspace) -> None:
    workspace.write("team", None, updated_at=DAY_BEFORE)


def ended_root(workspace: Workspace) -> None:
    workspace.write("team", None, lifecycle_outcome="finished")


NOTHING_TO_CLEAR = [nothing, another_mode, another_session, cleared_before, root_of_another, stale_root, ended_root]


@each_row("prepare", NOTHING_TO_CLEAR, ids=lambda prepare: prepare.__name__)
def test_cleared_is_false_and_no_byte_changes_where_there_is_nothing_to_clear(
    prepare: Any, workspace: Workspace
) -> None:
    prepare(workspace)
    before, there = workspace.snapshot(), sorted(workspace.root.rglob("*"))
    assert clear(at(workspace), "team") == {
        "cleared": False,
        "mode": "team",
        "path": ".rcs/state/sessions/s1/team-state.json",
    }
    assert workspace.snapshot() == before
    assert sorted(workspace.root.rglob("*")) == there


@pytest.mark.parametrize("fields", [{}, {"lifecycle_outcome": "finished"}, {"active": False}],
                         ids=["active", "finished", "off"])  # fmt: skip
def test_a_record_is_something_to_clear_active_or_not(fields: Record, workspace: Workspace) -> None:
    workspace.write("team", **fields)
    assert clear(at(workspace), "team")["cleared"] is True
    assert read(at(workspace), "team") == {"exists": False, "mode": "team"}
    assert clear(at(workspace), "team")["cleared"] is False


def test_all_sessions_clears_root_and_every_session_and_names_the_files(workspace: Workspace) -> None:
    for session in ("s1", "s2"):
        workspace.write("forge", session)
        workspace.write("team", session)
    workspace.write("forge", None)
    workspace.write("team", "s3")
    result = clear(at(workspace), "forge", all_sessions=True)
    paths = [".rcs/state/sessions/s1/forge-state.json", ".rcs/state/sessions/s2/forge-state.json"]
    assert {"cleared": True, "mode": "forge", "all_sessions": True, "removed": len(result["paths"])}.items() <= (
        result.items()
    )
    assert set(result["paths"]) >= set(paths)
    assert ".rcs/state/forge-state.json" in result["paths"]
    for each in ("s1", "s2", "s3"):
        assert list_active(at(workspace, each)) == {"active_modes": ["team"]}
    assert list_active(at(workspace, None))["active_modes"] == []


def test_all_sessions_names_the_files_that_held_the_mode_and_no_other(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.write("team", "s1")
    result = clear(at(workspace, None), "forge", all_sessions=True)
    assert result["paths"] == [".rcs/state/forge-state.json"]
    assert list_active(at(workspace)) == {"active_modes": ["team"]}


def test_all_sessions_clears_the_root_records_of_other_sessions_too(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="gone")
    result = clear(at(workspace), "forge", all_sessions=True)
    assert result["paths"] == [".rcs/state/forge-state.json"]
    assert not workspace.mode_path("forge", None).exists()


def test_all_sessions_with_nothing_to_clear_says_so_and_makes_nothing(workspace: Workspace) -> None:
    result = clear(at(workspace), "forge", all_sessions=True)
    assert result == {"cleared": False, "mode": "forge", "all_sessions": True, "removed": 0, "paths": []}
    assert list(workspace.root.iterdir()) == []


def test_a_stray_file_among_the_sessions_is_no_session(workspace: Workspace) -> None:
    workspace.write("forge", None)
    workspace.write("forge", "s1")
    (workspace.state / "sessions" / "NOTES").write_text("mine")
    assert clear(at(workspace), "forge", all_sessions=True)["cleared"] is True
    assert list_active(at(workspace)) == {"active_modes": []}


# --- clear: what cannot be read


@in_both_scopes
@pytest.mark.parametrize("mode", ["team", "skill-active"])
def test_an_unreadable_file_is_moved_aside_never_lost_and_the_mode_usable_again(
    mode: str, session: str | None, workspace: Workspace
) -> None:
    path = break_file(workspace, mode, session)
    assert clear(at(workspace, session), mode)["cleared"] is True
    aside = [each.read_text() for each in path.parent.glob(f"{path.name}*") if each != path]
    assert aside == [BROKEN]
    write(at(workspace, session), "team", {"active": True}, root_scope=session is None)
    assert inventory(workspace, session) == ["team"]


def test_a_second_unreadable_file_does_not_replace_the_first(workspace: Workspace) -> None:
    texts = ["{first", "{second"]
    for text in texts:
        path = break_file(workspace, "team", text=text)
        clear(at(workspace), "team")
    assert {each.read_text() for each in path.parent.glob("team-state.json?*")} == set(texts)


def test_an_unreadable_root_file_that_stands_in_is_moved_aside(workspace: Workspace) -> None:
    workspace.write("forge")
    path = break_file(workspace, "team", None)
    assert clear(at(workspace), "team")["cleared"] is True
    assert [each.read_text() for each in path.parent.glob("team-state.json?*")] == [BROKEN]
    write(at(workspace), "team", {"active": True})
    assert list_active(at(workspace)) == {"active_modes": ["forge", "team"]}


def test_an_unreadable_file_in_one_session_is_found_without_naming_it(workspace: Workspace) -> None:
    break_file(workspace, "team")
    assert clear(at(workspace, None), "team") == {
        "cleared": True,
        "mode": "team",
        "path": ".rcs/state/sessions/s1/team-state.json",
    }


@in_both_scopes
def test_clearing_a_mode_loses_no_unreadable_inventory(session: str | None, workspace: Workspace) -> None:
    workspace.write("team", session)
    path = break_file(workspace, "skill-active", session)
    try:
        clear(at(workspace, session), "team")
    except Refused as error:
        assert "skill-active-state.json cannot be read" in str(error)
    assert BROKEN in {each.read_text() for each in path.parent.glob("skill-active-state.json*")}


def test_clearing_a_mode_goes_on_beside_another_mode_s_unreadable_file(workspace: Workspace) -> None:
    workspace.write("team")
    broken = break_file(workspace, "forge")
    assert clear(at(workspace), "team")["cleared"] is True
    assert broken.read_text() == BROKEN


# --- clear: the inventory, and questions


@in_both_scopes
@each_row("text", ['{"version": 1, "active_skills": [{"skill": "autopilot"}]}', BROKEN, "[]"],
                         ids=["wrong", "cut", "a list"])  # fmt: skip
def test_clearing_the_inventory_makes_it_anew_from_the_mode_files(
    text: str, session: str | None, workspace: Workspace
) -> None:
    workspace.write("team", session)
    workspace.write("forge", session, lifecycle_outcome="finished")
    modes = {mode: workspace.mode_path(mode, session).read_bytes() for mode in ("team", "forge")}
    break_file(workspace, "skill-active", session, text)
    assert clear(at(workspace, session), "skill-active")["cleared"] is True
    assert inventory(workspace, session) == ["team"]
    assert {mode: workspace.mode_path(mode, session).read_bytes() for mode in modes} == modes
    assert not workspace.mode_path("skill-active", None if session else "s1").exists(), "the other scope has none"


def test_clearing_the_inventory_of_an_empty_workspace_makes_nothing(workspace: Workspace) -> None:
    assert clear(at(workspace), "skill-active")["cleared"] is False
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize("status", ["pending", "prompting"])
def test_clearing_a_mode_aborts_its_open_questions(status: str, workspace: Workspace) -> None:
    workspace.write("forge", lifecycle_outcome="askuserQuestion")
    mine = ask(workspace, "forge", "q-1", status=status)
    done = ask(workspace, "forge", "q-2", status="answered", answer="Postgres")
    other = ask(workspace, "team", "q-3")
    clear(at(workspace), "forge")
    found = [json.loads(path.read_text())["status"] for path in (mine, done, other)]
    assert found == ["aborted", "answered", "pending"]


def test_a_write_leaves_the_inventory_in_agreement_whatever_it_said_before(workspace: Workspace) -> None:
    workspace.write("team")
    break_file(workspace, "skill-active", text='{"active": true, "skill": "autopilot", "active_skills": "odd"}')
    write(at(workspace), "forge", {"active": True})
    assert inventory(workspace) == ["team", "forge"]
    assert agrees(workspace)


def test_a_root_record_that_is_cleared_leaves_the_inventories_of_the_sessions_in_agreement(
    workspace: Workspace,
) -> None:
    workspace.write("team", None)
    workspace.prompt("$forge")
    assert inventory(workspace) == ["team", "forge"]
    clear(at(workspace, None), "team")
    assert list_active(at(workspace)) == {"active_modes": ["forge"]}
    clear(at(workspace), "skill-active")
    assert inventory(workspace) == ["forge"]
