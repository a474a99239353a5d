"""The Stops that the hooks have noted: how many were blocked, for which call, with which reasons."""

from __future__ import annotations

from rcs_hooks.files import paths
from rcs_hooks.files.clock import iso, seconds
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

SAME_SECONDS = 2.0
"""A Stop of the same turn with the same words is the same one within so many seconds."""
MOST_SAID = 4
LONGEST_LENGTH = 40
"""So many digits at most has the length in a digest of ours."""


class StopCall(NamedTuple):
    """One Stop, by what each call for it has in common."""

    digest: str
    message: str
    """The digest of the agent's last message."""


def call_of(turn: str | None, message: str, timestamp: str | None) -> StopCall:
    """Describe a Stop, so that it is known again when the client calls twice for it.

    `timestamp`: when the Stop was, as the client says to each program that it calls; None if it does not say it.
    """
    return StopCall(digest(f"{turn} {timestamp} {message}"), digest(message))


def load(folder: str, session: str) -> JsonObject:
    """Return the notes of a session in which a Stop is to be counted. Raises Uncounted if they cannot be read."""
    notes = session_notes.load(folder, session)
    if isinstance(notes, Unreadable):
        from rcs_hooks.errors import Uncounted

        why = f"{paths.STATE}/{notes.path} cannot be read ({notes.why}), so no block can be counted"
        raise Uncounted(f"{why}; the next prompt moves it aside")
    return notes


def answer_given(
    notes: Mapping[str, object], call: StopCall, members: Sequence[ActiveMode], now: float
) -> JsonObject | None:
    """Return the answer that the same Stop was given a moment ago, and was counted for; None if it was given none.

    A reason that the active modes have outrun is not given again.
    """
    stops = part(notes, "stops")
    last = part(stops, "call")
    if last.get("digest") != call.digest:
        return None
    at, reason = seconds(stops.get("at")), last.get("reason")
    if at is None or abs(now - at) >= SAME_SECONDS:
        return None
    if not (reason and isinstance(reason, str)):
        return {}
    return {"decision": "block", "reason": reason} if stops.get("fingerprint") == fingerprint(members) else None


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
    return BlockCount(fingerprint, max(0, in_a_row), max(0, of_prompt), stalled, once)


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


def note_stop(notes: Mapping[str, object], session: str, call: StopCall, count: BlockCount, *, now: float) -> Write:
    """Return the write that notes the answer to a Stop, and for which call it was.

    It also marks the session as open.
    """
    stops: JsonObject = {"fingerprint": count.fingerprint, "in_a_row": count.in_a_row, "of_prompt": count.of_prompt}
    stops |= {key: value for key, value in (("stalled", count.stalled), ("once", count.once)) if value}
    stops |= {key: value for key, value in part(notes, "stops").items() if key in ("reminded_at", "resumed_at", "said")}
    stops |= {"call": call._asdict(), "at": iso(now)}
    return write_with(notes, session, stops=stops)


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
    """Return the note of a blocked Stop with its reason, to say it again and to know it when a client sends it back."""
    record = write.record or {}
    stops = part(record, "stops")
    digests = [*(each for each in _said(stops) if each != _digest_of(reason)), _digest_of(reason)][-MOST_SAID:]
    call = part(stops, "call") | {"reason": reason}
    return write._replace(record=record | {"stops": stops | {"said": digests, "call": call}})


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
