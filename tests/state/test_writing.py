"""A write is held to the machine of its mode: what is written, what is refused, and what the answer says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rcs_hooks.catalog import MODES
from rcs_hooks.errors import PhaseRefused, Refused
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.writing import write
from rcs_hooks.workflow import phases
from rcs_hooks.workflow.lifecycle import is_active, outcome_of, review_is_clean, review_is_due, review_is_open
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.properties import examples
from tests.state.test_operations import AT, at
from tests.support import Record, Workspace
from tests.table import each_row

DONE = {"lifecycle_outcome": "finished"}
REVIEWED: Record = {"current_phase": "code-review", "iteration": 1, "max_iterations": 10}

OPEN: Record = {"state": {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"}}
NOTE = [["not clean", "two writers race"], [None, None]]


def fields(record: Record, *names: str) -> Record:
    return {name: record[name] for name in names if name in record}


# --- what a write leaves in the record

# The mode, its record before, what is written, and the fields that change; None: the field is not there.
WRITES: list[Any] = [
    ("forge", {"current_phase": "starting", "iteration": 0}, {"current_phase": "Executing"},
     {"current_phase": "executing", "iteration": 1, "visited": ["starting", "executing"]}),
    ("forge", {"current_phase": "fixing", "visited": ["verifying", "fixing"], "iteration": 1},
     {"current_phase": "verifying"}, {"current_phase": "verifying", "iteration": 2, "visited": ["verifying"]}),
    ("forge", {"current_phase": "fixing", "visited": ["verifying", "fixing"], "iteration": 1}, {"iteration": 2},
     {"current_phase": "fixing", "iteration": 2, "visited": ["fixing"]}),
    ("forge", {"current_phase": "investigating"}, {"current_phase": "verifying"},
     {"current_phase": "verifying", "iteration": None, "visited": ["verifying"]}),
    ("forge", {"current_phase": "investigating"}, {"note": 1}, {"current_phase": "investigating", "visited": None}),
    # a write that ends the run may say so in its phase too
    ("forge", {}, DONE | {"current_phase": "complete"}, {"current_phase": "complete", "active": False, "early": True}),
    ("forge", {}, {"active": False, "current_phase": "cancelled"}, {"current_phase": "cancelled", "active": False}),
    ("forge", {}, {"current_phase": "verifying"} | DONE, {"current_phase": "verifying", "early": None}),
    # finished, early or not
    ("forge", {"current_phase": "verifying"}, DONE, {"early": None, "lifecycle_outcome": "finished"}),
    ("forge", {"current_phase": "fixing"}, DONE, {"early": True, "lifecycle_outcome": "finished"}),
    ("forge", {"current_phase": "fixing"}, {"run_outcome": "finish"}, {"early": True}),
    ("forge", {"current_phase": "anything else"}, DONE, {"early": None}),
    ("forge", {"current_phase": "fixing"}, {"lifecycle_outcome": "failed"}, {"early": None}),
    ("forge", {"current_phase": "fixing", "active": False, "early": True} | DONE, {"lifecycle_outcome": "failed"},
     {"early": None}),
    ("forge", {"current_phase": "fixing", "active": False, "early": True} | DONE, {"evidence": "pytest: 9 passed"},
     {"early": True, "evidence": "pytest: 9 passed"}),
    # reason, evidence, verdict
    ("forge", {}, {"lifecycle_outcome": "blocked", "reason": "no access"}, {"reason": "no access"}),
    ("autopilot", REVIEWED | {"state": {"a": 1}}, {"verdict": "not clean", "reason": "two writers race"},
     {"state": {"a": 1, "review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"},
     "reason": None, "verdict": None}),
    ("autopilot", REVIEWED | {"state": {"review_verdict": "not clean", "return_to_blueprint_reason": "a race"}},
     {"verdict": "clean"}, {"state": {"review_verdict": "clean", "return_to_blueprint_reason": None}}),
    ("autopilot", REVIEWED | {"state": {"return_to_blueprint_reason": "a race"}}, {"verdict": "not clean"},
     {"state": {"review_verdict": "not clean", "return_to_blueprint_reason": None}}),
    ("autopilot", REVIEWED | {"review_verdict": "no", "return_to_blueprint_reason": "x"}, {"verdict": "clean"},
     {"review_verdict": "clean", "return_to_blueprint_reason": None}),
    ("autopilot", REVIEWED, {"verdict": "not clean", "reason": "a race", "lifecycle_outcome": "failed"},
     {"state": {"review_verdict": "not clean", "return_to_blueprint_reason": "a race"}, "reason": "a race"}),
    ("autopilot", REVIEWED, {"verdict": "not clean", "reason": "a race", "current_phase": "blueprint"},
     {"current_phase": "blueprint", "iteration": 2, "visited": ["blueprint"]}),
    ("autopilot", REVIEWED, {"verdict": "clean"} | DONE, {"active": False, "early": None}),
    ("autopilot", REVIEWED, DONE, {"active": False, "early": True}),
    ("autopilot", REVIEWED | {"active": False, "early": True} | DONE, {"verdict": "clean"}, {"early": None}),
    ("autopilot", REVIEWED | {"state": {"a": 1}}, {"verdict": "clean", "state": {"b": 2}},
     {"state": {"a": 1, "b": 2, "review_verdict": "clean", "return_to_blueprint_reason": None}}),
    # another review: the verdict stays, and is noted as that of an earlier one until there is a new one
    ("autopilot", REVIEWED | OPEN | {"current_phase": "forge"}, {"current_phase": "code-review"},
     OPEN | {"reviewed": NOTE}),
    ("autopilot", REVIEWED | {"current_phase": "forge", "review_verdict": "no"}, {"current_phase": "Code_Review"},
     {"review_verdict": "no", "reviewed": [[None, None], ["no", None]]}),
    ("autopilot", REVIEWED | {"current_phase": "forge"}, {"current_phase": "code-review"}, {"reviewed": None}),
    ("autopilot", REVIEWED | {"current_phase": "forge", "reviewed": NOTE}, {"current_phase": "code-review"},
     {"reviewed": None}),
    ("autopilot", REVIEWED | OPEN | {"current_phase": "forge"}, {"current_phase": "code-review", "verdict": "clean"},
     {"reviewed": None}),
    ("autopilot", REVIEWED | OPEN | {"reviewed": NOTE}, {"current_phase": "code-review", "note": 1},
     {"reviewed": NOTE}),
    ("autopilot", REVIEWED | OPEN | {"reviewed": NOTE}, {"state": {"review_verdict": "no"}}, {"reviewed": None}),
    ("autopilot", REVIEWED | OPEN | {"reviewed": NOTE}, {"verdict": "not clean", "reason": "two writers race"},
     OPEN | {"reviewed": None}),
    ("forge", {"iteration": 50, "max_iterations": 50}, {"iteration": 51, "max_iterations": 60}, {"iteration": 51}),
    ("forge", {"current_phase": "fixing", "visited": ["verifying"], "iteration": 50, "max_iterations": 50},
     {"current_phase": "verifying", "max_iterations": 60}, {"iteration": 51, "max_iterations": 60}),
    ("forge", {}, {"title": "  fix\x1b the ledger "}, {"title": "fix the ledger"}),
]  # fmt: skip


@each_row(("mode", "before", "written", "expected"), WRITES)
def test_a_write(mode: str, before: Record, written: Record, expected: Record, workspace: Workspace) -> None:
    workspace.write(mode, **before)
    write(at(workspace), mode, written)
    record = workspace.read(mode)
    assert {name: record.get(name) for name in expected} == expected


# --- what is refused

GO = "rcs state write --mode forge --phase {} --session s1"
LEAP = ["Invalid transition from 'starting' to 'verifying'.", "Valid next states: executing", GO.format("executing")]
OUR_OWN = {
    "reviewed": [], "visited": [], "early": False, "proof": {"state": "proven"}, "proof_named": True,
    "transition_target_mode": "team", "transition_source": "team",
}  # fmt: skip
"""Fields that nobody writes by hand; some would let a run finish that needs a proof."""
LAST_ROUND = [
    "forge: round 50 is the last one, so there is no next round; nothing was written",
    "to end the run: rcs state write --mode forge --outcome failed --reason WHY --session s1",
]
OF_AUTOPILOT = "rcs state write --mode autopilot {} --session s1"


def unclean(why: str, then: str = "then", command: str = "COMMAND") -> list[str]:
    """Return the refusal to finish a run whose review is not clean."""
    return [
        f"autopilot: finished is refused, for its review is not clean ({why})",
        f"to go on: {OF_AUTOPILOT.format('--phase blueprint')}",
        f"after a review that is clean: {OF_AUTOPILOT.format('--verdict clean')}",
        f"{then}: rcs prove --finish --mode autopilot --session s1 -- {command}",
        f"to give up: {OF_AUTOPILOT.format('--outcome failed --reason WHY')}",
    ]


# The mode, its record before, what is written, and the whole refusal.
REFUSED: list[Any] = [
    ("forge", {"current_phase": "starting"}, {"current_phase": "verifying"}, LEAP),
    ("forge", {"current_phase": "starting"}, {"current_phase": "verifying", "note": 1} | DONE, LEAP),
    ("forge", {"current_phase": "executing"}, {"current_phase": "done"}, [
        'phase: "done" is an outcome, not a phase; nothing was written',
        "to end the run: rcs prove --finish --mode forge --session s1 -- COMMAND", "Valid next states: verifying"]),
    ("forge", {"current_phase": "fixing", "iteration": 50, "max_iterations": 50, "visited": ["verifying"]},
     {"current_phase": "verifying"}, LAST_ROUND),
    ("forge", {"iteration": 50, "max_iterations": 50}, {"iteration": 51}, LAST_ROUND),
    ("autopilot", REVIEWED | OPEN, DONE, unclean("two writers race")),
    ("autopilot", REVIEWED | {"review_verdict": "changes needed"}, {"run_outcome": "finish"},
     unclean("changes needed")),
    # what follows the verdict is the run's own proof
    ("autopilot", REVIEWED | OPEN | {"proof": {"command": "make check", "exit": 1, "folder": "sub"}}, DONE,
     unclean("two writers race", "then (in sub/)", "make check")),
    # the verdict of an earlier review is still against it
    ("autopilot", REVIEWED | OPEN | {"reviewed": NOTE}, DONE, unclean("two writers race")),
    *(("forge", {}, {field: value} | DONE, [f"{field}: rcs itself keeps this field; nothing was written"])
      for field, value in OUR_OWN.items()),
    ("forge", {}, {"verdict": "clean"},
     ["verdict: forge has no review; nothing was written. To say what shows the work: --evidence"]),
    ("forge", {}, {"phase": "executing"},
     ["phase: the field is called current_phase (option --phase); nothing was written"]),
    ("forge", {}, {"outcome": "finished"},
     ["outcome: the field is called lifecycle_outcome (option --outcome); nothing was written"]),
    ("forge", {}, {"reason": " "}, ["reason: expected text, got ' '; nothing was written"]),
    ("forge", {}, {"evidence": 7}, ["evidence: expected text, got 7; nothing was written"]),
    ("forge", {}, {"fresh": "yes"}, ["fresh: expected true or false, got 'yes'; nothing was written"]),
    ("forge", {}, {"fresh": True, "active": False}, ["fresh, and active: false, are both given; give one of them"]),
    ("forge", {}, {"plan": "a\0b"}, ["plan: it holds a NUL character; nothing was written"]),
]  # fmt: skip


@each_row(("mode", "before", "written", "lines"), REFUSED)
def test_a_refused_write(mode: str, before: Record, written: Record, lines: list[str], workspace: Workspace) -> None:
    workspace.write(mode, **before)
    there = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace), mode, written)
    assert str(refused.value).split("\n") == lines
    assert workspace.snapshot() == there


def test_a_program_reads_the_phases_that_may_come_next(workspace: Workspace) -> None:
    workspace.write("forge", current_phase="starting")
    with pytest.raises(PhaseRefused) as refused:
        write(at(workspace), "forge", {"current_phase": "fixing"})
    states = ["starting", "executing", "verifying", "fixing"]
    assert refused.value.details == {"valid_states": states, "current": "starting", "valid_next": ["executing"]}


def test_a_phase_is_refused_where_the_mode_has_just_been_started_too(workspace: Workspace) -> None:
    with pytest.raises(PhaseRefused):
        write(at(workspace), "forge", {"active": True, "current_phase": "fixing"})
    assert workspace.snapshot() == {}


# --- several modes


def test_one_write_moves_both_modes(workspace: Workspace) -> None:
    workspace.prompt("$team $forge")
    result = write(at(workspace), ("team", "forge"), {"current_phase": "executing"})
    assert [workspace.read(mode)["current_phase"] for mode in ("team", "forge")] == ["executing", "executing"]
    assert (result["mode"], result["phase"]) == ("team", "executing")
    assert [(each["mode"], each["iteration"]) for each in result["modes"]] == [("team", None), ("forge", 1)]


@each_row(("modes", "written"), [
    (("forge", "ultrawork"), {"current_phase": "starting"}), (("ultrawork", "forge"), {"current_phase": "executing"}),
    (("forge", "ultrawork"), {"verdict": "clean"}), (("forge", "team"), {"current_phase": "executing"}),
    (("forge", "blueprint"), {"active": True}),
])  # fmt: skip
def test_if_one_mode_refuses_nothing_is_written(modes: tuple[str, ...], written: Record, workspace: Workspace) -> None:
    workspace.prompt("$forge $ultrawork")
    write(at(workspace), "forge", {"current_phase": "executing"})
    write(at(workspace), "forge", {"current_phase": "verifying"})
    before = workspace.snapshot()
    with pytest.raises(Refused) as refused:
        write(at(workspace), modes, written)
    assert str(refused.value).endswith(f"\nA write to {' and '.join(modes)} is for both or none.")
    assert workspace.snapshot() == before


def test_modes_of_two_sessions_are_not_written_at_once(workspace: Workspace) -> None:
    workspace.prompt("$forge", session="s1")
    workspace.prompt("$team", session="s2")
    with pytest.raises(Refused, match=r"^forge in s1, team in s2: these modes do not run in the same session"):
        write(at(workspace, None), ("forge", "team"), {"current_phase": "executing"})
    workspace.write("ultrawork", None)
    with pytest.raises(Refused, match=r"^forge in s1, ultrawork in root: these modes do not run in the same session"):
        write(at(workspace, None), ("forge", "ultrawork"), {"current_phase": "executing"})


def test_where_one_of_the_modes_runs_the_others_are_meant_too(workspace: Workspace) -> None:
    workspace.prompt("$forge", session="s1")
    write(at(workspace, None), ("ultrawork", "forge"), {"active": True})
    assert workspace.active("s1") == ["forge", "ultrawork"]
    assert not workspace.mode_path("ultrawork", None).exists()


# --- begun anew


def test_a_run_that_was_taken_up_is_begun_anew_for_another_task(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    for phase in ("executing", "verifying", "fixing", "verifying"):
        write(at(workspace), "forge", {"current_phase": phase, "state": {"note": phase}, "plan": "old.md"})
    write(at(workspace), "forge", {"lifecycle_outcome": "blocked", "reason": "no access"})
    workspace.prompt("$forge rename the ledger")
    taken_up = {"current_phase": "verifying", "iteration": 2, "title": "fix the ledger", "plan": "old.md"}
    assert fields(workspace.read("forge"), *taken_up) == taken_up
    write(at(workspace), "forge", {"fresh": True})
    anew = {"active": True, "current_phase": "starting", "iteration": 0, "title": "rename the ledger", "state": {}}
    record = workspace.read("forge")
    assert fields(record, *anew, "plan", "visited", "reason", "fresh", "resumed_from") == anew
    assert workspace.active() == ["forge"]


def test_a_run_that_ended_is_begun_anew_and_not_taken_up(workspace: Workspace) -> None:
    workspace.write("forge", active=False, lifecycle_outcome="failed", title="old", completed_at=AT)
    write(at(workspace), "forge", {"fresh": True})
    anew = {"active": True, "current_phase": "starting"}
    assert fields(workspace.read("forge"), *anew, "title", "lifecycle_outcome") == anew


def test_a_run_that_waits_is_begun_anew_without_its_question(workspace: Workspace) -> None:
    workspace.prompt("$forge fix it now")
    asked = ask(at(workspace), "forge", "Which?")
    later = at(workspace)._replace(now=workspace.now + 5)
    write(later, "forge", {"fresh": True})
    question = workspace.folder("s1") / "questions" / f"{asked['question_id']}.json"
    assert '"aborted"' in question.read_text()
    assert outcome_of(ModeRecord(workspace.read("forge"))).word is None
    assert workspace.read("forge")["title"] == "fix it now"
    lines = map(json.loads, (workspace.folder("s1") / "history.jsonl").read_text().splitlines())
    assert [(each["event"], each["from"], each["to"]) for each in lines] == [
        ("started", "", "starting"), ("question", "starting", "starting"), ("started", "starting", "starting"),
    ]  # fmt: skip


def test_active_after_an_early_finish_starts_afresh(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    write(at(workspace), "forge", {"current_phase": "executing"})
    assert write(at(workspace), "forge", DONE)["early"] is True
    write(at(workspace), "forge", {"active": True})
    anew = {"active": True, "current_phase": "starting", "iteration": 0}
    assert fields(workspace.read("forge"), *anew, "early", "title") == anew


def test_to_begin_anew_asks_the_policy(workspace: Workspace) -> None:
    workspace.write("team")
    with pytest.raises(Refused, match=r"^Cannot activate blueprint while team is still active"):
        write(at(workspace), "blueprint", {"fresh": True})


# --- paths of a plan and a brief

PATHS = [
    ("plan.md", "plan.md", False),
    ("docs/there.md", "docs/there.md", True),
    ("./docs/../docs/there.md", "docs/there.md", True),
    ("ROOT/docs/there.md", "docs/there.md", True),
    ("ROOT/gone.md", "gone.md", False),
    ("docs", "docs", False),
    ("../outside.md", "PARENT/outside.md", False),
    ("/nowhere/plan.md", "/nowhere/plan.md", False),
]  # fmt: skip


@each_row(("typed", "stored", "is_there"), PATHS)
def test_a_path_is_stored_relative_to_the_workspace(
    typed: str, stored: str, is_there: bool, workspace: Workspace
) -> None:
    root, parent = str(workspace.root), str(workspace.root.parent)
    (workspace.root / "docs").mkdir()
    (workspace.root / "docs" / "there.md").touch()
    workspace.write("blueprint")
    result = write(at(workspace), "blueprint", {"plan": typed.replace("ROOT", root)})
    stored = stored.replace("PARENT", parent)
    assert workspace.read("blueprint")["plan"] == stored
    warning = f"plan: there is no file {stored}; it is recorded all the same"
    assert result.get("warnings", []) == ([] if is_there else [warning])
    assert (warning in result["says"]) is not is_there


def test_a_path_is_read_from_the_folder_of_the_call(workspace: Workspace) -> None:
    sub = Path(workspace.root, "sub")
    sub.mkdir()
    for path in (sub / "b.md", workspace.root / "p.md"):
        path.touch()
    workspace.write("blueprint")
    called = at(workspace)._replace(cwd=str(sub))
    assert "warnings" not in write(called, "blueprint", {"plan": "p.md", "brief": "b.md"})
    assert fields(workspace.read("blueprint"), "plan", "brief") == {"plan": "p.md", "brief": "sub/b.md"}
    (sub / "p.md").touch()
    write(called, "blueprint", {"plan": "p.md", "brief": "gone.md"})
    assert fields(workspace.read("blueprint"), "plan", "brief") == {"plan": "sub/p.md", "brief": "sub/gone.md"}


# --- the answer

# The mode, its record before, what is written, and the keys of the answer that are new.
NO_PHASE = "That is not a phase of forge (starting, executing, verifying, fixing); record the one that you are in."
ANSWERS: list[Any] = [
    ("forge", {"current_phase": "executing", "iteration": 1}, {"current_phase": "verifying"},
     {"phase": "verifying", "iteration": 1, "can_finish": True}),
    ("forge", {"current_phase": "starting", "iteration": 0}, {"current_phase": "executing"},
     {"phase": "executing", "iteration": 1, "can_finish": False}),
    ("team", {"current_phase": "starting"}, {"current_phase": "executing"},
     {"phase": "executing", "iteration": None, "can_finish": False}),
    ("forge", {"current_phase": "verifying"}, DONE, {"phase": "verifying", "next": "", "can_finish": False}),
    ("forge", {"current_phase": "fixing"}, DONE, {"phase": "fixing", "early": True, "can_finish": False}),
    ("autopilot", REVIEWED, {"verdict": "not clean"}, {"phase": "code-review", "can_finish": False}),
    ("autopilot", REVIEWED, DONE, {"early": True, "can_finish": False}),
    ("forge", {"current_phase": "elsewhere"}, {"note": 1},
     {"phase": "elsewhere", "next": NO_PHASE, "can_finish": True}),
]  # fmt: skip


@each_row(("mode", "before", "written", "expected"), ANSWERS)
def test_the_answer(mode: str, before: Record, written: Record, expected: Record, workspace: Workspace) -> None:
    workspace.write(mode, **before)
    result = write(at(workspace), mode, written)
    old = {"success": True, "mode": mode, "path": f".rcs/state/sessions/s1/{mode}-state.json"}
    assert fields(dict(result), *old, *expected) == old | expected


def test_the_answer_says_what_the_next_phase_asks(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    result = write(at(workspace), "forge", {"current_phase": "executing"})
    assert MODES["forge"].states["executing"] in result["next"]
    assert result["says"].startswith("forge: executing, round 1 of 50")
    assert result["next"] in result["says"]


def test_the_answer_says_that_nothing_runs(workspace: Workspace) -> None:
    workspace.write("team", active=False)
    result = write(at(workspace), "team", {"note": 1})
    assert (result["next"], result["can_finish"]) == ("", False)
    start = "rcs state write --mode team --active --session s1"
    assert result["says"] == f"team is not active, so nothing runs. To start it: {start}"


def test_the_answer_names_the_handoff(workspace: Workspace) -> None:
    workspace.prompt("$blueprint")
    assert "mode transiting: blueprint -> forge" in write(at(workspace), "forge", {"active": True})["says"]


@each_row(("prompt", "mode", "outcome", "line"), [
    ("$blueprint $crew ship it", "blueprint", "finished",
     "deferred: `$crew`; the user starts it by typing it, you cannot."),
    ("$blueprint $crew $forge ship it", "blueprint", "failed",
     "deferred: `$crew $forge`; the user starts each by typing it, you cannot."),
    ("$blueprint ship it", "blueprint", "finished", ""),
    ("$crew $forge ship it", "team", "finished", ""),
])  # fmt: skip
def test_the_answer_to_the_end_of_a_planning_names_what_it_had_deferred(
    prompt: str, mode: str, outcome: str, line: str, workspace: Workspace
) -> None:
    workspace.prompt(prompt)
    assert "deferred" not in write(at(workspace), mode, {"note": 1})["says"]
    said = write(at(workspace), mode, {"lifecycle_outcome": outcome})["says"].splitlines()
    assert [each for each in said if each.startswith("deferred")] == ([line] if line else [])
    again = write(at(workspace), mode, {"evidence": "x"})["says"]
    assert "deferred" not in again  # it is said once


def test_the_answer_says_that_the_last_round_has_begun(workspace: Workspace) -> None:
    workspace.write("forge", current_phase="fixing", visited=["verifying"], iteration=49, max_iterations=50)
    result = write(at(workspace), "forge", {"current_phase": "verifying"})
    assert result["iteration"] == 50
    assert "This is the last round" in result["says"]
    assert "This is the last round" not in write(at(workspace), "forge", {"note": 1})["says"]


# --- whatever is written


@st.composite
def written_fields(draw: st.DrawFn, mode: str) -> Record:
    states = st.sampled_from([*MODES[mode].states, "done", "elsewhere", "Fixing", "code_review"])
    wanted: Record = {}
    if draw(st.booleans()):
        wanted["current_phase"] = draw(states)
    if draw(st.integers(0, 4)) == 0:
        wanted["iteration"] = draw(st.integers(0, 12))
    if draw(st.integers(0, 5)) == 0:
        wanted["lifecycle_outcome"] = draw(st.sampled_from(["finished", "failed", "blocked"]))
    if draw(st.integers(0, 3)) == 0:
        wanted["active"] = draw(st.booleans())
    if draw(st.integers(0, 6)) == 0:
        wanted["fresh"] = True
    if draw(st.integers(0, 3)) == 0:
        wanted["verdict"] = draw(st.sampled_from(["clean", "not clean"]))
    return wanted or {"note": 1}


@examples(60)
@given(data=st.data())
@pytest.mark.parametrize("mode", ["forge", "autopilot", "deep-interview", "ultraqa"])
def test_no_sequence_of_writes_contradicts_the_machine(mode: str, data: st.DataObject, tmp_path_factory: Any) -> None:
    workspace = Workspace(tmp_path_factory.mktemp("writes"))
    workspace.prompt(f"${mode}")
    machine = MODES[mode]
    for wanted in data.draw(st.lists(written_fields(mode), max_size=12)):
        before = ModeRecord(workspace.read(mode))
        try:
            write(at(workspace), mode, wanted)
        except Refused:
            assert ModeRecord(workspace.read(mode)) == before
            continue
        after = ModeRecord(workspace.read(mode))
        check(machine, before, after, wanted)


def check(machine: Any, before: ModeRecord, after: ModeRecord, wanted: Record) -> None:
    """What holds of every record that a write leaves, given the one before."""
    begins = bool(wanted.get("fresh")) or (bool(wanted.get("active")) and not is_active(before))
    assert after.phase in machine.states or (outcome_of(after).ends and phases.outcome_meant(after.phase))
    assert set(after.visited) <= set(machine.states)
    assert not after.visited or after.phase in after.visited or after.phase not in machine.states
    if after.phase != before.phase and not begins and before.phase in machine.states:
        assert after.phase in machine.legal_from(before.phase) or after.phase not in machine.states
    if not begins and "iteration" not in wanted:
        assert (after.iteration or 0) - (before.iteration or 0) in (0, 1, 2 if before.iteration is None else 1)
    if after.max_iterations:
        assert (after.iteration or 0) <= after.max_iterations
    if outcome_of(after).word == "finished" and is_active(before):
        assert not (machine.returns_to and review_is_open(after))
        phase = after.phase if after.phase in machine.states else before.phase
        is_reviewed = review_is_clean(after) and not review_is_due(after)
        assert after.is_early is not (machine.can_finish(phase) and (is_reviewed or not machine.returns_to))
