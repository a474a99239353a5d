"""UserPromptSubmit: starts, ends and resumes workflows as the prompt asks, and tells the agent in a short context.

The wording is loaded only where there is something to say.
"""

from __future__ import annotations

from rcs_hooks.errors import LockTimeout
from rcs_hooks.files import paths, reading, transaction, workspaces
from rcs_hooks.files.clock import iso
from rcs_hooks.files.lock import HOOK_SECONDS, Lock, in_use
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.state import prompt_notes, questions, session_notes
from rcs_hooks.state import session as sessions
from rcs_hooks.state.reconcile import Prompt, Reconciled, for_prompt
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.origin import extract_reason, is_client_made
from rcs_hooks.workflow.replies import is_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from rcs_hooks.catalog import ModeDef
    from rcs_hooks.environment import Environment
    from rcs_hooks.files.transaction import Write
    from rcs_hooks.hook.call import Payload
    from rcs_hooks.hook.own_modes import OwnMode
    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.workflow.tokens.scan import Token


NO_MODES: dict[str, Any] = {}
NOTE_SECONDS = 0.5
"""Seconds that a prompt which changes no workflow waits for the lock: hooks hold it for milliseconds, a person waits.

If the prompt cannot be noted, the counts of Stop go on, and a later prompt of the same turn may be taken for the answer
to a question.
"""


def answer(
    payload: Payload,
    tokens: tuple[Token, ...],
    root: str,
    cwd: str,
    environment: Environment,
    own: Mapping[str, OwnMode] = NO_MODES,
) -> dict[str, Any]:
    """Return the answer to one prompt; empty if there is nothing to say.

    `tokens`: the skills that it names. `own`: the own modes that it may name.
    """
    asked = tuple(token for token in tokens if token.passed_over is None)
    refused, declared = "", NO_MODES
    if own:
        from rcs_hooks.hook import own_modes

        refused, declared = own_modes.why_none(asked, own), own_modes.definitions(own)
        asked = () if refused else asked
    text = payload.prompt
    if text is None or is_machine_made(root, payload.session, text) or _is_handed_back(root, payload):
        if payload.turn is not None and paths.is_name(payload.session):
            from rcs_hooks.hook import unasked_prompts

            unasked_prompts.note_turn(root, payload.session, payload.turn, environment.now)
        return {}
    if not paths.is_name(payload.session):
        return _without_session(payload.session, tokens)
    prompt = prompt_of(text, asked, payload.turn, environment.now)
    prompt = prompt._replace(
        moment=payload.timestamp,
        client=payload.client.name,
        begins_turn=payload.client.begins_turn(payload.fields),
        is_told_at_stop=payload.client.tells_prompt_at_stop,
    )
    if not payload.client.sends_commands:
        prompt = prompt._replace(is_command=False)
    if not asked:
        prompt = prompt._replace(mentions=_skills(tokens))
    prompt = with_modes(prompt, declared, root, payload.session, environment.env)

    def words(result: Reconciled | None) -> dict[str, Any]:
        if result is None:
            return {}
        output: dict[str, Any] = {}
        if asked or result.has_news:
            from rcs_hooks.hook import cli_command, prompt_words

            commands = cli_command.commands(root, cwd, payload.session, environment, payload.client)
            output = prompt_words.worded(result, () if refused else tokens, commands, root, environment, payload.client)
        if result.gone or any(mode in prompt.own for mode in result.started):
            from rcs_hooks.hook import notices, own_modes

            for line in own_modes.lines_for_person(result, prompt.own, root):
                output = notices.with_line(output, line)
        return output

    folder = workspaces.state_folder(root)
    result, output = _decide_and_commit(root, folder, payload.session, prompt, environment, words)
    if not refused and (result is None or asked or not tokens):
        return output
    from rcs_hooks.hook import notices

    if refused:
        return notices.with_line(output, refused)
    return notices.with_mentions(output, root, payload.session, tokens)


def _is_handed_back(root: str, payload: Payload) -> bool:
    """Tell whether the client goes on by this prompt after a Stop that another program has held."""
    if not paths.is_name(payload.session):
        return False
    import os

    notes = os.path.join(workspaces.state_folder(root), paths.notes_file(payload.session))
    return os.path.exists(notes) and payload.client.hands_back(payload.fields, payload.env)


def with_modes(
    prompt: Prompt, declared: Mapping[str, ModeDef], root: str, session: str, env: Mapping[str, str]
) -> Prompt:
    """Return the prompt with the own modes that it may start, and a way to tell whether a deferred one still can be."""

    def is_startable(name: str) -> bool:
        from rcs_hooks.hook import own_modes

        return bool(own_modes.definitions(own_modes.find_all((name,), root, session, env)))

    return prompt._replace(own=declared, is_startable=is_startable)


def _without_session(session: str, tokens: tuple[Token, ...]) -> dict[str, Any]:
    if not tokens:
        return {}
    from rcs_hooks.hook import notices

    return notices.without_session(session, tokens)


