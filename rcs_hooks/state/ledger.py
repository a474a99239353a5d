"""What the hooks keep for themselves in a session: the person's last prompts, the Stops blocked since, and its end.

It holds no workflow state. One that cannot be read lets a Stop pass, and the next prompt replaces it.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from rcs_hooks import jsontext
from rcs_hooks.state import paths
from rcs_hooks.state.files import Unreadable, Write, read_own
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.origin import reason_in
from rcs_hooks.workflow.stop import Count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.state.session import Member

Record = dict[str, Any]

REMEMBERED = 8
"""Prompts that are known again when a client sends them twice, even late."""
MOST_NOTICED = 50
LONGEST_TIME = 40
NOTICED = "noticed"
"""What the person was told once in this session."""
MOST_PROGRAMS = 8
MOST_SAID = 4
LASTING = ("stalled", "once", "reminded_at", "said")
"""What a new prompt leaves in `stops`: it holds until the run has changed, however many prompts come."""
TIMES = frozenset({"timestamp", "ts", "time", "date", "turn_id", "thread_id"})


def load(folder: str, session: str) -> Record | Unreadable:
    return read_own(folder, paths.ledger_file(session)) or {}


def _part(ledger: Mapping[str, Any], name: str) -> Record:
    part = ledger.get(name)
    return part if isinstance(part, dict) else {}


def digest(text: str) -> str:
    """Told apart by accident only, which costs nothing: hashlib would cost 2 ms."""
    data = text.encode("utf-8", "surrogatepass")
    return f"{len(data)}-{zlib.crc32(data):08x}"


def has_seen(ledger: Mapping[str, Any], turn: str | None, prompt: str) -> bool:
    """Whether this very prompt was noted before: clients send one twice."""
    this = (turn, digest(prompt))
    return turn is not None and any((seen.get("turn_id"), seen.get("digest")) == this for seen in _prompts(ledger))


def _prompts(ledger: Mapping[str, Any]) -> list[Record]:
    """The last prompts of the person, the newest last."""
    prompts = ledger.get("prompts")
    return [seen for seen in prompts if isinstance(seen, dict)] if isinstance(prompts, list) else []


def current_turn(ledger: Mapping[str, Any]) -> str | None:
    """The turn of the last prompt that was noted, whoever made it; None where its client names none."""
    turns = [ledger.get("turn"), *(seen.get("turn_id") for seen in _prompts(ledger)[-1:])]
    return next((turn for turn in turns if isinstance(turn, str)), None)


def count_of(ledger: Mapping[str, Any]) -> Count:
    """Read the blocks so far. Only a prompt starts them over, whatever a client names its turns."""
    stops = _part(ledger, "stops")
    fingerprint, in_a_row, of_prompt = (stops.get(key) for key in ("fingerprint", "in_a_row", "of_prompt"))
    stalled, once = (value if isinstance(value := stops.get(key), str) else "" for key in ("stalled", "once"))
    if not (isinstance(fingerprint, str) and isinstance(in_a_row, int) and isinstance(of_prompt, int)):
        return Count(stalled=stalled, once=once)
    return Count(fingerprint, max(0, in_a_row), max(0, of_prompt), stops.get("lost") is True, stalled, once)


def has_counted(ledger: Mapping[str, Any]) -> bool:
    """Tell whether the next prompt starts something over: it was counted, or the session was closed."""
    return bool(_part(ledger, "stops").keys() - set(LASTING)) or is_closed(ledger)


def prompt_seen(ledger: Mapping[str, Any], session: str, turn: str | None, prompt: str, *, now: str) -> Write:
    """Note a prompt of the person: the counts start over, and the session is open."""
    seen = {"turn_id": turn, "digest": digest(prompt), "at": now}
    stops = {name: value for name, value in _part(ledger, "stops").items() if name in LASTING}
    noticed = {name: value for name, value in ledger.items() if name == NOTICED}
    record = {"version": 1, **noticed, "prompts": [*_prompts(ledger), seen][-REMEMBERED:], "stops": stops}
    return Write(paths.ledger_file(session), record, durable=False)


def turn_begun(ledger: Mapping[str, Any], session: str, turn: str) -> Write:
    """Note the turn of a prompt that no person typed; nothing starts over. The person's next prompt ends the note."""
    return Write(paths.ledger_file(session), {"version": 1, **ledger, "turn": turn}, durable=False)


