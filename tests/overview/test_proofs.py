"""The proof of a run in the overview: what came of it while the run goes on, and the verdict once it has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.overview.collect import for_dashboard
from rcs_hooks.overview.words import lines
from rcs_hooks.state import history
from rcs_hooks.state.history import Event
from tests.overview.test_overview import look, only
from tests.table import each_row

if TYPE_CHECKING:
    from tests.support import Workspace

Record = dict[str, Any]

TREE = "git:" + "a" * 64
AN_HOUR_AGO = "2023-11-14T21:13:20.000Z"
PASSED: Record = {
    "command": "pytest -q", "exit": 0, "seconds": 2.5, "at": AN_HOUR_AGO, "tree": TREE, "changed": [], "output": "",
    "timed_out": False, "state": "proven", "judged_at": AN_HOUR_AGO,
}  # fmt: skip


def test_a_run_that_goes_on_says_its_newest_proof(workspace: Workspace) -> None:
    workspace.write("forge", proof=PASSED)
    entry = only(look(workspace), "running")
    assert (entry.says, entry.verdict) == ("phase executing", "")
    assert "\n    `pytest -q` passed 1 h ago" in "\n".join(lines(look(workspace), workspace.now))
    shown: Any = for_dashboard({}, [str(workspace.root)], workspace.now, None)["running"]
    assert (shown[0]["verdict"], shown[0]["proof_says"]) == (None, "`pytest -q` passed")


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
    "unproven, and no proof was run": ([finished(proof="unproven")], "finished, unproven", "unproven"),
    "proven": ([FAILED_ONE, PASSED_ONE, finished(proof="proven")], "finished, proven by `pytest -q`", "proven"),
    "proven in another folder": (
        [PASSED_ONE._replace(data={**PASSED_ONE.data, "folder": "../fake"}), finished(proof="proven")],
        "finished, proven by `pytest -q` in ../fake", "proven",
    ),
    "proven after it had finished": (
        [finished(proof="unproven"), PASSED_ONE], "finished, proven by `pytest -q`", "proven",
    ),
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
