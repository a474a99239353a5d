"""What is said to have happened to a mode, by its records before and after."""

from __future__ import annotations

from typing import Any

from rcs_hooks.state.mode_events import events_of
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.table import each_row

Fields = dict[str, Any]
RUNS: Fields = {"active": True, "current_phase": "executing", "iteration": 2}


def asking(question: str) -> Fields:
    return {
        "lifecycle_outcome": "askuserQuestion",
        "question_enforcement": {"status": "pending", "question_id": question},
    }


PENDING, OTHER, OF_TEAM = map(asking, ("q1", "q2", "q3"))
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

ASKS = {"outcome": "askuserQuestion", "id": "q1", "text": "Which?"}
WAITS = RUNS | {"lifecycle_outcome": "askuserQuestion"}
FINISHED = ENDED | {"lifecycle_outcome": "finished"}
REASON: Fields = {"reason": "two writers race"}

Told = tuple[str, Fields]
ROWS: dict[str, tuple[list[Fields | None], list[Told]]] = {
    # the records, and what is told: event, phase before, phase after, round; and more
    "it starts after a run that ended": ([FINISHED, RUNS], [("started - executing 2", {})]),
    "it is taken up": ([ENDED | {"lifecycle_outcome": "failed"}, RUNS | RESUMED],
                       [("resumed failed executing 2", {"reason": "no disk"})]),
    "it starts and waits": ([None, RUNS | PENDING],
                            [("started - executing 2", {}), ("question executing executing 2", ASKS)]),
    "a field that is no progress": ([RUNS, RUNS | {"plan": "x.md", "state": {"a": 1}, "proof": "yes"}], []),
    "a round": ([RUNS, RUNS | {"iteration": 3}], [("phase executing executing 3", {})]),
    "a round because of a review": ([RUNS | REVIEW, RUNS | REVIEW | {"current_phase": "blueprint", "iteration": 3}],
                                    [("phase executing blueprint 3", REASON)]),
    "a phase after a review": ([RUNS | REVIEW, RUNS | REVIEW | {"current_phase": "forge"}],
                               [("phase executing forge 2", {})]),
    "a round that is no number": ([RUNS, RUNS | {"iteration": "3"}], [("phase executing executing None", {})]),
    "a round that no one could mean": ([RUNS, RUNS | {"iteration": 10**12}], [("phase executing executing None", {})]),
    "a question of another mode": ([RUNS, RUNS | OF_TEAM],
                                   [("question executing executing 2", ASKS | {"id": "q3", "asked_by": "team"})]),
    "a wait without a question": ([RUNS, WAITS],
                                  [("question executing executing 2", {"outcome": "askuserQuestion"})]),
    "a wait of another tool": ([RUNS, RUNS | {"run_outcome": "blocked_on_user"}],
                               [("question executing executing 2", {"outcome": "userinterlude"})]),
    "the next question": ([RUNS | PENDING, RUNS | OTHER],
                          [("question executing executing 2", ASKS | {"id": "q2", "text": "And now?"})]),
    "the same question": ([RUNS | PENDING, RUNS | PENDING | {"updated_at": "x"}], []),
    "an answer and a phase": ([RUNS | PENDING, RUNS | {"current_phase": "verifying"}],
                              [("phase executing verifying 2", {}), ("answer verifying verifying 2", {"id": "q1"})]),
    "it finishes": ([RUNS, FINISHED | {"evidence": "9 pass"}],
                    [("outcome executing finished 2", {"evidence": "9 pass"})]),
    "it finishes early": ([RUNS, FINISHED | {"early": True}], [("outcome executing finished 2", {"early": True})]),
    "a command has passed or not": ([RUNS, RUNS | PROOF], [("proof executing executing 2", PROVED)]),
    "the verdict on the same proof is another": (
        [RUNS | PROOF, RUNS | {"proof": {**PROOF["proof"], "state": "proven", "judged_at": "b"}}], []),
    "it finishes by a proof": ([RUNS, FINISHED | PROOF], [("proof executing executing 2", PROVED),
                                                         ("outcome executing finished 2", {"proof": "unproven"})]),
    "its proof ran in another folder": ([RUNS, RUNS | ELSEWHERE],
                                        [("proof executing executing 2", PROVED | {"folder": "../fake"})]),
    "it fails, and has a proof": ([RUNS | PROOF, ENDED | PROOF | {"lifecycle_outcome": "failed"}],
                                  [("outcome executing failed 2", {})]),
    "a run that has finished is proven later": ([FINISHED | UNPROVEN, FINISHED | PROOF],
                                                [("proof executing finished 2", PROVED)]),
    "a run with a proof is begun anew": ([RUNS | PROOF, RUNS | {"started_at": "2", "updated_at": "2"}],
                                         [("started executing executing 2", {})]),
    "it fails in another phase": (
        [RUNS, ENDED | {"current_phase": "fixing", "lifecycle_outcome": "failed", "reason": "no disk"}],
        [("phase executing fixing 2", {}), ("outcome fixing failed 2", {"reason": "no disk"})]),
    "its phase is a word for an ending": ([RUNS, RUNS | {"current_phase": "complete"}],
                                          [("outcome executing finished 2", {})]),
    "it is cancelled while it waits": ([RUNS | PENDING, ENDED | {"lifecycle_outcome": "userinterlude"}],
                                       [("outcome executing userinterlude 2", {})]),
    "it is switched off": ([RUNS, ENDED], [("outcome executing off 2", {})]),
    "its record becomes a tombstone": ([RUNS, TOMBSTONE], [("outcome executing cleared 2", {})]),
    "it hands over with a plan": ([RUNS, HANDED_OVER | {"plan": "x.md"}],
                                  [("handoff executing team 2", {"plan": "x.md"})]),
    "the outcome of a run that is over is another": ([FINISHED, ENDED | {"lifecycle_outcome": "failed"}],
                                                     [("outcome executing failed 2", {})]),
    "a run that is over gets evidence": ([FINISHED, FINISHED | {"evidence": "x"}], []),
    "the record of a run that is over is removed": ([FINISHED, None], []),
    "a record is written that runs nothing": ([None, ENDED], []),
    "a tombstone where nothing was": ([None, TOMBSTONE], []),
    "one run ends and the next begins": (
        [RUNS, ENDED | {"lifecycle_outcome": "userinterlude"}, RUNS | {"resumed_from": {"outcome": "userinterlude"}}],
        [("outcome executing userinterlude 2", {}), ("resumed userinterlude executing 2", {})]),
    "what was only drafted on the way": (
        [None, RUNS | {"current_phase": "starting"}, RUNS | {"current_phase": "verifying"}],
        [("started - verifying 2", {})]),
}  # fmt: skip


