"""Codex CLI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rcs_hooks.clients.codex import trust
from rcs_hooks.clients.entries import handlers
from tests.real_clients.adapters.adapter import SANDBOXED, Adapter
from tests.real_clients.install import Package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.real_clients.driver import Person

Json = dict[str, Any]

MODEL = (
    'model_providers.mock={name="mock",base_url="{url}/v1",wire_api="responses",env_key="MOCK_API_KEY",'
    "request_max_retries=0,stream_max_retries=0}"
)
SETTINGS = (
    'model="mock"',
    'model_provider="mock"',
    MODEL,
    "features.plugins=false",  # its list is fetched from the network, for five seconds
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    # All of these tests live in /tmp: an agent writes there no more than in any person's files. TMPDIR is its own.
    "sandbox_workspace_write.exclude_slash_tmp=true",
)


class Codex(Adapter):
    """Takes one prompt by `codex exec`, several by its app server."""

    name = "codex"
    package = Package("codex", "@openai/codex", "0.169.0", "node_modules/@openai/codex-*/vendor/*/bin/codex")
    hooks_file = ".codex/hooks.json"
    # Its bubblewrap does not run on every machine.
    sandboxes = (SANDBOXED, "danger-full-access")
    conversation = "conversation.py"
    needs = ()
    most_holds = 50

    def words(self, person: Person, prompt: str, resume: str) -> list[str]:
        trust = ["--dangerously-bypass-hook-trust"] if person.bypass else []
        session = ["resume", resume] if resume else []
        return ["exec", "--json", "--skip-git-repo-check", *_settings(person), *trust, *session, prompt]

    def open_words(self, person: Person, session: str, *, resumes: bool) -> list[str]:
        return ["app-server", *_settings(person)]

    def env(self, person: Person) -> dict[str, str]:
        home = _home(person)
        home.mkdir(parents=True, exist_ok=True)
        return {"CODEX_HOME": str(home), "MOCK_API_KEY": "dummy"}

    def trust(self, person: Person, projects: tuple[Path, ...], approved: Path | None, writable: Path | None) -> None:
        lines = "".join(map(project_trust, projects)) + (hook_trust(approved) if approved else "")
        if writable:
            lines += f"[sandbox_workspace_write]\nwritable_roots = [{json.dumps(str(writable))}]\n"
        _home(person).mkdir(parents=True, exist_ok=True)
        (_home(person) / "config.toml").write_text(lines)

    def shows_hooks(self) -> bool:
        return False

    def shown(self, events: list[Json], err: str) -> list[str]:
        runs = (event["params"]["run"] for event in events if event.get("method") == "hook/completed")
        return [entry["text"] for run in runs for entry in run["entries"] if entry["kind"] == "warning"]


def _home(person: Person) -> Path:
    return person.home / ".codex"


def _settings(person: Person) -> list[str]:
    settings = (*SETTINGS, f'sandbox_mode="{person.sandbox}"')
    return [word for setting in settings for word in ("-c", setting)]


# --- what a person does by hand: trust the project, and approve each hook


def project_trust(folder: Path) -> str:
    return f'[projects.{json.dumps(str(folder))}]\ntrust_level = "trusted"\n\n'


def hook_trust(workspace: Path) -> str:
    """The lines of config.toml that say: a person has seen each of these hooks."""
    file = workspace / Codex.hooks_file
    lines = ""
    for spot, handler in handlers(json.loads(file.read_text())):
        key = json.dumps(trust.key(str(file), spot))
        lines += f'[hooks.state.{key}]\ntrusted_hash = "{trust.hash_of(spot[0], handler)}"\n\n'
    return lines
