"""What the hooks keep for themselves in a session: the person's last prompts, and the Stops blocked since.

It holds no workflow state. One that cannot be read lets a Stop pass, and the next prompt replaces it.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

from rcs_hooks import jsontext
from rcs_hooks.state import paths
from rcs_hooks.state.files import Unreadable, Write, read
from rcs_hooks.workflow.lifecycle import outcome_of
from rcs_hooks.workflow.stop import Count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rcs_hooks.state.session import Member

Record = dict[str, Any]

REMEMBERED = 8
"""Prompts that are known again when a client sends them twice, even late."""
MOST_NOTICED = 50
LONGEST_TIME = 40
STALLED = "stalled"
"""The fingerprint for which a run was let go; no prompt takes it away."""
NOTICED = "noticed"
"""What the person was told once in this session."""
TIMES = frozenset({"timestamp", "ts", "time", "date", "turn_id", "thread_id"})


def load(folder: str, session: str) -> Record | Unreadable:
    return read(folder, paths.ledger_file(session)) or {}


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
    """The turn of the last prompt that was noted; None where its client names none."""
    turns = [seen.get("turn_id") for seen in _prompts(ledger)[-1:]]
    return next((turn for turn in turns if isinstance(turn, str)), None)


def count_of(ledger: Mapping[str, Any], turn: str | None) -> Count:
    """The blocks so far. Another turn is another prompt, so its sum starts over; those in a row do not, so that
    whatever a client names its turns, unchanged state is never blocked more often."""
    stops = _part(ledger, "stops")
    fingerprint, in_a_row, of_prompt = (stops.get(key) for key in ("fingerprint", "in_a_row", "of_prompt"))
    if not (isinstance(fingerprint, str) and isinstance(in_a_row, int) and isinstance(of_prompt, int)):
        return Count()
    same = turn is None or stops.get("turn_id") in (None, turn)
    return Count(fingerprint, max(0, in_a_row), max(0, of_prompt) if same else 0, stops.get("lost") is True)


def has_counted(ledger: Mapping[str, Any]) -> bool:
    """Whether Stops were counted since the last prompt."""
    return bool(_part(ledger, "stops").keys() - {STALLED})


def prompt_seen(ledger: Mapping[str, Any], session: str, turn: str | None, prompt: str, *, now: str) -> Write:
    """Notes a prompt of the person: the counts start over, but not what a run was let go for."""
    seen = {"turn_id": turn, "digest": digest(prompt), "at": now}
    stops = {name: value for name, value in _part(ledger, "stops").items() if name == STALLED}
    noticed = {name: value for name, value in ledger.items() if name == NOTICED}
    record = {"version": 1, **noticed, "prompts": [*_prompts(ledger), seen][-REMEMBERED:], "stops": stops}
    return Write(paths.ledger_file(session), record, durable=False)


def _noticed(ledger: Mapping[str, Any]) -> list[str]:
    noticed = ledger.get(NOTICED)
    return [typed for typed in noticed if isinstance(typed, str)] if isinstance(noticed, list) else []


def has_told(ledger: Mapping[str, Any] | Unreadable, typed: str) -> bool:
    """Whether the person was told in this session that this token started nothing."""
    return not isinstance(ledger, Unreadable) and typed.lower() in _noticed(ledger)


def told(ledger: Mapping[str, Any], session: str, tokens: Sequence[str]) -> Write:
    """Notes that the person was told of these tokens."""
    noticed = dict.fromkeys((*_noticed(ledger), *(typed.lower() for typed in tokens)))
    record = {"version": 1, **ledger, NOTICED: list(noticed)[-MOST_NOTICED:]}
    return Write(paths.ledger_file(session), record, durable=False)


def stop_counted(ledger: Mapping[str, Any], session: str, turn: str | None, count: Count, *, now: str) -> Write:
    stops = {"fingerprint": count.fingerprint, "in_a_row": count.in_a_row, "of_prompt": count.of_prompt}
    stops |= {"lost": True} if count.is_lost else {}
    stops |= {"turn_id": turn, "at": now}
    return Write(paths.ledger_file(session), {"version": 1, **ledger, "stops": stops}, durable=False)


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