def is_machine_made(root: str, session: str, prompt: str) -> bool:
    """Tell whether no person typed a prompt: the client wrote it, or it is the reason of a held Stop."""
    if is_client_made(prompt):
        return True
    reason = extract_reason(prompt)
    if not reason:
        return False
    from rcs_hooks.hook import unasked_prompts

    return unasked_prompts.is_reason(root, session, reason)


def prompt_of(text: str, tokens: tuple[Token, ...], turn: str | None, now: float) -> Prompt:
    """Return a prompt as it is decided about. `tokens`: those that it asks for."""
    if not tokens:
        return Prompt(text, turn=turn, now=iso(now), is_command=is_command(text))
    starts, ends = (0, *(token.end for token in tokens)), (*(token.start for token in tokens), len(text))
    rest = " ".join(text[start:end] for start, end in zip(starts, ends, strict=True))
    return Prompt(text, _skills(tokens), tokens[0].typed, turn, iso(now), rest, is_command=is_command(text))


def _skills(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    return tuple(token.skill for token in tokens if token.skill)


def _decide_and_commit(
    root: str,
    folder: str,
    session: str,
    prompt: Prompt,
    environment: Environment,
    words: Callable[[Reconciled | None], dict[str, Any]],
) -> tuple[Reconciled | None, dict[str, Any]]:
    """Decide what a prompt does and write it; return what was decided, and the answer that `words` makes of it.

    Where there is something to write, it is decided once more under the lock, and only that decision counts. The answer
    is worded before anything is written: where the wording fails, nothing is changed. It is worded again where the
    decision is another one, or the workspace was not there yet, which the commands in the words may depend on.
    """
    now = environment.now
    result = decide(folder, session, prompt, now).result
    output = words(result)
    if result is None or not (result.writes or (prompt.skills and in_use(folder))):
        return result, output
    environment.is_answer = any(reply.question for reply in result.answered)
    was_there = in_use(folder)
    if result.writes:
        from rcs_hooks.files.preparation import prepare

        if not (was_there or workspaces.is_repository(root)):
            from rcs_hooks.hook import notices

            words = notices.with_first_write(words, root, environment.env)
        prepare(root)
    only_notes = not prompt.skills and [write.path for write in result.writes] == [paths.notes_file(session)]
    try:
        with Lock(folder, NOTE_SECONDS if only_notes else HOOK_SECONDS):
            transaction.recover(folder)
            before, decided = result, decide(folder, session, prompt, now)
            result = decided.result
            if result != before or not was_there:
                output = words(result)
            if result is not None and result.writes:
                prompt_notes.move_unreadable(folder, session, decided.notes)
                _commit(folder, result.writes)
                environment.has_changed = any(write.path != paths.notes_file(session) for write in result.writes)
    except (LockTimeout, OSError):
        if not only_notes:  # the person need not know about the hooks' own notes
            raise
    return result, output


def _commit(folder: str, writes: Sequence[Write]) -> None:
    """Commit these files; ignore an error after the journal is in place.

    From then on every reader sees the change, and the next holder of the lock finishes it, or reports why it cannot.
    """
    try:
        transaction.commit(folder, writes)
    except OSError:
        if reading.read_journal(folder) is None:
            raise


class Decided(NamedTuple):
    """What a prompt does to the present state, and the notes of its session as they were read for that."""

    result: Reconciled | None
    """None where the prompt was answered before."""
    notes: JsonObject | Unreadable


def decide(folder: str, session: str, prompt: Prompt, now: float) -> Decided:
    """Decide what this prompt does to the present state. Writes nothing.

    A denied prompt may be sent again in the same turn, as the denial asks: it counts as answered only while it would be
    denied for the same reason.
    """
    loaded = session_notes.load(folder, session)
    notes = {} if isinstance(loaded, Unreadable) else loaded
    is_seen = prompt_notes.has_seen(notes, prompt)
    denial = prompt_notes.denial_of(notes, prompt) if is_seen else ""
    if (is_seen and not denial) or prompt_notes.is_between_tools(notes, prompt):
        return Decided(None, loaded)
    reader = reading.Reader(folder, asks_of_ended=bool(prompt.skills))
    view = sessions.load(folder, session, now, reader)
    for broken in view.unreadable if prompt.skills else ():
        # Raised rather than denied: a denial would be noted, and the same prompt ignored when it is sent again.
        reading.check_available_unless_denied(broken)
    named = [record.question_id for record in (*view.own.values(), *view.root.values())]
    asked = questions.load_for(view, named, reader)
    result = for_prompt(view, asked, prompt)
    if result.unanswered:
        return Decided(result, loaded)
    if denial and denial == prompt_notes.digest_of_denial(result):
        return Decided(None, loaded)
    return Decided(prompt_notes.with_note(result, loaded, session, prompt), loaded)
