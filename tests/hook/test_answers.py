"""A run that waits for the person: what answers its question, and what leaves it open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rcs_hooks.files.clock import iso
from rcs_hooks.state.question_service import ask
from rcs_hooks.state.results import AskResult
from rcs_hooks.state.writing import write
from tests.hook.test_stop import commands
from tests.state.test_operations import at
from tests.support import NOW, Record, Workspace
from tests.table import each_row

EARLY = "was typed before the question could be seen"


def waiting(workspace: Workspace, *options: str, in_root: bool = False) -> AskResult:
    """Forge runs, in the session by a prompt of turn t1, and has asked."""
    if in_root:
        write(at(workspace, None), "forge", {"active": True}, root_scope=True)
    else:
        workspace.prompt("$forge", turn_id="t1")
    return ask(at(workspace, None if in_root else "s1"), "forge", "Which database?", options)


def asked_by_agent(workspace: Workspace, mode: str = "deep-interview", *options: str) -> AskResult:
    """The agent starts a mode and asks; nobody has noted in whose turn."""
    workspace.now += 1
    here = at(workspace)._replace(now=workspace.now)
    write(here, mode, {"active": True})
    return ask(here, mode, "Which database?", options)


def record_of(workspace: Workspace, asked: AskResult) -> Record:
    record: Record = json.loads((workspace.root / asked["path"]).read_text())
    return record


def put(workspace: Workspace, name: str, **fields: object) -> None:
    """A question of session s1, as another tool writes it."""
    record: Record = {"kind": "rcs.question/v1", "question_id": name, "status": "pending", "question": f"{name}?"}
    path = workspace.folder("s1") / "questions" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record | {"source": "forge", "created_at": iso(workspace.now)} | fields))


# --- what is an answer

ONLY_NAMES = "only names a skill. Ask the question again and end the turn."
NO_TEXT = "this prompt has no text"
OPTION = 'This prompt is the reply: option 2, "SQLite". Continue the run.'
OTHER_WORDS = (
    "If it answers, continue the run. If it does not, reply to it and ask again: rcs question ask --mode forge"
)
TYPED = [
    ("$forge", None, ONLY_NAMES),
    ("$forge!", None, ONLY_NAMES),
    ("$autopilot", None, ONLY_NAMES),
    (" $rcs:forge.\n", None, ONLY_NAMES),
    ("Please, $forge!", None, ONLY_NAMES),
    ("$forge now, please.", None, ONLY_NAMES),
    ("$forge, s'il te plaît", None, ONLY_NAMES),
    ("", None, NO_TEXT),
    ("  \n", None, NO_TEXT),
    ("2", "SQLite", OPTION),
    ("sql", "SQLite", OPTION),
    ("SQLite.", "SQLite", OPTION),
    ("$ultrawork 2", "SQLite", 'This prompt is the reply: option 2, "SQLite".'),
    ("$ultrawork now", "now", 'option 3, "now"'),
    ("$ultrawork ok", "$ultrawork ok", OTHER_WORDS),
    ("what would you take?", "what would you take?", OTHER_WORDS),
]


@each_row(("typed", "answer", "says"), TYPED, ids=[typed for typed, *_ in TYPED])
@each_row("in_root", [False, True])
def test_a_prompt_is_the_answer_unless_it_only_names_a_skill_or_has_no_text(
    typed: str, answer: str | None, says: str, in_root: bool, workspace: Workspace
) -> None:
    asked = waiting(workspace, "Postgres", "SQLite", "now", in_root=in_root)
    said = workspace.prompt(typed)
    record = record_of(workspace, asked)
    assert (record["status"], record["answer"]) == ("answered" if answer else "pending", answer)
    assert says in said.context
    assert (f'your reply counts as "{answer}"' in said.notice) is (answer in ("SQLite", "now"))
    assert ('forge still waits for your answer to "Which database?"' in said.notice) is (answer is None)
    assert ("answer_typed" in record) is (answer in ("SQLite", "now"))
    assert workspace.stop().blocks is (answer is not None)
    assert workspace.mode_path("forge").exists() is not in_root
    workspace.prompt("Postgres")
    assert record_of(workspace, asked)["answer"] == (answer or "Postgres")


def test_in_root_it_is_answered_once_and_for_every_session(workspace: Workspace) -> None:
    asked = waiting(workspace, in_root=True)
    workspace.prompt("Postgres", turn_id="t1")
    assert workspace.prompt("Postgres", turn_id="t1").line == "{}"
    assert workspace.prompt("hello", "s2").line == "{}"
    assert record_of(workspace, asked)["answer"] == "Postgres"
    assert not workspace.folder("s1").exists()


@each_row("who", [{"agent_id": "a1"}, {"parent_agent_id": "s0"}, {"session_id": "s2"}], ids=str)
def test_nobody_else_answers_the_question(who: dict[str, Any], workspace: Workspace) -> None:
    waiting(workspace)
    before = workspace.snapshot()
    assert workspace.prompt("8080", **who).line == "{}"
    assert {workspace.stop().line for _ in range(8)} == {"{}"}
    assert workspace.snapshot() == before


@pytest.mark.parametrize("name", ["the question", "the mode file"])
@pytest.mark.parametrize("extra", ["", "$ultrawork "])
def test_an_answer_that_cannot_be_recorded_is_told_and_can_be_sent_again(
    name: str, extra: str, workspace: Workspace
) -> None:
    asked = waiting(workspace)
    path = workspace.root / asked["path"] if name == "the question" else workspace.mode_path("forge")
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    before = workspace.snapshot()
    answer = workspace.prompt(f"{extra}Postgres", turn_id="t2")
    assert workspace.snapshot() == before
    shown = str(path.relative_to(workspace.root))
    assert answer.notice.startswith(f"rcs: your reply was not recorded and nothing was changed: {shown} cannot be read")
    assert "send it again once the file can be read" in answer.notice
    assert "the question stays open" in answer.context
    path.write_bytes(whole)
    workspace.prompt(f"{extra}Postgres", turn_id="t2")
    assert record_of(workspace, asked)["status"] == "answered"
    assert workspace.active() == (["forge", "ultrawork"] if extra else ["forge"])


# --- typed before the question was seen


@each_row("key", ["turn_id", "prompt_id"])
def test_what_was_typed_in_the_turn_of_the_question_is_no_answer(key: str, workspace: Workspace) -> None:
    workspace.call("UserPromptSubmit", prompt="$forge", **{key: "t1"})
    workspace.call("UserPromptSubmit", prompt="and mind the tests", **{key: "t2"})
    asked = ask(at(workspace), "forge", "Which database?")
    assert record_of(workspace, asked)["asked_in_turn"] == "t2"
    early = workspace.call("UserPromptSubmit", prompt="and the docs", **{key: "t2"})
    assert EARLY in early.context
    assert "(you typed this prompt before it was asked)" in early.notice
    assert record_of(workspace, asked)["status"] == "pending"
    assert not workspace.stop().blocks
    workspace.call("UserPromptSubmit", prompt="Postgres", **{key: "t3"})
    assert record_of(workspace, asked)["answer"] == "Postgres"


@each_row("stops", [False, True])
def test_a_question_of_a_run_that_the_agent_began_is_of_the_turn_that_goes_on(
    stops: bool, workspace: Workspace
) -> None:
    workspace.prompt("interview me, please", turn_id="t1")
    asked = asked_by_agent(workspace)
    assert not stops or workspace.stop(turn_id="t1").line == "{}"
    for typed in ("oh and use tabs", "and no semicolons"):
        assert EARLY in workspace.prompt(typed, turn_id="t1").context
    assert record_of(workspace, asked)["status"] == "pending"
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


def test_a_reply_that_names_an_option_was_typed_by_somebody_who_has_seen_it(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace, "forge", "Postgres", "SQLite")
    workspace.prompt("2", turn_id="t1")
    assert record_of(workspace, asked)["answer"] == "SQLite"


def test_a_stop_beside_another_run_notes_the_turn_where_it_is_not_held(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace)
    write(at(workspace), "ultrawork", {"active": True})
    assert workspace.stop(turn_id="t1").blocks
    assert record_of(workspace, asked)["asked_in_turn"] is None
    workspace.env["RCS_STOP_MAX_BLOCKS"] = "0"
    assert not workspace.stop(turn_id="t1").blocks
    assert record_of(workspace, asked)["asked_in_turn"] == "t1"


def test_a_question_of_another_tool_is_answered_at_once(workspace: Workspace) -> None:
    asked = asked_by_agent(workspace)
    record = record_of(workspace, asked)
    del record["asked_in_turn"]
    Path(workspace.root / asked["path"]).write_text(json.dumps(record))
    workspace.prompt("Postgres", turn_id="t2")
    assert record_of(workspace, asked)["answer"] == "Postgres"


# --- a wait without a question

WAITS: list[Record] = [
    {"lifecycle_outcome": "askuserQuestion"},
    {"run_outcome": "blocked_on_user"},
    {"question_enforcement": {"status": "pending", "question_id": "q-gone"}},
]


@each_row(
    ("wait", "phase"), [*((wait, "executing") for wait in WAITS), ({"current_phase": "blocked_on_user"}, "starting")]
)
def test_in_the_session_the_next_prompt_lifts_it(wait: Record, phase: str, workspace: Workspace) -> None:
    workspace.write("forge", **wait)
    assert workspace.stop().line == "{}"
    assert "forge" in workspace.prompt("Yes.").context
    assert workspace.read("forge")["current_phase"] == phase
    assert workspace.stop().blocks


@each_row("wait", WAITS)
def test_in_root_only_a_prompt_that_names_the_mode_lifts_it(wait: Record, workspace: Workspace) -> None:
    workspace.write("forge", None, **wait)
    before = workspace.workflow_state()
    for typed in ("hello, list files please", "what does $forge do?", "$autopilot x"):
        assert "waited for the user" not in workspace.prompt(typed).context
    assert workspace.workflow_state() == before
    assert workspace.stop().line == "{}"
    assert "forge waited for the user. This prompt is the reply" in workspace.prompt("$forge go on").context
    assert not workspace.mode_path("forge").exists()
    assert workspace.stop().blocks


def test_a_root_record_that_names_the_session_is_lifted_in_the_session(workspace: Workspace) -> None:
    workspace.write("forge", None, session_id="s1", lifecycle_outcome="askuserQuestion")
    assert "forge waited for the user. This prompt is the reply" in workspace.prompt("Postgres").context
    assert [workspace.read("forge", scope)["active"] for scope in ("s1", None)] == [True, False]


# --- several, and answers from elsewhere


def test_every_wait_of_the_session_is_lifted_and_every_question_named(workspace: Workspace) -> None:
    workspace.prompt("$team $forge ship it")
    workspace.edit("team", run_outcome="blocked_on_user")
    assert commands(workspace.stop().reason, "write") == ["forge"]
    workspace.edit("forge", lifecycle_outcome="askuserQuestion")
    put(workspace, "A")
    put(workspace, "B", question=None, questions=[{"question": "B?"}])
    put(workspace, "C", question=None, questions=["C?"])
    assert workspace.stop().line == "{}"
    context = workspace.prompt("Yes.").context
    assert all(f'"{name}?"' in context for name in "ABC")
    assert commands(workspace.stop().reason, "write") == ["team", "forge"]


def test_an_answer_that_another_tool_wrote_is_told_and_not_taken_for_the_prompt(workspace: Workspace) -> None:
    enforcement = {"status": "pending", "question_id": "q1"}
    workspace.write("forge", lifecycle_outcome="askuserQuestion", question_enforcement=enforcement)
    put(workspace, "q1", status="answered", answer="MySQL")
    assert workspace.prompt("continue").context == '[rcs] answered elsewhere: "q1?" -> "MySQL"'
    assert workspace.stop().blocks


ELSEWHERE = {"status": "answered", "answered_at": iso(NOW), "delivered_at": None}


@pytest.mark.parametrize("text", ["Go on.", "$blueprint please"], ids=["plain", "denied"])
@pytest.mark.parametrize("count", [2, 8])
def test_no_answer_given_elsewhere_is_lost_for_want_of_room(count: int, text: str, workspace: Workspace) -> None:
    workspace.prompt("$team $forge $ultrawork ship it")
    for mode in ("team", "forge", "ultrawork"):
        workspace.edit(mode, run_outcome="blocked_on_user")
        put(workspace, mode, source=mode, question="why " * 50)
    names = [f"q{number}" for number in range(count)]
    for name in names:
        put(workspace, name, **ELSEWHERE, question="why " * 50, answer=f"<{name}> " + "so " * 200)
    told = "".join(workspace.prompt(text).context for _ in names)
    assert [name for name in names if f"<{name}>" not in told] == []
