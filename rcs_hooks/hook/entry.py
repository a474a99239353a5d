"""The fail-open boundary: whatever happens behind it, one JSON object on one line, and exit status 0.

This is the only place that catches every exception. A call that has nothing to do is answered here,
before anything heavy is imported.
"""

import os
import sys

from rcs_hooks import jsontext
from rcs_hooks.hook.call import (
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    Payload,
    Surroundings,
    fields_of,
    real_surroundings,
)
from rcs_hooks.state.paths import find_root, has_sessions, is_disabled, let_owner_in, may_have_state, off_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rcs_hooks.workflow.skills import Token

READ_SIZE = 1 << 20


def main() -> int:
    """The command `rcs-hook`, and the scripts in `hooks/`."""
    try:
        let_owner_in()
        raw = _read_all(0)
        around = real_surroundings()
        line = answer(raw, around)
    except BaseException as error:  # noqa: BLE001 - a hook fails open, even when it is interrupted
        from rcs_hooks.hook.failures import words

        line = jsontext.dumps_line({"systemMessage": f"rcs: {words(error)}; the hook was cut short."})
    try:
        _write_all(1, line.encode() + b"\n")
    except OSError:
        return 0  # nobody listens any more
    return 0


def answer(raw: bytes, around: Surroundings) -> str:
    """As `respond`, and recorded where that is wished."""
    if is_disabled(around.env):
        return "{}"
    return _recorded(raw, around) if around.env.get("RCS_RECORD") else respond(raw, around)


def _recorded(raw: bytes, around: Surroundings) -> str:
    """With the call saved beside it; one that cannot be saved is answered all the same."""
    from rcs_hooks.hook.recording import Recorder

    # Which program it was, and when it began, would come out otherwise in a replay.
    around = Surroundings(around.env, around.cwd, around.now, around.rcs)
    recorder = None
    try:
        recorder = Recorder(around.env["RCS_RECORD"], raw, around)
    except Exception as error:  # noqa: BLE001 - the boundary
        _log_failure(around, "recording", error)
    line = respond(raw, around)
    try:
        if recorder:
            recorder.save(line)
    except Exception as error:  # noqa: BLE001 - the boundary
        _log_failure(around, "recording", error)
    return line


def _log_failure(around: Surroundings, event: str, error: Exception) -> None:
    from rcs_hooks.hook.failures import log, words

    log(find_root(around.env, around.cwd), event, words(error), error, around.now)


def _read_all(fd: int) -> bytes:
    chunks = []
    while chunk := os.read(fd, READ_SIZE):
        chunks.append(chunk)
    return b"".join(chunks)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def respond(raw: bytes, around: Surroundings) -> str:
    """One hook call, from the bytes of stdin to the line for stdout. Never raises."""
    event, root = "", None
    try:
        fields = fields_of(raw)
        event = str(fields.get("hook_event_name"))
        payload = Payload(fields)
        if event not in (PROMPT, STOP, SESSION_START, SESSION_END) or payload.is_subagent:
            return "{}"
        cwd = os.path.join(around.cwd, payload.cwd)
        root = find_root(around.env, cwd, payload.session)
        return jsontext.dumps_line(_dispatch(payload, root, cwd, around))
    except Exception as error:  # noqa: BLE001 - the boundary
        return jsontext.dumps_line(_failure(event, root, error, around))


def _dispatch(payload: Payload, root: str, cwd: str, around: Surroundings) -> "dict[str, Any]":
    here = may_have_state(root, payload.session)
    tokens = _tokens(payload.prompt) if payload.event == PROMPT else ()
    if not here and payload.event == SESSION_START:
        here = has_sessions(root)  # to keep up what became of them
    if not (here or tokens) or off_by(around.env, root):
        return {}
    if payload.event == STOP:
        if _is_of_subagent(payload):
            return {}
        from rcs_hooks.hook import stop

        return stop.answer(payload, root, cwd, around)
    if payload.event == SESSION_START:
        from rcs_hooks.hook import session_start

        output = session_start.answer(payload, root, cwd, around)
        return _told_of_tracked(output, payload, root)
    if payload.event == SESSION_END:
        from rcs_hooks.hook import session_end

        return session_end.answer(payload, root, around)
    if _is_of_subagent(payload):
        return {}
    from rcs_hooks.hook import prompt_submit

    output = prompt_submit.answer(payload, tokens, root, cwd, around)
    return _told_of_tracked(output, payload, root) if here else output


def _told_of_tracked(output: "dict[str, Any]", payload: Payload, root: str) -> "dict[str, Any]":
    """The answer, and a line for the person where the state came with the repository."""
    from rcs_hooks.state.tracked import names

    if not names(root):
        return output
    from rcs_hooks.hook import brought

    return brought.told(output, payload, root)


def _is_of_subagent(payload: Payload) -> bool:
    """Over MCP Codex cannot say so; its transcript does. No file is looked at where that is the session's own."""
    if not payload.is_codex or not payload.transcript or payload.transcript.endswith(f"{payload.session}.jsonl"):
        return False
    from rcs_hooks.hook.transcript import is_of_subagent

    return is_of_subagent(payload.transcript, payload.session)


def _tokens(prompt: str) -> "tuple[Token, ...]":
    """What the prompt asks for, or else what the person is told of.

    The tokenizer is only loaded where a `$` and a name stand together.
    """
    if "$" not in prompt:
        return ()
    from rcs_hooks.catalog import may_name_a_skill

    if not may_name_a_skill(prompt):
        return ()
    from rcs_hooks.workflow.skills import noteworthy

    return noteworthy(prompt)


def _failure(event: str, root: str | None, error: Exception, around: Surroundings) -> "dict[str, Any]":
    from rcs_hooks.hook.failures import log, words
    from rcs_hooks.workflow.messages import failure

    why = words(error)
    log(root or find_root(around.env, around.cwd), event, why, error, around.now)
    return {"systemMessage": failure(event, why)}


if __name__ == "__main__":
    sys.exit(main())
