"""A run that has asked waits: what Stop does meanwhile, and what counts as a question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.mode_record import ModeRecord
from tests.hook.test_stop import commands
from tests.support import NOW, Answer, Record, Workspace


def question_path(workspace: Workspace, name: str) -> Path:
    return workspace.folder("s1") / "questions" / f"{name}.json"


def question(workspace: Workspace, fields: Record, name: str = "q1") -> None:
    """A question record of session s1 as it is written when the question is asked, but for `fields`."""
    record: Record = {
        "kind": "rcs.question/v1",
        "question_id": name,
        "session_id": "s1",
        "source": "forge",
        "status": "pending",
        "created_at": iso(workspace.now),
        "updated_at": iso(workspace.now),
        "question": "Which port shall it be?",
        "extra": "kept",
    }
    path = question_path(workspace, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record | fields))


def ask(workspace: Workspace, fields: Record) -> None:
    """Forge waits for the answer to question q1."""
    enforcement = {"obligation_id": "o1", "source": "forge", "status": "pending", "question_id": "q1"}
    outcome = {"lifecycle_outcome": "askuserQuestion", "run_outcome": "blocked_on_user"}
    workspace.edit("forge", **outcome, question_enforcement=enforcement)
    question(workspace, fields)


def asked(workspace: Workspace, name: str = "q1") -> Record:
    """A question record as it is now."""
    record: Record = json.loads(question_path(workspace, name).read_text())
    return record


@pytest.fixture
def waiting(forge: Workspace) -> Workspace:
    """Forge waits for an answer."""
    forge.edit("forge", current_phase="executing", iteration=3, state={"step": 7})
    ask(forge, {})
    return forge


def test_a_pending_question_allows_every_stop_without_a_word(waiting: Workspace) -> None:
    before = waiting.snapshot()
    assert {waiting.stop().line for _ in range(8)} == {"{}"}
    assert waiting.snapshot() == before


@pytest.mark.parametrize("status", ["pending", "prompting"])
def test_the_next_prompt_is_the_answer(status: str, waiting: Workspace) -> None:
    question(waiting, {"status": status})
    answer = waiting.prompt("8080, please.")

    record = asked(waiting)
    assert (record["status"], record["answer"], record["answered_at"]) == (
        "answered",
        "8080, please.",
        iso(waiting.now),
    )
    assert record["extra"] == "kept"
    assert "Which port shall it be?" in answer.context
    assert "forge" in answer.context


def test_the_answer_lifts_the_wait_and_the_run_goes_on_where_it_was(waiting: Workspace) -> None:
    waiting.prompt("8080, please.")

    record = waiting.read("forge")
    assert outcome_of(ModeRecord.from_json(record)).public is None
    assert record["question_enforcement"]["status"] == "satisfied"
    assert record["question_enforcement"]["satisfied_at"] == iso(waiting.now)
    assert record["question_enforcement"]["question_id"] == "q1"
    assert (record["current_phase"], record["iteration"], record["state"]) == ("executing", 3, {"step": 7})
    assert commands(waiting.stop().reason, "write") == ["forge"]


def test_only_the_first_prompt_is_the_answer(waiting: Workspace) -> None:
    waiting.prompt("8080, please.")
    before = asked(waiting)
    assert waiting.prompt("And hurry.").line == "{}"
    assert asked(waiting) == before


@pytest.mark.parametrize(
    ("wait", "phase"),
    [
        pytest.param({"run_outcome": "blocked_on_user"}, "executing", id="run_outcome"),
        pytest.param({"lifecycle_outcome": "askuserQuestion"}, "executing", id="lifecycle_outcome"),
        pytest.param({"question_enforcement": {"status": "pending"}}, "executing", id="enforcement"),
        pytest.param({"current_phase": "blocked_on_user"}, "starting", id="phase"),
    ],
)
def test_a_wait_without_a_question_record_is_lifted_too(wait: Record, phase: str, workspace: Workspace) -> None:
    workspace.write("forge", **wait)
    assert workspace.stop().line == "{}"
    assert "forge" in workspace.prompt("Yes.").context
    assert workspace.read("forge")["current_phase"] == phase
    assert workspace.stop().blocks


def test_every_wait_of_the_session_is_lifted(workspace: Workspace) -> None:
    workspace.prompt("$team $forge ship it")
    workspace.edit("team", run_outcome="blocked_on_user")
    assert commands(workspace.stop().reason, "write") == ["forge"]
    ask(workspace, {})
    assert workspace.stop().line == "{}"
    workspace.prompt("Yes.")
    assert commands(workspace.stop().reason, "write") == ["team", "forge"]


@pytest.mark.parametrize("form", [[{"question": "Which host?"}], ["Which host?"]], ids=["objects", "texts"])
def test_the_context_names_a_question_that_is_kept_as_a_list(form: list[object], waiting: Workspace) -> None:
    question(waiting, {"question": None, "questions": form})
    assert "Which host?" in waiting.prompt("The old one.").context


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda workspace: workspace.prompt("8080", agent_id="a1"), id="agent_id"),
        pytest.param(lambda workspace: workspace.prompt("8080", agent_id="a1"), id="agent_id alone"),
        pytest.param(lambda workspace: workspace.prompt("8080", session="s2"), id="another-session"),
    ],
)
def test_nobody_else_answers_the_question(call: Callable[[Workspace], Answer], waiting: Workspace) -> None:
    before = waiting.snapshot()
    assert call(waiting).line == "{}"
    assert waiting.snapshot() == before
    assert waiting.stop().line == "{}"


def test_a_denied_prompt_answers_all_the_same(waiting: Workspace) -> None:
    answer = waiting.prompt("$blueprint and port 8080")
    assert answer.context.startswith("Cannot activate blueprint while forge is still active.")
    assert "Which port shall it be?" in answer.context
    assert asked(waiting)["status"] == "answered"
    assert not waiting.mode_path("blueprint").exists()
    assert commands(waiting.stop().reason, "write") == ["forge"]


def test_cancel_aborts_the_question_and_ends_the_run(waiting: Workspace) -> None:
    waiting.prompt("$cancel")
    record = waiting.read("forge")
    assert asked(waiting)["status"] == "aborted"
    assert "answer" not in asked(waiting)
    assert record["question_enforcement"]["status"] == "cleared"
    assert (record["active"], outcome_of(ModeRecord.from_json(record)).public) == (False, "userinterlude")
    assert waiting.stop().line == "{}"


ELSEWHERE = {"status": "answered", "answered_at": iso(NOW), "delivered_at": None}


def test_an_answer_given_elsewhere_is_told_once(forge: Workspace) -> None:
    question(forge, ELSEWHERE | {"answer": "Port 8080"})
    told = forge.prompt("Go on.").context
    assert "Which port shall it be?" in told
    assert "Port 8080" in told
    assert asked(forge)["delivered_at"] == iso(forge.now)
    assert forge.prompt("Go on.").line == "{}"


def test_an_answer_given_elsewhere_is_told_beside_a_denial(forge: Workspace) -> None:
    question(forge, ELSEWHERE | {"answer": "Port 8080"})
    assert "Port 8080" in forge.prompt("$blueprint please").context


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_no_answer_given_elsewhere_is_lost_for_want_of_room(count: int, forge: Workspace) -> None:
    names = [f"q{number}" for number in range(count)]
    for name in names:
        words = {"question": f"{name}? " + "why " * 50, "answer": f"<{name}> " + "so " * 200}
        question(forge, ELSEWHERE | words, name)
    told = "".join(forge.prompt("Go on.").context for _ in names)
    assert [name for name in names if f"<{name}>" not in told] == []


@pytest.mark.parametrize("text", ["Go on.", "$blueprint please"], ids=["plain", "denied"])
def test_no_answer_given_elsewhere_is_lost_beside_questions_that_the_prompt_answers(
    text: str, workspace: Workspace
) -> None:
    workspace.prompt("$team $forge $ultrawork ship it")
    for mode in ("team", "forge", "ultrawork"):
        workspace.edit(mode, run_outcome="blocked_on_user")
        question(workspace, {"source": mode, "question": "why " * 50}, mode)
    for name in ("q1", "q2"):
        question(workspace, ELSEWHERE | {"question": "why " * 50, "answer": f"<{name}> " + "so " * 200}, name)
    told = workspace.prompt(text).context + workspace.prompt(text).context
    assert [name for name in ("q1", "q2") if f"<{name}>" not in told] == []
