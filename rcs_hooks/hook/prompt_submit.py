"""UserPromptSubmit: tokens, plan, one locked commit, and a short context.

Words are loaded only where there is something to say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import CANCEL
from rcs_hooks.errors import LockTimeout
from rcs_hooks.state import files, ledger, paths, questions
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import LOCK_SECONDS, Lock, in_use
from rcs_hooks.state.reconcile import Prompt, Reconciled, for_prompt

if TYPE_CHECKING:
    from rcs_hooks.hook.call import Payload, Surroundings
    from rcs_hooks.workflow.messages import Commands
    from rcs_hooks.workflow.skills import Token


def answer(payload: Payload, tokens: tuple[Token, ...], root: str, cwd: str, around: Surroundings) -> dict[str, Any]:
    if not paths.is_name(payload.session):
        return _no_session(tokens, payload.session)
    prompt = _prompt(payload.prompt, tokens, payload.turn, around.now)
    result = _decide(root, payload.session, prompt, around.now)
    if result is None or not (tokens or result.speaks):
        return {}
    from rcs_hooks.hook import place

    return said(result, tokens, place.commands(root, cwd, payload.session, around, login_shell=payload.is_codex))


def preview(root: str, session: str, text: str, tokens: tuple[Token, ...], now: float) -> Reconciled | None:
    """What the prompt would do; None where it would do and say nothing. Writes nothing."""
    result = _look(paths.state_folder(root), session, _prompt(text, tokens, None, now), now)
    return result if result and (tokens or result.speaks) else None


def _prompt(text: str, tokens: tuple[Token, ...], turn: str | None, now: float) -> Prompt:
    return Prompt(text, _skills(tokens), tokens[0].typed if tokens else None, turn, iso(now))


def _skills(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(token.skill for token in tokens if token.skill)


def _named(tokens: tuple[Token, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((token.typed, token.skill or "") for token in tokens)


def _no_session(tokens: tuple[Token, ...], session: str) -> dict[str, Any]:
    if not tokens:
        return {}
    from rcs_hooks.workflow import messages

    return {"systemMessage": messages.no_session(_named(tokens), session)}


def _decide(root: str, session: str, prompt: Prompt, now: float) -> Reconciled | None:
    """Looks, and where something is to be written looks once more under the lock, and writes what that look decides."""
    folder = paths.state_folder(root)
    result = _look(folder, session, prompt, now)
    if result is None or not (result.writes or (prompt.skills and in_use(folder))):
        return result
    if result.writes:
        files.prepare(root)
    only_kept = not prompt.skills and [write.path for write in result.writes] == [paths.ledger_file(session)]
    try:
        with Lock(folder, 0 if only_kept else LOCK_SECONDS):
            files.recover(folder)
            result = _look(folder, session, prompt, now)
            if result is not None and result.writes:
                _make_way_for_ledger(folder, session)
                files.commit(folder, result.writes)
    except (LockTimeout, OSError):
        if not only_kept:  # the hooks' own notes are not worth waiting for
            raise
    return result


def _make_way_for_ledger(folder: str, session: str) -> None:
    """The hooks' own notes keep nobody from working: where they cannot be read, they are moved aside."""
    if isinstance(ledger.load(folder, session), Unreadable):
        files.move_aside(f"{folder}/{paths.ledger_file(session)}")


def _look(folder: str, session: str, prompt: Prompt, now: float) -> Reconciled | None:
    """What this prompt does to the state as it is; None for one that was seen before. Writes nothing."""
    kept = ledger.load(folder, session)
    readable = {} if isinstance(kept, Unreadable) else kept
    if ledger.has_seen(readable, prompt.turn, prompt.text):
        return None
    view = sessions.load(folder, session, now)
    named = [questions.named_in(record) for record in (*view.own.values(), *view.root.values())]
    result = for_prompt(view, questions.load(folder, session, named), prompt)
    # What was counted belongs to the last prompt; a ledger that cannot be read counts for nothing. While a run is
    # on, every prompt is kept: clients send one twice, and hand over what is typed meanwhile in the same turn.
    outdated = isinstance(kept, Unreadable) or ledger.has_counted(readable)
    keeps = result.stands and bool(readable) and (result.after or ledger.just_ended(readable, view.own))
    if result.writes or outdated or keeps:
        seen = ledger.prompt_seen(readable, session, prompt.turn, prompt.text, now=prompt.now)
        result = result._replace(writes=(*result.writes, seen))
    return result


def said(result: Reconciled, tokens: tuple[Token, ...], commands: Commands) -> dict[str, Any]:
    from rcs_hooks.hook import place
    from rcs_hooks.workflow import messages

    resumed = [mode for mode, _ in result.resumed]
    started = [mode for mode in result.started if mode not in resumed]
    news = messages.PromptNews(
        tokens=_named(tokens),
        plan=result.plan,
        active=tuple((member.mode, str(member.record.get("current_phase") or "")) for member in result.after),
        path=f"{paths.STATE}/{paths.mode_file(started[-1], commands.session)}" if started else None,
        resumed=result.resumed,
        transitions=result.messages,
        answered=result.answered,
        delivered=result.delivered,
        offered=result.offered,
        offered_by=result.offered_by,
        unreadable=tuple(place.broken(unreadable) for unreadable in result.unreadable),
    )
    context = messages.prompt_context(news, commands)
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
    if not result.stands or (CANCEL in _skills(tokens) and result.unreadable):
        output["systemMessage"] = messages.prompt_notice(context, commands)
    return output
