"""A person may waive the guard of an edge: with a reason, which is logged before anything moves, and no further."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.table import each_row
from tests.tasks.paths import PLAN, PLAN_REVIEW
from tests.tasks.rows import ROWS, WHOLE_PLAN
from tests.tasks.support import Task

FORWARD = {
    "planning": "plan_review",
    "plan_review": "codegen",
    "codegen": "review",
    "review": "test",
    "test": "accept",
    "accept": "done",
    "revert": "done",
}


@each_row("reason", ["", " ", "\t \n", "\u00a0\u2003"], ids=ascii)
@each_row("target", [(), ("--to", "planning")], ids=["on", "back"])
def test_a_reason_must_be_given(task: Task, reason: str, target: tuple[str, ...]) -> None:
    task.at("plan_review", {PLAN_REVIEW: {"ok": True, "blocked": False}})
    before = task.tree("transcript.jsonl")
    done = task("next", "--override", reason, *target)
    assert done == (1, "", "rcs: --override needs a reason\n")
    assert task.tree("transcript.jsonl") == before
    assert not [line for line in task.transcript if line["kind"] == "override"]


def test_an_override_without_a_word_behind_it_is_a_wrong_command_line(task: Task) -> None:
    task.at("planning")
    before = task.tree()
    assert task("next", "--override").status == 2
    assert task.tree() == before


@each_row("source", FORWARD)
def test_without_a_target_it_goes_on(task: Task, source: str) -> None:
    task.at(source)
    task.did("next", "--override", "I accept the risk")
    assert task.phase == FORWARD[source]
    assert task.story == [("override", source, FORWARD[source])]


EDGES = sorted({(row.source, row.target) for row in ROWS.values()})


@each_row(("source", "target"), EDGES, ids="-".join)
def test_any_edge_that_is_drawn_can_be_taken(task: Task, source: str, target: str) -> None:
    task.at(source)
    task.did("next", "--override", "I accept the risk", "--to", target)
    assert task.phase == target
    assert task.story == [("override", source, target)]


def test_what_was_waived_is_on_the_record(task: Task) -> None:
    task.at("review", {PLAN: WHOLE_PLAN})
    refused = task("test", "--json").json
    task.did("next", "--override", "I accept the risk of skipping review")
    line = task.transcript[-1]
    assert set(line) == {"ts", "kind", "from", "to", "reason", "failed", "by"}
    assert (line["kind"], line["from"], line["to"]) == ("override", "review", "test")
    assert line["reason"] == "I accept the risk of skipping review"
    assert line["failed"] == refused["failed"]
    assert line["failed"][0]["artifact"] == "review/code-review.json"


def test_a_guard_that_passes_is_no_reason_to_lose_the_reason(task: Task) -> None:
    task.at("plan_review", {PLAN: WHOLE_PLAN, PLAN_REVIEW: {"ok": True, "blocked": False}})
    task.did("next", "--override", "to be sure")
    assert task.phase == "codegen"
    (line,) = task.transcript
    assert (line["from"], line["to"], line["reason"], line["failed"]) == ("plan_review", "codegen", "to be sure", [])


@each_row(
    "reason",
    ['it said "no"\nbut I know', "\x1b[31mred\x07", "ünïcødé 🎉", "x" * 5000, "--to done", "a\u2028b"],
    ids=ascii,
)
def test_any_reason_is_one_line_of_json(task: Task, reason: str) -> None:
    task.at("planning")
    done = task("next", f"--override={reason}")
    assert done.status == 0
    assert "\x1b" not in done.out
    text = (task.folder / "transcript.jsonl").read_text()
    assert len(text.split("\n")) == 2
    assert json.loads(text)["reason"].strip() == reason.strip()


@each_row("target", ["nowhere", "", "DONE", "../planning", "plan review"])
def test_a_target_that_is_no_phase_is_refused(task: Task, target: str) -> None:
    task.at("planning")
    before = task.state_bytes
    done = task("next", "--override", "I accept the risk", "--to", target)
    assert done.status in (1, 2)
    assert done.out == ""
    assert "planning, plan_review, codegen, review, test, accept, revert, done" in done.err.replace("'", "")
    assert task.state_bytes == before


# --- on the disk before anything moves

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


def killed(task: Task, command: str, *options: str) -> None:
    words = [sys.executable, "-c", DIES, *task.words(command, *options)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=task.root, env=task.env(), timeout=60, check=False)
    assert (done.returncode, done.stdout) == (9, ""), done


def test_a_crash_leaves_an_override_that_is_logged_and_not_done(task: Task) -> None:
    task.at("planning")
    before = task.state_bytes
    killed(task, "next", "--override", "I accept the risk")
    assert task.state_bytes == before
    (line,) = task.transcript
    assert (line["kind"], line["from"], line["to"]) == ("override", "planning", "plan_review")
    assert line["reason"] == "I accept the risk"
    task.did("next", "--override", "I accept the risk, still")
    assert task.phase == "plan_review"
    assert task.story == [("override", "planning", "plan_review")] * 2