def said(write: Write, reason: str) -> Write:
    """Add to a noted Stop the reason that it is held for, so that it is known when a client hands it back."""
    record = write.record or {}
    stops = _part(record, "stops")
    digests = [*(each for each in _said(stops) if each != _digest_of(reason)), _digest_of(reason)][-MOST_SAID:]
    return write._replace(record=record | {"stops": stops | {"said": digests}})


def has_said(ledger: Mapping[str, Any], reason: str) -> bool:
    """Tell whether this was the whole reason of one of the last Stops that were held."""
    return _digest_of(reason) in _said(_part(ledger, "stops"))


def _said(stops: Record) -> list[str]:
    digests = stops.get("said")
    return [each for each in digests if isinstance(each, str)] if isinstance(digests, list) else []


def _digest_of(reason: str) -> str:
    """Compare as the client hands it back: with the escapes undone, and no white space around it."""
    return digest(reason_in(reason))


def _noticed(ledger: Mapping[str, Any]) -> list[str]:
    noticed = ledger.get(NOTICED)
    return [typed for typed in noticed if isinstance(typed, str)] if isinstance(noticed, list) else []


def has_told(ledger: Mapping[str, Any] | Unreadable, reading: str) -> bool:
    """Whether the person was told in this session that this token, read so, started nothing."""
    return not isinstance(ledger, Unreadable) and reading.lower() in _noticed(ledger)


def told(ledger: Mapping[str, Any], session: str, readings: Sequence[str]) -> Write:
    """Notes that the person was told of these tokens and their readings."""
    noticed = dict.fromkeys((*_noticed(ledger), *(reading.lower() for reading in readings)))
    record = {"version": 1, **ledger, NOTICED: list(noticed)[-MOST_NOTICED:]}
    return Write(paths.ledger_file(session), record, durable=False)


class Call(NamedTuple):
    """One Stop as one program was told of it."""

    turn: str | None
    message: str
    """The digest of the last message."""
    program: str
    """A digest too."""
    began: float | None = None
    """None where the clock is not the one that stamps files."""


def has_answered(ledger: Mapping[str, Any], call: Call, written_at: float | None) -> bool:
    """Tell whether this very Stop was answered before: by another program, or by another copy of this one.

    A client sends the next Stop of a turn only after every program has answered this one. So a program that has not
    called since the last answer is late for that one; and so is a call that began before the answer was on disk.
    """
    last = _part(_part(ledger, "stops"), "call")
    programs = last.get("programs")
    if (last.get("turn_id"), last.get("message")) != (call.turn, call.message) or not isinstance(programs, list):
        return False
    overlaps = call.began is not None and written_at is not None and call.began < written_at
    return call.program not in programs or overlaps


def written_at(folder: str, session: str) -> float | None:
    """Read when the notes of a session were last written, by the clock that stamps files."""
    try:
        return os.stat(f"{folder}/{paths.ledger_file(session)}").st_mtime
    except OSError:
        return None


def also_called(ledger: Mapping[str, Any], session: str, call: Call) -> Write:
    """Note one more program that was called for a Stop that is answered."""
    stops = _part(ledger, "stops")
    last = _part(stops, "call")
    programs = [*(name for name in last["programs"] if isinstance(name, str)), call.program][-MOST_PROGRAMS:]
    return _with(ledger, session, stops=stops | {"call": last | {"programs": programs}})


