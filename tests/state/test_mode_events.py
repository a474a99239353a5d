"""What is said to have happened to a mode, by its records before and after."""

from __future__ import annotations

from typing import Any

from rcs_hooks.state.mode_events import events_of
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.table import each_row

Fields = dict[str, Any]
RUNS: Fields = {"active": True, "current_phase": "executing", "iteration": 2}
PENDING: Fields = {
    "lifecycle_outcome": "askuserQuestion",
    "question_enforcement": {"status": "pending", "question_id": "q1"},
}
OTHER: Fields = {
    "lifecycle_outcome": "askuserQuestion",
    "question_enforcement": {"status": "pending", "question_id": "q2"},
}
OF_TEAM: Fields = {
    "lifecycle_outcome": "askuserQuestion",
    "question_enforcement": {"status": "pending", "question_id": "q3"},
}
ENDED: Fields = {"active": False, "current_phase": "executing", "iteration": 2}
TOMBSTONE: Fields = {"active": False, "current_phase": "cleared", "completed_at": "2026-01-01T00:00:00Z"}
RESUMED: Fields = {"resumed_from": {"outcome": "failed", "reason": "no disk"}}
REVIEW: Fields = {"state": {"review_verdict": "not clean", "return_to_blueprint_reason": "two writers race"}}
HANDED_OVER: Fields = {
    **ENDED, "current_phase": "completed", "lifecycle_outcome": "finished", "transition_target_mode": "team",
}  # fmt: skip
ASKED: dict[str, dict[str, object]] = {
    "q1": {"question": "Which?", "answer": "the first"},
    "q2": {"question": "And now?", "source": "forge"},
    "q3": {"question": "Which?", "source": "team"},
}

PROOF: Fields = {
    "proof": {"command": "make\x1b", "exit": 2, "seconds": 1.5, "at": "a", "tree": "", "changed": ["a"], "state": "x"},
}
PROVED: Fields = {"command": "make", "exit": 2, "seconds": 1.5, "passed": False, "changed": ["a"]}
ELSEWHERE: Fields = {"proof": {"command": "make", "exit": 2, "seconds": 1.5, "changed": ["a"], "folder": "../fake"}}
UNPROVEN: Fields = {"proof": {"state": "unproven", "judged_at": "b"}}

