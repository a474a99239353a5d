"""The clients' own files, as `rcs setup` writes them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.real_clients.adapters import ADAPTERS, adapter
from tests.support import RCS_HOOK, clean_env

Client = str
"""The name of one."""
Transport = Literal["command", "mcp"]
Scope = Literal["project", "user"]
Json = dict[str, Any]

CLIENTS: tuple[Client, ...] = ("codex", "claude")
ALL_CLIENTS: tuple[Client, ...] = tuple(ADAPTERS)
TRANSPORTS: tuple[Transport, ...] = ("command", "mcp")
COMMAND_FIRST = ("command", pytest.param("mcp", marks=pytest.mark.full))
"""For what does not depend on the transport: the second one is left to `.ci/run full`."""
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


def add_hook(file: Path, event: str, handler: Json) -> None:
    adapter.add_entry(file, event, {"hooks": [handler]})
