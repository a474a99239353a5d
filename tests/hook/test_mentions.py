"""Where a prompt names a skill and starts none, the person is told so, once a session, token and reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.state.lock import Lock
from tests.support import Workspace

WORDS = {
    "what does $forge do?": "rcs: $forge was read as a mention (its sentence asks about it), so nothing was"
    " started. To start it, begin a prompt with $forge and a blank.",
    "do not use $team or $forge": "rcs: $team, $forge were read as a mention (negated in its clause), so nothing was"
    " started. To start them, begin a prompt with $team $forge and a blank.",
    "$forg fix it": "rcs: $forg is no skill. Did you mean $forge? Begin a prompt with $forge to start forge.",
    "$plan the shop": "rcs: $plan is no skill. Did you mean $blueprint? Begin a prompt with $blueprint to start"
    " blueprint.",
}


def noticed(workspace: Workspace) -> Any:
    return json.loads((workspace.folder("s1") / "hook-ledger.json").read_text()).get("noticed")


@pytest.fixture
def used(workspace: Workspace) -> Workspace:
    """A workspace with a `.rcs` of its own, in which nothing runs."""
    workspace.prompt("$ulw go", "other")
    workspace.prompt("$cancel", "other")
    return workspace


@pytest.mark.parametrize("prompt", WORDS)
def test_the_person_is_told_what_was_read(prompt: str, used: Workspace) -> None:
    assert used.prompt(prompt).output == {"systemMessage": WORDS[prompt]}


def test_the_person_is_told_once_a_session_and_token(used: Workspace) -> None:
    assert used.prompt("what does $forge do?").notice
    assert used.prompt("why is $FORGE slow?").line == "{}"
    assert used.prompt("and what does $team do?").notice.startswith("rcs: $team ")
    assert noticed(used) == ["$forge its sentence asks about it", "$team its sentence asks about it"]
    assert used.prompt("do not use $forge").notice
    assert used.prompt("what does $forge do?", "s2").notice


def test_what_the_person_was_told_of_outlives_a_run(used: Workspace) -> None:
    used.prompt("what does $forge do?")
    used.prompt("$team go")
    used.stop()
    used.prompt("go on")
    assert used.prompt("is $forge any good?").notice == ""
    assert noticed(used) == ["$forge its sentence asks about it"]


@pytest.mark.parametrize("prompt", ["fix $forge", "don't $cancel", "what does $cancel do?", "$cancle"])
def test_what_may_be_a_missed_request_is_told_each_time(prompt: str, used: Workspace) -> None:
    assert used.prompt(prompt).notice
    assert used.prompt(prompt).notice


def test_a_word_that_stops_before_cancel_ends_the_run(used: Workspace) -> None:
    used.prompt("$ulw go")
    assert used.prompt("stop $cancel").notice.startswith("rcs: ultrawork cancelled")


@pytest.mark.parametrize("prompt", ["look:\nif ($cancel) {\n  exit;\n}", "eslint says\n  unused variable: $cancel"])
def test_pasted_code_ends_no_run(prompt: str, used: Workspace) -> None:
    used.prompt("$ulw go")
    assert "cancelled" not in used.prompt(prompt).notice
    assert used.stop().output["decision"] == "block"


def test_a_workspace_without_state_gets_none_and_the_person_is_told_each_time(workspace: Workspace) -> None:
    assert workspace.prompt("what does $forge do?").notice
    assert workspace.prompt("what does $forge do?").notice
    assert list(workspace.root.iterdir()) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "`$forge` is code",
        "the $cancel variable is undefined",
        "echo $PATH $plan_id",
        "$foo fix it",
        "$forge, not $team",
        "> $team",
    ],
)
def test_nobody_is_told_of_code_of_variables_or_beside_a_request(prompt: str, used: Workspace) -> None:
    assert "mention" not in used.prompt(prompt).notice


def test_nobody_waits_for_a_note(used: Workspace) -> None:
    with Lock(str(used.state)):
        assert used.prompt("what does $forge do?").notice.startswith("rcs: $forge was read as a mention")
    assert not used.folder("s1").exists()