Row = tuple[list[Fields | None], list[tuple[object, ...]]]
ROWS: dict[str, Row] = {
    "it starts": ([None, RUNS], [("started", "", "executing", 2, {})]),
    "it starts after a run that ended": (
        [ENDED | {"lifecycle_outcome": "finished"}, RUNS],
        [("started", "", "executing", 2, {})],
    ),
    "it is taken up": (
        [ENDED | {"lifecycle_outcome": "failed"}, RUNS | RESUMED],
        [("resumed", "failed", "executing", 2, {"reason": "no disk"})],
    ),
    "it starts and waits": (
        [None, RUNS | PENDING],
        [
            ("started", "", "executing", 2, {}),
            ("question", "executing", "executing", 2, {"outcome": "askuserQuestion", "id": "q1", "text": "Which?"}),
        ],
    ),
    "nothing": ([RUNS, RUNS], []),
    "a field that is no progress": ([RUNS, RUNS | {"plan": "x.md", "state": {"a": 1}}], []),
    "a phase": ([RUNS, RUNS | {"current_phase": "verifying"}], [("phase", "executing", "verifying", 2, {})]),
    "a round": ([RUNS, RUNS | {"iteration": 3}], [("phase", "executing", "executing", 3, {})]),
    "a phase and a round": (
        [RUNS, RUNS | {"current_phase": "fixing", "iteration": 3}],
        [("phase", "executing", "fixing", 3, {})],
    ),
    "a round because of a review": (
        [RUNS | REVIEW, RUNS | REVIEW | {"current_phase": "blueprint", "iteration": 3}],
        [("phase", "executing", "blueprint", 3, {"reason": "two writers race"})],
    ),
    "a phase after a review": (
        [RUNS | REVIEW, RUNS | REVIEW | {"current_phase": "forge"}],
        [("phase", "executing", "forge", 2, {})],
    ),
    "a round that is no number": ([RUNS, RUNS | {"iteration": "3"}], [("phase", "executing", "executing", None, {})]),
    "a round that no one could mean": (
        [RUNS, RUNS | {"iteration": 10**12}],
        [("phase", "executing", "executing", None, {})],
    ),
    "a question": (
        [RUNS, RUNS | PENDING],
        [("question", "executing", "executing", 2, {"outcome": "askuserQuestion", "id": "q1", "text": "Which?"})],
    ),
    "a question of another mode": (
        [RUNS, RUNS | OF_TEAM],
        [
            (
                "question",
                "executing",
                "executing",
                2,
                {"outcome": "askuserQuestion", "id": "q3", "text": "Which?", "asked_by": "team"},
            )
        ],
    ),
    "a wait without a question": (
        [RUNS, RUNS | {"lifecycle_outcome": "askuserQuestion"}],
        [("question", "executing", "executing", 2, {"outcome": "askuserQuestion"})],
    ),
    "a wait of another tool": (
        [RUNS, RUNS | {"run_outcome": "blocked_on_user"}],
        [("question", "executing", "executing", 2, {"outcome": "userinterlude"})],
    ),
    "the next question": (
        [RUNS | PENDING, RUNS | OTHER],
        [("question", "executing", "executing", 2, {"outcome": "askuserQuestion", "id": "q2", "text": "And now?"})],
    ),
    "the same question": ([RUNS | PENDING, RUNS | PENDING | {"updated_at": "x"}], []),
    "an answer": (
        [RUNS | PENDING, RUNS],
        [("answer", "executing", "executing", 2, {"id": "q1"})],
    ),
    "an answer and a phase": (
        [RUNS | PENDING, RUNS | {"current_phase": "verifying"}],
        [
            ("phase", "executing", "verifying", 2, {}),
            ("answer", "verifying", "verifying", 2, {"id": "q1"}),
        ],
    ),
    "it finishes": (
        [RUNS, ENDED | {"lifecycle_outcome": "finished", "evidence": "pytest: 3 passed"}],
        [("outcome", "executing", "finished", 2, {"evidence": "pytest: 3 passed"})],
    ),
    "it finishes early": (
        [RUNS, ENDED | {"lifecycle_outcome": "finished", "early": True}],
        [("outcome", "executing", "finished", 2, {"early": True})],
    ),
    "a command has passed or not": (
        [RUNS, RUNS | PROOF],
        [("proof", "executing", "executing", 2, PROVED)],
    ),
    "the verdict on the same proof is another": (
        [RUNS | PROOF, RUNS | {"proof": {**PROOF["proof"], "state": "proven", "judged_at": "b"}}],
        [],
    ),
    "what is no proof is written": ([RUNS, RUNS | {"proof": "yes"}], []),
    "it finishes by a proof": (
        [RUNS, ENDED | PROOF | {"lifecycle_outcome": "finished"}],
        [
            ("proof", "executing", "executing", 2, PROVED),
            ("outcome", "executing", "finished", 2, {"proof": "unproven"}),
        ],
    ),
    "its proof ran in another folder": (
        [RUNS, RUNS | ELSEWHERE],
        [("proof", "executing", "executing", 2, PROVED | {"folder": "../fake"})],
    ),
    "it finishes without one": (
        [RUNS, ENDED | UNPROVEN | {"lifecycle_outcome": "finished"}],
        [("outcome", "executing", "finished", 2, {"proof": "unproven"})],
    ),
    "it fails, and has a proof": (
        [RUNS | PROOF, ENDED | PROOF | {"lifecycle_outcome": "failed"}],
        [("outcome", "executing", "failed", 2, {})],
    ),
    "a run that has finished is proven later": (
        [ENDED | UNPROVEN | {"lifecycle_outcome": "finished"}, ENDED | PROOF | {"lifecycle_outcome": "finished"}],
        [("proof", "executing", "finished", 2, PROVED)],
    ),
    "a run with a proof is begun anew": (
        [RUNS | PROOF, RUNS | {"started_at": "2", "updated_at": "2"}],
        [("started", "executing", "executing", 2, {})],
    ),
    "it fails in another phase": (
        [RUNS, ENDED | {"current_phase": "fixing", "lifecycle_outcome": "failed", "reason": "no disk"}],
        [("phase", "executing", "fixing", 2, {}), ("outcome", "fixing", "failed", 2, {"reason": "no disk"})],
    ),
    "its phase is a word for an ending": (
        [RUNS, RUNS | {"current_phase": "complete"}],
        [("outcome", "executing", "finished", 2, {})],
    ),
    "it is cancelled while it waits": (
        [RUNS | PENDING, ENDED | {"lifecycle_outcome": "userinterlude"}],
        [("outcome", "executing", "userinterlude", 2, {})],
    ),
    "it is switched off": ([RUNS, ENDED], [("outcome", "executing", "off", 2, {})]),
    "its record is removed": ([RUNS, None], [("outcome", "executing", "cleared", 2, {})]),
    "its record becomes a tombstone": ([RUNS, TOMBSTONE], [("outcome", "executing", "cleared", 2, {})]),
    "it hands over": ([RUNS, HANDED_OVER], [("handoff", "executing", "team", 2, {})]),
    "it hands over with a plan": (
        [RUNS, HANDED_OVER | {"plan": ".rcs/plans/x.md"}],
        [("handoff", "executing", "team", 2, {"plan": ".rcs/plans/x.md"})],
    ),
    "the outcome of a run that is over is another": (
        [ENDED | {"lifecycle_outcome": "finished"}, ENDED | {"lifecycle_outcome": "failed"}],
        [("outcome", "executing", "failed", 2, {})],
    ),
    "a run that is over gets evidence": (
        [ENDED | {"lifecycle_outcome": "finished"}, ENDED | {"lifecycle_outcome": "finished", "evidence": "x"}],
        [],
    ),
    "the record of a run that is over is removed": ([ENDED | {"lifecycle_outcome": "finished"}, None], []),
    "a record is written that runs nothing": ([None, ENDED], []),
    "a tombstone where nothing was": ([None, TOMBSTONE], []),
    "one run ends and the next begins": (
        [RUNS, ENDED | {"lifecycle_outcome": "userinterlude"}, RUNS | {"resumed_from": {"outcome": "userinterlude"}}],
        [
            ("outcome", "executing", "userinterlude", 2, {}),
            ("resumed", "userinterlude", "executing", 2, {}),
        ],
    ),
    "what was only drafted on the way": (
        [None, RUNS | {"current_phase": "starting"}, RUNS | {"current_phase": "verifying"}],
        [("started", "", "verifying", 2, {})],
    ),
    "the fields of a hostile record": (
        [RUNS, RUNS | {"current_phase": 'a "b"\x1b[2J\n' + "c" * 300}],
        [("phase", "executing", "a 'b' [2J " + "c" * 117 + "…", 2, {})],
    ),
}


