"""SessionStart: tells the agent what is active in its session, and nothing when nothing is.

Also marks the session as open again.
"""

from __future__ import annotations

from rcs_hooks.errors import RcsError, suppress
from rcs_hooks.files import paths, transaction, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import Lock
from rcs_hooks.files.reading import Reader, Unreadable
from rcs_hooks.hook import session_end
from rcs_hooks.state import session as sessions
from rcs_hooks.state import session_notes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rcs_hooks.clients.client import Client
    from rcs_hooks.environment import Environment
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.state.session import ActiveMode, Session
    from rcs_hooks.workflow.commands import Commands
    from rcs_hooks.workflow.messages.session_start import WaitsFor


SAME_CONVERSATION = ("compact", "clear")
"""The reasons for a start where the session was never left: its conversation was made shorter."""


def answer(payload: Payload, root: str, cwd: str, environment: Environment) -> dict[str, Any]:
    """Return the answer to the start of a session, which says what is active in it; empty if nothing is to be said."""
    if not paths.is_name(payload.session):
        return {}
    session_end.mark(root, payload.session, closed_at=None)
    folder = workspaces.state_folder(root)
    view = sessions.load(folder, payload.session, environment.now, Reader(folder, asks_of_ended=False))
    members = view.active_modes()
    if not (members and payload.client.describes_start(payload.fields)):
        return {}
    if payload.fields.get("source") not in SAME_CONVERSATION:
        _note_resumed(view, payload.session, iso(environment.now))
    from rcs_hooks.clients import CLIENTS
    from rcs_hooks.hook import cli_command

    commands = cli_command.commands(root, cwd, payload.session, environment, payload.client)
    context = _context(view, members, commands, root, environment, payload.client)
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}
    # Asked of all: the fields of a session's start do not always tell the client.
    notices = (client.notice_at_start(environment.env, root, commands.rcs) for client in CLIENTS.values())
    notice = next(filter(None, notices), "")
    return answer | ({"systemMessage": notice} if notice else {})


def _context(
    view: Session,
    members: Sequence[ActiveMode],
    commands: Commands,
    root: str,
    environment: Environment,
    client: Client,
) -> str:
    from rcs_hooks.hook.skill_files import skills_of
    from rcs_hooks.state import inventory
    from rcs_hooks.workflow.lifecycle import outcome_of
    from rcs_hooks.workflow.messages.session_start import StartedMode, session_start
    from rcs_hooks.workflow.next_step import next_step

    unowned = {member.mode for member in members if sessions.belongs_to_workspace(member)}
    running = [
        StartedMode(
            next_step(
                view.modes[member.mode], member.record, commands.of_workspace() if member.mode in unowned else commands
            ),
            outcome_of(member.record).waits,
            member.mode in unowned,
            member.record.title,
            member.record.plan,
            member.record.brief,
            member.record.finding,
            member.record.proof_status if member.record.has("proof") else None,
        )
        for member in members
    ]
    definitions = [view.modes[member.mode] for member in members if member.mode not in unowned]
    return session_start(
        running,
        questions=_questions(view, members),
        deferred=inventory.deferred_skills_in(view.inventory),
        skills=skills_of(definitions, root, environment, client),
    )


def _questions(view: Session, members: Sequence[ActiveMode]) -> list[WaitsFor]:
    """List the open questions that the session waits for, each once."""
    if not any(member.record.has_question_pending for member in members):
        return []
    from rcs_hooks.state import questions
    from rcs_hooks.workflow.messages.session_start import WaitsFor

    asked = questions.load_for(view, [member.record.question_id for member in members])
    waiting: dict[str, list[str]] = {}
    for member in members:
        for question in questions.of_member(asked, member):
            waiting.setdefault(question.path, []).append(member.mode)
    return [
        WaitsFor(tuple(waiting[each.path]), each.text, questions.options_of(each.record))
        for each in asked
        if each.path in waiting
    ]


def _note_resumed(view: Session, session: str, now: str) -> None:
    """Note that a session was resumed with a run in it that nothing has touched for a day. The note may fail."""
    if not any(member.session and sessions.is_old(view, member, None, now) for member in view.active_modes()):
        return
    with suppress(OSError, RcsError), Lock(view.folder, session_end.LOCK_SECONDS):
        transaction.recover(view.folder)
        from rcs_hooks.state import stop_notes

        notes = session_notes.load(view.folder, session)
        if not isinstance(notes, Unreadable):
            transaction.commit(view.folder, [stop_notes.note_resumed(notes, session, now=now)])
