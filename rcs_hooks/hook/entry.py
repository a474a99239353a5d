"""The entry of every hook call: prints one JSON object on one line and exits with 0, whatever goes wrong.

This is the only place that catches every exception. A call that has nothing to do is answered here, before anything
heavy is imported.
"""

import gc
import os
import sys

from rcs_hooks import jsontext
from rcs_hooks.environment import Environment, drop_settings, real_environment
from rcs_hooks.files.paths import let_owner_in
from rcs_hooks.files.workspaces import find_root, is_disabled, may_have_state, off_by
from rcs_hooks.hook.call import EVENTS, PROMPT, SESSION_END, SESSION_START, STOP, Payload, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.hook.own_modes import OwnMode
    from rcs_hooks.workflow.tokens.scan import Token

READ_SIZE = 1 << 16  # what a pipe holds; a larger buffer costs more than all the reading
WORDLESS = '{"systemMessage":"rcs: the hook was cut short, and could not tell why; the next call may well go through."}'


def main() -> int:
    """Answer the hook call on stdin with a line on stdout; return the exit code, which is always 0."""
    try:
        gc.disable()  # a call is over before there is much to collect; it costs a tenth of an activation
        let_owner_in()
        raw = _read_all(0)
        drop_settings()
        line = answer(raw, real_environment())
    except BaseException as error:  # noqa: BLE001 - a hook fails open, even when it is interrupted
        line = _cut_short(error)
    gc.freeze()  # nor is it looked through when the interpreter ends, for which the client waits
    try:
        write_all(1, line.encode() + b"\n")
    except OSError:
        return 0  # nobody listens any more
    return 0


def _cut_short(error: BaseException) -> str:
    """Return the answer that tells of an interruption; fixed words where not even the wording can be loaded."""
    try:
        from rcs_hooks.hook.failures import words

        return jsontext.dumps_line({"systemMessage": f"rcs: {words(error)}; the hook was cut short."})
    except BaseException:  # noqa: BLE001 - whatever fails here too, the client gets its one line
        return WORDLESS


def answer(raw: bytes, environment: Environment) -> str:
    """Return the answer to a hook call as `respond` does, and record the call where RCS_RECORD asks for that."""
    if is_disabled(environment.env):
        return "{}"
    return _recorded(raw, environment) if environment.env.get("RCS_RECORD") else respond(raw, environment)


def _recorded(raw: bytes, environment: Environment) -> str:
    """Answer a call and save it; a call that cannot be saved is answered all the same."""
    from rcs_hooks.hook.recording import Recorder

    # A scene does not say whether the call came over MCP.
    environment = Environment(environment.env, environment.cwd, environment.now, environment.rcs)
    recorder = None
    try:
        recorder = Recorder(environment.env["RCS_RECORD"], raw, environment)
    except Exception as error:  # noqa: BLE001 - a recording must not cost the call its answer; it is logged
        _log_failure(environment, "recording", error)
    line = respond(raw, environment)
    try:
        if recorder:
            recorder.save(line)
    except Exception as error:  # noqa: BLE001 - as above
        _log_failure(environment, "recording", error)
    return line


def _log_failure(environment: Environment, event: str, error: Exception) -> None:
    """Log a failure. A log that cannot be written, or whose code cannot be loaded, is ignored."""
    try:
        from rcs_hooks.hook.failures import log, words

        log(find_root(environment.env, environment.cwd), event, words(error), error, environment.now)
    except Exception:  # noqa: BLE001, S110 - there is nowhere left to say it, and the answer is on its way
        pass


def _read_all(fd: int) -> bytes:
    chunks = []
    while chunk := os.read(fd, READ_SIZE):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def respond(raw: bytes, environment: Environment) -> str:
    """Return the line for stdout that answers one hook call; `raw`: the bytes of stdin. Never raises."""
    event, root = "", None
    try:
        fields = fields_of(raw)
        event = str(fields.get("hook_event_name"))
        payload = Payload(fields, environment.env)
        event = payload.event
        if event not in EVENTS or payload.is_subagent:
            return "{}"
        cwd = os.path.join(environment.cwd, payload.cwd)
        root = find_root(environment.env, cwd, payload.session)
        output = _dispatch(payload, root, cwd, environment)
        return jsontext.dumps_line(payload.client.rendered(output)) if output else "{}"
    except Exception as error:  # noqa: BLE001 - a hook fails open: the person gets the reason, the prompt goes through
        try:
            return jsontext.dumps_line(_failure(event, root, error, environment))
        except Exception as again:  # noqa: BLE001 - the words are loaded only here, and that may fail too
            return _cut_short(again)


