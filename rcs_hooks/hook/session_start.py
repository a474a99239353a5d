"""SessionStart: one or two lines about what is active in this session; nothing when nothing is.

A session that was closed is open again. What became of the others is kept up, for a few milliseconds (`state.active`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.hook import session_end
from rcs_hooks.state import active, paths
from rcs_hooks.state import session as sessions

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload, Surroundings


def answer(payload: Payload, root: str, cwd: str, around: Surroundings) -> dict[str, Any]:
    if not paths.is_name(payload.session):
        return {}
    session_end.mark(root, payload.session, closed_at=None)
    active.keep_up(paths.state_folder(root), payload.session, around.now)
    members = sessions.load(paths.state_folder(root), payload.session, around.now).members()
    if not members:
        return {}
    from rcs_hooks.hook import place
    from rcs_hooks.hook.permissions import are_missing
    from rcs_hooks.workflow.lifecycle import outcome_of
    from rcs_hooks.workflow.messages import allow_commands, session_start

    running = [(m.mode, m.record.get("current_phase"), outcome_of(m.record).waits) for m in members]
    commands = place.commands(root, cwd, payload.session, around, login_shell=payload.is_codex)
    context = session_start(running, commands)
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}
    notice = allow_commands(commands) if are_missing(around.env, root, commands.rcs) else ""
    return answer | ({"systemMessage": notice} if notice else {})
