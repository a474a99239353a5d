"""UserPromptSubmit: tokens, plan, one locked commit, and a short context.

Words are loaded only where there is something to say.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rcs_hooks.catalog import CANCEL
from rcs_hooks.errors import LockTimeout
from rcs_hooks.state import files, ledger, paths, questions
from rcs_hooks.state import session as sessions
from rcs_hooks.state.clock import iso
from rcs_hooks.state.files import Unreadable
from rcs_hooks.state.lock import LOCK_SECONDS, Lock, in_use
from rcs_hooks.state.reconcile import Prompt, Reconciled, for_prompt
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.origin import is_envelopes, looks_like_reason, reason_in
from rcs_hooks.workflow.replies import is_command
from rcs_hooks.workflow.transitions import Plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rcs_hooks.hook.call import Payload, Surroundings
    from rcs_hooks.state.files import Write
    from rcs_hooks.state.questions import Question
    from rcs_hooks.state.session import Session
    from rcs_hooks.workflow.messages import Commands
    from rcs_hooks.workflow.skills import Token

Record = dict[str, Any]


def answer(payload: Payload, tokens: tuple[Token, ...], root: str, cwd: str, around: Surroundings) -> dict[str, Any]:
    asked = tuple(token for token in tokens if token.passed_over is None)
    if is_machine_made(root, payload.session, payload.prompt):
        _note_turn(root, payload.session, payload.turn, around.now)
        return {}
    if not paths.is_name(payload.session):
        return _no_session(asked, payload.session) or _mentioned(tokens, asked)
    prompt = _prompt(payload.prompt, asked, payload.turn, around.now)
    if not asked:
        prompt = prompt._replace(mentions=_skills(tokens))
    is_new = False

    def words(result: Reconciled | None) -> dict[str, Any]:
        nonlocal is_new
        is_new = result is not None
        if result is None or not (asked or result.speaks):
            return {}
        from rcs_hooks.hook import place

        return said(result, asked, place.commands(root, cwd, payload.session, around, login_shell=payload.is_codex))

    output = _decide(root, payload.session, prompt, around.now, words)
    if is_new and not asked and tokens:
        notice = _mentioned(_untold(root, payload.session, tokens), asked)
        output |= {name: "\n".join(filter(None, (output.get(name), text))) for name, text in notice.items()}
    if payload.is_copilot(around.env) and "hookSpecificOutput" in output:
        output["additionalContext"] = output["hookSpecificOutput"]["additionalContext"]
    return output


def is_machine_made(root: str, session: str, prompt: str) -> bool:
    """Tell whether no person typed this prompt: its client made it, or hands the reason of a Stop back."""
    if is_envelopes(prompt):
        return True
    reason = reason_in(prompt)
    if not reason:
        return False
    kept = ledger.load(paths.state_folder(root), session) if paths.is_name(session) else {}
    if isinstance(kept, Unreadable) or not kept:
        return looks_like_reason(reason)
    return ledger.has_said(kept, reason)


def _note_turn(root: str, session: str, turn: str | None, now: float) -> None:
    """Note in whose turn the agent now works, for what the person types in it is younger than no question of it."""
    folder = paths.state_folder(root)
    if turn is None or not paths.is_name(session):
        return
    if not any(member.session for member in sessions.load(folder, session, now).members()):
        return
    try:
        with Lock(folder):
            files.recover(folder)
            kept = ledger.load(folder, session)
            if not isinstance(kept, Unreadable) and ledger.current_turn(kept) != turn:
                files.commit(folder, [ledger.turn_begun(kept, session, turn)])
    except (LockTimeout, OSError):
        pass  # no answer is worth keeping the client waiting any longer


def _mentioned(tokens: tuple[Token, ...], asked: tuple[Token, ...]) -> dict[str, Any]:
    """One line for the person where a prompt names skills and starts none of them."""
    if asked or not tokens:
        return {}
    from rcs_hooks.workflow import messages

    return {"systemMessage": messages.mentioned(tokens)}


def _untold(root: str, session: str, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The mentions of which the person was not told in this session, or is told each time; noted as told.

    Where there is no `.rcs` none is made for it: there the person is told each time.
    """
    folder = paths.state_folder(root)
    if not tokens or tokens[0].passed_over is None or not os.path.isdir(folder):
        return tokens
    from rcs_hooks.hook.noticed import untold

    names = untold(folder, session, [token.reading for token in tokens])
    return tuple(token for token in tokens if token.is_told_each_time or token.reading in names)


def preview(root: str, session: str, text: str, tokens: tuple[Token, ...], now: float) -> Reconciled | None:
    """What the prompt would do; None where it would do and say nothing. Writes nothing."""
    if is_machine_made(root, session, text):
        return None
    result = _look(paths.state_folder(root), session, _prompt(text, tokens, None, now), now)
    return result if result and (tokens or result.speaks) else None


def _prompt(text: str, tokens: tuple[Token, ...], turn: str | None, now: float) -> Prompt:
    if not tokens:
        return Prompt(text, turn=turn, now=iso(now))
    starts, ends = (0, *(token.end for token in tokens)), (*(token.start for token in tokens), len(text))
    words = " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return Prompt(text, _skills(tokens), tokens[0].typed, turn, iso(now), words)