def _dispatch(payload: Payload, root: str, cwd: str, environment: Environment) -> "dict[str, Any]":
    has_state = may_have_state(root, payload.session)
    tokens, own = _tokens(payload, root, environment, has_state=has_state) if payload.event == PROMPT else ((), {})
    if not (has_state or tokens) or off_by(environment.env, root):
        return {}
    if payload.event in (PROMPT, STOP) and payload.client.is_from_subagent(payload.fields):
        return {}
    if payload.event == STOP:
        from rcs_hooks.hook import stop

        return stop.answer(payload, root, cwd, environment)
    if payload.event == SESSION_START:
        from rcs_hooks.hook import session_start

        output = session_start.answer(payload, root, cwd, environment)
        return _with_tracked_line(output, payload, root)
    if payload.event == SESSION_END:
        from rcs_hooks.hook import session_end

        return session_end.answer(payload, root, environment)
    from rcs_hooks.hook import prompt_submit

    output = prompt_submit.answer(payload, tokens, root, cwd, environment, own)
    return _with_tracked_line(output, payload, root) if has_state else output


def _with_tracked_line(output: "dict[str, Any]", payload: Payload, root: str) -> "dict[str, Any]":
    """Return the answer, with a line for the person where git was asked, and tracks the workspace's state."""
    from rcs_hooks.files.tracked import is_known_to_be_there

    if not is_known_to_be_there(root):
        return output
    from rcs_hooks.hook import notices

    return notices.with_tracked_line(output, payload, root)


def _tokens(
    payload: Payload, root: str, environment: Environment, *, has_state: bool
) -> "tuple[tuple[Token, ...], dict[str, OwnMode]]":
    """Return the tokens of the skills that the prompt asks for, or of those that the person is told about.

    Returns also the own modes that the prompt may name. The tokenizer is loaded only where a `$` is followed by the
    name of a mode, and a person may have typed it.
    """
    names, is_ours = _names_in(payload.sent_prompt, root, environment, has_state=has_state)
    if not (names or is_ours):
        return (), {}
    prompt = payload.prompt
    if prompt is None:
        return (), {}
    if prompt != payload.sent_prompt:
        names, is_ours = _names_in(prompt, root, environment, has_state=has_state)
        if not (names or is_ours):
            return (), {}
    from rcs_hooks.workflow.origin import is_client_made

    if is_client_made(prompt):
        return (), {}
    own: dict[str, OwnMode] = {}
    if names:
        from rcs_hooks.hook import own_modes

        own = own_modes.find_all(names, root, payload.session, environment.env)
        if not (own or is_ours):
            return (), {}
    from rcs_hooks.workflow.tokens.scan import noteworthy

    return noteworthy(prompt, frozenset(own)), own


def _names_in(prompt: str, root: str, environment: Environment, *, has_state: bool) -> "tuple[tuple[str, ...], bool]":
    """Return the names of own modes that a prompt may have, and whether it may have one of ours."""
    if "$" not in prompt:
        return (), False
    from rcs_hooks.catalog import may_name_a_skill, possible_own_names

    names, is_ours = possible_own_names(prompt), may_name_a_skill(prompt)
    if names and not has_state:  # otherwise the name may be that of a run whose file is gone
        from rcs_hooks.modes.lookup import names_there

        names = names_there(names, environment.env, root)
    return names, is_ours


def _failure(event: str, root: str | None, error: Exception, environment: Environment) -> "dict[str, Any]":
    from rcs_hooks.errors import LockTimeout
    from rcs_hooks.hook.failures import log, words
    from rcs_hooks.workflow.messages.shared import failure

    why = words(error, has_changed=environment.has_changed)
    log(root or find_root(environment.env, environment.cwd), event, why, error, environment.now)
    is_locked = isinstance(error, LockTimeout)
    shown = failure(
        event, why, has_changed=environment.has_changed, is_locked=is_locked, is_answer=environment.is_answer
    )
    return {"systemMessage": shown}


if __name__ == "__main__":
    sys.exit(main())
