"""The clients' own files, as `rcs setup` writes them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
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

CLIENTS: tuple[Client, ...] = ("codex", "claude")
"""Those of which `.ci/run` plays every scene."""
ALL_CLIENTS: tuple[Client, ...] = tuple(ADAPTERS)
AT_A_TERMINAL: tuple[Client, ...] = tuple(client for client in ALL_CLIENTS if client not in CLIENTS)
"""Those that take several prompts in a terminal."""
TRANSPORTS: tuple[Transport, ...] = ("command", "mcp")
COMMAND_FIRST = ("command", pytest.param("mcp", marks=pytest.mark.full))
"""For what does not depend on the transport: the second one is left to `.ci/run full`."""


_WAYS = [(client, transport) for client in ALL_CLIENTS for transport in installers()[client].transports]


def _sampled(rows: Iterable[tuple[Client, ...]], is_run: Callable[[tuple[Client, ...]], bool]) -> list[Any]:
    """Leave the other rows to `.ci/run full`."""
    return [pytest.param(*row, marks=() if is_run(row) else pytest.mark.full) for row in rows]


def _ways(is_run: Callable[[tuple[Client, ...]], bool]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("client", "transport"), _sampled(_WAYS, is_run))


SAMPLED = _sampled([(client,) for client in ALL_CLIENTS], lambda row: row[0] in CLIENTS)
"""What a test takes that says nothing else: every client, and those that are not in CLIENTS by `.ci/run full`."""
EVERY = pytest.mark.parametrize("client", ALL_CLIENTS)
"""For what depends on each client's own ways."""
SAMPLED_WAYS = _ways(lambda way: way[0] in CLIENTS)
"""Every client by each transport that it has."""
EVERY_WAY = _ways(lambda way: True)
EVERY_ONCE = _ways(lambda way: way[1] == "command")
"""For what does not depend on the transport."""
SAMPLED_ONCE = _ways(lambda way: way[0] in CLIENTS and way[1] == "command")
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


def our_hooks_file(client: Client, workspace: Path) -> Path:
    """Name the file to which `rcs setup` writes the hooks for a project."""
    target = InstallTarget(Host({}, str(workspace), str(workspace)), client, "project")
    return Path(target.hooks_file.path)


def persons_hooks_file(client: Client, home: Path) -> Path:
    return home / (ADAPTERS[client].persons_hooks_file or ADAPTERS[client].hooks_file)
