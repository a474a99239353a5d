"""What a person is told who has typed a write: what it has changed, and nothing that only an agent needs."""

from __future__ import annotations

from typing import Any

from rcs_hooks.catalog import MODES
from rcs_hooks.workflow.commands import Commands
from rcs_hooks.workflow.messages.write_reply import Written, reply_to_person
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.table import each_row

ENDED: dict[str, Any] = {"active": False, "current_phase": "verifying"}
PROOF = {"command": "pytest -q", "exit": 0, "at": "2023-11-14T22:13:20.000Z", "tree": "t1", "state": "proven"}


def said(fields: dict[str, Any], *, session: str = "s1", mode: str = "forge", deferred: tuple[str, ...] = ()) -> str:
    before = ModeRecord({"active": True, "current_phase": "executing"})
    return reply_to_person([Written(MODES[mode], before, ModeRecord(fields), Commands("rcs", session))], deferred)


@each_row(("fields", "says"), [
    (ENDED | {"lifecycle_outcome": "userinterlude"},
     "forge: stopped by the user. `$forge` in its session takes it up again."),
    (ENDED | {"lifecycle_outcome": "blocked", "reason": "no\x1b key"},
     "forge: blocked (no key). `$forge` in its session takes it up again."),
    (ENDED | {"lifecycle_outcome": "finished"}, "forge: finished, unproven."),
    ({"active": True, "current_phase": "verifying", "lifecycle_outcome": "askuserQuestion"},
     "forge: waits for your next prompt."),
    ({"active": True, "current_phase": "verifying", "iteration": 2, "max_iterations": 50},
     "forge: verifying, round 2 of 50."),
    ({"active": False, "current_phase": "verifying"},
     "forge is not active, so nothing runs. To start it: rcs state write --mode forge --active --session s1"),
])  # fmt: skip
def test_it_has_no_advice_for_an_agent(fields: dict[str, Any], says: str) -> None:
    assert said(fields) == says


def test_a_record_of_the_workspace_is_taken_up_in_any_session() -> None:
    ended = ENDED | {"lifecycle_outcome": "failed"}
    assert said(ended, session="") == "forge: failed. `$forge` in a session here takes it up again."


def test_what_waited_for_it_is_named() -> None:
    words = said(ENDED | {"lifecycle_outcome": "finished"}, mode="blueprint", deferred=("team", "forge"))
    assert words.splitlines() == ["blueprint: finished.", "What waited for it starts where you type `$crew $forge`."]
