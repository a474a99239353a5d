"""The person's prompts that the hooks have noted: which were seen before, and in which turn the agent works."""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.files.reading import Unreadable, check_available_unless_denied
from rcs_hooks.files.transaction import Write, move_aside
from rcs_hooks.state.session_notes import BEFORE, CLIENT, FINISHED, NOTICED, digest, is_closed, part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.reconcile import Prompt, Reconciled

REMEMBERED = 8
"""So many prompts are recognised if a client sends them twice, even late."""
LASTING = ("stalled", "once", "reminded_at", "resumed_at", "said")
"""The fields of `stops` that a new prompt keeps: they hold until the run changes, however many prompts come."""


def has_seen(notes: Mapping[str, object], prompt: Prompt) -> bool:
    """Tell whether this very prompt was noted before: a client calls several programs for one, and one may be late.

    A prompt is known by its turn, or, if its client names no turn, by the moment at which the client says that it was
    sent. Within the turn of the last prompt only that one is known again: of `$cancel`, `$forge go`, `$cancel` in one
    turn each is a prompt of its own.
    """
    name, value = ("turn_id", prompt.turn) if prompt.turn is not None else ("moment", prompt.moment)
    prompts = _prompts(notes)
    if value is None or not prompts:
        return False
    candidates = prompts[-1:] if prompts[-1].get(name) == value else prompts
    return (value, digest(prompt.text)) in [(seen.get(name), seen.get("digest")) for seen in candidates]


def denial_of(notes: Mapping[str, object], prompt: Prompt) -> str:
    """Return the digest of the policy's reasons to deny the last noted prompt, to compare with the reasons of today.

    Empty if that prompt was allowed, or came in another turn than `prompt`.
    """
    last = _prompts(notes)[-1:]
    is_of_turn = prompt.turn is not None and [seen.get("turn_id") for seen in last] == [prompt.turn]
    denial = last[0].get("denied") if is_of_turn else None
    return denial if isinstance(denial, str) else ""


def _prompts(notes: Mapping[str, object]) -> list[JsonObject]:
    """Return what was noted of each of the person's last prompts, the newest last."""
    prompts = notes.get("prompts")
    return [seen for seen in prompts if isinstance(seen, dict)] if isinstance(prompts, list) else []


def current_turn(notes: Mapping[str, object]) -> str | None:
    """Return the turn of the last prompt that was noted, whoever made it; None if its client names none."""
    turns = [notes.get("turn"), *(seen.get("turn_id") for seen in _prompts(notes)[-1:])]
    return next((turn for turn in turns if isinstance(turn, str)), None)


def has_prompt_since(notes: Mapping[str, object], moment: str) -> bool:
    """Tell whether the last prompt that was noted came at that moment or later.

    Prompts are noted only while something runs. So before a run that the agent has started by itself, the last note may
    be of an earlier turn.
    """
    noted = last_prompt_at(notes)
    return noted is not None and noted >= moment


def last_prompt_at(notes: Mapping[str, object]) -> str | None:
    """Return when the last prompt that was noted came; None if none was noted."""
    at = _prompts(notes)[-1].get("at") if _prompts(notes) else None
    return at if isinstance(at, str) else None


def has_counted(notes: Mapping[str, object]) -> bool:
    """Tell whether the next prompt has something to reset: Stops were counted, or the session was closed."""
    return bool(part(notes, "stops").keys() - set(LASTING)) or is_closed(notes)


def is_between_tools(notes: Mapping[str, object], prompt: Prompt) -> bool:
    """Tell whether this is the empty prompt that Qwen Code sends in the same turn after each batch of tool calls.

    A picture alone is an empty prompt too, but in a turn of its own. Where a client names no turn, each empty prompt
    counts as one between tools: if it reset the counts, an agent that uses tools would be held for ever.
    """
    return not prompt.has_text and (prompt.turn is None or prompt.turn == current_turn(notes))


def is_worth_noting(notes: Mapping[str, object], result: Reconciled) -> bool:
    """Tell whether a prompt is to be noted: each one is, while something runs in the session.

    By its note the counts of Stops start over, a prompt that its client sends twice is recognised, and a question is
    known to be younger than what was typed before it in its turn. A denial creates no file for the note, nor does a
    root record.
    """
    if notes:
        return bool(result.after) or has_counted(notes)
    return result.is_allowed and any(member.session for member in result.after)


def note_prompt(notes: Mapping[str, object], session: str, prompt: Prompt, denial: str = "") -> Write:
    """Return the write that notes a prompt of the person, resets the counts of Stops and opens the session.

    `denial`: the digest of why it was denied; empty if it was not.
    """
    seen = {"turn_id": prompt.turn, "digest": digest(prompt.text), "at": prompt.now}
    seen |= {"moment": prompt.moment} if prompt.turn is None and prompt.moment else {}
    seen |= {"denied": denial} if prompt.turn is not None and denial else {}
    before = part(notes, "stops")
    stops = {name: value for name, value in before.items() if name in LASTING or not prompt.begins_turn}
    if prompt.is_told_at_stop and (
        reset := before.get(BEFORE) or {k: v for k, v in before.items() if k not in LASTING}
    ):
        stops[BEFORE] = reset
    noticed = {name: value for name, value in notes.items() if name in (CLIENT, NOTICED, FINISHED)}
    noticed |= {CLIENT: prompt.client} if prompt.client else {}
    record = {"version": 1, **noticed, "prompts": [*_prompts(notes), seen][-REMEMBERED:], "stops": stops}
    return Write(paths.notes_file(session), record, durable=False)


def digest_of_denial(result: Reconciled) -> str:
    """Return a digest that tells one denial from another; empty where everything was allowed."""
    if result.plan.denied is None and not result.unreadable:
        return ""
    return digest(f"{result.plan.denied} {[broken.path for broken in result.unreadable]}")


def writes_in_session(session: str, result: Reconciled) -> bool:
    """Tell whether a prompt writes state of its session: a change in root alone creates no file in the session."""
    return any(write.path.startswith(paths.session_folder(session)) for write in result.writes)


def with_note(result: Reconciled, notes: JsonObject | Unreadable, session: str, prompt: Prompt) -> Reconciled:
    """Return what was decided about a prompt, with the note of it where it is to be noted."""
    readable = {} if isinstance(notes, Unreadable) else notes
    is_worth_it = readable is not notes or is_worth_noting(readable, result)
    if not (is_worth_it or writes_in_session(session, result)):
        return result
    note = note_prompt(readable, session, prompt, digest_of_denial(result))
    return result._replace(writes=(*result.writes, note))


def move_unreadable(folder: str, session: str, notes: JsonObject | Unreadable) -> None:
    """Move the hooks' own notes aside where they cannot be read, for they must keep nobody from working."""
    check_available_unless_denied(notes)
    if isinstance(notes, Unreadable):
        move_aside(folder, paths.notes_file(session))


def note_turn(notes: Mapping[str, object], session: str, turn: str) -> Write:
    """Return the write that notes the turn of a prompt that no person typed; it resets nothing.

    The person's next prompt removes the note.
    """
    return Write(paths.notes_file(session), {"version": 1, **notes, "turn": turn}, durable=False)
