"""The clients' tools that a scripted model calls: a shell, and what starts a subagent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.real_clients.model_server import Turn

Json = dict[str, Any]


class Call(NamedTuple):
    """What the model calls, and with which arguments."""

    name: str
    arguments: Json


def _codex(turn: Turn) -> Json:
    return {"cmd": turn.command} | ({"yield_time_ms": 250} if turn.in_background else {})


def _in_words(turn: Turn) -> Json:
    return {"command": ["bash", "-lc", turn.command]}


def _claude(turn: Turn) -> Json:
    described = {"command": turn.command, "description": "Runs a command"}
    return described | ({"run_in_background": True} if turn.in_background else {})


def _plain(turn: Turn) -> Json:
    return {"command": turn.command}


def _copilot(turn: Turn) -> Json:
    mode = "async" if turn.in_background else "sync"
    return {"command": turn.command, "description": "Runs a command", "mode": mode}


def _qwen_and_gemini(turn: Turn) -> Json:
    return {"command": turn.command, "description": "Runs a command", "is_background": turn.in_background}


SHELLS: dict[str, Callable[[Turn], Json]] = {
    "Bash": _claude,
    "exec_command": _codex,
    "shell_command": _plain,
    "shell": _in_words,
    "bash": _copilot,
    "run_shell_command": _qwen_and_gemini,
}
"""What runs a command, the one to be taken first."""


def _claude_agent(turn: Turn) -> Json:
    given: Json = {"description": "A task", "prompt": turn.task, "subagent_type": "general-purpose"}
    return given | {"run_in_background": turn.in_background}


def _copilot_agent(turn: Turn) -> Json:
    mode = "background" if turn.in_background else "sync"
    given = {"name": "helper", "description": "A task", "prompt": turn.task}
    return given | {"agent_type": "general-purpose", "mode": mode}


AGENTS: dict[str, Callable[[Turn], Json]] = {
    "Agent": _claude_agent,
    "agent": _claude_agent,
    "task": _copilot_agent,
    "invoke_agent": lambda turn: {"agent_name": "generalist", "prompt": turn.task},
}
"""What starts a subagent. Codex has its own in a namespace."""


def shell(offered: Iterable[str]) -> str:
    """Choose the tool that runs a command; empty where none is offered."""
    names = set(offered)
    return next((name for name in SHELLS if name in names), "")


def call(turn: Turn, offered: Iterable[str]) -> Call:
    """Choose the tool that does what the turn wants."""
    names = list(offered)
    if turn.task:
        name = next(name for name in AGENTS if name in names)
        return Call(name, AGENTS[name](turn))
    name = shell(names)
    return Call(name, SHELLS[name](turn))
