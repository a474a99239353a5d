"""What every surface makes of a commit that was cut short, and of root records that count for nothing."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from rcs_hooks.cli.options import scope
from rcs_hooks.errors import Refused
from rcs_hooks.files import transaction
from rcs_hooks.state import clearing, operations, question_service, writing
from tests.support import Workspace

if TYPE_CHECKING:
    from rcs_hooks.state.scopes import Scope


def at(workspace: Workspace, session: str | None) -> Scope:
    return scope({}, str(workspace.root), str(workspace.root), session, workspace.now)


def kill_before_renames(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is injected where the commit has just become one."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "_apply", die)


def test_a_passing_fault_does_not_give_up_a_commit(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.prompt("$blueprint")
    with monkeypatch.context() as faults, pytest.raises(KeyboardInterrupt):
        kill_before_renames(faults)
        workspace.prompt("$forge")
    replace = os.replace

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    assert not workspace.stop().blocks
    monkeypatch.setattr(os, "replace", replace)
    assert "forge goes on: starting" in workspace.stop().reason
    assert (workspace.read("blueprint")["active"], workspace.active()) == (False, ["forge"])


def test_a_session_may_be_called_questions(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.prompt("$forge", "questions")
    with monkeypatch.context() as faults, pytest.raises(KeyboardInterrupt):
        kill_before_renames(faults)
        workspace.prompt("$cancel", "questions")
    workspace.prompt("$ulw", "questions")
    assert workspace.read("forge", "questions")["active"] is False


@pytest.mark.parametrize("everywhere", [False, True], ids=["the session", "all sessions"])
def test_clear_sees_what_list_active_sees(
    everywhere: bool,
    workspace: Workspace,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as faults, pytest.raises(KeyboardInterrupt):
        kill_before_renames(faults)
        workspace.prompt("$team")
    here = at(workspace, "s1")
    assert operations.list_active(here)["active_modes"] == ["team"]
    assert clearing.clear(here, "team", all_sessions=everywhere)["cleared"] is True
    assert operations.list_active(here)["active_modes"] == []


def test_a_question_of_a_commit_cut_short_can_be_seen_and_answered(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.prompt("$forge")
    here = at(workspace, "s1")
    with monkeypatch.context() as faults, pytest.raises(KeyboardInterrupt):
        kill_before_renames(faults)
        question_service.ask(here, "forge", "Which database?")
    (asked,) = question_service.list_questions(here)["questions"]
    assert question_service.answer(here, asked["question_id"], "Postgres", source="cli")["goes_on"] == ["forge"]


def test_a_stale_root_record_draws_no_write_away_from_the_session(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.write("forge", None, updated_at="2020-01-01T00:00:00Z")
    writing.write(at(workspace, None), "forge", {"lifecycle_outcome": "finished"})
    assert workspace.read("forge")["lifecycle_outcome"] == "finished"
    assert not workspace.stop().blocks


def test_get_status_of_a_mode_means_the_session_that_read_means(workspace: Workspace) -> None:
    workspace.prompt("$forge")
    workspace.prompt("$team $ulw", "s2")
    assert list(operations.get_status(at(workspace, None), "forge")["statuses"]) == ["forge"]
    workspace.prompt("$ulw", "s3")
    with pytest.raises(Refused, match="ultrawork is active in 2 sessions"):
        operations.get_status(at(workspace, None), "ultrawork")


def test_a_question_id_of_another_type_stops_nobody(workspace: Workspace) -> None:
    workspace.write("team", question_enforcement={"question_id": ["a"]})
    folder = workspace.folder("s1") / "questions"
    folder.mkdir()
    for number in range(250):
        (folder / f"q{number}.json").write_text(json.dumps({"status": "answered"}))
    assert "active: team" in workspace.prompt("$forge").context
