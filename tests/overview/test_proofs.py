"""The proof of a run in the overview: what came of it while the run goes on, and the verdict once it has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.overview.collect import for_dashboard
from rcs_hooks.overview.words import lines
from rcs_hooks.state import history
from rcs_hooks.state.history import Event
from rcs_hooks.state.writing import write
from tests.overview.test_overview import look, only
from tests.state.test_operations import at
from tests.table import each_row

if TYPE_CHECKING:
    from rcs_hooks.overview.entries import Overview
    from tests.support import Workspace

Record = dict[str, Any]

TREE = "git:" + "a" * 64
AN_HOUR_AGO = "2023-11-14T21:13:20.000Z"
PASSED: Record = {
    "command": "pytest -q", "exit": 0, "seconds": 2.5, "at": AN_HOUR_AGO, "tree": TREE, "changed": [], "output": "",
    "timed_out": False, "state": "proven", "judged_at": AN_HOUR_AGO,
}  # fmt: skip
FINISHED: Record = {"active": False, "lifecycle_outcome": "finished", "completed_at": AN_HOUR_AGO}

PROOFS: dict[str, tuple[object, str, str]] = {
    "none": (None, "unproven", ""),
    "it passed": (PASSED, "proven by `pytest -q`", "`pytest -q` passed"),
    "it passed, and files have changed": (
        PASSED | {"state": "stale"}, "stale: files have changed since `pytest -q` passed",
        "files have changed since `pytest -q` passed",
    ),
    "it failed": (
        PASSED | {"state": "unproven", "exit": 1}, "unproven: `pytest -q` failed (exit 1)",
        "`pytest -q` failed (exit 1)",
    ),
    "it changed files": (
        PASSED | {"state": "unproven", "changed": ["a.py", "b.py"]}, "unproven: `pytest -q` changed a.py and 1 more",
        "`pytest -q` changed a.py and 1 more",
    ),
}  # fmt: skip


def ended_words(found: Overview) -> str:
    return only(found, "ended").says


@each_row(("proof", "verdict", "newest"), [pytest.param(*row, id=name) for name, row in PROOFS.items()])
def test_a_finished_run_says_its_verdict_and_one_that_goes_on_its_newest_proof(
    proof: object, verdict: str, newest: str, workspace: Workspace
) -> None:
    workspace.write("forge", **FINISHED, proof=proof)
    entry = only(look(workspace), "ended")
    assert (entry.says, entry.verdict) == (f"finished, {verdict}", verdict.partition(":")[0].partition(" ")[0])
    assert entry.proof
    assert entry.proof.to_json()["state"] == entry.verdict
    workspace.write("forge", proof=proof)
    entry = only(look(workspace), "running")
    assert (entry.says, entry.verdict) == ("phase executing", "")
    words = "\n".join(lines(look(workspace), workspace.now))
    assert (f"\n    {newest} 1 h ago" in words) is bool(newest)
    shown: Any = for_dashboard({}, [str(workspace.root)], workspace.now, None)["running"]
    shown = shown[0]
    assert (shown["verdict"], shown["proof_says"]) == (None, newest or None)


# --- a run that only its history tells of, because another run of the mode has followed


def event(name: str, start: str = "", end: str = "", **data: object) -> Event:
    return Event(0, AN_HOUR_AGO, "forge", name, start, end, 1, "fix the login", data)


FAILED_ONE = event(
    "proof", "verifying", "verifying", command="make check", exit=2, seconds=1.0, passed=False, changed=[]
)
PASSED_ONE = event("proof", "verifying", "verifying", command="pytest -q", exit=0, seconds=1.0, passed=True, changed=[])


def finished(**data: object) -> Event:
    return event("outcome", "verifying", "finished", **data)


HISTORIES: dict[str, tuple[list[Event], str, str]] = {
    "an old history, without a verdict": ([finished()], "finished", ""),
    "proven": ([FAILED_ONE, PASSED_ONE, finished(proof="proven")], "finished, proven by `pytest -q`", "proven"),
    "the newest failed": (
        [PASSED_ONE, FAILED_ONE, finished(proof="unproven")], "finished, unproven: `make check` failed (exit 2)",
        "unproven",
    ),
    "proven in another folder": (
        [PASSED_ONE._replace(data={**PASSED_ONE.data, "folder": "../fake"}), finished(proof="proven")],
        "finished, proven by `pytest -q` in ../fake", "proven",
    ),
    "proven after it had finished": (
        [finished(proof="unproven"), PASSED_ONE], "finished, proven by `pytest -q`", "proven",
    ),
    "another outcome": ([PASSED_ONE, event("outcome", "verifying", "failed", proof="proven")],
                        "failed in phase verifying", ""),
}  # fmt: skip


@each_row(("events", "says", "verdict"), [pytest.param(*row, id=name) for name, row in HISTORIES.items()])
def test_an_earlier_run_has_its_verdict_from_the_history(
    events: list[Event], says: str, verdict: str, workspace: Workspace
) -> None:
    workspace.prompt("$forge fix the logout")
    told = [event("started", "", "starting"), *events, event("started", "", "starting")]
    written = history.append(str(workspace.state), "s1", told)
    assert written
    (workspace.folder("s1") / "history.jsonl").write_text(written.append)
    entry = only(look(workspace), "ended")
    assert (entry.says, entry.verdict) == (says, verdict)


def test_a_run_that_was_really_finished_keeps_its_verdict_behind_the_next_one(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the login")
    write(at(workspace)._replace(now=workspace.now), "forge", {"lifecycle_outcome": "finished"})
    now = ended_words(look(workspace))
    workspace.prompt("$forge fix the logout")
    assert now == "finished early, in phase starting; unproven"
    assert ended_words(look(workspace)) == now
