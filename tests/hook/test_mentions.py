"""Where a prompt names a skill and starts none, the person is told so, once a session, token and reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rcs_hooks.files.lock import Lock
from tests.support import Workspace
from tests.table import each_row

RUN_FORGE = "To run it, start your prompt with `$forge `."
WORDS = {
    "what does $forge do?": f"rcs: `$forge` looked like a mention, not a request; nothing started. {RUN_FORGE}",
    "do not use $team or $forge": "rcs: `$team`, `$forge` looked like mentions, not requests; nothing started."
    " To run one, start your prompt with it and a space.",
    "# $forge": f"rcs: `$forge` is in a heading, where nothing is a request; nothing started. {RUN_FORGE}",
    "$forg fix it": f"rcs: `$forg` is not a skill. Did you mean `$forge`? {RUN_FORGE}",
    "$plan the shop": "rcs: `$plan` is not a skill. Did you mean `$blueprint`? To run it, start your prompt with"
    " `$blueprint `.",
    "I clicked $cancel": "rcs: `$cancel` looked like a mention, not a request. Nothing was cancelled. To cancel, send"
    " `$cancel`.",
    "$cancle": "rcs: `$cancle` is not a skill. Did you mean `$cancel`? To cancel, send `$cancel`.",
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
    assert used.prompt("and what does $team do?").notice.startswith("rcs: `$team` ")
    assert noticed(used) == ["$forge its sentence asks about it", "$team its sentence asks about it"]
    assert used.prompt("do not use $forge").notice
    assert used.prompt("what does $forge do?", "s2").notice


@pytest.mark.parametrize("prompt", ["fix $forge", "what does $cancel do?"])
def test_what_may_be_a_missed_request_is_told_each_time(prompt: str, used: Workspace) -> None:
    assert used.prompt(prompt).notice
    assert used.prompt(prompt).notice


@each_row(
    "prompt",
    [
        "`$forge` is code",
        "the $cancel variable is undefined",
        "$forge, not $team",
    ],
)
def test_nobody_is_told_of_code_of_variables_or_beside_a_request(prompt: str, used: Workspace) -> None:
    assert "mention" not in used.prompt(prompt).notice


def test_nobody_waits_for_a_note(used: Workspace) -> None:
    with Lock(str(used.state)):
        assert used.prompt("what does $forge do?").notice.startswith("rcs: `$forge` looked like a mention")
    assert not used.folder("s1").exists()


LEFT_OUT = {
    "use $team and $forge on this": "`$forge` came",
    "$team + $forge": "`$forge` came",
    "$blueprint this, then $forge it": "`$forge` came",
    "$team it, then $forge, then $ultraqa": "`$forge`, `$ultraqa` came",
    "use $forge to fix the $team variable": "",
    "use $forge, not $team": "",
    "$forge fix x. What does $team do?": "",
}


@each_row("prompt", LEFT_OUT)
def test_the_person_is_told_of_what_came_later_in_a_prompt_and_was_left_out(prompt: str, workspace: Workspace) -> None:
    notice = workspace.in_git().prompt(prompt).notice
    assert ("came later in the prompt" in notice) is bool(LEFT_OUT[prompt])
    assert LEFT_OUT[prompt] in notice
    assert "\n" not in notice
