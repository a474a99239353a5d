"""What each change makes of the record of a mode: whole records, written by hand from the contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rcs_hooks.catalog import MODES
from rcs_hooks.state import mode_changes
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.support import Record
from tests.table import each_row

NOW, BEFORE = "2023-11-14T22:13:20.000Z", "2023-11-13T22:13:20.000Z"
Change = Callable[[ModeRecord], ModeRecord]

RUNS: Record = {"active": True, "mode": "forge", "current_phase": "executing"}
ASKED: Record = {"status": "pending", "question_id": "q1"}
FRESH: Record = {"active": True, "started_at": NOW, "updated_at": NOW, "run": NOW, "state": {}}
ENDED: Record = {"active": False, "mode": "forge", "current_phase": "verifying", "completed_at": BEFORE, "note": "x"}
AUDIT: Record = {
    "auto_completed_reason": "x", "completion_note": "x", "transition_source": "x", "transition_target_mode": "x",
}  # fmt: skip


def start(mode: str = "forge", session: str | None = "s1", turn: str | None = "t1") -> Change:
    return lambda old: mode_changes.started(MODES[mode], old, session=session, turn=turn, now=NOW)


def outcome(word: str) -> Change:
    return lambda old: mode_changes.with_outcome(old, word, now=NOW)


def answer(old: ModeRecord) -> ModeRecord:
    return mode_changes.answered(MODES["forge"], old, now=NOW)


def write(session: str | None = None, **fields: object) -> Change:
    return lambda old: mode_changes.merged("forge", old, fields, session=session, now=NOW)


def keep(covered: Record) -> Change:
    """A write that leaves this behind."""
    return lambda old: mode_changes.keeping_outcome(ModeRecord(covered), old)


TAKEN_UP = "the run was taken up again"
CHANGES: list[tuple[str, Record, Change, Record]] = [
    # what happens, the record before, the change, the record after
    ("a run that is active goes on as it is", RUNS, start(), RUNS),
    ("a finished run is followed by one that has nothing of it but the fields that nobody here knows",
     ENDED | AUDIT | {"lifecycle_outcome": "finished", "terminal_outcome": "finished", "run_outcome": "finish",
     "error": "x", "iteration": 7, "max_iterations": 9, "state": {"step": 3}, "review_cycle": 2,
     "review_verdict": "clean", "return_to_blueprint_reason": "x", "resumed_from": {"outcome": "x"},
     "question_enforcement": ASKED}, start("forge", "s1", None),
     FRESH | {"mode": "forge", "current_phase": "starting", "session_id": "s1", "iteration": 0, "max_iterations": 50,
     "note": "x"}),
    ("a failed run is taken up where it stopped",
     ENDED | AUDIT | {"lifecycle_outcome": "failed", "terminal_outcome": "failed", "run_outcome": "failed",
     "error": "it broke", "iteration": 7, "max_iterations": 50, "session_id": "s0", "question_enforcement": ASKED},
     start(),
     {"active": True, "mode": "forge", "current_phase": "verifying", "note": "x", "iteration": 7, "max_iterations": 50,
     "session_id": "s1", "turn_id": "t1", "updated_at": NOW, "run": NOW,
     "question_enforcement": ASKED | {"status": "cleared", "cleared_at": NOW, "clear_reason": TAKEN_UP},
     "resumed_from": {"outcome": "failed", "completed_at": BEFORE, "error": "it broke"}}),
    ("a run that is taken up has iterations left, and a phase that is no outcome",
     {"active": False, "mode": "forge", "current_phase": "failed", "iteration": 50, "max_iterations": 50},
     start("forge", None, None),
     {"active": True, "mode": "forge", "current_phase": "starting", "iteration": 0, "max_iterations": 50,
     "updated_at": NOW, "run": NOW, "resumed_from": {"outcome": "failed", "completed_at": None, "error": None}}),
    ("a record that was cleared is no run to take up",
     {"active": False, "mode": "team", "current_phase": "cleared", "run_outcome": "failed"}, start("team", None, None),
     FRESH | {"mode": "team", "current_phase": "starting"}),
    ("a mode waits for an answer", RUNS | {"terminal_outcome": "askuserQuestion"},
     lambda old: mode_changes.waiting("forge", old, question="q1", now=NOW),
     RUNS | {"lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user", "updated_at": NOW,
     "question_enforcement": {"obligation_id": "obligation-q1", "source": "forge", "status": "pending",
     "lifecycle_outcome": "askuserQuestion", "requested_at": NOW, "question_id": "q1"}}),
    ("an answer ends the wait",
     RUNS | {"lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user", "question_enforcement": ASKED},
     answer, RUNS | {"updated_at": NOW, "question_enforcement": ASKED | {"status": "satisfied", "satisfied_at": NOW}}),
    ("an answer ends a wait that the phase states", RUNS | {"current_phase": "blocked_on_user"}, answer,
     RUNS | {"current_phase": "starting", "updated_at": NOW}),
    ("an answer leaves a run that does not wait as it is", RUNS | {"run_outcome": "progress"}, answer,
     RUNS | {"run_outcome": "progress", "updated_at": NOW}),
    ("an end switches the mode off and clears its question",
     RUNS | {"terminal_outcome": "finished", "question_enforcement": ASKED}, outcome("failed"),
     RUNS | {"active": False, "lifecycle_outcome": "failed", "run_outcome": "failed", "updated_at": NOW,
     "completed_at": NOW, "question_enforcement": ASKED | {"status": "cleared", "cleared_at": NOW,
     "clear_reason": "the run ended: failed"}}),
    ("a question that was answered is not cleared", RUNS | {"question_enforcement": {"status": "satisfied"}},
     outcome("blocked"),
     RUNS | {"active": False, "lifecycle_outcome": "blocked", "run_outcome": "blocked", "updated_at": NOW,
     "completed_at": NOW, "question_enforcement": {"status": "satisfied"}}),
    ("the person says that a run at its last iteration goes on", RUNS | {"iteration": 50, "max_iterations": 50},
     lambda old: mode_changes.continued(MODES["forge"], old, now=NOW),
     RUNS | {"iteration": 0, "max_iterations": 50, "updated_at": NOW}),
    ("the person says that a run with iterations left goes on", RUNS | {"iteration": 7, "max_iterations": 50},
     lambda old: mode_changes.continued(MODES["forge"], old, now=NOW),
     RUNS | {"iteration": 7, "max_iterations": 50, "updated_at": NOW}),
    ("a write to nothing switches nothing on", {}, write(note=1),
     {"mode": "forge", "note": 1, "updated_at": NOW, "active": False}),
    ("a write merges `state` key by key, and leaves a question open while the mode runs",
     RUNS | {"state": {"a": 1, "b": 1}, "question_enforcement": ASKED},
     write("s1", state={"b": 2, "c": 3}, updated_at=BEFORE),
     RUNS | {"state": {"a": 1, "b": 2, "c": 3}, "question_enforcement": ASKED, "session_id": "s1",
     "updated_at": BEFORE}),
    ("a write that switches a mode off clears its question", RUNS | {"question_enforcement": ASKED},
     write(active=False),
     RUNS | {"active": False, "updated_at": NOW,
     "question_enforcement": ASKED | {"status": "cleared", "cleared_at": NOW,
     "clear_reason": "the run ended: switched off"}}),
    ("a write of an end switches the mode off, says it in both fields and clears its question",
     RUNS | {"question_enforcement": ASKED}, write(terminal_outcome="failed"),
     RUNS | {"active": False, "terminal_outcome": "failed", "lifecycle_outcome": "failed", "run_outcome": "failed",
     "updated_at": NOW, "completed_at": NOW, "question_enforcement": ASKED | {"status": "cleared", "cleared_at": NOW,
     "clear_reason": "the run ended: failed"}}),
    ("a write of the legacy field alone states the canonical one, and keeps the time of the end", RUNS,
     write(run_outcome="cancelled", completed_at=BEFORE),
     RUNS | {"active": False, "run_outcome": "cancelled", "lifecycle_outcome": "userinterlude", "updated_at": NOW,
     "completed_at": BEFORE}),
    ("of two canonical fields in a write, the first one decides", RUNS,
     write(lifecycle_outcome="failed", terminal_outcome="finished"),
     RUNS | {"active": False, "lifecycle_outcome": "failed", "terminal_outcome": "finished", "run_outcome": "failed",
     "updated_at": NOW, "completed_at": NOW}),
    ("a legacy word that ends nothing states nothing", RUNS, write(run_outcome="blocked_on_user"),
     RUNS | {"run_outcome": "blocked_on_user", "updated_at": NOW}),
    ("a write that covers up an end states it again", RUNS | {"current_phase": "complete"}, keep(RUNS),
     RUNS | {"lifecycle_outcome": "finished", "run_outcome": "finish"}),
    ("a write that covers up a wait states it again", RUNS | {"lifecycle_outcome": "askuserQuestion"}, keep(RUNS),
     RUNS | {"lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user"}),
    ("a wait that only the legacy field states is stated there again", RUNS | {"run_outcome": "blocked_on_user"},
     keep(RUNS | {"run_outcome": "progress"}), RUNS | {"run_outcome": "blocked_on_user"}),
    ("a write that states an outcome is not covered up", ENDED | {"run_outcome": "failed"},
     keep(ENDED | {"run_outcome": "finish"}), ENDED | {"run_outcome": "finish"}),
    ("a write switches nothing on that was off", RUNS | {"active": False}, keep(RUNS), RUNS | {"active": False}),
    ("where there was no record, a write switches on", {}, keep(RUNS), RUNS),
]  # fmt: skip


@each_row(("before", "change", "after"), [pytest.param(*row[1:], id=row[0]) for row in CHANGES])
def test_what_a_change_makes_of_a_record(before: Record, change: Change, after: Record) -> None:
    assert change(ModeRecord(before)).to_json() == after