def record(fields: Fields | None) -> ModeRecord | None:
    return None if fields is None else ModeRecord(fields)


@each_row(("steps", "told"), ROWS.values(), ids=ROWS)
def test_what_happened(steps: list[Fields | None], told: list[Told]) -> None:
    events = events_of({"forge": list(map(record, steps))}, ASKED, now="2026-01-01T00:00:00.000Z")
    found = [(f"{each.event} {each.from_ or '-'} {each.to} {each.iteration}", each.data) for each in events]
    assert found == told
    assert {(each.n, each.at, each.mode) for each in events} <= {(0, "2026-01-01T00:00:00.000Z", "forge")}


def test_the_fields_of_a_hostile_record_are_cleaned_and_bounded() -> None:
    hostile = RUNS | {"current_phase": 'a "b"\x1b[2J\n' + "c" * 300}
    (event,) = events_of({"forge": [record(RUNS), record(hostile)]}, {}, now="")
    assert event.to == "a 'b' [2J " + "c" * 117 + "…"


TITLED: Fields = {"title": "fix it"}


@each_row(("steps", "title"), [
    ([RUNS | TITLED, FINISHED | TITLED], "fix it"), ([RUNS | TITLED, None], "fix it"),
    ([RUNS | TITLED, TOMBSTONE], "fix it"), ([FINISHED | TITLED, RUNS], ""),
])  # fmt: skip
def test_each_event_has_the_title_of_its_run(steps: list[Fields | None], title: str) -> None:
    (event,) = events_of({"forge": list(map(record, steps))}, {}, now="")
    assert event.title == title
