"""What the harness has to know of a client, and what is the same for most of them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.real_clients.driver import Person
    from tests.real_clients.install import Package

Json = dict[str, Any]

SANDBOXED = "workspace-write"
OURS = "[rcs] "
"""What a Stop's reason begins with."""
SECONDS = 30
"""The time-out of a listening hook."""


class Adapter(ABC):
    """One client, of which nothing is asked elsewhere."""

    name: ClassVar[str]
    package: ClassVar[Package]
    hooks_file: ClassVar[str]
    """In a project or in a home."""
    persons_hooks_file: ClassVar[str] = ""
    """In a home, where that is another one."""
    has_comments: ClassVar[bool] = False
    """Whether that file may have comments."""
    edits_settings: ClassVar[bool] = False
    """Whether the client writes into a project's settings when it is first started there."""
    joins_contexts: ClassVar[bool] = True
    """Whether the model is given the context of each hook; else of the last one alone."""
    events: ClassVar[Mapping[str, str]] = {}
    """The names of its own that it has for events."""
    sandboxes: ClassVar[tuple[str, ...]] = (SANDBOXED,)
    """What is tried, in order, until the agent can run a command on this machine."""
    conversation: ClassVar[str] = "terminal.py"
    """The program that types several prompts into one process of it."""
    needs: ClassVar[tuple[str, ...]] = ("tmux",)
    """The programs that this takes."""
    shows: ClassVar[tuple[str, ...]] = ("started", "let go")
    """What a person is shown of a run: that it has started, that its Stop is held, that it was let go."""
    most_holds: ClassVar[int] = 0
    """How often in a row a Stop of one prompt is held at most, before the client itself would end the turn."""
    notice: ClassVar[str] = ""
    """What the prompt begins with that the client makes of a command which has ended in the background; empty where it
    makes none.
    """
    wakes_agent: ClassVar[bool] = False
    """Whether such a command's end starts a turn."""
    subagent_end: ClassVar[str] = "SubagentStop"
    """The event of a subagent's end; empty where there is none of its own, and the agent waits for a subagent."""
    screen: ClassVar[Json] = {}
    """For a terminal: the patterns by which its screen says that it is `ready`, or `busy`, the words that make it
    `quit`, and the keys that `stop` its agent.
    """

    # --- how it is started

    @abstractmethod
    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        """Return the arguments for one prompt, after which the client ends."""

    @abstractmethod
    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        """Return the arguments for a conversation: in a new session, with this id where a person can choose it, or in
        one that goes on.
        """

    @abstractmethod
    def env(self, person: Person) -> dict[str, str]:
        """Return the variables that give it a key and the model, and keep it quiet."""

    def trust(self, person: Person, projects: tuple[Path, ...], approved: Path | None, writable: Path | None) -> None:
        """Write down the projects that the person trusts, the one whose hooks were each approved, and a folder that
        the agent may write besides its own. A client that asks for none of it needs nothing.
        """
        return

    def shows_hooks(self) -> bool:
        """Say whether one prompt's output shows what hooks tell the person; else it takes a conversation."""
        return True

    # --- what it printed

    def session(self, events: list[Json]) -> str:
        """Find the id of the session in what was printed."""
        names = ("session_id", "sessionId", "thread_id", "threadId")
        named = (event | event.get("params", {}) for event in events)
        return next(str(event[name]) for event in named for name in names if event.get(name))

    def shown(self, events: list[Json], err: str) -> list[str]:
        """List what hooks told the person, as far as the client prints it, in order."""
        return []

    def is_typed(self, prompt: Json) -> bool:
        """Say whether a person typed the prompt that a hook was called with."""
        said = prompt["prompt"]
        of_client = (OURS, self.notice) if self.notice else (OURS,)
        return "agent_id" not in prompt and not said.startswith(of_client)

    # --- its hooks

    def event(self, name: str) -> str:
        """Return the client's own name of an event."""
        return self.events.get(name, name)

    def with_context(self, text: str) -> Json:
        """Return a hook's answer to a prompt that gives the model this text."""
        event = self.event("UserPromptSubmit")
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}

    def add_hook(self, file: Path, event: str, command: str) -> None:
        """Add a hook in the client's own form, as a person does by hand."""
        add_entry(file, event, {"hooks": [{"type": "command", "command": command, "timeout": SECONDS}]})


def add_entry(file: Path, event: str, entry: Json) -> None:
    """Add an entry to those of the event."""
    settings = json.loads(file.read_text()) if file.exists() else {}
    settings.setdefault("hooks", {}).setdefault(event, []).append(entry)
    write_settings(file, settings)


def write_settings(file: Path, settings: Json) -> None:
    """Write the client's settings, as a person would."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2) + "\n")
