"""The Stop hook by whole calls: which runs it keeps going, and what the agent is told."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import NOW, Answer, Record, Workspace
from tests.table import each_row
from tests.workflow.test_lifecycle import FIELDS, ONE_OF_EACH, Means, cases

MODES = ("deep-interview", "blueprint", "autoresearch", "team", "forge", "autopilot", "ultrawork", "ultraqa")
UUID = "01a1edd5-d041-7843-9e62-3e218ca1fb5f"
LONGEST_ID = "s" * 128
CLEAR = "rcs state clear --mode forge --session s1"
GO_ON_OR_CANCEL = "Type `go on` to continue, `$cancel` to end it."
HANDOFF = ("Outcome", "Evidence", "Artifacts / state", "Handoff")
DAY = 24 * 3600


class Claude(Workspace):
    """As Claude Code calls: a prompt is named by `prompt_id`, and there is no `turn_id`."""

    def call(self, event: str, session: str = "s1", **fields: object) -> Answer:
        turn = {"prompt_id": fields.pop("turn_id")} if "turn_id" in fields else {}
        return super().call(event, session, **turn | fields)


def blocks(workspace: Workspace, stops: int, session: str = "s1") -> int:
    """How many of so many Stops are blocked while nothing changes."""
    return sum(workspace.stop(session).blocks for _ in range(stops))


def blocks_in_progress(workspace: Workspace, stops: int) -> int:
    """How many of so many Stops are blocked while the run gets on between any two of them."""
    blocked = 0
    for step in range(stops):
        workspace.edit("forge", state={"step": step})
        blocked += workspace.stop().blocks
    return blocked


def commands(text: str, verb: str, session: str | None = "s1") -> list[str]:
    """The modes of the `rcs state <verb>` commands in a text, each once; each command ends its line and is whole.

    `session`: which they name; None where they name the root scope.
    """
    scope = ["--session", session] if session else ["--root-scope"]
    modes: list[str] = []
    for line in text.splitlines():
        _, begins, rest = line.rpartition(f"rcs state {verb} ")
        if begins:
            words = shlex.split(rest)
            assert words[-len(scope) :] == scope
            modes += words[words.index("--mode") + 1].split(",")
    return list(dict.fromkeys(modes))


def proofs(text: str, session: str) -> list[str]:
    """The modes of the `rcs prove` commands in a text; each command ends its line and is whole."""
    modes: list[str] = []
    for line in text.splitlines():
        _, begins, rest = line.rpartition("rcs prove --finish --mode ")
        if begins:
            named, *words = shlex.split(rest)
            assert words == ["--session", session, "--", "COMMAND"]
            modes += named.split(",")
    return modes


def asks_for_handoff(reason: str) -> bool:
    """Whether one line of a reason asks for the four parts, in the order of the contract."""
    return any(
        -1 < line.find(HANDOFF[0]) < line.find(HANDOFF[1]) < line.find(HANDOFF[2]) < line.find(HANDOFF[3])
        for line in reason.splitlines()
    )


def finish(workspace: Workspace, mode: str = "forge") -> None:
    """The agent records that the run is over."""
    workspace.edit(mode, active=False, lifecycle_outcome="finished", completed_at=iso(workspace.now))


# --- which runs are kept going


@each_row("field", FIELDS)
@each_row(("spelling", "means", "pending"), cases(ONE_OF_EACH))
def test_stop_blocks_exactly_where_the_run_neither_ends_nor_waits(
    field: str, spelling: str, means: Means, pending: bool, workspace: Workspace
) -> None:
    other = "progress" if means.ends or means.waits else "finished"
    record: Record = dict.fromkeys(FIELDS[FIELDS.index(field) + 1 :], other) | {field: spelling}
    workspace.write("forge", **record | ({"question_enforcement": {"status": "pending"}} if pending else {}))

    assert workspace.stop().blocks is (means.public is None)
    assert outcome_of(ModeRecord.from_json(workspace.read("forge"))).public == means.public


ENDINGS = [(spelling, plain.public) for spelling, plain, _ in ONE_OF_EACH if plain.ends]


@pytest.mark.parametrize(("spelling", "public"), ENDINGS, ids=[spelling for spelling, _ in ENDINGS])
def test_a_run_taken_up_again_remembers_the_public_word(spelling: str, public: str, workspace: Workspace) -> None:
    workspace.write("forge", active=False, run_outcome=spelling)
    workspace.prompt("$forge go on")

    remembered = workspace.read("forge").get("resumed_from", {}).get("outcome")
    assert remembered == (None if public == "finished" else public)
    assert workspace.stop().blocks


def test_stop_names_every_running_member_until_each_has_its_outcome(workspace: Workspace) -> None:
    workspace.prompt("$team $forge ship it")
    assert commands(workspace.stop().reason, "write") == ["team", "forge"]

    workspace.edit("team", active=False)
    assert commands(workspace.stop().reason, "write") == ["forge"]

    workspace.edit("forge", lifecycle_outcome="finished")
    assert workspace.stop().line == "{}"


@each_row(("ended", "left"), [("team", "forge"), ("forge", "team")])
@each_row(
    "end",
    [
        pytest.param({"active": False}, id="switched-off"),
        pytest.param({"lifecycle_outcome": "failed"}, id="outcome"),
        pytest.param({"run_outcome": "finish"}, id="legacy-outcome"),
        pytest.param({"current_phase": "complete"}, id="phase"),
        pytest.param({"lifecycle_outcome": "askuserQuestion"}, id="waits"),
    ],
)
def test_the_one_that_is_over_is_named_no_more_and_the_other_still_blocks(
    end: Record, ended: str, left: str, workspace: Workspace
) -> None:
    workspace.prompt("$team $forge ship it")
    workspace.edit(ended, **end)
    reason = workspace.stop().reason
    assert commands(reason, "write") == [left]
    assert ended not in reason


def test_the_mode_files_decide_and_the_inventory_does_not(workspace: Workspace) -> None:
    entry = {"skill": "team", "phase": "starting", "active": True}
    workspace.write("skill-active", skill="team", active_skills=[entry])
    assert workspace.stop().line == "{}"

    workspace.write("forge")
    assert commands(workspace.stop().reason, "write") == ["forge"]


def test_a_stop_of_a_workspace_without_state_creates_none(workspace: Workspace) -> None:
    assert workspace.stop().line == "{}"
    assert list(workspace.root.iterdir()) == []


def test_an_allowed_stop_changes_no_byte(forge: Workspace) -> None:
    finish(forge)
    before = forge.snapshot()
    assert forge.stop().line == "{}"
    assert forge.snapshot() == before


def test_a_blocked_stop_changes_no_state_of_a_workflow(forge: Workspace) -> None:
    before = forge.snapshot()
    assert forge.stop().blocks
    noted = dict.fromkeys((f"state/sessions/s1/{name}" for name in ("hook-ledger.json", "history.jsonl")), b"")
    assert forge.snapshot() | noted == before | noted


# --- root records


def a_root_record(workspace: Workspace, **fields: object) -> None:
    workspace.write("forge", None, **fields)


@each_row(
    ("fields", "blocked"),
    [
        pytest.param({}, True, id="no-session"),
        pytest.param({"session_id": None}, True, id="null"),
        pytest.param({"session_id": ""}, True, id="empty"),
        pytest.param({"session_id": "s1"}, True, id="this-session"),
        pytest.param({"session_id": "s2"}, False, id="another-session"),
        pytest.param({"updated_at": iso(NOW - DAY + 60)}, True, id="touched-within-a-day"),
        pytest.param({"updated_at": iso(NOW - DAY)}, False, id="stale"),
        pytest.param({"updated_at": iso(NOW - 30 * DAY)}, False, id="long-stale"),
        pytest.param({"active": False}, False, id="off"),
        pytest.param({"lifecycle_outcome": "finished"}, False, id="ended"),
        pytest.param({"run_outcome": "blocked_on_user"}, False, id="waits"),
    ],
)
def test_a_root_record_stands_in_where_it_is_fresh_and_no_one_elses(
    fields: Record, blocked: bool, workspace: Workspace
) -> None:
    a_root_record(workspace, **fields)
    answer = workspace.stop()
    assert answer.blocks is blocked
    session = "s1" if fields.get("session_id") == "s1" else None
    assert commands(answer.reason, "write", session) == (["forge"] if blocked else [])


@each_row(("age", "blocked"), [(DAY - 60, True), (DAY, False)], ids=["fresh", "stale"])
@each_row("updated", [None, "yesterday", 7, iso(NOW + 30 * DAY)], ids=repr)
def test_a_root_record_that_does_not_tell_its_age_is_as_old_as_its_file(
    updated: object, age: int, blocked: bool, workspace: Workspace
) -> None:
    a_root_record(workspace, updated_at=updated)
    os.utime(workspace.mode_path("forge", None), (NOW - age, NOW - age))
    assert workspace.stop().blocks is blocked


@pytest.mark.parametrize(
    "own",
    [
        pytest.param({"active": False}, id="off"),
        pytest.param({"active": False, "current_phase": "cleared", "completed_at": iso(NOW)}, id="tombstone"),
        pytest.param({"lifecycle_outcome": "finished"}, id="ended"),
        pytest.param({"lifecycle_outcome": "askuserQuestion"}, id="waits"),
    ],
)
def test_the_sessions_own_record_hides_the_one_in_root(own: Record, workspace: Workspace) -> None:
    a_root_record(workspace)
    workspace.write("forge", **own)
    assert workspace.stop().line == "{}"


def test_sessions_neither_see_nor_count_each_others_runs(workspace: Workspace) -> None:
    workspace.prompt("$forge fix", "s1")
    workspace.prompt("$team build", "s2")
    assert blocks(workspace, 7, "s1") == 5
    assert commands(workspace.stop("s2").reason, "write", "s2") == ["team"]
    assert blocks(workspace, 7, "s2") == 4


NO_SESSIONS = ["", "..", "../s1", "a/b", "a b", "a\nb", "a\x00b", ".s1", "-s1", "_s1", "s:1", "ü", "s" * 129, "٣"]


@each_row("session", NO_SESSIONS, ids=repr)
def test_an_invalid_session_id_passes_and_leaves_nothing(session: str, workspace: Workspace) -> None:
    a_root_record(workspace)
    before = workspace.snapshot()
    assert workspace.stop(session).line == "{}"
    assert workspace.snapshot() == before


def test_a_call_without_a_session_id_passes(workspace: Workspace) -> None:
    a_root_record(workspace)
    assert workspace.stop(session_id=None).line == "{}"


@pytest.mark.parametrize("session", [7, ["s1"], {"id": "s1"}, True], ids=repr)
def test_a_session_id_that_is_no_text_passes_with_a_notice(session: object, workspace: Workspace) -> None:
    a_root_record(workspace)
    answer = workspace.stop(session_id=session)
    assert not answer.blocks
    assert "session_id" in answer.notice


@pytest.mark.parametrize("session", ["7", "S_1-a", UUID, LONGEST_ID], ids=repr)
def test_a_valid_session_id_is_looked_at(session: str, workspace: Workspace) -> None:
    a_root_record(workspace)
    assert commands(workspace.stop(session).reason, "write", None) == ["forge"]


# --- subagents


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"agent_id": "a1"}, id="agent_id"),
        pytest.param({"agent_id": "a1", "agent_type": "reviewer"}, id="both"),
        pytest.param({"hook_event_name": "SubagentStop"}, id="SubagentStop"),
    ],
)
def test_a_stop_of_a_subagent_passes_and_counts_for_nothing(fields: Record, forge: Workspace) -> None:
    before = forge.snapshot()
    assert all(forge.stop(**fields).line == "{}" for _ in range(3))
    assert forge.snapshot() == before
    assert blocks(forge, 7) == 5


# --- what the agent is told when a run is kept going


def test_the_reason_names_mode_and_phase_and_asks_for_the_handoff(forge: Workspace) -> None:
    forge.edit("forge", current_phase="verifying", iteration=3)
    reason = forge.stop().reason
    assert reason.splitlines()[0] == "[rcs] forge goes on: verifying, round 3."
    assert asks_for_handoff(reason)
    assert commands(reason, "write") == ["forge"]


@each_row("session", [UUID, LONGEST_ID], ids=["uuid", "longest-id"])
@each_row("modes", [("forge",), ("team", "forge"), ("team", "forge", "ultrawork")], ids="+".join)
def test_the_reason_holds_one_command_for_each_running_mode(
    modes: tuple[str, ...], session: str, workspace: Workspace
) -> None:
    workspace.prompt(" ".join(f"${mode}" for mode in modes), session)
    for mode in modes:
        workspace.edit(mode, session, current_phase="verifying")
    reason = workspace.stop(session).reason
    assert tuple(proofs(reason, session)) == modes
    assert tuple(commands(reason, "write", session)) in (modes, ())
    assert asks_for_handoff(reason)


def test_the_reason_for_one_mode_takes_half_of_its_room(workspace: Workspace) -> None:
    workspace.prompt("$forge fix", UUID)
    assert len(workspace.stop(UUID).reason) <= 600


def test_the_commands_name_a_root_that_the_agents_shell_would_not_find(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "a root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    workspace = Workspace(root, env={"RCS_ROOT": str(root)})
    workspace.prompt("$forge fix")
    for cwd, named in ((root, False), (elsewhere, True)):
        line = next(line for line in workspace.stop(cwd=str(cwd)).reason.splitlines() if "rcs state " in line)
        line = line[line.index("rcs state ") :]
        assert ("--root" in shlex.split(line)) is named
        assert (str(root) in shlex.split(line)) is named
