"""The clients' own files, as `rcs setup` writes them, and what a person then does in Codex by hand."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

from rcs_hooks.clients.codex import trust
from rcs_hooks.clients.entries import handlers
from tests.support import RCS_HOOK, clean_env

Client = Literal["codex", "claude"]
Transport = Literal["command", "mcp"]
Scope = Literal["project", "user"]
Json = dict[str, Any]

CLIENTS: tuple[Client, ...] = ("codex", "claude")
TRANSPORTS: tuple[Transport, ...] = ("command", "mcp")
COMMAND_FIRST = ("command", pytest.param("mcp", marks=pytest.mark.full))
"""For what does not depend on the transport: the second one is left to `.ci/run full`."""
RCS = RCS_HOOK.parent / "rcs"


def configure(client: Client, folder: Path, transport: Transport, *flags: str, scope: Scope = "project") -> None:
    """`rcs setup` for this project, or for the person whose home this is."""
    done = rcs(folder, folder, "setup", "--client", client, "--scope", scope, "--transport", transport, *flags)
    assert (done.returncode, done.stderr) == (0, "")


def rcs(cwd: Path, home: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """In this folder, by the person with this home."""
    homes = {"HOME": str(home), "CODEX_HOME": str(home / ".codex"), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
    return subprocess.run(
        [RCS, *words], cwd=cwd, env=clean_env() | homes | env, capture_output=True, text=True, timeout=60, check=False
    )


def hooks_file(client: Client, workspace: Path) -> Path:
    return workspace / {"codex": ".codex/hooks.json", "claude": ".claude/settings.json"}[client]


def add_hook(file: Path, event: str, handler: Json) -> None:
    settings = json.loads(file.read_text()) if file.exists() else {}
    settings.setdefault("hooks", {}).setdefault(event, []).append({"hooks": [handler]})
    write_settings(file, settings)


def write_settings(file: Path, settings: Json) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2) + "\n")


# --- what a person does in Codex by hand: trust the project, and approve each hook


def project_trust(folder: Path) -> str:
    return f'[projects.{json.dumps(str(folder))}]\ntrust_level = "trusted"\n\n'


def hook_trust(workspace: Path) -> str:
    """The lines of config.toml that say: a person has seen each of these hooks."""
    file = hooks_file("codex", workspace)
    lines = ""
    for spot, handler in handlers(json.loads(file.read_text())):
        key = json.dumps(trust.key(str(file), spot))
        lines += f'[hooks.state.{key}]\ntrusted_hash = "{trust.hash_of(spot[0], handler)}"\n\n'
    return lines
