"""The Stops that the hooks have noted: how many were blocked, for which call, with which reasons."""

from __future__ import annotations

import os

from rcs_hooks.files import paths
from rcs_hooks.files.reading import Unreadable
from rcs_hooks.files.transaction import Write
from rcs_hooks.state import session_notes
from rcs_hooks.state.session_notes import BEFORE, bytes_of, digest, digest_of_bytes, fingerprint, part, write_with
from rcs_hooks.tuples import NamedTuple
from rcs_hooks.workflow.origin import extract_reason, strip_client_prefix
from rcs_hooks.workflow.stop import OLD, BlockCount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.jsontext import JsonObject
    from rcs_hooks.state.session import ActiveMode
    from rcs_hooks.workflow.stop import Decision

MOST_PROGRAMS = 8
MOST_SAID = 4
LONGEST_LENGTH = 40
"""So many digits at most has the length in a digest of ours."""


class StopCall(NamedTuple):
    """One Stop, as one program was called for it."""

    turn: str | None
    message: str
    """The digest of the agent's last message."""
    program: str
    """The digest of the program's command."""
    began: float | None = None
    """When the call began; None if that is not known by the clock that stamps files."""
    mark: str | None = None
    """What the client sends with each call for one Stop and changes for the next Stop; None if it sends none."""


def load(folder: str, session: str) -> JsonObject:
    """Return the notes of a session in which a Stop is to be counted. Raises Uncounted if they cannot be read."""
    notes = session_notes.load(folder, session)
    if isinstance(notes, Unreadable):
        from rcs_hooks.errors import Uncounted

        why = f"{paths.STATE}/{notes.path} cannot be read ({notes.why}), so no block can be counted"
        raise Uncounted(f"{why}; the next prompt moves it aside")
    return notes


def has_answered(notes: Mapping[str, object], call: StopCall, answered_at: float | None) -> bool:
    """Tell whether this very Stop was answered before: by another program, or by another copy of this one.

    `answered_at`: when the last answer was written; None if unknown. A client sends the next Stop of a turn only after
    every program has answered this one. So a program that has not called since the last answer is late for that answer,
    and so is a call that began before the answer was on disk. If the client marks its Stops, the mark alone decides.
    """
    last = part(part(notes, "stops"), "call")
    programs = last.get("programs")
    if (last.get("turn_id"), last.get("message")) != (call.turn, call.message) or not isinstance(programs, list):
        return False
    if call.mark is not None and isinstance(last.get("mark"), str):
        return bool(last["mark"] == call.mark)
    overlaps = call.began is not None and answered_at is not None and call.began < answered_at
    return call.program not in programs or overlaps


def last_written_at(folder: str, session: str, now: float) -> float | None:
    """Return when the notes of a session were last written, by the clock that stamps files; None if there are none.

    None also for a time after `now`, which says nothing: a clock was set back, or a file was copied with its times.
    """
    try:
        at = os.stat(f"{folder}/{paths.notes_file(session)}").st_mtime
    except OSError:
        return None
    return at if at <= now else None


def of_turn(notes: Mapping[str, object], prompt: str) -> JsonObject:
    """Return the notes as they are for a Stop that tells the prompt of its turn.

    If the last noted prompt was another one, the person has not typed it: the client went on for another program's
    reason, and what that prompt has reset counts again.
    """
    stops, prompts = part(notes, "stops"), notes.get("prompts")
    last = prompts[-1] if isinstance(prompts, list) and prompts else {}
    if BEFORE not in stops or (isinstance(last, dict) and last.get("digest") == digest(prompt)):
        return dict(notes)
    return {**notes, "stops": part(stops, BEFORE) | {name: value for name, value in stops.items() if name != BEFORE}}


def last_message(notes: Mapping[str, object]) -> str:
    """Return the digest of the agent's message at the last Stop since the person's prompt; empty if there was none."""
    message = part(part(notes, "stops"), "call").get("message")
    return message if isinstance(message, str) else ""


def without_last_message(text: str, notes: Mapping[str, object]) -> str:
    """Return a text without the message of the last Stop, if it begins with that and goes on in another line."""
    data, known = bytes_of(text), last_message(notes)
    end = _length_in(known)
    if not (end and data[end : end + 1] == b"\n" and digest_of_bytes(data[:end]) == known):
        return text
    return data[end + 1 :].decode("utf-8", "surrogatepass")


def count_of(notes: Mapping[str, object]) -> BlockCount:
    """Return the counts of blocked Stops.

    Only a prompt of the person resets them, whatever a client calls its turns.
    """
    stops = part(notes, "stops")
    fingerprint, in_a_row, of_prompt = (stops.get(key) for key in ("fingerprint", "in_a_row", "of_prompt"))
    stalled, once = (value if isinstance(value := stops.get(key), str) else "" for key in ("stalled", "once"))
    if not (isinstance(fingerprint, str) and isinstance(in_a_row, int) and isinstance(of_prompt, int)):
        return BlockCount(stalled=stalled, once=once)
    return BlockCount(fingerprint, max(0, in_a_row), max(0, of_prompt), stops.get("lost") is True, stalled, once)


