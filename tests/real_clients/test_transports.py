"""A hook as a command, and as a tool of the MCP server: the model, the person and the disk see the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.real_clients.configure import CLIENTS, TRANSPORTS, configure
from tests.real_clients.test_turns import ASK, DONE, FINISH, LET_GO, PROMPT, REASON, WORKING, counts, ended_well
from tests.support import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.configure import Transport
    from tests.real_clients.driver import Outcome, Person

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", CLIENTS)]

OURS = re.compile(r"\[rcs\].*?(?=</hook_prompt>|\n\n|\Z)", re.DOTALL)
NEVER_THE_SAME = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|q-[0-9a-f]{10}"
)
"""Times and ids."""


class Seen(NamedTuple):
    """All that a turn showed of us, without what is another every time."""

    heard: list[list[str]]
    """By the model, in each request."""
    shown: list[str]
    state: dict[str, str]


def seen(outcome: Outcome, workspace: Workspace) -> Seen:
    def same(text: str) -> str:
        return NEVER_THE_SAME.sub("-", text.replace(outcome.session, "SESSION").replace(str(workspace.root), "ROOT"))

    heard = [[same(text) for text in map(_ours, request.texts()) if text] for request in outcome.requests]
    kept = {name: data for name, data in workspace.snapshot().items() if name.endswith("-state.json")}
    state = {same(name): same(data.decode()) for name, data in kept.items()}
    return Seen(heard, [same(text) for text in outcome.shown], state)


def _ours(text: str) -> str:
    match = OURS.search(text)
    return match.group() if match else ""


def at_another_place(person: Person, folder: Path, transport: Transport) -> Workspace:
    """The person again, in a folder that is set up for this transport."""
    person.workspace = folder / transport
    (person.workspace / ".git").mkdir(parents=True)
    (person.workspace / ".git/HEAD").write_text("ref: refs/heads/main\n")
    configure(person.client, person.workspace, transport)
    person.trusts(person.workspace, approved=person.workspace if person.client == "codex" else None)
    return Workspace(person.workspace)


def test_a_run_that_is_held_and_finished_is_the_same_over_both(person: Person, tmp_path: Path) -> None:
    runs = []
    for transport in TRANSPORTS:
        workspace = at_another_place(person, tmp_path, transport)
        outcome = person.types(PROMPT, WORKING, FINISH, DONE)
        assert ended_well(outcome)
        assert sum(counts(outcome, REASON)) >= 1
        runs.append(seen(outcome, workspace))
    assert runs[0] == runs[1]


def test_a_run_that_is_let_go_is_the_same_over_both(person: Person, tmp_path: Path) -> None:
    runs = []
    for transport in TRANSPORTS:
        workspace = at_another_place(person, tmp_path, transport)
        outcome = person.types("$team $forge ship it", WORKING, shown=True)
        assert ended_well(outcome)
        assert len(outcome.requests) == 1 + 5
        assert [LET_GO in text for text in outcome.shown] == [False, True]
        runs.append(seen(outcome, workspace))
    assert runs[0] == runs[1]


def test_a_question_and_its_answer_are_the_same_over_both(person: Person, tmp_path: Path) -> None:
    runs = []
    for transport in TRANSPORTS:
        workspace = at_another_place(person, tmp_path, transport)
        asked = person.types("$forge ship it", WORKING, ASK, DONE)
        answered = person.types("Postgres", WORKING, FINISH, DONE, resume=asked.session)
        assert [len(each.requests) for each in (asked, answered) if ended_well(each)] == [3, 3]
        assert answered.requests[0].count("This prompt is the reply") == 1
        runs.append((seen(asked, workspace), seen(answered, workspace)))
    assert runs[0] == runs[1]


def test_a_prompt_that_is_denied_tells_both(person: Person, tmp_path: Path) -> None:
    runs = []
    for transport in TRANSPORTS:
        workspace = at_another_place(person, tmp_path, transport)
        first = person.types("$forge ship it", WORKING)
        second = person.types("$blueprint plan it", FINISH, DONE, resume=first.session)
        assert ended_well(second)
        assert second.requests[0].count("Cannot activate blueprint while forge is still active.") == 1
        runs.append(seen(second, workspace))
    assert runs[0] == runs[1]
