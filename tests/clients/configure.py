"""The clients' own files, as `rcs setup` is to write them. Until it does, they are written here."""

from __future__ import annotations

import hashlib
import json
import shlex
from pathlib import Path
from typing import Any, Literal

from tests.support import RCS_HOOK

Client = Literal["codex", "claude"]
Transport = Literal["command", "mcp"]
Json = dict[str, Any]

CLIENTS: tuple[Client, ...] = ("codex", "claude")
TRANSPORTS: tuple[Transport, ...] = ("command", "mcp")
RCS = RCS_HOOK.parent / "rcs"
SERVER = "rcs_state"
TIMEOUT = 30
FIELDS = {
    "UserPromptSubmit": ("session_id", "cwd", "prompt"),
    "Stop": ("session_id", "cwd", "stop_hook_active", "last_assistant_message"),
    "SessionStart": (),
}
TOOLS = {"UserPromptSubmit": "hook_user_prompt_submit", "Stop": "hook_stop"}
TURN = {"codex": "turn_id", "claude": "prompt_id"}


def configure(client: Client, workspace: Path, transport: Transport) -> None:
    """Our hooks into the project's files, or, where that is a home, into the user's; what stands there already stays.

    To be replaced by `rcs setup --client C --scope S --transport T`.
    """
    file = hooks_file(client, workspace)
    for event in FIELDS:
        add_hook(file, event, _handler(client, event, transport))
    if transport == "mcp":
        _add_server(client, workspace)


def hooks_file(client: Client, workspace: Path) -> Path:
    return workspace / {"codex": ".codex/hooks.json", "claude": ".claude/settings.json"}[client]


def add_hook(file: Path, event: str, handler: Json) -> None:
    settings = json.loads(file.read_text()) if file.exists() else {}
    settings.setdefault("hooks", {}).setdefault(event, []).append({"hooks": [handler]})
    write_settings(file, settings)


def write_settings(file: Path, settings: Json) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings, indent=2) + "\n")


def _handler(client: Client, event: str, transport: Transport) -> Json:
    if transport == "mcp" and event in TOOLS:
        given = {name: f"${{{name}}}" for name in (*FIELDS[event], TURN[client])}
        return {"type": "mcp_tool", "server": SERVER, "tool": TOOLS[event], "timeout": TIMEOUT, "input": given}
    if client == "claude":
        return {"type": "command", "command": str(RCS_HOOK), "args": [], "timeout": TIMEOUT}
    return {"type": "command", "command": shlex.quote(str(RCS_HOOK)), "timeout": TIMEOUT}


def _add_server(client: Client, workspace: Path) -> None:
    if client == "codex":
        lines = f"[mcp_servers.{SERVER}]\ncommand = {json.dumps(str(RCS))}\nargs = ['mcp']\n"
        (workspace / ".codex/config.toml").write_text(lines)
        return
    write_settings(workspace / ".mcp.json", {"mcpServers": {SERVER: {"command": str(RCS), "args": ["mcp"]}}})
    file = hooks_file(client, workspace)
    write_settings(file, json.loads(file.read_text()) | {"enabledMcpjsonServers": [SERVER]})


# --- what a person does in Codex by hand: trust the project, and approve each hook


def project_trust(folder: Path) -> str:
    return f'[projects.{json.dumps(str(folder))}]\ntrust_level = "trusted"\n\n'


def hook_trust(workspace: Path) -> str:
    """The lines of config.toml that say: a person has seen each of these hooks."""
    file = hooks_file("codex", workspace)
    lines = ""
    for event, groups in json.loads(file.read_text())["hooks"].items():
        for number, group in enumerate(groups):
            for place, handler in enumerate(group["hooks"]):
                key = json.dumps(f"{file}:{_snake(event)}:{number}:{place}")
                lines += f'[hooks.state.{key}]\ntrusted_hash = "{trusted_hash(event, handler)}"\n\n'
    return lines


def trusted_hash(event: str, handler: Json) -> str:
    seen = handler if handler["type"] == "mcp_tool" else {"async": False} | handler
    text = json.dumps({"event_name": _snake(event), "hooks": [seen]}, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _snake(event: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
