"""Questions as the surfaces ask, answer and list them, and what the next prompt makes of each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from rcs_hooks.errors import Refused
from rcs_hooks.hud import as_line, hud_of
from rcs_hooks.overview.collect import overview
from rcs_hooks.overview.entries import Entry
from rcs_hooks.state.question_service import answer, ask, list_questions
from rcs_hooks.state.writing import write
from tests.state.test_operations import AT, agrees, at
from tests.support import Record, Workspace
from tests.table import each_row

WHICH = "Which database?"


def running(workspace: Workspace, *modes: str, session: str | None = "s1") -> None:
    for mode in modes or ("forge",):
        workspace.write(mode, session, current_phase="executing", iteration=3, max_iterations=50)


def asked(workspace: Workspace, *modes: str) -> Mapping[str, Any]:
    """Run these modes, and let forge ask."""
    running(workspace, *modes)
    return ask(at(workspace), "forge", WHICH)


def question_in(workspace: Workspace, result: Mapping[str, Any]) -> Record:
    record: Record = json.loads((workspace.root / result["path"]).read_text())
    return record


# --- ask


@pytest.mark.parametrize("session", ["s1", None])
def test_ask_records_the_question_and_lets_the_mode_wait(session: str | None, workspace: Workspace) -> None:
    running(workspace, session=session)
    result = ask(at(workspace, session), "forge", WHICH, ["Postgres", "SQLite"])
    number = result["question_id"]
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}", number)
    assert (result["success"], result["mode"]) == (True, "forge")
    assert result["path"].endswith(f"/questions/{number}.json")
    assert f'"{WHICH}" Options: 1 Postgres | 2 SQLite. The next prompt is the answer.' in result["say"]
    wanted: Record = {"question_id": number, "session_id": session, "created_at": AT, "question": WHICH}
    record = question_in(workspace, result)
    assert record | wanted | {"status": "pending", "options": ["Postgres", "SQLite"]} == record
    mode = workspace.read("forge", session)
    assert mode | {"active": True, "lifecycle_outcome": "askuserQuestion", "iteration": 3} == mode
    assert mode["question_enforcement"]["question_id"] == number
    assert agrees(workspace, session)


@each_row("length", [121, 4_000])
def test_what_to_say_holds_the_whole_question(length: int, workspace: Workspace) -> None:
    running(workspace)
    text = ("word " * 1_000)[: length - 1] + "?"
    assert text in ask(at(workspace), "forge", text)["say"]


def test_all_that_runs_waits_for_the_question_and_goes_on_with_the_answer(workspace: Workspace) -> None:
    result = asked(workspace, "team", "forge")
    assert result["also_waiting"] == ["team"]
    assert workspace.read("team")["question_enforcement"]["question_id"] == result["question_id"]
    assert not workspace.stop().blocks
    context = workspace.prompt("Postgres").context
    assert context.count(WHICH) == 1
    for text in (context, workspace.stop().reason):
        assert "team" in text
        assert "forge" in text


def test_a_second_question_is_refused_while_one_is_open(workspace: Workspace) -> None:
    first = asked(workspace, "team", "forge")["question_id"]
    before = workspace.snapshot()
    for mode in ("forge", "team"):
        with pytest.raises(Refused, match=f'{mode} already waits for the answer to "Which database." .{first}.'):
            ask(at(workspace), mode, "Which version?")
    assert workspace.snapshot() == before
    answer(at(workspace), first, "Postgres", source="cli")
    assert ask(at(workspace), "forge", "Which version?")["success"] is True


def test_a_question_stays_open_while_another_mode_waits_for_it(workspace: Workspace) -> None:
    result = asked(workspace, "team", "forge")
    write(at(workspace), "forge", {"lifecycle_outcome": "finished"})
    assert question_in(workspace, result)["status"] == "pending"
    workspace.stop()
    assert WHICH in workspace.prompt("Postgres").context
    assert question_in(workspace, result)["status"] == "answered"


def test_a_question_of_a_root_run_moves_it_to_the_session(workspace: Workspace) -> None:
    running(workspace, session=None)
    ask(at(workspace), "forge", WHICH)
    assert workspace.read("forge")["iteration"] == 3
    assert workspace.read("forge", None)["active"] is False


def test_without_a_session_the_one_that_has_the_mode_is_asked(workspace: Workspace) -> None:
    running(workspace)
    assert question_in(workspace, ask(at(workspace, None), "forge", WHICH))["session_id"] == "s1"


@each_row(("text", "options", "field"), [
    (" \n\t", [], "text"), ("x" * 4_001, [], "text"), ("Which?", ["  "], "option"), ("Which?", ["x" * 201], "option"),
    ("Which?", ["x"] * 13, "option"),
])  # fmt: skip
def test_a_question_that_cannot_be_asked_is_refused_and_changes_no_byte(
    text: str, options: list[str], field: str, workspace: Workspace
) -> None:
    running(workspace)
    before = workspace.snapshot()
    with pytest.raises(Refused, match=f"^{field}: "):
        ask(at(workspace), "forge", text, options)
    assert workspace.snapshot() == before


@each_row("fields", [{"active": False}, {"lifecycle_outcome": "finished"}])
def test_a_mode_that_is_not_active_cannot_ask(fields: Record, workspace: Workspace) -> None:
    workspace.write("forge", **fields)
    before = workspace.snapshot()
    with pytest.raises(Refused, match="forge is not active"):
        ask(at(workspace), "forge", WHICH)
    assert workspace.snapshot() == before


@each_row("session", ["s1", None])
def test_in_an_empty_workspace_nothing_is_made(session: str | None, workspace: Workspace) -> None:
    scope = at(workspace, session)
    with pytest.raises(Refused):
        ask(scope, "forge", WHICH)
    with pytest.raises(Refused):
        answer(scope, "q-1", "Postgres", source="cli")
    assert list_questions(scope, every=True) == {"questions": []}
    assert list(workspace.root.iterdir()) == []


# --- answers


@each_row("session", ["s1", None])
def test_an_answer_from_elsewhere_lifts_the_wait_and_is_told_once_in_its_own_session(
    session: str | None, workspace: Workspace
) -> None:
    result = asked(workspace)
    number = result["question_id"]
    assert answer(at(workspace, session), number, "Postgres", source="cli") == {
        "success": True, "question_id": number, "session_id": "s1", "goes_on": ["forge"],
        "says": 'answered; type any prompt in that session, such as "go on", and forge continues',
    }  # fmt: skip
    assert workspace.stop().blocks
    assert workspace.prompt("hello", "s2").output == {}
    context = workspace.prompt("hello").context
    assert WHICH in context
    assert "Postgres" in context
    assert workspace.prompt("hello again").context == ""
    record = question_in(workspace, result)
    assert (record["status"], record["answer"]) == ("answered", "Postgres")


def by_prompt(workspace: Workspace, _: str) -> None:
    workspace.stop()
    workspace.prompt("Postgres")


def by_command(workspace: Workspace, number: str) -> None:
    answer(at(workspace), number, "Postgres", source="cli")


@each_row("first", [by_prompt, by_command])
def test_a_question_is_answered_once(first: Any, workspace: Workspace) -> None:
    number = asked(workspace)["question_id"]
    first(workspace, number)
    before = workspace.snapshot()
    with pytest.raises(Refused, match="already answered"):
        answer(at(workspace), number, "SQLite", source="cli")
    assert workspace.snapshot() == before


def second_question(workspace: Workspace, first: Mapping[str, Any]) -> Record:
    """Another open question of the same mode, as another tool may have written it."""
    path = (workspace.root / first["path"]).with_name("q-other.json")
    record = question_in(workspace, first) | {"question_id": "q-other", "question": "Which version?"}
    record.pop("asked_in_turn", None)
    path.write_text(json.dumps(record))
    return {"question_id": "q-other", "path": str(path.relative_to(workspace.root))}


def test_of_two_questions_of_one_mode_the_last_answer_lifts_the_wait(workspace: Workspace) -> None:
    first = asked(workspace)
    second = second_question(workspace, first)
    assert answer(at(workspace), second["question_id"], "16", source="cli")["goes_on"] == []
    assert not workspace.stop().blocks
    assert answer(at(workspace), first["question_id"], "Postgres", source="cli")["goes_on"] == ["forge"]
    assert workspace.stop().blocks


def test_a_prompt_answers_both_questions_of_one_mode(workspace: Workspace) -> None:
    first = asked(workspace)
    results = [first, second_question(workspace, first)]
    workspace.stop()
    workspace.prompt("Postgres 16")
    assert [question_in(workspace, result)["status"] for result in results] == ["answered", "answered"]


@each_row(("session", "text", "said"), [
    ("s1", "  \n", "^answer: "), ("s2", "Postgres", "no such question in session s2"),
])  # fmt: skip
def test_an_answer_that_cannot_be_given_changes_no_byte(
    session: str, text: str, said: str, workspace: Workspace
) -> None:
    number = asked(workspace)["question_id"]
    before = workspace.snapshot()
    with pytest.raises(Refused, match=said):
        answer(at(workspace, session), number, text, source="cli")
    assert workspace.snapshot() == before


def test_a_long_answer_is_kept_within_bounds(workspace: Workspace) -> None:
    result = asked(workspace)
    answer(at(workspace), result["question_id"], "x" * 100_000, source="cli")
    assert question_in(workspace, result)["answer"] == "x" * 4_000
    assert len(workspace.prompt("hello").context) <= 1_500


def test_open_questions_are_listed_of_a_session_or_of_all_and_others_where_every_one_is_asked_for(
    workspace: Workspace,
) -> None:
    number = asked(workspace)["question_id"]
    running(workspace, session="s2")
    ask(at(workspace, "s2"), "forge", "Which version?")

    def listed(session: str | None, every: bool = False) -> list[tuple[Any, ...]]:
        found = list_questions(at(workspace, session), every=every)["questions"]
        return [(each["session_id"], each["status"], each["question"]) for each in found]

    assert listed("s1") == [("s1", "pending", WHICH)]
    assert listed(None) == [("s1", "pending", WHICH), ("s2", "pending", "Which version?")]
    answer(at(workspace), number, "Postgres", source="cli")
    assert listed("s1") == []
    assert listed("s1", every=True) == [("s1", "answered", WHICH)]


# --- until the prompt has come that brings the answer

SAYS = 'answered; type any prompt in that session, such as "go on", and forge continues'


def answered_elsewhere(workspace: Workspace, typed: str = "$forge fix the ledger") -> None:
    """Ask a question in a run, end the turn, and answer it in a terminal."""
    workspace.prompt(typed)
    number = ask(at(workspace)._replace(now=workspace.now), "forge", WHICH)["question_id"]
    assert not workspace.stop().blocks
    answer(at(workspace)._replace(now=workspace.now), number, "Postgres", source="cli")


def entries(workspace: Workspace) -> list[Entry]:
    found = overview(workspace.env | {"HOME": str(workspace.root / "home")}, str(workspace.root), workspace.now)
    return [entry for group in found.groups.values() for entry in group]


def test_it_waits_for_the_person_until_a_prompt_has_come(workspace: Workspace) -> None:
    answered_elsewhere(workspace)
    (entry,) = entries(workspace)
    assert (entry.group, entry.says, entry.question) == ("waiting", SAYS, None)
    assert as_line(hud_of(at(workspace).view(), ())).startswith('rcs: forge starting 0/50 answered: type "go on"')
    workspace.prompt("go on")
    assert [entry.group for entry in entries(workspace)] == ["running"]
    assert as_line(hud_of(at(workspace).view(), ())).startswith("rcs: forge starting 0/50 (")


def phase(workspace: Workspace) -> None:
    write(at(workspace)._replace(now=workspace.now + 1), "forge", {"current_phase": "executing"})


def held(workspace: Workspace) -> None:
    assert workspace.stop().blocks


def other_prompt(workspace: Workspace) -> None:
    workspace.prompt("$nothing of ours")


def closed(workspace: Workspace) -> None:
    workspace.call("SessionEnd", "s1", reason="exit")


@each_row(("happens", "group"), [(phase, "running"), (held, "running"), (other_prompt, "running"), (closed, "closed")])
def test_it_runs_where_its_agent_goes_on_and_is_closed_with_its_session(
    workspace: Workspace, happens: Callable[[Workspace], None], group: str
) -> None:
    answered_elsewhere(workspace, "$forge $ultrawork fix the ledger")
    waiting = [("forge", "waiting"), ("ultrawork", "waiting")]
    assert [(entry.name, entry.group) for entry in entries(workspace)] == waiting
    happens(workspace)
    assert {entry.name: entry.group for entry in entries(workspace)}["forge"] == group


def test_a_prompt_in_the_client_is_no_such_answer(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    ask(at(workspace)._replace(now=workspace.now), "forge", WHICH)
    assert not workspace.stop().blocks
    workspace.prompt("Postgres")
    assert [entry.group for entry in entries(workspace)] == ["running"]
