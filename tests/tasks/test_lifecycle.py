"""The edges of the contract are those of the program: no pair beside them, no override past them, nothing twice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rcs_hooks.tasks import diagram
from rcs_hooks.tasks.edges import EDGES, as_tried, forward, main_path
from rcs_hooks.tasks.guards.edge import always_open
from tests import contract
from tests.contract import ENTER, PHASES, TRIED
from tests.support import clean_env
from tests.table import each_row
from tests.tasks.paths import DECISION, PLAN, PLAN_REVIEW
from tests.tasks.rows import ROWS, WHOLE_PLAN, WHOLE_TASK, Row
from tests.tasks.support import DRAWN, Task

LINE = re.compile(r"^ *(\w+) --> (\w+)(?:: (.+))?$", re.MULTILINE)
NONE = [(source, target) for source in PHASES for target in PHASES if source != "done" and target not in DRAWN[source]]
"""The pairs that nobody has drawn."""
DONE = "rcs: task t1 is done. Re-open it with rcs task redo t1 --phase <phase>.\n"


def refused(task: Task, command: str, *options: str) -> str:
    """Return what a command says that changes nothing but the transcript."""
    before = task.tree("transcript.jsonl")
    done = task(command, *options)
    assert (done.status, done.out, task.tree("transcript.jsonl")) == (1, "", before)
    return done.err


# --- the table


def test_the_diagram_and_the_guards_have_the_edges_of_the_contract() -> None:
    text = Path(diagram.LIFECYCLE).read_text()
    assert [(one, other, label or None) for one, other, label in LINE.findall(text)] == [*contract.EDGES]
    assert [line.strip() for line in text.splitlines() if line.startswith(("```", "    [*]"))] == [
        "```mermaid", "[*] --> planning", "```",
    ]  # fmt: skip
    assert [edge[:3] for edge in EDGES] == [*contract.EDGES]
    assert {edge[2] for edge in EDGES if edge.guard is always_open} == {"re-plan (redo)", "re-run codegen"}


def test_the_machine_that_the_runs_are_told_of_has_the_same_pairs() -> None:
    machine = diagram.machine()
    assert machine
    assert {(one, other) for one, other, _ in machine.transitions} == {edge[:2] for edge in contract.EDGES}
    assert (machine.initial, set(machine.states)) == (("planning",), set(PHASES))


def test_next_asks_problem_edges_first_and_the_way_forward_last() -> None:
    assert {phase: tuple(edge.target for edge in as_tried(phase)) for phase in PHASES} == TRIED
    assert {phase: forward(phase) for phase in ENTER} == {phase: TRIED[phase][-1] for phase in ENTER}
    assert main_path() == [phase for phase in PHASES if phase != "revert"]


@each_row("phase", PHASES)
def test_the_ways_out_of_a_phase_are_those_that_are_drawn(task: Task, phase: str) -> None:
    task.at(phase)
    assert tuple(edge["to"] for edge in task("status", "--json").json["edges"]) == DRAWN[phase]


@pytest.mark.parametrize("command", [["list"], ["status", "--help"]], ids=" ".join)
def test_what_reads_no_artifact_does_not_load_their_forms(tmp_path: Path, command: list[str]) -> None:
    code = f"import sys; from rcs_hooks.cli.main import main; main(['task', *{command!r}]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=clean_env(), check=True
    )
    assert "pydantic" not in done.stdout.splitlines()[-1].split()


# --- no other pair


@each_row(("source", "target"), NONE, ids="-".join)
def test_a_pair_that_is_not_drawn_is_no_transition(task: Task, source: str, target: str) -> None:
    task.at(source, WHOLE_TASK)
    if source != target and target in ENTER:
        words = f"is not a transition. A phase cannot be skipped. From {source}: {', '.join(DRAWN[source])}."
        assert refused(task, ENTER[target]) == f"rcs: task t1: {source} -> {target} {words}\n"
    words = f"{source} -> {target} is not a transition; an override cannot skip a phase\n"
    assert refused(task, "next", "--override", "I accept the risk", "--to", target) == f"rcs: task t1: {words}"
    assert {*task.story} == {("refused", source, target)}


def test_done_leads_nowhere(task: Task) -> None:
    task.at("done", WHOLE_TASK)
    for command in (*ENTER.values(), "next"):
        assert refused(task, command) == DONE
    for target in PHASES:
        assert refused(task, "next", "--override", "I accept the risk", "--to", target) == DONE


@each_row(("code", "phase", "command"), [
    ("not_a_transition", "planning", ("test",)),
    ("not_a_transition", "planning", ("next", "--override", "I accept the risk", "--to", "test")),
    ("override_needs_reason", "planning", ("next", "--override", " ", "--to", "plan_review")),
    ("task_done", "done", ("next",)),
    ("never_reached", "done", ("redo", "--phase", "revert")),
    ("redo_elsewhere", "codegen", ("redo", "--phase", "planning")),
])  # fmt: skip
def test_a_refusal_has_a_code_for_programs(task: Task, code: str, phase: str, command: tuple[str, ...]) -> None:
    task.at(phase, WHOLE_TASK, revert={"round": 0})
    done = task(*command, "--json")
    assert (done.status, done.json["ok"], done.json["error"], done.json["code"]) == (1, False, code, code)


# --- redo


@each_row("phase", ENTER)
def test_redo_stays_and_counts_and_opens_a_done_task_again_and_goes_nowhere_else(task: Task, phase: str) -> None:
    task.at("done", WHOLE_TASK)
    task.did("redo", "--phase", phase)
    assert (task.phase, task.round(phase)) == (phase, 2)
    task.did("redo")
    assert (task.phase, task.round(phase)) == (phase, 3)
    assert task.story == [("redo", "done", phase), ("redo", phase, phase)]
    for target in ENTER:
        if target != phase:
            assert f"rcs task {ENTER[target]} t1" in refused(task, "redo", "--phase", target)


# --- twice


@each_row("row", [row for row in ROWS.values() if row.command in ENTER.values()])
def test_a_phase_command_twice_is_once(task: Task, row: Row) -> None:
    row.on(task)
    task.did(row.command)
    assert task.phase == row.target
    before = task.tree()
    assert task.did(row.command) == f"task t1: already in {row.target}\n  next: rcs task status t1\n"
    assert task(row.command, "--json").json["ok"] is True
    assert task.tree() == before


def test_looking_writes_nothing(task: Task) -> None:
    task.at("review", {PLAN: WHOLE_PLAN})
    before = task.tree()
    assert task.did("status") == task.did("status")
    assert task.rcs("task", "list").status == 0
    assert task.tree() == before


def test_a_decision_to_stay_is_recorded_and_moves_nothing(task: Task) -> None:
    task.at("accept")
    before = task.state_bytes
    for _ in range(2):
        task.did("accept", "--decision", "deferred", "--reason", "wait for the release")
        assert (task.read(DECISION)["decision"], task.state_bytes) == ("deferred", before)


# --- an override


@each_row(("source", "target"), sorted({(row.source, row.target) for row in ROWS.values()}), ids="-".join)
def test_any_edge_that_is_drawn_can_be_taken(task: Task, source: str, target: str) -> None:
    task.at(source)
    to = () if target == TRIED[source][-1] else ("--to", target)
    task.did("next", "--override", "I accept the risk", *to)
    assert (task.phase, task.story) == (target, [("override", source, target)])


@each_row("reason", ["", "\t \n", "\u00a0\u2003"], ids=ascii)
@each_row("target", [(), ("--to", "planning")], ids=["on", "back"])
def test_a_reason_must_be_given(task: Task, reason: str, target: tuple[str, ...]) -> None:
    task.at("plan_review", {PLAN_REVIEW: {"ok": True, "blocked": False}})
    assert refused(task, "next", "--override", reason, *target) == "rcs: --override needs a reason\n"
    assert task("next", "--override").status == 2


def test_what_was_waived_is_on_the_record(task: Task) -> None:
    task.at("review", {PLAN: WHOLE_PLAN})
    failed = task("test", "--json").json["failed"]
    task.did("next", "--override", "I accept the risk of skipping review")
    line = task.transcript[-1]
    assert set(line) == {"ts", "kind", "from", "to", "reason", "failed", "by"}
    assert (line["kind"], line["reason"]) == ("override", "I accept the risk of skipping review")
    assert line["failed"] == failed
    assert failed[0]["artifact"] == "review/code-review.json"


def test_a_guard_that_passes_is_no_reason_to_lose_the_reason(task: Task) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": True, "blocked": False}})
    task.did("next", "--override", "to be sure")
    (line,) = task.transcript
    assert (line["to"], line["reason"], line["failed"]) == ("codegen", "to be sure", [])


@each_row("reason", ['it said "no"\nbut I know', "\x1b[31mred\x07", "x" * 5000, "--to done", "a\u2028b"], ids=ascii)
def test_any_reason_is_one_line_of_json(task: Task, reason: str) -> None:
    task.at("planning")
    assert "\x1b" not in task.did("next", f"--override={reason}")
    text = (task.folder / "transcript.jsonl").read_text()
    assert len(text.split("\n")) == 2
    assert json.loads(text)["reason"].strip() == reason.strip()


@each_row("target", ["nowhere", "", "DONE", "../planning"])
def test_a_target_that_is_no_phase_is_refused(task: Task, target: str) -> None:
    task.at("planning")
    before = task.state_bytes
    done = task("next", "--override", "I accept the risk", "--to", target)
    assert (done.status in (1, 2), done.out, task.state_bytes) == (True, "", before)
    assert ", ".join(PHASES) in done.err.replace("'", "")


DIES = """
import os, sys
def dying(real):
    def replace(source, target, **more):
        if str(target).endswith("state.json"):
            os._exit(9)
        return real(source, target, **more)
    return replace
os.replace, os.rename = dying(os.replace), dying(os.rename)
from rcs_hooks.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The program, killed at the moment in which the state would be put in place."""


def test_a_crash_leaves_an_override_that_is_logged_and_not_done(task: Task) -> None:
    task.at("planning")
    before = task.state_bytes
    words = [sys.executable, "-c", DIES, *task.words("next", "--override", "I accept the risk")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=task.root, env=task.env(), timeout=60, check=False)
    assert (done.returncode, done.stdout, task.state_bytes) == (9, "", before)
    task.did("next", "--override", "I accept the risk, still")
    assert task.phase == "plan_review"
    assert task.story == [("override", "planning", "plan_review")] * 2
