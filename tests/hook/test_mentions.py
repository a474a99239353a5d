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
    "do not use $team, what about $forge": f"rcs: `$forge` looked like a mention, not a request; nothing started."
    f" {RUN_FORGE}",
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


@each_row(
    "prompt",
    [
        "`$forge` is code",
        "the $cancel variable is undefined",
        "echo $PATH $plan_id",
        "the build says error: $forge",
        "$foo fix it",
        "$forge, not $team",
        "> $team",
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
    "$cancel and then $forge the login": "`$forge` came",
    "$blueprint this, then $forge it": "`$forge` came",
    "$team $forge go, then $ultraqa": "`$ultraqa` came",
    "$team it, then $forge, then $ultraqa": "`$forge`, `$ultraqa` came",
    "use $forge to fix the $team variable": "",
    "$forge the docs that mention $team": "",
    "use $forge, not $team": "",
    "use $forge instead of $team": "",
    "$forge it, and never use $team": "",
    "$forge fix x. What does $team do?": "",
    "$team $forge go": "",
    "$team it and then $team the rest": "",
}


@each_row("prompt", LEFT_OUT)
def test_the_person_is_told_of_what_came_later_in_a_prompt_and_was_left_out(prompt: str, workspace: Workspace) -> None:
    notice = workspace.in_git().prompt(prompt).notice
    assert ("came later in the prompt" in notice) is bool(LEFT_OUT[prompt])
    assert LEFT_OUT[prompt] in notice
    assert "\n" not in notice


def test_what_was_left_out_of_a_denied_prompt_needs_no_words(workspace: Workspace) -> None:
    workspace.prompt("$forge go")
    assert "came later" not in workspace.prompt("$ultraqa it, then $team").notice
