"""The MCP tools: their names and schemas, and the two that a client's hooks call.

A client asks for the list and then for a hook while a person waits for the first prompt to go out. So this module
imports what those two need, and `state_tools` when a tool of the state is called.
"""

import time

from rcs_hooks import jsontext
from rcs_hooks.environment import Environment
from rcs_hooks.errors import RcsError, UsageError, as_json
from rcs_hooks.hook.call import PROMPT, STOP
from rcs_hooks.hook.entry import answer
from rcs_hooks.interface import CLI, EMIT, SCOPE, TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

WHOSE = ("turn_id", "prompt_id", "agent_id", "agent_type", "transcript_path")
"""The arguments that distinguish a person's call from a subagent's, and one turn from the next."""
HOOKS = {
    "hook_user_prompt_submit": (
        PROMPT,
        "For the client's UserPromptSubmit hook, not for the model.",
        ("prompt", *WHOSE),
    ),
    "hook_stop": (
        STOP,
        "For the client's Stop hook, not for the model.",
        ("last_assistant_message", "stop_hook_active", "background_tasks", "session_crons", *WHOSE),
    ),
}
NAMES = (*(name for name in TOOLS if name != EMIT.tool), *HOOKS, EMIT.tool)


def schema_of(name: str) -> "tuple[str, dict[str, Any]]":
    """Return the purpose of a tool, and the JSON Schema of its arguments, which allows further arguments."""
    if name in TOOLS:
        return TOOLS[name].help, TOOLS[name].schema
    _, purpose, fields = HOOKS[name]
    any_value = {"type": ["string", "boolean", "array", "null"]}
    scope = {each.name: each.schema for each in SCOPE if each.only != CLI}
    return purpose, {"type": "object", "properties": {**scope, **dict.fromkeys(fields, any_value)}}


def call(name: str, arguments: "Mapping[str, Any]", env: "Mapping[str, str]", cwd: str) -> tuple[str, bool]:
    """Run a tool; return its answer as a line of JSON, and whether that is an error. Never raises for bad arguments."""
    environment = Environment(env, cwd, time.time(), mcp=True)
    if name in HOOKS:
        return _hook(name, arguments, environment), False
    if name not in TOOLS:
        return _error(UsageError(f"there is no tool {name!r}; there are {', '.join(NAMES)}"))
    from rcs_hooks.mcp import state_tools

    return state_tools.call(name, arguments, environment)


def _hook(name: str, arguments: "Mapping[str, Any]", environment: Environment) -> str:
    """Return what the program `rcs-hook` would answer to a call with these arguments as its fields."""
    event, _, fields = HOOKS[name]
    known = ("session_id", "cwd", *fields)
    payload = {field: arguments[field] for field in known if arguments.get(field) not in (None, "")}
    if event == PROMPT:
        payload.setdefault("prompt", "")
    try:
        raw = jsontext.dumps_line(payload | {"hook_event_name": event}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return _failure(name, f"the arguments are not a hook call: {error}")
    return answer(raw, environment)


def unread(name: object, why: str) -> tuple[str, bool]:
    """Return the answer to a call whose arguments cannot be read, and whether it is an error; a hook's never is.

    `name`: the tool as the client named it. `why`: what is wrong with the arguments.
    """
    if isinstance(name, str) and name in HOOKS:
        return _failure(name, why), False
    return _error(UsageError(why))


def _failure(name: str, why: str) -> str:
    from rcs_hooks.workflow.messages.shared import failure

    return jsontext.dumps_line({"systemMessage": failure(HOOKS[name][0], why)})


def _error(error: RcsError) -> tuple[str, bool]:
    return jsontext.dumps_line(as_json(error)), True
