"""A run that was answered elsewhere than in its client waits for the prompt that brings the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rcs_hooks.hud import as_line, hud_of
from rcs_hooks.overview.collect import overview
from rcs_hooks.state.question_service import answer, ask
from rcs_hooks.state.writing import write
from tests.state.test_operations import at
from tests.table import each_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from rcs_hooks.overview.entries import Entry
    from tests.support import Workspace

SAYS = 'answered; type any prompt in that session, such as "go on", and forge continues'


def answered(workspace: Workspace, typed: str = "$forge fix the ledger") -> None:
    """Ask a question in a run, end the turn, and answer it in a terminal."""
    workspace.prompt(typed)
    asked = ask(at(workspace)._replace(now=workspace.now), "forge", "Which database?")
    assert not workspace.stop().blocks
    answer(at(workspace)._replace(now=workspace.now), asked["question_id"], "Postgres", source="cli")


def entries(workspace: Workspace) -> list[Entry]:
    found = overview(workspace.env | {"HOME": str(workspace.root / "home")}, str(workspace.root), workspace.now)
    return [entry for group in found.groups.values() for entry in group]


def test_it_waits_for_the_person_until_a_prompt_has_come(workspace: Workspace) -> None:
    answered(workspace)
    (entry,) = entries(workspace)
    assert (entry.group, entry.says, entry.question) == ("waiting", SAYS, None)
    assert as_line(hud_of(at(workspace).view(), ())).startswith('rcs: forge starting 0/50 answered: type "go on"')
    workspace.prompt("go on")
    assert [entry.group for entry in entries(workspace)] == ["running"]
    assert as_line(hud_of(at(workspace).view(), ())).startswith("rcs: forge starting 0/50 (")


def test_a_mode_that_waited_with_it_waits_with_it_still(workspace: Workspace) -> None:
    answered(workspace, "$forge $ultrawork fix the ledger")
    assert [(entry.name, entry.group) for entry in entries(workspace)] == [
        ("forge", "waiting"),
        ("ultrawork", "waiting"),
    ]


def phase(workspace: Workspace) -> None:
    write(at(workspace)._replace(now=workspace.now + 1), "forge", {"current_phase": "executing"})


def held(workspace: Workspace) -> None:
    assert workspace.stop().blocks


def prompt(workspace: Workspace) -> None:
    workspace.prompt("$nothing of ours")


@each_row("happens", [phase, held, prompt])
def test_it_runs_where_its_agent_goes_on(workspace: Workspace, happens: Callable[[Workspace], None]) -> None:
    answered(workspace)
    happens(workspace)
    assert [entry.group for entry in entries(workspace)] == ["running"]


def test_a_prompt_in_the_client_is_no_such_answer(workspace: Workspace) -> None:
    workspace.prompt("$forge fix the ledger")
    ask(at(workspace)._replace(now=workspace.now), "forge", "Which database?")
    assert not workspace.stop().blocks
    workspace.prompt("Postgres")
    assert [entry.group for entry in entries(workspace)] == ["running"]


def test_in_a_closed_session_it_is_closed(workspace: Workspace) -> None:
    answered(workspace)
    workspace.call("SessionEnd", "s1", reason="exit")
    assert [entry.group for entry in entries(workspace)] == ["closed"]
