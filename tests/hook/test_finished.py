"""A Stop tells the person once that a run has finished, and whether it is proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rcs_hooks.workflow.proof import PROVEN, STALE, UNPROVEN, Proof, judged
from tests.support import Record, Workspace
from tests.table import each_row

if TYPE_CHECKING:
    from pathlib import Path

AT = "2023-11-14T22:13:25Z"
TREE = f"files:{'0' * 64}"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def ended(state: str, command: str = "pytest -q", code: int = 0, folder: str = "", **fields: object) -> Record:
    """Return what a record of a finished run says."""
    proof = Proof(command, code, 1.0, AT, TREE, folder=folder) if command else None
    done = {"active": False, "lifecycle_outcome": "finished", "completed_at": AT}
    return done | {"proof": judged(proof, state, at=AT)} | fields


@each_row(
    ("record", "line"),
    [
        (ended(PROVEN), "rcs: forge finished, proven by `pytest -q`."),
        (
            ended(STALE),
            "rcs: forge finished, stale: files have changed since `pytest -q` passed."
            " To prove it: rcs prove --mode forge --session s1 -- pytest -q",
        ),
        (
            ended(UNPROVEN, ""),
            "rcs: forge finished, unproven. To prove it: rcs prove --mode forge --session s1 -- COMMAND",
        ),
        (
            ended(UNPROVEN, code=1),
            "rcs: forge finished, unproven: `pytest -q` failed (exit 1)."
            " To prove it: rcs prove --mode forge --session s1 -- pytest -q",
        ),
        (
            ended(UNPROVEN, "", early=True),
            "rcs: forge finished early, unproven. To prove it: rcs prove --mode forge --session s1 -- COMMAND",
        ),
        (
            ended(UNPROVEN, code=1, folder="sub"),
            "rcs: forge finished, unproven: `pytest -q` in sub failed (exit 1)."
            " To prove it (in sub/): rcs prove --mode forge --session s1 -- pytest -q",
        ),
        # no verdict was stored: another tool has ended the run, or an earlier version
        ({"active": False, "lifecycle_outcome": "finished", "completed_at": AT}, ""),
        (ended(PROVEN, lifecycle_outcome="failed"), ""),
        (ended(PROVEN, completed_at="2023-11-14T22:13:20Z"), ""),
    ],
)
def test_a_stop_says_once_how_a_run_has_finished(record: Record, line: str, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / str(len(list(tmp_path.iterdir()))))
    workspace.root.mkdir()
    workspace.prompt("$forge go")
    workspace.edit("forge", **record)
    workspace.now += 10
    assert workspace.stop().output == ({"systemMessage": line} if line else {})
    assert workspace.stop().output == {}
    workspace.prompt("And now?")
    assert workspace.stop().output == {}


def test_a_planning_run_needs_no_proof_and_no_word(workspace: Workspace) -> None:
    workspace.prompt("$blueprint go")
    workspace.edit("blueprint", **ended(UNPROVEN, ""))
    assert workspace.stop().output == {}


def test_while_another_run_holds_the_stop_it_is_told_later(workspace: Workspace) -> None:
    workspace.prompt("$forge $ultrawork go")
    workspace.edit("ultrawork", **ended(PROVEN))
    assert workspace.stop().blocks
    workspace.edit("forge", **ended(UNPROVEN, ""))
    assert workspace.stop().notice == (
        "rcs: forge finished, unproven; ultrawork finished, proven by `pytest -q`."
        " To prove it: rcs prove --mode forge --session s1 -- COMMAND"
    )


def test_a_proof_that_comes_later_is_not_told_by_a_stop(workspace: Workspace) -> None:
    workspace.prompt("$forge go")
    workspace.edit("forge", **ended(UNPROVEN, ""))
    assert "unproven" in workspace.stop().notice
    workspace.edit("forge", **ended(PROVEN))
    assert workspace.stop().output == {}


def test_what_cannot_be_noted_is_not_told(workspace: Workspace) -> None:
    workspace.prompt("$forge go")
    workspace.edit("forge", **ended(PROVEN))
    notes = workspace.folder("s1") / "hook-ledger.json"
    notes.write_text("[")
    assert "finished" not in workspace.stop().notice
    notes.unlink()
    assert workspace.stop().notice == "rcs: forge finished, proven by `pytest -q`."


def test_a_failed_proof_is_progress_only_on_another_tree(workspace: Workspace) -> None:
    workspace.prompt("$forge go")
    workspace.edit("forge", current_phase="verifying")
    again = "Nothing has been recorded since the last time."
    reasons = []
    for tree in ("0", "1", "1"):
        proof = Proof("pytest -q", 1, 1.0, AT, f"files:{tree * 64}")
        workspace.edit("forge", proof=judged(proof, UNPROVEN, at=AT))
        reasons.append(again in workspace.stop().reason)
    assert reasons == [False, False, True]


@pytest.mark.parametrize(("status", "came"), [(0, "passed"), (1, "failed (exit 1)")])
def test_a_session_that_starts_again_is_told_the_last_proof(workspace: Workspace, status: int, came: str) -> None:
    workspace.prompt("$forge go")
    proof = Proof("pytest -q", status, 1.0, AT, TREE)
    workspace.edit("forge", current_phase="verifying", proof=judged(proof, UNPROVEN if status else PROVEN, at=AT))
    context = workspace.call("SessionStart", source="compact").context
    assert f"Last proof: `pytest -q` {came}\n" in context
    assert "rcs prove --finish --mode forge --session s1 -- pytest -q" in context
