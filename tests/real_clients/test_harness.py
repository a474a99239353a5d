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
from tests.real_clients.model_server import delegate, fail, run, run_found, say

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


def test_a_script_that_finds_nothing_to_run_says_so(person: Person) -> None:
    outcome = person.types("Hi", run_found("no such words"))
    assert outcome.missed == ["no such words"]


def test_a_plain_turn_asks_the_model_once(person: Person) -> None:
    outcome = person.types("What costs $5?", say("A coffee."))
    assert (outcome.status, len(outcome.requests), outcome.asides) == (0, 1, [])
    assert outcome.requests[0].count("What costs $5?") == 1
    assert "A coffee." in outcome.out


def test_a_client_writes_only_in_its_home_and_its_workspace(person: Person) -> None:
    cache = person.program.path.parents[1]
    before = files(cache)
    outcome = person.types("Hi", run("true"), say("Bye."))
    assert outcome.status == 0
    assert files(cache) == before
    assert {path.name for path in person.home.parent.iterdir()} == {"home", "workspace"}


def files(folder: Path) -> set[tuple[Path, int]]:
    """List every file, and when it was last written."""
    return {(path, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


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


def test_a_session_goes_on_when_it_is_resumed(person: Person) -> None:
    calls = listen(person, "SessionStart")
    first = person.types("Remember the tree.", say("I do."))
    second = person.types("What was it?", say("A tree."), resume=first.session)
    assert (second.status, second.session, len(second.requests)) == (0, first.session, 1)
    assert [second.requests[0].count(words) > 0 for words in ("Remember the tree.", "I do.")] == [True, True]
    assert calls.of("SessionStart")[-1]["source"] == "resume"


def test_two_prompts_in_one_process(person: Person) -> None:
    calls = listen(person)
    outcome = person.talks(Typed("One."), Typed("Two."), script=(say("First."), run("true"), say("Second.")))
    assert (outcome.status, len(outcome.requests)) == (0, 3), outcome.err
    assert [prompt for prompt in calls.prompts if prompt] == ["One.", "Two."]
    assert {call["session_id"] for call in calls.of("Stop")} == {outcome.session}
    assert len(calls.of("Stop")) == 2


def test_a_subagent_has_a_script_of_its_own(person: Person) -> None:
    looked = person.workspace / "looked"
    script = (delegate("Look for it."), say("Done.", after=str(looked)))
    subagents = (run(f"touch '{looked}'"), say("It is there."))
    outcome = person.talks(Typed("Hi"), script=script, subagents=subagents)
    assert outcome.status == 0, outcome.err
    assert outcome.asides[0].count("Look for it.") == 1
    assert outcome.requests[0].count("Look for it.") == 0


def test_a_model_that_fails(person: Person) -> None:
    calls = listen(person)
    outcome = person.types("Hi", fail())
    assert outcome.status != 0
    assert outcome.requests  # Claude Code asks again, for less
    assert calls.of("Stop") == []


@pytest.mark.parametrize("client", AT_A_TERMINAL)
def test_esc_stops_the_agent(person: Person, tmp_path: Path) -> None:
    calls = listen(person)
    slow = say("Too late.", after=str(tmp_path / "never"))
    typed = (Typed("Start.", turns=0), Typed("", stops=True, turns=0), Typed("Something else."))
    outcome = person.talks(*typed, script=(slow, say("Here it is.")))
    assert (outcome.status, len(outcome.requests)) == (0, 2), outcome.err
    assert "Too late." not in outcome.screens[-1]
    assert "Here it is." in outcome.screens[-1]
    assert calls.prompts == ["Start.", "Something else."]


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