def _skills(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(token.skill for token in tokens if token.skill)


def _named(tokens: tuple[Token, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((token.typed, token.skill or "") for token in tokens)


def _no_session(tokens: tuple[Token, ...], session: str) -> dict[str, Any]:
    if not tokens:
        return {}
    from rcs_hooks.workflow import messages

    return {"systemMessage": messages.no_session(_named(tokens), session)}


def _decide(
    root: str, session: str, prompt: Prompt, now: float, words: Callable[[Reconciled | None], dict[str, Any]]
) -> dict[str, Any]:
    """Looks, and where something is to be written looks once more under the lock, and writes what that look decides.

    The words are made before anything is written: where they cannot be, nothing was changed.
    """
    folder = paths.state_folder(root)
    result = _look(folder, session, prompt, now)
    output = words(result)
    if result is None or not (result.writes or (prompt.skills and in_use(folder))):
        return output
    if result.writes:
        files.prepare(root)
    only_kept = not prompt.skills and [write.path for write in result.writes] == [paths.ledger_file(session)]
    try:
        with Lock(folder, 0 if only_kept else LOCK_SECONDS):
            files.recover(folder)
            result = _look(folder, session, prompt, now)
            output = words(result)
            if result is not None and result.writes:
                _make_way_for_ledger(folder, session)
                _commit(folder, result.writes)
    except (LockTimeout, OSError):
        if not only_kept:  # the hooks' own notes are not worth waiting for
            raise
    return output


def _commit(folder: str, writes: Sequence[Write]) -> None:
    """Once the journal is in place the prompt has changed state: every reader sees it, the next holder of the lock
    puts the files in place, and says so where it cannot."""
    try:
        files.commit(folder, writes)
    except OSError:
        if files.read_own(folder, files.JOURNAL) is None:
            raise


def _make_way_for_ledger(folder: str, session: str) -> None:
    """The hooks' own notes keep nobody from working: where they never can be read, they are moved aside."""
    kept = ledger.load(folder, session)
    files.check_passing(kept)
    if isinstance(kept, Unreadable):
        files.move_aside(folder, paths.ledger_file(session))


def _look(folder: str, session: str, prompt: Prompt, now: float) -> Reconciled | None:
    """What this prompt does to the state as it is; None for one that is passed over. Writes nothing."""
    kept = ledger.load(folder, session)
    readable = {} if isinstance(kept, Unreadable) else kept
    if ledger.has_seen(readable, prompt.turn, prompt.text) or _is_between_tools(readable, prompt):
        return None
    view = sessions.load(folder, session, now)
    for broken in view.unreadable if prompt.skills else ():
        files.check_passing(broken)  # a denial would be noted, and the same prompt passed over when it is sent again
    named = [questions.named_in(record) for record in (*view.own.values(), *view.root.values())]
    asked = questions.load(folder, session, named)
    if unanswered := _keeps_from_answering(view, asked, prompt):
        members = view.members()
        modes = tuple(member.mode for member in members)
        return Reconciled(Plan(modes, modes), members, members, unanswered=unanswered)
    result = for_prompt(view, asked, prompt)
    if result.writes or isinstance(kept, Unreadable) or _is_to_be_noted(readable, view, result):
        seen = ledger.prompt_seen(readable, session, prompt.turn, prompt.text, now=prompt.now)
        result = result._replace(writes=(*result.writes, seen))
    return result


def _is_between_tools(kept: Record, prompt: Prompt) -> bool:
    """Qwen Code sends an empty prompt of the same turn after each batch of tool calls; a picture alone is empty too,
    but in a turn of its own."""
    return not prompt.text.strip() and prompt.turn is not None and prompt.turn == ledger.current_turn(kept)


def _is_to_be_noted(kept: Record, view: Session, result: Reconciled) -> bool:
    """While something runs, each prompt of the person is noted: the counts of Stops start over, a client that sends
    it twice is known, and a question is known to be younger than what was typed in its turn. A denial, and a prompt
    beside a root record alone, make no file for that."""
    if kept:
        return bool(result.after) or ledger.has_counted(kept) or bool(ledger.just_ended(kept, view.own))
    return result.stands and any(member.session for member in result.after)


def _keeps_from_answering(view: Session, asked: Sequence[Question], prompt: Prompt) -> tuple[Unreadable, ...]:
    """The files without which the answer that this prompt may be cannot be recorded."""
    if CANCEL in prompt.skills or prompt.only_names or is_command(prompt.text):
        return ()
    waiting = [member.record for member in view.members() if outcome_of(member.record).waits]
    found = questions.unreadable(view.folder, view.session, map(questions.named_in, waiting)) if waiting else []
    waited_on = [question.record.get("source") for question in asked if question.record.get("status") in questions.OPEN]
    return (*(each for each in view.unreadable if paths.cleared_as(each.path) in waited_on), *found)


def _unanswered(broken: Unreadable) -> tuple[str, str, str]:
    """No command clears a question's file."""
    from rcs_hooks.hook import place

    path, why, mode = place.broken(broken)
    return path, why, mode if broken.path.endswith(paths.MODE_SUFFIX) else ""


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
        still_open=result.still_open,
        unanswered=tuple(_unanswered(unreadable) for unreadable in result.unanswered),
        delivered=result.delivered,
        offered=result.offered,
        offered_by=result.offered_by,
        unreadable=tuple(place.broken(unreadable) for unreadable in result.unreadable),
    )
    context = messages.prompt_context(news, commands)
    output: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}
    if notice := messages.prompt_notice(news, commands):
        output["systemMessage"] = notice
    return output
