"""A person at one of the real clients: types a prompt, and sees what the turn printed; then the next one.

Everything is the client's own but its home, its key and its model. It has no network but loopback where the machine
can do that; elsewhere every way out is a proxy that is not there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import uuid
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.real_clients.adapters import ADAPTERS, adapter
from tests.real_clients.inside import TMP
from tests.real_clients.install import Unavailable
from tests.real_clients.model_server import Request, Turn, recorded, say
from tests.support import CHECKOUT

if TYPE_CHECKING:
    from tests.real_clients.adapters.adapter import Adapter
    from tests.real_clients.configure import Client
    from tests.real_clients.install import Installed

Json = dict[str, Any]

SANDBOXED = adapter.SANDBOXED
SECONDS = 180
PATH = "/usr/local/bin:/usr/bin:/bin"
NOBODY = "http://127.0.0.1:9"
HERE = Path(__file__).parent
RECORD = "requests.jsonl"


@cache
def isolation() -> tuple[str, ...]:
    """The words before a command that give it a network of its own; none where the machine does not allow it."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return ()
    words = (unshare, "--user", "--map-current-user", "--keep-caps", "--net")
    done = subprocess.run([*words, "true"], capture_output=True, check=False, timeout=60)
    return words if done.returncode == 0 else ()


@dataclass(frozen=True)
class Typed:
    """A prompt in a conversation."""

    prompt: str
    turns: int = 1
    """How many turns end before the person types again. None: the next prompt is typed while the agent works on this
    one. Two: the client starts the second one itself.
    """
    when: str = ""
    """A file that has to be there first."""
    typed: str = ""
    """A file that is made once the client has the prompt."""
    stops: bool = False
    """In a terminal, in place of a prompt: Esc, once the model has been asked. The client then works no more."""
    keys: tuple[str, ...] = ()
    """In a terminal, in place of a prompt: what is pressed, by tmux' names."""
    shows: str = ""
    """A pattern that the screen of a terminal has to show first."""
    idle: bool = False
    """In a terminal: the client has to be idle first."""
    rests: float = 0
    """In a terminal, seconds for which the person does nothing after it: what the client does by itself then shows."""


@dataclass(frozen=True)
class Outcome:
    """What came of one turn, or of a conversation."""

    client: Client
    status: int | None
    """None: it took too long and was killed."""
    out: str
    err: str
    requests: list[Request]
    """Of the agent, in this turn."""
    asides: list[Request]
    """Of its subagents."""

    @property
    def _adapter(self) -> Adapter:
        return ADAPTERS[self.client]

    @property
    def events(self) -> list[Json]:
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    @property
    def screens(self) -> list[str]:
        """What the person saw in a terminal, after each thing that they typed."""
        return [event["text"] for event in self.events if event.get("type") == "screen"]

    @property
    def session(self) -> str:
        """The id, as the client tells it."""
        return self._adapter.session(self.events)

    @property
    def shown(self) -> list[str]:
        """What hooks told the person. In Codex and Qwen Code the turn has to be taken with `shown`."""
        return self._adapter.shown(self.events, self.err)

    @property
    def approvals(self) -> list[str]:
        """The commands that Claude Code asked the person about, in a conversation."""
        asked = (event["request"] for event in self.events if event.get("type") == "control_request")
        return [each["input"]["command"] for each in asked if each.get("tool_name") == "Bash"]

    @property
    def failures(self) -> list[str]:
        """What the agent's commands said that failed, in Claude Code."""
        held = (event["message"]["content"] for event in self.events if event.get("type") == "user")
        parts = (part for content in held if isinstance(content, list) for part in content)
        return [str(part["content"]) for part in parts if part.get("is_error")]

    @property
    def missed(self) -> list[str]:
        """What the script looked for in a request and did not find."""
        return [request.missed for request in self.requests if request.missed]


