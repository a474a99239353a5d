"""The harness itself: what it promises about the clients' surroundings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.real_clients.adapters import ADAPTERS
from tests.real_clients.configure import AT_A_TERMINAL
from tests.real_clients.driver import Typed, isolation
from tests.real_clients.install import Unavailable, installed
from tests.real_clients.listening import listen
from tests.real_clients.model_server import delegate, run, say

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

KEYS = "$ANTHROPIC_API_KEY$MOCK_API_KEY$COPILOT_PROVIDER_API_KEY$OPENAI_API_KEY$GEMINI_API_KEY"
COMMON = {"session_id", "cwd", "hook_event_name"}
PROMPT_KEYS = {
    "codex": {"transcript_path", "model", "permission_mode", "turn_id"},
    "claude": {"transcript_path", "permission_mode", "prompt_id"},
    "copilot": {"timestamp"},
    "qwen": {"transcript_path", "timestamp", "permission_mode", "prompt_id", "submitted_prompt"},
    "gemini": {"transcript_path", "timestamp"},
}
"""What a person's prompt has besides `prompt` and the common ones."""
STOP_KEYS = {
    "codex": {"turn_id", "last_assistant_message"},
    "claude": {"prompt_id", "last_assistant_message"},
    "copilot": {"stop_reason", "transcript_path"},
    "qwen": {"prompt_id", "last_assistant_message"},
    "gemini": {"prompt", "prompt_response"},
}


def test_a_client_has_no_network_but_loopback(person: Person) -> None:
    if not isolation():
        pytest.skip("this machine lets nobody make a network namespace (unshare --user --net)")
    outcome = person.types("Hi", run("sed -n 's/^ *\\([a-z0-9]*\\):.*/net:\\1/p' /proc/net/dev"), say("Bye."))
    found = re.findall(r"net:(\w+)", " ".join(outcome.requests[-1].texts()))
    assert set(found) == {"lo"}


def test_the_person_of_a_test_is_nobody_else(person: Person) -> None:
    outcome = person.types("Hi", run(f"echo home:$HOME key:{KEYS}"), say("Bye."))
    found = re.findall(rf"home:{person.home} key:(\w*)", " ".join(outcome.requests[-1].texts()))
    assert found[-1] in {"", "dummy"}  # some clients hand no key on to a command


def test_a_hook_sees_a_prompt_and_its_stop(client: str, person: Person) -> None:
    calls = listen(person)
    outcome = person.types("Hi", run("true"), say("Bye."))
    assert len(outcome.requests) == 2
    prompt, *_ = calls.of("UserPromptSubmit")
    (stop,) = calls.of("Stop")
    assert prompt["prompt"] == "Hi"
    assert COMMON | PROMPT_KEYS[client] <= prompt.keys()
    assert COMMON | STOP_KEYS[client] | {"stop_hook_active"} <= stop.keys()
    assert {prompt["session_id"], stop["session_id"]} == {outcome.session}


def test_a_subagent_has_a_script_of_its_own(person: Person) -> None:
    looked = person.workspace / "looked"
    script = (delegate("Look for it."), say("Done.", after=str(looked)))
    subagents = (run(f"touch '{looked}'"), say("It is there."))
    outcome = person.talks(Typed("Hi"), script=script, subagents=subagents)
    assert outcome.status == 0, outcome.err
    assert outcome.asides[0].count("Look for it.") == 1
    assert outcome.requests[0].count("Look for it.") == 0


@pytest.mark.parametrize("client", AT_A_TERMINAL)
def test_a_prompt_is_typed_while_the_agent_works(person: Person, tmp_path: Path) -> None:
    started, go = tmp_path / "started", tmp_path / "go"
    command = run(f"touch '{started}'; until [ -e '{go}' ]; do sleep 0.02; done")
    typed = (Typed("Start.", turns=0), Typed("And this.", when=str(started), typed=str(go)))
    outcome = person.talks(*typed, script=(command, say("All of it.")))
    assert outcome.status == 0, outcome.err
    assert outcome.requests[0].count("And this.") == 0
    assert outcome.requests[-1].count("And this.") == 1


def test_a_client_that_cannot_be_fetched_is_told_with_the_reason(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="there is no npm on PATH"):
        installed(ADAPTERS[client].package, tmp_path / "cache")
