"""A hook that only listens: what a client really calls its hooks with, whatever ours say to it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tests.real_clients.configure import configure, hooks_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.adapters.adapter import Adapter
    from tests.real_clients.configure import Json, Transport
    from tests.real_clients.driver import Person

SCRIPT = """#!/bin/sh
call=$(cat)
printf '%s\\n' "$call" >> '{calls}'
echo '{{}}'
"""
"""The call is one line, written in one go: hooks run side by side."""


class Calls(NamedTuple):
    """Every call of the hook, in order."""

    file: Path
    adapter: Adapter

    def of(self, event: str) -> list[Json]:
        """Those of an event, whatever the client calls it."""
        return [call for call in self.all if call["hook_event_name"] == self.adapter.event(event)]

    @property
    def all(self) -> list[Json]:
        return [json.loads(line) for line in self.file.read_text().splitlines() if line]

    @property
    def prompts(self) -> list[str]:
        """Of the person and of the client itself, not of subagents."""
        return [call["prompt"] for call in self.of("UserPromptSubmit") if "agent_id" not in call]

    @property
    def typed(self) -> list[str]:
        """The prompts of the person."""
        return [call["prompt"] for call in self.of("UserPromptSubmit") if self.adapter.is_typed(call)]

    def turns(self, event: str) -> list[int]:
        """The turn of each call: 0 is that of the first prompt, 1 the next one that there was, and so on."""
        known: list[str] = []
        found = []
        for call in self.all:
            is_prompt = call["hook_event_name"] == self.adapter.event("UserPromptSubmit")
            turn = _turn(call) or (str(len(known)) if is_prompt and self.adapter.is_typed(call) else known[-1])
            if turn not in known:
                known.append(turn)
            if call["hook_event_name"] == self.adapter.event(event):
                found.append(known.index(turn))
        return found

    def wait_for(self, event: str, times: int = 1) -> str:
        """For a shell: waits until this event has come so often."""
        pattern = f'"hook_event_name":"{self.adapter.event(event)}"'
        # Without `$(…)`, which Gemini CLI does not run.
        return f"until grep '{pattern}' '{self.file}' | sed -n '{times}p' | grep -q .; do sleep 0.02; done"


def _turn(call: Json) -> str:
    """The client's id of the turn; empty where it has none."""
    return str(call.get("turn_id") or call.get("prompt_id") or "")


def set_up(person: Person, transport: Transport, *events: str) -> Calls:
    """`rcs setup`, and then `listen`."""
    configure(person.client, person.workspace, transport)
    return listen(person, *events)


def listen(person: Person, *events: str) -> Calls:
    """Add a hook by hand for prompts, Stops and these events; the person trusts the project, and approves each hook."""
    adapter = person.adapter
    folder = person.workspace.parent / "listening"
    folder.mkdir()
    calls, script = Calls(folder / "calls.jsonl", adapter), folder / "listen.sh"
    calls.file.touch()
    script.write_text(SCRIPT.format(calls=calls.file))
    script.chmod(0o755)
    for event in ("UserPromptSubmit", "Stop", *events):
        adapter.add_hook(hooks_file(person.client, person.workspace), adapter.event(event), f"'{script}'")
    person.trusts(person.workspace, approved=person.workspace)
    return calls