@dataclass
class Person:
    """One person at one client, with a home of their own."""

    client: Client
    program: Installed
    home: Path
    workspace: Path
    """The folder that the client is started in."""
    env: dict[str, str] = field(default_factory=dict)
    sandbox: str = SANDBOXED
    """Codex: what holds the agent's commands."""
    bypass: bool = True
    """Codex: runs hooks that nobody has approved."""
    asks: bool = False
    """Claude Code: commands that no rule allows want a person's yes. In a conversation they get it, else nobody is
    there to give it.
    """
    options: tuple[str, ...] = ()
    """More arguments for the client."""
    turns: int = 0

    @property
    def adapter(self) -> Adapter:
        return ADAPTERS[self.client]

    def trusts(self, *projects: Path, approved: Path | None = None, writable: Path | None = None) -> None:
        """The projects whose hooks may run at all; in Codex the one whose hooks were each approved, and a folder that
        the agent may write besides its own. They take the place of those before.
        """
        self.adapter.trust(self, projects, approved, writable)

    def types(
        self,
        prompt: str,
        *script: Turn,
        resume: str = "",
        shown: bool = False,
        subagents: tuple[Turn, ...] = (say("Found it."),),
    ) -> Outcome:
        """One turn, from the prompt until the client is done. `resume` names the session that goes on; `shown` takes
        it where a person sees what hooks say, which is not every client's way to take one prompt. Codex then wants
        approved hooks.
        """
        if shown and not self.adapter.shows_hooks():
            return self.talks(Typed(prompt), script=script, resume=resume, subagents=subagents)
        return self._turn([*self._client, *self.adapter.words(self, prompt, resume)], script, subagents)

    def talks(
        self,
        *typed: Typed,
        script: tuple[Turn, ...],
        resume: str = "",
        subagents: tuple[Turn, ...] = (say("Found it."),),
    ) -> Outcome:
        """Several prompts, typed one after the other into one process. Codex wants approved hooks here."""
        session = resume or str(uuid.uuid4())
        plan: Json = {"resume": resume, "session": session, "record": str(self._scratch / RECORD)}
        plan |= {"typed": [asdict(each) for each in typed], "screen": self.adapter.screen}
        client = [*self._client, *self.adapter.open_words(self, session, resumes=bool(resume))]
        command = [sys.executable, str(HERE / self.adapter.conversation), self.client, json.dumps(plan), *client]
        return self._turn(command, script, subagents)

    @property
    def _client(self) -> list[str]:
        return [str(self.program.path), *self.options]

    @property
    def _scratch(self) -> Path:
        """For the next turn."""
        return self.home / f"turn-{self.turns + 1}"

    def _turn(self, command: list[str], script: tuple[Turn, ...], subagents: tuple[Turn, ...]) -> Outcome:
        scratch = self._scratch
        scratch.mkdir(parents=True)
        self.turns += 1
        record = scratch / RECORD
        turn = {
            "isolated": bool(isolation()),
            "script": [asdict(said) for said in script],
            "subagents": [asdict(said) for said in subagents],
            "record": str(record),
            "first": 100 * self.turns,
            "command": command,
            "env": self._env(),
            "cwd": str(self.workspace),
            "seconds": SECONDS,
        }
        done = _inside(turn, scratch)
        requests = recorded(record)
        agent = [request for request in requests if request.of_agent]
        aside = [request for request in requests if request.of_subagent]
        return Outcome(self.client, done["status"], done["out"], done["err"], agent, aside)

    def _env(self) -> dict[str, str]:
        env = {"HOME": str(self.home), "PATH": PATH, "LANG": "C.UTF-8", "TERM": "dumb"}
        env |= dict.fromkeys(("TMPDIR", "CLAUDE_CODE_TMPDIR", "XDG_RUNTIME_DIR"), TMP)
        if not isolation():
            env |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOBODY) | {"NO_PROXY": "127.0.0.1"}
        return env | self.program.env | self.adapter.env(self) | self.env


def _inside(turn: Json, scratch: Path) -> Json:
    file = scratch / "turn.json"
    file.write_text(json.dumps(turn))
    command = [*isolation(), sys.executable, "-m", "tests.real_clients.inside", str(file)]
    env = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        command, cwd=CHECKOUT, env=env, capture_output=True, text=True, timeout=SECONDS + 30, check=False
    )
    if done.returncode:
        raise Unavailable(f"the client could not be started: {done.stderr[-600:]}")
    answer: Json = json.loads(done.stdout)
    return answer
