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
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.real_clients.configure import hook_trust, project_trust
from tests.real_clients.inside import TMP
from tests.real_clients.install import Unavailable
from tests.real_clients.model_server import Request, Turn, recorded, say
from tests.support import CHECKOUT

if TYPE_CHECKING:
    from tests.real_clients.configure import Client
    from tests.real_clients.install import Installed

Json = dict[str, Any]

SECONDS = 180
PATH = "/usr/local/bin:/usr/bin:/bin"
NOBODY = "http://127.0.0.1:9"
CONVERSATION = Path(__file__).with_name("conversation.py")
CODEX_MODEL = (
    'model_providers.mock={name="mock",base_url="{url}/v1",wire_api="responses",env_key="MOCK_API_KEY",'
    "request_max_retries=0,stream_max_retries=0}"
)
CODEX_SETTINGS = (
    'model="mock"',
    'model_provider="mock"',
    CODEX_MODEL,
    "features.plugins=false",  # its list is fetched from the network, for five seconds
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    # All of these tests live in /tmp: an agent writes there no more than in any person's files. TMPDIR is its own.
    "sandbox_workspace_write.exclude_slash_tmp=true",
)
CLAUDE = ("-p", "--output-format", "stream-json", "--verbose")
CLAUDE_TYPED = "--input-format=stream-json"
CLAUDE_ASKS = "--permission-prompt-tool=stdio"
CLAUDE_QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
SANDBOXED = "workspace-write"


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
    def events(self) -> list[Json]:
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]

    @property
    def session(self) -> str:
        """The id, as the client tells it."""
        named = (event | event.get("params", {}) for event in self.events)
        names = ("session_id", "thread_id", "threadId")
        return next(str(event[name]) for event in named for name in names if name in event)

    @property
    def shown(self) -> list[str]:
        """What hooks told the person. `codex exec` does not show it: there the turn has to be taken with `shown`."""
        if self.client == "claude":
            said = (event["content"] for event in self.events if event.get("subtype") == "informational")
            return [text.replace("Stop says: ", "").replace("UserPromptSubmit says: ", "") for text in said]
        runs = (event["params"]["run"] for event in self.events if event.get("method") == "hook/completed")
        return [entry["text"] for run in runs for entry in run["entries"] if entry["kind"] == "warning"]

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
    def listed(self) -> list[Json]:
        """Codex, of a turn taken with `shown`: the hooks that it found, and whether it trusts them."""
        return [hook for event in self.events for hook in _listed(event)]

    @property
    def missed(self) -> list[str]:
        """What the script looked for in a request and did not find."""
        return [request.missed for request in self.requests if request.missed]


def _listed(event: Json) -> list[Json]:
    result = event.get("result", {})
    entries = result.get("data", []) if isinstance(result, dict) else []
    return [hook for entry in entries if isinstance(entry, dict) for hook in entry.get("hooks", [])]


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
    turns: int = 0

    def trusts(self, *projects: Path, approved: Path | None = None, writable: Path | None = None) -> None:
        """Codex: the projects whose hooks may run at all, the one whose hooks were each approved, and a folder that the
        agent may write besides its own.
        """
        self.codex_home.mkdir(parents=True, exist_ok=True)
        lines = "".join(map(project_trust, projects)) + (hook_trust(approved) if approved else "")
        if writable:
            lines += f"[sandbox_workspace_write]\nwritable_roots = [{json.dumps(str(writable))}]\n"
        (self.codex_home / "config.toml").write_text(lines)

    def types(
        self,
        prompt: str,
        *script: Turn,
        resume: str = "",
        shown: bool = False,
        subagents: tuple[Turn, ...] = (say("Found it."),),
    ) -> Outcome:
        """One turn, from the prompt until the client is done. `resume` names the session that goes on; `shown` takes
        it where a person sees what hooks say, which for Codex is not `codex exec`, and wants approved hooks.
        """
        if shown and self.client == "codex":
            return self.talks(Typed(prompt), script=script, resume=resume, subagents=subagents)
        return self._turn(self._command(prompt, resume), script, subagents)

    def talks(
        self,
        *typed: Typed,
        script: tuple[Turn, ...],
        resume: str = "",
        subagents: tuple[Turn, ...] = (say("Found it."),),
    ) -> Outcome:
        """Several prompts, typed one after the other into one process. Codex wants approved hooks here."""
        plan = json.dumps({"resume": resume, "typed": [asdict(each) for each in typed]})
        command = [sys.executable, str(CONVERSATION), self.client, plan, *self._open_command(resume)]
        return self._turn(command, script, subagents)

    def _turn(self, command: list[str], script: tuple[Turn, ...], subagents: tuple[Turn, ...]) -> Outcome:
        self.turns += 1
        scratch = self.home / f"turn-{self.turns}"
        scratch.mkdir(parents=True)
        record = scratch / "requests.jsonl"
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

    @property
    def codex_home(self) -> Path:
        return self.home / ".codex"

    def _command(self, prompt: str, resume: str) -> list[str]:
        """For one prompt."""
        program = str(self.program.path)
        if self.client == "claude":
            return [*self._claude(program), *(["--resume", resume] if resume else []), prompt]
        trust = ["--dangerously-bypass-hook-trust"] if self.bypass else []
        session = ["resume", resume] if resume else []
        return [program, "exec", "--json", "--skip-git-repo-check", *self._codex_words(), *trust, *session, prompt]

    def _open_command(self, resume: str) -> list[str]:
        """For a conversation."""
        program = str(self.program.path)
        if self.client == "claude":
            asks = [CLAUDE_ASKS] if self.asks else []
            return [*self._claude(program), CLAUDE_TYPED, *asks, *(["--resume", resume] if resume else [])]
        return [program, "app-server", *self._codex_words()]

    def _claude(self, program: str) -> list[str]:
        return [program, *CLAUDE, *([] if self.asks else ["--allowedTools=Bash"])]

    def _codex_words(self) -> list[str]:
        settings = (*CODEX_SETTINGS, f'sandbox_mode="{self.sandbox}"')
        return [word for setting in settings for word in ("-c", setting)]

    def _env(self) -> dict[str, str]:
        env = {"HOME": str(self.home), "PATH": PATH, "LANG": "C.UTF-8", "TERM": "dumb"}
        env |= dict.fromkeys(("TMPDIR", "CLAUDE_CODE_TMPDIR", "XDG_RUNTIME_DIR"), TMP)
        if not isolation():
            env |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), NOBODY) | {"NO_PROXY": "127.0.0.1"}
        if self.client == "codex":
            self.codex_home.mkdir(parents=True, exist_ok=True)
            return env | {"CODEX_HOME": str(self.codex_home), "MOCK_API_KEY": "dummy"} | self.env
        ours = {"CLAUDE_CONFIG_DIR": str(self.home / ".claude"), "ANTHROPIC_API_KEY": "dummy"}
        return env | ours | {"ANTHROPIC_BASE_URL": "{url}"} | CLAUDE_QUIET | self.env


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
