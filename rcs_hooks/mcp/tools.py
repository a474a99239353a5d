"""The tools: what each is called with, and what it answers. No MCP in here, so a test needs no server.

A value may come as its JSON type or as a string, for Claude Code makes every placeholder of a hook a string; a
missing one comes as an empty string, and counts as not given.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError, Refused
from rcs_hooks.hook.call import PROMPT, STOP, Surroundings
from rcs_hooks.hook.entry import answer
from rcs_hooks.hook.place import commands
from rcs_hooks.runs import emit as runs
from rcs_hooks.runs.around import Around
from rcs_hooks.runs.report import error_of
from rcs_hooks.state import asking, running, surface
from rcs_hooks.state.fields import checked_mode, checked_session
from rcs_hooks.state.paths import INVENTORY, fault_of, find_root
from rcs_hooks.state.surface import Scope
from rcs_hooks.workflow.messages import failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Arguments = dict[str, Any]

TEXT = {"type": "string"}
BOOL = {"type": ["boolean", "string"], "description": "true or false"}
COUNT = {"type": ["integer", "string"]}
MODE = {"type": "string", "description": "a workflow mode, by any of its names"}
SCOPE = {
    "session_id": {"type": "string", "description": "the session; without it the root scope"},
    "cwd": {"type": "string", "description": "a folder of the workspace; without it the server's own"},
}
FIELDS = {
    "active": BOOL,
    "current_phase": TEXT,
    "lifecycle_outcome": {
        "type": "string",
        "description": "finished, blocked, failed, userinterlude or askuserQuestion",
    },
    "run_outcome": TEXT,
    "iteration": COUNT,
    "max_iterations": COUNT,
    "started_at": TEXT,
    "completed_at": TEXT,
    "error": TEXT,
    "state": {"type": ["object", "string"], "description": "merged key by key into the mode's own state"},
}
SWITCHES = ("active", "all_sessions", "root_scope", "stop_hook_active")
PROGRAM = "rcs mcp"
NUMBERS = ("iteration", "max_iterations")
OBJECTS = ("state", "fields", "options")


def _given(arguments: Mapping[str, Any]) -> Arguments:
    """As JSON types, and without what is empty. Raises Refused."""
    return {name: _typed(name, value) for name, value in arguments.items() if value is not None and value != ""}


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, str) or name not in (*SWITCHES, *NUMBERS, *OBJECTS):
        return value
    try:
        return jsontext.loads(value)
    except ValueError:
        return value


def _scope(arguments: Arguments, around: Surroundings) -> Scope:
    session = checked_session(arguments.pop("session_id", None))
    cwd = _text(arguments.pop("cwd", ""), "cwd")
    if fault := fault_of(cwd):
        raise Refused(f"cwd: no path found ({fault}), a folder of the workspace needed")
    cwd = os.path.join(around.cwd, cwd)
    root = find_root(around.env, cwd, session)
    return Scope(root, session, around.now, commands(root, cwd, session or "", around))


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"{name}: {value!r} found, text needed")
    return value


def _state_read(given: Arguments, scope: Scope) -> Arguments:
    return surface.read(scope, checked_mode(given.get("mode")))


def _state_write(given: Arguments, scope: Scope) -> Arguments:
    mode = given.pop("mode", None)
    root_scope = given.pop("root_scope", False)
    if not isinstance(root_scope, bool):
        raise Refused(f"root_scope: {root_scope!r} found, true or false needed")
    more = given.pop("fields", {})
    if not isinstance(more, dict):
        raise Refused(f"fields: {more!r} found, an object needed")
    if not given and not more:
        raise Refused(
            "nothing to write: give current_phase, lifecycle_outcome, active, iteration, state or another field"
        )
    wanted = more | given
    return surface.write(scope, running.mode_to_write(scope, mode, wanted), wanted, root_scope=root_scope)


def _state_clear(given: Arguments, scope: Scope) -> Arguments:
    everywhere = given.get("all_sessions", False)
    if not isinstance(everywhere, bool):
        raise Refused(f"all_sessions: {everywhere!r} found, true or false needed")
    mode = given.get("mode")
    return surface.clear(scope, mode if mode == INVENTORY else checked_mode(mode), all_sessions=everywhere)


def _state_list_active(_: Arguments, scope: Scope) -> Arguments:
    return surface.list_active(scope)


def _state_get_status(given: Arguments, scope: Scope) -> Arguments:
    return surface.get_status(scope, checked_mode(given["mode"]) if "mode" in given else None)


def _question_ask(given: Arguments, scope: Scope) -> Arguments:
    options = given.get("options", [])
    if isinstance(options, str) and options.lstrip().startswith("["):
        options = _typed("options", options)
    elif isinstance(options, str):
        options = [options]
    if not (isinstance(options, list) and all(isinstance(option, str) for option in options)):
        raise Refused("options: a list of texts is needed")
    return asking.ask(scope, checked_mode(given.get("mode")), _text(given.get("text", ""), "text"), options)


STATE: dict[str, tuple[Callable[[Arguments, Scope], Arguments], str, dict[str, Any], list[str]]] = {
    "state_read": (_state_read, "Read the state of a workflow mode.", {"mode": MODE}, ["mode"]),
    "state_write": (
        _state_write,
        "Write fields into the state of a workflow mode. To set active true asks the policy, and can be denied.",
        {
            "mode": MODE,
            **FIELDS,
            "fields": {"type": ["object", "string"], "description": "any other fields"},
            "root_scope": BOOL | {"description": "true: the workspace's own record, which belongs to no session"},
        },
        ["mode"],
    ),
    "state_clear": (
        _state_clear,
        "Clear a workflow mode of a session, or of all sessions.",
        {"mode": MODE, "all_sessions": BOOL},
        ["mode"],
    ),
    "state_list_active": (_state_list_active, "List the active workflow modes.", {}, []),
    "state_get_status": (_state_get_status, "Phase and outcome of each workflow mode.", {"mode": MODE}, []),
    "question_ask": (
        _question_ask,
        "Record one blocking question to the user for an active mode; the next prompt is the answer.",
        {"mode": MODE, "text": TEXT, "options": {"type": ["array", "string"], "items": TEXT}},
        ["mode", "text"],
    ),
}
WHOSE = ("turn_id", "prompt_id", "agent_id", "agent_type", "transcript_path")
"""What tells a person's call from a subagent's, and one turn from the next."""
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
EMIT = "emit"
EMITTED = {
    "type": {"type": "string", "description": "status_change or artifact_registered"},
    "workflow": {"type": "string", "description": "the workflow that the run belongs to"},
    "run_id": {"type": "string", "description": "the run; a UUID, made when the workflow starts"},
    "step": {"type": "string", "description": "a state of the workflow, or AGENT:STATE; artifacts may go without"},
    "unit": {"type": ["string", "integer"], "description": "the task, where each has a state of its own"},
    "data": {
        "type": ["object", "string"],
        "description": 'status_change: {"status": "running"}, or not_started, waiting, completed, failed, skipped; '
        'artifact_registered: {"path": "docs/design.md"}; and "feature"',
    },
    "project": {"type": "string", "description": "the project's folder; without it the server's own workspace"},
    "agent": {"type": "string", "description": "the agent whose state the step is"},
    "file": {"type": "string", "description": "the file with the diagram; else it is looked for by name"},
}
EMIT_PURPOSE = (
    "Report a step or an artifact of a workflow run, as `rcs emit` does; it reaches the store from a sandbox too. "
    "A step that the workflow's state diagram does not allow is refused, with the steps that may come next."
)
NAMES = (*STATE, *HOOKS, EMIT)


def schema_of(name: str) -> tuple[str, dict[str, Any]]:
    """What a tool is for, and the JSON Schema of its arguments. Fields that it does not name are allowed."""
    if name in STATE:
        _, purpose, properties, required = STATE[name]
        return purpose, {"type": "object", "properties": {**properties, **SCOPE}, "required": required}
    if name == EMIT:
        return EMIT_PURPOSE, {
            "type": "object",
            "properties": EMITTED,
            "required": ["type", "workflow", "run_id", "data"],
        }
    _, purpose, fields = HOOKS[name]
    any_value = {"type": ["string", "boolean", "array", "null"]}
    return purpose, {"type": "object", "properties": {**SCOPE, **dict.fromkeys(fields, any_value)}}


def call(name: str, arguments: Mapping[str, Any], env: Mapping[str, str], cwd: str) -> tuple[str, bool]:
    """The one text that a tool answers with, and whether it is an error. Never raises for what it was given."""
    now = time.time()
    around = Surroundings(env, cwd, now, mcp=True, program=PROGRAM, began=now)
    if name in HOOKS:
        return _hook(name, arguments, around), False
    if name == EMIT:
        return _emit(arguments, around)
    if name not in STATE:
        return jsontext.dumps_line({"error": f"there is no tool {name!r}; there are {', '.join(NAMES)}"}), True
    try:
        given = _given(arguments)
        return jsontext.dumps_line(STATE[name][0](given, _scope(given, around))), False
    except RcsError as error:
        return jsontext.dumps_line({"error": str(error)}), True
    except (OSError, ValueError, TypeError, RecursionError) as error:
        return jsontext.dumps_line({"error": f"{type(error).__name__}: {error}"}), True


def unread(name: object, why: str) -> tuple[str, bool]:
    """Answers a call whose arguments cannot be read: a hook fails open."""
    if isinstance(name, str) and name in HOOKS:
        return jsontext.dumps_line({"systemMessage": failure(HOOKS[name][0], why)}), False
    return jsontext.dumps_line({"error": why}), True


def _emit(arguments: Mapping[str, Any], around: Surroundings) -> tuple[str, bool]:
    """The same judge and the same words as the command's; what could not be checked is said beside the result."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in ("unit", "run_id"):
        if isinstance(given.get(name), int) and not isinstance(given[name], bool):
            given[name] = str(given[name])
    try:
        receipt = runs.emit(given, Around(around.env, around.env.get("HOME") or None, around.cwd, around.now))
    except RcsError as error:
        return jsontext.dumps_line(error_of(error, given)), True
    except (OSError, ValueError, TypeError, RecursionError) as error:
        return jsontext.dumps_line(error_of(RcsError(f"{type(error).__name__}: {error}"), given)), True
    return jsontext.dumps_line(receipt.as_json | ({"note": receipt.note} if receipt.note else {})), False


def _hook(name: str, arguments: Mapping[str, Any], around: Surroundings) -> str:
    """Exactly what the command hook prints: the arguments are the payload."""
    event, _, fields = HOOKS[name]
    known = ("session_id", "cwd", *fields)
    given = {field: arguments[field] for field in known if arguments.get(field) not in (None, "")}
    if event == PROMPT:
        given.setdefault("prompt", "")
    try:
        raw = jsontext.dumps_line(given | {"hook_event_name": event}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return jsontext.dumps_line({"systemMessage": failure(event, f"the arguments are no hook call: {error}")})
    return answer(raw, around)