def is_stalled(notes: Mapping[str, object] | Unreadable, members: Sequence[ActiveMode]) -> bool:
    """Tell whether a Stop was allowed because nothing had changed, and nothing has changed since."""
    stalled = "" if isinstance(notes, Unreadable) else count_of(notes).stalled
    return bool(stalled and members) and stalled == fingerprint(members)


def reminded_at(notes: Mapping[str, object]) -> str | None:
    """Return when the person was last reminded of an old run; None if that never happened."""
    at = part(notes, "stops").get("reminded_at")
    return at if isinstance(at, str) else None


def resumed_at(notes: Mapping[str, object]) -> str | None:
    """Return when the session was last resumed with an old run in it; None if it never was."""
    at = part(notes, "stops").get("resumed_at")
    return at if isinstance(at, str) else None


def note_stop(notes: Mapping[str, object], session: str, call: StopCall, count: BlockCount, *, now: str) -> Write:
    """Return the write that notes the answer to a Stop, and for which call it was.

    It also marks the session as open.
    """
    stops: JsonObject = {"fingerprint": count.fingerprint, "in_a_row": count.in_a_row, "of_prompt": count.of_prompt}
    stops |= {"lost": True} if count.is_lost else {}
    stops |= {key: value for key, value in (("stalled", count.stalled), ("once", count.once)) if value}
    stops |= {key: value for key, value in part(notes, "stops").items() if key in ("reminded_at", "resumed_at", "said")}
    of_call = {"turn_id": call.turn, "message": call.message, "programs": [call.program]}
    of_call |= {"mark": call.mark} if call.mark is not None else {}
    stops |= {"call": of_call, "at": now}
    return write_with(notes, session, stops=stops)


def note_program(notes: Mapping[str, object], session: str, call: StopCall) -> Write:
    """Return the write that notes one more program that was called for a Stop that is already answered."""
    stops = part(notes, "stops")
    last = part(stops, "call")
    named = last["programs"]
    others = [name for name in (named if isinstance(named, list) else []) if isinstance(name, str)]
    programs = [*(name for name in others if name != call.program), call.program][-MOST_PROGRAMS:]
    return write_with(notes, session, stops=stops | {"call": last | {"programs": programs}})


def note_resumed(notes: Mapping[str, object], session: str, *, now: str) -> Write:
    """Return the write that notes that a session was resumed, so that the person is reminded of an old run in it."""
    return write_with(notes, session, stops=part(notes, "stops") | {"resumed_at": now})


def with_words(write: Write, decision: Decision, reason: str, *, now: str) -> Write:
    """Return the note of a Stop with what is said added. `reason`: why it is held; empty if it is not.

    A reason is recognised by it when a client hands the reason back, and nobody is reminded twice.
    """
    if decision.why == OLD:
        return with_reminder(write, now=now)
    return with_reason(write, reason) if decision.blocks else write


def with_reminder(write: Write, *, now: str) -> Write:
    """Return the note of a Stop, with the fact added that the person was reminded of an old run."""
    record = write.record or {}
    return write._replace(record=record | {"stops": part(record, "stops") | {"reminded_at": now}})


# --- the reasons, which some clients hand back as a prompt


def with_reason(write: Write, reason: str) -> Write:
    """Return the note of a blocked Stop with its reason added, to recognise it when a client sends it as a prompt."""
    record = write.record or {}
    stops = part(record, "stops")
    digests = [*(each for each in _said(stops) if each != _digest_of(reason)), _digest_of(reason)][-MOST_SAID:]
    return write._replace(record=record | {"stops": stops | {"said": digests}})


def is_own_reason(notes: Mapping[str, object], reason: str) -> bool:
    """Tell whether a text consists of the reasons of the last blocked Stops and nothing else.

    A client that called several programs for one Stop joins their reasons.
    """
    held_for = _said(part(notes, "stops"))
    rest = extract_reason(reason)
    for _ in range(MOST_SAID):
        data = bytes_of(rest)
        ends = [end for each in held_for if (end := _length_in(each)) and digest_of_bytes(data[:end]) == each]
        if not ends:
            return False
        rest = strip_client_prefix(data[max(ends) :].decode("utf-8", "surrogatepass"))
        if not rest:
            return True
    return False


def _length_in(text_digest: str) -> int:
    """Return the length of the text that a digest was made of; 0 if `text_digest` is not such a digest."""
    length = text_digest.partition("-")[0]
    return int(length) if length.isdecimal() and len(length) < LONGEST_LENGTH else 0


def _said(stops: JsonObject) -> list[str]:
    digests = stops.get("said")
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def _digest_of(reason: str) -> str:
    """Return the digest of the reason of a held Stop, of its bare text: a client may send it back wrapped in a tag.

    The tag, HTML escapes and white space around the text are removed before.
    """
    return digest(extract_reason(reason))
