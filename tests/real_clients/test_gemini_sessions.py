"""Gemini CLI's sessions: what is typed while it works, `/clear`, `/compress`, and a session that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.real_clients.driver import Typed
from tests.real_clients.listening import set_up
from tests.real_clients.model_server import run, say
from tests.real_clients.test_gemini import GO_ON, START, is_reason
from tests.real_clients.test_turns import WORKING, counts, ended_well

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person
    from tests.support import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("client", ["gemini"])]


@pytest.mark.parametrize("typed", ["And mind the tests.", "$cancel"])
def test_a_prompt_that_is_typed_while_the_agent_works(
    typed: str, person: Person, workspace: Workspace, tmp_path: Path
) -> None:
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "2"
    started, go = tmp_path / "started", tmp_path / "go"
    wait = run(f"touch '{started}'; until [ -e '{go}' ]; do sleep 0.02; done")
    ended = "forge.* cancelled" if typed == "$cancel" else r"(?s)> And mind the tests\..*execution blocked.*I work"
    prompts = (
        Typed(START, turns=0),
        Typed(typed, when=str(started), typed=str(go), turns=0),
        Typed("", shows=ended, turns=0, rests=3),
    )
    outcome = person.talks(*prompts, script=(wait, WORKING))
    assert ended_well(outcome)
    order = ["reason" if is_reason(prompt) else prompt for prompt in calls.prompts]
    assert order[:4] == [START, "reason", "reason", typed]
    assert workspace.active(outcome.session) == ([] if typed == "$cancel" else ["forge"])


def test_after_clear_the_run_is_the_old_sessions(person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command", "SessionStart")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    outcome = person.talks(Typed(START), Typed("/clear", turns=0, rests=2), Typed("Hello"), script=(WORKING,))
    assert outcome.status == 0, outcome.err[-600:]
    first, second = (call["session_id"] for call in calls.of("UserPromptSubmit"))
    assert first != second
    assert [call["source"] for call in calls.of("SessionStart")][-1] == "clear"
    assert counts(outcome, "[rcs]") == [1, 0]
    assert (workspace.active(first), workspace.active(second)) == (["forge"], [])


@pytest.mark.full
def test_after_compress_the_next_stop_says_what_runs(person: Person, workspace: Workspace) -> None:
    set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "1"
    outcome = person.talks(Typed(START), Typed("/compress"), Typed(GO_ON), script=(WORKING,))
    assert outcome.status == 0
    assert outcome.requests[-1].count("forge goes on") >= 1
    assert workspace.active(outcome.session) == ["forge"]


def test_the_latest_session_goes_on_and_hears_once_what_runs(person: Person, workspace: Workspace) -> None:
    calls = set_up(person, "command")
    person.env["RCS_STOP_MAX_BLOCKS"] = "0"
    first = person.types(START, WORKING)
    second = person.types("$team go", say("Yes."), resume="latest")
    assert ended_well(second)
    assert second.session == first.session
    assert counts(second, "[rcs] active in this session: forge") == [1]
    assert calls.prompts[-1].startswith("<hook_context>")
    assert workspace.active(first.session) == ["team"] or workspace.active(first.session) == ["forge", "team"]