def stop_counted(ledger: Mapping[str, Any], session: str, call: Call, count: Count, *, now: str) -> Write:
    """Note an answered Stop, and for whom; a session that stops is open."""
    stops: Record = {"fingerprint": count.fingerprint, "in_a_row": count.in_a_row, "of_prompt": count.of_prompt}
    stops |= {"lost": True} if count.is_lost else {}
    stops |= {key: value for key, value in (("stalled", count.stalled), ("once", count.once)) if value}
    stops |= {key: value for key, value in _part(ledger, "stops").items() if key in ("reminded_at", "said")}
    stops |= {"call": {"turn_id": call.turn, "message": call.message, "programs": [call.program]}, "at": now}
    return _with(ledger, session, stops=stops)


def reminded(write: Write, *, now: str) -> Write:
    """Add to a noted Stop that the person was reminded of an old run."""
    record = write.record or {}
    return write._replace(record=record | {"stops": _part(record, "stops") | {"reminded_at": now}})


def _with(ledger: Mapping[str, Any], session: str, **parts: Record) -> Write:
    record = {"version": 1, **ledger, **parts}
    record.pop("closed_at", None)
    return Write(paths.ledger_file(session), record, durable=False)


def marked(ledger: Mapping[str, Any], session: str, *, closed_at: str | None) -> Write:
    """Note when the session was closed; None: it is open."""
    write = _with(ledger, session)
    return write._replace(record=(write.record or {}) | ({"closed_at": closed_at} if closed_at else {}))


def is_closed(ledger: Mapping[str, Any] | Unreadable) -> bool:
    """Tell whether the client has ended the session, and nothing has opened it since."""
    return not isinstance(ledger, Unreadable) and isinstance(ledger.get("closed_at"), str)


def is_stalled(ledger: Mapping[str, Any] | Unreadable, members: Sequence[Member]) -> bool:
    """Tell whether a Stop was let go because nothing had changed, and nothing has changed since."""
    stalled = "" if isinstance(ledger, Unreadable) else count_of(ledger).stalled
    return bool(stalled and members) and stalled == fingerprint(members)


def last_prompt_at(ledger: Mapping[str, Any]) -> str | None:
    """Read when the last prompt that was noted came."""
    at = _prompts(ledger)[-1].get("at") if _prompts(ledger) else None
    return at if isinstance(at, str) else None


def reminded_at(ledger: Mapping[str, Any]) -> str | None:
    """Read when the person was last reminded of an old run."""
    at = _part(ledger, "stops").get("reminded_at")
    return at if isinstance(at, str) else None


def fingerprint(members: Sequence[Member]) -> str:
    """Of what the active modes have done so far: phase, iteration, outcome and `state`, and no time."""
    facts = {
        member.mode: [
            member.record.get("current_phase"),
            member.record.get("iteration"),
            [member.record.get(field) for field in ("lifecycle_outcome", "terminal_outcome", "run_outcome")],
            _timeless(member.record.get("state")),
        ]
        for member in members
    }
    return digest(jsontext.dumps_line(dict(sorted(facts.items()))))


def _timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: _timeless(inner) for key, inner in sorted(value.items()) if not _names_a_time(key)}
    if isinstance(value, list):
        return [_timeless(inner) for inner in value]
    return None if isinstance(value, str) and _is_a_time(value) else value


def _names_a_time(key: str) -> bool:
    return key.lower() in TIMES or key.endswith(("_at", "At", "_ts", "_time"))


def _is_a_time(text: str) -> bool:
    """ISO 8601, as every tool writes it: 2026-01-31T09:30..."""
    shape = "".join("0" if char.isdigit() else char for char in text[:14])
    return shape in ("0000-00-00T00:", "0000-00-00 00:") and len(text) <= LONGEST_TIME


def just_ended(ledger: Mapping[str, Any], own: Mapping[str, Record]) -> list[str]:
    """The modes whose run has ended since the hooks last wrote here; the next prompt writes."""
    moments = (*(seen.get("at") for seen in _prompts(ledger)[-1:]), _part(ledger, "stops").get("at"))
    since = max((moment for moment in moments if isinstance(moment, str)), default=None)
    if since is None:
        return []
    ended = {mode: record.get("completed_at") for mode, record in own.items() if outcome_of(record).ends}
    return [mode for mode, at in ended.items() if isinstance(at, str) and _is_a_time(at) and at >= since]
