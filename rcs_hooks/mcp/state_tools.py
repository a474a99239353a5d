"""The tools of the state, and `emit`: what each answers. Loaded by the first call of one, for no hook needs them.

Claude Code makes every argument of a hook a string, and an empty one where it has no value. So a tool takes text for
every type, and an empty argument counts as missing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.errors import RcsError, Refused, SystemFailure, as_json
from rcs_hooks.files.paths import INVENTORY, fault_of
from rcs_hooks.files.workspaces import find_root
from rcs_hooks.hook.cli_command import commands
from rcs_hooks.interface import CLI, EMIT, TEXT, TOOLS, take_switch
from rcs_hooks.runs import emit as runs
from rcs_hooks.runs.emit import error_as_json
from rcs_hooks.state import clearing, operations, question_service, write_checks, writing
from rcs_hooks.state.mode_names import check_name
from rcs_hooks.state.scopes import Scope
from rcs_hooks.state.validation import check_session_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rcs_hooks.environment import Environment

Arguments = dict[str, Any]

NOT_TEXT = {
    each.name
    for tool in TOOLS.values()
    for each in tool.arguments
    if tool is not EMIT and each.only != CLI and each.type != TEXT
}
"""The arguments whose text is read as JSON; an emit reads its own."""


def _in_json_types(arguments: Mapping[str, Any]) -> Arguments:
    """Return the arguments without the empty ones; text for an argument that is not text is parsed as JSON."""
    return {name: _typed(name, value) for name, value in arguments.items() if value is not None and value != ""}


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, str) or name not in NOT_TEXT:
        return value
    try:
        return jsontext.loads(value)
    except ValueError:
        return value


def _scope(arguments: Arguments, environment: Environment) -> Scope:
    session = check_session_id(arguments.pop("session_id", None))
    cwd = _text(arguments.pop("cwd", ""), "cwd")
    if fault := fault_of(cwd):
        raise Refused(f"cwd: {fault}; expected a folder of the workspace")
    cwd = os.path.join(environment.cwd, cwd)
    root = find_root(environment.env, cwd, session)
    called = commands(root, cwd, session or "", environment)
    return Scope(root, session, environment.now, called, environment.env, cwd)


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"{name}: expected text, got {value!r}")
    return value


def _state_read(arguments: Arguments, scope: Scope) -> Arguments:
    return operations.read(scope, check_name(scope, arguments.get("mode")))


def _state_write(arguments: Arguments, scope: Scope) -> Arguments:
    mode = arguments.pop("mode", None)
    root_scope = take_switch(arguments, "root_scope")
    more = arguments.pop("fields", {})
    if not isinstance(more, dict):
        raise Refused(f"fields: expected an object, got {more!r}")
    if not arguments and not more:
        raise Refused(
            "nothing to write: give current_phase, lifecycle_outcome, active, iteration, state or another field"
        )
    wanted = more | arguments
    modes = write_checks.modes_to_write(scope, mode, wanted)
    return dict(writing.write(scope, modes, wanted, root_scope=root_scope))


def _state_clear(arguments: Arguments, scope: Scope) -> Arguments:
    everywhere, root_scope = take_switch(arguments, "all_sessions"), take_switch(arguments, "root_scope")
    mode = arguments.get("mode")
    mode = mode if mode == INVENTORY else check_name(scope, mode)
    return dict(clearing.clear(scope, mode, all_sessions=everywhere, root_scope=root_scope))


def _state_list_active(arguments: Arguments, scope: Scope) -> Arguments:
    listed = dict(operations.list_active(scope))
    if take_switch(arguments, "overview"):
        from rcs_hooks.overview.collect import overview

        commands = scope.commands._replace(session="")
        listed["overview"] = overview(scope.env, scope.root, scope.now, commands).as_json()
    return listed


def _state_get_status(arguments: Arguments, scope: Scope) -> Arguments:
    return dict(operations.get_status(scope, check_name(scope, arguments["mode"]) if "mode" in arguments else None))


def _question_ask(arguments: Arguments, scope: Scope) -> Arguments:
    options = arguments.get("options", [])
    if isinstance(options, str) and options.lstrip().startswith("["):
        options = _typed("options", options)
    elif isinstance(options, str):
        options = [options]
    if not (isinstance(options, list) and all(isinstance(option, str) for option in options)):
        raise Refused("options: expected a list of texts")
    text = _text(arguments.get("text", ""), "text")
    return dict(question_service.ask(scope, check_name(scope, arguments.get("mode")), text, options))


STATE: dict[str, Callable[[Arguments, Scope], Arguments]] = {
    "state_read": _state_read,
    "state_write": _state_write,
    "state_clear": _state_clear,
    "state_list_active": _state_list_active,
    "state_get_status": _state_get_status,
    "question_ask": _question_ask,
}


def call(name: str, arguments: Mapping[str, Any], environment: Environment) -> tuple[str, bool]:
    """Run one of `TOOLS`; return its answer as a line of JSON, and whether that is an error."""
    if name == EMIT.tool:
        return _emit(arguments, environment)
    try:
        typed = _in_json_types(arguments)
        return jsontext.dumps_line(STATE[name](typed, _scope(typed, environment))), False
    except RcsError as error:
        return _error(error)
    except OSError as error:
        return _error(SystemFailure(error))
    except (ValueError, TypeError, RecursionError) as error:
        return _error(RcsError(f"{type(error).__name__}: {error}"))


def _error(error: RcsError) -> tuple[str, bool]:
    return jsontext.dumps_line(as_json(error)), True


def _emit(arguments: Mapping[str, Any], environment: Environment) -> tuple[str, bool]:
    """Report a step as `rcs emit` does; return the answer (`note`: what was not checked) and whether it is an error."""
    request = {name: value for name, value in arguments.items() if value is not None}
    for name in ("unit", "run_id"):
        if isinstance(request.get(name), int) and not isinstance(request[name], bool):
            request[name] = str(request[name])
    try:
        receipt = runs.emit(request, environment)
    except RcsError as error:
        return jsontext.dumps_line(error_as_json(error, request)), True
    except OSError as error:
        return jsontext.dumps_line(error_as_json(SystemFailure(error), request)), True
    except (ValueError, TypeError, RecursionError) as error:
        return jsontext.dumps_line(error_as_json(RcsError(f"{type(error).__name__}: {error}"), request)), True
    return jsontext.dumps_line(receipt.as_json | ({"note": receipt.note} if receipt.note else {})), False
