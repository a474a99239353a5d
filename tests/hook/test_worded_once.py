"""An answer is worded once where the decision under the lock is the one before it, and again where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.files import transaction
from rcs_hooks.hook import prompt_words

if TYPE_CHECKING:
    from tests.support import Workspace


@pytest.fixture
def worded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is worded from here on."""
    calls: list[Any] = []
    make = prompt_words.worded

    def note(result: Any, *rest: Any) -> dict[str, Any]:
        calls.append(result)
        return make(result, *rest)

    monkeypatch.setattr(prompt_words, "worded", note)
    return calls


def test_the_answer_is_worded_once(workspace: Workspace, worded: list[Any]) -> None:
    workspace.prompt("$brief ask me", session="s0")
    worded.clear()
    assert "active: team" in workspace.prompt("$team fix the parser").context
    assert len(worded) == 1


def test_in_a_workspace_without_state_it_is_worded_again(workspace: Workspace, worded: list[Any]) -> None:
    """The command in it may then name another folder: there was no workspace to be found before."""
    assert "active: team" in workspace.prompt("$team fix the parser").context
    assert len(worded) == 2


def test_it_is_worded_again_where_another_call_came_first(
    workspace: Workspace, worded: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.prompt("$brief ask me")
    worded.clear()
    recover = transaction.recover

    def clear_first(folder: str) -> None:
        recover(folder)
        for path in workspace.folder("s1").glob("*.json"):
            path.unlink()

    monkeypatch.setattr(transaction, "recover", clear_first)
    answer = workspace.prompt("$blueprint plan it")
    assert "active: blueprint" in answer.context
    assert "deep-interview" not in answer.context
    first, last = worded
    assert [member.mode for member in first.before] == ["deep-interview"]
    assert last.before == ()