def record(fields: Fields | None) -> ModeRecord | None:
    return None if fields is None else ModeRecord(fields)


@each_row(("steps", "told"), ROWS.values(), ids=ROWS)
def test_what_happened(steps: list[Fields | None], told: list[tuple[object, ...]]) -> None:
    events = events_of({"forge": list(map(record, steps))}, ASKED, now="2026-01-01T00:00:00.000Z")
    assert [(each.event, each.from_, each.to, each.iteration, each.data) for each in events] == told
    assert {(each.n, each.at, each.mode) for each in events} <= {(0, "2026-01-01T00:00:00.000Z", "forge")}


def test_each_event_has_the_title_of_its_run() -> None:
    steps = [record(RUNS | {"title": "fix it"}), record(ENDED | {"title": "fix it", "lifecycle_outcome": "finished"})]
    assert [event.title for event in events_of({"forge": steps, "team": [None, record(RUNS)]}, {}, now="")] == [
        "fix it", "",
    ]  # fmt: skip


def test_the_title_of_a_removed_record_is_the_one_that_it_had() -> None:
    (event,) = events_of({"forge": [record(RUNS | {"title": "fix it"}), None]}, {}, now="")
    assert event.title == "fix it"


def test_a_run_that_nobody_named_has_not_the_title_of_the_one_before() -> None:
    ended = ENDED | {"title": "fix it", "lifecycle_outcome": "finished"}
    (event,) = events_of({"forge": [record(ended), record(RUNS)]}, {}, now="")
    assert (event.event, event.title) == ("started", "")


def test_a_run_that_a_tombstone_ends_had_its_title() -> None:
    (event,) = events_of({"forge": [record(RUNS | {"title": "fix it"}), record(TOMBSTONE)]}, {}, now="")
    assert (event.event, event.title) == ("outcome", "fix it")
