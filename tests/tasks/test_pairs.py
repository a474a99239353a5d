"""Each of the 8 x 8 pairs of phases that the table does not have is refused, with an override too."""

from __future__ import annotations

import pytest

from tests.table import each_row
from tests.tasks.rows import WHOLE_TASK
from tests.tasks.support import DRAWN, ENTER, PHASES, Record, Task

PAIRS = [(source, target) for source in PHASES for target in PHASES]
DRAWN_PAIRS = [(source, target) for source, targets in DRAWN.items() for target in targets]
OTHERS = [pair for pair in PAIRS if pair not in DRAWN_PAIRS and pair[0] != "done"]

FROM = {
    "planning": "plan_review, planning",
    "plan_review": "codegen, planning",
    "codegen": "review, planning, plan_review, codegen",
    "review": "test, codegen, planning",
    "test": "accept, codegen",
    "accept": "done, codegen, review, planning, revert",
    "revert": "done",
}


def test_the_contract_draws_19_pairs_and_45_are_none() -> None:
    assert (len(DRAWN_PAIRS), len(PAIRS) - len(DRAWN_PAIRS)) == (19, 45)


@each_row(("source", "target"), [pair for pair in OTHERS if pair[0] != pair[1] and pair[1] != "done"], ids="-".join)
def test_a_pair_that_is_not_drawn_is_no_transition(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = task.tree("transcript.jsonl")
    done = task(ENTER[target])
    words = f"{source} -> {target} is not a transition. A phase cannot be skipped. From {source}: {FROM[source]}."
    assert done == (1, "", f"rcs: task t1: {words}\n")
    assert task.tree("transcript.jsonl") == before
    assert task.story == [("refused", source, target)]


@each_row(("source", "target"), OTHERS, ids="-".join)
def test_an_override_adds_no_edge(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = task.tree("transcript.jsonl")
    done = task("next", "--override", "I accept the risk", "--to", target)
    assert done == (1, "", f"rcs: task t1: {source} -> {target} is not a transition; an override cannot skip a phase\n")
    assert task.tree("transcript.jsonl") == before
    assert task.story == [("refused", source, target)]


@each_row("command", [*ENTER.values(), "next"])
def test_done_leads_nowhere(task: Task, command: str) -> None:
    task.at("done", WHOLE_TASK)
    before = task.tree("transcript.jsonl")
    done = task(command)
    assert done == (1, "", "rcs: task t1 is done. Re-open it with rcs task redo t1 --phase <phase>.\n")
    assert task.tree("transcript.jsonl") == before


@each_row("target", PHASES)
def test_done_leads_nowhere_with_an_override_either(task: Task, target: str) -> None:
    task.at("done", WHOLE_TASK)
    before = task.tree("transcript.jsonl")
    done = task("next", "--override", "I accept the risk", "--to", target)
    assert done == (1, "", "rcs: task t1 is done. Re-open it with rcs task redo t1 --phase <phase>.\n")
    assert task.tree("transcript.jsonl") == before


CODES = [
    # what a program reads, phase, command
    ("not_a_transition", "planning", ("test",)),
    ("not_a_transition", "planning", ("next", "--override", "I accept the risk", "--to", "test")),
    ("override_needs_reason", "planning", ("next", "--override", " ", "--to", "plan_review")),
    ("task_done", "done", ("next",)),
    ("never_reached", "done", ("redo", "--phase", "revert")),
    ("redo_elsewhere", "codegen", ("redo", "--phase", "planning")),
]


@each_row(("code", "phase", "command"), CODES)
def test_a_refusal_has_a_code_for_programs(task: Task, code: str, phase: str, command: tuple[str, ...]) -> None:
    task.at(phase, WHOLE_TASK, revert={"round": 0})
    done = task(*command, "--json")
    assert (done.status, done.json["ok"], done.json["error"], done.json["code"]) == (1, False, code, code)


@each_row("phase", ENTER)
def test_a_done_task_is_opened_again_at_a_phase_that_it_has_seen(task: Task, phase: str) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo", "--phase", phase)
    assert (task.phase, task.round(phase)) == (phase, 2)
    assert task.story == [("redo", "done", phase)]


def test_a_done_task_is_opened_again_at_planning_where_nothing_is_said(task: Task) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo")
    assert (task.phase, task.round("planning")) == ("planning", 2)


@pytest.mark.parametrize("actors", [{}, {"revert": {"round": 0}}, {"revert": {"status": None}}], ids=str)
def test_a_done_task_is_not_opened_at_a_phase_that_it_has_never_seen(task: Task, actors: dict[str, Record]) -> None:
    task.at("done", WHOLE_TASK)
    state = task.state
    del state["actors"]["revert"]
    task.put("state.json", state | {"actors": state["actors"] | actors})
    before = task.tree("transcript.jsonl")
    done = task("redo", "--phase", "revert")
    assert done == (1, "", "rcs: task t1 never reached revert; redo cannot jump ahead\n")
    assert task.tree("transcript.jsonl") == before


@each_row(
    ("source", "target"),
    [(source, target) for source in ENTER for target in ENTER if source != target],
    ids="-".join,
)
def test_redo_goes_to_no_other_phase(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    before = task.tree("transcript.jsonl")
    done = task("redo", "--phase", target)
    assert (done.status, done.out) == (1, "")
    assert f"rcs task {ENTER[target]} t1" in done.err
    assert task.tree("transcript.jsonl") == before


@each_row("phase", ENTER)
def test_redo_of_the_present_phase_stays_there_and_counts(task: Task, phase: str) -> None:
    task.at(phase, WHOLE_TASK)
    task.did("redo")
    assert (task.phase, task.round(phase)) == (phase, 2)
    task.did("redo", "--phase", phase)
    assert (task.phase, task.round(phase)) == (phase, 3)
    assert task.story == [("redo", phase, phase)] * 2


def test_redo_of_done_itself_is_no_phase(task: Task) -> None:
    task.at("done", WHOLE_TASK)
    before = task.state_bytes
    assert task("redo", "--phase", "done").status in (1, 2)
    assert task.state_bytes == before
