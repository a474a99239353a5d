"""The clients' own files, as `rcs setup` writes them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

from rcs_hooks.clients import installers
from rcs_hooks.clients.installer import Host, InstallTarget
from tests.real_clients.adapters import ADAPTERS, adapter
from tests.support import RCS_HOOK, clean_env

Client = str
"""The name of one."""
Transport = Literal["command", "mcp"]
Scope = Literal["project", "user"]
Json = dict[str, Any]

ALL_CLIENTS: tuple[Client, ...] = tuple(ADAPTERS)
CLIENTS: tuple[Client, ...] = ("codex", "claude")
AT_A_TERMINAL: tuple[Client, ...] = tuple(client for client in ALL_CLIENTS if client not in CLIENTS)
"""Those that take several prompts in a terminal."""
TRANSPORTS: tuple[Transport, ...] = ("command", "mcp")
WAYS = [(client, transport) for client in ALL_CLIENTS for transport in installers()[client].transports]
EVERY_WAY = pytest.mark.parametrize(("client", "transport"), WAYS)
"""Every client by each transport that it has."""
write_settings = adapter.write_settings
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
    return workspace / ADAPTERS[client].hooks_file


def our_hooks_file(client: Client, workspace: Path) -> Path:
    """Name the file to which `rcs setup` writes the hooks for a project."""
    target = InstallTarget(Host({}, str(workspace), str(workspace)), client, "project")
    return Path(target.hooks_file.path)
